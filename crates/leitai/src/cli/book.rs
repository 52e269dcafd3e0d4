//! `leitai book`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::values::{JsonArg, RoundRange, parse_whole};

#[derive(Subcommand)]
pub enum BookCommand {
    /// Make a book of positions that recorded matches reached.
    Make(BookMakeArgs),
    /// Check a book: play every position by the rules, and count them.
    Check(BookCheckArgs),
}

#[derive(Args)]
#[command(after_help = "\
Example:
  leitai book make matches --rounds 4-8 --min-games 2 --balance 0.15 --output kob.book
  leitai compare kob ./v8 ./v7 --book kob.book")]
pub struct BookMakeArgs {
    /// Replays, or folders of replays.
    #[arg(required = true, value_name = "REPLAY", value_hint = ValueHint::AnyPath)]
    pub replays: Vec<PathBuf>,
    /// The book's file, or `-` for stdout.
    #[arg(long, short, value_name = "FILE", default_value = "book.jsonl", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// The rounds in which a match may start from a position, such as 4-8 or 6.
    #[arg(long, value_name = "ROUNDS", default_value = "2-8")]
    pub rounds: RoundRange,
    /// Leave out positions that fewer recorded legs reached.
    #[arg(long, value_name = "N", default_value = "1", value_parser = parse_whole::<u32>)]
    pub min_games: u32,
    /// Leave out positions in which the first player's chance is further from one half than this, such
    /// as 0.15 [default: keep all].
    #[arg(long, value_name = "CHANCE", value_parser = parse_chance)]
    pub balance: Option<f64>,
    /// What says that chance.
    #[arg(long, value_enum, default_value_t = BalanceArg::Analysis, requires = "balance")]
    pub balance_by: BalanceArg,
    /// Nodes that are searched for every position [default: the game's own number].
    #[arg(long, value_name = "NODES", value_parser = parse_whole::<u64>)]
    pub budget: Option<u64>,
    /// At most so many positions; those that most legs reached come first.
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub most: u16,
    /// Draw all positions equally often [default: as often as recorded legs reached them].
    #[arg(long)]
    pub even: bool,
    #[command(flatten)]
    pub form: JsonArg,
}

/// What says how balanced a position is.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BalanceArg {
    /// The game's analysis
    Analysis,
    /// The results of the recorded legs
    Results,
}

#[derive(Args)]
pub struct BookCheckArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// The book.
    #[arg(value_hint = ValueHint::FilePath)]
    pub book: PathBuf,
    #[command(flatten)]
    pub form: JsonArg,
}

fn parse_chance(text: &str) -> Result<f64, String> {
    let chance = text.parse::<f64>().ok();
    chance
        .filter(|chance| (0.0..=0.5).contains(chance))
        .ok_or_else(|| format!("{text:?} is no chance from 0 to 0.5"))
}
