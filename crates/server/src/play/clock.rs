//! The clock of human matches; tests move it by hand.

use std::fmt::Debug;
use std::time::{Duration, Instant};

/// Tells the time and passes it.
pub trait PlayClock: Debug + Send + Sync {
    /// Time since some fixed moment.
    fn elapsed(&self) -> Duration;
    /// Lets so much time pass on this thread.
    fn sleep_for(&self, time: Duration);
}

/// The machine's own.
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

/// A clock that only moves when it is told to, or when somebody would rest.
#[cfg(test)]
#[derive(Debug, Default)]
pub struct ManualClock(std::sync::Mutex<Duration>);

#[cfg(test)]
impl ManualClock {
    /// Lets time pass.
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
