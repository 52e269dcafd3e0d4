//! When a search stops.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::bot::BotClock;

/// Nodes between two looks at the clock: well under a millisecond in the games at hand.
#[doc(hidden)] // For tests.
pub const NODES_PER_LOOK: u64 = 256;

/// When a search stops: after a number of nodes, when only a reserve is left on a clock, or when
/// another thread raises a flag; whichever comes first.
///
/// A search that is bound by nodes alone gives the same result on every machine.
///
/// ```
/// use leitai_game::SearchBudget;
/// let budget = SearchBudget::nodes(1000);
/// assert!(!budget.is_spent(999));
/// assert!(budget.is_spent(1000));
/// ```
#[derive(Clone, Copy)]
pub struct SearchBudget<'a> {
    nodes: u64,
    clock: Option<ClockLimit<'a>>,
    stop: Option<&'a AtomicBool>,
}

#[derive(Clone, Copy)]
struct ClockLimit<'a> {
    clock: &'a dyn BotClock,
    /// The search stops when no more than this is left.
    reserve: Duration,
}

impl<'a> SearchBudget<'a> {
    /// So many nodes. A budget of 0 nodes counts as 1: a search always looks at the position it is
    /// given.
    pub fn nodes(nodes: u64) -> SearchBudget<'a> {
        SearchBudget {
            nodes: nodes.max(1),
            clock: None,
            stop: None,
        }
    }

    /// The time of the current period up to `most`. A quarter of the time that is left stays
    /// untouched, for a machine that stumbles. Where nobody counts time, `untimed_nodes` nodes.
    pub fn clock(clock: &'a dyn BotClock, most: Duration, untimed_nodes: u64) -> SearchBudget<'a> {
        let Some(left) = clock.time_left() else {
            return SearchBudget::nodes(untimed_nodes);
        };
        let reserve = left - most.min(left / 4 * 3);
        SearchBudget {
            nodes: u64::MAX,
            clock: Some(ClockLimit { clock, reserve }),
            stop: None,
        }
    }

    /// One of so many equal parts of the budget, for a search that runs next: of the nodes, and of
    /// the time that is left now.
    pub fn split_off(self, parts: u32) -> SearchBudget<'a> {
        let parts = parts.max(1);
        let nodes = match self.nodes {
            u64::MAX => u64::MAX,
            nodes => (nodes / u64::from(parts)).max(1),
        };
        let share = |limit: ClockLimit<'a>| {
            let left = limit.clock.time_left().unwrap_or(limit.reserve);
            let usable = left.saturating_sub(limit.reserve);
            ClockLimit {
                reserve: left.saturating_sub(usable / parts),
                ..limit
            }
        };
        SearchBudget {
            nodes,
            clock: self.clock.map(share),
            stop: self.stop,
        }
    }

    /// The same budget that also ends when this flag is raised.
    pub fn with_stop(self, stop: &'a AtomicBool) -> SearchBudget<'a> {
        SearchBudget {
            stop: Some(stop),
            ..self
        }
    }

    /// The threads that the search may run on at once: those of the clock, and one where nodes alone
    /// are counted, so that the result is the same on every machine.
    pub fn threads(&self) -> usize {
        self.clock.map_or(1, |limit| limit.clock.threads().max(1))
    }

    /// The time that the search leaves on the clock.
    #[doc(hidden)] // For tests.
    pub fn reserve(&self) -> Option<Duration> {
        self.clock.map(|limit| limit.reserve)
    }

    /// Whether the search must stop after so many nodes. Looks at the clock and the flag at every
    /// 256th node only, so call it with every count.
    #[inline]
    pub fn is_spent(&self, nodes: u64) -> bool {
        nodes >= self.nodes || (nodes.is_multiple_of(NODES_PER_LOOK) && self.is_interrupted())
    }

    /// Whether the time is up or the flag is raised, whatever the number of nodes.
    pub fn is_interrupted(&self) -> bool {
        let is_raised = |stop: &AtomicBool| stop.load(Ordering::Relaxed);
        let is_late = |limit: ClockLimit<'_>| {
            limit
                .clock
                .time_left()
                .is_some_and(|left| left <= limit.reserve)
        };
        self.stop.is_some_and(is_raised) || self.clock.is_some_and(is_late)
    }
}
