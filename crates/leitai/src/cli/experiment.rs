//! `leitai experiment`

use clap::{Args, Subcommand};

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
}

#[derive(Args)]
#[command(after_help = "\
Examples:
  leitai experiment start hydra                     its newest version against the active one
  leitai experiment start hydra --version 7 --against-version 5 --watch
  leitai experiment start hydra --against 12 --elo1 50 --pairs 400   against bot 12 of the arena
  leitai experiment start hydra --promote           it plays on the ladder once it is better

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
    /// The id of the bot against which it is tested, as in the address of its page [default: the same bot].
    #[arg(long, value_name = "BOT")]
    pub against: Option<u64>,
    /// The number of the version against which it is tested [default: the active one].
    #[arg(long, value_name = "N")]
    pub against_version: Option<u32>,
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
