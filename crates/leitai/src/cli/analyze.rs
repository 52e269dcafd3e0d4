//! `leitai analyze`

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::values::parse_whole;

#[derive(Args)]
#[command(after_help = ANALYZE_EXAMPLES)]
pub struct AnalyzeArgs {
    /// Replays, or folders of replays.
    #[arg(required = true, value_name = "REPLAY", value_hint = ValueHint::AnyPath)]
    pub replays: Vec<PathBuf>,
    /// Only this leg.
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>)]
    pub leg: Option<usize>,
    /// Only the decisions of this entrant: A, B or a name.
    #[arg(long, value_name = "WHO")]
    pub entrant: Option<String>,
    /// Nodes that are searched for every decision [default: the game's own number].
    #[arg(long, value_name = "NODES", value_parser = parse_whole::<u64>)]
    pub budget: Option<u64>,
    /// List every decision instead of the digest.
    #[arg(long, conflicts_with = "json")]
    pub decisions: bool,
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

const ANALYZE_EXAMPLES: &str = "\
Examples:
  leitai analyze matches/20261121-snakego-7.json          why was it lost?
  leitai analyze matches/20261121-snakego-7.json --json   every decision, for programs
  leitai analyze matches --entrant mybot                  typical ways of losing

A folder, or several replays, are summed up for one entrant: its ways of losing, the worst examples,
and the command that pins each of them. The same replay and budget give the same output on every
run; docs/analysis.md says what the numbers mean.

Exit status: 0 when everything was analysed, 1 when a replay could not be, 2 for invalid usage, 130
when it was interrupted.";
