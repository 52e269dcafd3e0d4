//! `leitai benchmark`

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};

use super::values::parse_limit;
use crate::isolation::RequestedIsolation;

#[derive(Args)]
#[command(after_help = BENCHMARK_EXAMPLES)]
pub struct BenchmarkArgs {
    /// The game's id, then the bot: an executable, a source file, a folder or a zip. With --repeat the
    /// bot alone; with --on a bot of yours there, such as hydra or hydra@7.
    #[arg(required_unless_present = "check", num_args = 1..=2, value_names = ["GAME", "BOT"], value_hint = ValueHint::AnyPath)]
    pub named: Vec<String>,
    /// Measure again what this result file says, with its seeds and limits, and compare.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["pairs", "limit", "out", "agent", "cost", "tokens", "on"])]
    pub repeat: Option<PathBuf>,
    /// Say whether an arena signed this result file, and which; nothing is played.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["named", "repeat", "pairs", "limit", "jobs", "out", "agent", "cost", "tokens"])]
    pub check: Option<PathBuf>,
    /// The arena plays the benchmark and signs the result: the one where you are logged in. With --check
    /// the arena that has to have signed the file [default: the one that the file names].
    #[arg(long, value_name = "ARENA")]
    pub on: Option<String>,
    /// With --check: the public key that has to have signed the file; no arena is asked.
    #[arg(long, value_name = "KEY", requires = "check", conflicts_with = "on")]
    pub key: Option<String>,
    /// With --on: do not wait for the result; the page that is named offers it.
    #[arg(long, requires = "on", conflicts_with_all = ["check", "out"])]
    pub no_wait: bool,
    /// Pairs of games.
    #[arg(long, value_name = "PAIRS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub pairs: u64,
    /// CPU time per turn, such as 500ms or 3s [default: set by the game]. A turn may take twice
    /// that in wall time, and at least one second more.
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub limit: Option<Duration>,
    /// Matches played at a time [default: the number of cores]; the result does not depend on it.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
    /// How programs are isolated from this machine; see `leitai doctor`.
    #[arg(long, value_enum, default_value_t = RequestedIsolation::Auto, env = "LEITAI_ISOLATION", ignore_case = true)]
    pub isolation: RequestedIsolation,
    /// Write the result here [default: benchmark-GAME-BOT.json].
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// Who wrote the bot, such as the name of a coding agent; kept in the result as you say it.
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
    /// What writing the bot cost, in US dollars; kept in the result as you say it.
    #[arg(long, value_name = "USD")]
    pub cost: Option<f64>,
    /// Tokens that writing the bot took; kept in the result as you say it.
    #[arg(long, value_name = "N")]
    pub tokens: Option<u64>,
    /// Print the result as one JSON object (docs/benchmark.schema.json), and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

const BENCHMARK_EXAMPLES: &str = "\
Examples:
  leitai benchmark kob ./mybot.py
  leitai benchmark kob ./mybot.py --agent my-agent --cost 1.20 --tokens 180000
  leitai benchmark --repeat benchmark-kob-mybot.json ./mybot.py
  leitai benchmark kob hydra@7 --on https://arena.example   the arena plays version 7 and signs
  leitai benchmark --check benchmark-kob-hydra.json         did an arena sign it?

The bot plays pairs of games against the levels of the game's rating scale, as in `leitai rate`. The
seeds are committed to by a hash that is printed before the first game, and revealed in the result.
Programs have no network in the sandbox; without isolation the result says so.

Exit status: 0 when it was measured, repeated with the same result, or is signed; 1 when it could not
be played, the repetition differs, or no such key signed the file as it is; 2 for invalid usage, 130 when it was interrupted.";
