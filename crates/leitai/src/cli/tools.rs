//! `leitai parity`, `doctor`, `completions`, `man`, and the hidden `each-turn`, `botzone` and `seat`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::match_options::MatchOptionArgs;
use super::values::JsonArg;

#[derive(Args)]
#[command(after_help = "Example:\n  leitai parity snakego games/snakego/golden/games.jsonl")]
pub struct ParityArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// Corpus files.
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct GamesArgs {
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct BotsArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct DoctorArgs {
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct BotzoneArgs {
    /// The program and its arguments.
    #[arg(required = true, last = true)]
    pub program: Vec<OsString>,
}

#[derive(Args)]
pub struct SeatArgs {
    /// The game's id, its file or its folder.
    pub game: String,
    /// The program, as in `match`, or `ladder:ADDRESS/GAME/OWNER/BOT`.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub bot: String,
    #[command(flatten)]
    pub options: MatchOptionArgs,
}

#[derive(Args)]
pub struct EachTurnArgs {
    /// Each line of stdin is written here before the program is started.
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    /// The program and its arguments.
    #[arg(required = true, last = true)]
    pub program: Vec<OsString>,
}

#[derive(Subcommand)]
pub enum ConfigCommand {
    /// Show every key, its value, and where that comes from: the environment, a file with its line, or
    /// nowhere.
    Show(JsonArg),
}

#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell.
    pub shell: clap_complete::Shell,
}

#[derive(Args)]
pub struct ManArgs {
    /// The folder to write leitai.1, leitai-match.1, … to.
    #[arg(value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
}
