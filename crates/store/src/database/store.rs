//! The database connection with a single writer.

use std::future::ready;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use sea_orm::sqlx::sqlite::{SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sea_orm::sqlx::{self, Connection};
use sea_orm::{
    ColumnTrait, ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend,
    DeleteMany, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select, SqliteTransactionMode,
    Statement, TransactionOptions,
};
use serde::{Deserialize, Serialize};
use tokio::sync::{broadcast, watch};

use crate::database::availability::{self, Availability, Change, DatabasePool, Guarded};
use crate::database::parts::Parts;
use crate::database::pool_use::{PoolUse, WaitingChange, use_of};
use crate::database::{health, skeletons};
use crate::migrations::upgrade;
use crate::{Page, PageQuery, Result, StoreError, Timestamp, VersionId};

/// The database. Clones share one connection.
///
/// SQLite has one writer at a time. So every change goes through one connection, and a writer waits
/// for it here instead of failing in SQLite; readers have their own connections and see committed
/// data. PostgreSQL has one pool for both.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) readers: DatabasePool,
    /// All writes happen in a transaction ([`Store::begin_write`]). With a statement outside one,
    /// such as `INSERT … RETURNING`, SQLite may report a failure only after the rows were read,
    /// when nobody looks at the result any more.
    pub(crate) writer: DatabasePool,
    pub(crate) shared: Arc<StoreInner>,
}

/// The state that all clones share.
#[derive(Debug)]
pub(crate) struct StoreInner {
    /// Changes that wait for a connection.
    pub waiting: AtomicU64,
    /// The file of an embedded database.
    pub file: Option<PathBuf>,
    /// Until then nobody takes over here what others had, see [`Store::begin_serving`].
    pub settled: AtomicI64,
    pub parts: Parts,
    pub versions: broadcast::Sender<VersionId>,
    pub arrivals: watch::Sender<u64>,
    pub news: watch::Sender<u64>,
    pub own_changes: broadcast::Sender<StoreChange>,
    pub read_events: ReadEvents,
}

/// How what happened is read after a transaction.
pub(crate) type ReadEvents = fn(Store) -> BoxFuture<'static, ()>;

/// A change that others wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoreChange {
    /// A version is another one.
    Version(VersionId),
    /// There are new jobs.
    Jobs,
    /// Some people were told something in the page.
    News,
}

/// Connections of readers.
const READERS: u32 = 8;
/// Connections to PostgreSQL of one server.
const CONNECTIONS: u32 = 16;
/// The longest time that another process (a backup, an administrator's shell) may lock SQLite's
/// file.
const PATIENCE: Duration = Duration::from_secs(30);
/// The timeout of the first answer of PostgreSQL.
const REACH: Duration = Duration::from_secs(5);

impl Store {
    /// Opens a database that is there, or makes it if `make`, and applies the migrations.
    pub(crate) async fn connect(url: &str, make: bool, read_events: ReadEvents) -> Result<Store> {
        let (writer, readers) = connect_database(url, make).await?;
        if !make && !upgrade::has_arena(&readers).await? {
            return Err(StoreError::Absent(without_password(url)));
        }
        upgrade::migrate(&writer).await?;
        skeletons::fill(&writer).await?;
        let availability = match writer.get_database_backend() {
            DbBackend::Postgres => Availability::watch(url, writer.clone())?,
            _ => Availability::embedded(),
        };
        let guarded = |pool| Guarded::new(pool, availability.clone());
        let (writer, readers) = (guarded(writer), guarded(readers));
        let shared = StoreInner {
            waiting: AtomicU64::new(0),
            file: database_file(url),
            settled: AtomicI64::new(i64::MIN),
            parts: Parts::default(),
            versions: broadcast::Sender::new(256),
            arrivals: watch::Sender::new(0),
            news: watch::Sender::new(0),
            own_changes: broadcast::Sender::new(256),
            read_events,
        };
        Ok(Store {
            readers,
            writer,
            shared: Arc::new(shared),
        })
    }

    /// Writes a row and commits it, and takes space on the disk of an embedded database, to test
    /// whether it accepts writes. The row alone may find its place in a file that need not grow.
    pub async fn check_writing(&self, at: Timestamp) -> Result<()> {
        if let Some(file) = self.shared.file.clone() {
            let taken = tokio::task::spawn_blocking(move || health::take_space(&file));
            let taken = taken.await.map_err(|_| StoreError::Closed)?;
            taken.map_err(StoreError::Disk)?;
        }
        let change = self.begin_write().await?;
        health::write(&change, at).await?;
        Ok(change.commit().await?)
    }

