//! Whether PostgreSQL answers, and what its clock says.
//!
//! A task asks the database all the time over a connection of its own. If it does not answer for
//! [`PATIENCE`], it is *away*: every statement that waits for it, and every further one, ends at once
//! with [`StoreError::Away`], until it answers again. So a statement that takes long is left alone as
//! long as the database lives, and nobody waits for one that does not: killed, stalled (it takes
//! connections and says nothing) or cut off. An embedded database is never away.
//!
//! The answer is the database's time. [`Timestamp::now`] follows it, so that leases and deadlines
//! that several servers compare come from one clock.

use std::future::Future;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::{self, ConnectOptions as _, Connection, Executor, PgConnection, Row};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, QueryResult, RuntimeErr,
    Statement, TransactionOptions, TransactionTrait,
};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::database::{leases, outbox};
use crate::migrations::upgrade;
use crate::tables::events;
use crate::{Result, StoreError, Timestamp};

/// The pause between two questions.
const LOOK: Duration = Duration::from_millis(300);
/// How long the database may be silent. Together with [`LOOK`] less than two seconds, in which a
/// request has its answer.
const PATIENCE: Duration = Duration::from_millis(1500);
/// The pause before another attempt to connect.
const RETRY: Duration = Duration::from_millis(100);
/// For how long leases that were held when the database went away are held after its return: their
/// holders could not renew them.
pub(crate) const GRACE: Duration = Duration::from_secs(20);

/// What the database's clock says, in milliseconds since 1970.
const CLOCK: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// Whether the database answers. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Availability {
    /// Whether it is away; `None` for an embedded database.
    away: Option<watch::Receiver<bool>>,
    watching: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl Availability {
    /// That of a database which is part of this process.
    pub fn embedded() -> Availability {
        Availability {
            away: None,
            watching: Arc::default(),
        }
    }

    /// Watches PostgreSQL from now on, until nobody asks any more; `pool` prolongs the leases.
    pub fn watch(url: &str, pool: DatabaseConnection) -> Result<Availability> {
        let options = monitor_options(url)?;
        let (told, away) = watch::channel(false);
        let watching = tokio::spawn(async move {
            let closed = told.clone();
            tokio::select! {
                () = watch_database(&options, &pool, &told) => {}
                () = closed.closed() => {}
            }
        });
        Ok(Availability {
            away: Some(away),
            watching: Arc::new(Mutex::new(Some(watching))),
        })
    }

    /// Ends the connection.
    pub async fn stop_watching(&self) {
        let watching = self.watching.lock();
        let watching = watching.unwrap_or_else(PoisonError::into_inner).take();
        if let Some(watching) = watching {
            watching.abort();
            _ = watching.await;
        }
    }

    /// Does this unless the database is away, and as long as it is not.
    async fn guard<T>(
        &self,
        work: impl Future<Output = Result<T, DbErr>> + Send,
    ) -> Result<T, DbErr> {
        let Some(mut away) = self.away.clone() else {
            return work.await;
        };
        let is_away = async move {
            // A watch that ended says nothing any more.
            if away.wait_for(|away| *away).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            biased;
            () = is_away => Err(DbErr::Conn(RuntimeErr::Internal("away".to_owned()))),
            done = work => done,
        }
    }
}

/// Options of a connection that is not of the pool.
fn monitor_options(url: &str) -> Result<PgConnectOptions> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|error| StoreError::from(DbErr::Conn(RuntimeErr::SqlxError(Arc::new(error)))))?;
    Ok(options
        .application_name(&upgrade::connection_name())
        .disable_statement_logging())
}

/// Asks once for the database's time, over a connection of its own, and sets the clock by it. The
/// error says why there is no connection.
pub(crate) async fn ask_time_once(url: &str) -> Result<(), sqlx::Error> {
    let mut connection = PgConnectOptions::from_str(url)?
        .application_name(&upgrade::connection_name())
        .connect()
        .await?;
    ask_time(&mut connection).await?;
    // An error on close ends the connection as well.
    _ = connection.close().await;
    Ok(())
}

/// Asks for the database's time, and sets the clock of this process by it.
async fn ask_time(connection: &mut PgConnection) -> Result<Timestamp, sqlx::Error> {
    let asked = Timestamp::of_system();
    let row = connection.fetch_one(sqlx::raw_sql(CLOCK)).await?;
    let said = Timestamp(row.try_get(0)?);
    Timestamp::follow(said, asked, Timestamp::of_system());
    Ok(said)
}

async fn watch_database(
    options: &PgConnectOptions,
    pool: &DatabaseConnection,
    told: &watch::Sender<bool>,
) {
    let (mut connection, mut answered) = (None, Timestamp::now());
    loop {
        match timeout(PATIENCE, ask_until_answered(&mut connection, options)).await {
            Ok(said) => {
                if !*told.borrow() {
                    answered = said;
                } else if let Err(error) = prolong_leases(pool, answered).await {
                    tracing::warn!(%error, "the database answers, but takes no writes");
                } else {
                    answered = said;
                    told.send_replace(false);
                    tracing::info!("the database is back");
                }
            }
            Err(_) => {
                connection = None;
                if !told.send_replace(true) {
                    tracing::warn!(
                        seconds = PATIENCE.as_secs_f64(),
                        "the database is away: it has not answered"
                    );
                }
            }
        }
        sleep(LOOK).await;
    }
}

