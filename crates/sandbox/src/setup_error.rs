//! A step of a start that failed.

use serde::{Deserialize, Serialize};
use std::io;

/// A step that failed, with the system's number for the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetupError {
    pub step: String,
    pub errno: i32,
    /// Whether the program could not be started, rather than the sandbox set up.
    pub program: bool,
}

impl SetupError {
    pub fn new(step: impl Into<String>, errno: i32) -> SetupError {
        SetupError {
            step: step.into(),
            errno,
            program: false,
        }
    }
}

/// For `map_err`: names what was being done.
pub fn failed_step<E: Into<io::Error>>(step: &'static str) -> impl Fn(E) -> SetupError {
    move |error| SetupError::new(step, error.into().raw_os_error().unwrap_or(libc::EIO))
}
