//! The time at tables, so that tests need not wait for it.

use std::fmt::Debug;
use std::time::{Duration, Instant};

/// Tells the time and passes it.
pub trait Clock: Debug + Send + Sync {
    /// Time since some fixed moment.
    fn now(&self) -> Duration;
    /// Lets so much time pass on this thread.
    fn rest(&self, time: Duration);
}

/// The machine's own.
#[derive(Debug)]
pub struct Real(Instant);

impl Default for Real {
    fn default() -> Real {
        Real(Instant::now())
    }
}

impl Clock for Real {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn rest(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// A clock that only moves when it is told to, or when somebody would rest.
#[cfg(test)]
#[derive(Debug, Default)]
pub struct Manual(std::sync::Mutex<Duration>);

#[cfg(test)]
impl Manual {
    /// Lets time pass.
    pub fn advance(&self, time: Duration) {
        *crate::arena::hub::lock(&self.0) += time;
    }
}

#[cfg(test)]
impl Clock for Manual {
    fn now(&self) -> Duration {
        *crate::arena::hub::lock(&self.0)
    }

    fn rest(&self, time: Duration) {
        self.advance(time);
        std::thread::yield_now();
    }
}
