//! Time limits and countdowns of people.

use std::time::Duration;

use leitai_game::{AnyGame, AnyLeg, AnySetup, ByEntrant, Seat, ToMove};

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
    /// The time of programs for a period.
    limit: Duration,
    /// Whether both move at once with one key, so that every period is short.
    quick: bool,
    /// Whether one person plays against a program: then a leg begins without a countdown.
    is_alone: bool,
}

impl TimeBudget {
    /// The limits of a game: those of its document, otherwise generous ones. Where both move at
    /// once with one key, each waits for the other, so the game's own limit applies to people too
    /// (KOB: 5 s); SnakeGo and TankCraft limit programs only. A quick leg waits for the first move,
    /// against a program and against a person.
    pub fn from_game(
        game: &dyn AnyGame,
        setup: &dyn AnySetup,
        people: &ByEntrant<bool>,
    ) -> TimeBudget {
        let at_once = setup.start_leg().to_move() == ToMove::Both;
        let composed = game.action_builder(Seat::First).is_some();
        let budget = match (at_once, composed) {
            (_, true) => COMPOSED,
            (true, false) => game.meta().period_limit,
            (false, false) => UNHURRIED,
        };
        TimeBudget {
            budget,
            limit: game.meta().period_limit,
            quick: at_once && !composed,
            is_alone: people.iter_pairs().filter(|(_, person)| **person).count() == 1,
        }
    }

    /// The same, with no less than this for a period, also for a program at home.
    pub fn at_least(self, least: Option<Duration>) -> TimeBudget {
        let least = least.unwrap_or_default();
        TimeBudget {
            budget: self.budget.max(least),
            limit: self.limit.max(least),
            ..self
        }
    }

    /// The time for the present period, which begins with this step of the leg.
    pub fn period_budget(&self, leg: &dyn AnyLeg, step: usize) -> Duration {
        let budget = match self.quick && step == 0 {
            true => self.budget.max(UNHURRIED),
            false => self.budget,
        };
        leg.period_limit().map_or(budget, |own| own.max(budget))
    }

    /// The time of a program at home for the present period: the game's, as for any program.
    pub fn program_budget(&self, leg: &dyn AnyLeg) -> Duration {
        leg.period_limit()
            .map_or(self.limit, |own| own.max(self.limit))
    }

    /// Whether two people play, who begin when both are ready.
    pub fn is_shared(&self) -> bool {
        !self.is_alone
    }

    /// The countdown before a leg, by its index.
    pub fn countdown_before(&self, index: usize) -> Option<Duration> {
        (index > 0 || (self.quick && !self.is_alone)).then_some(COUNTDOWN)
    }
}
