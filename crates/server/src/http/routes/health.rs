//! Health checks and metrics, for load balancers and Prometheus.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::http::handler::routes;
use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use leitai_store::{Store, StoreError, Timestamp};
use metrics::gauge;
use tokio::sync::Mutex;
use utoipa_axum::router::OpenApiRouter;

use crate::http::app::App;
use crate::http::caller::SignedInAdmin;
use crate::http::error::{ApiError, ErrorBody};
use crate::metrics_registry::{MATCHES, QUEUED, RUNNING, SET_ASIDE, metrics_recorder};

/// The path of the metrics; the same on the separate metrics address.
const METRICS: &str = "/metrics";

/// `/healthz` and `/metrics`.
pub fn health_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(check_health))
        .routes(routes!(serve_metrics))
}

/// Whether the server answers and its database accepts writes: a row is written and committed, at
/// most once a second.
#[utoipa::path(get, operation_id = "check_health",
    path = "/healthz", tag = "operating", responses(
    (status = 200, description = "all is well", body = String, example = "ok"),
    (status = 500, description = "the database does not take what it is given", body = ErrorBody),
))]
async fn check_health(State(app): State<App>) -> Result<&'static str, ApiError> {
    app.write_probe
        .probe_write(&app.store, app.options.keep_answers)
        .await?;
    Ok("ok\n")
}

/// The last write probe of the database. Concurrent callers wait for it and share its result.
#[derive(Clone, Default)]
pub struct WriteProbe(Arc<Mutex<Option<ProbeResult>>>);

/// The time and the result of a write probe.
type ProbeResult = (Instant, Result<(), ApiError>);

impl WriteProbe {
    async fn probe_write(&self, store: &Store, keep: Duration) -> Result<(), ApiError> {
        let mut last = self.0.lock().await;
        match &*last {
            Some((at, answer)) if at.elapsed() < keep => answer.clone(),
            _ => {
                let answer = store
                    .check_writing(Timestamp::now())
                    .await
                    .map_err(ApiError::from);
                *last = Some((Instant::now(), answer.clone()));
                answer
            }
        }
    }
}

/// The metrics in Prometheus' text format, for administrators and for their tokens with the scope
/// `admin`. `leitai serve --metrics` serves them on a separate address.
#[utoipa::path(get, operation_id = "get_metrics",
    path = "/metrics", tag = "operating", responses(
    (status = 200, body = String), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
))]
async fn serve_metrics(
    State(app): State<App>,
    _: SignedInAdmin,
) -> Result<impl IntoResponse, ApiError> {
    answer_metrics(&app).await
}

/// `/metrics` without authentication, for the separate metrics address.
pub fn open_metrics(app: App) -> Router {
    let answer = async |State(app): State<App>| answer_metrics(&app).await;
    Router::new().route(METRICS, get(answer)).with_state(app)
}

async fn answer_metrics(app: &App) -> Result<impl IntoResponse + use<>, ApiError> {
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], write_metrics(app).await?))
}

/// The metrics in Prometheus' text format.
pub async fn write_metrics(app: &App) -> Result<String, StoreError> {
    let counts = app.store.count_all().await?;
    let jobs = [
        (QUEUED, &counts.queued),
        (RUNNING, &counts.leased),
        (SET_ASIDE, &counts.set_aside),
    ];
    for (name, by_kind) in jobs {
        for kind in ["match", "exhibition", "human", "version"] {
            gauge!(name, "kind" => kind).set(by_kind.get(kind).copied().unwrap_or(0) as f64);
        }
    }
    for (state, count) in &counts.matches {
        gauge!(MATCHES, "state" => state.clone()).set(*count as f64);
    }
    Ok(metrics_recorder().render())
}
