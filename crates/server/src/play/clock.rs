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
