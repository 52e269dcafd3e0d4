//! `leitai contest`

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueHint};

use super::values::{parse_limit, parse_whole};

#[derive(Subcommand)]
pub enum ContestCommand {
    /// Write a commented contest file to start from.
    New(ContestNewArgs),
    /// Check a contest file: every problem with its line, and how to cure it.
    Check(ContestCheckArgs),
    /// Publish a contest file in an arena; needs an administrator's token.
    Publish(ContestPublishArgs),
    /// Show a contest of an arena: its state, entries and standings.
    Status(ContestStatusArgs),
    /// Enter your bot in a contest of an arena.
    Join(ContestJoinArgs),
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
    /// The contest's name in addresses: small letters, digits and hyphens. The file is NAME.toml.
    pub name: String,
    /// The game's id (see `leitai games`).
    #[arg(long, default_value = "snakego")]
    pub game: String,
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
    /// Number of entrants in the dry run.
    #[arg(long, value_name = "N", default_value_t = 16, requires = "dry_run",
        value_parser = parse_whole::<usize>)]
    pub entrants: usize,
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
