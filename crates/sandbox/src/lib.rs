//! Starts one program as a child of the judge and ends it again, with everything it started.
//!
//! This is the only crate that may hold `unsafe` code (in the private module `sys`),
//! because what a child has to do between `fork` and `exec` cannot be said otherwise. It is written
//! for Linux.
//!
//! A [`Sandbox`] is opened in a [`Tier`]; in A, B and C a program is kept from the machine and from
//! other programs as docs/sandbox.md says. Between the judge and the program stands a helper, a
//! small process by which everything ends when the program ends, when the judge asks for it, or
//! when the judge is gone: judge -> helper -> init (the first process of the program's namespaces)
//! -> program. Without isolation a child is a plain process with a process group, limits, and a
//! death signal.
//!
//! | module | noun |
//! |---|---|
//! | [`sandbox`] | how programs are started |
//! | [`tier`] | how well they are kept apart |
//! | [`program`] | a command to run: words, folder, environment, [`SandboxLimits`] |
//! | [`child`] | the running program |
//! | [`exit`] | how it ended |
//! | [`untrusted_folder`] | the one way into a folder that it could write |
//! | [`doctor`] | what this machine offers, and what would make it offer more |
//!
//! ```
//! use leitai_sandbox::{ExitReason, Program, Sandbox, StdioKind};
//! use std::time::Duration;
//!
//! let program = Program::new(["/bin/sh", "-c", "exit 3"], "/");
//! let mut child = Sandbox::without_isolation().spawn_program(&program, StdioKind::Separate)?;
//! assert_eq!(child.wait_for(Duration::from_secs(10))?, Some(ExitReason::Code(3)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

mod cgroup;
pub mod child;
mod chown;
mod cpu_file;
pub mod doctor;
mod exceeded_limit;
pub mod exit;
mod filter;
mod filter_code;
mod helper;
mod helper_names;
mod identity;
mod init;
mod kept_file;
mod kernel_memory;
mod leftovers;
mod limit_watch;
mod machine_memory;
mod messages;
mod path_rules;
mod proc;
pub mod program;
mod remove;
pub mod sandbox;
mod sandboxed;
mod setup_error;
mod spawn_error;
mod spawner;
mod streams;
mod sys;
pub mod tier;
mod unisolated;
pub mod untrusted_folder;
mod view;

pub use child::SandboxedChild;
pub use exceeded_limit::ExceededLimit;
pub use exit::ExitReason;
pub use kept_file::KeptFile;
pub use leftovers::OwnedFolder;
pub use limit_watch::{DEEPEST_FOLDER, MOST_FILES};
pub use proc::read_kernel_file;
pub use program::{Program, SandboxLimits};
pub use remove::remove_tree;
pub use sandbox::{IsolationError, Sandbox, TierOffer};
pub use spawn_error::SpawnError;
pub use spawner::run_if_called;
pub use streams::StdioKind;
pub use tier::Tier;
pub use untrusted_folder::UntrustedFolder;
