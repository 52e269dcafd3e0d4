//! What can be asked on the command line. One definition gives parsing, help, completions and man
//! pages.

mod arena;
mod chinese;
mod client;
mod storage;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};

use leitai_judge::ReplayPoint;

pub use arena::{
    AdminArgs, AdminCommand, CorrectedResultArg, DataDirArgs, LogArgs, LogKind, ServeArgs, Sure,
    WorkerArgs,
};
pub use client::{DownloadArgs, LoginArgs, LogsArgs, MatchesArgs, Scope, SubmitArgs};

use crate::isolation::RequestedIsolation;
use leitai_game::Lang;

use crate::lang::{LangArg, Localizer};

/// An arena for game-playing programs: exact rules, fair clocks, replays that anyone can verify.
#[derive(Parser)]
#[command(name = "leitai", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub struct Cli {
    /// Language of messages; from LC_ALL, LC_MESSAGES or LANG by default.
    #[arg(long, value_enum, global = true, env = "LEITAI_LANG")]
    #[allow(
        dead_code,
        reason = "it is read before all others, so that refusals are in it"
    )]
    pub lang: Option<LangArg>,
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// What was asked. Invalid usage is explained on stderr and ends the process with status 2.
    pub fn from_command_line(lang: Localizer) -> Cli {
        let read = commands(lang.lang())
            .try_get_matches()
            .and_then(|matches| Cli::from_arg_matches(&matches));
        read.unwrap_or_else(|answer| match lang.lang() {
            Lang::Zh => std::process::exit(chinese::tell(&answer)),
            Lang::En => answer.exit(),
        })
    }
}

/// All commands, with their texts in the chosen language.
pub fn commands(lang: Lang) -> clap::Command {
    let english = translate_command(Cli::command());
    match lang {
        Lang::Zh => chinese::translated(english),
        Lang::En => english,
    }
}

/// What a definition cannot say: a number below zero is a value that its option refuses, not an
/// option that is not known; and paragraphs are broken into lines once, for the terminal's width.
fn translate_command(command: clap::Command) -> clap::Command {
    let is_option = |arg: &clap::Arg| arg.get_long().is_some() && arg.get_action().takes_values();
    let command = command.mut_args(|arg| {
        if is_option(&arg) {
            arg.allow_negative_numbers(true)
        } else {
            arg
        }
    });
    let after = command
        .get_after_help()
        .map(|text| join_lines(&text.to_string()));
    let command = match after {
        Some(after) => command.after_help(after),
        None => command,
    };
    command.mut_subcommands(translate_command)
}

/// The text with the lines of each paragraph joined. What is indented, and what stands below a
/// colon, stays as it is.
fn join_lines(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for line in text.lines() {
        let before = joined.rsplit('\n').next().unwrap_or_default();
        let is_prose = |line: &str| !line.is_empty() && !line.starts_with(' ');
        let goes_on = is_prose(before) && is_prose(line) && !before.ends_with(':');
        joined.push_str(if goes_on {
            " "
        } else if joined.is_empty() {
            ""
        } else {
            "\n"
        });
        joined.push_str(line);
    }
    joined
}

