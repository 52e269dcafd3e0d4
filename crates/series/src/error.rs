//! Invalid requests, as opposed to failed runs.

use anyhow::anyhow;

/// An invalid request, such as a path that does not exist. Trying it again would not help. The
/// command line has a separate exit status for it.
#[derive(Debug)]
pub struct InvalidRequest(anyhow::Error);

impl std::fmt::Display for InvalidRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl std::error::Error for InvalidRequest {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl InvalidRequest {
    /// The same error with its causes, as the fault of who asked.
    pub fn wrap(error: anyhow::Error) -> anyhow::Error {
        match error.is::<InvalidRequest>() {
            true => error,
            false => InvalidRequest(error).into(),
        }
    }
}

/// An [`InvalidRequest`] as an error, with its reason.
pub fn invalid_request(why: impl Into<String>) -> anyhow::Error {
    InvalidRequest(anyhow!(why.into())).into()
}
