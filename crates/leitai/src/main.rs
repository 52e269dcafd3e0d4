//! `leitai`, the binary. `cli` says what can be asked, `cmd` does it, one file a command.

mod again;
mod ask;
mod batch;
mod cli;
mod cmd;
mod cup;
mod entrant;
mod files;
mod house;
mod isolation;
mod lang;
mod naming;
mod outcome;
mod pin;
mod progress;
mod remote;
mod report;
mod stop;
mod tui;
mod verdict;
mod width;

use std::process::ExitCode;

use crate::ask::Misused;
use crate::cli::{Cli, Command, RegressCommand, ReplayCommand};

/// Exit status of invalid usage, as clap gives it.
const MISUSED: u8 = 2;

fn main() -> ExitCode {
    leitai_sandbox::run_if_called();
    lang::set(lang::asked());
    let cli = Cli::from_command_line();
    match run(cli.command) {
        Ok(code) => code,
        Err(error) => {
            files::say(&format!("leitai: {}", lang::say_error(&error)));
            if error.is::<Misused>() { ExitCode::from(MISUSED) } else { ExitCode::FAILURE }
        }
    }
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Games => cmd::games::run(),
        Command::Bots(args) => cmd::bots::run(&args),
        Command::New(args) => cmd::new::run(&args),
        Command::Match(args) => cmd::r#match::run(&args),
        Command::Check(args) => cmd::check::run(&args),
        Command::Play(args) => cmd::play::run(&args),
        Command::Compare(args) => cmd::compare::run(&args),
        Command::Ladder(args) => cmd::ladder::run(args),
        Command::Regress(RegressCommand::Add(args)) => cmd::regress::add(&args),
        Command::Regress(RegressCommand::Run(args)) => cmd::regress::run(&args),
        Command::Regress(RegressCommand::List(args)) => cmd::regress::list(&args),
        Command::Tournament(args) => cmd::tournament::run(*args),
        Command::Replay(ReplayCommand::Show(args)) => cmd::replay::show(&args),
        Command::Replay(ReplayCommand::Verify(args)) => cmd::replay::verify(&args),
        Command::Replay(ReplayCommand::Export(args)) => cmd::replay::export(&args),
        Command::Replay(ReplayCommand::Import(args)) => cmd::replay::import(&args),
        Command::Replay(ReplayCommand::Trace(args)) => cmd::replay::trace(&args),
        Command::Replay(ReplayCommand::Frames(args)) => cmd::replay::frames(&args),
        Command::Serve(args) => cmd::serve::run(&args),
        Command::Worker(args) => cmd::worker::run(&args),
        Command::Admin(args) => cmd::admin::run(&args),
        Command::Login(args) => cmd::login::run(&args),
        Command::Submit(args) => cmd::submit::run(&args),
        Command::Matches(args) => cmd::matches::run(&args),
        Command::Logs(args) => cmd::logs::run(&args),
        Command::Download(args) => cmd::download::run(&args),
        Command::Doctor(args) => cmd::doctor::run(&args),
        Command::Parity(args) => cmd::parity::run(&args),
        Command::EachTurn(args) => cmd::each_turn::run(&args),
        Command::Completions(args) => cmd::manual::completions(&args),
        Command::Man(args) => cmd::manual::man(&args),
    }
}
