//! The error of configs and setups.

use std::fmt;

/// An invalid config or setup: the error with the value, and the accepted values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSetup(pub String);

impl InvalidSetup {
    /// The error with this sentence.
    pub fn new(why: impl fmt::Display) -> InvalidSetup {
        InvalidSetup(why.to_string())
    }
}
