//! Errors of account operations.

use std::time::Duration;

use leitai_store::StoreError;

/// Errors of account operations.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// A name or a password is not acceptable.
    #[error("{message}")]
    InvalidField {
        /// A stable code for programs.
        code: &'static str,
        /// The field of the request.
        field: &'static str,
        /// What is wrong with it, and what to do next.
        message: String,
    },
    /// Too many attempts; the next one is possible after this time.
    #[error("too many requests; try again in {:.0} s", .0.as_secs_f64().ceil().max(1.0))]
    TooOften(Duration),
    /// Too many passwords are being hashed; try again after this time.
    #[error("too many people are logging in; try again in a moment")]
    Busy(Duration),
    /// The hash function or its thread failed.
    #[error("{what}: {error}")]
    Hashing {
        /// The operation that failed.
        what: &'static str,
        /// Why.
        error: String,
    },
    /// The store returned an error.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl AccountError {
    /// Makes an error for a field.
    pub fn invalid_field(
        code: &'static str,
        field: &'static str,
        message: impl Into<String>,
    ) -> AccountError {
        AccountError::InvalidField {
            code,
            field,
            message: message.into(),
        }
    }

    /// Makes an error of the hash function or its thread.
    pub fn hashing_error(what: &'static str, error: &dyn std::fmt::Display) -> AccountError {
        AccountError::Hashing {
            what,
            error: error.to_string(),
        }
    }
}
