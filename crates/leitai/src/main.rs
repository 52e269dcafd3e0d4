//! `leitai`, the binary. `cli` defines the command line, `cmd` runs the commands, one file each.

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

mod answer;
mod arena;
mod arguments;
mod benchmark;
mod build_cache;
mod cli;
mod cmd;
mod config;
mod connect;
mod debug;
mod failure;
mod files;
mod game_files;
mod isolation;
mod lang;
mod libraries;
mod mcp;
mod outcome;
mod plan;
mod prelude;
mod progress;
mod python_environment;
mod remote;
mod replay_file;
mod rerun_command;
mod series;
mod standings_table;
mod stop;
mod tui;
mod watch;
mod width;
mod wording;

use std::process::ExitCode;

use crate::cli::{Cli, Command, ConfigCommand, RegressCommand, ReplayCommand};
use crate::series::Volume;

/// Of releases: musl's own is slow.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // The check has run before `main`; the call makes it a part of the program.
    if !leitai_processor::is_sufficient() {
        return ExitCode::FAILURE;
    }
    leitai_sandbox::run_if_called();
    python_environment::activate();
    let configured = config::load();
    let lang = lang::choose_language();
    if let Err(why) = configured {
        return failure::report(lang, &why);
    }
    let cli = Cli::from_command_line(lang);
    series::set_volume(match (cli.quiet, cli.verbose) {
        (true, _) => Volume::Quiet,
        (_, true) => Volume::Verbose,
        _ => Volume::Usual,
    });
    match run(lang, cli.command) {
        Ok(code) => code,
        Err(error) => failure::report(lang, &error),
    }
}

/// What a command needs of the game of its replay, or of the judges of games.
fn prepare(command: &Command) -> anyhow::Result<()> {
    if let Command::Replay(command) = command {
        command.load_game()?;
    }
    if let Some(options) = command.match_options() {
        game_files::isolate_judges(options.isolation);
    }
    Ok(())
}

fn run(lang: lang::Localizer, command: Command) -> anyhow::Result<ExitCode> {
    prepare(&command)?;
    match command {
        Command::Games(args) => cmd::games::run(lang, &args),
        Command::Game(command) => cmd::game::run(lang, &command),
        Command::Libraries(command) => cmd::libraries::run(lang, &command),
        Command::Bots(args) => cmd::bots::run(lang, &args),
        Command::New(args) => cmd::new::run(lang, &args),
        Command::Match(args) => cmd::r#match::run(lang, &args),
        Command::Check(args) => cmd::check::run(lang, &args),
        Command::Play(args) => cmd::play::run(lang, &args),
        Command::Compare(args) => cmd::compare::run(lang, &args),
        Command::Tune(args) => cmd::tune::run(lang, &args),
        Command::Rate(args) => cmd::rate::run(lang, &args),
        Command::Benchmark(args) => benchmark::run(lang, &args),
        Command::Ladder(args) => cmd::ladder::run(lang, args),
        Command::Regress(RegressCommand::Add(args)) => cmd::regress::add_position(lang, &args),
        Command::Regress(RegressCommand::Run(args)) => cmd::regress::run(lang, &args),
        Command::Regress(RegressCommand::List(args)) => cmd::regress::list_positions(lang, &args),
        Command::Book(command) => cmd::book::run(lang, &command),
        Command::Situations(command) => cmd::situations::run(lang, &command),
        Command::Debug(args) => cmd::debug::run(lang, &args),
        Command::Analyze(args) => cmd::analyze::run(lang, &args),
        Command::Tournament(args) => cmd::tournament::run(lang, *args),
        Command::Contest(command) => cmd::contest::run(lang, &command),
        Command::Replay(ReplayCommand::Show(args)) => cmd::replay::show_replay(lang, &args),
        Command::Replay(ReplayCommand::Verify(args)) => cmd::replay::verify_replays(lang, &args),
        Command::Replay(ReplayCommand::Export(args)) => cmd::replay::export_replay(lang, &args),
        Command::Replay(ReplayCommand::Import(args)) => cmd::replay::import_replay(lang, &args),
        Command::Replay(ReplayCommand::Trace(args)) => cmd::replay::print_trace(&args),
        Command::Replay(ReplayCommand::Frames(args)) => cmd::replay::print_frames(&args),
        Command::Serve(args) => cmd::serve::run(lang, &args),
        Command::Worker(args) => cmd::worker::run(lang, &args),
        Command::Admin(args) => cmd::admin::run(lang, &args),
        Command::Dataset(args) => cmd::dataset::run(lang, &args),
        Command::Login(args) => cmd::login::run(lang, &args),
        Command::Group(command) => cmd::group::run(lang, &command),
        Command::Submit(args) => cmd::submit::run(lang, &args),
        Command::Connect(args) => cmd::connect::run(lang, &args),
        Command::Experiment(command) => cmd::experiment::run(lang, &command),
        Command::Standing(args) => cmd::standing::run(lang, &args),
        Command::Matches(args) => cmd::matches::run(lang, &args),
        Command::Tags(args) => cmd::tags::run(lang, &args),
        Command::Logs(args) => cmd::logs::run(lang, &args),
        Command::Download(args) => cmd::download::run(lang, &args),
        Command::Mcp => mcp::run(lang),
        Command::Doctor(args) => cmd::doctor::run(lang, &args),
        Command::Parity(args) => cmd::parity::run(lang, &args),
        Command::Botzone(args) => cmd::botzone::run(&args),
        Command::EachTurn(args) => cmd::each_turn::run(&args),
        Command::Seat(args) => cmd::seat::run(lang, &args),
        Command::Config(ConfigCommand::Show(args)) => cmd::config::show(lang, &args),
        Command::Completions(args) => cmd::completions::print_completions(&args),
        Command::Man(args) => cmd::completions::write_man_pages(lang, &args),
    }
}
