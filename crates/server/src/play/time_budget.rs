//! Time limits and countdowns of people.

use std::time::Duration;

use leitai_game::{AnyGame, AnyLeg, AnySetup, Seat, ToMove};

/// The time for a period with one-key actions, where nobody waits for the other at every step.
const UNHURRIED: Duration = Duration::from_secs(60);
/// The time for a period with composed actions (TankCraft: five orders).
const COMPOSED: Duration = Duration::from_secs(120);
/// The countdown before a leg of simultaneous moves, and between legs.
const COUNTDOWN: Duration = Duration::from_secs(5);

/// The time limits of people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeBudget {
    /// The time for a period.
    budget: Duration,
    /// Whether a leg begins with a countdown.
    quick: bool,
}

impl TimeBudget {
    /// The limits of a game: those of its document, otherwise generous ones. Where both move at
    /// once with one key, each waits for the other, so the game's own limit applies to people too
    /// (KOB: 5 s); SnakeGo and TankCraft limit programs only.
    pub fn from_game(game: &dyn AnyGame, setup: &dyn AnySetup) -> TimeBudget {
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

    /// The time for the present period.
    pub fn period_budget(&self, leg: &dyn AnyLeg) -> Duration {
        leg.period_limit()
            .map_or(self.budget, |own| own.max(self.budget))
    }

    /// The countdown before a leg, by its index.
    pub fn countdown_before(&self, index: usize) -> Option<Duration> {
        (self.quick || index > 0).then_some(COUNTDOWN)
    }
}
