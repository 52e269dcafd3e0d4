//! Errors of builds.

use super::language::{Language, PROGRAM_START};
use super::unsupported;
use leitai_game::Host;
use leitai_game::lang::Say;
use leitai_sandbox::{ExitReason, SpawnError, UntrustedFolder};
use std::io;
use std::path::{Path, PathBuf};

/// The accepted kinds of bots, for messages.
pub const ACCEPTED: &str = "an executable, a source file (.py .cpp .c .java .js .ts .rs .go .cs .kt), or a folder or zip with a \
    Makefile, a CMakeLists.txt, main.py, main.js, Main.java, main.cpp, main.c, Cargo.toml or an executable main";

/// An error of a build. Each message ends with the next step.
#[derive(Debug, thiserror::Error, Say)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names say it")]
pub enum BuildError {
    /// There is nothing at the path.
    #[error("there is no {path}{near}", path = path.display(), near = did_you_mean(path, near))]
    Missing {
        path: PathBuf,
        /// Similar names in the same folder, the most similar first.
        near: Vec<String>,
    },
    /// A file that is neither a program nor source.
    #[error("{path} is neither a program nor source: give {ACCEPTED}", path = path.display())]
    NotAProgram { path: PathBuf },
    /// A file that looks like a bot to people, but cannot be run or built here.
    #[error("{path} {is}: {next}", path = path.display())]
    Foreign {
        path: PathBuf,
        /// The kind of the file.
        is: &'static str,
        /// The next step.
        next: &'static str,
    },
    /// A folder or archive in which nothing says how to build or run it.
    #[error("nothing in {path} says how to run it (there is {found}): put one of these into it, not into a \
        folder inside it: Makefile, CMakeLists.txt, main.py, main.js, Main.java, main.cpp, main.c, Cargo.toml, or an \
        executable main{hint}", path = path.display())]
    NothingUsable {
        path: PathBuf,
        /// Some names that it contains.
        found: String,
        /// A hint about one of them, if it is often mistaken for a bot.
        hint: String,
    },
    /// A compiler or interpreter is not installed on this machine.
    #[error("{tool} is needed but not installed: apt-get install {package}")]
    ToolMissing {
        tool: &'static str,
        /// The Debian package that contains it.
        package: &'static str,
    },
    /// An installed tool that cannot be used.
    #[error("{tool} is at {file}, but {why}; {next}", file = file.display())]
    ToolUnusable {
        tool: &'static str,
        file: PathBuf,
        why: &'static str,
        /// The next step.
        next: String,
    },
    /// A source beyond the limits.
    #[error("{path} is too large: at {at} it has more than {limit}; leave out what the bot does not need",
        path = path.display())]
    TooLarge {
        /// The submitted path.
        path: PathBuf,
        /// The file at which the limit was exceeded.
        at: String,
        /// The limit, such as `64 MiB`.
        limit: String,
    },
    /// An entry of a folder or archive that is refused.
    #[error("{path} cannot be taken: {entry:?} {why}; {next}", path = path.display())]
    BadEntry {
        /// The submitted path.
        path: PathBuf,
        /// The entry inside it.
        entry: String,
        why: String,
        /// The next step.
        next: &'static str,
    },
    /// An archive that cannot be read.
    #[error("{path} cannot be unpacked: {why}; make it again, for instance with zip -r bot.zip mybot",
        path = path.display())]
    BadZip {
        path: PathBuf,
        /// The error of the parser.
        why: String,
    },
    /// A manifest that asks for libraries that are not there.
    #[error(
        "{file} asks for libraries that are not here: {missing}; there are: {there}; leave out what the bot does not need, or ask the operator for it"
    )]
    LibraryMissing {
        /// The manifest.
        file: String,
        /// What is missing, with the versions that were asked for.
        missing: String,
        /// What there is, those with the same names first.
        there: String,
    },
    /// A manifest that cannot be read, or that asks for more than libraries.
    #[error(
        "{file} cannot be used: {why}; write one library a line or entry, by its name and version"
    )]
    BadManifest {
        /// The manifest.
        file: String,
        /// Why.
        why: String,
    },
    /// A tool failed.
    #[error("`{command}` failed with {exit}:\n{log}\nfix what it says above and build again", log = shorten_log(log))]
    Failed {
        command: String,
        exit: ExitReason,
        /// The output, see [`BuiltProgram::log`](super::BuiltProgram::log).
        log: String,
    },
    /// The build exceeded its time limit.
    #[error("`{command}` was stopped, the build {used}:\n{log}\nmake the build shorter, or hand in fewer files; on \
        the command line --build-limit allows more", log = log.trim_end())]
    TimedOut {
        /// The running command line.
        command: String,
        /// The used and the allowed time, such as `used 30.1 s of CPU time of 30 s`.
        used: String,
        /// Its output until then.
        log: String,
    },
    /// This machine was too busy to tell whether the build exceeds its time limit.
    #[error(
        "`{command}` was stopped: it had {cpu} of CPU time in {wall}, because this machine was busy with other \
        things; build again when it is less busy"
    )]
    Disturbed {
        /// The running command line.
        command: String,
        /// The CPU time of the build.
        cpu: String,
        /// The wall time of the build.
        wall: String,
    },
    /// The machine ran short of memory, and of all programs this build held the most.
    #[error(
        "`{command}` was stopped, though it kept within its limits: the memory of this machine ran short; build again \
        when fewer programs run, or give the machine more memory"
    )]
    OutOfMemory {
        /// The running command line.
        command: String,
    },
    /// The judge was asked to stop while it built.
    #[error("`{command}` was stopped, because the judge was asked to stop; build again")]
    Interrupted {
        /// The running command line.
        command: String,
    },
    /// A tool exceeded a limit.
    #[error("`{command}` was stopped, it used more than {limit}:\n{log}\nmake the build smaller", log = log.trim_end())]
    Over {
        /// The running command line.
        command: String,
        /// The limit, such as `1024 MiB of memory`.
        limit: String,
        /// Its output until then.
        log: String,
    },
    /// The build succeeded, but there is no program.
    #[error("{how} succeeded but left no program:\n{log}\nmake it write one called `main`", log = log.trim_end())]
    NoProgram {
        /// The recipe.
        how: String,
        /// The output of the tools.
        log: String,
    },
    /// Java without a `main`.
    #[error(
        "no class in {files} has a `static void main`: add `public static void main(String[] args)`{hosts}"
    )]
    NoMainClass {
        /// The searched files.
        files: String,
        /// The sources that the game's hosts accept.
        hosts: String,
    },
    /// A script whose first line (`#!`) names an interpreter that is not available to it.
    #[error(
        "{script} cannot be run: {why}; begin it with #!/usr/bin/env python3, #!/usr/bin/env node or #!/bin/sh"
    )]
    Interpreter {
        /// The name of the script.
        script: String,
        /// Why the line is refused.
        why: String,
    },
    /// The source names a protocol that the game does not have.
    #[error("{path}: its source names the protocol {protocol:?}, which {game} does not have; there are {known}",
        path = path.display())]
    UnknownProtocol {
        /// The submitted path.
        path: PathBuf,
        /// The name after `leitai: protocol=`.
        protocol: String,
        /// The id of the game.
        game: String,
        /// The names of the game's hosts.
        known: String,
    },
    /// An installed tool does not start.
    #[error(transparent)]
    Start(#[from] SpawnError),
    /// A file operation of this machine failed.
    #[error("cannot {doing} {path}: {source}; check its permissions and the free space", path = path.display())]
    Io {
        /// A verb.
        doing: &'static str,
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl BuildError {
    /// Whether the error is an infrastructure error and not the author's: such a build is tried
    /// again elsewhere or later.
    pub fn is_infrastructure_error(&self) -> bool {
        use BuildError::{
            Disturbed, Interrupted, Io, OutOfMemory, Start, ToolMissing, ToolUnusable,
        };
        matches!(
            self,
            ToolMissing { .. }
                | ToolUnusable { .. }
                | Start(_)
                | Io { .. }
                | Disturbed { .. }
                | OutOfMemory { .. }
                | Interrupted { .. }
        )
    }

    /// Adds notes before the output of the tool: a build may fail because a file was not copied.
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
    /// What an operation on a path failed with.
    pub fn from_io(
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
    pub(super) fn nothing_usable(
        path: &Path,
        folder: &UntrustedFolder,
        hosts: &[Host],
    ) -> BuildError {
        BuildError::NothingUsable {
            path: path.to_owned(),
            found: some_names(folder),
            hint: hint_for_folder(folder, hosts),
        }
    }
}

/// The beginning of a tool's output, where the causes are, and its last lines.
fn shorten_log(log: &str) -> String {
    const FIRST: usize = 100;
    const LAST: usize = 10;
    let lines: Vec<&str> = log.trim_end().lines().collect();
    let left_out = lines.len().saturating_sub(FIRST + LAST);
    if left_out == 0 {
        return lines.join("\n");
    }
    let (first, last) = (&lines[..FIRST], &lines[lines.len() - LAST..]);
    format!(
        "{}\n[{left_out} lines left out]\n{}",
        first.join("\n"),
        last.join("\n")
    )
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
fn hint_for_folder(folder: &UntrustedFolder, hosts: &[Host]) -> String {
    const LOOKED_AT: usize = 1000;
    let entries = folder.list(Path::new(""), LOOKED_AT).unwrap_or_default();
    let mut files: Vec<PathBuf> = entries
        .into_iter()
        .map(|(name, _)| PathBuf::from(name))
        .filter(|name| folder.leads_to_file(name))
        .collect();
    files.sort_unstable();
    let java = |path: &PathBuf| Language::from_path(path) == Some(Language::Java);
    let said = files.iter().find_map(|path| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let advice = unsupported::advise_unsupported(path, &folder.start_of(path, PROGRAM_START)?);
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

/// The sources that the hosts of a game accept.
fn taken_by(hosts: &[Host]) -> String {
    let takes = hosts.iter().filter(|host| !host.is_wrapper());
    takes
        .map(|host| format!("; this game also takes {}", host.about.en))
        .collect()
}

/// The first few names in a folder, in alphabetical order.
fn some_names(folder: &UntrustedFolder) -> String {
    const SHOWN: usize = 8;
    const COUNTED: usize = 100_000;
    let entries = folder.list(Path::new(""), COUNTED).unwrap_or_default();
    let mut names: Vec<String> = entries
        .into_iter()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    match names.len() {
        0 => "nothing at all".into(),
        count if count <= SHOWN => names.join(", "),
        count => format!("{} and {} more", names[..SHOWN].join(", "), count - SHOWN),
    }
}
