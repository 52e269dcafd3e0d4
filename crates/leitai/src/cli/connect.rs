//! `leitai connect`

use clap::{Args, ValueHint};

use super::match_options::MatchOptionArgs;

#[derive(Args)]
#[command(after_help = CONNECT_EXAMPLES)]
pub struct ConnectArgs {
    /// The arena's address.
    #[arg(value_hint = ValueHint::Url)]
    pub arena: String,
    /// The game's id (see `leitai games`).
    pub game: String,
    /// Your program, as in `match`; NAME=PROGRAM names it.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub bot: String,
    /// The bot of the arena to play against: its name, or its id as in the address of its page.
    #[arg(long, value_name = "BOT")]
    pub against: String,
    /// How many matches; the sides are swapped after each, and two that follow each other have one
    /// seed.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub matches: u16,
    /// An API token with the scope `play` [default: of the login].
    #[arg(long)]
    pub token: Option<String>,
    #[command(flatten)]
    pub options: MatchOptionArgs,
    /// Print one JSON object per match, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

const CONNECT_EXAMPLES: &str = "\
Examples:
  leitai connect https://arena.example.org kob ./hydra.py --against greedy
  leitai connect http://localhost:8080 snakego ./hydra --against level5 --matches 10 --seed 7

The program stays on this machine and plays with the game's time, by the arena's clock; the measured
latency, at most one second a question, is not charged. A cut of at most 30 seconds, and 120 seconds
in a match, stops the clock. The matches are not rated. Limits of memory hold here, --limit does not.";
