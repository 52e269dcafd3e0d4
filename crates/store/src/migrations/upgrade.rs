//! Bringing the database up to date while servers of another version use it.
//!
//! A migration only adds, so that servers of the version before work on, and may be started again,
//! until all are replaced. One that takes something away has a name that ends in [`BREAKING`]: it is
//! applied when no server of another version is connected, and older versions, which read the names
//! of migrations that they do not have, refuse to start from then on.
//!
//! A database that has all migrations [of before the first schema](FORMER) has its tables already:
//! their records are replaced by that of the first schema.

use std::collections::BTreeSet;
use std::time::SystemTime;

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, SqliteTransactionMode, Statement,
    TransactionOptions, TransactionTrait, Value,
};

use super::{ALL, Migration};
use crate::migrations::alone::prepare_alone;
use crate::{Result, StoreError};

/// How the name of a migration ends with which servers of the version before cannot work.
pub const BREAKING: &str = "_breaking";

/// The migrations of before the first schema, which has what they left.
pub const FORMER: &str = "
    m001_arena m002_corrections m003_token_scopes m004_deletion m005_fleet m006_terms
    m007_contests m008_groups m008_rests m009_people m010_contest_changes m011_servers
    m012_webhooks m012b_mail m013_notifications m014_identities m015_contest_privacy
    m016_group_quotas m017_match_tags m018_divisions m019_ladder_turns m020_best_ranks
    m021_first_secrets m022_job_traces m023_ladders m024_rights m025_distinct_games
    m026_fair_queue m027_signing_keys m028_second_factor m030_lobby m031_recounts
    m032_partings m033_passkeys m034_skeletons m035_openers m036_game_files m037_returning
    m039_experiments m040_analyses m041_game_versions m042_game_rights m044_agents m045_events";

/// Who is connected under a name of another version than `$1`.
const CONNECTED: &str =
    "SELECT DISTINCT application_name || coalesce(' at ' || host(client_addr), '') AS who
     FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'leitai %'
     AND application_name <> $1 ORDER BY who";

pub fn is_breaking(migration: &str) -> bool {
    migration.ends_with(BREAKING)
}

/// The name of this version's connections to PostgreSQL, by which other versions know them:
/// `leitai 0.1.0 m045_schema_breaking`, with its last migration.
pub(crate) fn connection_name() -> String {
    let last = ALL.last().map_or("", |last| last.name);
    format!("leitai {} {last}", env!("CARGO_PKG_VERSION"))
}

/// The table of the migrations that were applied. Name and columns are those of the crate
/// sea-orm-migration, which made it in the first arenas.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS seaql_migrations
    (version varchar NOT NULL PRIMARY KEY, applied_at bigint NOT NULL)";

/// Whether that table is there, in both databases.
const HAS_TABLE: [&str; 2] = [
    "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'seaql_migrations'",
    "SELECT 1 FROM information_schema.tables
     WHERE table_schema = current_schema() AND table_name = 'seaql_migrations'",
];

/// Whether there is an arena of any version; nothing is created.
pub(crate) async fn has_arena(readers: &DatabaseConnection) -> Result<bool> {
    Ok(!list_applied(readers).await?.is_empty())
}

fn statement<const N: usize>(
    database: &impl ConnectionTrait,
    text: &str,
    values: [Value; N],
) -> Statement {
    Statement::from_sql_and_values(database.get_database_backend(), text, values)
}

/// The names of the migrations that the database has; none if it is empty.
async fn list_applied(database: &impl ConnectionTrait) -> Result<BTreeSet<String>, DbErr> {
    let [sqlite, postgres] = HAS_TABLE;
    let is_sqlite = database.get_database_backend() == DbBackend::Sqlite;
    let asked = statement(database, if is_sqlite { sqlite } else { postgres }, []);
    if database.query_one_raw(asked).await?.is_none() {
        return Ok(BTreeSet::new());
    }
    let asked = statement(database, "SELECT version FROM seaql_migrations", []);
    let rows = database.query_all_raw(asked).await?;
    rows.iter().map(|row| row.try_get("", "version")).collect()
}

