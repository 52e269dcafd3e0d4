//! The tables of an arena that moves. They are read from the schema itself, so that every column of every
//! version moves.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use sea_orm::sea_query::{Alias, ExprTrait, Order, Query, SelectStatement, SimpleExpr};
use sea_orm::{DbBackend, DbErr, IsolationLevel, QueryResult, Statement, TransactionTrait};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::error::TransferError;
use crate::database::prelude::*;

/// A table in the folder.
#[derive(Debug, Serialize, Deserialize)]
pub struct TableFile {
    pub name: String,
    pub rows: u64,
    pub sha256: String,
    /// The last key that was given, so that none is given twice; null where keys are not counted.
    pub last_key: Option<i64>,
}

/// What a column holds. Numbers with a point are written as text, which loses no digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Whole,
    Real,
    Truth,
    Text,
    Json,
}

/// A table of this database.
#[derive(Default)]
pub struct Table {
    pub name: String,
    pub columns: BTreeMap<String, Kind>,
    /// The columns of its primary key.
    pub key: Vec<String>,
}

/// Tables that others refer to, in the order in which they are filled.
const FIRST: [&str; 8] = [
    "users",
    "play_groups",
    "teams",
    "bots",
    "versions",
    "matches",
    "contests",
    "experiments",
];

/// What servers write about themselves and this moment.
const LEFT_OUT: [&str; 6] = [
    "seaql_migrations",
    "leadership",
    "lobby",
    "rates",
    "openers",
    "health",
];

/// Tables that are empty where there is no arena yet.
const EMPTY: [&str; 4] = ["users", "bots", "matches", "play_groups"];

/// Rows of one statement that writes, and of one that reads.
pub const AT_ONCE: usize = 200;
const READ_AT_ONCE: u64 = 2_000;

const OF_SQLITE: &str =
    "SELECT tables.name AS of, columns.name AS name, lower(columns.type) AS kind,
    columns.pk > 0 AS is_key
    FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%' ORDER BY columns.pk";
const OF_POSTGRES: &str =
    "SELECT columns.table_name::text AS of, columns.column_name::text AS name,
    data_type::text AS kind, keys.ordinal_position IS NOT NULL AS is_key
    FROM information_schema.columns LEFT JOIN (information_schema.key_column_usage AS keys
    JOIN information_schema.table_constraints AS made
    ON made.constraint_name = keys.constraint_name AND made.table_schema = keys.table_schema
    AND made.table_name = keys.table_name AND made.constraint_type = 'PRIMARY KEY')
    ON keys.table_schema = columns.table_schema AND keys.table_name = columns.table_name
    AND keys.column_name = columns.column_name
    WHERE columns.table_schema = current_schema() ORDER BY keys.ordinal_position";

/// The tables that move, those that others refer to first.
pub async fn list_tables(database: &impl ConnectionTrait) -> Result<Vec<Table>> {
    let query = match database.get_database_backend() {
        DbBackend::Sqlite => OF_SQLITE,
        _ => OF_POSTGRES,
    };
    let mut found: BTreeMap<String, Table> = BTreeMap::new();
    for row in database.query_all_raw(statement(database, query)).await? {
        let (of, name): (String, String) = (row.try_get("", "of")?, row.try_get("", "name")?);
        let kind: String = row.try_get("", "kind")?;
        if LEFT_OUT.contains(&of.as_str()) {
            continue;
        }
        let table = found.entry(of.clone()).or_default();
        table.name = of;
        if row.try_get("", "is_key")? {
            table.key.push(name.clone());
        }
        table.columns.insert(name, read_kind(&kind)?);
    }
    let mut tables: Vec<Table> = found.into_values().collect();
    let place = |table: &Table| FIRST.iter().position(|&first| first == table.name);
    tables.sort_by_key(|table| place(table).unwrap_or(FIRST.len()));
    Ok(tables)
}

pub fn statement(database: &impl ConnectionTrait, text: &str) -> Statement {
    Statement::from_string(database.get_database_backend(), text)
}

fn read_kind(declared: &str) -> Result<Kind, DbErr> {
    Ok(match declared {
        "integer" | "bigint" | "smallint" => Kind::Whole,
        "double" | "double precision" | "real" | "float" => Kind::Real,
        "boolean" => Kind::Truth,
        "json" | "jsonb" | "json_text" | "jsonb_text" => Kind::Json,
        text if text.contains("char") || text == "text" => Kind::Text,
        other => {
            return Err(DbErr::Custom(format!(
                "a column of an unknown kind, {other}"
            )));
        }
    })
}

/// Writes all rows, as they are at one moment.
pub async fn export(
    store: &Store,
    folder: &Path,
    told: &mut impl FnMut(&str),
) -> Result<Vec<TableFile>, TransferError> {
    let pool = store.readers.pool();
    // In SQLite a transaction sees one moment anyway.
    let isolation = (!store.is_embedded()).then_some(IsolationLevel::RepeatableRead);
    let snapshot = pool.begin_with_config(isolation, None).await;
    let snapshot = snapshot.map_err(StoreError::from)?;
    let mut written = Vec::new();
    for table in list_tables(&snapshot).await? {
        let path = file_of(folder, &table.name);
        written.push(export_table(&snapshot, &table, &path).await?);
        told(&table.name);
    }
    snapshot.commit().await.map_err(StoreError::from)?;
    Ok(written)
}

