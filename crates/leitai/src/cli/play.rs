//! `leitai play`

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::match_options::MatchOptionArgs;
use super::values::ReplayPointArg;

#[derive(Args)]
#[command(after_help = PLAY_EXAMPLES)]
pub struct PlayArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// Whom to play: a built-in bot, a program as in `match`, or `me` for a second person at the
    /// same keyboard [default: greedy, or the game's second built-in bot].
    #[arg(long, value_hint = ValueHint::AnyPath)]
    pub against: Option<String>,
    /// Sit second in leg 1.
    #[arg(long)]
    pub second: bool,
    #[command(flatten)]
    pub options: MatchOptionArgs,
    /// Sit down in the middle of a replay: the recorded replies are played up to this round, then
    /// you and your opponent play. Your seat is A, or B with --second.
    #[arg(long, value_name = "FILE@LEG:ROUND", value_hint = ValueHint::FilePath, conflicts_with_all = ["legs", "config"])]
    pub from: Option<ReplayPointArg>,
    /// Write the replay here [default: matches/DATE-GAME-SEED.json].
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub replay: Option<PathBuf>,
}

const PLAY_EXAMPLES: &str = "\
Examples:
  leitai play snakego                           against the built-in bot greedy
  leitai play snakego --against ./mybot.py      against your own program
  leitai play snakego --against me --limit 30s  two people at one keyboard, 30 seconds a turn
  leitai play snakego --from game.json@2:37     from round 37 of the second leg of a replay

The keys are shown on the screen. --limit is the time that people have for a turn; without it they
may think as long as they like, except in games where both sides move at once. Programs have the
game's time.";
