//! What can be asked on the command line. One definition gives parsing, help, completions and man
//! pages.

mod analyze;
mod arena;
mod benchmark;
mod book;
mod check;
mod chinese;
mod client;
mod compare;
mod connect;
mod contest;
mod debug;
mod experiment;
mod game;
mod group;
mod ladder;
mod libraries;
mod r#match;
mod match_options;
mod new;
mod play;
mod rate;
mod regress;
mod replay;
mod situations;
mod storage;
mod tools;
mod tournament;
mod tune;
mod values;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub use analyze::AnalyzeArgs;
pub use arena::{
    AdminArgs, AdminCommand, ArrivalArgs, CorrectedResultArg, DataDirArgs, DatasetArgs, LogArgs,
    LogKind, PartArgs, SecondFactorArg, ServeArgs, Sure, WorkerArgs,
};
pub use benchmark::BenchmarkArgs;
pub use book::{BalanceArg, BookCheckArgs, BookCommand, BookMakeArgs};
pub use check::CheckArgs;
pub use chinese::wrap_text;
pub use client::{
    DownloadArgs, LoginArgs, LogsArgs, MatchesArgs, ScopeArg, StandingArgs, SubmitArgs, TagsArgs,
};
pub use compare::CompareArgs;
pub use connect::ConnectArgs;
pub use contest::{
    ContestAnnulArgs, ContestCheckArgs, ContestCommand, ContestDisqualifyArgs, ContestExportArgs,
    ContestJoinArgs, ContestNameArgs, ContestNewArgs, ContestPublishArgs, ContestReplayArgs,
    ContestStatusArgs, ContestTakeBackArgs,
};
pub use debug::DebugArgs;
pub use experiment::{
    ExperimentArgs, ExperimentCommand, ExperimentListArgs, ExperimentStartArgs, LaneArgs, PinArgs,
};
pub use game::{
    GameAddArgs, GameBuildArgs, GameCheckArgs, GameCommand, GameGetArgs, GameLanguage,
    GameListArgs, GameNewArgs, GamePackArgs, GamePlayArgs, GameRemoveArgs, GameScaleArgs,
};
pub use group::{
    GroupCommand, GroupImportArgs, GroupListArgs, GroupNewArgs, GroupQuotaArgs, GroupShowArgs,
};
pub use ladder::LadderArgs;
pub use libraries::{
    LibrariesCommand, LibraryAddArgs, LibraryGetArgs, LibraryListArgs, LibraryPlaceArgs,
    LibraryRemoveArgs,
};
pub use r#match::MatchArgs;
pub use match_options::{ConnectArg, EloArg, MatchOptionArgs, PairArgs, SeriesArgs};
pub use new::NewArgs;
pub use play::PlayArgs;
pub use rate::RateArgs;
pub use regress::{RegressAddArgs, RegressCommand, RegressListArgs, RegressRunArgs};
pub use replay::{
    ExportArgs, FramesArgs, ImportArgs, PerspectiveArg, ReplayCommand, ShowArgs, TraceArgs,
    VerifyArgs,
};
pub use situations::{MineArgs, PackListArgs, PackUploadArgs, SituationsCommand};
pub use tools::{
    BotsArgs, BotzoneArgs, CompletionsArgs, ConfigCommand, DoctorArgs, EachTurnArgs, GamesArgs,
    ManArgs, ParityArgs, SeatArgs,
};
pub use tournament::{FormatArg, OutputArg, TournamentArgs};
pub use tune::TuneArgs;
pub use values::{JsonArg, ReplayPointArg, RoundRange, parse_limit};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
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
    /// Say nothing on stderr but errors: no progress, no notices of builds.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say the progress after every match or pair of a series, one line each.
    #[arg(short, long, global = true)]
    pub verbose: bool,
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// What was asked. Invalid usage is explained on stderr and ends the process with status 2.
    pub fn from_command_line(lang: Localizer) -> Cli {
        let read = commands(lang.lang())
            .try_get_matches()
            .and_then(|matches| Cli::from_arg_matches(&matches));
        read.unwrap_or_else(|answer| {
            if answer.exit_code() != 0 {
                let said = match lang.lang() {
                    Lang::Zh => chinese::describe_refusal(&answer),
                    Lang::En => answer.to_string(),
                };
                let why = said
                    .lines()
                    .map(str::trim)
                    .take_while(|line| !line.is_empty());
                let why = why.collect::<Vec<_>>().join(" ");
                let why = why
                    .trim_start_matches("error: ")
                    .trim_start_matches("错误：");
                print_json_error(why);
            }
            match lang.lang() {
                _ if answer.kind() == ErrorKind::InvalidUtf8 => refuse_word(lang),
                Lang::Zh => std::process::exit(chinese::print_clap_error(&answer)),
                Lang::En => answer.exit(),
            }
        })
    }
}

