//! Makes an entrant ready to play from a path: recognises, builds and wraps the program, and finds
//! its protocol.

use std::io::{self, Write};
use std::path::{Component, Path};
use std::sync::Arc;

use leitai_game::{AnyGame, BotProgram, Host};
use leitai_sandbox::OwnedFolder;

use super::folder_copy::create_file;
use super::libraries::LibrarySet;
use super::recipe::NEITHER_STANDARD;
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
    _libraries: Option<Arc<LibrarySet>>,
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
    /// Builds a built-in bot that came with the game as a program; see
    /// [`AnyGame::bot_program`].
    ///
    /// # Errors
    /// As [`make_ready`](Builder::make_ready).
    pub fn make_packed_bot(
        &self,
        game: &dyn AnyGame,
        (name, program): (&str, &BotProgram),
        connect: Transport,
        leitai: &Path,
    ) -> Result<ReadyEntrant, BuildError> {
        let failed = BuildError::from_io("unpack", Path::new(&program.path));
        let folder = unpack_bot(program).map_err(failed)?;
        let path = folder.folder_path().join(&program.path);
        let request = ProgramRequest {
            name,
            path: &path,
            preference: RunPreference::Found,
            connect,
        };
        self.make_ready(game, &request, leitai)
    }

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
                        kind: PlayerKind::Broken(summarize_error(&error, path)),
                    },
                    built: Err(error),
                    _folder: folder,
                    _libraries: None,
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
            _libraries: self.libraries.cloned(),
        })
    }
}

/// Writes the files of a program into a folder of their own; the program is `path` in it.
///
/// # Errors
/// If they cannot be written.
pub fn unpack_bot(program: &BotProgram) -> io::Result<OwnedFolder> {
    let folder = OwnedFolder::new()?;
    unpack(program, folder.folder_path())?;
    Ok(folder)
}

/// Writes the files of a program into an empty folder.
fn unpack(program: &BotProgram, to: &Path) -> io::Result<()> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    for file in &program.files {
        let own = Path::new(&file.path);
        // Whoever read the game has looked at this.
        if !own.starts_with(&program.path) || !own.components().all(is_plain) {
            let why = format!("{} is no path of a packed program", file.path);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let path = to.join(own);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        create_file(&path, file.bytes.starts_with(b"#!"))?.write_all(&file.bytes)?;
    }
    Ok(())
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
    let (path, game) = (path.to_owned(), game.meta().id.to_owned());
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

/// Whether a line of a tool's output names a cause, and not what follows from one: that the linker
/// or make has failed.
fn is_cause(line: &str) -> bool {
    const OF_LINKER: [&str; 3] = [
        "undefined reference",
        "multiple definition",
        "cannot find -l",
    ];
    let follows = line.contains("ld returned") || line.starts_with("make");
    let is_error = line.contains("error") || line.contains("Error");
    is_error && !follows || OF_LINKER.iter().any(|part| line.contains(part))
}

/// Why a build failed, for a line: the first line of a tool's output that names a cause, with its
/// place, or our own sentence as a whole. `path` is told by its name alone, because on an arena its
/// folder is no business of the author's.
pub fn summarize_error(error: &BuildError, path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let said = error
        .to_string()
        .replace(&*path.to_string_lossy(), &name.to_string_lossy());
    if !said.contains('\n') {
        return format!("could not be built: {said}");
    }
    let mut lines = said.lines().map(str::trim);
    let first = lines.next().unwrap_or_default();
    let line = lines.find(|line| is_cause(line)).unwrap_or(first);
    let line: String = line.chars().take(200).collect();
    match said.lines().find(|line| line.ends_with(NEITHER_STANDARD)) {
        Some(tried) => format!("could not be built: {line}; {tried}"),
        None => format!("could not be built: {line}"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use leitai_game::Lang;
    use leitai_game::lang::Catalogue;

    use super::{is_cause, summarize_error};
    use crate::build::BuildError;

    /// Our own sentence is told as a whole, without the folder of an arena's machine, in both
    /// languages.
    #[test]
    fn a_folder_without_a_program_is_told_in_a_whole_sentence() {
        let path = Path::new("/var/tmp/leitai-1-2/Upper.zip");
        let error = BuildError::NothingUsable {
            path: path.to_owned(),
            found: "a.py, b.py".into(),
            hint: String::new(),
        };
        let said = summarize_error(&error, path);
        assert!(
            said.starts_with(
                "could not be built: nothing in Upper.zip says how to run it (there is a.py, b.py)"
            ) && said.ends_with("Cargo.toml, or an executable main"),
            "{said}"
        );
        let catalogue = Catalogue::new([&leitai_game::lang::MESSAGES, &crate::messages::MESSAGES]);
        let chinese = catalogue.say(Lang::Zh, &said);
        assert!(
            chinese.starts_with("无法构建：Upper.zip 中没有说明") && !chinese.contains("nothing"),
            "{chinese}"
        );
    }

    #[test]
    fn thousands_of_errors_are_told_by_the_first_and_the_last() {
        let lines: Vec<String> = (0..20_000)
            .map(|line| format!("a.c:{line}: error: x"))
            .collect();
        let error = BuildError::Failed {
            command: "gcc".into(),
            exit: leitai_sandbox::ExitReason::Code(1),
            log: lines.join("\n"),
        };
        let said = error.to_string();
        assert!(said.lines().count() < 120, "{}", said.lines().count());
        for part in ["a.c:0: error", "[19890 lines left out]", "a.c:19999: error"] {
            assert!(said.contains(part), "{part}");
        }
    }

    #[test]
    fn the_cause_of_a_failed_build_is_told_and_not_what_follows_from_it() {
        let check = |log: &str, expected: &str| {
            assert_eq!(log.lines().find(|line| is_cause(line)), Some(expected));
        };
        let undefined = "main.cpp:(.text+0x9): undefined reference to `think()'";
        let link = format!(
            "[100%] Linking CXX executable main\n{undefined}\ncollect2: error: ld returned 1 exit status\n\
             make[2]: *** [main.make:97: main] Error 1"
        );
        check(&link, undefined);
        let unknown = "main.cpp:1:5: error: 'x' was not declared";
        check(
            &format!("{unknown}\nmake: *** [Makefile:2: main] Error 1"),
            unknown,
        );
    }
}
