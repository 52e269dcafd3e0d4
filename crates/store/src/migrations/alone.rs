//! One server after the other prepares the database.

use sea_orm::{ConnectionTrait, DbBackend};

use crate::Result;

/// The key of the lock under which servers that start at the same time prepare the database one
/// after the other.
const STARTING: i64 = 0x6c65_6974_6169;

/// Waits until no other server prepares the database, and keeps others waiting until `change` ends.
/// The lock belongs to a transaction, and so ends with it also behind a pool that shares connections.
pub(crate) async fn prepare_alone(change: &impl ConnectionTrait) -> Result<()> {
    if change.get_database_backend() == DbBackend::Postgres {
        let lock = format!("SELECT pg_advisory_xact_lock({STARTING})");
        change.execute_unprepared(&lock).await?;
    }
    Ok(())
}