    /// [`StoreError::Away`] if the database is known to be away, without asking it.
    pub fn check_answering(&self) -> Result<()> {
        match self.readers.is_away() {
            true => Err(StoreError::no_answer()),
            false => Ok(()),
        }
    }

    /// Whether the database is a local file, which only one server uses.
    pub fn is_embedded(&self) -> bool {
        self.writer.get_database_backend() == DbBackend::Sqlite
    }

    /// Closes the database after pending writes.
    pub async fn close_store(self) -> Result<()> {
        self.readers.close().await?;
        Ok(self.writer.close().await?)
    }

    /// Writes a consistent copy of an SQLite database to a new file while it is in use.
    /// [`StoreError::Refused`] for PostgreSQL, which has `pg_dump`.
    pub async fn copy_into(&self, file: &Path) -> Result<()> {
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

    /// Another server of the same database, with a memory of its own, for tests.
    #[doc(hidden)]
    pub fn other_server_for_tests(&self) -> Store {
        self.other_server(self.shared.read_events)
    }

    /// Another server of the same database that is killed after each commit, before it reads what
    /// happened, for tests.
    #[doc(hidden)]
    pub fn dying_server_for_tests(&self) -> Store {
        self.other_server(|_| Box::pin(ready(())))
    }

    fn other_server(&self, read_events: ReadEvents) -> Store {
        let shared = StoreInner {
            settled: AtomicI64::new(i64::MIN),
            waiting: AtomicU64::new(0),
            file: None,
            parts: Parts::default(),
            versions: broadcast::Sender::new(256),
            arrivals: watch::Sender::new(0),
            news: watch::Sender::new(0),
            own_changes: broadcast::Sender::new(256),
            read_events,
        };
        Store {
            shared: Arc::new(shared),
            ..self.clone()
        }
    }

    /// A stream of the versions that change in this process, or elsewhere
    /// ([`Store::note_change`]). A slow reader loses old ones and
    /// should read all rows again.
    pub fn version_changes(&self) -> broadcast::Receiver<VersionId> {
        self.shared.versions.subscribe()
    }

    /// A counter that grows when this process queues jobs. Idle workers wait for it instead of
    /// polling.
    pub fn job_arrivals(&self) -> watch::Receiver<u64> {
        self.shared.arrivals.subscribe()
    }

    /// A counter that grows when people are told something in the page, here or on another server.
    /// It does not say whom; what somebody has read is not counted.
    pub fn news_arrivals(&self) -> watch::Receiver<u64> {
        self.shared.news.subscribe()
    }

    /// What this process keeps of this type beside the connection; all clones share it.
    pub(crate) fn part<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.shared.parts.of(T::default)
    }

    /// A page of rows, the newest first by their key.
    pub(crate) async fn page_of<E: EntityTrait>(
        &self,
        rows: Select<E>,
        id: E::Column,
        ask: &PageQuery,
        key: fn(&E::Model) -> i64,
    ) -> Result<Page<E::Model>> {
        let mut rows = rows.order_by_desc(id).limit(ask.row_limit() + 1);
        if let Some(before) = ask.cursor_id()? {
            rows = rows.filter(id.lt(before));
        }
        let rows = rows.all(&self.readers).await?;
        Ok(Page::from_items(ask, rows, |row| key(row).to_string()))
    }

    /// Deletes these rows in a transaction of its own; returns how many there were.
    pub(crate) async fn delete_rows<E: EntityTrait>(&self, rows: DeleteMany<E>) -> Result<u64> {
        let change = self.begin_write().await?;
        let deleted = rows.exec(&change).await?.rows_affected;
        change.commit().await?;
        Ok(deleted)
    }

    /// Begins a write transaction. It is rolled back when it is dropped without a commit. SQLite takes
    /// the write lock at once (`BEGIN IMMEDIATE`), because a reader that becomes a writer could be
    /// refused.
    pub(crate) async fn begin_write(&self) -> Result<Change> {
        let _waiting = WaitingChange::count(&self.shared.waiting);
        let immediate = Some(SqliteTransactionMode::Immediate);
        let options = TransactionOptions {
            sqlite_transaction_mode: immediate,
            ..TransactionOptions::default()
        };
        let (read, store) = (self.shared.read_events, self.clone());
        let after = Box::new(move || read(store));
        Ok(self.writer.begin_with_options(options, after).await?)
    }

