//! How long a logic process may keep its thread waiting. What a busy machine withheld from either of them
//! does not count. Time is an argument.

use std::time::{Duration, Instant};

/// How long the process may compute, or write, before it must wait for the next message.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// The most that counts of the time between two looks: if it was longer, the machine held this thread up.
const MOST_BETWEEN: Duration = Duration::from_millis(20);

/// The time for one wait.
#[derive(Debug)]
pub struct Patience {
    looked: Instant,
    waited: Duration,
    /// In which the process was ready and the machine did something else, before the first look.
    withheld: Option<Duration>,
}

impl Patience {
    /// A wait that begins now.
    pub fn begin(now: Instant) -> Patience {
        Patience {
            looked: now,
            waited: Duration::ZERO,
            withheld: None,
        }
    }

    /// To be called at each look; whether the time is over. `withheld` tells for how long the process has
    /// been ready, since its start, while the machine did something else.
    pub fn is_over(&mut self, now: Instant, withheld: impl Fn() -> Duration) -> bool {
        let passed = now.saturating_duration_since(self.looked);
        self.waited += passed.min(MOST_BETWEEN);
        self.looked = now;
        let before = *self.withheld.get_or_insert_with(&withheld);
        self.waited >= PATIENCE
            && self
                .waited
                .saturating_sub(withheld().saturating_sub(before))
                >= PATIENCE
    }
}
