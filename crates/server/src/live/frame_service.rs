//! Limits the computation of leg frames of recorded matches to a few at a time.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// Legs that are computed at once.
const AT_ONCE: usize = 2;
/// Requests that may wait; more are refused.
const WAITING: usize = 30;

/// Why no frames were computed.
#[derive(Debug, thiserror::Error)]
pub enum FrameServiceError {
    /// Too many requests wait.
    #[error("too many replays are being rendered; try again in a moment")]
    Busy,
    /// The computation panicked.
    #[error("the frames were not computed: {0}")]
    Failed(String),
}

/// Computes leg frames, a few legs at a time.
#[derive(Clone, Debug)]
pub struct FrameService {
    making: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

impl Default for FrameService {
    fn default() -> FrameService {
        FrameService {
            making: Arc::new(Semaphore::new(AT_ONCE)),
            waiting: Arc::new(Semaphore::new(WAITING)),
        }
    }
}

impl FrameService {
    /// Runs the computation on a blocking thread, once a permit is free.
    ///
    /// # Errors
    /// If too many requests wait, or the computation panicked.
    pub async fn run_when_free<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, FrameServiceError> {
        let busy = || FrameServiceError::Busy;
        let _waiting = self.waiting.try_acquire().map_err(|_| busy())?;
        let permit = self
            .making
            .clone()
            .acquire_owned()
            .await
            .map_err(|_| busy())?;
        let making = tokio::task::spawn_blocking(move || {
            // The permit is held until the computation is done, even if the request is cancelled.
            let _permit = permit;
            work()
        });
        making
            .await
            .map_err(|error| FrameServiceError::Failed(error.to_string()))
    }
}
