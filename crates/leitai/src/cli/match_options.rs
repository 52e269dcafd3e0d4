//! What a match is played with, for every command that plays matches.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum, ValueHint};

use leitai_series::EloUnit;

use super::values::parse_bytes;
use super::values::parse_limit;
use super::values::parse_limit_or_none;
use super::values::parse_size;
use super::values::parse_whole;
use crate::isolation::RequestedIsolation;

/// The help of `--seed` where many matches are played.
const FIRST_SEED: &str =
    "Seed of the first match; later matches use the numbers that follow [default: 1]";

/// What a match is played with, for `match`, `check` and `play`.
#[derive(Args)]
pub struct MatchOptionArgs {
    /// Seed of all random choices [default: random, and printed].
    #[arg(long, value_name = "N", value_parser = parse_whole::<u64>)]
    pub seed: Option<u64>,
    /// Number of legs; seats are swapped after each [default: set by the game].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub legs: Option<u8>,
    /// CPU time per turn, such as 500ms or 3s [default: set by the game]. A turn may take twice
    /// that in wall time, and at least one second more.
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub limit: Option<Duration>,
    /// Extra time for a program's first turn of every leg, in which it starts.
    #[arg(long, value_name = "TIME", value_parser = parse_limit_or_none, default_value = "10s")]
    pub start_limit: Duration,
    /// Time for all turns of a program in a match together, measured like a turn's [default:
    /// none].
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub match_limit: Option<Duration>,
    /// A time bank for each leg, such as 60s, beside the limit of a turn; without --limit the bank alone
    /// bounds a turn.
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub bank: Option<Duration>,
    /// What every turn adds to the time bank, such as 500ms [default: nothing].
    #[arg(long, value_name = "TIME", value_parser = parse_limit, requires = "bank")]
    pub increment: Option<Duration>,
    /// Let a program keep up to 1 MiB between the legs of a match, in a file whose path is in
    /// LEITAI_KEPT. Its legs are then not independent: only tournaments that count matches are played so.
    #[arg(long)]
    pub keep: bool,
    /// How much later than its limit a program may answer, such as 200ms, for a strike; the answer counts.
    #[arg(long, value_name = "TIME", value_parser = parse_limit, requires = "strikes")]
    pub grace: Option<Duration>,
    /// The strikes that a program may have in a leg; then it loses by the next late answer.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000), requires = "grace")]
    pub strikes: Option<u32>,
    /// How long a program may wait rather than compute in a match, or in a check, such as 30s: by
    /// sleeping, for example. What the machine withholds from it does not count [default: as long
    /// as its turns allow].
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub wait_limit: Option<Duration>,
    /// Let programs keep running while the opponent thinks. Otherwise, and always on a single
    /// core, they are paused.
    #[arg(long)]
    pub pondering: bool,
    /// Threads on which a built-in bot that takes its time, such as champion, may search. Its time
    /// is that of one of them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), default_value_t = 1)]
    pub threads: u16,
    /// Memory limit of a program, all its processes and temporary files together, such as 512MiB or
    /// 2GiB.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "512MiB")]
    pub memory: u64,
    /// Processes and threads that a program may have at a time.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096), default_value_t = 128)]
    pub processes: u32,
    /// Open files of each process of a program.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(16..=65536), default_value_t = 256)]
    pub open_files: u32,
    /// The largest file that a program may write.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "16MiB")]
    pub file_size: u64,
    /// Total size of a program's temporary files.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "64MiB")]
    pub disk: u64,
    /// Longest message that a program may send, such as 4KiB [default: set by the game].
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub message: Option<u64>,
    /// How much of a program's stderr is kept per leg: half from its beginning, half from its end.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "64KiB")]
    pub log: u64,
    /// CPU time for building a program; it may take four times that in wall time.
    #[arg(long, value_name = "TIME", value_parser = parse_limit, default_value = "30s")]
    pub build_limit: Duration,
    /// A setting of the game, such as max_round=100 or map=FILE; a value may be JSON or a
    /// file's path (also @FILE). A map of King of Bots: its 182 digits, or 13 lines of 14.
    #[arg(long = "config", value_name = "KEY=VALUE")]
    pub config: Vec<String>,
    /// Libraries that programs find, as on an arena: a folder that `leitai libraries` made, or an
    /// arena's data folder.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub libraries: Option<PathBuf>,
    /// How to communicate with programs.
    #[arg(long, value_enum, default_value_t = ConnectArg::Stdio)]
    pub connect: ConnectArg,
    /// How programs are isolated from this machine; see `leitai doctor`.
    #[arg(long, value_enum, default_value_t = RequestedIsolation::Auto, env = "LEITAI_ISOLATION", ignore_case = true)]
    pub isolation: RequestedIsolation,
}

/// How to communicate with programs.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConnectArg {
    /// Over stdin and stdout.
    Stdio,
    /// Over TCP: programs are started with the arguments HOST PORT.
    Tcp,
}

/// What an Elo difference is about.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EloArg {
    /// The points of legs; a draw is half a point
    Leg,
    /// Matches, or pairs of legs: who took more of one has won it
    Match,
}

impl From<EloArg> for EloUnit {
    fn from(arg: EloArg) -> EloUnit {
        match arg {
            EloArg::Leg => EloUnit::Leg,
            EloArg::Match => EloUnit::Match,
        }
    }
}

/// What a series is played with, for `compare`, `rate`, `tournament` and `ladder`.
#[derive(Args)]
#[command(mut_arg("seed", |seed| seed.help(FIRST_SEED)))]
pub struct SeriesArgs {
    /// Matches played at a time [default: the number of cores; with --on: what the workers can
    /// play].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
    /// Play as many matches at a time as --jobs says, even if this machine has fewer cores: programs
    /// then wait for each other, and their times say less.
    #[arg(long, requires = "jobs")]
    pub oversubscribe: bool,
    /// Play on the workers that are attached to this bus (nats://HOST:PORT; several addresses with
    /// commas) with `leitai worker --bus`. Programs run with each worker's own isolation.
    #[arg(
        long,
        value_name = "BUS",
        env = "LEITAI_ON",
        hide_env_values = true,
        value_hint = ValueHint::Url,
        conflicts_with = "libraries"
    )]
    pub on: Option<String>,
    /// Start every match from a position of this book (`leitai book make` writes one), drawn by its seed:
    /// both games of a pair have the same, with swapped seats.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub book: Option<PathBuf>,
    #[command(flatten)]
    pub options: MatchOptionArgs,
}

/// How a series of pairs of legs is played and told, for `compare`, `rate` and `tune`.
#[derive(Args)]
#[command(mut_arg("legs", |legs| legs.hide(true)))]
pub struct PairArgs {
    #[command(flatten)]
    pub series: SeriesArgs,
    /// Keep the games and their replays in this folder; if it exists already, continue from it.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
    /// Print the result as one JSON object (docs/evaluating-a-bot.md), and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

impl PairArgs {
    /// The seed of the first pair.
    pub fn seed(&self) -> u64 {
        self.series.options.seed.unwrap_or(1)
    }
}
