//! From what stands on the command line to an entrant that is ready to play.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use leitai_game::{AnyGame, ByEntrant, Entrant, Host};
use leitai_judge::build::{self, Built, Ready, Wish};
use leitai_judge::{Connect, Player, PlayerKind, show};
use leitai_sandbox::Sandbox;
use serde_json::Value;

use crate::ask::did_you_mean;
use crate::lang::t;

/// Entrants and the folders their programs were built in, which are removed with this.
pub struct Entrants {
    /// Ready to play.
    pub players: ByEntrant<Player>,
    _folders: Vec<Ready>,
}

/// Who shall play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who<'a> {
    /// A built-in bot or a program, as it stands on the command line.
    Word(&'a str),
    /// A person at this terminal, with the game's time limit.
    Person,
}

impl Who<'_> {
    /// Whether a program will run for it.
    pub fn is_program(&self, game: &dyn AnyGame) -> bool {
        match self {
            Who::Word(word) => !game.bots().iter().any(|(name, _)| name == word),
            Who::Person => false,
        }
    }
}

/// Finds and builds both entrants; tells `say` how each was built.
pub fn ready(
    game: &dyn AnyGame,
    who: [Who<'_>; 2],
    config: &Value,
    connect: Connect,
    sandbox: &Sandbox,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<Entrants> {
    let mut folders = Vec::new();
    let mut one = |who: Who<'_>| match who {
        Who::Word(word) => player(game, word, connect, sandbox, &mut folders, say),
        Who::Person => Ok(person(game)),
    };
    let [a, b] = [one(who[0])?, one(who[1])?];
    folders.iter().for_each(|ready| warn_of_config(game, ready, config, say));
    let mut players = ByEntrant::new(a, b);
    if players[Entrant::A].name == players[Entrant::B].name {
        players.iter_mut().for_each(|(entrant, player)| player.name = format!("{}-{entrant}", player.name));
    }
    Ok(Entrants { players, _folders: folders })
}

/// Finds and builds one program, in these folders.
pub fn alone(
    game: &dyn AnyGame,
    word: &str,
    config: &Value,
    connect: Connect,
    sandbox: &Sandbox,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<(Player, Vec<Ready>)> {
    let mut folders = Vec::new();
    let player = player(game, word, connect, sandbox, &mut folders, say)?;
    folders.iter().for_each(|ready| warn_of_config(game, ready, config, say));
    Ok((player, folders))
}

fn person(game: &dyn AnyGame) -> Player {
    Player { name: "me".to_owned(), kind: PlayerKind::Human { period: game.meta().period_limit } }
}

fn player(
    game: &dyn AnyGame,
    word: &str,
    connect: Connect,
    sandbox: &Sandbox,
    folders: &mut Vec<Ready>,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<Player> {
    if game.bots().iter().any(|(name, _)| *name == word) {
        return Ok(Player { name: word.to_owned(), kind: PlayerKind::BuiltIn(word.to_owned()) });
    }
    let (prefix, path) = split_prefix(game, word)?;
    if !Path::new(path).exists() {
        let known = game.bots();
        let list = format!("leitai bots {}", game.meta().id);
        let near = did_you_mean(word, known.iter().map(|(name, _)| *name), &list);
        bail!(
            "{word:?} is neither a built-in bot nor a path; {near}. A path may be an executable, a source file \
             (.py .cpp .c .java .js .rs), or a folder or zip with main.py, a Makefile or a CMakeLists.txt"
        );
    }
    program(game, Path::new(path), prefix, connect, sandbox, folders, say)
}

/// `DIALECT:PATH` or `HOST:PATH`, where DIALECT or HOST is one of the game's.
fn split_prefix<'a>(game: &dyn AnyGame, word: &'a str) -> anyhow::Result<(Wish<'a>, &'a str)> {
    let Some((prefix, path)) = word.split_once(':').filter(|_| !Path::new(word).exists()) else {
        return Ok((Wish::Found, word));
    };
    let known = game.dialects();
    if known.iter().any(|(name, _)| *name == prefix) {
        return Ok((Wish::Dialect(prefix), path));
    }
    let wrappers: Vec<&'static Host> = game.hosts().iter().filter(|host| host.is_wrapper()).collect();
    if let Some(host) = wrappers.iter().find(|host| host.name == prefix) {
        return Ok((Wish::Wrapper(host), path));
    }
    let list = format!("leitai bots {}", game.meta().id);
    let names = known.iter().map(|(name, _)| *name).chain(wrappers.iter().map(|host| host.name));
    let near = did_you_mean(prefix, names, &list);
    bail!("{word:?}: there is no dialect or host {prefix:?}; {near}");
}

fn program(
    game: &dyn AnyGame,
    path: &Path,
    wish: Wish<'_>,
    connect: Connect,
    sandbox: &Sandbox,
    readied: &mut Vec<Ready>,
    say: &mut dyn FnMut(&str),
) -> anyhow::Result<Player> {
    let name = name_of(path);
    let leitai = std::env::current_exe().context("cannot find this binary")?;
    let ready = build::ready(game, &name, path, wish, connect, sandbox, &leitai, None)?;
    match &ready.built {
        Err(error) => say(&error.to_string()),
        Ok(built) => tell(&name, built, say),
    }
    let player = ready.player.clone();
    readied.push(ready);
    Ok(player)
}

/// How it was built, and what its author should know.
fn tell(name: &str, built: &Built, say: &mut dyn FnMut(&str)) {
    if built.took >= Duration::from_millis(1) {
        let (with, within) = (t("built with", "构建："), t("in", "用时"));
        say(&format!("{name:<12}{with} {} {within} {}", built.how, show(built.took)));
    }
    built.notes.iter().for_each(|note| say(&format!("{name:<12}{note}")));
}

/// Says where a program is played with another config than its host's programs were written for.
fn warn_of_config(game: &dyn AnyGame, ready: &Ready, config: &Value, say: &mut dyn FnMut(&str)) {
    let host = ready.built.as_ref().ok().and_then(|built| built.host);
    let wanted = game.hosts().iter().filter(|known| Some(known.name) == host).flat_map(|host| host.config);
    let name = &ready.player.name;
    for (key, value) in wanted.filter(|(key, value)| config[*key] != **value) {
        let other = config[*key].to_string().replace('"', "");
        say(&match t("en", "zh") {
            "zh" => format!(
                "{name:<12}注意：这类程序是为 {key}={value} 写的，本局是 {key}={other}，它可能会误读局面；请加上 --config {key}={value}"
            ),
            _ => format!(
                "{name:<12}warning: programs of this kind were written for {key}={value}, and this is {key}={other}: it may \
                 misread what it is told; add --config {key}={value}"
            ),
        });
    }
}

/// What people call a program: the file's name without its ending; for `main.*` or a bare folder, the folder's.
fn name_of(path: &Path) -> String {
    let full = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let own = stem(&full).unwrap_or_else(|| "program".to_owned());
    match own.as_str() {
        "main" | "Main" | "bot" | "a" => full.parent().and_then(stem).unwrap_or(own),
        _ => own,
    }
}
