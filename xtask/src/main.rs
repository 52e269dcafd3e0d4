//! Chores of the workspace.
//!
//! `cargo xtask tidy` keeps the house as `ARCHITECTURE.md` draws it: which room may depend on which, where `unsafe`
//! may stand, and what the rules of games may not touch.

mod rooms;
mod sources;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

fn main() -> ExitCode {
    match run() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(count) => {
            eprintln!("tidy: {count} complaints");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<usize> {
    let command = std::env::args().nth(1).unwrap_or_default();
    anyhow::ensure!(command == "tidy", "there is one chore: cargo xtask tidy (asked for {command:?})");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the workspace")?;
    let mut complaints = rooms::check(&rooms::edges(root)?);
    complaints.extend(sources::check(root)?);
    complaints.iter().for_each(|complaint| eprintln!("{complaint}"));
    if complaints.is_empty() {
        println!("tidy: rooms, unsafe code and the rules' purity are as ARCHITECTURE.md says");
    }
    Ok(complaints.len())
}
