//! The desk of a worker on another machine: the house's, over HTTP.

use std::time::Duration;

use leitai_game::AnyGame;
use leitai_store::{Holding, Lease, WorkerReport};
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::StatusCode;

use super::desk::{Desk, DeskError, Handshake, News, Report, SourceTask, Taken, Task, Wish};
use super::remote::{AcquireBody, FinishBody, FinishReply, LeaseBody, ProgressBody, ProgressReply};

/// The longest answer that is read: an upload and some.
const LONGEST: u64 = 32 << 20;
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A desk over HTTP.
pub struct RemoteDesk {
    agent: ureq::Agent,
    server: String,
    token: String,
    worker: String,
    handshake: Handshake,
}

impl RemoteDesk {
    /// A desk at this address, for a worker of this name with this token.
    pub fn new(server: &str, token: &str, worker: &str, games: &[&dyn AnyGame]) -> RemoteDesk {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("leitai-worker/", env!("CARGO_PKG_VERSION")))
            .build();
        RemoteDesk {
            agent: config.into(),
            server: server.trim_end_matches('/').to_owned(),
            token: token.to_owned(),
            worker: worker.to_owned(),
            handshake: Handshake::of(games),
        }
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Posts, and reads the answer; `None` if there is none.
    fn post<R: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<Option<R>, DeskError> {
        let url = format!("{}/api/worker/{path}", self.server);
        let answer = self.agent.post(&url).header("Authorization", self.bearer()).send_json(body);
        let mut answer = answer.map_err(|error| self.unreachable(&error))?;
        if answer.status() == StatusCode::NO_CONTENT {
            return Ok(None);
        }
        self.check(&mut answer)?;
        let text = answer.body_mut().with_config().limit(LONGEST).read_json();
        text.map(Some).map_err(|error| self.unreachable(&error))
    }

    fn unreachable(&self, error: &ureq::Error) -> DeskError {
        DeskError::Later(format!("{} does not answer: {error}", self.server))
    }

    /// A refusal in the server's own words.
    fn check(&self, answer: &mut ureq::http::Response<ureq::Body>) -> Result<(), DeskError> {
        let status = answer.status();
        if status.is_success() {
            return Ok(());
        }
        let body: serde_json::Value =
            answer.body_mut().with_config().limit(64 << 10).read_json().unwrap_or_default();
        let said = body["error"]["message"].as_str().unwrap_or("it does not say why");
        let words = format!("{} answers {status}: {said}", self.server);
        let passes = status.is_server_error()
            || status == StatusCode::TOO_MANY_REQUESTS
            || status == StatusCode::REQUEST_TIMEOUT;
        Err(if passes { DeskError::Later(words) } else { DeskError::Refused(words) })
    }

    fn lease_body(lease: &Lease) -> LeaseBody {
        LeaseBody { token: lease.token.clone() }
    }
}

fn nothing() -> DeskError {
    DeskError::Later("the server's answer was empty".to_owned())
}

impl Desk for RemoteDesk {
    fn acquire(&self, wish: &Wish) -> Result<Option<Task>, DeskError> {
        let (handshake, worker) = (self.handshake.clone(), self.worker.clone());
        self.post("acquire", &AcquireBody { handshake, worker, wish: wish.clone() })
    }

    fn await_work(&self, most: Duration) {
        // The server is asked again; it says at once whether there is something.
        std::thread::sleep(most);
    }

    fn tell(&self, lease: &Lease, news: Vec<News>) -> Result<Holding, DeskError> {
        let body = ProgressBody { token: lease.token.clone(), news };
        let reply: Option<ProgressReply> = self.post(&format!("jobs/{}/progress", lease.job), &body)?;
        reply.map(|reply| reply.holding).ok_or_else(nothing)
    }

    fn finish(&self, lease: &Lease, report: Report) -> Result<Taken, DeskError> {
        let body = FinishBody { token: lease.token.clone(), report };
        let reply: Option<FinishReply> = self.post(&format!("jobs/{}/finish", lease.job), &body)?;
        reply.map(|reply| reply.taken).ok_or_else(nothing)
    }

    fn hand_back(&self, lease: &Lease) -> Result<(), DeskError> {
        let path = format!("jobs/{}/hand-back", lease.job);
        self.post::<serde_json::Value>(&path, &Self::lease_body(lease)).map(drop)
    }

    fn source(&self, lease: &Lease, source: &SourceTask) -> Result<Vec<u8>, DeskError> {
        let SourceTask { version, .. } = source;
        let url = format!("{}/api/worker/jobs/{}/source?version={version}", self.server, lease.job);
        let asked = self
            .agent
            .get(&url)
            .header("Authorization", self.bearer())
            .header("X-Leitai-Lease", &lease.token);
        let mut answer = asked.call().map_err(|error| self.unreachable(&error))?;
        self.check(&mut answer)?;
        answer.body_mut().with_config().limit(LONGEST).read_to_vec().map_err(|error| self.unreachable(&error))
    }

    fn report(&self, report: &WorkerReport) -> Result<(), DeskError> {
        self.post::<serde_json::Value>("report", report).map(drop)
    }

    fn rhythm(&self) -> Duration {
        Duration::from_millis(300)
    }
}
