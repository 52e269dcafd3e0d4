//! Makes an entrant ready to play from a path: recognises, builds and wraps the program, and finds
//! its protocol.

use std::path::Path;

use leitai_game::{AnyGame, Host};
use leitai_sandbox::OwnedFolder;

use super::{BuildError, Builder, BuiltProgram, INPUT_FILE, ProgramSource, wrap_in_host};
use crate::player::{Player, PlayerKind, Transport};

/// The requested way to run a program.
#[derive(Clone, Copy)]
pub enum RunPreference<'a> {
    /// As its source says: by the host that accepts it, or with the protocol or wrapper that its
    /// marker names.
    Found,
    /// A plain program that speaks this protocol.
    Protocol(&'a str),
    /// A program that this host wraps.
    Wrapper(&'static Host),
}

/// An entrant that is ready to play, and its folder, which is removed when the value is dropped.
pub struct ReadyEntrant {
    /// The player; a source that cannot be built is [`PlayerKind::Broken`].
    pub player: Player,
    /// The built program, or why the build failed.
    pub built: Result<BuiltProgram, BuildError>,
    _folder: OwnedFolder,
}

/// A request for a program.
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "the names say it")]
pub struct ProgramRequest<'a> {
    pub name: &'a str,
    pub path: &'a Path,
    pub preference: RunPreference<'a>,
    pub connect: Transport,
}

impl Builder<'_> {
    /// Builds a program for this game. `leitai` is the Leitai binary, which some wrappers need.
    ///
    /// # Errors
    /// Only [infrastructure errors](BuildError::is_infrastructure_error), and paths without anything
    /// that could be built.
    pub fn make_ready(
        &self,
        game: &dyn AnyGame,
        request: &ProgramRequest<'_>,
        leitai: &Path,
    ) -> Result<ReadyEntrant, BuildError> {
        let &ProgramRequest {
            name,
            path,
            preference,
            connect,
        } = request;
        let hosts = if matches!(preference, RunPreference::Found) {
            game.list_hosts()
        } else {
            &[]
        };
        let source = ProgramSource::detect_path(path, hosts)?;
        let folder = OwnedFolder::new().map_err(|error| BuildError::Io {
            doing: "make a folder beside",
            path: path.to_owned(),
            source: error,
        })?;
        let built = match self.build_source(&source, folder.folder_path(), hosts) {
            Ok(built) => note_protocol(game, wrap_program(game, path, preference, built, leitai)?),
            Err(error) if error.is_infrastructure_error() => return Err(error),
            Err(error) => {
                return Ok(ReadyEntrant {
                    player: Player {
                        name: name.to_owned(),
                        kind: PlayerKind::Broken(summarize_error(&error)),
                    },
                    built: Err(error),
                    _folder: folder,
                });
            }
        };
        Ok(ReadyEntrant {
            player: Player {
                name: name.to_owned(),
                kind: program_player(&built, connect),
            },
            built: Ok(built),
            _folder: folder,
        })
    }
}

/// The player that runs a built program.
fn program_player(built: &BuiltProgram, connect: Transport) -> PlayerKind {
    PlayerKind::Program {
        program: built.program.clone(),
        protocol: built
            .protocol
            .clone()
            .expect("a program that is wrapped has a protocol"),
        // A host communicates over stdin and stdout, whatever the transport of other programs.
        connect: if built.host.is_some() {
            Transport::Stdio
        } else {
            connect
        },
    }
}

/// Adds a note if the program reads an input file that is never written.
fn note_protocol(game: &dyn AnyGame, mut built: BuiltProgram) -> BuiltProgram {
    if built.names_input_file && built.host.is_none() {
        built.notes.push(note_of_input_file(game.list_hosts()));
    }
    built
}

/// The advice for a program that reads an input file that is never written.
fn note_of_input_file(hosts: &[Host]) -> String {
    let wrapper = hosts
        .iter()
        .find(|host| host.is_wrapper() && host.run.contains(&INPUT_FILE));
    let next = match wrapper {
        Some(Host { name, .. }) => {
            format!(
                "if it is to be started anew every turn, give {name}:PATH, or write `leitai: protocol={name}` into it"
            )
        }
        None => "here everything comes on stdin".to_owned(),
    };
    format!("it names {INPUT_FILE}, but nobody writes that file: {next}")
}

/// Adds the wrapper that the program needs, and records its protocol.
fn wrap_program(
    game: &dyn AnyGame,
    path: &Path,
    preference: RunPreference<'_>,
    built: BuiltProgram,
    leitai: &Path,
) -> Result<BuiltProgram, BuildError> {
    let wrapper = match preference {
        RunPreference::Wrapper(host) => Some(host),
        RunPreference::Found => wrapper_of(
            game,
            built.protocol.as_deref().filter(|_| built.host.is_none()),
        ),
        RunPreference::Protocol(_) => None,
    };
    let mut built = match wrapper {
        Some(host) => wrap_in_host(host, built, leitai)?,
        None => built,
    };
    if let RunPreference::Protocol(name) = preference {
        built.protocol = Some(name.to_owned());
    }
    let protocol = built
        .protocol
        .get_or_insert_with(|| game.list_protocols()[0].0.to_owned());
    let known = game.list_protocols();
    if known.iter().any(|(name, _)| name == protocol) {
        return Ok(built);
    }
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let (path, game) = (path.to_owned(), game.meta().id);
    Err(BuildError::UnknownProtocol {
        path,
        protocol: protocol.clone(),
        game,
        known: names.join(", "),
    })
}

/// The wrapper that a marker names.
fn wrapper_of(game: &dyn AnyGame, name: Option<&str>) -> Option<&'static Host> {
    game.list_hosts()
        .iter()
        .find(|host| host.is_wrapper() && Some(host.name) == name)
}

/// The most useful line of a failed build: the first line of the output with an error and its
/// place.
pub fn summarize_error(error: &BuildError) -> String {
    let said = error.to_string();
    let mut lines = said.lines().map(str::trim);
    let first = lines.next().unwrap_or_default();
    let line = lines
        .find(|line| line.contains("error") || line.contains("Error"))
        .unwrap_or(first);
    format!(
        "could not be built: {}",
        line.chars().take(200).collect::<String>()
    )
}
