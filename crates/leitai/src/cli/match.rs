//! `leitai match`

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::match_options::MatchOptionArgs;
use super::values::ReplayPointArg;

/// Who plays: a built-in bot by name, an executable, a source file (.py .cpp .c .java .js .ts .rs .go .cs .kt), or
/// a folder or zip with main.py, a Makefile or a CMakeLists.txt. NAME=PATH gives it a name.
#[derive(Args)]
#[command(after_help = MATCH_EXAMPLES)]
pub struct MatchArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// Entrant A, who sits first in leg 1: a built-in bot, an executable, a source file, a folder
    /// or a zip.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub a: String,
    /// Entrant B.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub b: String,
    #[command(flatten)]
    pub options: MatchOptionArgs,
    /// Continue one leg of a replay: the recorded replies are played up to this round, then
    /// the entrants play. Programs are asked from the start of the leg; the first answer that
    /// differs from the record is shown.
    #[arg(long, value_name = "FILE@LEG:ROUND", value_hint = ValueHint::FilePath, conflicts_with_all = ["legs", "config"])]
    pub from: Option<ReplayPointArg>,
    /// Play so many matches, the seed of each one higher. With --keep programs remember from match to
    /// match, and no interval is told, because their games are not independent.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=10_000), conflicts_with_all = ["from", "replay", "log_traffic"])]
    pub matches: u16,
    /// Write the replay here [default: matches/DATE-GAME-SEED.json]; - means stdout, and the
    /// result then goes to stderr.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub replay: Option<PathBuf>,
    /// Do not write a replay.
    #[arg(long, conflicts_with = "replay")]
    pub no_replay: bool,
    /// Write what goes to and from the programs here, a line of JSON for each piece as it goes: the
    /// time in ms, leg, entrant, stream and text.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub log_traffic: Option<PathBuf>,
    /// Build and play again whenever a program, or a file of the config (a map), is saved, until Ctrl-C.
    #[arg(long)]
    pub watch: bool,
    /// Print the result as one JSON object (docs/command-line.md), and nothing else on stdout; of several
    /// matches one a line, then their sum.
    #[arg(long)]
    pub json: bool,
}

const MATCH_EXAMPLES: &str = "\
Examples:
  leitai match snakego territory greedy --seed 1
  leitai match snakego ./my_folder bot.zip --limit 1s --replay game.json
  leitai match snakego json-lines:./bot.py greedy --legs 1
  leitai match snakego './bot.py --depth 5 @limit=1s @name=deep' 'champion @limit=20ms'
  leitai match snakego ./adk_bot territory --connect tcp
  leitai match snakego random greedy --config max_round=64 --config items=first-edition
  leitai match snakego ./mybot territory --from matches/20261121-snakego-7.json@2:37

Behind a program stand its arguments and, each behind an @, what it alone plays with: @name, @env,
@limit, @start-limit, @match-limit, @wait-limit, @memory, @processes, @threads.

A program uses the game's first protocol (see `leitai bots GAME`), unless you write PROTOCOL: before
its path or one of its first lines says `leitai: protocol=PROTOCOL`. Some games have hosts that run
programs without stdin and stdout: `leitai bots GAME` lists them. A host that wraps programs is
chosen by its name before the path: each-turn:./bot.py

What the clock counts (docs/clocks.md): the CPU time of all processes of a program, from the first
byte of the question to the last byte of the answer. Wall time counts only beyond twice the limit
(or the limit plus one second), without the delays that the machine caused. When these are too long,
the leg is played again, at most twice.

Exit status: 0 when the match was judged, whoever won; 1 when it could not be judged; 2 for invalid
usage; 130 when it was interrupted.";
