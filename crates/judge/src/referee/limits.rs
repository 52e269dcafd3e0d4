//! What a program may use, where the referee looks.

use std::time::Duration;

use leitai_game::BySeat;

use crate::log::KEPT;

/// What a program may use, where the referee looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefereeLimits {
    /// CPU time a period; [`crate::clock::wall_cap`] says what wall time goes with it. For people it is
    /// wall time.
    pub period: Duration,
    /// Added to a program's first period of every leg: virtual machines and imports take their
    /// time.
    pub start: Duration,
    /// Time of all periods of the match together, counted as a period's.
    pub total: Option<Duration>,
    /// How long built-in bots think at most, where the period is longer; they get this limit and
    /// are not at fault if they need a little more.
    pub thought: Option<Duration>,
    /// Whether programs run while they are not to move, in games where one moves at a time.
    pub pondering: bool,
    /// Bytes in one message.
    pub message: usize,
    /// Bytes of stderr that are kept a leg.
    pub log: usize,
}

impl RefereeLimits {
    /// The usual allowance for the start.
    pub const START: Duration = Duration::from_secs(10);

    /// The usual limits but for these two.
    pub const fn new(period: Duration, message: usize) -> RefereeLimits {
        let (start, total, thought) = (RefereeLimits::START, None, None);
        RefereeLimits {
            period,
            start,
            total,
            thought,
            pondering: false,
            message,
            log: KEPT,
        }
    }
}

/// The same limits for both seats.
impl From<RefereeLimits> for BySeat<RefereeLimits> {
    fn from(limits: RefereeLimits) -> Self {
        BySeat::new(limits, limits)
    }
}