/// The options that the command line itself gives its command, without their dashes: not what only the
/// environment or a configuration file says.
pub fn given_options(lang: Localizer) -> Vec<String> {
    let mut all = commands(lang.lang());
    // They were read before: they fit.
    let matches = all.get_matches_mut();
    let Some((name, own)) = matches.subcommand() else {
        return Vec::new();
    };
    let command = all.find_subcommand(name).expect("it was found by its name");
    let source = |arg: &clap::Arg| own.value_source(arg.get_id().as_str());
    let given = command
        .get_arguments()
        .filter(|arg| source(arg) == Some(ValueSource::CommandLine));
    given
        .filter_map(|arg| arg.get_long().map(str::to_owned))
        .collect()
}

/// Prints an error as `{"error": …}` to stdout, if the command line asks for JSON: a program that
/// reads it always gets some.
pub fn print_json_error(why: &str) {
    let words: Vec<_> = std::env::args_os().collect();
    let asks = |words: &[std::ffi::OsString]| match words {
        [word] => word == "--json" || word == "--json-lines" || word == "--output=json",
        [option, value] => option == "--output" && value == "json",
        _ => false,
    };
    if words.chunks(1).any(asks) || words.windows(2).any(asks) {
        // Whoever closed stdout does not want to know.
        _ = crate::files::print_stdout(&format!("{}\n", serde_json::json!({"error": why})));
    }
}

/// Says which word is not UTF-8, and what helps. Archives from Chinese Windows leave names in GBK.
fn refuse_word(lang: Localizer) -> ! {
    let word = std::env::args_os().find(|word| word.to_str().is_none());
    let word = format!("{:?}", word.unwrap_or_default());
    let why = lang.fill("the argument {} is not UTF-8; rename the file or folder, such as with mv ./bot* bot.py; where a whole folder has names in GBK: convmv -f gbk -t utf-8 -r --notest FOLDER", &[&word]);
    crate::files::print_stderr(&format!("leitai: {why}"));
    std::process::exit(2);
}

