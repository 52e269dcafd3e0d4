//! Messages of the job source over HTTP, besides those in [`super::source`].

use leitai_store::LeaseState;
use serde::{Deserialize, Serialize};

use super::source::{Handshake, JobProgress, JobReport, JobRequest, ReportOutcome};

/// `POST /api/worker/acquire`
#[derive(Debug, Serialize, Deserialize)]
pub struct AcquireBody {
    /// Both ends must agree.
    pub handshake: Handshake,
    /// The worker's name.
    pub worker: String,
    /// What it would take.
    pub wish: JobRequest,
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
    /// What is new; nothing only renews the lease.
    pub news: Vec<JobProgress>,
}

/// Its answer.
#[derive(Debug, Serialize, Deserialize)]
pub struct ProgressReply {
    /// Whether the lease lives.
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

/// Its answer.
#[derive(Debug, Serialize, Deserialize)]
pub struct FinishReply {
    /// Whether it counts.
    pub taken: ReportOutcome,
}