pub fn file_of(folder: &Path, table: &str) -> PathBuf {
    folder.join(format!("{table}.ndjson"))
}

async fn export_table(
    snapshot: &sea_orm::DatabaseTransaction,
    table: &Table,
    path: &Path,
) -> Result<TableFile, TransferError> {
    let failed = || TransferError::of_file(path);
    let mut file = BufWriter::new(File::create(path).map_err(failed())?);
    let (mut count, mut whole) = (0, Sha256::new());
    let mut last = None;
    loop {
        let query = select_after(table, last.as_ref());
        let rows = snapshot.query_all(&query).await;
        let rows = rows.map_err(StoreError::from)?;
        for row in &rows {
            let row = read_row(row, table).map_err(StoreError::from)?;
            let line = format!("{row}\n");
            whole.update(line.as_bytes());
            file.write_all(line.as_bytes()).map_err(failed())?;
            count += 1;
            last = Some(row);
        }
        if (rows.len() as u64) < READ_AT_ONCE {
            break;
        }
    }
    file.flush().map_err(failed())?;
    Ok(TableFile {
        name: table.name.clone(),
        rows: count,
        sha256: hex::encode(whole.finalize()),
        last_key: last_key(snapshot, &table.name).await?,
    })
}

/// The rows as [`read_row`] reads them, by the primary key.
pub fn select_rows(table: &Table) -> SelectStatement {
    let mut query = Query::select();
    query.from(Alias::new(&table.name));
    for (name, kind) in &table.columns {
        let column = Expr::col(Alias::new(name));
        let read = match kind {
            Kind::Json => column.cast_as("text"),
            // PostgreSQL has shorter ones, too.
            Kind::Whole => column.cast_as("bigint"),
            Kind::Real => column.cast_as("double precision"),
            Kind::Truth | Kind::Text => column,
        };
        query.expr_as(read, Alias::new(name));
    }
    for name in &table.key {
        query.order_by((Alias::new(&table.name), Alias::new(name)), Order::Asc);
    }
    query
}

/// The next rows by the primary key.
fn select_after(table: &Table, last: Option<&Value>) -> SelectStatement {
    let mut query = select_rows(table);
    query.limit(READ_AT_ONCE);
    if let Some(last) = last {
        let of = |name: &String| Expr::col((Alias::new(&table.name), Alias::new(name)));
        let value = |name: &String| match &last[name] {
            Value::String(text) => Expr::val(text.as_str()),
            other => Expr::val(other.as_i64()),
        };
        let columns = Expr::tuple(table.key.iter().map(of));
        query.and_where(columns.gt(Expr::tuple(table.key.iter().map(value))));
    }
    query
}

pub fn read_row(row: &QueryResult, table: &Table) -> Result<Value, DbErr> {
    let mut written = Map::new();
    for (name, kind) in &table.columns {
        let value = match kind {
            Kind::Whole => row.try_get::<Option<i64>>("", name)?.map(Value::from),
            Kind::Real => {
                let real = row.try_get::<Option<f64>>("", name)?;
                real.map(|real| Value::from(real.to_string()))
            }
            Kind::Truth => row.try_get::<Option<bool>>("", name)?.map(Value::from),
            Kind::Text | Kind::Json => row.try_get::<Option<String>>("", name)?.map(Value::from),
        };
        if let Some(value) = value {
            written.insert(name.clone(), value);
        }
    }
    Ok(Value::Object(written))
}

/// The last key that the database gave in this table.
async fn last_key(database: &impl ConnectionTrait, table: &str) -> Result<Option<i64>> {
    let query = match database.get_database_backend() {
        DbBackend::Sqlite => {
            format!("SELECT seq AS last FROM sqlite_sequence WHERE name = '{table}'")
        }
        _ => format!(
            "SELECT last_value AS last FROM pg_sequences WHERE schemaname = current_schema()
             AND sequencename = '{table}_id_seq'"
        ),
    };
    let found = database.query_one_raw(statement(database, &query)).await?;
    Ok(match found {
        Some(row) => row.try_get("", "last")?,
        None => None,
    })
}

/// Refuses an arena that has anything.
pub async fn check_empty(store: &Store) -> Result<(), TransferError> {
    for table in EMPTY {
        let query = format!("SELECT count(*) AS count FROM {table}");
        let asked = statement(&store.readers, &query);
        let row = store.readers.query_one_raw(asked).await;
        let row = row.map_err(StoreError::from)?;
        let count: i64 = match row {
            Some(row) => row.try_get("", "count").map_err(StoreError::from)?,
            None => 0,
        };
        if count > 0 {
            let rows = count.unsigned_abs();
            return Err(TransferError::NotEmpty { table, rows });
        }
    }
    Ok(())
}

