//! The times of moves: a histogram with steps of at most 6 %, small enough to be stored for every
//! match and exact enough for a median and a 99th percentile over millions of moves.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The number of steps for every doubling.
const STEPS: u64 = 16;

/// Times of moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TimeHistogram(BTreeMap<u16, u32>);

impl TimeHistogram {
    /// Counts one move of this many microseconds.
    pub fn count_time(&mut self, micros: u64) {
        *self.0.entry(step_of(micros)).or_insert(0) += 1;
    }

    /// The number of moves.
    pub fn move_count(&self) -> u64 {
        self.0.values().map(|count| u64::from(*count)).sum()
    }

    /// The time that this share of the moves did not exceed; `None` without moves.
    pub fn time_quantile(&self, share: f64) -> Option<Duration> {
        let rank = (self.move_count() as f64 * share).ceil().max(1.0) as u64;
        let mut passed = 0;
        let reached = |(step, count): (&u16, &u32)| {
            passed += u64::from(*count);
            (passed >= rank).then(|| Duration::from_micros(middle_of(*step)))
        };
        self.0.iter().find_map(reached)
    }

    /// [`TimeHistogram::time_quantile`] in microseconds.
    pub fn quantile_micros(&self, share: f64) -> Option<u64> {
        self.time_quantile(share)
            .map(|time| time.as_micros() as u64)
    }
}

impl AddAssign<&TimeHistogram> for TimeHistogram {
    fn add_assign(&mut self, other: &TimeHistogram) {
        other
            .0
            .iter()
            .for_each(|(step, count)| *self.0.entry(*step).or_insert(0) += count);
    }
}

/// Values below 16 microseconds have separate steps; above, every doubling has sixteen.
fn step_of(micros: u64) -> u16 {
    if micros < STEPS {
        return micros as u16;
    }
    let doubling = u64::from(micros.ilog2()) - 4;
    (STEPS + doubling * STEPS + ((micros >> doubling) - STEPS)) as u16
}

fn middle_of(step: u16) -> u64 {
    let step = u64::from(step);
    if step < STEPS {
        return step;
    }
    let (doubling, rest) = ((step - STEPS) / STEPS, (step - STEPS) % STEPS);
    let low = (STEPS + rest) << doubling.min(59);
    low + (1u64 << doubling.min(59)) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_differs_from_the_middle_of_its_step_by_a_32nd_at_most() {
        for micros in (0..5000).chain([1 << 20, 3_000_000, 86_400_000_000, u64::MAX / 2]) {
            let middle = middle_of(step_of(micros));
            let off = middle.abs_diff(micros) as f64 / micros.max(1) as f64;
            assert!(off <= 1.0 / 32.0, "{micros} is shown as {middle}");
        }
    }

    #[test]
    fn quantiles_of_counted_times() {
        let mut times = TimeHistogram::default();
        assert_eq!(times.time_quantile(0.5), None);
        (1..=100).for_each(|micros| times.count_time(micros));
        let within = |share: f64, low: u64, high: u64| {
            let got = times
                .time_quantile(share)
                .expect("moves were counted")
                .as_micros() as u64;
            assert!((low..=high).contains(&got), "{share}: {got}");
        };
        within(0.5, 48, 52);
        within(0.99, 96, 102);
        within(0.0, 1, 1);
        let mut twice = times.clone();
        twice += &times;
        assert_eq!(
            (twice.move_count(), twice.time_quantile(0.5)),
            (200, times.time_quantile(0.5))
        );
    }
}
