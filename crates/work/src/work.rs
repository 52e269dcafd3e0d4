//! What a worker is given: where its jobs come from, how one is done, and where results go.

use std::sync::Arc;
use std::time::Duration;

use tracing::Span;

use crate::leases::{HeldLease, LeaseTerms};

/// Jobs of one kind. Every method may block on a network or a disk; a worker calls it from its own
/// threads.
pub trait Work: Send + Sync + 'static {
    /// The jobs that a slot accepts.
    type Request: Send + Sync;
    /// A job that was taken.
    type Job;
    /// The right to do it.
    type Lease: Send + Sync;
    /// What came of it: a result, or that another worker may do it.
    type Outcome;

    /// The first and the longest pause after an outcome could not be delivered.
    const PAUSES: [Duration; 2];

    /// Takes a job, if there is one; may wait for one until [`Work::stop_waiting`].
    ///
    /// # Errors
    /// [`JobSourceError`]
    fn take_job(&self, request: &Self::Request) -> Result<Option<Self::Job>, JobSourceError>;

    /// The right to a job that was taken, and what the worker knows of it.
    fn lease_of(&self, job: &Self::Job) -> (Self::Lease, LeaseTerms);

    /// Renews a lease, and notes whether it is held. An error is tried again.
    ///
    /// # Errors
    /// [`JobSourceError`]
    fn renew_lease(&self, held: &HeldLease<Self::Lease>) -> Result<(), JobSourceError>;

    /// Does a job; ends soon once the lease says that it should stop.
    fn do_job(&self, job: &Self::Job, held: &Arc<HeldLease<Self::Lease>>) -> Self::Outcome;

    /// The outcome of a job whose thread panicked.
    fn panic_outcome(&self, job: &Self::Job) -> Self::Outcome;

    /// Delivers an outcome; called again after an error that passes. Says what went wrong, where
    /// people should know it.
    ///
    /// # Errors
    /// [`JobSourceError`]
    fn deliver(&self, job: &Self::Job, outcome: &Self::Outcome) -> Result<(), JobSourceError>;

    /// The outcome could not be delivered, and is given up.
    fn give_up(&self, _: &Self::Job) {}

    /// Ends all waits, also later ones: the worker stops.
    fn stop_waiting(&self) {}

    /// Reports that the worker is alive, and does so many jobs.
    fn report_alive(&self, _busy: usize) {}

    /// The job of a lease, for logs.
    fn name_job(&self, lease: &Self::Lease) -> String;

    /// The span of a job in traces.
    fn trace_job(&self, _: &Self::Job) -> Span {
        Span::none()
    }
}

/// Errors of a job source.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum JobSourceError {
    /// The source cannot be reached, or its database does not answer: the job itself is well, so try
    /// again, however long that lasts.
    #[error("{0}")]
    Away(String),
    /// A temporary error; try again.
    #[error("{0}")]
    Later(String),
    /// A permanent error.
    #[error("{0}")]
    Refused(String),
}
