//! Checks that what a worker brought is a replay of its task.

use std::cmp::Ordering;
use std::time::Duration;

use leitai_game::replay::{EntrantKind, LegRecord, Replay, verify_replay};
use leitai_game::{AnyGame, Entrant, Scope};
use leitai_judge::{RefereeLimits, limits_record};

use super::program_cache::packed_program;
use super::source::{EntrantSource, MatchTask};
use super::{continuation, limits};

/// Parses a replay and checks it as far as the worker is not trusted.
pub fn read_replay(
    game: &dyn AnyGame,
    task: &MatchTask,
    text: &str,
    trusted: bool,
) -> Result<Replay, String> {
    let replay = Replay::parse(text).map_err(|error| error.to_string())?;
    let differs = |what| format!("this is not a replay of match {}: it has {what}", task.id);
    check_task(game, task, &replay).map_err(differs)?;
    if !trusted {
        let verified = verify_replay(game, &replay).map_err(|error| error.to_string())?;
        verified.map_err(|difference| format!("the replay does not verify: {difference}"))?;
    }
    check_legs(task, &replay).map_err(differs)?;
    Ok(replay)
}

/// Checks that the replay belongs to the task. The error names the difference.
fn check_task(game: &dyn AnyGame, task: &MatchTask, replay: &Replay) -> Result<(), &'static str> {
    let (dealt, _) =
        continuation::begin_match(game, task).map_err(|_| "choices that cannot be dealt")?;
    let names = Entrant::BOTH
        .iter()
        .all(|who| replay.entrants[*who].name == task.entrants[*who].name);
    let kinds = Entrant::BOTH
        .iter()
        .all(|who| replay.entrants[*who].kind == entrant_kind(game, &task.entrants[*who].source));
    let settings = Entrant::BOTH
        .iter()
        .all(|who| replay.entrants[*who].settings == task.entrants[*who].settings);
    for (same, what) in [
        (replay.game == task.game, "another game"),
        (
            replay.rules == game.meta().rules
                && (task.file.is_none() || replay.rules == task.rules),
            "other rules",
        ),
        (replay.seed == Some(task.seed), "another seed"),
        (replay.config == task.config, "other choices"),
        (
            replay.setup == dealt.to_json(),
            "another setup than its seed deals",
        ),
        (names, "other entrants"),
        (kinds, "entrants of another kind"),
        (settings, "other settings"),
        (same_limits(game, task, replay), "other limits"),
        (
            continuation::is_continuation(game, task, replay),
            "other forced replies",
        ),
        (replay.origin.is_none(), "a foreign origin"),
    ] {
        if !same {
            return Err(what);
        }
    }
    Ok(())
}

fn entrant_kind(game: &dyn AnyGame, source: &EntrantSource) -> EntrantKind {
    match source {
        EntrantSource::BuiltIn(word) if packed_program(game, word).is_some() => {
            EntrantKind::Program
        }
        EntrantSource::BuiltIn(_) => EntrantKind::BuiltIn,
        EntrantSource::Program(_) => EntrantKind::Program,
    }
}

/// Compares limits except for the isolation, which is the worker's choice, and the waiting
/// allowance, which older workers do not know.
fn same_limits(game: &dyn AnyGame, task: &MatchTask, replay: &Replay) -> bool {
    let Some(limits) = &replay.limits else {
        return false;
    };
    let own = RefereeLimits {
        waiting: limits.waiting_ms.map(Duration::from_millis),
        ..limits::referee_limits(game, &task.limits)
    };
    let isolation = limits.isolation.clone();
    *limits == limits_record(&own, &limits::sandbox_limits(), isolation)
}

/// Checks the number of legs: all of them, unless one decided the match.
fn check_legs(task: &MatchTask, replay: &Replay) -> Result<(), &'static str> {
    let decides = |leg: &LegRecord| {
        leg.outcome
            .as_ref()
            .is_some_and(|end| end.scope == Scope::Match)
    };
    let decisive = replay.legs.iter().position(decides);
    match decisive
        .map_or(task.legs, |index| task.legs.min(index + 1))
        .cmp(&replay.legs.len())
    {
        Ordering::Equal => Ok(()),
        Ordering::Greater => Err("too few legs"),
        Ordering::Less => Err("too many legs"),
    }
}
