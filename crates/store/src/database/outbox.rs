//! The outbox: what happened in a transaction becomes rows of `events` when it commits.
//!
//! PostgreSQL gives keys before it commits, so that a reader could pass an event whose transaction
//! commits later with a smaller key. Therefore transactions with events write them one after the
//! other, at their very end: from the lock until its end a transaction does nothing else, so that the
//! lock is short and nobody waits in a circle. A horizon by transaction ids (`pg_snapshot_xmin`) needs
//! no lock, but any long transaction of the whole server would hold events back. SQLite has one
//! writer.

use sea_orm::entity::prelude::*;
use sea_orm::{ConnectionTrait, DbBackend};

use crate::tables::events::{ActiveModel, Entity};

/// The key of the lock.
const WRITING: i64 = 0x6f75_7462_6f78;
/// Rows that are inserted together.
const TOGETHER: usize = 500;

/// Writes what happened, in this order; nothing else follows in the transaction.
pub(crate) async fn write(
    change: &impl ConnectionTrait,
    events: Vec<ActiveModel>,
) -> Result<(), DbErr> {
    if change.get_database_backend() == DbBackend::Postgres {
        let lock = format!("SELECT pg_advisory_xact_lock({WRITING})");
        change.execute_unprepared(&lock).await?;
    }
    for some in events.chunks(TOGETHER) {
        let rows = Entity::insert_many(some.iter().cloned());
        rows.exec_without_returning(change).await?;
    }
    Ok(())
}
