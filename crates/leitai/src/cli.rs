//! What can be asked on the command line. One definition gives parsing, help, completions and man pages.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

use leitai_judge::Moment;

use crate::isolation::Isolation;
use crate::lang::Lang;

/// An arena for game-playing programs: exact rules, fair clocks, replays that anyone can verify.
#[derive(Parser)]
#[command(name = "leitai", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Cli {
    /// Language of messages; from LC_ALL, LC_MESSAGES or LANG by default.
    #[arg(long, value_enum, global = true, env = "LEITAI_LANG")]
    pub lang: Option<Lang>,
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  leitai games                                  which games there are
  leitai match snakego territory greedy         two built-in bots play a match
  leitai match snakego ./mybot.cpp territory    your program against one of ours
  leitai check snakego ./mybot.cpp              is your program ready to be sent in?
  leitai play snakego --against greedy          play yourself, in this terminal
  leitai replay show matches/FILE.json          watch a match again, turn by turn";

#[derive(Subcommand)]
pub enum Command {
    /// List the games.
    Games,
    /// List a game's built-in bots, and the dialects its programs may speak.
    Bots(GameArg),
    /// Let two entrants play a match.
    Match(MatchArgs),
    /// Check a program before it is sent in: step by step, with what to do where one fails.
    Check(CheckArgs),
    /// Play yourself, in the terminal.
    Play(PlayArgs),
    /// Watch, verify and convert replays.
    #[command(subcommand)]
    Replay(ReplayCommand),
    /// Show how programs are kept apart on this machine, what is missing, and how to mend it.
    Doctor(DoctorArgs),
    /// Compare the engine with a corpus of recorded games.
    Parity(ParityArgs),
    /// Keep running for a program that is started anew every turn.
    #[command(hide = true)]
    EachTurn(EachTurnArgs),
    /// Print completions for a shell.
    Completions(CompletionsArgs),
    /// Write the man pages.
    Man(ManArgs),
}

#[derive(Args)]
pub struct GameArg {
    /// The game's id (see `leitai games`).
    pub game: String,
}

/// Who plays: a built-in bot by name, an executable, a source file (.py .cpp .c .java .js .rs), or a folder or zip
/// with main.py, a Makefile or a CMakeLists.txt.
#[derive(Args)]
#[command(after_help = MATCH_EXAMPLES)]
pub struct MatchArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// Entrant A, who sits first in leg 1: a built-in bot, an executable, a source file, a folder or a zip.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub a: String,
    /// Entrant B.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub b: String,
    #[command(flatten)]
    pub table: TableArgs,
    /// Play one leg of a replay on: the recorded replies are played up to the round, then the entrants'. Programs are
    /// asked from the start; the first answer that is not the recorded one is shown.
    #[arg(long, value_name = "FILE@LEG:ROUND", value_hint = ValueHint::FilePath, conflicts_with_all = ["legs", "config"])]
    pub from: Option<InReplay>,
    /// Write the replay here [default: matches/DATE-GAME-SEED.json].
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub replay: Option<PathBuf>,
    /// Write no replay.
    #[arg(long, conflicts_with = "replay")]
    pub no_replay: bool,
    /// Print the result as one JSON object (docs/command-line.md), and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

const MATCH_EXAMPLES: &str = "\
Examples:
  leitai match snakego territory greedy --seed 1
  leitai match snakego ./my_folder bot.zip --limit 1s --replay game.json
  leitai match snakego json-lines:./bot.py greedy --legs 1
  leitai match snakego ./adk_bot territory --connect tcp
  leitai match snakego random greedy --config max_round=64 --config items=first-edition
  leitai match snakego ./mybot territory --from matches/20261121-snakego-7.json@2:37

A program speaks the game's first dialect (see `leitai bots GAME`) unless DIALECT: stands before its path or one of its
first lines says `leitai: dialect=DIALECT`. Some games also run programs that do not talk over stdin and stdout: `leitai
bots GAME` lists those hosts. One that wraps programs is asked for by its name before the path: each-turn:./bot.py

What the clock counts (docs/clocks.md): from the first byte of the question to the last byte of the answer, the CPU time
of all processes of a program. Wall time matters only beyond twice the limit (or the limit and a second), less what the
machine withheld. When the machine withholds too much, the leg is played again, at most twice.

Exit status: 0 when the match was judged, whoever won; 1 when it could not be; 130 when it was interrupted.";

