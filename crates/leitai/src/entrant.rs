//! From what stands on the command line to an entrant that is ready to play.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::Context;
use leitai_game::{AnyGame, ByEntrant, Entrant, Host};
use leitai_judge::build::{
    self, BuildCache, BuildError, Builder, BuiltProgram, ProgramRequest, ProgramSource,
    ReadyEntrant, RunPreference,
};
use leitai_judge::{Player, PlayerKind, Transport, show_duration};
use leitai_sandbox::Sandbox;
use serde_json::Value;

use crate::arguments::{did_you_mean, usage_error};
use crate::lang::{self, translate};
use crate::naming;

/// Entrants and the folders their programs were built in, which are removed with this.
pub struct ReadyEntrants {
    /// Ready to play.
    pub players: ByEntrant<Player>,
    _folders: Vec<ReadyEntrant>,
}

/// Who shall play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntrantSpec<'a> {
    /// A built-in bot or a program, as it stands on the command line.
    Word(&'a str),
    /// The same, in a series in which others play, too.
    Among {
        /// Its word.
        word: &'a str,
        /// What it is called there.
        name: &'a str,
        /// The words of all who play.
        all: &'a [&'a str],
    },
    /// A person at this terminal, with the game's time limit.
    Person,
}

impl<'a> EntrantSpec<'a> {
    /// Whether a program will run for it.
    pub fn is_program(&self, game: &dyn AnyGame) -> bool {
        self.split_protocol()
            .is_some_and(|(_, word)| !is_built_in(game, word))
    }

    /// The name that it was given, if it was, and its word.
    fn split_protocol(&self) -> Option<(Option<&'a str>, &'a str)> {
        match *self {
            EntrantSpec::Word(word) => Some(naming::split_name(word)),
            EntrantSpec::Among { word, name, .. } => Some((Some(name), word)),
            EntrantSpec::Person => None,
        }
    }
}

fn is_built_in(game: &dyn AnyGame, word: &str) -> bool {
    game.list_bots().iter().any(|(name, _)| *name == word)
}

/// What programs are built with, and how they are talked to.
#[derive(Clone, Copy)]
pub struct BuildMeans<'a> {
    /// What is played, in the game's own words.
    pub config: &'a Value,
    /// How the bytes travel.
    pub connect: Transport,
    /// Where programs run.
    pub sandbox: &'a Sandbox,
    /// CPU time of a build.
    pub build_limit: Duration,
    /// Whether the line about a built program names its protocol; `leitai check` has a line of its
    /// own for it.
    pub names_protocol: bool,
}

/// Finds and builds both entrants; tells `say` how each was built.
pub fn make_ready(
    game: &dyn AnyGame,
    who: [EntrantSpec<'_>; 2],
    means: BuildMeans<'_>,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<ReadyEntrants> {
    let spoken = who.map(|who| who.split_protocol());
    spoken
        .iter()
        .flatten()
        .try_for_each(|(name, _)| name.map_or(Ok(()), naming::check_name))?;
    let both: Vec<(&str, Option<&str>)> = spoken
        .iter()
        .flatten()
        .map(|(name, word)| (*word, *name))
        .collect();
    let names = naming::name_entrants(game, &both);
    let words: Vec<&str> = who.iter().flat_map(|who| words_with(*who)).collect();
    let others: Vec<PathBuf> = words
        .iter()
        .filter_map(|word| path_in(game, naming::split_name(word).1))
        .collect();
    let (mut folders, mut names) = (Vec::new(), names.into_iter());
    let mut one = |spoken: Option<(Option<&str>, &str)>| match spoken {
        Some((_, word)) => {
            let name = names.next().expect("there is a name for each word");
            make_player(game, &name, word, means, &others, &mut folders, say)
        }
        None => Ok(human_player(game)),
    };
    let [a, b] = [one(spoken[0])?, one(spoken[1])?];
    folders
        .iter()
        .for_each(|ready| warn_of_config(game, ready, means.config, say));
    let mut players = ByEntrant::new(a, b);
    if players[Entrant::A].name == players[Entrant::B].name {
        players
            .iter_mut()
            .for_each(|(entrant, player)| player.name = format!("{}-{entrant}", player.name));
    }
    Ok(ReadyEntrants {
        players,
        _folders: folders,
    })
}

fn words_with<'a>(who: EntrantSpec<'a>) -> Vec<&'a str> {
    match who {
        EntrantSpec::Among { all, .. } => all.to_vec(),
        EntrantSpec::Word(word) => vec![word],
        EntrantSpec::Person => Vec::new(),
    }
}

