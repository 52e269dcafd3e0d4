//! `leitai ladder`

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::match_options::{EloArg, SeriesArgs};

#[derive(Args)]
#[command(after_help = LADDER_EXAMPLES, allow_missing_positional = true)]
pub struct LadderArgs {
    /// The game's id (see `leitai games`); remembered in the folder, so it may be left out later.
    pub game: Option<String>,
    /// The folder with the bots: every executable, source file, zip and subfolder in it is one.
    #[arg(required = true, value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// The game's id (the older form of GAME).
    #[arg(
        long = "game",
        id = "game-option",
        value_name = "GAME",
        hide = true,
        conflicts_with = "game"
    )]
    pub game_option: Option<String>,
    /// Further entrants: built-in bots, or programs outside the folder.
    #[arg(long = "with", value_name = "ENTRANT", value_hint = ValueHint::AnyPath)]
    pub with: Vec<String>,
    /// Play until the whole order is settled with this confidence.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95)]
    pub confidence: f64,
    /// Treat neighbours as equal once they are surely less than this many Elo apart.
    #[arg(long, value_name = "ELO", default_value_t = 20.0)]
    pub equal_within: f64,
    /// What Elo is about.
    #[arg(long = "elo-per", value_enum, default_value_t = EloArg::Leg)]
    pub elo: EloArg,
    /// Stop after this many matches in this run.
    #[arg(long, value_name = "MATCHES", default_value_t = 10_000, value_parser = clap::builder::RangedI64ValueParser::<u64>::new().range(1..=10_000_000))]
    pub max: u64,
    #[command(flatten)]
    pub series: SeriesArgs,
    /// Print the ladder as one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

const LADDER_EXAMPLES: &str = "\
Examples:
  leitai ladder snakego bots --with greedy --with territory
  leitai ladder bots                       continue, with new and changed bots
  leitai ladder bots --confidence 0.99 --equal-within 5

The matches are kept in FOLDER/.leitai-ladder. A bot that has changed starts again without results;
a bot that is gone is left out. A copy of an earlier game does not count.

Exit status: 0 when the order is settled, 4 when --max did not suffice, 5 when it is open and the
games only repeat, 1 when it could not be played, 2 for invalid usage, 130 when it was interrupted.";