    /// How the connections to the database are used now.
    pub fn pool_use(&self) -> PoolUse {
        let readers = use_of(self.readers.pool());
        // SQLite has a connection of its own for writing.
        let writer = match self.is_embedded() {
            true => use_of(self.writer.pool()),
            false => PoolUse::default(),
        };
        PoolUse {
            used: readers.used + writer.used,
            idle: readers.idle + writer.idle,
            most: readers.most + writer.most,
            waiting: self.shared.waiting.load(Ordering::Relaxed),
        }
    }

    /// A stream of what this process changes, for other processes. A slow reader loses old changes.
    pub fn own_changes(&self) -> broadcast::Receiver<StoreChange> {
        self.shared.own_changes.subscribe()
    }

    /// Wakes whoever waits here for a change that another process made.
    pub fn note_change(&self, change: StoreChange) {
        match change {
            // There may be no receiver.
            StoreChange::Version(id) => _ = self.shared.versions.send(id),
            StoreChange::Jobs => self.shared.arrivals.send_modify(|count| *count += 1),
            StoreChange::News => self.shared.news.send_modify(|count| *count += 1),
        }
    }

    fn tell_change(&self, change: StoreChange) {
        self.note_change(change);
        // There may be no receiver.
        let _ = self.shared.own_changes.send(change);
    }

    pub(crate) fn version_changed(&self, id: VersionId) {
        self.tell_change(StoreChange::Version(id));
    }

    pub(crate) fn jobs_arrived(&self) {
        self.tell_change(StoreChange::Jobs);
    }

    pub(crate) fn news_arrived(&self) {
        self.tell_change(StoreChange::News);
    }
}

async fn connect_database(
    url: &str,
    make: bool,
) -> Result<(DatabaseConnection, DatabaseConnection)> {
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
            connect_once(url).await?;
            let both = Database::connect(postgres_options(url)).await?;
            Ok((both.clone(), both))
        }
        _ => Err(StoreError::Address(without_password(url))),
    }
}

/// Connects once, to report an error at once, and takes the time from there. A pool retries for [`PATIENCE`], whatever the reason,
/// before it reports.
async fn connect_once(url: &str) -> Result<()> {
    let why = match tokio::time::timeout(REACH, availability::ask_time_once(url)).await {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer in {} seconds", REACH.as_secs()),
    };
    Err(StoreError::Unreachable {
        address: without_password(url),
        why,
    })
}

/// The file of an SQLite database that is not in memory alone.
fn database_file(url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix("sqlite:")?;
    let path = path.strip_prefix("//").unwrap_or(path);
    let path = path.split('?').next().unwrap_or(path);
    (path != ":memory:").then(|| path.into())
}

fn quiet_options(url: &str, connections: u32) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .sqlx_logging(false)
        .acquire_timeout(PATIENCE);
    options
}

fn postgres_options(url: &str) -> ConnectOptions {
    let mut options = quiet_options(url, CONNECTIONS);
    options.map_sqlx_postgres_opts(|options| options.application_name(&upgrade::connection_name()));
    options
}

/// Every commit reaches the disk, because a recorded result must survive a power failure.
fn sqlite_options(url: &str, connections: u32, make: bool) -> ConnectOptions {
    let mut options = quiet_options(url, connections);
    // The connection is never closed, because an in-memory database would be lost with it.
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

/// Whether a connection that returns to the pool is outside of any transaction; otherwise the pool
/// replaces it.
///
/// SQLite ends a transaction by itself after some write errors (no space, I/O) but not after
/// others. sqlx counts the nesting depth on its own and ignores the answer to a rollback. Where
/// both disagree, a later change would only be a savepoint in a transaction that is never
/// committed.
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
    // The query string may contain a password, too.
    let url = url.split('?').next().unwrap_or(url);
    match (url.find("://"), url.rfind('@')) {
        (Some(scheme), Some(host)) if scheme + 3 < host => {
            format!("{}…{}", &url[..scheme + 3], &url[host..])
        }
        _ => url.to_owned(),
    }
}
