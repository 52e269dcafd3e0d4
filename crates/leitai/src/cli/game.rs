//! `leitai game`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::values::{JsonArg, parse_whole};

#[derive(Subcommand)]
pub enum GameCommand {
    /// Write a first game: rules, guides, emblem, a bot, a recorded match and a test.
    New(GameNewArgs),
    /// Compile the rules in a folder (rules.cpp, or a crate in Rust) to rules.wasm.
    Build(GameBuildArgs),
    /// Check a game file: every part, then its rules by random legs, damaged setups and its recorded
    /// matches.
    Check(GameCheckArgs),
    /// Play a game in the browser while you write it: each save is compiled, checked and played at once.
    Play(GamePlayArgs),
    /// Measure how strong the levels of a game are, once: `leitai rate` and `leitai benchmark` then rate
    /// bots on this scale.
    Scale(GameScaleArgs),
    /// Pack a folder as one game file.
    Pack(GamePackArgs),
    /// List the game files in a folder.
    List(GameListArgs),
    /// Add a game to the arena of your login, or a new version of one, and wait for its check. For
    /// administrators.
    Add(GameAddArgs),
    /// Take a game out of the arena of your login; replays of its matches stay. For administrators.
    Remove(GameRemoveArgs),
    /// Take a game of an arena home: its file, with which everything works here as it does there.
    Get(GameGetArgs),
}

/// In what a game is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GameLanguage {
    #[value(alias = "c++")]
    Cpp,
    Rust,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai game new othello cpp")]
pub struct GameNewArgs {
    /// The folder to write, which is also the id of the game.
    #[arg(value_hint = ValueHint::DirPath)]
    pub name: PathBuf,
    /// The language of the rules.
    #[arg(default_value = "cpp")]
    pub language: GameLanguage,
    /// For Rust: the folder with Leitai's sources [default: one above this folder].
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub leitai: Option<PathBuf>,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai game build ./othello")]
pub struct GameBuildArgs {
    /// The folder.
    #[arg(value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    #[command(flatten)]
    pub form: JsonArg,
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
    /// The most that the whole check may cost, in units of fuel: about one an instruction of the
    /// rules.
    #[arg(long, default_value_t = 20_000_000_000, value_name = "UNITS", value_parser = parse_whole::<u64>)]
    pub fuel: u64,
    /// Check under these choices: KEY=VALUE, as in `leitai match`.
    #[arg(long, value_name = "KEY=VALUE")]
    pub config: Vec<String>,
    /// The rules list only some of the actions that they accept.
    #[arg(long)]
    pub partial_legal: bool,
    /// Check it as an arena does before it takes it: fewer places of six legs, and less fuel.
    #[arg(long, conflicts_with_all = ["legs", "fuel", "config", "partial_legal"])]
    pub arena: bool,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai game play ./othello")]
pub struct GamePlayArgs {
    /// The folder.
    #[arg(value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Address or host name, and port; port 0 picks a free one.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    pub listen: String,
}

#[derive(Args)]
#[command(after_help = GAME_SCALE_EXAMPLES)]
pub struct GameScaleArgs {
    /// The folder of the game; scale.toml is written there.
    #[arg(value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Pairs of games (the same seed, swapped seats) that each level plays with the one before it.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::builder::RangedI64ValueParser::<u64>::new().range(1..=100_000))]
    pub pairs: u64,
    /// The strongest level that is measured: the higher ones take most of the time.
    #[arg(long, value_name = "LEVEL", default_value = "level6")]
    pub highest: String,
    /// Seed of the first pair; later pairs use the numbers that follow.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_whole::<u64>)]
    pub seed: u64,
    /// Games played at a time [default: the number of cores].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
    /// Keep the games in this folder; if it exists already, continue from it [default:
    /// ID-scale-HASH, the hash being that of rules and levels].
    #[arg(long = "folder", value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder_of_games: Option<PathBuf>,
    #[command(flatten)]
    pub form: JsonArg,
}

const GAME_SCALE_EXAMPLES: &str = "\
Examples:
  leitai game scale ./othello                    every level, 50 pairs of games each
  leitai game scale ./othello --highest level4   without the two that take longest
  leitai game scale ./othello --pairs 200        goes on after the first 50: narrower intervals

An open game has `random` and `level1` to `level6`. Each plays so many pairs of games with the one before
it; one fit of all games rates them, level3 at 1000. The levels are bound by positions, not by time, so
the same command gives the same scale on every machine. Ctrl-C ends it; the same command goes on. The
scale holds the hash of rules, choices and levels: with other rules it counts as outdated until it is
measured again, under the next name (othello-2).

Exit status: 0 when it is written, 1 when the games could not be judged, 2 for invalid usage, 130 when it
was interrupted.";

#[derive(Args)]
#[command(after_help = "Example:\n  leitai game pack ./othello")]
pub struct GamePackArgs {
    /// The folder.
    #[arg(value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Write here instead of to ID.leitai-game; - means stdout.
    #[arg(long, short, value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai game list examples/games")]
pub struct GameListArgs {
    /// The folder [default: that of LEITAI_GAMES].
    #[arg(value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai game add ./othello")]
pub struct GameAddArgs {
    /// The folder or the packed game.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub path: PathBuf,
    /// Nobody but administrators and organisers of its contests knows of it until then
    /// (2027-03-01T08:00:00Z).
    #[arg(long, value_name = "TIME")]
    pub hidden_until: Option<String>,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai game get othello    writes othello.leitai-game")]
pub struct GameGetArgs {
    /// The id of the game.
    pub game: String,
    /// The version, such as othello/1, as a replay names it [default: the newest].
    #[arg(long)]
    pub rules: Option<String>,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai game remove othello --why \"its author asked for it\"")]
pub struct GameRemoveArgs {
    /// The id of the game.
    pub game: String,
    /// Why: whoever looks for the game reads this sentence.
    #[arg(long, value_name = "SENTENCE")]
    pub why: Option<String>,
    #[command(flatten)]
    pub form: JsonArg,
}