/// Where the program of a word lies; `None` for a built-in bot, and where there is nothing.
fn path_in(game: &dyn AnyGame, word: &str) -> Option<PathBuf> {
    let path = split_prefix(game, word).ok()?.1;
    (!is_built_in(game, word) && Path::new(path).exists()).then(|| PathBuf::from(path))
}

/// Finds and builds one program, in these folders.
pub fn build_alone(
    game: &dyn AnyGame,
    word: &str,
    means: BuildMeans<'_>,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<(Player, Vec<ReadyEntrant>)> {
    let mut folders = Vec::new();
    let (name, word) = naming::split_name(word);
    name.map_or(Ok(()), naming::check_name)?;
    let name = naming::name_entrants(game, &[(word, name)]).remove(0);
    let player = make_player(game, &name, word, means, &[], &mut folders, say)?;
    folders
        .iter()
        .for_each(|ready| warn_of_config(game, ready, means.config, say));
    Ok((player, folders))
}

fn human_player(game: &dyn AnyGame) -> Player {
    Player {
        name: "me".to_owned(),
        kind: PlayerKind::Human {
            period: game.meta().period_limit,
        },
    }
}

fn make_player(
    game: &dyn AnyGame,
    name: &str,
    word: &str,
    means: BuildMeans<'_>,
    others: &[PathBuf],
    folders: &mut Vec<ReadyEntrant>,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<Player> {
    if is_built_in(game, word) {
        return Ok(Player {
            name: name.to_owned(),
            kind: PlayerKind::BuiltIn(word.to_owned()),
        });
    }
    let (wish, path) = split_prefix(game, word)?;
    let path = Path::new(path);
    if !path.exists() {
        return Err(not_there(game, word, path));
    }
    let request = ProgramRequest {
        name,
        path,
        wish,
        connect: means.connect,
    };
    let builder = Builder {
        limits: build::BuildLimits::of_cpu_time(means.build_limit),
        others,
        cache: open_cache(say),
        ..Builder::new(means.sandbox)
    };
    let leitai = std::env::current_exe().context("cannot find this binary")?;
    let ready = builder.make_ready(game, &request, &leitai)?;
    match &ready.built {
        Err(error) => say(&lang::say(&error.to_string())),
        Ok(built) => tell_build(name, built, means.names_protocol, say),
    }
    let player = ready.player.clone();
    folders.push(ready);
    Ok(player)
}

/// What is said where there is neither a bot nor a file: of a word that looks like a path, that
/// there is no such file.
fn not_there(game: &dyn AnyGame, word: &str, path: &Path) -> anyhow::Error {
    if word.contains('/') || path.extension().is_some() {
        return match ProgramSource::detect_path(path, game.list_hosts()) {
            Err(error @ BuildError::Missing { .. }) => usage_error(error.to_string()),
            _ => usage_error(format!("there is no {}", path.display())),
        };
    }
    let known = game.list_bots();
    let list = format!("leitai bots {}", game.meta().id);
    let near = did_you_mean(word, known.iter().map(|(name, _)| *name), &list);
    usage_error(format!(
        "{word:?} is neither a built-in bot nor a path; {near}. A path may be an executable, a source file \
         (.py .cpp .c .java .js .rs), or a folder or zip with main.py, a Makefile or a CMakeLists.txt"
    ))
}

/// Where builds are kept from run to run: the folder that `LEITAI_CACHE` names, `off` for none, or
/// one of this user's caches. If that cannot be used, it is said once.
pub fn open_cache(say: &mut dyn FnMut(&str)) -> Option<&'static BuildCache> {
    static OPENED: OnceLock<Option<BuildCache>> = OnceLock::new();
    let opened = OPENED.get_or_init(|| match BuildCache::open_folder(&cache_folder()?) {
        Ok(cache) => Some(cache),
        Err(error) => {
            say(&lang::say(&error.to_string()));
            None
        }
    });
    opened.as_ref()
}

