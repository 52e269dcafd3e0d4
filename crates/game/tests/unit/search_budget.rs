//! Tests of `search_budget`.

use leitai_game::bot::BotClock;
use leitai_game::bot::Untimed;
use leitai_game::search_budget::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

struct Left(Duration);

impl BotClock for Left {
    fn time_left(&self) -> Option<Duration> {
        Some(self.0)
    }
}

#[test]
fn an_empty_budget_still_allows_one_evaluation() {
    assert!(!SearchBudget::nodes(0).is_spent(0));
    assert!(SearchBudget::nodes(0).is_spent(1));
}

#[test]
fn without_a_clock_the_nodes_count() {
    let budget = SearchBudget::clock(&Untimed, Duration::from_secs(1), 10);
    assert!(!budget.is_spent(9));
    assert!(budget.is_spent(10));
}

#[test]
fn only_a_clock_gives_threads() {
    struct Threads(Option<Duration>, usize);
    impl BotClock for Threads {
        fn time_left(&self) -> Option<Duration> {
            self.0
        }
        fn threads(&self) -> usize {
            self.1
        }
    }
    let second = Duration::from_secs(1);
    let of = |clock: Threads| SearchBudget::clock(&clock, second, 10).threads();
    assert_eq!(of(Threads(Some(second), 3)), 3);
    assert_eq!(of(Threads(Some(second), 0)), 1);
    assert_eq!(of(Threads(None, 3)), 1);
    assert_eq!(SearchBudget::nodes(10).threads(), 1);
}

#[test]
fn a_quarter_of_the_time_stays_unused() {
    let full = Left(Duration::from_millis(400));
    let budget = SearchBudget::clock(&full, Duration::from_secs(1), 10);
    assert!(!budget.is_interrupted());
    assert_eq!(budget.reserve(), Some(Duration::from_millis(100)));
}

#[test]
fn a_part_has_its_share_of_nodes_and_time() {
    assert!(SearchBudget::nodes(100).split_off(4).is_spent(25));
    assert!(!SearchBudget::nodes(100).split_off(4).is_spent(24));
    assert!(SearchBudget::nodes(1).split_off(0).is_spent(1));
    let full = Left(Duration::from_millis(400));
    let part = SearchBudget::clock(&full, Duration::from_secs(1), 10).split_off(3);
    assert_eq!(part.reserve(), Some(Duration::from_millis(300)));
}

#[test]
fn a_raised_flag_stops_at_the_next_check() {
    let stop = AtomicBool::new(false);
    let budget = SearchBudget::nodes(u64::MAX).with_stop(&stop);
    assert!(!budget.is_spent(NODES_PER_LOOK));
    stop.store(true, Ordering::Relaxed);
    assert!(budget.is_spent(NODES_PER_LOOK));
}
