//! Where time was spent, and where in vain.

use serde::Serialize;

use crate::decision::Decision;
use crate::grade::Grade;

/// The time of a side's replies in one leg, in microseconds of wall time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TimeUse {
    /// Of all replies.
    pub total_us: u64,
    /// Of replies that could not change anything: there was no choice, or the result was proven
    /// already.
    pub wasted_us: u64,
    /// Of inaccuracies, mistakes and blunders.
    pub on_errors_us: u64,
    /// The number of inaccuracies, mistakes and blunders.
    pub errors: usize,
    /// The longest reply.
    pub longest_us: u64,
    /// Its round.
    pub longest_round: u32,
}

impl TimeUse {
    /// The time of these decisions; `None` if the replay has no times.
    pub fn of_decisions<'a>(decisions: impl IntoIterator<Item = &'a Decision>) -> Option<TimeUse> {
        let (mut used, mut is_known) = (TimeUse::default(), false);
        for decision in decisions {
            let Some(time) = decision.time_us else {
                continue;
            };
            // Of replies that took no time at all, the first.
            if !is_known || time > used.longest_us {
                (used.longest_us, used.longest_round) = (time, decision.round);
            }
            is_known = true;
            used.total_us += time;
            if !decision.mattered() {
                used.wasted_us += time;
            }
            if decision.grade >= Grade::Inaccuracy {
                used.on_errors_us += time;
                used.errors += 1;
            }
        }
        is_known.then_some(used)
    }

    /// The share of the time that was spent in vain, 0 to 1.
    pub fn wasted_share(&self) -> f64 {
        self.wasted_us as f64 / self.total_us.max(1) as f64
    }
}
