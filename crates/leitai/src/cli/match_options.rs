//! What a match is played with, for every command that plays matches.

use std::time::Duration;

use clap::{Args, ValueEnum};

use super::values::parse_bytes;
use super::values::parse_limit;
use super::values::parse_limit_or_none;
use super::values::parse_size;
use super::values::parse_whole;
use crate::isolation::RequestedIsolation;

#[derive(Args)]
pub struct GameArg {
    /// The game's id (see `leitai games`).
    pub game: String,
}

/// The help of `--seed` where many matches are played.
pub const FIRST_SEED: &str =
    "The seed of the first match; the next ones count on from it [default: 1]";

/// What a match is played with, for `match`, `check` and `play`.
#[derive(Args)]
pub struct MatchOptionArgs {
    /// The seed that all chance comes from [default: drawn, and shown].
    #[arg(long, value_name = "N", value_parser = parse_whole::<u64>)]
    pub seed: Option<u64>,
    /// Legs to play, seats swapped after each [default: the game's].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub legs: Option<u8>,
    /// CPU time for a turn, such as 500ms or 3s [default: the game's]. By the clock on the wall a
    /// turn may take twice as long, and at least a second more.
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub limit: Option<Duration>,
    /// Added to a program's first turn of every leg, for its start.
    #[arg(long, value_name = "TIME", value_parser = parse_limit_or_none, default_value = "10s")]
    pub start_limit: Duration,
    /// Time of a program for all its turns of the match together, counted as a turn's [default:
    /// none].
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub match_limit: Option<Duration>,
    /// Let programs go on running while they are not asked. Without it, and where there is one core
    /// only, they are frozen then.
    #[arg(long)]
    pub pondering: bool,
    /// Memory of a program, all its processes and temporary files together, such as 512MiB or 2GiB.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "512MiB")]
    pub memory: u64,
    /// Processes and threads of a program at a time.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096), default_value_t = 128)]
    pub processes: u32,
    /// Open files of each process of a program.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(16..=65536), default_value_t = 256)]
    pub open_files: u32,
    /// The largest file that a program may write.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "16MiB")]
    pub file_size: u64,
    /// Temporary files of a program together.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "64MiB")]
    pub disk: u64,
    /// The longest message of a program, such as 4KiB [default: the game's].
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub message: Option<u64>,
    /// What is kept of a program's stderr a leg: half from its beginning, half from its end.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "64KiB")]
    pub log: u64,
    /// CPU time for building a program. By the clock on the wall it may take four times as long.
    #[arg(long, value_name = "TIME", value_parser = parse_limit, default_value = "30s")]
    pub build_limit: Duration,
    /// A choice of the game, such as max_round=100 or map=FILE; a value may be JSON, or a file's
    /// path (also @FILE). A map of King of Bots: its 182 digits, or 13 lines of 14.
    #[arg(long = "config", value_name = "KEY=VALUE")]
    pub config: Vec<String>,
    /// How programs are talked to.
    #[arg(long, value_enum, default_value_t = ConnectArg::Stdio)]
    pub connect: ConnectArg,
    /// How programs are kept apart from this machine; see `leitai doctor`.
    #[arg(long, value_enum, default_value_t = RequestedIsolation::Auto, env = "LEITAI_ISOLATION", ignore_case = true)]
    pub isolation: RequestedIsolation,
}

/// How programs are talked to.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConnectArg {
    /// Over stdin and stdout.
    Stdio,
    /// Over TCP: programs are started with the arguments HOST PORT.
    Tcp,
}

/// How many matches are played at once, for `compare`, `tournament` and `ladder`.
#[derive(Args)]
pub struct SeriesArgs {
    /// Matches at once [default: as many as there are cores].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
}
