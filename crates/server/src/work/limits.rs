//! The limits of programs in the arena: time and resources.

use std::time::Duration;

use leitai_game::AnyGame;
use leitai_judge::{RefereeLimits, Resources, TimeBank};
use leitai_store::Json;

use crate::match_limits::{MatchLimits, PERIODS, STRIKES};

/// The longest thinking time of built-in bots: the arena plays all day, often on a laptop.
const THOUGHT: Duration = Duration::from_millis(100);
/// The game's own limits, or those with the match's `period_ms`.
pub fn referee_limits(game: &dyn AnyGame, asked: &Json) -> RefereeLimits {
    let meta = game.meta();
    let asked = MatchLimits::read(asked);
    let bank = asked.bank();
    let period = asked.period().or(bank.map(TimeBank::longest_turn));
    RefereeLimits {
        thought: Some(THOUGHT),
        bank,
        grace: asked.grace(),
        keeps: asked.keeps,
        ..RefereeLimits::new(period.unwrap_or(meta.period_limit), meta.message_limit)
    }
}

/// The limits of a match that anybody asks for: a turn has at most the game's own limit, with a bank,
/// too, so that no match is longer than the usual ones.
///
/// # Errors
/// The key that cannot be so, and what to write.
pub fn check_limits(
    game: &dyn AnyGame,
    asked: MatchLimits,
) -> Result<MatchLimits, (&'static str, String)> {
    let own = u64::try_from(game.meta().period_limit.as_millis()).unwrap_or(u64::MAX);
    let asked = MatchLimits {
        period_ms: asked.period_ms.or(asked.bank_ms.map(|_| own)),
        ..asked
    };
    let least = *PERIODS.start();
    for (key, time, most) in [
        ("period_ms", asked.period_ms, own),
        ("bank_ms", asked.bank_ms, 3_600_000),
        ("increment_ms", asked.increment_ms, own),
        ("grace_ms", asked.grace_ms, own),
    ] {
        if time.is_some_and(|time| !(least..=most.max(least)).contains(&time)) {
            return Err((key, format!("write milliseconds from {least} to {most}")));
        }
    }
    let needs = |key, other| Err((key, format!("give {other}, too, or leave it out")));
    match (asked.grace_ms, asked.strikes) {
        _ if asked.bank_ms.is_none() && asked.increment_ms.is_some() => {
            needs("increment_ms", "bank_ms")
        }
        (Some(_), None) => needs("grace_ms", "strikes"),
        (None, Some(_)) => needs("strikes", "grace_ms"),
        (_, Some(strikes)) if !STRIKES.contains(&strikes) => {
            let (least, most) = (STRIKES.start(), STRIKES.end());
            Err(("strikes", format!("write a number from {least} to {most}")))
        }
        _ => Ok(asked),
    }
}

/// The resource limits of programs.
pub fn sandbox_limits() -> Resources {
    Resources::BOT
}