/// A whole number that is not below zero.
fn parse_whole<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let number = text
        .parse::<u64>()
        .ok()
        .and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| {
        let most = u64::MAX >> (64 - 8 * size_of::<T>().min(8));
        format!("a whole number from 0 to {most} is expected")
    })
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
    /// Is a new version better than the old one? Pairs of games until that is decided.
    Compare(CompareArgs),
    /// Let many entrants play a tournament: round robin, gauntlet, Swiss, single or double
    /// elimination.
    Tournament(Box<TournamentArgs>),
    /// Rank the bots in a folder, playing the games that tell most until the order is settled.
    Ladder(LadderArgs),
    /// Pin positions in which a bot made a mistake, and ask later versions whether they still make
    /// it.
    #[command(subcommand)]
    Regress(RegressCommand),
    /// Watch, verify and convert replays.
    #[command(subcommand)]
    Replay(ReplayCommand),
    /// Run an arena: pages, API, ladders and a worker, at http://localhost:8080.
    Serve(ServeArgs),
    /// Play matches for an arena elsewhere.
    Worker(WorkerArgs),
    /// Accounts, tokens, backups of an arena on this machine.
    Admin(AdminArgs),
    /// Log in to an arena: later commands are sent as this account.
    Login(LoginArgs),
    /// Send a program to an arena, and watch it being built and checked.
    Submit(SubmitArgs),
    /// List matches of an arena.
    Matches(MatchesArgs),
    /// Print what your bot wrote to stderr in a match of an arena.
    Logs(LogsArgs),
    /// Fetch a match's replay, or a version's source, from an arena.
    Download(DownloadArgs),
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

/// Who plays: a built-in bot by name, an executable, a source file (.py .cpp .c .java .js .rs), or
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
    pub table: MatchOptionArgs,
    /// Play one leg of a replay on: the recorded replies are played up to the round, then the
    /// entrants'. Programs are asked from the start; the first answer that is not the recorded one
    /// is shown.
    #[arg(long, value_name = "FILE@LEG:ROUND", value_hint = ValueHint::FilePath, conflicts_with_all = ["legs", "config"])]
    pub from: Option<ReplayPointArg>,
    /// Write the replay here [default: matches/DATE-GAME-SEED.json]; - is stdout, and the result is
    /// told on stderr.
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

Exit status: 0 when the match was judged, whoever won; 1 when it could not be; 2 for invalid usage; 130 when it was
interrupted.";

/// The help of `--seed` where many matches are played.
const FIRST_SEED: &str = "The seed of the first match; the next ones count on from it [default: 1]";

#[derive(Args)]
#[command(after_help = CHECK_EXAMPLES)]
#[command(mut_arg("legs", |legs| legs.hide(true)))]
#[command(mut_arg("seed", |seed| seed.help("The seed that all chance comes from [default: 1]")))]
pub struct CheckArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// The program: an executable, a source file, a folder or a zip.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub program: String,
    #[command(flatten)]
    pub table: MatchOptionArgs,
    /// Print the findings as one JSON object (docs/checking-a-bot.md), and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  leitai check snakego ./my_folder
  leitai check kob json-lines:./bot.py --limit 1s --memory 256MiB

Marks: ✓ passed, ✗ failed, ! works but barely or with help, i to know, - not tried.

Exit status: 0 when every step that must pass has; 1 otherwise; 2 for invalid usage; 130 when it was interrupted. The
seed is 1 by default.";

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

/// A time such as `500ms`.
pub fn parse_limit(text: &str) -> Result<Duration, String> {
    let time = match text.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => humantime::parse_duration(text)
            .map_err(|_| format!("{text:?} is no time; try 500ms or 3s"))?,
    };
    let allowed = Duration::from_millis(1)..=Duration::from_secs(24 * 3600);
    allowed
        .contains(&time)
        .then_some(time)
        .ok_or_else(|| "between 1ms and 24h, please".to_owned())
}

/// A moment of a recorded match: `FILE@LEG:ROUND`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayPointArg {
    /// The replay.
    pub file: PathBuf,
    /// The leg and the round.
    pub moment: ReplayPoint,
}

impl std::str::FromStr for ReplayPointArg {
    type Err = String;

    fn from_str(text: &str) -> Result<ReplayPointArg, String> {
        let (file, moment) = text
            .rsplit_once('@')
            .filter(|(file, _)| !file.is_empty())
            .ok_or("write FILE@LEG:ROUND, such as matches/game.json@2:37")?;
        Ok(ReplayPointArg {
            file: file.into(),
            moment: moment.parse()?,
        })
    }
}

