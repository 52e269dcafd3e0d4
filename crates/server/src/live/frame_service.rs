//! Leg frames of recorded matches, computed a few at a time.

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
    /// The work broke off.
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
    /// Runs the work on a thread of its own, once there is a free one.
    ///
    /// # Errors
    /// If too many requests wait, or the work panicked.
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
            // Kept until the work is done, also when nobody waits for it any more.
            let _permit = permit;
            work()
        });
        making
            .await
            .map_err(|error| FrameServiceError::Failed(error.to_string()))
    }
}