#[derive(Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct CheckArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// The program: an executable, a source file, a folder or a zip.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub program: String,
    #[command(flatten)]
    pub table: TableArgs,
    /// Print the findings as one JSON object (docs/checking-a-bot.md), and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  leitai check snakego ./my_folder
  leitai check kob json-lines:./bot.py --limit 1s --memory 256MiB

Marks: ✓ passed, ✗ failed, ! works but barely or with help, i to know, - not tried.

Exit status: 0 when every step that must pass has; 1 otherwise; 130 when it was interrupted. The seed is 1 by default.";

/// What a match is played with, for `match`, `check` and `play`.
#[derive(Args)]
pub struct TableArgs {
    /// The seed that all chance comes from [default: drawn, and shown].
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Legs to play, seats swapped after each [default: the game's].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub legs: Option<u8>,
    /// CPU time for a turn, such as 500ms or 3s [default: the game's]. By the clock on the wall a turn may take twice
    /// as long, and at least a second more.
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub limit: Option<Duration>,
    /// Added to a program's first turn of every leg, for its start.
    #[arg(long, value_name = "TIME", value_parser = parse_limit_or_none, default_value = "10s")]
    pub start_limit: Duration,
    /// Time of a program for all its turns of the match together, counted as a turn's [default: none].
    #[arg(long, value_name = "TIME", value_parser = parse_limit)]
    pub match_limit: Option<Duration>,
    /// Let programs go on running while it is not their turn. Without it they are frozen then, in games where one
    /// moves at a time.
    #[arg(long)]
    pub pondering: bool,
    /// Memory of a program, all its processes and temporary files together, such as 512MiB or 2GiB.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "512MiB")]
    pub memory: u64,
    /// Processes and threads of a program at a time.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096), default_value_t = 64)]
    pub processes: u32,
    /// A choice of the game, such as max_round=100 or map=FILE; a value may be JSON, or a file's path (also @FILE).
    #[arg(long = "config", value_name = "KEY=VALUE")]
    pub config: Vec<String>,
    /// How programs are talked to.
    #[arg(long, value_enum, default_value_t = ConnectArg::Stdio)]
    pub connect: ConnectArg,
    /// How programs are kept apart from this machine; see `leitai doctor`.
    #[arg(long, value_enum, default_value_t = Isolation::Auto, env = "LEITAI_ISOLATION", ignore_case = true)]
    pub isolation: Isolation,
}

fn parse_limit(text: &str) -> Result<Duration, String> {
    let time = match text.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            humantime::parse_duration(text).map_err(|_| format!("{text:?} is no time; try 500ms or 3s"))?
        }
    };
    let allowed = Duration::from_millis(1)..=Duration::from_secs(24 * 3600);
    allowed.contains(&time).then_some(time).ok_or_else(|| "between 1ms and 24h, please".to_owned())
}

/// A moment of a recorded match: `FILE@LEG:ROUND`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InReplay {
    /// The replay.
    pub file: PathBuf,
    /// The leg and the round.
    pub moment: Moment,
}

impl std::str::FromStr for InReplay {
    type Err = String;

    fn from_str(text: &str) -> Result<InReplay, String> {
        let (file, moment) = text
            .rsplit_once('@')
            .filter(|(file, _)| !file.is_empty())
            .ok_or("write FILE@LEG:ROUND, such as matches/game.json@2:37")?;
        Ok(InReplay { file: file.into(), moment: moment.parse()? })
    }
}

/// A time as [`parse_limit`], or 0 for none.
fn parse_limit_or_none(text: &str) -> Result<Duration, String> {
    if ["0", "0s"].contains(&text) { Ok(Duration::ZERO) } else { parse_limit(text) }
}

/// `512MiB`, `2GiB`, or with M and G alone: 16 MiB to 1 TiB.
fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let bits = match text[digits.len()..].trim() {
        "MiB" | "M" | "MB" => 20,
        "GiB" | "G" | "GB" => 30,
        _ => return Err(format!("{text:?} is no size; try 512MiB or 2GiB")),
    };
    let number: u64 = digits.parse().map_err(|_| format!("{text:?} is no size; try 512MiB or 2GiB"))?;
    let bytes = number.checked_mul(1 << bits).filter(|bytes| (16 << 20..=1 << 40).contains(bytes));
    bytes.ok_or_else(|| "between 16MiB and 1024GiB, please".to_owned())
}

/// How programs are talked to.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConnectArg {
    /// Over stdin and stdout.
    Stdio,
    /// Over TCP: programs are started with the arguments HOST PORT.
    Tcp,
}

