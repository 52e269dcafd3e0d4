//! `leitai game`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::values::parse_whole;

#[derive(Subcommand)]
pub enum GameCommand {
    /// Check a game file: every part, then its rules by random legs, damaged setups and its recorded
    /// matches.
    Check(GameCheckArgs),
    /// Pack a folder as one game file.
    Pack(GamePackArgs),
    /// List the game files in a folder.
    List(GameListArgs),
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai game check ./othello")]
pub struct GameCheckArgs {
    /// The folder or the packed game.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// Number of random legs.
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = parse_whole::<usize>)]
    pub legs: usize,
    /// The rules list only some of the actions that they accept.
    #[arg(long)]
    pub partial_legal: bool,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai game pack ./othello")]
pub struct GamePackArgs {
    /// The folder.
    #[arg(value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Write here instead of to ID.leitai-game; - means stdout.
    #[arg(long, short, value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai game list examples/games")]
pub struct GameListArgs {
    /// The folder [default: that of LEITAI_GAMES].
    #[arg(value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
}