/// Asks until there is an answer. The connection is made where there is none.
async fn ask_until_answered(
    connection: &mut Option<PgConnection>,
    options: &PgConnectOptions,
) -> Timestamp {
    loop {
        // It is put back only after an answer: a question that was given up leaves it unusable.
        let asked = match connection.take() {
            Some(open) => Ok(open),
            None => options.connect().await,
        };
        match asked {
            Ok(mut open) => match ask_time(&mut open).await {
                Ok(said) => {
                    *connection = Some(open);
                    return said;
                }
                Err(error) => tracing::debug!(%error, "the database did not say its time"),
            },
            Err(error) => tracing::debug!(%error, "the database cannot be reached"),
        }
        sleep(RETRY).await;
    }
}

/// Prolongs the leases that were held when the database went away.
async fn prolong_leases(pool: &DatabaseConnection, answered: Timestamp) -> Result<()> {
    let work = async {
        let change = pool.begin().await?;
        let count =
            leases::prolong_leases(&change, answered, Timestamp::now().after(GRACE)).await?;
        change.commit().await?;
        if count > 0 {
            tracing::info!(
                jobs = count,
                "leases that nobody could renew were prolonged"
            );
        }
        Ok(())
    };
    let no_answer = || DbErr::Conn(RuntimeErr::Internal("no answer".to_owned()));
    timeout(PATIENCE, work).await.map_err(|_| no_answer())?
}

/// A connection or a transaction whose statements end when the database is away.
#[derive(Clone, Debug)]
pub(crate) struct Guarded<C> {
    inner: C,
    availability: Availability,
}

/// The pool of connections.
pub(crate) type DatabasePool = Guarded<DatabaseConnection>;

/// What is done after a transaction in which something happened.
pub(crate) type AfterCommit = Box<dyn FnOnce() -> BoxFuture<'static, ()> + Send + Sync>;

/// A change of the database: a transaction, and what happened in it.
pub(crate) struct Change {
    inner: Guarded<sea_orm::DatabaseTransaction>,
    events: Mutex<Vec<events::ActiveModel>>,
    after: Option<AfterCommit>,
}

impl<C> Guarded<C> {
    pub fn new(inner: C, availability: Availability) -> Guarded<C> {
        Guarded {
            inner,
            availability,
        }
    }
}

impl DatabasePool {
    /// The pool itself, for how its connections are used.
    pub fn pool(&self) -> &DatabaseConnection {
        &self.inner
    }

    /// Whether the database is away, as far as is known.
    pub fn is_away(&self) -> bool {
        let away = self.availability.away.as_ref();
        away.is_some_and(|away| *away.borrow())
    }

    /// Begins a transaction; `after` follows it if something happened in it.
    pub async fn begin_with_options(
        &self,
        options: TransactionOptions,
        after: AfterCommit,
    ) -> Result<Change, DbErr> {
        let begun = self.inner.begin_with_options(options);
        let begun = self.availability.guard(begun).await?;
        Ok(Change {
            inner: Guarded::new(begun, self.availability.clone()),
            events: Mutex::default(),
            after: Some(after),
        })
    }

    /// Closes the connections.
    pub async fn close(self) -> Result<(), DbErr> {
        self.availability.stop_watching().await;
        self.inner.close().await
    }
}

impl Change {
    /// Begins a part that can be rolled back alone.
    pub async fn begin_part(&self) -> Result<Change, DbErr> {
        let availability = self.inner.availability.clone();
        let begun = availability.guard(self.inner.inner.begin()).await?;
        Ok(Change {
            inner: Guarded::new(begun, availability),
            events: Mutex::default(),
            after: None,
        })
    }

    /// Keeps what happened; it is written when the transaction commits.
    pub fn keep_event(&self, event: events::ActiveModel) {
        let events = self.events.lock();
        events.unwrap_or_else(PoisonError::into_inner).push(event);
    }

    /// Commits, with what happened. Where the database went away meanwhile, nobody knows whether it
    /// did.
    pub async fn commit(self) -> Result<(), DbErr> {
        let events = self.events.into_inner();
        let events = events.unwrap_or_else(PoisonError::into_inner);
        let happened = !events.is_empty();
        if happened {
            outbox::write(&self.inner, events).await?;
        }
        let Guarded {
            inner,
            availability,
        } = self.inner;
        availability.guard(inner.commit()).await?;
        if let Some(after) = self.after.filter(|_| happened) {
            // It goes on if nobody waits for it any more.
            _ = tokio::spawn(after()).await;
        }
        Ok(())
    }

    /// Rolls back.
    pub async fn rollback(self) -> Result<(), DbErr> {
        let inner = self.inner;
        inner.availability.guard(inner.inner.rollback()).await
    }
}

#[async_trait]
impl ConnectionTrait for Change {
    fn get_database_backend(&self) -> DbBackend {
        self.inner.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.inner.execute_raw(statement).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.inner.execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.inner.query_one_raw(statement).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.inner.query_all_raw(statement).await
    }
}

#[async_trait]
impl<C: ConnectionTrait> ConnectionTrait for Guarded<C> {
    fn get_database_backend(&self) -> DbBackend {
        self.inner.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let done = self.inner.execute_raw(statement);
        self.availability.guard(done).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        let done = self.inner.execute_unprepared(sql);
        self.availability.guard(done).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let found = self.inner.query_one_raw(statement);
        self.availability.guard(found).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let found = self.inner.query_all_raw(statement);
        self.availability.guard(found).await
    }
}
