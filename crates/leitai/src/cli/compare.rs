//! `leitai compare`

use clap::{Args, ValueHint};

use super::match_options::{EloArg, PairArgs};

#[derive(Args)]
#[command(after_help = COMPARE_EXAMPLES)]
#[command(mut_arg("on", |on| on.help(ON)))]
pub struct CompareArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// The new version: a built-in bot, an executable, a source file, a folder or a zip.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub new: String,
    /// The version to beat.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub base: String,
    /// "No progress": the new version is at most this many Elo stronger.
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 0.0,
        allow_hyphen_values = true
    )]
    pub elo0: f64,
    /// "Progress": the new version is at least this many Elo stronger.
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 10.0,
        allow_hyphen_values = true
    )]
    pub elo1: f64,
    /// What Elo is about.
    #[arg(long = "elo-per", value_enum, default_value_t = EloArg::Leg)]
    pub elo: EloArg,
    /// Probability of accepting a version that is no progress.
    #[arg(long, value_name = "CHANCE", default_value_t = 0.05)]
    pub alpha: f64,
    /// Probability of rejecting a version that is progress.
    #[arg(long, value_name = "CHANCE", default_value_t = 0.05)]
    pub beta: f64,
    /// Stop without a decision after this many pairs of games.
    #[arg(long, value_name = "PAIRS", default_value_t = 20_000, value_parser = clap::builder::RangedI64ValueParser::<u64>::new().range(1..=10_000_000))]
    pub max: u64,
    #[command(flatten)]
    pub played: PairArgs,
    /// Print a JSON object for each pair as soon as it counts, then that of the result, one a line.
    #[arg(long, conflicts_with = "json")]
    pub json_lines: bool,
}

/// The help of `--on`, which names an arena here, too.
const ON: &str = "Play on the workers that are attached to this bus (nats://HOST:PORT; several addresses \
with commas) with `leitai worker --bus`, or as an experiment in the arena of your login (https://…): NEW \
and BASE are then bots of yours, as BOT or BOT@VERSION, BASE also any bot, by name or id";

const COMPARE_EXAMPLES: &str = "\
Examples:
  leitai compare snakego ./v8 ./v7                        is version 8 at least 10 Elo better?
  leitai compare snakego ./v8 ./v7 --elo0 -10 --elo1 0    is version 8 no worse? (a clean-up)
  leitai compare kob ./bot.cpp space --limit 500ms -j 2 --folder space-test
  leitai compare kob ./bot.cpp space --json-lines          a line for each pair, for scripts
  leitai compare kob hydra@8 hydra@7 --on https://arena.example.org   played there, shown here

A pair is two games with the same seed and swapped seats; a game is one leg. The test stops as soon
as it has a decision. The versions take turns to sit first. A pair that could not be judged is
played again later; if it stays void, it is listed and does not count. A program that cannot be
built is refused. A pair that repeats earlier games does not count.

Exit status: 0 accepted (better, or not worse where --elo0 is below 0), 3 rejected, 4 undecided
after --max pairs, 5 when the last 20 pairs brought no new game, 1 when it could not be played, 2
for invalid usage, 130 when it was interrupted.";
