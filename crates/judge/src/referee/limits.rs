//! The limits of a program that the referee enforces.

use std::time::Duration;

use leitai_game::BySeat;
use serde::{Deserialize, Serialize};

use crate::clock::{Grace, TimeBank};
use crate::log::KEPT;

/// The limits of a program that the referee enforces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefereeLimits {
    /// CPU time of a period; [`crate::clock::wall_cap`] computes the wall time. For people it is
    /// wall time.
    pub period: Duration,
    /// Added to a program's first period of every leg, for the start of virtual machines and for
    /// imports.
    pub start: Duration,
    /// Time of all periods of the match together, measured like a period's.
    pub total: Option<Duration>,
    /// Soft time-outs of programs; none: a late answer is no answer.
    #[serde(default)]
    pub grace: Option<Grace>,
    /// Whether programs keep a file between the legs of a match (`LEITAI_KEPT`).
    #[serde(default)]
    pub keeps: bool,
    /// The time bank of a leg, beside the limit of a period.
    #[serde(default)]
    pub bank: Option<TimeBank>,
    /// The waiting allowance: the wall time of all periods of the match together in which a program
    /// may neither compute nor be kept from it by the machine ([`crate::Spent::waited_time`]).
    #[serde(default)]
    pub waiting: Option<Duration>,
    /// The thinking time of built-in bots, if the period is longer; a bot that needs slightly more
    /// is not at fault.
    pub thought: Option<Duration>,
    /// Whether programs run while they are not to move, in games with turns.
    pub pondering: bool,
    /// The threads on which a built-in bot may search at once; its time is that of one of them.
    #[serde(default = "one_thread")]
    pub bot_threads: u16,
    /// Bytes in one message.
    pub message: usize,
    /// Bytes of stderr that are kept for each leg.
    pub log: usize,
}

impl RefereeLimits {
    /// The default extra time of the first period.
    pub const START: Duration = Duration::from_secs(10);

    /// The default limits except for these two.
    pub const fn new(period: Duration, message: usize) -> RefereeLimits {
        let (start, total, thought) = (RefereeLimits::START, None, None);
        RefereeLimits {
            period,
            start,
            total,
            grace: None,
            keeps: false,
            bank: None,
            waiting: None,
            thought,
            pondering: false,
            bot_threads: 1,
            message,
            log: KEPT,
        }
    }
}

const fn one_thread() -> u16 {
    1
}

/// The same limits for both seats.
impl From<RefereeLimits> for BySeat<RefereeLimits> {
    fn from(limits: RefereeLimits) -> Self {
        BySeat::new(limits, limits)
    }
}
