//! The clock of human matches; tests set it by hand.

use std::fmt::Debug;
use std::time::{Duration, Instant};

/// A clock that can be read and waited on.
pub trait PlayClock: Debug + Send + Sync {
    /// Time since some fixed moment.
    fn elapsed(&self) -> Duration;
    /// Blocks this thread for this time.
    fn sleep_for(&self, time: Duration);
}

/// The system's monotonic clock.
#[derive(Debug)]
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> SystemClock {
        SystemClock(Instant::now())
    }
}

impl PlayClock for SystemClock {
    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn sleep_for(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// A clock that only moves when a test moves it or code sleeps on it.
#[cfg(test)]
#[derive(Debug, Default)]
pub struct ManualClock(std::sync::Mutex<Duration>);

#[cfg(test)]
impl ManualClock {
    /// Moves the clock forward.
    pub fn advance_by(&self, time: Duration) {
        *crate::sync::lock(&self.0) += time;
    }
}

#[cfg(test)]
impl PlayClock for ManualClock {
    fn elapsed(&self) -> Duration {
        *crate::sync::lock(&self.0)
    }

    fn sleep_for(&self, time: Duration) {
        self.advance_by(time);
        std::thread::yield_now();
    }
}
