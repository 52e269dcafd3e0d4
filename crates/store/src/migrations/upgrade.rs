//! Bringing the database up to date while servers of another version use it.
//!
//! A migration only adds, so that servers of the version before work on, and may be started again,
//! until all are replaced. One that takes something away has a name that ends in [`BREAKING`]: it is
//! applied when no server of another version is connected, and older versions, which read the names
//! of migrations that they do not have, refuse to start from then on.

use std::collections::BTreeSet;

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement, TransactionTrait};
use sea_orm_migration::{MigratorTrait, SchemaManager};

use super::Migrations;
use crate::StoreError;
use crate::migrations::alone::prepare_alone;

/// How the name of a migration ends with which servers of the version before cannot work.
pub const BREAKING: &str = "_breaking";
/// Those of before there was this rule.
pub const BROKE: [&str; 2] = ["m006_terms", "m023_ladders"];

/// Who is connected under a name of another version than `$1`.
const CONNECTED: &str =
    "SELECT DISTINCT application_name || coalesce(' at ' || host(client_addr), '') AS who
     FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'leitai %'
     AND application_name <> $1 ORDER BY who";

pub fn is_breaking(migration: &str) -> bool {
    migration.ends_with(BREAKING) || BROKE.contains(&migration)
}

/// The name of this version's connections to PostgreSQL, by which other versions know them:
/// `leitai 0.1.0 m023_ladders`, with its last migration.
pub(crate) fn connection_name() -> String {
    let last = names().pop().unwrap_or_default();
    format!("leitai {} {last}", env!("CARGO_PKG_VERSION"))
}

/// The names of all migrations, the first one first.
pub fn names() -> Vec<String> {
    let all = Migrations::migrations();
    all.iter().map(|one| one.name().to_owned()).collect()
}

/// Whether there is an arena of any version; nothing is created.
pub(crate) async fn has_arena(readers: &DatabaseConnection) -> Result<bool, StoreError> {
    let manager = SchemaManager::new(readers);
    let table = Migrations::migration_table_name().to_string();
    if !manager.has_table(table).await? {
        return Ok(false);
    }
    Ok(!Migrations::get_migration_models(readers).await?.is_empty())
}

/// Applies the migrations that the database does not have. [`StoreError::Newer`] if a newer version
/// did so in a way that this one cannot work with, [`StoreError::OthersRun`] if servers of another
/// version use the database and could not work on.
pub(crate) async fn migrate(writer: &DatabaseConnection) -> Result<(), StoreError> {
    // SQLite has one connection for writing, and one server.
    if writer.get_database_backend() == DbBackend::Sqlite {
        return apply(writer).await;
    }
    let alone = writer.begin().await?;
    prepare_alone(&alone).await?;
    apply(writer).await?;
    Ok(alone.commit().await?)
}

async fn apply(writer: &DatabaseConnection) -> Result<(), StoreError> {
    let applied = Migrations::get_migration_models(writer).await?;
    let applied: BTreeSet<String> = applied.into_iter().map(|one| one.version).collect();
    let own = names();
    let pending: Vec<&String> = own.iter().filter(|name| !applied.contains(*name)).collect();
    let mut newer = applied.iter().filter(|name| !own.contains(*name));
    if let Some(first) = newer.clone().next() {
        // A version that lacks a migration and has another one is not an older one.
        return match newer.find(|name| is_breaking(name) || !pending.is_empty()) {
            Some(breaking) => Err(StoreError::Newer(breaking.clone())),
            None => {
                tracing::info!(migration = first, "a newer version uses this database, too");
                Ok(())
            }
        };
    }
    let breaking = pending.into_iter().find(|name| is_breaking(name));
    if let Some(breaking) = breaking.filter(|_| !applied.is_empty()) {
        let others = list_others(writer).await?;
        if !others.is_empty() {
            return Err(StoreError::OthersRun {
                migration: breaking.clone(),
                others: others.join(", "),
            });
        }
    }
    Ok(Migrations::up(writer, None).await?)
}

/// Who of other versions is connected, such as `leitai 0.1.0 m023_ladders at 10.0.0.7`. PostgreSQL
/// alone knows.
async fn list_others(writer: &DatabaseConnection) -> Result<Vec<String>, StoreError> {
    if writer.get_database_backend() != DbBackend::Postgres {
        return Ok(Vec::new());
    }
    let connected =
        Statement::from_sql_and_values(DbBackend::Postgres, CONNECTED, [connection_name().into()]);
    let rows = writer.query_all_raw(connected).await?;
    let who = rows.iter().map(|row| row.try_get("", "who"));
    Ok(who.collect::<Result<_, _>>()?)
}