/// Whether the files are what was exported.
pub fn check_files(tables: &[TableFile], folder: &Path) -> Result<(), TransferError> {
    for table in tables {
        let path = file_of(folder, &table.name);
        let mut hash = Sha256::new();
        let file = File::open(&path).map_err(TransferError::of_file(&path))?;
        let read = std::io::copy(&mut BufReader::new(file), &mut hash);
        read.map_err(TransferError::of_file(&path))?;
        if hex::encode(hash.finalize()) != table.sha256 {
            return Err(TransferError::Damaged(path.display().to_string()));
        }
    }
    Ok(())
}

/// Fills the tables in one transaction.
pub async fn import(
    store: &Store,
    files: &[TableFile],
    folder: &Path,
    told: &mut impl FnMut(&str),
) -> Result<(), TransferError> {
    let change = store.begin_write().await?;
    let tables = list_tables(&change).await?;
    // What an empty arena has by itself is the exported one's now.
    for table in tables.iter().rev() {
        let query = format!("DELETE FROM {}", table.name);
        let cleared = change.execute_raw(statement(&change, &query)).await;
        cleared.map_err(StoreError::from)?;
    }
    for table in &tables {
        let path = file_of(folder, &table.name);
        let Some(file) = files.iter().find(|file| file.name == table.name) else {
            return Err(TransferError::Damaged(path.display().to_string()));
        };
        import_table(&change, table, &path).await?;
        set_last_key(&change, file).await?;
        told(&table.name);
    }
    change.commit().await.map_err(StoreError::from)?;
    Ok(())
}

async fn import_table(change: &Change, table: &Table, path: &Path) -> Result<(), TransferError> {
    let file = File::open(path).map_err(TransferError::of_file(path))?;
    let mut rows = Vec::new();
    for line in BufReader::new(file).lines() {
        let line = line.map_err(TransferError::of_file(path))?;
        let row = serde_json::from_str::<Map<String, Value>>(&line).ok();
        let row = row.and_then(|row| row_values(&row, table));
        rows.push(row.ok_or_else(|| TransferError::Damaged(path.display().to_string()))?);
        if rows.len() == AT_ONCE {
            insert_rows(change, table, &mut rows).await?;
        }
    }
    Ok(insert_rows(change, table, &mut rows).await?)
}

/// The values of a row in the order of the columns; `None` if one is not of its column's kind, or of no
/// column.
pub fn row_values(row: &Map<String, Value>, table: &Table) -> Option<Vec<SimpleExpr>> {
    let known = row.keys().all(|name| table.columns.contains_key(name));
    let values = table.columns.iter().map(|(name, kind)| {
        let value = row.get(name);
        Some(match kind {
            Kind::Whole => Expr::val(optional(value, Value::as_i64)?),
            Kind::Real => {
                let real = |value: &Value| value.as_str()?.parse::<f64>().ok();
                Expr::val(optional(value, real)?)
            }
            Kind::Truth => Expr::val(optional(value, Value::as_bool)?),
            Kind::Text => Expr::val(optional(value, |value| value.as_str().map(str::to_owned))?),
            Kind::Json => {
                let text = optional(value, |value| value.as_str().map(str::to_owned))?;
                Expr::val(text)
            }
        })
    });
    known.then(|| values.collect())?
}

/// `None` where the value is not of this kind, `Some(None)` where there is none.
fn optional<T>(value: Option<&Value>, read: impl Fn(&Value) -> Option<T>) -> Option<Option<T>> {
    match value {
        None => Some(None),
        Some(value) => read(value).map(Some),
    }
}

pub async fn insert_rows(
    change: &Change,
    table: &Table,
    rows: &mut Vec<Vec<SimpleExpr>>,
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let is_postgres = change.get_database_backend() == DbBackend::Postgres;
    let mut query = Query::insert();
    query
        .into_table(Alias::new(&table.name))
        .columns(table.columns.keys().map(Alias::new));
    for row in rows.drain(..) {
        let kinds = table.columns.values();
        let row = row.into_iter().zip(kinds).map(|(value, kind)| match kind {
            Kind::Json if is_postgres => value.cast_as("json"),
            _ => value,
        });
        query.values_panic(row);
    }
    change.execute(&query).await?;
    Ok(())
}

/// Keys go on where the exported arena was.
async fn set_last_key(change: &Change, file: &TableFile) -> Result<()> {
    let Some(last) = file.last_key else {
        return Ok(());
    };
    let name = &file.name;
    let queries = match change.get_database_backend() {
        DbBackend::Sqlite => vec![
            format!("DELETE FROM sqlite_sequence WHERE name = '{name}'"),
            format!("INSERT INTO sqlite_sequence (name, seq) VALUES ('{name}', {last})"),
        ],
        // Some keys are counted by SQLite alone.
        _ => vec![format!(
            "SELECT setval(schemaname || '.' || sequencename, {last}) FROM pg_sequences
             WHERE schemaname = current_schema() AND sequencename = '{name}_id_seq'"
        )],
    };
    for query in queries {
        change.execute_raw(statement(change, &query)).await?;
    }
    Ok(())
}
