//! Errors of the job queue.

use leitai_store::{BlobStoreError, StoreError};
use leitai_work::JobSourceError;

/// Errors of the queue.
#[derive(Debug, thiserror::Error)]
pub enum JobQueueError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The blob store failed.
    #[error(transparent)]
    Blobs(#[from] BlobStoreError),
    /// The result is not acceptable.
    #[error("{0}")]
    Bad(String),
}

impl JobQueueError {
    /// Whether the database is away: the job itself is well.
    pub fn is_away(&self) -> bool {
        matches!(self, JobQueueError::Store(StoreError::Away(_)))
    }
}

impl From<JobQueueError> for JobSourceError {
    fn from(error: JobQueueError) -> JobSourceError {
        match error {
            JobQueueError::Bad(why) => JobSourceError::Refused(why),
            error if error.is_away() => JobSourceError::Away(error.to_string()),
            error => JobSourceError::Later(error.to_string()),
        }
    }
}
