//! The tests of the command line in one binary, so that the workspace links less. Tests that change
//! limits of their process (`operating.rs`) and the tests of documents are binaries of their own.

/// An object has these fields; a name that begins with `/` is a path: `has!(made, {"id": 1, "/a/name": "ada"})`.
macro_rules! has {
    ($object:expr, {$($fields:tt)+}) => {
        crate::place::has(&$object, serde_json::json!({$($fields)+}))
    };
}

mod again;
mod agents;
mod analyze;
mod benchmark;
mod book;
mod botzone;
mod check;
mod cli;
mod connect;
mod debug;
mod entrant_settings;
mod game_authors;
mod game_files;
mod guest_commands;
mod java;
mod json;
mod kits;
mod levels;
mod libraries;
mod logic_processes;
mod login;
mod misbehaviour;
mod official_logic;
mod packages;
mod place;
#[path = "../../store/tests/contract/ports.rs"]
mod ports;
mod programs;
mod regress;
mod remarks;
mod sdk;
mod series;
mod situations;
mod statuses;
mod traffic;
mod tune;
mod watch;
