//! The error of choices and setups.

use std::fmt;

/// A config or setup that is not sound: what is wrong, with the value, and what is accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub String);

impl Invalid {
    /// From anything that displays as a sentence.
    pub fn new(why: impl fmt::Display) -> Invalid {
        Invalid(why.to_string())
    }
}
