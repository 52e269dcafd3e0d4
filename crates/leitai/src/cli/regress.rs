//! `leitai regress`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::match_options::MatchOptionArgs;
use super::values::{JsonArg, parse_whole};

#[derive(Subcommand)]
pub enum RegressCommand {
    /// Pin the position before the round of a replay in which the mistake was made.
    Add(RegressAddArgs),
    /// Test a bot in every pinned position.
    Run(RegressRunArgs),
    /// List the pinned positions.
    List(RegressListArgs),
}

#[derive(Args)]
#[command(
    after_help = "Example:\n  leitai regress add matches/20261121-snakego-7.json --leg 2 --round 37 \"shut itself in\""
)]
pub struct RegressAddArgs {
    /// The replay.
    #[arg(value_hint = ValueHint::FilePath)]
    pub replay: PathBuf,
    /// Why it was a mistake.
    pub why: Option<String>,
    /// The round in which it was made.
    #[arg(long, value_name = "N")]
    pub round: u32,
    /// The leg, if the replay has several.
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>)]
    pub leg: Option<usize>,
    /// Whose mistake: A, B or a name [default: the only program, or who lost the leg].
    #[arg(long, value_name = "WHO")]
    pub entrant: Option<String>,
    /// The folder of the pinned positions.
    #[arg(long, value_name = "FOLDER", default_value = "regress", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(after_help = REGRESS_EXAMPLES)]
#[command(mut_arg("seed", |seed| seed.hide(true)), mut_arg("legs", |legs| legs.hide(true)))]
#[command(mut_arg("config", |config| config.hide(true)))]
pub struct RegressRunArgs {
    /// The bot: a built-in bot, an executable, a source file, a folder or a zip.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub bot: String,
    /// The folder of the pinned positions.
    #[arg(long, value_name = "FOLDER", default_value = "regress", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    #[command(flatten)]
    pub options: MatchOptionArgs,
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

const REGRESS_EXAMPLES: &str = "\
Example:
  leitai regress run ./v8

The bot is started as in a match and sees the same questions: up to the pinned round the recorded
replies are played, whatever it answers. If it answers differently before that round, it would not
reach the position any more, and the report says so. Built-in bots are not compared before the
round.

Exit status: 0 when no pinned mistake is repeated, 3 when one is, 4 when the bot could not be built,
crashed, did not answer or broke a rule in a pinned position, 1 when a position could not be tested,
2 for invalid usage, 130 when it was interrupted.";

#[derive(Args)]
pub struct RegressListArgs {
    /// The folder of the pinned positions.
    #[arg(long, value_name = "FOLDER", default_value = "regress", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}
