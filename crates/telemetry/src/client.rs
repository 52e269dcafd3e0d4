//! Requests to the collector, by the HTTP client that workers use.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use ureq::{Agent, Body};

/// The timeout of a request.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest answer that is read, in bytes.
const ANSWER: u64 = 64 << 10;

/// A client that says once when the collector does not answer.
#[derive(Clone, Debug)]
pub struct CollectorClient {
    agent: Agent,
    address: Arc<str>,
    away: Arc<AtomicBool>,
}

impl CollectorClient {
    pub fn new(address: &str) -> CollectorClient {
        let config = Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("leitai/", env!("CARGO_PKG_VERSION")))
            .build();
        CollectorClient {
            agent: config.into(),
            address: address.into(),
            away: Arc::default(),
        }
    }

    /// Posts a message.
    pub fn post(&self, url: &str, message: &[u8]) -> Result<(), HttpError> {
        let request = Request::post(url)
            .header("content-type", "application/x-protobuf")
            .body(Bytes::copy_from_slice(message))?;
        self.send(request).map(|_| ())
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let answer = self.agent.run(request.map(|body| body.to_vec()));
        let answer = answer.map_err(HttpError::from).and_then(read_answer);
        match &answer {
            Ok(answer) if answer.status().is_success() => self.note_present(),
            Ok(answer) => self.note_away(&answer.status()),
            Err(error) => self.note_away(error),
        }
        answer
    }

    fn note_away(&self, why: &dyn std::fmt::Display) {
        if !self.away.swap(true, Ordering::Relaxed) {
            let (address, why) = (&*self.address, why.to_string());
            tracing::warn!(
                address,
                why,
                "the collector does not take traces and metrics; they are lost until it does"
            );
        }
    }

    fn note_present(&self) {
        if self.away.swap(false, Ordering::Relaxed) {
            tracing::info!(
                address = &*self.address,
                "the collector takes traces and metrics again"
            );
        }
    }
}

fn read_answer(answer: Response<Body>) -> Result<Response<Bytes>, HttpError> {
    let (head, mut body) = answer.into_parts();
    let bytes = body.with_config().limit(ANSWER).read_to_vec()?;
    Ok(Response::from_parts(head, bytes.into()))
}

#[async_trait::async_trait]
impl HttpClient for CollectorClient {
    /// Blocks: the SDK sends from a thread of its own.
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        self.send(request)
    }
}
