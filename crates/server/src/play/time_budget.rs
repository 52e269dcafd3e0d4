//! How much time people have, and what they see slowly.

use std::time::Duration;

use leitai_game::{AnyGame, AnyLeg, AnySetup, Seat, ToMove};

/// Time for a period in which one key says an action, where nobody is kept waiting at every step.
const UNHURRIED: Duration = Duration::from_secs(60);
/// Time for a period in which an action is put together (TankCraft: five orders).
const COMPOSED: Duration = Duration::from_secs(120);
/// Before a leg in which both move at once, and between legs.
const COUNTDOWN: Duration = Duration::from_secs(5);

/// How much time people have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeBudget {
    /// For a period.
    budget: Duration,
    /// Whether a leg begins with a countdown.
    quick: bool,
}

impl TimeBudget {
    /// As the game's document says, and generous where it is silent. Where both move at once with
    /// one key, the one would wait for the other, so that the game's own time holds for people, too
    /// (KOB: 5 s); SnakeGo and TankCraft limit programs only.
    pub fn of(game: &dyn AnyGame, setup: &dyn AnySetup) -> TimeBudget {
        let at_once = setup.start_leg().to_move() == ToMove::Both;
        let composed = game.action_builder(Seat::First).is_some();
        let budget = match (at_once, composed) {
            (_, true) => COMPOSED,
            (true, false) => game.meta().period_limit,
            (false, false) => UNHURRIED,
        };
        TimeBudget {
            budget,
            quick: at_once && !composed,
        }
    }

    /// Time for the period that runs now.
    pub fn period_budget(&self, leg: &dyn AnyLeg) -> Duration {
        leg.period_limit()
            .map_or(self.budget, |own| own.max(self.budget))
    }

    /// Time before a leg begins, by its index.
    pub fn countdown_before(&self, index: usize) -> Option<Duration> {
        (self.quick || index > 0).then_some(COUNTDOWN)
    }
}