/// All commands, with their texts in the chosen language.
pub fn commands(lang: Lang) -> clap::Command {
    let english = translate_command(crate::config::with_defaults(Cli::command()));
    match lang {
        Lang::Zh => chinese::translate_command(english),
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

const EXAMPLES: &str = "\
Examples:
  leitai games                                  list the games
  leitai new snakego                            a bot to start from
  leitai match snakego territory greedy         two built-in bots play a match
  leitai match snakego ./mybot.cpp territory    your program against a built-in bot
  leitai check snakego ./mybot.cpp              is your program ready to submit?
  leitai play snakego --against greedy          play in this terminal
  leitai replay show matches/FILE.json          watch a match again, turn by turn";

#[derive(Subcommand)]
pub enum Command {
    /// List the games.
    Games(GamesArgs),
    /// Games of your own, as game files: write, build, check, pack, list. Wherever a game is named, the
    /// path of its folder or file will do.
    #[command(subcommand)]
    Game(GameCommand),
    /// Libraries that bots may use: list them, allow and remove them, take them home.
    #[command(subcommand)]
    Libraries(LibrariesCommand),
    /// List a game's built-in bots, and the protocols that programs may use.
    Bots(BotsArgs),
    /// Write a bot to start from: a complete program that plays as it is.
    New(NewArgs),
    /// Play a match between two entrants.
    Match(MatchArgs),
    /// Check a program before you submit it, step by step, with advice for every step that fails.
    Check(CheckArgs),
    /// Play in the terminal, against a bot or another person.
    Play(PlayArgs),
    /// Test whether a new version is better than the old one, with as many pairs of games as it
    /// takes.
    Compare(CompareArgs),
    /// Find the values of a bot's parameters with which it is strongest, and test them.
    Tune(TuneArgs),
    /// Measure how strong a bot is, on the scale of the game's levels.
    Rate(RateArgs),
    /// Measure a bot so that others can repeat it: committed seeds, no network, a result file.
    Benchmark(BenchmarkArgs),
    /// Play a tournament: round robin, gauntlet, Swiss, single or double elimination.
    Tournament(Box<TournamentArgs>),
    /// Run a contest with dates and stages: write and check its file, publish it, follow and correct it.
    #[command(subcommand)]
    Contest(ContestCommand),
    /// Rank the bots in a folder: play the most informative games until the order is settled.
    Ladder(LadderArgs),
    /// Pin positions in which a bot made a mistake, and test whether later versions repeat it.
    #[command(subcommand)]
    Regress(RegressCommand),
    /// Packs of situations that a bot is asked: mined from its losses, a game's own, an organiser's.
    #[command(subcommand)]
    Situations(SituationsCommand),
    /// Position books: where the matches of a series start instead of at the game's beginning.
    #[command(subcommand)]
    Book(BookCommand),
    /// Say why a match was lost: what every decision was worth, and when it was decided.
    Analyze(AnalyzeArgs),
    /// Start a bot under the debugger of its language, at a moment of a recorded match.
    Debug(DebugArgs),
    /// Watch, verify and convert replays.
    #[command(subcommand)]
    Replay(ReplayCommand),
    /// Run an arena: pages, API, ladders and a worker, at http://localhost:8080.
    Serve(Box<ServeArgs>),
    /// Play matches for an arena on another machine.
    Worker(WorkerArgs),
    /// Manage accounts, tokens and backups of an arena on this machine.
    Admin(AdminArgs),
    /// Write the finished matches of an arena on this machine to a folder, one file a day, for
    /// research.
    Dataset(DatasetArgs),
    /// Log in to an arena; later commands use this account.
    Login(LoginArgs),
    /// Manage groups of an arena, such as a class: members, teams, one-time passwords.
    #[command(subcommand)]
    Group(GroupCommand),
    /// Upload a program to an arena, and follow its build and checks.
    Submit(SubmitArgs),
    /// Show the place of your bot on each ladder of its game, or opt it out of a further one.
    Standing(StandingArgs),
    /// Test a version of your bot against another one in an arena, until a sequential test decides.
    #[command(subcommand)]
    Experiment(ExperimentCommand),
    /// Play in an arena with a bot that stays on this machine, or offer it to whoever comes.
    Connect(Box<ConnectArgs>),
    /// List matches of an arena.
    Matches(MatchesArgs),
    /// Show the tags of a match of an arena, or replace them.
    Tags(TagsArgs),
    /// Print what your bot wrote to stderr in a match of an arena.
    Logs(LogsArgs),
    /// Fetch a match's replay, or a version's source, from an arena.
    Download(DownloadArgs),
    /// Serve a coding agent over stdin and stdout (Model Context Protocol): rules, check, play, analyse,
    /// submit.
    Mcp,
    /// Show how this machine isolates programs, what is missing, and how to fix it.
    Doctor(DoctorArgs),
    /// Compare the engine with a corpus of recorded games.
    Parity(ParityArgs),
    /// Wrap a program that speaks Botzone's JSON.
    #[command(hide = true)]
    Botzone(BotzoneArgs),
    /// Wrap a program that is started anew for every turn.
    #[command(hide = true)]
    EachTurn(EachTurnArgs),
    /// Play one seat of legs that another program leads, line by line.
    #[command(hide = true)]
    Seat(Box<SeatArgs>),
    /// The configuration files: defaults of options, in ~/.config/leitai/config.toml and ./leitai.toml.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print completions for a shell.
    Completions(CompletionsArgs),
    /// Write the man pages.
    Man(ManArgs),
}

impl Command {
    /// The options of the matches that the command plays.
    pub fn match_options(&self) -> Option<&MatchOptionArgs> {
        match self {
            Command::Match(args) => Some(&args.options),
            Command::Check(args) => Some(&args.options),
            Command::Play(args) => Some(&args.options),
            Command::Compare(args) => Some(&args.played.series.options),
            Command::Tune(args) => Some(&args.played.series.options),
            Command::Rate(args) => Some(&args.played.series.options),
            Command::Ladder(args) => Some(&args.series.options),
            Command::Tournament(args) => Some(&args.series.options),
            Command::Regress(RegressCommand::Run(args)) => Some(&args.options),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_definitions_are_valid() {
        Cli::command().debug_assert();
    }

    /// What has no answer for a program: it goes on until it is stopped, talks with a person, or its
    /// output is a file's content.
    const WITHOUT_JSON: [&str; 17] = [
        "botzone",
        "completions",
        "debug",
        "each-turn",
        "game play",
        "man",
        "mcp",
        "play",
        "replay export",
        "replay frames",
        "replay import",
        "replay show",
        "replay trace",
        "seat",
        "serve",
        "tournament",
        "worker",
    ];

    #[test]
    fn every_command_that_answers_has_json() {
        fn list(command: &clap::Command, path: &str, lacks: &mut Vec<String>) {
            let mut below = command
                .get_subcommands()
                .filter(|own| own.get_name() != "help");
            let Some(first) = below.next() else {
                let has = command
                    .get_arguments()
                    .any(|arg| arg.get_long() == Some("json"));
                if !has {
                    lacks.push(path.trim().to_owned());
                }
                return;
            };
            for own in std::iter::once(first).chain(below) {
                list(own, &format!("{path} {}", own.get_name()), lacks);
            }
        }
        let (mut command, mut lacks) = (Cli::command(), Vec::new());
        command.build();
        list(&command, "", &mut lacks);
        let mut without = WITHOUT_JSON.map(str::to_owned).to_vec();
        lacks.sort();
        without.sort();
        assert_eq!(lacks, without);
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
}