/// A time as [`parse_limit`], or 0 for none.
fn parse_limit_or_none(text: &str) -> Result<Duration, String> {
    if ["0", "0s"].contains(&text) {
        Ok(Duration::ZERO)
    } else {
        parse_limit(text)
    }
}

/// `4KiB`, `16MiB`, `1GiB`: 64 bytes to 1 GiB.
fn parse_bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let bits = match text[digits.len()..].trim() {
        "" | "B" => 0,
        "KiB" | "K" | "kB" => 10,
        "MiB" | "M" | "MB" => 20,
        "GiB" | "G" | "GB" => 30,
        _ => return Err(format!("{text:?} is no size; try 4KiB or 16MiB")),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| format!("{text:?} is no size; try 4KiB or 16MiB"))?;
    let bytes = number
        .checked_mul(1 << bits)
        .filter(|bytes| (64..=1 << 30).contains(bytes));
    bytes.ok_or_else(|| "between 64 bytes and 1GiB, please".to_owned())
}

/// `512MiB`, `2GiB`, or with M and G alone: 16 MiB to 1 TiB.
fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let bits = match text[digits.len()..].trim() {
        "MiB" | "M" | "MB" => 20,
        "GiB" | "G" | "GB" => 30,
        _ => return Err(format!("{text:?} is no size; try 512MiB or 2GiB")),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| format!("{text:?} is no size; try 512MiB or 2GiB"))?;
    let bytes = number
        .checked_mul(1 << bits)
        .filter(|bytes| (16 << 20..=1 << 40).contains(bytes));
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
#[command(after_help = COMPARE_EXAMPLES)]
#[command(mut_arg("seed", |seed| seed.help(FIRST_SEED)))]
#[command(mut_arg("legs", |legs| legs.hide(true)))]
pub struct CompareArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// The new version: a built-in bot, an executable, a source file, a folder or a zip.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub new: String,
    /// The version to beat.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub base: String,
    /// "No progress": the new version is so many Elo stronger, or less.
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 0.0,
        allow_hyphen_values = true
    )]
    pub elo0: f64,
    /// "Progress": the new version is so many Elo stronger, or more.
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 10.0,
        allow_hyphen_values = true
    )]
    pub elo1: f64,
    /// The chance to accept what is no progress.
    #[arg(long, value_name = "CHANCE", default_value_t = 0.05)]
    pub alpha: f64,
    /// The chance to reject what is progress.
    #[arg(long, value_name = "CHANCE", default_value_t = 0.05)]
    pub beta: f64,
    /// Stop undecided after so many pairs of games.
    #[arg(long, value_name = "PAIRS", default_value_t = 20_000, value_parser = clap::builder::RangedI64ValueParser::<u64>::new().range(1..=10_000_000))]
    pub max: u64,
    #[command(flatten)]
    pub series: SeriesArgs,
    #[command(flatten)]
    pub table: MatchOptionArgs,
    /// Keep what was played, with replays, in this folder, and go on from it when it is already
    /// there.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
    /// Print the result as one JSON object (docs/evaluating-a-bot.md), and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

const COMPARE_EXAMPLES: &str = "\
Examples:
  leitai compare snakego ./v8 ./v7                        is version 8 at least 10 Elo better?
  leitai compare snakego ./v8 ./v7 --elo0 -10 --elo1 0    is version 8 no worse? (a clean-up)
  leitai compare kob ./bot.cpp space --limit 500ms -j 2 --folder space-test

A pair is two games on the same seed with seats swapped; a game is a leg. The test stops as soon as it is decided. They
begin alternately. A pair that could not be judged is tried again later; if it stays void it is listed and counts for
nobody. A program that cannot be built is refused.

Exit status: 0 accepted (better; not worse, where --elo0 is below 0), 3 rejected, 4 undecided after --max pairs; 1 when it
could not be played, 2 for invalid usage, 130 when it was interrupted.";

