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
    /// The bot of the arena to play against: its name, or its id as in the address of its page. Without
    /// it the program waits for opponents.
    #[arg(long, value_name = "BOT")]
    pub against: Option<String>,
    /// How many matches [default: 1 with --against, else until Ctrl-C]; with --against the sides are
    /// swapped after each, and two that follow each other have one seed.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub matches: Option<u16>,
    /// While it waits, let the arena pair the program for rated matches with others that stay at home and
    /// with built-in bots, where it has a ladder for them.
    #[arg(long, conflicts_with = "against")]
    pub rated: bool,
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
  leitai connect https://arena.example.org kob ./hydra.py
  leitai connect https://arena.example.org kob hydra=./a.out --matches 5
  leitai connect https://arena.example.org kob ./hydra.py --against greedy
  leitai connect http://localhost:8080 snakego ./hydra --against level5 --matches 10 --seed 7

Without --against the program is offered: whoever is in the arena plays against it, or lets a bot play,
one match at a time. NAME=PROGRAM names it; account, game and name say which program it is.
The program stays on this machine and plays with the game's time, by the arena's clock; the measured
latency, at most one second a question, is not charged. A cut of at most 30 seconds, and 120 seconds
in a match, stops the clock. The matches are not rated. Limits of memory hold here, --limit does not.";
