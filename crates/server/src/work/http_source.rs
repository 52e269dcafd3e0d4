//! The job source over HTTP, for workers on other machines.

use std::time::Duration;

use leitai_game::AnyGame;
use leitai_store::{Lease, LeaseState, WorkerReport};
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::StatusCode;

use super::http_messages::{
    AcquireBody, FinishBody, FinishReply, LeaseBody, ProgressBody, ProgressReply,
};
use super::source::{
    Handshake, JobProgress, JobReport, JobRequest, JobSource, JobSourceError, JobTask,
    ReportOutcome, SourceTask,
};

/// The longest answer in bytes: an upload and some overhead.
const LONGEST: u64 = 32 << 20;
/// The timeout of an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A job source over HTTP.
pub struct HttpJobSource {
    agent: ureq::Agent,
    server: String,
    token: String,
    worker: String,
    handshake: Handshake,
}

impl HttpJobSource {
    /// A job source at this URL for a worker with this name and token.
    pub fn new(server: &str, token: &str, worker: &str, games: &[&dyn AnyGame]) -> HttpJobSource {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("leitai-worker/", env!("CARGO_PKG_VERSION")))
            .build();
        HttpJobSource {
            agent: config.into(),
            server: server.trim_end_matches('/').to_owned(),
            token: token.to_owned(),
            worker: worker.to_owned(),
            handshake: Handshake::from_games(games),
        }
    }

    fn bearer_header(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Posts JSON and reads the answer; `None` if it is empty.
    fn post_json<R: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<Option<R>, JobSourceError> {
        let url = format!("{}/api/worker/{path}", self.server);
        let answer = self
            .agent
            .post(&url)
            .header("Authorization", self.bearer_header())
            .send_json(body);
        let mut answer = answer.map_err(|error| self.unreachable_error(&error))?;
        if answer.status() == StatusCode::NO_CONTENT {
            return Ok(None);
        }
        self.check_status(&mut answer)?;
        let text = answer.body_mut().with_config().limit(LONGEST).read_json();
        text.map(Some)
            .map_err(|error| self.unreachable_error(&error))
    }

    fn unreachable_error(&self, error: &ureq::Error) -> JobSourceError {
        JobSourceError::Later(format!("{} does not answer: {error}", self.server))
    }

    /// Turns an error response into an error with the server's message.
    fn check_status(
        &self,
        answer: &mut ureq::http::Response<ureq::Body>,
    ) -> Result<(), JobSourceError> {
        let status = answer.status();
        if status.is_success() {
            return Ok(());
        }
        let body: serde_json::Value = answer
            .body_mut()
            .with_config()
            .limit(64 << 10)
            .read_json()
            .unwrap_or_default();
        let said = body["error"]["message"]
            .as_str()
            .unwrap_or("it does not say why");
        let words = format!("{} answers {status}: {said}", self.server);
        let passes = status.is_server_error()
            || status == StatusCode::TOO_MANY_REQUESTS
            || status == StatusCode::REQUEST_TIMEOUT;
        Err(if passes {
            JobSourceError::Later(words)
        } else {
            JobSourceError::Refused(words)
        })
    }

    fn lease_body(lease: &Lease) -> LeaseBody {
        LeaseBody {
            token: lease.token.clone(),
        }
    }
}

fn empty_answer_error() -> JobSourceError {
    JobSourceError::Later("the server's answer was empty".to_owned())
}

impl JobSource for HttpJobSource {
    fn lease_job(&self, request: &JobRequest) -> Result<Option<JobTask>, JobSourceError> {
        let (handshake, worker) = (self.handshake.clone(), self.worker.clone());
        self.post_json(
            "acquire",
            &AcquireBody {
                handshake,
                worker,
                request: request.clone(),
            },
        )
    }

    fn await_work(&self, most: Duration) {
        // The server answers at once whether there is a job, so the wait is here.
        std::thread::sleep(most);
    }

    fn renew_and_report(
        &self,
        lease: &Lease,
        progress: Vec<JobProgress>,
    ) -> Result<LeaseState, JobSourceError> {
        let body = ProgressBody {
            token: lease.token.clone(),
            progress,
        };
        let reply: Option<ProgressReply> =
            self.post_json(&format!("jobs/{}/progress", lease.job), &body)?;
        reply
            .map(|reply| reply.lease)
            .ok_or_else(empty_answer_error)
    }

    fn finish_job(
        &self,
        lease: &Lease,
        report: JobReport,
    ) -> Result<ReportOutcome, JobSourceError> {
        let body = FinishBody {
            token: lease.token.clone(),
            report,
        };
        let reply: Option<FinishReply> =
            self.post_json(&format!("jobs/{}/finish", lease.job), &body)?;
        reply
            .map(|reply| reply.outcome)
            .ok_or_else(empty_answer_error)
    }

    fn hand_back(&self, lease: &Lease) -> Result<(), JobSourceError> {
        let path = format!("jobs/{}/hand-back", lease.job);
        self.post_json::<serde_json::Value>(&path, &Self::lease_body(lease))
            .map(drop)
    }

    fn fetch_source(&self, lease: &Lease, source: &SourceTask) -> Result<Vec<u8>, JobSourceError> {
        let SourceTask { version, .. } = source;
        let url = format!(
            "{}/api/worker/jobs/{}/source?version={version}",
            self.server, lease.job
        );
        let asked = self
            .agent
            .get(&url)
            .header("Authorization", self.bearer_header())
            .header("X-Leitai-Lease", &lease.token);
        let mut answer = asked
            .call()
            .map_err(|error| self.unreachable_error(&error))?;
        self.check_status(&mut answer)?;
        answer
            .body_mut()
            .with_config()
            .limit(LONGEST)
            .read_to_vec()
            .map_err(|error| self.unreachable_error(&error))
    }

    fn report_worker(&self, report: &WorkerReport) -> Result<(), JobSourceError> {
        self.post_json::<serde_json::Value>("report", report)
            .map(drop)
    }

    fn renewal_interval(&self) -> Duration {
        Duration::from_millis(300)
    }
}
