//! Makes a ready player from a word: the name of a built-in bot, or a path.

use std::path::{Path, PathBuf};
use std::time::Duration;

use leitai_game::{AnyGame, ByEntrant, Entrant, Host};
use leitai_judge::build::AS_IT_IS;
use leitai_judge::build::{
    self, BuildError, Builder, ProgramRequest, ProgramSource, ReadyEntrant, RunPreference,
};
use leitai_judge::{EntrantSettings, Player, PlayerKind, show_duration};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::entrant_request::EntrantRequest;
use crate::options::MatchOptions;
use crate::{InvalidRequest, Language, invalid_request, naming, suggest_names};

/// The name of a person at the terminal.
const PERSON: &str = "me";

/// Both entrants of a match, and the folders of their programs, which are removed when the value is
/// dropped.
#[allow(missing_docs, reason = "the names say it")]
pub struct ReadyEntrants {
    pub players: ByEntrant<Player>,
    /// What each alone plays with.
    pub settings: ByEntrant<EntrantSettings>,
    _folders: Vec<ReadyEntrant>,
}

/// An entrant of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, reason = "a match has two of them")]
pub enum EntrantSpec {
    /// A built-in bot or a program.
    Bot(EntrantRequest),
    /// A person at this terminal, with the game's time limit.
    Person,
}

impl EntrantSpec {
    /// The bot, unless it is a person.
    pub fn bot(&self) -> Option<&EntrantRequest> {
        match self {
            EntrantSpec::Bot(request) => Some(request),
            EntrantSpec::Person => None,
        }
    }
}

/// Whether a word without a name is played by a program, which needs a sandbox.
pub fn is_program(game: &dyn AnyGame, word: &str) -> bool {
    let own = game.find_bot(word);
    own.is_none_or(|name| game.bot_program(name).is_some())
}

/// Whether a word without a name is a built-in bot of the game.
pub fn is_built_in(game: &dyn AnyGame, word: &str) -> bool {
    game.find_bot(word).is_some()
}

/// A notice about the build of an entrant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub enum BuildNotice {
    /// Its program could not be built.
    Failed { why: String },
    /// It is ready.
    Ready {
        name: String,
        /// The origin of the program, unless there was nothing to build.
        build: Option<BuildOrigin>,
        /// The protocol of the program.
        protocol: Option<String>,
    },
    /// A note for its author.
    Note { name: String, note: String },
    /// Programs of its host were written for another config.
    OtherConfig {
        name: String,
        /// The key of the config.
        key: String,
        /// The value that these programs were written for.
        expected: String,
        /// The value in this match.
        found: String,
    },
}

/// The origin of a built program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BuildOrigin {
    /// A build of an earlier run.
    Cache {
        /// The build tool.
        how: String,
    },
    /// It was built now.
    Build {
        /// The build tool.
        how: String,
        /// The duration of the build.
        took: Duration,
    },
}

impl BuildOrigin {
    fn to_words(&self, language: Language<'_>) -> String {
        match self {
            BuildOrigin::Cache { how } => {
                language.fill("kept from an earlier build: {}", &[&language.say(how)])
            }
            BuildOrigin::Build { how, took } if how == AS_IT_IS => {
                language.fill("runs as it is, copied in {}", &[&show_duration(*took)])
            }
            BuildOrigin::Build { how, took } => language.fill(
                "built with {} in {}",
                &[&language.say(how), &show_duration(*took)],
            ),
        }
    }
}

impl BuildNotice {
    /// The notice without the protocol; `None` if it contains nothing else.
    pub fn without_protocol(&self) -> Option<BuildNotice> {
        match self {
            BuildNotice::Ready { build: None, .. } => None,
            BuildNotice::Ready { name, build, .. } => Some(BuildNotice::Ready {
                name: name.clone(),
                build: build.clone(),
                protocol: None,
            }),
            other => Some(other.clone()),
        }
    }

