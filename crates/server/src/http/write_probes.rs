//! The last probes of the places where the server writes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Mutex;

use crate::http::error::Result;

/// The last probes of the places where the server writes.
#[derive(Clone, Default)]
pub struct WriteProbes {
    /// Of the database.
    pub database: WriteProbe,
    /// Of the blob store.
    pub blobs: WriteProbe,
}

/// The last probe of one place. Concurrent callers wait for it and share its result.
#[derive(Clone, Default)]
pub struct WriteProbe(Arc<Mutex<Option<ProbeResult>>>);

/// The time and the result of a probe.
type ProbeResult = (Instant, Result<()>);

impl WriteProbe {
    /// The result of the last probe, if it is no older than this; otherwise of a new one.
    pub async fn share(
        &self,
        keep: Duration,
        probe: impl Future<Output = Result<()>>,
    ) -> Result<()> {
        let mut last = self.0.lock().await;
        match &*last {
            Some((at, answer)) if at.elapsed() < keep => answer.clone(),
            _ => {
                let answer = probe.await;
                *last = Some((Instant::now(), answer.clone()));
                answer
            }
        }
    }
}