/// Brings the database up to date, in one transaction. [`StoreError::Newer`] if a newer version
/// changed it in a way that this one cannot work with, [`StoreError::TooOld`] if it lacks what came
/// before the first schema, [`StoreError::OthersRun`] if servers of another version use it and could
/// not work on.
pub(crate) async fn migrate(writer: &DatabaseConnection) -> Result<()> {
    // One that is up to date is not written to.
    if list_pending(&list_applied(writer).await?)?.is_empty() {
        return Ok(());
    }
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let change = writer.begin_with_options(options).await?;
    prepare_alone(&change).await?;
    let applied = list_applied(&change).await?;
    let pending = list_pending(&applied)?;
    if !applied.is_empty() {
        check_others(&change, &pending).await?;
    }
    apply(&change, &pending, !applied.is_empty()).await?;
    Ok(change.commit().await?)
}

/// The migrations that a database lacks which has these.
fn list_pending(applied: &BTreeSet<String>) -> Result<Vec<&'static Migration>> {
    let pending = ALL.iter().filter(|one| !applied.contains(one.name));
    let pending: Vec<&Migration> = pending.collect();
    let mut former = FORMER.split_whitespace();
    let is_known = |name: &str| {
        ALL.iter().any(|one| one.name == name) || former.clone().any(|one| one == name)
    };
    let mut newer = applied.iter().filter(|name| !is_known(name));
    if let Some(first) = newer.clone().next() {
        // A version that lacks a migration and has another one is not an older one.
        return match newer.find(|name| is_breaking(name) || !pending.is_empty()) {
            Some(breaking) => Err(StoreError::Newer(breaking.clone())),
            None => {
                tracing::info!(migration = first, "a newer version uses this database, too");
                Ok(Vec::new())
            }
        };
    }
    let is_former = !applied.is_empty() && !applied.contains(ALL[0].name);
    match former.find(|name| !applied.contains(*name)) {
        Some(lacking) if is_former => Err(StoreError::TooOld(lacking)),
        _ => Ok(pending),
    }
}

/// [`StoreError::OthersRun`] if servers of other versions are connected that could not work with one
/// of these migrations.
async fn check_others(change: &impl ConnectionTrait, pending: &[&Migration]) -> Result<()> {
    let Some(breaking) = pending.iter().find(|one| is_breaking(one.name)) else {
        return Ok(());
    };
    let others = list_others(change).await?;
    match others.is_empty() {
        true => Ok(()),
        false => Err(StoreError::OthersRun {
            migration: breaking.name.to_owned(),
            others: others.join(", "),
        }),
    }
}

/// Applies these migrations. Where there are tables, the first one replaces the records of those that
/// made them.
async fn apply(
    change: &impl ConnectionTrait,
    pending: &[&Migration],
    has_tables: bool,
) -> Result<(), DbErr> {
    change.execute_unprepared(TABLE).await?;
    for migration in pending {
        let made = has_tables && migration.name == ALL[0].name;
        let sql = match made {
            true => "DELETE FROM seaql_migrations".to_owned(),
            false => migration.sql(change.get_database_backend()),
        };
        change.execute_unprepared(&sql).await?;
        record(change, migration.name).await?;
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

/// Who of other versions is connected, such as `leitai 0.1.0 m045_events at 10.0.0.7`. PostgreSQL
/// alone knows.
async fn list_others(change: &impl ConnectionTrait) -> Result<Vec<String>> {
    if change.get_database_backend() != DbBackend::Postgres {
        return Ok(Vec::new());
    }
    let connected = statement(change, CONNECTED, [connection_name().into()]);
    let rows = change.query_all_raw(connected).await?;
    let who = rows.iter().map(|row| row.try_get("", "who"));
    Ok(who.collect::<Result<_, _>>()?)
}