fn cache_folder() -> Option<PathBuf> {
    let named = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    match named("LEITAI_CACHE") {
        Some(off) if off == Path::new("off") => None,
        Some(folder) => Some(folder),
        None => {
            let caches = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")))?;
            caches.is_absolute().then(|| caches.join("leitai/builds"))
        }
    }
}

/// `DIALECT:PATH` or `HOST:PATH`, where DIALECT or HOST is one of the game's.
fn split_prefix<'a>(
    game: &dyn AnyGame,
    word: &'a str,
) -> anyhow::Result<(RunPreference<'a>, &'a str)> {
    let Some((prefix, path)) = word.split_once(':').filter(|_| !Path::new(word).exists()) else {
        return Ok((RunPreference::Found, word));
    };
    let known = game.list_protocols();
    if known.iter().any(|(name, _)| *name == prefix) {
        return Ok((RunPreference::Protocol(prefix), path));
    }
    let wrappers: Vec<&'static Host> = game
        .list_hosts()
        .iter()
        .filter(|host| host.is_wrapper())
        .collect();
    if let Some(host) = wrappers.iter().find(|host| host.name == prefix) {
        return Ok((RunPreference::Wrapper(host), path));
    }
    let list = format!("leitai bots {}", game.meta().id);
    let names = known
        .iter()
        .map(|(name, _)| *name)
        .chain(wrappers.iter().map(|host| host.name));
    let near = did_you_mean(prefix, names, &list);
    Err(usage_error(format!(
        "{word:?}: there is no dialect or host {prefix:?}; {near}"
    )))
}

/// How it was built, which protocol it is spoken to in, and what its author should know.
fn tell_build(name: &str, built: &BuiltProgram, names_protocol: bool, say: &mut dyn FnMut(&str)) {
    let protocol = built.protocol.as_deref().filter(|_| names_protocol);
    let protocol = protocol.map(|protocol| format!("{} {protocol}", translate("protocol", "协议")));
    let parts: Vec<String> = describe_build(built).into_iter().chain(protocol).collect();
    if !parts.is_empty() {
        say(&format!("{name:<12} {}", parts.join(translate(", ", "，"))));
    }
    built
        .notes
        .iter()
        .for_each(|note| say(&format!("{name:<12} {}", lang::say(note))));
}

/// What built it, where that took time.
fn describe_build(built: &BuiltProgram) -> Option<String> {
    let how = lang::say(&built.how);
    if built.kept {
        return Some(format!(
            "{} {how}",
            translate("kept from an earlier build:", "沿用之前的构建：")
        ));
    }
    let (with, within) = (translate("built with", "构建："), translate("in", "用时"));
    (built.took >= Duration::from_millis(1))
        .then(|| format!("{with} {how} {within} {}", show_duration(built.took)))
}

/// Says where a program is played with another config than its host's programs were written for.
fn warn_of_config(
    game: &dyn AnyGame,
    ready: &ReadyEntrant,
    config: &Value,
    say: &mut dyn FnMut(&str),
) {
    let host = ready.built.as_ref().ok().and_then(|built| built.host);
    let wanted = game
        .list_hosts()
        .iter()
        .filter(|known| Some(known.name) == host)
        .flat_map(|host| host.config);
    let name = &ready.player.name;
    for (key, value) in wanted.filter(|(key, value)| config[*key] != **value) {
        let other = config[*key].to_string().replace('"', "");
        say(&match translate("en", "zh") {
            "zh" => format!(
                "{name:<12} 注意：这类程序是为 {key}={value} 写的，本局是 {key}={other}，它可能会误读局面；请加上 --config {key}={value}"
            ),
            _ => format!(
                "{name:<12} warning: programs of this kind were written for {key}={value}, and this is {key}={other}: it may \
                 misread what it is told; add --config {key}={value}"
            ),
        });
    }
}
