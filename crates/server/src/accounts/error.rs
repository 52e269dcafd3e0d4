//! Why something about an account is refused.

use std::time::Duration;

use leitai_store::StoreError;

/// Why something about an account is refused.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// A name or a password that cannot be taken.
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
    #[error("too often; try again in {:.0} s", .0.as_secs_f64().ceil().max(1.0))]
    TooOften(Duration),
    /// Too many passwords are being checked; try again after this time.
    #[error("too many people log in just now; try again in a moment")]
    Busy(Duration),
    /// A password was not hashed.
    #[error("{what}: {error}")]
    Hashing {
        /// What did not happen.
        what: &'static str,
        /// Why.
        error: String,
    },
    /// The database failed, or refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl AccountError {
    /// A field that cannot be taken.
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

    /// An error of the hash function or of its thread.
    pub fn hashing_error(what: &'static str, error: &dyn std::fmt::Display) -> AccountError {
        AccountError::Hashing {
            what,
            error: error.to_string(),
        }
    }
}
