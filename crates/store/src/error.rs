//! What the database could not do.

use sea_orm::{DbErr, SqlErr};

use crate::Timestamp;
use crate::quota::OverQuota;

/// What the database could not do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A name, an invite or the like is in use.
    #[error("the {what} `{value}` is taken; choose another")]
    Taken {
        /// What is taken, for example `name`.
        what: &'static str,
        /// Its value.
        value: String,
    },
    /// There is no such row.
    #[error("there is no {what} {which}")]
    Missing {
        /// What was asked for, for example `match`.
        what: &'static str,
        /// Its number or name.
        which: String,
    },
    /// There was such a row.
    #[error("{what} {which} was deleted on {}", .at.day())]
    Deleted {
        /// What was asked for, for example `bot`.
        what: &'static str,
        /// Its number.
        which: String,
        /// When it was deleted.
        at: Timestamp,
    },
    /// An account has as much as it may have.
    #[error(transparent)]
    Quota(OverQuota),
    /// It cannot be done in this state.
    #[error("{0}")]
    Refused(String),
    /// A cursor that no list gave out.
    #[error("`{0}` is not a cursor of this list; take `next` of the page before, or leave it out")]
    Cursor(String),
    /// The address of the database is not one.
    #[error(
        "`{0}` is not a database; write sqlite:///folder/leitai.db or postgres://user@host/leitai"
    )]
    Address(String),
    /// PostgreSQL does not answer, or lets nobody in.
    #[error(
        "PostgreSQL at {address} cannot be used: {why}; check that it runs, and that the address, the account, the \
         password and the name of the database are right"
    )]
    Unreachable {
        /// The address without its password.
        address: String,
        /// What was said.
        why: String,
    },
    /// There is no arena in this database.
    #[error("there is no arena in {0}; `leitai serve` makes one")]
    Absent(String),
    /// The database said no.
    #[error("the database failed: {0}")]
    Database(#[from] DbErr),
    /// The database went away or the store was closed meanwhile.
    #[error("the database was closed meanwhile; start the server again")]
    Closed,
}

impl StoreError {
    pub(crate) fn row_missing(what: &'static str, which: impl ToString) -> StoreError {
        StoreError::Missing {
            what,
            which: which.to_string(),
        }
    }

    /// A broken uniqueness means that the value is taken.
    pub(crate) fn value_taken(error: DbErr, what: &'static str, value: &str) -> StoreError {
        match error.sql_err() {
            Some(SqlErr::UniqueConstraintViolation(_)) => StoreError::Taken {
                what,
                value: value.to_owned(),
            },
            _ => StoreError::Database(error),
        }
    }
}