#[derive(Args)]
#[command(after_help = TOURNAMENT_EXAMPLES, override_usage = TOURNAMENT_USAGE)]
#[command(mut_arg("seed", |seed| seed.help(FIRST_SEED)))]
pub struct TournamentArgs {
    /// The game's id and the entrants: built-in bots, executables, source files, folders, zips; or
    /// a file with the plan (.toml). In a knockout the best seed stands first; in a gauntlet who
    /// runs it.
    #[arg(required = true, value_name = "GAME ENTRANTS | FILE.toml", value_hint = ValueHint::AnyPath)]
    pub words: Vec<String>,
    /// The game's id, as it was given before GAME had a place of its own.
    #[arg(long, value_name = "GAME", hide = true)]
    pub game: Option<String>,
    /// The format [default: round-robin].
    #[arg(long, value_enum)]
    pub format: Option<FormatArg>,
    /// How often everyone meets everyone, or the rounds of a Swiss [default: 1; of a Swiss, one
    /// more than a knockout has].
    #[arg(long, value_name = "N")]
    pub rounds: Option<u32>,
    /// How many of the entrants run the gauntlet [default: 1].
    #[arg(long, value_name = "N")]
    pub heads: Option<usize>,
    /// Matches an encounter; seats are swapped within a match, from leg to leg [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub matches: Option<u32>,
    #[command(flatten)]
    pub series: SeriesArgs,
    #[command(flatten)]
    pub table: MatchOptionArgs,
    /// Where matches, replays and reports are kept; the same command goes on from there [default:
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
  matches = 3                   # also: rounds, heads, seed, seeds, legs, limit, jobs, folder, maps, boards
  entrants = [\"space\", \"safe\", { bot = \"./v8\", name = \"v8\" }, \"../rivals/hydra.zip\"]
  [config]
  grow_until = 12

The folder gets journal.jsonl (every finished match), replays/, report.html, standings.csv, crosstable.csv, matches.csv.

A match that could not be judged is tried again later; if it stays void it is listed and counts for nobody.

Exit status: 0 when it was played to its end, 4 when it was but some matches stayed void, 1 when it could not be played,
130 when it was interrupted.";

#[derive(Args)]
#[command(after_help = LADDER_EXAMPLES, allow_missing_positional = true)]
#[command(mut_arg("seed", |seed| seed.help(FIRST_SEED)))]
pub struct LadderArgs {
    /// The game's id (see `leitai games`); remembered in the folder, so it may be left out later.
    pub game: Option<String>,
    /// The folder with the bots: every executable, source file, zip and subfolder in it is one.
    #[arg(required = true, value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// The game's id, as it was given before GAME had a place of its own.
    #[arg(
        long = "game",
        id = "game-option",
        value_name = "GAME",
        hide = true,
        conflicts_with = "game"
    )]
    pub game_option: Option<String>,
    /// Built-in bots, or programs elsewhere, that play along.
    #[arg(long = "with", value_name = "ENTRANT", value_hint = ValueHint::AnyPath)]
    pub with: Vec<String>,
    /// Play until the whole order is settled with this confidence.
    #[arg(long, value_name = "SHARE", default_value_t = 0.95)]
    pub confidence: f64,
    /// Take neighbours for equals once they are surely less than so much Elo apart.
    #[arg(long, value_name = "ELO", default_value_t = 20.0)]
    pub equal_within: f64,
    /// Stop after so many matches in this run.
    #[arg(long, value_name = "MATCHES", default_value_t = 10_000, value_parser = clap::builder::RangedI64ValueParser::<u64>::new().range(1..=10_000_000))]
    pub max: u64,
    #[command(flatten)]
    pub series: SeriesArgs,
    #[command(flatten)]
    pub table: MatchOptionArgs,
    /// Print the ladder as one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

const LADDER_EXAMPLES: &str = "\
Examples:
  leitai ladder snakego bots --with greedy --with territory
  leitai ladder bots                       go on, with new and changed bots
  leitai ladder bots --confidence 0.99 --equal-within 5

What was played is kept in FOLDER/.leitai-ladder. A bot that has changed since begins anew; one that has gone is left out.

Exit status: 0 when the order is settled, 4 when --max did not suffice, 1 when it could not be played, 130 when it was
interrupted.";

#[derive(Subcommand)]
pub enum RegressCommand {
    /// Pin a position of a replay, before the round in which the mistake was made.
    Add(RegressAddArgs),
    /// Ask a bot in every pinned position.
    Run(RegressRunArgs),
    /// List what is pinned.
    List(RegressListArgs),
}

#[derive(Args)]
#[command(
    after_help = "Example:\n  leitai regress add matches/20261121-snakego-7.json --leg 2 --round 37 \"shut itself in\""
)]
pub struct RegressAddArgs {
    /// The replay.
    #[arg(value_hint = ValueHint::FilePath)]
    pub replay: PathBuf,
    /// Why it was a mistake.
    pub why: Option<String>,
    /// The round in which it was made.
    #[arg(long, value_name = "N")]
    pub round: u32,
    /// The leg, where there are several.
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>)]
    pub leg: Option<usize>,
    /// Whose mistake: A, B or a name [default: the only program, or who lost the leg].
    #[arg(long, value_name = "WHO")]
    pub entrant: Option<String>,
    /// The folder that pins are kept in.
    #[arg(long, value_name = "FOLDER", default_value = "regress", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
}

