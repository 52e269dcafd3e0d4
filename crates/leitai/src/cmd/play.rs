//! `leitai play GAME`

use std::process::ExitCode;

use crate::cli::PlayArgs;

/// Lets a person play in the terminal.
pub fn run(_args: &PlayArgs) -> anyhow::Result<ExitCode> {
    anyhow::bail!("not yet")
}
