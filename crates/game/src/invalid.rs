//! The error of choices and setups.

use std::fmt;

/// A config or setup that is not sound: what is wrong, with the value, and what is accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSetup(pub String);

impl InvalidSetup {
    /// From anything that displays as a sentence.
    pub fn new(why: impl fmt::Display) -> InvalidSetup {
        InvalidSetup(why.to_string())
    }
}
