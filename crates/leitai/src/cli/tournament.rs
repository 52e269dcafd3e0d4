//! `leitai tournament`

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::match_options::FIRST_SEED;
use super::match_options::MatchOptionArgs;
use super::match_options::SeriesArgs;

#[derive(Args)]
#[command(after_help = TOURNAMENT_EXAMPLES, override_usage = TOURNAMENT_USAGE)]
#[command(mut_arg("seed", |seed| seed.help(FIRST_SEED)))]
pub struct TournamentArgs {
    /// The game's id and the entrants: built-in bots, executables, source files, folders, zips; or
    /// a file with the plan (.toml). For a knockout list the best seed first; for a gauntlet,
    /// those who run it.
    #[arg(required = true, value_name = "GAME ENTRANTS | FILE.toml", value_hint = ValueHint::AnyPath)]
    pub words: Vec<String>,
    /// The game's id (the older form of GAME).
    #[arg(long, value_name = "GAME", hide = true)]
    pub game: Option<String>,
    /// The format [default: round-robin].
    #[arg(long, value_enum)]
    pub format: Option<FormatArg>,
    /// How many times each pair meets, or the number of Swiss rounds [default: 1; Swiss: one
    /// more than a knockout would need].
    #[arg(long, value_name = "N")]
    pub rounds: Option<u32>,
    /// How many of the entrants run the gauntlet [default: 1].
    #[arg(long, value_name = "N")]
    pub heads: Option<usize>,
    /// Matches per encounter; seats are swapped within a match, from leg to leg [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub matches: Option<u32>,
    #[command(flatten)]
    pub series: SeriesArgs,
    #[command(flatten)]
    pub options: MatchOptionArgs,
    /// Where matches, replays and reports are kept; the same command continues from there [default:
    /// tournaments/NAME].
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
    /// What to print.
    #[arg(long, value_enum, default_value_t = OutputArg::Table)]
    pub output: OutputArg,
}

const TOURNAMENT_USAGE: &str = "\
leitai tournament [OPTIONS] <GAME> <ENTRANT> <ENTRANT>...
       leitai tournament [OPTIONS] <FILE.toml>";

const TOURNAMENT_EXAMPLES: &str = "\
Examples:
  leitai tournament kob random sample safe space --rounds 10
  leitai tournament snakego ./v8 ./v7 greedy territory --format gauntlet --rounds 5 -j 2
  leitai tournament spring.toml

A file:
  game = \"kob\"
  format = \"double\"            # round-robin, gauntlet, swiss, single, double
  matches = 3                   # also: rounds, heads, seed, seeds, legs, limit, jobs, folder, maps, configs
  entrants = [\"space\", \"safe\", { bot = \"./v8\", name = \"v8\" }, \"../rivals/hydra.zip\"]
  [config]
  grow_until = 12

The folder gets journal.jsonl (every finished match), replays/, report.html, standings.csv, crosstable.csv, matches.csv.

A match that could not be judged is tried again later; if it stays void it is listed and counts for nobody.

Exit status: 0 when it was played to its end, 4 when it was but some matches stayed void, 1 when it could not be played,
130 when it was interrupted.";

/// How a tournament is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormatArg {
    /// Everyone meets everyone
    RoundRobin,
    /// The first entrants meet all others
    Gauntlet,
    /// Entrants with about the same points meet; no pair meets twice
    Swiss,
    /// Whoever loses is out
    Single,
    /// Whoever loses twice is out
    Double,
}

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputArg {
    /// Standings and crosstable
    Table,
    /// One JSON object with everything
    Json,
    /// The standings as comma-separated values
    Csv,
}
