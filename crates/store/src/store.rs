//! The database: opening it, its single writer.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::sqlx::sqlite::{SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sea_orm::sqlx::{self, Connection, PgConnection};
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbBackend,
    SqliteTransactionMode, Statement, TransactionOptions, TransactionTrait,
};
use sea_orm_migration::MigratorTrait;
use tokio::sync::{broadcast, mpsc, watch};

use crate::migrations::Migrations;
use crate::rank_cache::RankCache;
use crate::record::{self, RecordRequest};
use crate::{StoreError, Timestamp, VersionId, health};

/// The database. Clones are handles of the same one.
///
/// SQLite takes one writer at a time. So every change goes through one connection, and whoever
/// wants to change something waits for it here instead of failing there; readers have connections
/// of their own, and see what was committed. PostgreSQL has one pool for both.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) readers: DatabaseConnection,
    /// Nothing is written but in a transaction ([`Store::begin_write`]): of a statement outside
    /// one, such as `INSERT … RETURNING`, SQLite may tell that it failed only after its rows were
    /// read, when nobody asks any more.
    writer: DatabaseConnection,
    pub(crate) shared: Arc<StoreInner>,
}

/// What all handles share.
#[derive(Debug)]
pub(crate) struct StoreInner {
    pub orders: mpsc::Sender<RecordRequest>,
    pub places: RankCache,
    pub versions: broadcast::Sender<VersionId>,
    pub arrivals: watch::Sender<u64>,
}

/// How many read at once.
const READERS: u32 = 8;
/// How many connections PostgreSQL gets from one server.
const CONNECTIONS: u32 = 16;
/// How long another process (a backup, an administrator's shell) may hold SQLite's file.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long PostgreSQL may take for the first answer.
const REACH: Duration = Duration::from_secs(5);
/// How many results may wait to be recorded; who comes then waits.
const ORDERS: usize = 1024;

impl Store {
    /// Opens `sqlite:///folder/leitai.db` (made if it is not there), `sqlite::memory:` (for tests)
    /// or `postgres://…`, and brings its tables up to date.
    pub async fn open_url(url: &str) -> Result<Store, StoreError> {
        let (writer, readers) = connect_database(url, true).await?;
        Store::over_connections(writer, readers).await
    }

    async fn over_connections(
        writer: DatabaseConnection,
        readers: DatabaseConnection,
    ) -> Result<Store, StoreError> {
        Migrations::up(&writer, None).await?;
        let (orders, waiting) = mpsc::channel(ORDERS);
        tokio::spawn(record::run(writer.clone(), waiting));
        let shared = StoreInner {
            orders,
            places: RankCache::default(),
            versions: broadcast::Sender::new(256),
            arrivals: watch::Sender::new(0),
        };
        Ok(Store {
            readers,
            writer,
            shared: Arc::new(shared),
        })
    }

    /// Opens a database in which there is an arena, and brings its tables up to date.
    /// [`StoreError::Absent`] if there is none: nothing is made.
    pub async fn open_existing(url: &str) -> Result<Store, StoreError> {
        let (writer, readers) = connect_database(url, false).await?;
        let missing = Migrations::get_pending_migrations_read_only(&readers)
            .await?
            .len();
        if missing == Migrations::migrations().len() {
            return Err(StoreError::Absent(without_password(url)));
        }
        Store::over_connections(writer, readers).await
    }

    /// Writes a row and commits it: fails if the database does not take what it is given.
    pub async fn check_writing(&self, at: Timestamp) -> Result<(), StoreError> {
        let change = self.begin_write().await?;
        health::write(&change, at).await?;
        Ok(change.commit().await?)
    }

    /// Whether the database is a file of this machine, which one server alone uses.
    pub fn is_embedded(&self) -> bool {
        self.writer.get_database_backend() == DbBackend::Sqlite
    }

    /// Lets go of the database, after whatever is being written.
    pub async fn close_store(self) -> Result<(), StoreError> {
        self.readers.close().await?;
        Ok(self.writer.close().await?)
    }

    /// Writes a copy of an SQLite database to a new file, as it stands at one moment, while others
    /// go on using it. [`StoreError::Refused`] for PostgreSQL, which brings `pg_dump`.
    pub async fn copy_into(&self, file: &Path) -> Result<(), StoreError> {
        let backend = self.writer.get_database_backend();
        if backend != DbBackend::Sqlite {
            return Err(StoreError::Refused(
                "this database is PostgreSQL: copy it with pg_dump".to_owned(),
            ));
        }
        let name = file
            .to_str()
            .ok_or_else(|| StoreError::Refused(format!("{} is not UTF-8", file.display())))?;
        let copy = Statement::from_sql_and_values(backend, "VACUUM INTO ?", [name.into()]);
        self.readers.execute_raw(copy).await?;
        Ok(())
    }