#[derive(Args)]
#[command(after_help = PLAY_EXAMPLES)]
pub struct PlayArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// Whom to play: a built-in bot, a program as in `match`, or `me` for a second person at the same keyboard
    /// [default: greedy, or the game's second built-in bot].
    #[arg(long, value_hint = ValueHint::AnyPath)]
    pub against: Option<String>,
    /// Sit second in leg 1.
    #[arg(long)]
    pub second: bool,
    #[command(flatten)]
    pub table: TableArgs,
    /// Write the replay here [default: matches/DATE-GAME-SEED.json].
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub replay: Option<PathBuf>,
}

const PLAY_EXAMPLES: &str = "\
Examples:
  leitai play snakego                           against the bot that is called greedy
  leitai play snakego --against ./mybot.py      against your own program
  leitai play snakego --against me --limit 30s  two people at one keyboard, 30 seconds a turn

The keys are shown on the screen. --limit is the time of people; without it they may think as long as they like, except
in games where both move at once. Programs have the game's time.";

#[derive(Subcommand)]
pub enum ReplayCommand {
    /// Watch a replay in the terminal: play, pause, step, seek, speed.
    Show(ShowArgs),
    /// Play replays again and compare every reply, state hash, outcome and verdict.
    Verify(VerifyArgs),
    /// Write one leg in another site's format.
    Export(ExportArgs),
    /// Read another site's replay.
    Import(ImportArgs),
    /// Print the canonical state text after every turn.
    Trace(TraceArgs),
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai replay show matches/20261121-snakego-7.json --leg 2 --round 37")]
pub struct ShowArgs {
    /// The replay.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Begin with this leg.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub leg: usize,
    /// Begin with this round.
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub round: u32,
}

#[derive(Args)]
pub struct VerifyArgs {
    /// The replays.
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
}

#[derive(Args)]
pub struct ExportArgs {
    /// The replay.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The format, such as `official`.
    #[arg(long, value_name = "FORMAT")]
    pub to: String,
    /// The leg, where there are several.
    #[arg(long, value_name = "N")]
    pub leg: Option<usize>,
    /// Write here instead of to stdout.
    #[arg(long, short, value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
pub struct ImportArgs {
    /// The foreign replay.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The format, such as `official`.
    #[arg(long, value_name = "FORMAT")]
    pub from: String,
    /// The game's id, if several games know the format.
    #[arg(long)]
    pub game: Option<String>,
    /// Write here instead of to stdout.
    #[arg(long, short, value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
pub struct TraceArgs {
    /// The replay.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Only this leg.
    #[arg(long, value_name = "N")]
    pub leg: Option<usize>,
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai parity snakego ../shared/golden/snakego/games.jsonl")]
pub struct ParityArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// Corpus files.
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
}

#[derive(Args)]
pub struct DoctorArgs {
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_moment_of_a_replay_is_read() {
        let read = |text: &str| text.parse::<InReplay>().map(|from| (from.file, from.moment.to_string()));
        assert_eq!(read("a@b/c d.json@2:37"), Ok(("a@b/c d.json".into(), "2:37".into())));
        for (text, part) in
            [("game.json", "FILE@LEG:ROUND"), ("@1:1", "FILE@LEG:ROUND"), ("g.json@1", "LEG:ROUND")]
        {
            assert!(read(text).is_err_and(|why| why.contains(part)), "{text}");
        }
    }

    #[test]
    fn times_are_read() {
        let check = |text: &str, expected: Option<u64>| {
            let millis = parse_limit(text).ok().map(|time| time.as_millis() as u64);
            assert_eq!(millis, expected, "{text}");
        };
        check("3s", Some(3000));
        check("500ms", Some(500));
        check("2", Some(2000));
        check("1m 30s", Some(90_000));
        check("0s", None);
        check("-1s", None);
        check("3 parsecs", None);
        check("99999999999999999999h", None);
        assert_eq!(parse_limit_or_none("0"), Ok(Duration::ZERO));
        assert_eq!(parse_limit_or_none("10s"), Ok(Duration::from_secs(10)));
    }

    #[test]
    fn sizes_are_read() {
        let check = |text: &str, mib: Option<u64>| {
            assert_eq!(parse_size(text).ok(), mib.map(|mib| mib << 20), "{text}");
        };
        check("512MiB", Some(512));
        check("512 MiB", Some(512));
        check("2G", Some(2048));
        check("1024GiB", Some(1 << 20));
        check("512", None);
        check("MiB", None);
        check("1MiB", None);
        check("-5GiB", None);
        check("99999999999999999999G", None);
        check("18446744073709551615G", None);
    }
}
