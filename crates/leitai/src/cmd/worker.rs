//! `leitai worker`

use std::process::ExitCode;

use anyhow::bail;

use crate::cli::WorkerArgs;
use crate::house::logs;

/// Plays matches for an arena elsewhere until it is told to stop.
pub fn run(args: &WorkerArgs) -> anyhow::Result<ExitCode> {
    logs::start(&args.logs)?;
    bail!("not wired yet")
}
