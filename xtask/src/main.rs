//! Chores of the workspace.
//!
//! `cargo xtask tidy` checks the layout that `ARCHITECTURE.md` draws: which crate may depend on
//! which, where `unsafe` may stand, what the rules of games may not touch, that citations resolve,
//! the glossary. `cargo xtask instructions [--check]` counts instructions.

mod citations;
mod dependencies;
mod glossary;
mod instructions;
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

/// Gives the number of complaints.
fn run() -> anyhow::Result<usize> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .context("xtask lies in the workspace")?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["tidy"] => tidy(root),
        ["instructions"] => instructions::run(root, false),
        ["instructions", "--check"] => instructions::run(root, true),
        _ => anyhow::bail!("chores: cargo xtask tidy | cargo xtask instructions [--check]"),
    }
}

fn tidy(root: &Path) -> anyhow::Result<usize> {
    let mut complaints = dependencies::check(&dependencies::edges(root)?);
    complaints.extend(sources::check(root)?);
    complaints.extend(citations::check(root)?);
    complaints.extend(glossary::check(root)?);
    complaints
        .iter()
        .for_each(|complaint| eprintln!("{complaint}"));
    if complaints.is_empty() {
        println!("tidy: rooms, unsafe code and the rules' purity are as ARCHITECTURE.md says;");
        println!("tidy: every cited path and rule exists, and so do the glossary's types");
    }
    Ok(complaints.len())
}
