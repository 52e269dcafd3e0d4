//! `leitai rate`

use clap::{Args, ValueHint};

use super::match_options::PairArgs;

#[derive(Args)]
#[command(after_help = RATE_EXAMPLES)]
pub struct RateArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// The bot: a built-in bot, an executable, a source file, a folder or a zip.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub bot: String,
    /// Stop when the rating is known to within this many Elo (95 % confidence).
    #[arg(long, value_name = "ELO", default_value_t = 40.0)]
    pub precision: f64,
    /// Stop after this many pairs of games, however precise the rating is.
    #[arg(long, value_name = "PAIRS", default_value_t = 500, value_parser = clap::builder::RangedI64ValueParser::<u64>::new().range(1..=1_000_000))]
    pub max: u64,
    #[command(flatten)]
    pub played: PairArgs,
}

const RATE_EXAMPLES: &str = "\
Examples:
  leitai rate kob ./mybot.cpp                        how strong is it, on the scale of the levels?
  leitai rate kob ./bot.py --precision 80            a quick look
  leitai rate kob ./bot.py --folder rating --json    for scripts; the games are kept

The bot plays pairs of games (the same seed, swapped seats) against the levels around its strength,
the same ones whatever -j (at most 16 pairs are played at once). Where its strength differs from
level to level, the interval is wider and a warning says so. The levels are bound by nodes, not by time, so they are as strong on every
machine; their ratings are fixed by the scale, whose name is printed. A rating is only comparable
with ratings on the same scale, with the game's own time limit and config. A level of an earlier scale
plays on as NAME@NUMBER: level3@1 is what level 3 was on the first one (`leitai bots GAME`).

Exit status: 0 as precise as asked, or as the dependence on the opponent allows, or surely off the
scale; 4 --max pairs did not suffice, 5 when the games only repeat, 1 when it could not be played, 2
for invalid usage, 130 when it was interrupted.";
