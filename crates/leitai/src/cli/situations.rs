//! `leitai situations`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::values::{JsonArg, parse_whole};

#[derive(Subcommand)]
pub enum SituationsCommand {
    /// Make a pack of the clear mistakes of a bot in the legs that it lost.
    Mine(MineArgs),
    /// Check a pack: every moment by the rules, and what it lists.
    Check(PackArgs),
    /// Upload a pack to the arena of your login, for a contest or for all bots of the game.
    Upload(PackUploadArgs),
    /// List the packs of an arena.
    List(PackListArgs),
    /// Remove a pack from the arena.
    Remove(PackRemoveArgs),
}

#[derive(Args)]
#[command(after_help = "\
Example:
  leitai situations mine matches --entrant mybot --output mine.jsonl
  leitai check kob ./mybot --situations mine.jsonl")]
pub struct MineArgs {
    /// Replays, or folders of replays.
    #[arg(required = true, value_name = "REPLAY", value_hint = ValueHint::AnyPath)]
    pub replays: Vec<PathBuf>,
    /// Whose mistakes: a name [default: the one that played in all].
    #[arg(long, value_name = "WHO")]
    pub entrant: Option<String>,
    /// The pack's file, or `-` for stdout.
    #[arg(long, short, value_name = "FILE", default_value = "situations.jsonl", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// At most so many moments, the worst first.
    #[arg(long, value_name = "N", default_value = "32", value_parser = parse_whole::<usize>)]
    pub most: usize,
    /// Nodes that are searched for every decision [default: the game's own number].
    #[arg(long, value_name = "NODES", value_parser = parse_whole::<u64>)]
    pub budget: Option<u64>,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
pub struct PackArgs {
    /// The pack.
    #[arg(value_hint = ValueHint::FilePath)]
    pub pack: PathBuf,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
#[command(after_help = "\
Example:
  leitai situations upload walls.jsonl --contest spring-2027 --hidden-until 2027-05-01T00:00:00Z")]
pub struct PackUploadArgs {
    /// The pack.
    #[arg(value_hint = ValueHint::FilePath)]
    pub pack: PathBuf,
    /// For the bots of this contest, which you organise [default: all bots of the game; for administrators].
    #[arg(long, value_name = "CONTEST")]
    pub contest: Option<String>,
    /// Nobody but the organisers knows of it before this date.
    #[arg(long, value_name = "DATE")]
    pub hidden_until: Option<String>,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
pub struct PackListArgs {
    /// Only those of this game.
    #[arg(long)]
    pub game: Option<String>,
    #[command(flatten)]
    pub form: JsonArg,
}

#[derive(Args)]
pub struct PackRemoveArgs {
    /// The pack's number.
    pub pack: u64,
    #[command(flatten)]
    pub form: JsonArg,
}