    /// Which versions changed, as they change in this process; a slow reader loses old ones and
    /// should read all again.
    pub fn version_changes(&self) -> broadcast::Receiver<VersionId> {
        self.shared.versions.subscribe()
    }

    /// Grows when this process puts jobs into the queue: idle workers wait for it instead of asking
    /// all the time.
    pub fn job_arrivals(&self) -> watch::Receiver<u64> {
        self.shared.arrivals.subscribe()
    }

    /// Begins a change. Dropped without a commit, it never was.
    pub(crate) async fn begin_write(&self) -> Result<DatabaseTransaction, StoreError> {
        begin_transaction(&self.writer).await
    }

    pub(crate) fn version_changed(&self, id: VersionId) {
        // Nobody may be listening.
        let _ = self.shared.versions.send(id);
    }

    pub(crate) fn jobs_arrived(&self) {
        self.shared.arrivals.send_modify(|count| *count += 1);
    }
}

/// Begins a change. SQLite is told at once that it is one: a reader that becomes a writer could be
/// refused.
pub(crate) async fn begin_transaction(
    writer: &DatabaseConnection,
) -> Result<DatabaseTransaction, StoreError> {
    let immediate = Some(SqliteTransactionMode::Immediate);
    let options = TransactionOptions {
        sqlite_transaction_mode: immediate,
        ..TransactionOptions::default()
    };
    Ok(writer.begin_with_options(options).await?)
}

async fn connect_database(
    url: &str,
    make: bool,
) -> Result<(DatabaseConnection, DatabaseConnection), StoreError> {
    match url.split_once(':').map(|(scheme, _)| scheme) {
        Some("sqlite") if url.contains(":memory:") => {
            let only = Database::connect(sqlite_options(url, 1, make)).await?;
            Ok((only.clone(), only))
        }
        Some("sqlite") => {
            let writer = Database::connect(sqlite_options(url, 1, make)).await?;
            let readers = Database::connect(sqlite_options(url, READERS, make)).await?;
            Ok((writer, readers))
        }
        Some("postgres" | "postgresql") => {
            reach(url).await?;
            let both = Database::connect(quiet_options(url, CONNECTIONS)).await?;
            Ok((both.clone(), both))
        }
        _ => Err(StoreError::Address(without_password(url))),
    }
}

/// Connects once: a pool tries again for as long as [`PATIENCE`], whatever the reason, and only
/// then says it.
async fn reach(url: &str) -> Result<(), StoreError> {
    let why = match tokio::time::timeout(REACH, PgConnection::connect(url)).await {
        Ok(Ok(connection)) => {
            // A farewell that fails ends the connection as well.
            let _ = connection.close().await;
            return Ok(());
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer in {} seconds", REACH.as_secs()),
    };
    Err(StoreError::Unreachable {
        address: without_password(url),
        why,
    })
}

fn quiet_options(url: &str, connections: u32) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .sqlx_logging(false)
        .acquire_timeout(PATIENCE);
    options
}

/// A result that was accepted must survive the power, so every commit reaches the disk.
fn sqlite_options(url: &str, connections: u32, make: bool) -> ConnectOptions {
    let mut options = quiet_options(url, connections);
    // A connection that is never given up, because a database in memory would go with it.
    options
        .min_connections(1)
        .idle_timeout(None::<Duration>)
        .max_lifetime(None::<Duration>);
    options.map_sqlx_sqlite_pool_opts(|options| {
        options.after_release(|connection, _| Box::pin(has_no_transaction(connection)))
    });
    options.map_sqlx_sqlite_opts(move |options| {
        options
            .create_if_missing(make)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(PATIENCE)
            .pragma("cache_size", "-16384")
            .statement_cache_capacity(200)
            .optimize_on_close(true, 400)
    });
    options
}

/// Whether a connection that comes back is in no transaction; else it is thrown away, and a new one
/// takes its place.
///
/// SQLite ends a transaction by itself after some errors of a write (no space, I/O), and after
/// others not. sqlx counts on its own how deep it is, and asks for a rollback without looking at
/// the answer; where both disagree, a later change would only be a savepoint in a transaction that
/// nobody ever commits.
async fn has_no_transaction(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    match sqlx::raw_sql("ROLLBACK").execute(&mut *connection).await {
        Ok(_) => {
            tracing::warn!(
                "a connection to the database was left in a transaction: it is replaced"
            );
            Ok(false)
        }
        Err(sqlx::Error::Database(error))
            if error.message().contains("no transaction is active") =>
        {
            Ok(!connection.is_in_transaction())
        }
        Err(error) => Err(error),
    }
}

fn without_password(url: &str) -> String {
    // A password may also stand behind the question mark.
    let url = url.split('?').next().unwrap_or(url);
    match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(host)) if scheme + 3 < host => {
            format!("{}…{}", &url[..scheme + 3], &url[host..])
        }
        _ => url.to_owned(),
    }
}