    /// The notice about the entrant of this name.
    pub fn with_name(self, name: &str) -> BuildNotice {
        let name = name.to_owned();
        match self {
            BuildNotice::Failed { why } => BuildNotice::Failed { why },
            BuildNotice::Ready {
                build, protocol, ..
            } => BuildNotice::Ready {
                name,
                build,
                protocol,
            },
            BuildNotice::Note { note, .. } => BuildNotice::Note { name, note },
            BuildNotice::OtherConfig {
                key,
                expected,
                found,
                ..
            } => BuildNotice::OtherConfig {
                name,
                key,
                expected,
                found,
            },
        }
    }

    /// The notice with every text changed by this function, for notices of another machine.
    pub fn map_texts(self, change: &mut dyn FnMut(String) -> String) -> BuildNotice {
        match self {
            BuildNotice::Failed { why } => BuildNotice::Failed { why: change(why) },
            BuildNotice::Ready {
                name,
                build,
                protocol,
            } => BuildNotice::Ready {
                name: change(name),
                build: build.map(|build| match build {
                    BuildOrigin::Cache { how } => BuildOrigin::Cache { how: change(how) },
                    BuildOrigin::Build { how, took } => BuildOrigin::Build {
                        how: change(how),
                        took,
                    },
                }),
                protocol: protocol.map(change),
            },
            BuildNotice::Note { name, note } => BuildNotice::Note {
                name: change(name),
                note: change(note),
            },
            BuildNotice::OtherConfig {
                name,
                key,
                expected,
                found,
            } => BuildNotice::OtherConfig {
                name: change(name),
                key: change(key),
                expected: change(expected),
                found: change(found),
            },
        }
    }

    /// The notice as a line for people.
    pub fn to_line(&self, language: Language<'_>) -> String {
        match self {
            BuildNotice::Failed { why } => language.say(why),
            BuildNotice::Ready {
                name,
                build,
                protocol,
            } => {
                let build = build.as_ref().map(|build| build.to_words(language));
                let protocol = protocol.as_ref();
                let protocol = protocol.map(|name| language.fill("protocol {}", &[name]));
                let parts: Vec<String> = build.into_iter().chain(protocol).collect();
                format!("{name:<12} {}", parts.join(language.label(", ")))
            }
            BuildNotice::Note { name, note } => format!("{name:<12} {}", language.say(note)),
            BuildNotice::OtherConfig {
                name,
                key,
                expected,
                found,
            } => language.fill(
                "{} warning: programs of this kind are written for {}={}, but this match has \
                {}={}: the bot may misread its input; add --config {}={}",
                &[
                    &format!("{name:<12}"),
                    key,
                    expected,
                    key,
                    found,
                    key,
                    expected,
                ],
            ),
        }
    }
}

/// Called with every notice while entrants are built.
type NoticeListener<'a> = &'a mut dyn FnMut(&BuildNotice);

/// Finds and builds both entrants of a match.
pub fn make_ready(
    game: &dyn AnyGame,
    entrants: &[EntrantSpec; 2],
    options: &MatchOptions,
    notify: NoticeListener<'_>,
) -> anyhow::Result<ReadyEntrants> {
    let bots: Vec<&EntrantRequest> = entrants.iter().filter_map(EntrantSpec::bot).collect();
    check_requests(game, &bots, options)?;
    let all: Vec<&str> = bots.iter().map(|bot| bot.word.as_str()).collect();
    let mut names = naming::name_entrants(game, &bots).into_iter();
    let mut folders = Vec::new();
    let mut build = |entrant: &EntrantSpec| match entrant {
        EntrantSpec::Bot(bot) => {
            let name = names.next().expect("there is a name for each word");
            let word = &bot.word;
            let (player, folder) = build_named_player(game, &name, word, &all, options, notify)?;
            folders.extend(folder);
            anyhow::Ok(player)
        }
        EntrantSpec::Person => Ok(human_player(game)),
    };
    let [a, b] = entrants;
    let mut players = ByEntrant::new(build(a)?, build(b)?);
    if players[Entrant::A].name == players[Entrant::B].name {
        players
            .iter_mut()
            .for_each(|(entrant, player)| player.name = format!("{}-{entrant}", player.name));
    }
    let settings = |one: &EntrantSpec| {
        let settings = one.bot().map(|bot| bot.settings.clone());
        settings.unwrap_or_default()
    };
    Ok(ReadyEntrants {
        players,
        settings: ByEntrant::new(settings(a), settings(b)),
        _folders: folders,
    })
}