#[derive(Args)]
#[command(after_help = REGRESS_EXAMPLES)]
#[command(mut_arg("seed", |seed| seed.hide(true)), mut_arg("legs", |legs| legs.hide(true)))]
#[command(mut_arg("config", |config| config.hide(true)))]
pub struct RegressRunArgs {
    /// The bot: a built-in bot, an executable, a source file, a folder or a zip.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub bot: String,
    /// The folder that pins are kept in.
    #[arg(long, value_name = "FOLDER", default_value = "regress", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    #[command(flatten)]
    pub table: MatchOptionArgs,
    /// Print one JSON object, and nothing else on stdout.
    #[arg(long)]
    pub json: bool,
}

const REGRESS_EXAMPLES: &str = "\
Example:
  leitai regress run ./v8

The bot is started as in a match and sees what was seen then: recorded replies are played whatever it answers, up to the
pinned round. Where it answers otherwise before, it would not have come there any more, and that is said. Built-in bots
are not compared before the round.

Exit status: 0 when no pinned mistake is still made, 3 when one is, 4 when the bot could not be built, crashed, did not
answer or broke a rule in a pinned position, 1 when they could not be asked, 130 when it was interrupted.";

#[derive(Args)]
pub struct RegressListArgs {
    /// The folder that pins are kept in.
    #[arg(long, value_name = "FOLDER", default_value = "regress", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
}

/// How a tournament is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FormatArg {
    /// Everyone meets everyone
    RoundRobin,
    /// The first entrants meet all others
    Gauntlet,
    /// Those with about the same points meet, and nobody twice
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

/// How many matches are played at once, for `compare`, `tournament` and `ladder`.
#[derive(Args)]
pub struct SeriesArgs {
    /// Matches at once [default: as many as there are cores].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
}

#[derive(Args)]
#[command(after_help = PLAY_EXAMPLES)]
pub struct PlayArgs {
    /// The game's id (see `leitai games`).
    pub game: String,
    /// Whom to play: a built-in bot, a program as in `match`, or `me` for a second person at the
    /// same keyboard [default: greedy, or the game's second built-in bot].
    #[arg(long, value_hint = ValueHint::AnyPath)]
    pub against: Option<String>,
    /// Sit second in leg 1.
    #[arg(long)]
    pub second: bool,
    #[command(flatten)]
    pub table: MatchOptionArgs,
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
    /// Watch a replay in the terminal: play, pause, step, seek, speed. Replays of other sites are
    /// imported.
    Show(ShowArgs),
    /// Play replays again and compare every reply, state hash, outcome and verdict.
    Verify(VerifyArgs),
    /// Write one leg in another site's format.
    Export(ExportArgs),
    /// Read another site's replay.
    Import(ImportArgs),
    /// Print the canonical state text after every turn.
    Trace(TraceArgs),
    /// Print what a viewer draws, one JSON object a step: what is seen, what has changed, what has
    /// happened.
    Frames(FramesArgs),
}

