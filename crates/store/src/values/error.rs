//! Errors of the store.

use sea_orm::{ConnAcquireErr, DbErr, RuntimeErr, SqlErr, sqlx};

use crate::Timestamp;
use crate::values::over_quota::OverQuota;

/// What the functions of the store give.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Errors of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A unique value, such as a name or an invite, is in use.
    #[error("the {what} `{value}` is taken; choose another")]
    Taken {
        /// The column, for example `name`.
        what: &'static str,
        /// The value.
        value: String,
    },
    /// The name of another one looks like this one.
    #[error("the {what} `{value}` looks like `{other}`, which is taken; choose another")]
    Alike {
        /// The column: `name` or `id`.
        what: &'static str,
        /// The name.
        value: String,
        /// The name that it looks like.
        other: String,
    },
    /// Somebody had this name before, and nobody else may take it yet.
    #[error(
        "the {what} `{value}` was given up and stays with nobody until {}, so that who takes it is not \
         mistaken for who had it; choose another",
        .until.day()
    )]
    Freed {
        /// The column: `name`.
        what: &'static str,
        /// The name.
        value: String,
        /// When somebody else may take it.
        until: Timestamp,
    },
    /// Somebody had a name before that looks like this one, and nobody else may take either yet.
    #[error(
        "the {what} `{value}` looks like one that was given up and stays with nobody until {}, so that who takes it \
         is not mistaken for who had that one; choose another",
        .until.day()
    )]
    FreedAlike {
        /// The column: `name`.
        what: &'static str,
        /// The name.
        value: String,
        /// When somebody else may take it.
        until: Timestamp,
    },
    /// There is no such row.
    #[error("there is no {what} {which}")]
    Missing {
        /// The kind of row, for example `match`.
        what: &'static str,
        /// The row's number or name.
        which: String,
    },
    /// The row was deleted.
    #[error("{what} {which} was deleted on {}", .at.day())]
    Deleted {
        /// The kind of row, for example `bot`.
        what: &'static str,
        /// The row's number.
        which: String,
        /// When it was deleted.
        at: Timestamp,
    },
    /// The account's quota is used up.
    #[error(transparent)]
    Quota(OverQuota),
    /// Somebody has too many open matches with people, at all servers together.
    #[error(
        "at most {most} matches with people of one person may be open; finish one of them first"
    )]
    TooManyOpen {
        /// The most.
        most: u64,
    },
    /// The operation is not possible in the present state.
    #[error("{0}")]
    Refused(String),
    /// The cursor was not made by a list.
    #[error("`{0}` is not a cursor of this list; take `next` of the page before, or leave it out")]
    Cursor(String),
    /// The database URL is not valid.
    #[error(
        "`{0}` is not a database; write sqlite:///folder/leitai.db or postgres://user@host/leitai"
    )]
    Address(String),
    /// PostgreSQL does not answer or refuses the login.
    #[error(
        "PostgreSQL at {address} cannot be used: {why}; check that it runs, and that the address, the account, the \
         password and the name of the database are right"
    )]
    Unreachable {
        /// The address without its password.
        address: String,
        /// The reason.
        why: String,
    },
    /// The disk of an embedded database takes no more.
    #[error("the disk of the database takes no more: {0}")]
    Disk(std::io::Error),
    /// The database contains no arena.
    #[error("there is no arena in {0}; `leitai serve` makes one")]
    Absent(String),
    /// A newer version changed the database in a way that this one cannot work with.
    #[error(
        "a newer version of Leitai changed the database (its migration {0}), and this version cannot work with it; \
         start the newer version, or this one with the backup of before"
    )]
    Newer(String),
    /// The database lacks this migration of before the first schema.
    #[error(
        "the database is of an older version (it lacks the migration {0}), which this one cannot bring up to date; make \
         a backup, start the version of the commit df7fdf3d on it once and stop it, then start this one"
    )]
    TooOld(&'static str),
    /// Servers of another version use the database that this one has to change.
    #[error(
        "the migration {migration} of this version needs all servers of other versions stopped, and these are \
         connected: {others}; stop them, then start this one again"
    )]
    OthersRun {
        /// The migration.
        migration: String,
        /// Their connections.
        others: String,
    },
    /// The database returned an error.
    #[error("the database failed: {0}")]
    Database(#[source] DbErr),
    /// The database does not answer, or the connection to it broke. Whether it still did what it was
    /// told is unknown.
    #[error("the database does not answer; try again in a few seconds")]
    Away(#[source] DbErr),
    /// The database connection or the store was closed meanwhile.
    #[error("the database was closed meanwhile; start the server again")]
    Closed,
}

impl StoreError {
    /// The error of an answer that did not come in time.
    pub fn no_answer() -> StoreError {
        StoreError::Away(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout))
    }

    /// There is no row of this kind with this key or name, or none that the caller may know of.
    pub fn row_missing(what: &'static str, which: impl ToString) -> StoreError {
        StoreError::Missing {
            what,
            which: which.to_string(),
        }
    }

    /// Turns a violated uniqueness constraint into [`StoreError::Taken`].
    pub(crate) fn value_taken(error: DbErr, what: &'static str, value: &str) -> StoreError {
        match error.sql_err() {
            Some(SqlErr::UniqueConstraintViolation(_)) => StoreError::Taken {
                what,
                value: value.to_owned(),
            },
            _ => error.into(),
        }
    }
}

impl From<DbErr> for StoreError {
    fn from(error: DbErr) -> StoreError {
        match is_away(&error) {
            true => StoreError::Away(error),
            false => StoreError::Database(error),
        }
    }
}

/// Whether the error is none of the statement: there is no connection, or it broke.
fn is_away(error: &DbErr) -> bool {
    match error {
        DbErr::ConnectionAcquire(why) => *why == ConnAcquireErr::Timeout,
        DbErr::Conn(RuntimeErr::SqlxError(why))
        | DbErr::Exec(RuntimeErr::SqlxError(why))
        | DbErr::Query(RuntimeErr::SqlxError(why)) => match &**why {
            sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::WorkerCrashed => true,
            // PostgreSQL's classes of broken connections, of too many, and of a server that stops.
            sqlx::Error::Database(error) => error.code().is_some_and(|code| {
                code.len() == 5
                    && (code.starts_with("08") || code.starts_with("57P") || code == "53300")
            }),
            _ => false,
        },
        DbErr::Conn(RuntimeErr::Internal(_)) => true,
        _ => false,
    }
}
