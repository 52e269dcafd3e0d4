//! `leitai play GAME`

use std::time::Duration;

use leitai_game::{AnyGame, Seat, ToMove};
use leitai_judge::{MatchSpec, PlayerKind};
use leitai_series::EntrantRequest;
use leitai_series::entrant::EntrantSpec;

use crate::cli::PlayArgs;
use crate::cmd::r#match::{exit_code, keep_replay, make_match, print_result};
use crate::prelude::*;

use crate::wording::UNHURRIED;
use crate::{arguments, files, outcome, stop, tui};

/// The word for a second person at the same keyboard.
const ME: &str = "me";

/// Lets a person play in the terminal.
pub fn run(lang: Localizer, args: &PlayArgs) -> Result<ExitCode> {
    ensure!(
        tui::is_terminal(),
        "{}",
        lang.label("`leitai play` needs a terminal, and stdin or stdout is not one; run it in a terminal, or let two programs play with `leitai match`")
    );
    let game = arguments::find_game(&args.game)?;
    let stop = stop::on_interrupt()?;
    let against = choose_opponent(&*game, args.against.as_deref())?;
    let who = if args.second {
        [against, EntrantSpec::Person]
    } else {
        [EntrantSpec::Person, against]
    };
    if let Some(path) = &args.replay {
        files::check_writable(path)?;
    }
    let (mut fixture, _entrants) =
        make_match(lang, &game, &who, &args.options, args.from.as_ref())?;
    give_time(&mut fixture, args.options.limit);
    let (played, broken) = tui::play::run(lang, &fixture, stop)?;
    let kept = keep_replay(&fixture, &played.replay, args.replay.as_ref());
    let path = kept.as_ref().ok().and_then(Option::as_deref);
    let to_stdout = args.replay.as_deref().is_some_and(files::is_stdout);
    print_result(
        &outcome::format_result(lang, &fixture, &played, path, None),
        to_stdout,
    )?;
    broken
        .map_or(Ok(()), Err)
        .context(lang.label("the terminal is gone"))?;
    kept.map(|_| exit_code(&played))
}

/// Whom the person plays: as asked, or greedy, or the second-weakest bot of ours.
fn choose_opponent(game: &dyn AnyGame, asked: Option<&str>) -> Result<EntrantSpec> {
    match asked {
        Some(ME) => return Ok(EntrantSpec::Person),
        Some(word) => return EntrantRequest::parse(game, word).map(EntrantSpec::Bot),
        None => {}
    }
    let bots: Vec<&str> = game.list_bots().into_iter().map(|(name, _)| name).collect();
    let chosen = bots
        .iter()
        .find(|name| **name == "greedy")
        .or(bots.get(1))
        .or(bots.first());
    let id = game.meta().id;
    chosen.map(|name| EntrantSpec::Bot(EntrantRequest::from_word(name))).with_context(|| {
        format!(
            "{id} has no built-in bots; name a program, or a second person: leitai play {id} --against me"
        )
    })
}

/// Programs keep the game's time. People have what was asked for, or as long as they like; but
/// where both move at once one would wait for the other, so that the game's time holds for people,
/// too. Nobody puts an action together key by key in a program's time.
fn give_time(fixture: &mut MatchSpec, asked: Option<Duration>) {
    let limit = fixture.game.meta().period_limit;
    let at_once = fixture.setup.start_leg().to_move() == ToMove::Both;
    let one_key = fixture.game.action_builder(Seat::First).is_none();
    let people = asked.unwrap_or(if at_once && one_key { limit } else { UNHURRIED });
    fixture.limits.period = limit;
    for (_, player) in fixture.players.iter_mut() {
        if let PlayerKind::Human { period, .. } = &mut player.kind {
            *period = people;
        }
    }
}