#[derive(Args)]
#[command(
    after_help = "Example:\n  leitai replay frames matches/20261121-tankcraft-7.json --eye first"
)]
pub struct FramesArgs {
    /// The replay.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The leg.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = parse_whole::<usize>)]
    pub leg: usize,
    /// Whose eyes: under fog a seat does not see everything.
    #[arg(long, value_enum, default_value_t = PerspectiveArg::All)]
    pub eye: PerspectiveArg,
}

/// Whose eyes.
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
    /// The format: `official` (SnakeGo's replay.json), `record` (King of Bots).
    #[arg(long, value_name = "FORMAT")]
    pub to: String,
    /// The leg, where there are several.
    #[arg(long, value_name = "N", value_parser = parse_whole::<usize>)]
    pub leg: Option<usize>,
    /// Write here instead of to stdout, which is also -.
    #[arg(long, short, value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
pub struct ImportArgs {
    /// The foreign replay.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The format: `official` (SnakeGo's replay.json), `record` (King of Bots, also as the sites'
    /// HTTP answers have it) [default: the one that fits].
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<String>,
    /// The game's id, if several games know the format.
    #[arg(long)]
    pub game: Option<String>,
    /// Write here instead of to stdout, which is also -.
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
}

#[derive(Args)]
#[command(after_help = "Example:\n  leitai parity snakego games/snakego/golden/games.jsonl")]
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

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn paragraphs_are_joined_and_examples_are_not() {
        let check = |text: &str, expected: &str| assert_eq!(join_lines(text), expected);
        check(
            "Examples:\n  a\n  b\n\nOne\ntwo.\n\nThree",
            "Examples:\n  a\n  b\n\nOne two.\n\nThree",
        );
        check("Marks:\nx\ny", "Marks:\nx y");
        let mut command = translate_command(Cli::command());
        let command = command
            .find_subcommand_mut("match")
            .expect("a command")
            .clone()
            .term_width(100);
        let help = command.clone().render_long_help().to_string();
        let prose = help
            .lines()
            .skip_while(|line| !line.starts_with("What the clock counts"));
        let lines: Vec<&str> = prose.take_while(|line| !line.is_empty()).collect();
        let (last, full) = lines.split_last().expect("a paragraph");
        assert!(
            last.len() <= 100 && full.iter().all(|line| (80..=100).contains(&line.len())),
            "{lines:#?}"
        );
    }

    #[test]
    fn a_moment_of_a_replay_is_read() {
        let read = |text: &str| {
            text.parse::<ReplayPointArg>()
                .map(|from| (from.file, from.moment.to_string()))
        };
        assert_eq!(
            read("a@b/c d.json@2:37"),
            Ok(("a@b/c d.json".into(), "2:37".into()))
        );
        for (text, part) in [
            ("game.json", "FILE@LEG:ROUND"),
            ("@1:1", "FILE@LEG:ROUND"),
            ("g.json@1", "LEG:ROUND"),
        ] {
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

    #[test]
    fn small_sizes_are_read() {
        let check =
            |text: &str, bytes: Option<u64>| assert_eq!(parse_bytes(text).ok(), bytes, "{text}");
        check("2048", Some(2048));
        check("4KiB", Some(4096));
        check("16 MiB", Some(16 << 20));
        check("1GiB", Some(1 << 30));
        check("2GiB", None);
        check("1", None);
        check("KiB", None);
        check("-1KiB", None);
        check("99999999999999999999K", None);
    }
}
