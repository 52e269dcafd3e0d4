//! Invalid requests, as opposed to failed runs.

/// An invalid request, such as a path that does not exist. Trying it again would not help. The
/// command line has a separate exit status for it.
#[derive(Debug)]
pub struct InvalidRequest(String);

impl std::fmt::Display for InvalidRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidRequest {}

/// An [`InvalidRequest`] as an error, with its reason.
pub fn invalid_request(why: impl Into<String>) -> anyhow::Error {
    InvalidRequest(why.into()).into()
}
