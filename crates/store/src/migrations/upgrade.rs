//! Bringing the database up to date while servers of another version use it.
//!
//! A migration only adds, so that servers of the version before work on, and may be started again,
//! until all are replaced. One that takes something away has a name that ends in [`BREAKING`]: it is
//! applied when no server of another version is connected, and older versions, which read the names
//! of migrations that they do not have, refuse to start from then on.

use std::collections::BTreeSet;

use std::time::SystemTime;

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, Statement, TransactionTrait, Value,
};

use super::schema::{Connection, SchemaManager, Table, big_integer, string};
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
    let all = super::all();
    all.iter().map(|one| one.name().to_owned()).collect()
}

/// Makes the table of the migrations that were applied. Name and columns are those of the crate
/// sea-orm-migration, which made it in the first arenas.
async fn create_table(writer: &DatabaseConnection) -> Result<(), DbErr> {
    let mut table = Table::create();
    table.table("seaql_migrations").if_not_exists();
    table.col(string("version").primary_key());
    table.col(big_integer("applied_at"));
    writer.execute(&table).await.map(drop)
}

/// Whether that table is there, in both databases.
const HAS_TABLE: [&str; 2] = [
    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'seaql_migrations'",
    "SELECT 1 FROM information_schema.tables
     WHERE table_schema = current_schema() AND table_name = 'seaql_migrations'",
];

/// Whether there is an arena of any version; nothing is created.
pub(crate) async fn has_arena(readers: &DatabaseConnection) -> Result<bool, StoreError> {
    let [sqlite, postgres] = HAS_TABLE;
    let is_sqlite = readers.get_database_backend() == DbBackend::Sqlite;
    let asked = statement(readers, if is_sqlite { sqlite } else { postgres }, []);
    if readers.query_one_raw(asked).await?.is_none() {
        return Ok(false);
    }
    Ok(!list_applied(readers).await?.is_empty())
}

fn statement<const N: usize>(
    database: &impl ConnectionTrait,
    text: &str,
    values: [Value; N],
) -> Statement {
    Statement::from_sql_and_values(database.get_database_backend(), text, values)
}

async fn list_applied(database: &DatabaseConnection) -> Result<BTreeSet<String>, DbErr> {
    let asked = statement(database, "SELECT version FROM seaql_migrations", []);
    let rows = database.query_all_raw(asked).await?;
    rows.iter().map(|row| row.try_get("", "version")).collect()
}

/// Applies the migrations that the database does not have, at most so many.
pub async fn apply_pending(writer: &DatabaseConnection, most: usize) -> Result<(), DbErr> {
    create_table(writer).await?;
    let applied = list_applied(writer).await?;
    let all = super::all().into_iter();
    let pending = all.filter(|one| !applied.contains(one.name()));
    for migration in pending.take(most) {
        let name = migration.name();
        if writer.get_database_backend() == DbBackend::Sqlite {
            let manager = SchemaManager::new(Connection::Plain(writer));
            migration.up(&manager).await?;
            record(writer, name).await?;
        } else {
            let transaction = writer.begin().await?;
            let manager = SchemaManager::new(Connection::Transaction(&transaction));
            migration.up(&manager).await?;
            record(&transaction, name).await?;
            transaction.commit().await?;
        }
    }
    Ok(())
}

/// Notes that a migration was applied.
async fn record(database: &impl ConnectionTrait, name: &str) -> Result<(), DbErr> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let seconds = i64::try_from(now.unwrap_or_default().as_secs()).unwrap_or(i64::MAX);
    let insert = "INSERT INTO seaql_migrations (version, applied_at) VALUES ($1, $2)";
    let row = statement(database, insert, [name.into(), seconds.into()]);
    database.execute_raw(row).await?;
    Ok(())
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
    create_table(writer).await?;
    let applied = list_applied(writer).await?;
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
    Ok(apply_pending(writer, usize::MAX).await?)
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
