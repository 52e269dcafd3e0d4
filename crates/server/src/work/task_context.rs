//! What a task is done with, and how it speaks with the arena meanwhile.

use std::sync::Arc;
use std::time::Duration;

use leitai_game::GameHandle;
use leitai_work::leases::RETRY;

use super::leases::{HeldLease, report_progress};
use super::program_cache::ProgramCache;
use super::source::{JobProgress, JobReport, JobSource, JobSourceError, SourceTask};

/// What a task is done with.
#[derive(Clone, Copy)]
pub struct TaskContext<'a> {
    /// Where it came from.
    pub source: &'a Arc<dyn JobSource>,
    /// Its game.
    pub game: &'a GameHandle,
    /// The programs of this machine.
    pub programs: &'a ProgramCache,
    /// The right to do it.
    pub held: &'a Arc<HeldLease>,
    /// How long each program may wait rather than compute.
    pub waiting: Option<Duration>,
}

/// The outcome of a task.
pub enum TaskOutcome {
    /// A result.
    Report(JobReport),
    /// It was interrupted: another worker may do it.
    Back,
}

impl TaskOutcome {
    /// It failed by our fault.
    pub fn failed(why: impl ToString) -> TaskOutcome {
        TaskOutcome::Report(JobReport::InfrastructureError(why.to_string()))
    }
}

impl TaskContext<'_> {
    /// Reports progress, which renews the lease.
    pub fn report(&self, progress: Vec<JobProgress>) -> Result<(), JobSourceError> {
        report_progress(&**self.source, self.held, progress)
    }

    /// The bytes of an upload; asked for again while the arena is away and the task goes on.
    pub fn fetch(&self, upload: &SourceTask) -> Result<Vec<u8>, JobSourceError> {
        insist(self.held, || {
            self.source.fetch_source(&self.held.lease, upload)
        })
    }

    /// A list of libraries or a package, likewise.
    pub fn fetch_library(&self, hash: &str) -> Result<Vec<u8>, JobSourceError> {
        insist(self.held, || self.source.fetch_library(hash))
    }
}

/// Asks again while the arena is away and the task goes on.
pub fn insist(
    held: &HeldLease,
    ask: impl Fn() -> Result<Vec<u8>, JobSourceError>,
) -> Result<Vec<u8>, JobSourceError> {
    loop {
        match ask() {
            Err(JobSourceError::Away(_)) if !held.is_stopped() => std::thread::sleep(RETRY),
            answered => return answered,
        }
    }
}
