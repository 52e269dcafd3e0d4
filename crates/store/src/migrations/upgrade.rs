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
use crate::store::prepare_alone;

/// How the name of a migration ends with which servers of the version before cannot work.
pub(crate) const BREAKING: &str = "_breaking";
/// Those of before there was this rule.
const BROKE: [&str; 2] = ["m006_terms", "m023_ladders"];

/// Who is connected under a name of another version than `$1`.
const CONNECTED: &str =
    "SELECT DISTINCT application_name || coalesce(' at ' || host(client_addr), '') AS who
     FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'leitai %'
     AND application_name <> $1 ORDER BY who";

pub(crate) fn is_breaking(migration: &str) -> bool {
    migration.ends_with(BREAKING) || BROKE.contains(&migration)
}

/// The name of this version's connections to PostgreSQL, by which other versions know them:
/// `leitai 0.1.0 m023_ladders`, with its last migration.
pub(crate) fn connection_name() -> String {
    let last = names().pop().unwrap_or_default();
    format!("leitai {} {last}", env!("CARGO_PKG_VERSION"))
}

fn names() -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use sea_orm::{ConnectionTrait, Database, DatabaseConnection};
    use sea_orm_migration::MigratorTrait;

    use super::{is_breaking, names};
    use crate::migrations::Migrations;

    /// What a server of the version before relies on.
    #[derive(Debug, Default)]
    struct Schema {
        tables: BTreeSet<String>,
        /// By table and column: the type, and whether a row may be written without it.
        columns: BTreeMap<(String, String), (String, bool)>,
        /// Table and columns of unique indexes.
        unique: BTreeSet<(String, String)>,
    }

    async fn read_schema(database: &DatabaseConnection) -> Schema {
        let mut schema = Schema::default();
        let columns = "SELECT tables.name AS of, columns.name, columns.type,
            columns.\"notnull\" = 0 OR columns.dflt_value IS NOT NULL OR columns.pk > 0 AS free
            FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
            WHERE tables.type = 'table'";
        for row in database
            .query_all_raw(statement(columns))
            .await
            .expect("asked")
        {
            let [of, name, kind] =
                ["of", "name", "type"].map(|part| row.try_get("", part).expect("text"));
            let is_free = row.try_get("", "free").expect("a number");
            schema.tables.insert(String::clone(&of));
            schema.columns.insert((of, name), (kind, is_free));
        }
        let unique = "SELECT tables.name AS of, group_concat(columns.name) AS names
            FROM sqlite_schema AS tables, pragma_index_list(tables.name) AS indexes,
            pragma_index_info(indexes.name) AS columns
            WHERE tables.type = 'table' AND indexes.\"unique\" GROUP BY tables.name, indexes.name";
        for row in database
            .query_all_raw(statement(unique))
            .await
            .expect("asked")
        {
            let [of, names] = ["of", "names"].map(|part| row.try_get("", part).expect("text"));
            schema.unique.insert((of, names));
        }
        schema
    }

    fn statement(sql: &str) -> sea_orm::Statement {
        sea_orm::Statement::from_string(sea_orm::DbBackend::Sqlite, sql)
    }

    /// What a server of before could not work with.
    fn find_losses(before: &Schema, after: &Schema) -> Vec<String> {
        let mut losses = Vec::new();
        for (column, (kind, is_free)) in &before.columns {
            match after.columns.get(column) {
                None => losses.push(format!("{column:?} is gone")),
                Some((other, _)) if other != kind => losses.push(format!("{column:?} is {other}")),
                Some((_, still)) if *is_free && !still => {
                    losses.push(format!("{column:?} must be given"))
                }
                Some(_) => {}
            }
        }
        let is_old = |table: &String| before.tables.contains(table);
        for (column, (_, is_free)) in &after.columns {
            if is_old(&column.0) && !before.columns.contains_key(column) && !is_free {
                losses.push(format!("{column:?} must be given"));
            }
        }
        for index in after.unique.difference(&before.unique) {
            if is_old(&index.0) {
                losses.push(format!("{index:?} are unique"));
            }
        }
        losses
    }

    #[tokio::test]
    async fn migrations_only_add_unless_their_names_say_so() {
        let database = Database::connect("sqlite::memory:")
            .await
            .expect("it opens");
        let mut before = Schema::default();
        let mut breaking = Vec::new();
        for name in names() {
            Migrations::up(&database, Some(1)).await.expect(&name);
            let after = read_schema(&database).await;
            let losses = find_losses(&before, &after);
            if !losses.is_empty() {
                breaking.push(name.clone());
            }
            assert!(
                losses.is_empty() || is_breaking(&name),
                "servers of the version before cannot work after {name}: {losses:#?}"
            );
            before = after;
        }
        assert_eq!(breaking, super::BROKE);
    }
}
