//! `leitai contest`

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueHint};

use super::values::{JsonArg, parse_limit, parse_whole};

#[derive(Subcommand)]
pub enum ContestCommand {
    /// Write a commented contest file to start from.
    New(ContestNewArgs),
    /// Check a contest file: every problem with its line, and how to cure it.
    Check(ContestCheckArgs),
    /// Publish a contest file in an arena; needs the token of an organiser.
    Publish(ContestPublishArgs),
    /// Show a contest of an arena: its state, entries and standings.
    Status(ContestStatusArgs),
    /// Enter your bot in a contest of an arena.
    Join(ContestJoinArgs),
    /// Replace the file of a published contest, for example with later dates; needs the
    /// token of an organiser, as do all commands below.
    Update(ContestPublishArgs),
    /// Pause a contest: running matches end, and nothing else begins.
    Pause(ContestNameArgs),
    /// Resume a paused contest.
    Resume(ContestNameArgs),
    /// Disqualify an entrant: its opponents win what it has not played.
    Disqualify(ContestDisqualifyArgs),
    /// Play a match of a contest again: the old result stays visible and no longer counts.
    Replay(ContestReplayArgs),
    /// Take the last stage that has begun back: it begins anew.
    TakeBack(ContestTakeBackArgs),
    /// End a contest without a result.
    Annul(ContestAnnulArgs),
    /// Fetch everything about a contest as one ZIP: standings, matches, replays, a report.
    Export(ContestExportArgs),
}

/// A contest, and why something is done to it.
#[derive(Args)]
pub struct ContestReason {
    /// The contest's name.
    pub name: String,
    /// The reason, which everybody reads on the contest's page.
    #[arg(long, value_name = "TEXT")]
    pub why: String,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai contest pause spring-2027")]
pub struct ContestNameArgs {
    /// The contest's name.
    pub name: String,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(
    after_help = "Example:\n  leitai contest disqualify spring-2027 viper --why \"copied from hydra\""
)]
pub struct ContestDisqualifyArgs {
    /// The contest's name.
    pub name: String,
    /// The name of the bot.
    pub bot: String,
    /// The reason, which everybody reads on the contest's page.
    #[arg(long, value_name = "TEXT")]
    pub why: String,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(
    after_help = "Example:\n  leitai contest replay spring-2027 4711 --why \"the worker's disk was full\""
)]
pub struct ContestReplayArgs {
    /// The contest's name.
    pub name: String,
    /// The number of the match.
    #[arg(value_name = "MATCH")]
    pub id: u64,
    /// The reason, which everybody reads on the contest's page.
    #[arg(long, value_name = "TEXT")]
    pub why: String,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(
    after_help = "Example:\n  leitai contest take-back spring-2027 --stage 2 --why \"wrong map\""
)]
pub struct ContestTakeBackArgs {
    #[command(flatten)]
    pub reason: ContestReason,
    /// The number of the stage, from 1; it must be the last that has begun.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(1..=16))]
    pub stage: i32,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(
    after_help = "Example:\n  leitai contest annul spring-2027 --why \"the rules were unclear\" --yes"
)]
pub struct ContestAnnulArgs {
    #[command(flatten)]
    pub reason: ContestReason,
    /// Annul it; without this option, only say what would happen.
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai contest export spring-2027 --out spring-2027.zip")]
pub struct ContestExportArgs {
    /// The contest's name.
    pub name: String,
    /// The file to be written [default: NAME.zip].
    #[arg(long, short = 'o', value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai contest publish spring-2027.toml")]
pub struct ContestPublishArgs {
    /// The contest's file.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai contest status spring-2027")]
pub struct ContestStatusArgs {
    /// The contest's name.
    pub name: String,
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai contest join spring-2027 --bot viper")]
pub struct ContestJoinArgs {
    /// The contest's name.
    pub name: String,
    /// The name of your bot.
    #[arg(long)]
    pub bot: String,
    /// The contest's code, if it has one.
    #[arg(long)]
    pub code: Option<String>,
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai contest new spring-2027 --game snakego")]
pub struct ContestNewArgs {
    /// The contest's name in addresses: lowercase letters, digits and hyphens. The file is NAME.toml.
    pub name: String,
    /// The game's id (see `leitai games`).
    #[arg(long, default_value = "snakego")]
    pub game: String,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  leitai contest check spring-2027.toml
  leitai contest check spring-2027.toml --dry-run --entrants 40 --workers 8
  leitai contest check spring-2027.toml --dry-run --entrants 200 --match-time 90s --json

A dry run plays the contest on paper. It counts the matches, says when each stage ends with the
workers that there are, and simulates how often the best entrant wins. The time of a match is
measured with the game's two strongest built-in bots, unless --match-time says it.

Exit status: 0 when the file is valid, 1 when it is not.")]
pub struct ContestCheckArgs {
    /// The contest's file.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Estimate matches, hours and the chance that the best entrant wins.
    #[arg(long)]
    pub dry_run: bool,
    /// Number of entrants in the dry run [default: 16, or as many as the contest takes].
    #[arg(long, value_name = "N", requires = "dry_run", value_parser = parse_whole::<usize>)]
    pub entrants: Option<usize>,
    /// Matches that are played at a time [default: the processor cores of this machine].
    #[arg(long, value_name = "N", requires = "dry_run",
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub workers: Option<u32>,
    /// How long a match takes [default: measured].
    #[arg(long, value_name = "TIME", requires = "dry_run", value_parser = parse_limit)]
    pub match_time: Option<Duration>,
    /// How far the entrants' strengths are apart: their standard deviation in Elo.
    #[arg(long, value_name = "ELO", default_value_t = 200, requires = "dry_run",
        value_parser = clap::value_parser!(u32).range(1..=2_000))]
    pub spread: u32,
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}
