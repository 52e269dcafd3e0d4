//! How the connections to the database are used, for operators.

use std::sync::atomic::{AtomicU64, Ordering};

use sea_orm::{DatabaseConnection, DbBackend};

/// How the connections to the database are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolUse {
    /// Connections that somebody uses.
    pub used: u64,
    /// Open connections that nobody uses.
    pub idle: u64,
    /// The most connections.
    pub most: u64,
    /// Changes that wait for a connection.
    pub waiting: u64,
}

/// Counts a change that waits for its connection, until the value is dropped.
pub(crate) struct WaitingChange<'a>(&'a AtomicU64);

impl<'a> WaitingChange<'a> {
    pub fn count(waiting: &'a AtomicU64) -> WaitingChange<'a> {
        waiting.fetch_add(1, Ordering::Relaxed);
        WaitingChange(waiting)
    }
}

impl Drop for WaitingChange<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The use of one pool.
pub(crate) fn use_of(pool: &DatabaseConnection) -> PoolUse {
    let (size, idle, most) = match pool.get_database_backend() {
        DbBackend::Postgres => {
            let pool = pool.get_postgres_connection_pool();
            (
                pool.size(),
                pool.num_idle(),
                pool.options().get_max_connections(),
            )
        }
        _ => {
            let pool = pool.get_sqlite_connection_pool();
            (
                pool.size(),
                pool.num_idle(),
                pool.options().get_max_connections(),
            )
        }
    };
    let (size, idle) = (u64::from(size), idle as u64);
    PoolUse {
        used: size.saturating_sub(idle),
        idle,
        most: u64::from(most),
        waiting: 0,
    }
}
