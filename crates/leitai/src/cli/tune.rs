//! `leitai tune`

use clap::{Args, ValueHint};

use super::match_options::PairArgs;

#[derive(Args)]
#[command(after_help = TUNE_EXAMPLES)]
#[command(mut_arg("json", |json| json.help(JSON)), mut_arg("on", |on| on.help(ON)))]
pub struct TuneArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// The bot: a program with its arguments as one word. `{NAME}` in it is replaced by the value of a
    /// parameter; what no word asks for is added as `--NAME VALUE`.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub bot: String,
    /// A parameter, such as depth=1..12 (whole numbers), k=0.1..2.0 or style=calm|bold; with :START
    /// behind it the search begins there [default: the middle, or the first word].
    #[arg(long = "param", value_name = "NAME=VALUES", required = true)]
    pub parameters: Vec<String>,
    /// Pairs of games of the search.
    #[arg(long, value_name = "PAIRS", default_value_t = 2000, value_parser = clap::builder::RangedI64ValueParser::<u64>::new().range(1..=1_000_000))]
    pub pairs: u64,
    /// Starts beside the given one, as far as there are pairs for them: 60 or more for each.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=15))]
    pub restarts: u8,
    /// Pairs after which the test of the found values against the start stops undecided; 0 leaves it out.
    #[arg(long, value_name = "PAIRS", default_value_t = 1000, value_parser = clap::builder::RangedI64ValueParser::<u64>::new().range(0..=10_000_000))]
    pub proof: u64,
    /// The test's "no progress": the found values are at most this many Elo stronger.
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 0.0,
        allow_hyphen_values = true
    )]
    pub elo0: f64,
    /// The test's "progress": the found values are at least this many Elo stronger.
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 20.0,
        allow_hyphen_values = true
    )]
    pub elo1: f64,
    #[command(flatten)]
    pub played: PairArgs,
}

/// The help of `--on`, which names an arena here, too.
const ON: &str = "Play on the workers that are attached to this bus (nats://HOST:PORT; several addresses \
with commas) with `leitai worker --bus`, or in the arena of your login (https://…): BOT is then a bot of \
yours, as BOT or BOT@VERSION with its arguments, and each pair a friendly match under your quota";

/// The help of `--json`, whose object has a schema of its own.
const JSON: &str =
    "Print the result as one JSON object (docs/tune.schema.json), and nothing else on stdout";

const TUNE_EXAMPLES: &str = "\
Examples:
  leitai tune kob ./bot --param depth=1..12 --param k=0.1..2.0
  leitai tune kob './bot -d{depth} @env=STYLE={style}' --param depth=1..12:5 --param 'style=calm|bold'
  leitai tune snakego ./bot --param k=0..1 --pairs 500 --limit 200ms --folder tuned
  leitai tune kob 'hydra@8 --depth {depth}' --param depth=1..12 --on https://arena.example.org --folder tuned

Two settings of the bot play pairs of games with the same seed and swapped seats, and each pair moves
the search towards the side with more points (SPSA). Several searches begin at different places, the
best one goes on. The report says the best values, where they may lie, and the way there; then a
sequential test, on seeds of its own, tries the found values against the start. At most 16 pairs are
played at once.

Exit status: 0 the found values are better, 3 they are not, 4 undecided, or without a test, 5 when the
test's last 20 pairs brought no new game, 1 when it could not be played, 2 for invalid usage, 130 when
it was interrupted.";