/// Finds and builds one entrant; returns the folder of its program, if it is a program.
pub fn build_player(
    game: &dyn AnyGame,
    request: &EntrantRequest,
    options: &MatchOptions,
    notify: NoticeListener<'_>,
) -> anyhow::Result<(Player, Option<ReadyEntrant>)> {
    check_requests(game, &[request], options)?;
    let name = naming::name_entrants(game, &[request]).remove(0);
    let word = request.word.as_str();
    build_named_player(game, &name, word, &[word], options, notify)
}

/// Everything that can be wrong with entrants before the first is built: a build takes long, and a
/// wrong word in the last one is found at once.
///
/// # Errors
/// For a name that would break tables, settings that the match does not allow, and a word that names
/// neither a built-in bot nor a program or source on this machine.
pub fn check_requests(
    game: &dyn AnyGame,
    requests: &[&EntrantRequest],
    options: &MatchOptions,
) -> anyhow::Result<()> {
    let names = requests.iter().filter_map(|one| one.name.as_deref());
    names
        .into_iter()
        .try_for_each(naming::check_name)
        .map_err(InvalidRequest::wrap)?;
    for request in requests {
        if !is_built_in(game, &request.word) {
            locate_program(game, &request.word)?;
        }
    }
    requests
        .iter()
        .try_for_each(|request| request.check_settings(game, options))
}

/// Finds and builds one entrant under this name. `all` are the words of all entrants: the folder of
/// one program must not contain the programs of the others.
pub fn build_named_player(
    game: &dyn AnyGame,
    name: &str,
    word: &str,
    all: &[&str],
    options: &MatchOptions,
    notify: NoticeListener<'_>,
) -> anyhow::Result<(Player, Option<ReadyEntrant>)> {
    let built_in = game.find_bot(word);
    let packed = built_in.and_then(|bot| game.bot_program(bot));
    if let Some(bot) = built_in.filter(|_| packed.is_none()) {
        let player = Player {
            name: name.to_owned(),
            kind: PlayerKind::BuiltIn(bot.to_owned()),
        };
        return Ok((player, None));
    }
    let others: Vec<PathBuf> = all
        .iter()
        .filter_map(|word| program_path(game, word))
        .collect();
    let builder = Builder {
        limits: build::BuildLimits::of_cpu_time(options.build_limit),
        others: &others,
        cache: options.build_cache,
        libraries: options.libraries.as_ref(),
        debug_info: options.debug_info,
        ..Builder::new(&options.sandbox)
    };
    let (connect, leitai) = (options.transport, &options.leitai);
    let ready = if let Some(program) = packed {
        builder.make_packed_bot(game, (name, program), connect, leitai)
    } else {
        let (preference, path) = find_program(game, word)?;
        let request = ProgramRequest {
            name,
            path,
            preference,
            connect,
        };
        builder.make_ready(game, &request, leitai)
    };
    let ready = ready.map_err(refuse)?;
    build_notices(game, &ready, &options.config)
        .iter()
        .for_each(notify);
    Ok((ready.player.clone(), Some(ready)))
}

/// How to run the program of a word, and its path, where there is something.
fn find_program<'a>(
    game: &dyn AnyGame,
    word: &'a str,
) -> anyhow::Result<(RunPreference<'a>, &'a Path)> {
    let (preference, path) = split_prefix(game, word)?;
    let path = Path::new(path);
    if !path.exists() {
        return Err(missing_program(game, word, path));
    }
    Ok((preference, path))
}

