//! `leitai replay`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::values::{RoundRange, parse_pixels, parse_speed, parse_whole};

#[derive(Subcommand)]
pub enum ReplayCommand {
    /// Watch a replay in the terminal: play, pause, step, seek, speed. Replays of other sites are
    /// imported.
    Show(ShowArgs),
    /// Play replays again and compare every reply, state hash, outcome and verdict.
    Verify(VerifyArgs),
    /// Write one leg in another site's format, as a moving picture, or the match as a page.
    Export(ExportArgs),
    /// Read another site's replay.
    Import(ImportArgs),
    /// Print the canonical state text after every turn.
    Trace(TraceArgs),
    /// Print what a viewer draws, one JSON object per step: the view or its changes, and the
    /// events.
    Frames(FramesArgs),
}

impl ReplayCommand {
    /// Loads the game file that is named, so that the replay's game is found.
    pub fn load_game(&self) -> anyhow::Result<()> {
        let game = match self {
            ReplayCommand::Show(args) => &args.game,
            ReplayCommand::Verify(args) => &args.game,
            ReplayCommand::Export(args) => &args.game,
            ReplayCommand::Trace(args) => &args.game,
            ReplayCommand::Frames(args) => &args.game,
            ReplayCommand::Import(_) => return Ok(()),
        };
        match &game.game {
            Some(game) => crate::arguments::find_game(game).map(drop),
            None => Ok(()),
        }
    }
}

/// The game of a replay, if it is none of Leitai's.
#[derive(Args)]
pub struct ReplayGameArg {
    /// The folder or file of the replay's game, if Leitai does not have it.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub game: Option<String>,
}

#[derive(Args)]
#[command(
    after_help = "Example:\n  leitai replay frames matches/20261121-tankcraft-7.json --perspective first"
)]
pub struct FramesArgs {
    /// The replay.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The leg.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = parse_whole::<usize>)]
    pub leg: usize,
    /// The perspective: under fog a seat does not see everything.
    #[arg(long, alias = "eye", value_enum, default_value_t = PerspectiveArg::All)]
    pub perspective: PerspectiveArg,
    #[command(flatten)]
    pub game: ReplayGameArg,
}

/// Whose knowledge is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PerspectiveArg {
    /// Everything.
    All,
    /// What the first seat may know.
    First,
    /// What the second seat may know.
    Second,
}

#[derive(Args)]
#[command(
    after_help = "Example:\n  leitai replay show matches/20261121-snakego-7.json --leg 2 --round 37"
)]
pub struct ShowArgs {
    /// The replay.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Begin with this leg.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = parse_whole::<usize>)]
    pub leg: usize,
    /// Begin with this round.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub round: u32,
    #[command(flatten)]
    pub game: ReplayGameArg,
}

#[derive(Args)]
pub struct VerifyArgs {
    /// The replays.
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// The arena that has to have signed them; its published keys are asked for.
    #[arg(long, value_name = "URL", conflicts_with = "keys")]
    pub arena: Option<String>,
    /// The published keys of the arena that has to have signed them, as a file: the answer of
    /// `/api/signing-keys`.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub keys: Option<PathBuf>,
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub game: ReplayGameArg,
}

#[derive(Args)]
#[command(
    after_help = "Example:\n  leitai replay export matches/20261121-snakego-7.json --to gif --leg 1 --rounds 30-60 -o end.gif"
)]
pub struct ExportArgs {
    /// The replay.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The format: `html` (one file with viewer and engine, which opens without a server), `gif` (a
    /// moving picture of a leg), `official` (SnakeGo's replay.json), `record` (King of Bots).
    #[arg(long, value_name = "FORMAT")]
    pub to: String,
    /// The leg, if the replay has several.
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>)]
    pub leg: Option<usize>,
    /// The rounds of a `gif`: 30-60, 30- or 30 [default: all].
    #[arg(long, value_name = "ROUNDS")]
    pub rounds: Option<RoundRange>,
    /// Steps a second of a `gif` [default: 4].
    #[arg(long, value_name = "N", value_parser = parse_speed)]
    pub speed: Option<f64>,
    /// Pixels of a `gif`: the longer side of its board [default: 480].
    #[arg(long, value_name = "N", value_parser = parse_pixels)]
    pub size: Option<usize>,
    /// Write here instead of to stdout; - means stdout.
    #[arg(long, short, value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub game: ReplayGameArg,
}

#[derive(Args)]
pub struct ImportArgs {
    /// The replay of the other site.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The format: `official` (SnakeGo's replay.json), `record` (King of Bots, also as the sites'
    /// HTTP answers have it) [default: the one that fits].
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<String>,
    /// The game's id, if several games know the format.
    #[arg(long)]
    pub game: Option<String>,
    /// Write here instead of to stdout; - means stdout.
    #[arg(long, short, value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
pub struct TraceArgs {
    /// The replay.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Only this leg.
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>)]
    pub leg: Option<usize>,
    #[command(flatten)]
    pub game: ReplayGameArg,
}
