//! Why a program could not be started.

use std::io;
use std::path::PathBuf;

/// Why a program could not be started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// [`Program::argv`](crate::Program::argv) is empty.
    #[error("there is no command to run: give at least the name of a program")]
    NoCommand,
    /// The working directory is missing.
    #[error("cannot start `{command}`: its folder {dir} does not exist any more; build it again", dir = dir.display())]
    NoFolder {
        /// The command line.
        command: String,
        /// The folder.
        dir: PathBuf,
    },
    /// The system refused.
    #[error("cannot start `{command}`: {source}; {next}", next = what_next(source))]
    Refused {
        /// The command line.
        command: String,
        /// What the system said.
        source: io::Error,
    },
    /// The sandbox could not be set up.
    #[error(
        "cannot start `{command}` in the sandbox: {why}; `leitai doctor` shows what this machine offers"
    )]
    Sandbox {
        /// The command line.
        command: String,
        /// Which step failed and what the system said.
        why: String,
    },
}

fn what_next(error: &io::Error) -> &'static str {
    match (error.kind(), error.raw_os_error()) {
        (io::ErrorKind::NotFound, _) => {
            "check that the file exists and that the interpreter in its first line (#!) is installed"
        }
        (io::ErrorKind::PermissionDenied, _) => {
            "make it executable with chmod +x, and its folders passable for everybody (chmod a+x): where the judge is \
             root, the program is somebody else"
        }
        (_, Some(libc::ENOEXEC)) => {
            "it is not a program for this machine: give its source, or add a first line like #!/bin/sh"
        }
        (io::ErrorKind::ExecutableFileBusy, _) => "somebody is still writing that file: try again",
        _ => "free some processes or memory and try again",
    }
}
