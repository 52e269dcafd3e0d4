//! The limits of programs in the arena: time and resources.

use std::time::Duration;

use leitai_game::AnyGame;
use leitai_judge::{RefereeLimits, Resources};
use leitai_store::Json;

/// The longest thinking time of built-in bots: the arena plays all day, often on a laptop.
const THOUGHT: Duration = Duration::from_millis(100);
/// The possible values of a match's `period_ms`.
const PERIODS: std::ops::RangeInclusive<u64> = 10..=600_000;

/// The game's own limits, or those with the match's `period_ms`.
pub fn referee_limits(game: &dyn AnyGame, asked: &Json) -> RefereeLimits {
    let meta = game.meta();
    let period = asked
        .get("period_ms")
        .and_then(Json::as_u64)
        .filter(|asked| PERIODS.contains(asked));
    let period = period.map_or(meta.period_limit, Duration::from_millis);
    RefereeLimits {
        thought: Some(THOUGHT),
        ..RefereeLimits::new(period, meta.message_limit)
    }
}

/// The resource limits of programs.
pub fn sandbox_limits() -> Resources {
    Resources::BOT
}
