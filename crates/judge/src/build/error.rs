//! Errors of builds.

use super::source::first_bytes;
use super::unsupported;
use leitai_game::Host;
use leitai_sandbox::{ExitReason, SpawnError};
use std::io;
use std::path::{Path, PathBuf};

/// What is accepted as a bot, for messages.
pub const ACCEPTED: &str = "an executable, a source file (.py .cpp .c .java .js .rs), or a folder or zip with a \
    Makefile, a CMakeLists.txt, main.py, main.js, Main.java, main.cpp, main.c, Cargo.toml or an executable main";

/// An error of a build. Each message ends with the next step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// There is nothing at the path.
    #[error("there is no {path}{near}", path = path.display(), near = did_you_mean(path, near))]
    Missing {
        /// The path as given.
        path: PathBuf,
        /// Similar names in the same folder, the most similar first.
        near: Vec<String>,
    },
    /// A file that is neither a program nor source.
    #[error("{path} is neither a program nor source: give {ACCEPTED}", path = path.display())]
    NotAProgram {
        /// The file.
        path: PathBuf,
    },
    /// A file that looks like a bot to people, but cannot be run or built here.
    #[error("{path} {is}: {next}", path = path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it is.
        is: &'static str,
        /// What to do.
        next: &'static str,
    },
    /// A folder or archive in which nothing says how to build or run it.
    #[error("nothing in {path} says how to run it (there is {found}): put one of these into it, not into a \
        folder inside it: Makefile, CMakeLists.txt, main.py, main.js, Main.java, main.cpp, main.c, Cargo.toml, or an \
        executable main{hint}", path = path.display())]
    NothingUsable {
        /// The folder or archive.
        path: PathBuf,
        /// Some names that are there instead.
        found: String,
        /// What one of them is, if people mistake it for a bot.
        hint: String,
    },
    /// A compiler or interpreter is not installed on this machine.
    #[error("{tool} is needed but not installed: apt-get install {package}")]
    ToolMissing {
        /// The command.
        tool: &'static str,
        /// The Debian package that has it.
        package: &'static str,
    },
    /// A tool is there, but cannot be used.
    #[error("{tool} is at {file}, but {why}; {next}", file = file.display())]
    ToolUnusable {
        /// The command.
        tool: &'static str,
        /// Where it is.
        file: PathBuf,
        /// Why it cannot be used.
        why: &'static str,
        /// What to do.
        next: String,
    },
    /// More than a bot may have.
    #[error("{path} is too large: at {at} it has more than {limit}; leave out what the bot does not need",
        path = path.display())]
    TooLarge {
        /// What was handed in.
        path: PathBuf,
        /// The file where the limit was reached.
        at: String,
        /// The limit, for instance `64 MiB`.
        limit: String,
    },
    /// An entry of a folder or archive that is not taken.
    #[error("{path} cannot be taken: {entry:?} {why}; {next}", path = path.display())]
    BadEntry {
        /// What was handed in.
        path: PathBuf,
        /// The entry inside it.
        entry: String,
        /// What is wrong with it.
        why: String,
        /// What to do about it.
        next: &'static str,
    },
    /// An archive that cannot be read.
    #[error("{path} cannot be unpacked: {why}; make it again, for instance with zip -r bot.zip mybot",
        path = path.display())]
    BadZip {
        /// The archive.
        path: PathBuf,
        /// The error of the parser.
        why: String,
    },
    /// A tool ended with a failure.
    #[error("`{command}` failed with {exit}:\n{log}\nfix what it says above and build again", log = log.trim_end())]
    Failed {
        /// The command line.
        command: String,
        /// How the tool ended.
        exit: ExitReason,
        /// What it said, see [`BuiltProgram::log`](super::BuiltProgram::log).
        log: String,
    },
    /// The build took too long.
    #[error("`{command}` was stopped, the build {used}:\n{log}\nmake the build shorter, or hand in fewer files; on \
        the command line --build-limit allows more", log = log.trim_end())]
    TimedOut {
        /// The command line that was running.
        command: String,
        /// What was used of what, for instance `used 30.1 s of CPU time of 30 s`.
        used: String,
        /// Its output until then.
        log: String,
    },
    /// This machine was too busy to say how long the build would have taken.
    #[error(
        "`{command}` was stopped: it had {cpu} of CPU time in {wall}, because this machine was busy with other \
        things; build again when it is less busy"
    )]
    Disturbed {
        /// The command line that was running.
        command: String,
        /// CPU time that the build got.
        cpu: String,
        /// Wall time that had passed.
        wall: String,
    },
    /// A tool used more than it may.
    #[error("`{command}` was stopped, it used more than {limit}:\n{log}\nmake the build smaller", log = log.trim_end())]
    Over {
        /// The command line that was running.
        command: String,
        /// The limit, for instance `1024 MiB of memory`.
        limit: String,
        /// Its output until then.
        log: String,
    },
    /// The build succeeded, but there is no program.
    #[error("{how} succeeded but left no program:\n{log}\nmake it write one called `main`", log = log.trim_end())]
    NoProgram {
        /// What built.
        how: String,
        /// The output of the tools.
        log: String,
    },
    /// Java without a `main`.
    #[error(
        "no class in {files} has a `static void main`: add `public static void main(String[] args)`{hosts}"
    )]
    NoMainClass {
        /// The files that were looked at.
        files: String,
        /// What else the game takes.
        hosts: String,
    },
    /// A script whose first line (`#!`) names an interpreter that it cannot have.
    #[error(
        "{script} cannot be run: {why}; begin it with #!/usr/bin/env python3, #!/usr/bin/env node or #!/bin/sh"
    )]
    Interpreter {
        /// The script's name.
        script: String,
        /// What is wrong with the line.
        why: String,
    },
    /// The source names a protocol that the game does not have.
    #[error("{path}: its source names the protocol {protocol:?}, which {game} does not have; there are {known}",
        path = path.display())]
    UnknownProtocol {
        /// What was handed in.
        path: PathBuf,
        /// The name after `leitai: protocol=`.
        protocol: String,
        /// The game's id.
        game: &'static str,
        /// The names of the game's hosts.
        known: String,
    },
    /// A tool is there but does not start.
    #[error(transparent)]
    Start(#[from] SpawnError),
    /// This machine refused to read or write something.
    #[error("cannot {doing} {path}: {source}; check its permissions and the free space", path = path.display())]
    Io {
        /// A verb.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl BuildError {
    /// Whether this machine is to blame and not the contestant: such a build is tried again
    /// elsewhere or later.
    pub fn is_infrastructure_error(&self) -> bool {
        use BuildError::{Disturbed, Io, Start, ToolMissing, ToolUnusable};
        matches!(
            self,
            ToolMissing { .. } | ToolUnusable { .. } | Start(_) | Io { .. } | Disturbed { .. }
        )
    }

    /// Adds notes before the output of the tool: a build may fail because of a file that was left
    /// out.
    pub(super) fn with_notes(mut self, notes: &[String]) -> BuildError {
        if let BuildError::Failed { log, .. } = &mut self {
            *log = notes
                .iter()
                .map(|note| format!("{note}\n"))
                .chain([std::mem::take(log)])
                .collect();
        }
        self
    }

    /// Adds, for Java without a `main`, the hosts of the game.
    pub(super) fn with_hosts(mut self, known: &[Host]) -> BuildError {
        if let BuildError::NoMainClass { hosts, .. } = &mut self {
            *hosts = taken_by(known);
        }
        self
    }

    /// Makes a [`BuildError::Io`], for `map_err`.
    pub(super) fn from_io(
        doing: &'static str,
        path: &Path,
    ) -> impl FnOnce(io::Error) -> BuildError + use<> {
        let path = path.to_owned();
        move |source| BuildError::Io {
            doing,
            path,
            source,
        }
    }

    /// The error for a `path` without a program, with some file names from its copy `dir`.
    pub(super) fn nothing_usable(path: &Path, dir: &Path, hosts: &[Host]) -> BuildError {
        BuildError::NothingUsable {
            path: path.to_owned(),
            found: some_names(dir),
            hint: hint_for_folder(dir, hosts),
        }
    }
}

fn did_you_mean(path: &Path, near: &[String]) -> String {
    match (near, path.parent()) {
        ([], Some(parent)) if !parent.as_os_str().is_empty() && !parent.exists() => {
            format!(
                ": not even the folder {}; look for it with ls",
                parent.display()
            )
        }
        ([], _) => format!(": give {ACCEPTED}"),
        (near, _) => format!("; did you mean {}?", near.join(" or ")),
    }
}

/// A hint about the first file, by name, that is often mistaken for a bot.
fn hint_for_folder(dir: &Path, hosts: &[Host]) -> String {
    const LOOKED_AT: usize = 1000;
    let entries = std::fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .take(LOOKED_AT);
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect();
    files.sort_unstable();
    let java = |path: &PathBuf| super::Language::from_path(path) == Some(super::Language::Java);
    let said = files.iter().find_map(|path| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let advice = unsupported::advise_unsupported(path, &first_bytes(path).ok()?);
        match advice {
            Some(advice) => Some(format!("; {name} {}: {}", advice.is, advice.next)),
            None if java(path) => Some(format!(
                "; {name} has no class with a `static void main`: add one{}",
                taken_by(hosts)
            )),
            None => None,
        }
    });
    said.unwrap_or_default()
}

/// What a game's hosts take by their sources.
fn taken_by(hosts: &[Host]) -> String {
    let takes = hosts.iter().filter(|host| !host.is_wrapper());
    takes
        .map(|host| format!("; this game also takes {}", host.about.en))
        .collect()
}

/// The first few names in a folder, in alphabetical order.
fn some_names(dir: &Path) -> String {
    const SHOWN: usize = 8;
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    match names.len() {
        0 => "nothing at all".into(),
        count if count <= SHOWN => names.join(", "),
        count => format!("{} and {} more", names[..SHOWN].join(", "), count - SHOWN),
    }
}
