//! Messages of the job API that are not in [`super::source`].

use leitai_store::LeaseState;
use serde::{Deserialize, Serialize};

use super::source::{Handshake, JobProgress, JobReport, JobRequest, ReportOutcome};

/// `POST /api/worker/acquire`
#[derive(Debug, Serialize, Deserialize)]
pub struct AcquireBody {
    /// The handshake, in which both ends must agree.
    pub handshake: Handshake,
    /// The worker's name.
    pub worker: String,
    /// The jobs that it accepts.
    #[serde(rename = "wish")]
    pub request: JobRequest,
}

/// `POST /api/worker/jobs/{id}/hand-back`
#[derive(Debug, Serialize, Deserialize)]
pub struct LeaseBody {
    /// The token of the lease.
    pub token: String,
}

/// `POST /api/worker/jobs/{id}/progress`
#[derive(Debug, Serialize, Deserialize)]
pub struct ProgressBody {
    /// The token of the lease.
    pub token: String,
    /// The progress; an empty list only renews the lease.
    #[serde(rename = "news")]
    pub progress: Vec<JobProgress>,
}

/// The answer.
#[derive(Debug, Serialize, Deserialize)]
pub struct ProgressReply {
    /// Whether the lease is held.
    pub holding: LeaseState,
}

/// `POST /api/worker/jobs/{id}/finish`
#[derive(Debug, Serialize, Deserialize)]
pub struct FinishBody {
    /// The token of the lease.
    pub token: String,
    /// The result.
    pub report: JobReport,
}

/// The answer.
#[derive(Debug, Serialize, Deserialize)]
pub struct FinishReply {
    /// Whether the result counts.
    pub taken: ReportOutcome,
}
