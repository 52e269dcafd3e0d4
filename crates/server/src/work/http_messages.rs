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
    // The name of wire version 0, so that its workers are refused with a reason.
    #[serde(alias = "wish")]
    pub request: JobRequest,
    /// How long the server may wait for a job before it says that there is none, in milliseconds.
    /// Workers of wire version 2 do not wait.
    #[serde(default)]
    pub wait_ms: u64,
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
    pub progress: Vec<JobProgress>,
}

/// The answer.
#[derive(Debug, Serialize, Deserialize)]
pub struct ProgressReply {
    /// Whether the lease is held.
    pub lease: LeaseState,
}

/// `POST /api/worker/jobs/{id}/finish`
#[derive(Debug, Serialize, Deserialize)]
pub struct FinishBody {
    /// The token of the lease.
    pub token: String,
    /// The result.
    pub report: JobReport,
    /// The span of a trace in which the worker did it, as W3C's `traceparent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize, Deserialize)]
pub struct FinishReply {
    /// Whether the result counts.
    pub outcome: ReportOutcome,
}
