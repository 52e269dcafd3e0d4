//! `leitai experiment`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::values::JsonArg;

#[derive(Subcommand)]
pub enum ExperimentCommand {
    /// Start a sequential test of a version of your bot against another version.
    Start(ExperimentStartArgs),
    /// List the experiments of your bots.
    List(ExperimentListArgs),
    /// Follow an experiment to its end.
    Watch(ExperimentArgs),
    /// Stop an experiment; its pairs so far stay.
    Stop(ExperimentArgs),
    /// Show or set how the uploads of your bot become active, and what the test of one costs.
    Lane(LaneArgs),
    /// Pin a moment of a match in which your bot made a mistake: candidates that play the same there are
    /// refused.
    Pin(PinArgs),
    /// Remove a pinned moment.
    Unpin(UnpinArgs),
}

/// How uploads become active.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum LaneChoice {
    /// At once.
    Off,
    /// When you say so, or start the test.
    Hand,
    /// Once a test against the active version accepts them.
    Automatic,
}

/// Situations that refuse a candidate.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum RefusesChoice {
    /// None; what it answers is shown.
    Nothing,
    /// The moments that you pinned.
    Pins,
    /// Those, and all packs that it is asked.
    Packs,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  leitai experiment lane hydra
  leitai experiment lane hydra --set automatic --neighbours 4 --elo1 15
  leitai experiment lane hydra --pairs 400          the lane stays as it is")]
pub struct LaneArgs {
    /// The bot's name.
    pub bot: String,
    /// The bot's game; needed if you have bots of this name in several games.
    #[arg(long)]
    pub game: Option<String>,
    /// The new lane; without any option, the lane is shown.
    #[arg(long, value_name = "LANE")]
    pub set: Option<LaneChoice>,
    /// Both play so many neighbours on the ladder instead of each other [default: as it is].
    #[arg(long, value_name = "N")]
    pub neighbours: Option<u32>,
    /// So much stronger is no progress, in Elo [default: as it is].
    #[arg(long, allow_negative_numbers = true)]
    pub elo0: Option<f64>,
    /// So much stronger is progress, in Elo [default: as it is].
    #[arg(long, allow_negative_numbers = true)]
    pub elo1: Option<f64>,
    /// The chance to accept a version that is only --elo0 stronger [default: as it is].
    #[arg(long)]
    pub alpha: Option<f64>,
    /// The chance to reject a version that is --elo1 stronger [default: as it is].
    #[arg(long)]
    pub beta: Option<f64>,
    /// A test ends undecided after this many pairs [default: as it is].
    #[arg(long, value_name = "N")]
    pub pairs: Option<u32>,
    /// Which situations refuse an upload that fails them [default: as it is].
    #[arg(long, value_name = "WHICH")]
    pub refuses: Option<RefusesChoice>,
    /// Start the matches of tests from the positions of this book [default: as it is].
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub book: Option<PathBuf>,
    /// Start the matches of tests at the game's beginning again.
    #[arg(long, conflicts_with = "book")]
    pub no_book: bool,
    /// Print the lane as one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct PinArgs {
    /// The bot's name.
    pub bot: String,
    /// The bot's game; needed if you have bots of this name in several games.
    #[arg(long)]
    pub game: Option<String>,
    /// The number of the match.
    #[arg(long = "match", value_name = "MATCH")]
    pub match_id: u64,
    /// The leg.
    #[arg(long, default_value_t = 1)]
    pub leg: u32,
    /// The round of the mistake.
    #[arg(long)]
    pub round: u32,
    /// Why it is a mistake.
    #[arg(long, value_name = "TEXT")]
    pub why: Option<String>,
    /// Print the pinned moment as one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct UnpinArgs {
    /// The bot's name.
    pub bot: String,
    /// The bot's game; needed if you have bots of this name in several games.
    #[arg(long)]
    pub game: Option<String>,
    /// The number of the pinned moment, as `leitai experiment lane` shows it.
    pub pin: u64,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  leitai experiment start hydra                     its newest version against the active one
  leitai experiment start hydra --version 7 --against-version 5 --watch
  leitai experiment start hydra --against viper --elo1 50 --pairs 400   against a bot of the ladder
  leitai experiment start hydra --promote           it plays on the ladder once it is better
  leitai experiment start hydra --settings '--depth 5' --against-settings '--depth 4' --against-version 7
  leitai experiment start hydra --variant 7 --variant 8 --variant 9   three variants; the worse drop out
  leitai experiment start hydra --neighbours 4      both against the four bots next to it on the ladder
  leitai experiment start hydra --book kob.book     matches start from the positions of a book

Pairs are played beside the ladder. Exit status with --watch: as of `leitai experiment watch`.")]
pub struct ExperimentStartArgs {
    /// The bot's name.
    pub bot: String,
    /// The bot's game; needed if you have bots of this name in several games.
    #[arg(long)]
    pub game: Option<String>,
    /// The number of the version that is tested [default: the newest that passed its checks].
    #[arg(long, value_name = "N")]
    pub version: Option<u32>,
    /// The bot against which it is tested: its name, or its id as in the address of its page [default: the
    /// same bot].
    #[arg(long, value_name = "BOT")]
    pub against: Option<String>,
    /// The number of the version against which it is tested [default: the active one].
    #[arg(long, value_name = "N")]
    pub against_version: Option<u32>,
    /// What the tested version alone plays with: arguments, @env=NAME=VALUE, and limits behind @, never
    /// above the arena's.
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub settings: Option<String>,
    /// What the version against which it is tested alone plays with.
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub against_settings: Option<String>,
    /// A version that is tested at the same time as the other variants of one idea, at most eight; who is
    /// rejected drops out, and the first that is accepted ends the others.
    #[arg(long = "variant", value_name = "N")]
    pub variants: Vec<u32>,
    /// Bots, by name or id, against which both versions play in turn, instead of against each other.
    #[arg(long, value_name = "BOT", value_delimiter = ',')]
    pub pool: Vec<String>,
    /// So many bots that stand next to the base on the ladder join the pool.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub neighbours: usize,
    /// So much stronger is no progress, in Elo.
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    pub elo0: f64,
    /// So much stronger is progress, in Elo.
    #[arg(long, default_value_t = 30.0, allow_negative_numbers = true)]
    pub elo1: f64,
    /// The chance to accept a version that is only --elo0 stronger.
    #[arg(long, default_value_t = 0.05)]
    pub alpha: f64,
    /// The chance to reject a version that is --elo1 stronger.
    #[arg(long, default_value_t = 0.05)]
    pub beta: f64,
    /// End undecided after this many pairs.
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub pairs: u32,
    /// The seed of the first pair [default: random].
    #[arg(long)]
    pub seed: Option<u64>,
    /// Start every match from a position of this book (`leitai book make` writes one), drawn by the seed of
    /// its pair: both games of a pair have the same, with swapped seats.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub book: Option<PathBuf>,
    /// Make the version the active one if it is accepted.
    #[arg(long)]
    pub promote: bool,
    /// Follow it to its end.
    #[arg(long)]
    pub watch: bool,
    /// Print the experiment as one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct ExperimentListArgs {
    /// Only those of this bot of yours, by name.
    #[arg(long)]
    pub bot: Option<String>,
    /// Print one JSON object per experiment.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
#[command(after_help = "\
Exit status of `watch`: 0 accepted, 3 rejected, 4 undecided after its pairs, 5 when they play no new
game, 1 when it was stopped or could not go on.")]
pub struct ExperimentArgs {
    /// The experiment's number.
    #[arg(value_name = "EXPERIMENT")]
    pub number: u64,
    /// Print the experiment as one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}
