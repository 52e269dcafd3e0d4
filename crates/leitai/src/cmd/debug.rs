//! `leitai debug REPLAY BOT --round N`

use leitai_game::{AnyGame, Entrant, Replay};
use leitai_judge::{PlayerKind, ReplayPoint, ResumePoint};
use leitai_series::entrant::{self, build_player};
use leitai_series::regression::pinned_position::pinned_entrant;
use leitai_series::{EntrantRequest, MatchOptions, naming};

use crate::cli::DebugArgs;
use crate::debug::debugger::ProgramCommand;
use crate::debug::session::{DebugRequest, DebugSession, SessionEnd};
use crate::prelude::*;
use crate::series::{INTERRUPTED, print_build_notice};
use crate::{files, replay_file, stop, tui};

/// Starts the program, feeds it the record and hands over to the debugger.
pub fn run(lang: Localizer, args: &DebugArgs) -> Result<ExitCode> {
    let (replay, game) = replay_file::read_replay(&args.replay)?;
    let leg = choose_leg(&replay, args.leg)?;
    let round = args.round;
    let resumed = ResumePoint::new(&*game, &replay, ReplayPoint { leg, round });
    let (setup, _) = resumed
        .with_context(|| args.replay.display().to_string())
        .map_err(UsageError::wrap)?;
    let asked = EntrantRequest::parse(&*game, &args.bot)?;
    let word = &asked.word;
    if entrant::is_built_in(&*game, word) {
        return Err(usage_error(format!(
            "{word} is a built-in bot; give the path of a program"
        )));
    }
    let entrant = choose_entrant(&*game, &replay, leg, &asked, args)?;
    ensure!(
        args.wait || tui::is_terminal(),
        "a debugger needs a terminal, and stdin or stdout is not one; run it in a terminal, or add \
         --wait and attach your own debugger"
    );
    let interrupted = stop::note_interrupts()?;
    let options = MatchOptions {
        leitai: std::env::current_exe()?,
        debug_info: true,
        ..MatchOptions::new(&*game)?
    };
    let (player, _folder) = build_player(&*game, &asked, &options, &mut |notice| {
        print_build_notice(lang, notice)
    })?;
    let PlayerKind::Program {
        program, protocol, ..
    } = &player.kind
    else {
        // Why it could not be built has been said.
        return Ok(ExitCode::FAILURE);
    };
    files::print_stderr(&lang.fill(
        "leitai: {} plays as {}, without sandbox and without time limits",
        &[&player.name, &replay.entrants[entrant].name],
    ));
    let limits = replay.limits.as_ref();
    let request = DebugRequest {
        lang,
        game: &*game,
        setup: &*setup,
        record: &replay.legs[leg - 1],
        leg: leg - 1,
        round,
        seat: entrant.seat_in_leg(leg - 1),
        name: &player.name,
        protocol,
        message_limit: limits.map_or(game.meta().message_limit, |limits| limits.message_bytes),
        wait: args.wait,
    };
    let command = ProgramCommand::new(&asked.settings.apply_to(program, options.resources));
    let end = DebugSession::start(request, &command, interrupted)?.run()?;
    Ok(exit_code(end))
}

fn exit_code(end: SessionEnd) -> ExitCode {
    match end {
        SessionEnd::Reached => ExitCode::SUCCESS,
        SessionEnd::NotReached => ExitCode::FAILURE,
        SessionEnd::Interrupted => ExitCode::from(INTERRUPTED),
    }
}

/// The leg that is asked for, or the only one.
fn choose_leg(replay: &Replay, asked: Option<usize>) -> Result<usize> {
    let legs = replay.legs.len();
    let leg = asked.or((legs == 1).then_some(1));
    leg.ok_or_else(|| {
        usage_error(format!(
            "the replay has {legs} legs; say which with --leg N"
        ))
    })
}

/// The entrant whose place the program takes.
fn choose_entrant(
    game: &dyn AnyGame,
    replay: &Replay,
    leg: usize,
    asked: &EntrantRequest,
    args: &DebugArgs,
) -> Result<Entrant> {
    if args.entrant.is_none() {
        let name = naming::name_entrants(game, &[asked]).remove(0);
        let named = |entrant: &Entrant| replay.entrants[*entrant].name == name;
        let found: Vec<Entrant> = Entrant::BOTH.into_iter().filter(named).collect();
        if let [only] = found[..] {
            return Ok(only);
        }
    }
    pinned_entrant(replay, leg, args.entrant.as_deref()).map_err(UsageError::wrap)
}
