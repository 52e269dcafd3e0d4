//! The limits of programs in the arena: time and resources.

use std::time::Duration;

use leitai_game::AnyGame;
use leitai_judge::{RefereeLimits, Resources};
use leitai_store::Json;

/// The longest thinking time of built-in bots: the arena plays all day, often on a laptop.
const THOUGHT: Duration = Duration::from_millis(100);
/// The possible values of a match's `period_ms`.
const PERIODS: std::ops::RangeInclusive<u64> = 10..=600_000;

/// How long a program may wait rather than compute in all its turns together: what the operator
/// says, else [`MATCH_WAITING`] and [`CHECK_WAITING`], and then no less than one turn is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitingAllowances {
    /// In a match.
    pub of_match: Option<Duration>,
    /// In a check.
    pub of_check: Option<Duration>,
}

/// The waiting allowance of a match, unless the operator says another.
pub const MATCH_WAITING: Duration = Duration::from_secs(30);
/// The waiting allowance of a check, unless the operator says another.
pub const CHECK_WAITING: Duration = Duration::from_secs(60);

impl WaitingAllowances {
    /// The allowance of a match with these limits.
    pub fn in_match(&self, limits: &RefereeLimits) -> Duration {
        self.of_match
            .unwrap_or_else(|| MATCH_WAITING.max(limits.period))
    }

    /// The allowance of a check with these limits.
    pub fn in_check(&self, limits: &RefereeLimits) -> Duration {
        self.of_check
            .unwrap_or_else(|| CHECK_WAITING.max(limits.period))
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_program_may_wait_for_a_turn_at_least_unless_the_operator_says_less() {
        let check = |period: u64, own: Option<u64>, expected: [u64; 2]| {
            let limits = RefereeLimits::new(Duration::from_secs(period), 1024);
            let own = own.map(Duration::from_secs);
            let allowances = WaitingAllowances {
                of_match: own,
                of_check: own,
            };
            let seen = [allowances.in_match(&limits), allowances.in_check(&limits)];
            assert_eq!(seen, expected.map(Duration::from_secs), "{period} {own:?}");
        };
        check(5, None, [30, 60]);
        check(50, None, [50, 60]);
        check(600, None, [600, 600]);
        check(5, Some(2), [2, 2]);
        check(5, Some(90), [90, 90]);
    }

    #[test]
    fn a_match_may_request_another_time_within_bounds() {
        let game = leitai_games::ALL[0];
        let usual = game.meta().period_limit;
        let check = |asked: Json, period: Duration| {
            assert_eq!(referee_limits(game, &asked).period, period, "{asked}")
        };
        check(json!(null), usual);
        check(json!({}), usual);
        check(json!({"period_ms": 250}), Duration::from_millis(250));
        check(json!({"period_ms": 0}), usual);
        check(json!({"period_ms": "9"}), usual);
        check(json!({"period_ms": u64::MAX}), usual);
    }
}
