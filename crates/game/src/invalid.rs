//! The error of configs and setups.

use std::fmt;

use crate::lang::{Message, Say};

/// An invalid config or setup: the error with the value, and the accepted values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSetup(pub Message);

impl InvalidSetup {
    /// The error with the words of another error.
    pub fn new(why: impl fmt::Display) -> InvalidSetup {
        InvalidSetup(why.to_string().into())
    }
}

impl Say for InvalidSetup {
    fn to_message(&self) -> Message {
        self.0.clone()
    }
}