/// The protocol or host that stands before the path of a word, and the path of its program.
///
/// # Errors
/// For a word that names neither a built-in bot nor a program or source on this machine.
pub fn locate_program<'a>(
    game: &dyn AnyGame,
    word: &'a str,
) -> anyhow::Result<(Option<&'a str>, &'a Path)> {
    let (preference, path) = find_program(game, word)?;
    let (prefix, hosts) = match preference {
        RunPreference::Found => (None, game.list_hosts()),
        RunPreference::Protocol(name) => (Some(name), &[][..]),
        RunPreference::Wrapper(host) => (Some(host.name), &[][..]),
    };
    ProgramSource::detect_path(path, hosts).map_err(refuse)?;
    Ok((prefix, path))
}

/// What is no program is the fault of who named it.
fn refuse(error: BuildError) -> anyhow::Error {
    match error.is_infrastructure_error() {
        true => error.into(),
        false => InvalidRequest::wrap(error.into()),
    }
}

/// The path of a word's program; `None` for a built-in bot, and if there is no such file.
pub fn program_path(game: &dyn AnyGame, word: &str) -> Option<PathBuf> {
    let path = split_prefix(game, word).ok()?.1;
    (!is_built_in(game, word) && Path::new(path).exists()).then(|| PathBuf::from(path))
}

fn human_player(game: &dyn AnyGame) -> Player {
    Player {
        name: PERSON.to_owned(),
        kind: PlayerKind::Human {
            period: game.meta().period_limit,
            protocol: None,
        },
    }
}

/// The error for a word that is neither a bot nor a file. A word that looks like a path is treated
/// as one.
fn missing_program(game: &dyn AnyGame, word: &str, path: &Path) -> anyhow::Error {
    if word.contains('/') || path.extension().is_some() {
        return match ProgramSource::detect_path(path, game.list_hosts()) {
            Err(error @ BuildError::Missing { .. }) => invalid_request(error.to_string()),
            _ => invalid_request(format!("there is no {}", path.display())),
        };
    }
    let known = game.list_bots();
    let list = format!("leitai bots {}", game.meta().id);
    let near = suggest_names(word, known.iter().map(|(name, _)| *name), &list);
    invalid_request(format!(
        "{word:?} is neither a built-in bot nor a path; {near}. A path may be an executable, a source file \
         (.py .cpp .c .java .js .ts .rs .go .cs .kt), or a folder or zip with main.py, a Makefile or a CMakeLists.txt"
    ))
}

/// Splits `PROTOCOL:PATH` or `HOST:PATH`, with a protocol or host of the game.
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
    let near = suggest_names(prefix, names, &list);
    Err(invalid_request(format!(
        "{word:?}: there is no protocol or host {prefix:?}; {near}"
    )))
}

/// Notices about the build of an entrant, and notes for its author.
fn build_notices(game: &dyn AnyGame, ready: &ReadyEntrant, config: &Value) -> Vec<BuildNotice> {
    let name = || ready.player.name.clone();
    let built = match &ready.built {
        Ok(built) => built,
        Err(error) => {
            let why = error.to_string();
            return vec![BuildNotice::Failed { why }];
        }
    };
    let how = built.how.clone();
    let build = match (built.kept, built.took) {
        (true, _) => Some(BuildOrigin::Cache { how }),
        (false, took) if took >= Duration::from_millis(1) => Some(BuildOrigin::Build { how, took }),
        _ => None,
    };
    let protocol = built.protocol.clone();
    let mut notices = Vec::new();
    if build.is_some() || protocol.is_some() {
        notices.push(BuildNotice::Ready {
            name: name(),
            build,
            protocol,
        });
    }
    notices.extend(built.notes.iter().map(|note| BuildNotice::Note {
        name: name(),
        note: note.clone(),
    }));
    let wanted = game
        .list_hosts()
        .iter()
        .filter(|host| Some(host.name) == built.host)
        .flat_map(|host| host.config);
    let other = wanted.filter(|(key, value)| config[*key] != **value);
    notices.extend(other.map(|(key, value)| BuildNotice::OtherConfig {
        name: name(),
        key: (*key).to_string(),
        expected: value.to_string(),
        found: config[*key].to_string().replace('"', ""),
    }));
    notices
}
