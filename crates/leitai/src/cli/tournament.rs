//! `leitai tournament`

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::match_options::{EloArg, SeriesArgs};
use super::values::parse_whole;

#[derive(Args)]
#[command(after_help = TOURNAMENT_EXAMPLES, override_usage = TOURNAMENT_USAGE)]
pub struct TournamentArgs {
    /// The game's id and the entrants: built-in bots, executables, source files, folders, zips; or
    /// a file with the plan (.toml). For a knockout, list the best seed first; for a gauntlet, list
    /// the heads first.
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
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub rounds: Option<u32>,
    /// Number of entrants that play against all others in a gauntlet [default: 1].
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>)]
    pub heads: Option<usize>,
    /// Matches per encounter; seats are swapped within a match, from leg to leg [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub matches: Option<u32>,
    /// What Elo is about.
    #[arg(long = "elo-per", value_enum, default_value_t = EloArg::Leg)]
    pub elo: EloArg,
    #[command(flatten)]
    pub series: SeriesArgs,
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
  matches = 3                   # also: rounds, heads, seed, seeds, legs, limit, bank,
                                # increment, grace, strikes, keep, jobs, folder, maps,
                                # configs, book
  entrants = [\"space\", { bot = \"./v8\", name = \"v8\" }, \"../rivals/hydra.zip\"]
  [config]
  grow_until = 12

The folder contains journal.jsonl (every finished match), replays/, report.html, standings.csv,
crosstable.csv and matches.csv.

A match that could not be judged is played again later; if it stays void, it is listed and does not
count. A copy of an earlier game counts for the points, but not for Elo, interval and place; a round
robin or a gauntlet whose matches bring no new games stops.

Exit status: 0 when the tournament is complete, 4 when it is complete but some matches stayed void,
5 when it stopped because its games only repeat, 1 when it could not be played, 2 for invalid usage,
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
    /// The standings as CSV
    Csv,
}
