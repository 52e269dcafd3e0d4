//! Health checks and metrics, for load balancers and Prometheus.

use std::time::Duration;

use axum::Router;
use axum::routing::get;
use metrics::gauge;

use crate::http::prelude::*;
use crate::metrics_registry::{
    CONNECTIONS, CONNECTIONS_MOST, CONNECTIONS_WAITING, DATABASE_UP, MATCHES, QUEUED,
    RECOUNT_MATCHES_READ, RECOUNTS_OPEN, RUNNING, SET_ASIDE, TO_SEND, TO_SEND_OVERDUE, WORKERS,
    metrics_recorder,
};
use crate::process_metrics;

/// The path of the metrics; the same on the separate metrics address.
const METRICS: &str = "/metrics";

/// `/healthz` and `/metrics`.
pub fn health_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(check_health))
        .routes(routes!(serve_metrics))
}

/// Whether the server answers and its database and its blob store accept writes: a row is written
/// and committed, and space is taken on the disk of an embedded database, at most once a second; an
/// object is written and deleted every ten seconds.
#[utoipa::path(get, operation_id = "check_health",
    path = "/healthz", tag = "operating", responses(
    (status = 200, description = "all is well", body = String, example = "ok"),
    (status = 500, description = "the database or the blob store does not take what it is given", body = ErrorBody),
    (status = 503, description = "the database does not answer", body = ErrorBody),
))]
async fn check_health(app: App) -> Result<&'static str> {
    let (probes, keep) = (&app.write_probes, app.options.keep_answers);
    probes.database.share(keep, probe_database(&app)).await?;
    let blobs = probes.blobs.share(keep * BLOBS, probe_blobs(&app));
    blobs.await?;
    Ok("ok\n")
}

/// How much longer than an answer of the cache that of the blob store is kept: a bucket may cost
/// money.
const BLOBS: u32 = 10;
/// The longest time that a probe takes.
const PROBE: Duration = Duration::from_millis(1900);

async fn probe_database(app: &App) -> Result<()> {
    let written = app.store.check_writing(Timestamp::now());
    match tokio::time::timeout(PROBE, written).await {
        Ok(Err(StoreError::Disk(why))) => {
            Err(ApiError::internal_error("the disk takes no more", &why))
        }
        Ok(written) => Ok(written?),
        Err(_) => Err(StoreError::no_answer().into()),
    }
}

async fn probe_blobs(app: &App) -> Result<()> {
    let failed = |why: &dyn std::fmt::Display| {
        Err(ApiError::internal_error(
            "the blob store takes no more",
            why,
        ))
    };
    match tokio::time::timeout(PROBE, app.blobs.check_writing()).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => failed(&error),
        Err(_) => failed(&"no answer"),
    }
}

/// The metrics in Prometheus' text format, for administrators and for their tokens with the scope
/// `admin`. `leitai serve --metrics` serves them on a separate address.
#[utoipa::path(get, operation_id = "get_metrics",
    path = "/metrics", tag = "operating", responses(
    (status = 200, body = String), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
))]
async fn serve_metrics(app: App, _: SignedInAdmin) -> Result<impl IntoResponse> {
    Ok(answer_metrics(&app).await)
}

/// `/metrics` without authentication, for the separate metrics address.
pub fn open_metrics(app: App) -> Router {
    let answer = async |app: App| answer_metrics(&app).await;
    Router::new().route(METRICS, get(answer)).with_state(app)
}

async fn answer_metrics(app: &App) -> impl IntoResponse + use<> {
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], write_metrics(app).await)
}

/// The metrics in Prometheus' text format.
pub async fn write_metrics(app: &App) -> String {
    process_metrics::measure_process(app.options.data.as_deref());
    let pool = app.store.pool_use();
    gauge!(CONNECTIONS, "state" => "used").set(pool.used as f64);
    gauge!(CONNECTIONS, "state" => "idle").set(pool.idle as f64);
    gauge!(CONNECTIONS_MOST).set(pool.most as f64);
    gauge!(CONNECTIONS_WAITING).set(pool.waiting as f64);
    let measured = tokio::time::timeout(PATIENCE, measure_arena(app)).await;
    let is_up = matches!(measured, Ok(Ok(())));
    gauge!(DATABASE_UP).set(f64::from(u8::from(is_up)));
    if !is_up {
        forget_arena();
    }
    metrics_recorder().render()
}

/// How long the database may take to say what is in it.
const PATIENCE: Duration = Duration::from_secs(3);
/// The kinds of jobs.
const KINDS: [&str; 4] = ["match", "exhibition", "human", "version"];
/// The states of matches.
const STATES: [&str; 6] = [
    "waiting",
    "queued",
    "running",
    "finished",
    "void",
    "cancelled",
];

/// What is in the database.
async fn measure_arena(app: &App) -> Result<(), StoreError> {
    let (store, now) = (&app.store, Timestamp::now());
    let counts = store.count_all().await?;
    let workers = store.living_workers(now).await?;
    let (running, other): (Vec<_>, Vec<_>) = workers
        .iter()
        .filter(|worker| worker.slots > 0)
        .partition(|worker| worker.runs_programs());
    for (programs, workers) in [("yes", running), ("no", other)] {
        gauge!(WORKERS, "programs" => programs).set(workers.len() as f64);
    }
    let mut to_send = vec![("webhooks", store.waiting_events(now).await?)];
    if app.mail.is_some() {
        to_send.push(("mail", store.waiting_mails().await?));
    }
    for (queue, waiting) in to_send {
        let overdue = waiting.due.map_or(Duration::ZERO, |due| now.since(due));
        gauge!(TO_SEND, "queue" => queue).set(waiting.count as f64);
        gauge!(TO_SEND_OVERDUE, "queue" => queue).set(overdue.as_secs_f64());
    }
    let recounts = store.measure_recounts().await?;
    gauge!(RECOUNTS_OPEN).set(recounts.open as f64);
    gauge!(RECOUNT_MATCHES_READ).set(recounts.matches_read as f64);
    let jobs = [
        (QUEUED, &counts.queued),
        (RUNNING, &counts.leased),
        (SET_ASIDE, &counts.set_aside),
    ];
    for (name, by_kind) in jobs {
        for kind in KINDS {
            gauge!(name, "kind" => kind).set(by_kind.get(kind).copied().unwrap_or(0) as f64);
        }
    }
    // Also those that there are none of, so that alerts see the first ones.
    for state in STATES {
        let count = counts.matches.get(state).copied().unwrap_or(0);
        gauge!(MATCHES, "state" => state).set(count as f64);
    }
    Ok(())
}

/// Nothing is known of what is in the database.
fn forget_arena() {
    for name in [QUEUED, RUNNING, SET_ASIDE] {
        for kind in KINDS {
            gauge!(name, "kind" => kind).set(f64::NAN);
        }
    }
    for state in STATES {
        gauge!(MATCHES, "state" => state).set(f64::NAN);
    }
    for name in [RECOUNTS_OPEN, RECOUNT_MATCHES_READ] {
        gauge!(name).set(f64::NAN);
    }
    for programs in ["yes", "no"] {
        gauge!(WORKERS, "programs" => programs).set(f64::NAN);
    }
}
