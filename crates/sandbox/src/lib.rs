//! Starts one program as a child of the judge and ends it again, with everything it started.
//!
//! This is the only room of the house that may hold `unsafe` code (in the private module `sys`), because what a
//! child has to do between `fork` and `exec` cannot be said otherwise. It is written for Linux.
//!
//! Today a child is a plain process: its own process group, an empty environment, no inherited descriptors, a
//! death signal that follows the judge, and resource limits. It is **not yet a jail**: a program can read the
//! files of the user who runs it, a descendant that leaves the process group (`setsid`) survives [`Child::kill`], and
//! when the judge itself is killed with SIGKILL only the program dies with it, not what the program started.
//!
//! | module | noun |
//! |---|---|
//! | [`program`] | a command to run: words, folder, environment, [`Limits`] |
//! | [`child`] | the running process |
//! | [`exit`] | how it ended |
//!
//! ```
//! use leitai_sandbox::{Child, Exit, Program, StdioKind};
//! use std::time::Duration;
//!
//! let program = Program::new(["/bin/sh", "-c", "exit 3"], "/");
//! let mut child = Child::spawn(&program, StdioKind::Separate)?;
//! assert_eq!(child.wait_for(Duration::from_secs(10))?, Some(Exit::Code(3)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod child;
pub mod exit;
pub mod program;
mod sys;

pub use child::{Child, SpawnError, StdioKind};
pub use exit::Exit;
pub use program::{Limits, Program};
