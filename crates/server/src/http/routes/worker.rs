//! Routes: the job API for workers on other machines. They need a worker token and are not part of
//! the public API, so not in the OpenAPI document.

use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use leitai_store::{
    JobId, Lease, Timestamp, TokenHash, TokenKind, VersionId, WorkerOffer, WorkerReport,
};
use serde::Deserialize;
use utoipa_axum::router::OpenApiRouter;

use super::libraries;
use crate::game_files::fetched::{PlayedFile, list_played};
use crate::http::app::App;
use crate::http::caller::bearer_token;
use crate::http::error::{ApiError, Result};
use crate::http::extract::{Answer, Json, Path, Query};
use crate::work::http_messages::{
    AcquireBody, FinishBody, FinishReply, LeaseBody, ProgressBody, ProgressReply,
};
use crate::work::queue_error::JobQueueError;
use crate::work::source::Handshake;

/// The header with the lease's token, for requests without a body.
const LEASE_HEADER: &str = "x-leitai-lease";
/// The longest progress report of a match, in bytes.
const PROGRESS: usize = 4 << 20;
/// The longest result in bytes: the longest replay with JSON around it.
const FINISH: usize = 96 << 20;
/// The longest wait for a job: a server that stops waits for these requests.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// The longest name of a worker, in characters.
const NAME: usize = 60;

/// The routes of workers.
pub fn worker_routes() -> OpenApiRouter<App> {
    let routes = Router::new()
        .route("/api/worker/acquire", post(lease_job))
        .route("/api/worker/report", post(report_worker))
        .route(
            "/api/worker/jobs/{id}/progress",
            post(report_progress).layer(DefaultBodyLimit::max(PROGRESS)),
        )
        .route(
            "/api/worker/jobs/{id}/finish",
            post(finish_job).layer(DefaultBodyLimit::max(FINISH)),
        )
        .route("/api/worker/jobs/{id}/hand-back", post(hand_back))
        .route("/api/worker/jobs/{id}/source", get(download_source))
        .route("/api/worker/jobs/{id}/game-file", get(download_game_file))
        .route("/api/worker/games", get(list_games))
        .route("/api/worker/games/{hash}", get(download_game))
        .route("/api/worker/libraries/{hash}", get(download_library));
    OpenApiRouter::from(routes)
}

/// A worker as the caller. As an extractor it refuses all others.
struct WorkerToken {
    /// The name that an administrator gave the token.
    name: String,
}

impl WorkerToken {
    /// The worker's name. It is bound to the token, so that nobody passes for another's worker: that
    /// of the token, or several behind it, `hall-2/box-7`.
    fn bind_name(&self, own: &str) -> Result<String> {
        check_name(own)?;
        Ok(match own == self.name {
            true => own.to_owned(),
            false => format!("{}/{own}", self.name),
        })
    }
}

impl FromRequestParts<App> for WorkerToken {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<WorkerToken> {
        let refusal = || {
            let message = "this needs the token of a worker; an administrator makes one on the page Admin, Workers";
            ApiError::new(StatusCode::UNAUTHORIZED, "worker-token", message)
        };
        let token = bearer_token(&parts.headers).ok_or_else(refusal)?;
        let found = app
            .store
            .find_token(&TokenHash::from_token(token), Timestamp::now())
            .await?;
        let worker = found.filter(|(token, _)| token.kind == TokenKind::Worker);
        let (token, _) = worker.ok_or_else(refusal)?;
        Ok(WorkerToken { name: token.name })
    }
}

impl From<JobQueueError> for ApiError {
    fn from(error: JobQueueError) -> ApiError {
        match error {
            JobQueueError::Store(error) => error.into(),
            JobQueueError::Blobs(error) => error.into(),
            JobQueueError::Bad(why) => {
                ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "not-this-task", why)
            }
        }
    }
}

fn check_name(name: &str) -> Result<()> {
    let sound = |c: char| !c.is_control();
    if (1..=NAME).contains(&name.chars().count()) && name.chars().all(sound) {
        return Ok(());
    }
    Err(ApiError::invalid_field(
        "bad-name",
        "worker",
        format!("a worker's name has 1 to {NAME} characters; give --name"),
    ))
}

async fn lease_job(
    token: WorkerToken,
    app: App,
    Json(body): Json<AcquireBody>,
) -> Result<Response> {
    let worker = token.bind_name(&body.worker)?;
    let mut games = Handshake::from_games(&app.games)
        .find_common_games(&body.handshake)
        .map_err(|differs| ApiError::conflict("version", differs))?;
    games.retain(|id| {
        let game = app.find_game(id);
        game.is_none_or(|game| body.request.may_play(&game))
    });
    let offer = WorkerOffer {
        wire: body.handshake.wire.cast_signed(),
        ..body.request.into_offer(&worker, games)
    };
    let most = Duration::from_millis(body.wait_ms).min(LONGEST_WAIT);
    let task = app.job_queue().await_job(&offer, most).await?;
    Ok(task.map_or(StatusCode::NO_CONTENT.into_response(), |task| {
        Json(task).into_response()
    }))
}

async fn report_worker(
    token: WorkerToken,
    app: App,
    Json(mut report): Json<WorkerReport>,
) -> Result<StatusCode> {
    report.name = token.bind_name(&report.name)?;
    let short = |text: &mut String| *text = text.chars().take(NAME).collect();
    [&mut report.version, &mut report.isolation]
        .into_iter()
        .for_each(short);
    report.remote = true;
    app.job_queue().report_worker(report).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn report_progress(
    _: WorkerToken,
    app: App,
    Path(id): Path<i64>,
    Json(body): Json<ProgressBody>,
) -> Answer<ProgressReply> {
    let lease = Lease {
        job: JobId(id),
        token: body.token,
    };
    let lease = app
        .job_queue()
        .renew_and_report(&lease, body.progress)
        .await?;
    Ok(Json(ProgressReply { lease }))
}

async fn finish_job(
    _: WorkerToken,
    app: App,
    Path(id): Path<i64>,
    Json(body): Json<FinishBody>,
) -> Answer<FinishReply> {
    let lease = Lease {
        job: JobId(id),
        token: body.token,
    };
    let outcome = app
        .job_queue()
        .finish_job(&lease, body.report, false, body.trace.as_deref())
        .await?;
    Ok(Json(FinishReply { outcome }))
}

async fn hand_back(
    _: WorkerToken,
    app: App,
    Path(id): Path<i64>,
    Json(body): Json<LeaseBody>,
) -> Result<StatusCode> {
    app.job_queue()
        .hand_back(&Lease {
            job: JobId(id),
            token: body.token,
        })
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The game files that this arena plays.
async fn list_games(_: WorkerToken, app: App) -> Answer<Vec<PlayedFile>> {
    Ok(Json(list_played(
        app.store.game_files().await?,
        Timestamp::now(),
    )))
}

/// The bytes of one of them; the worker compares the hash.
async fn download_game(_: WorkerToken, app: App, Path(hash): Path<String>) -> Result<Bytes> {
    let rows = app.store.game_files().await?;
    let now = Timestamp::now();
    let mut played = rows.iter().filter(|row| row.is_public(now));
    let row = played.find(|row| row.hash == hash);
    let gone = || ApiError::not_found("there is no game file with this hash");
    Ok(app
        .blobs
        .read_blob(&row.ok_or_else(gone)?.blob())
        .await?
        .into())
}

/// A package of a library, or a list of them; the worker compares the hash.
async fn download_library(_: WorkerToken, app: App, Path(hash): Path<String>) -> Result<Response> {
    libraries::send_library(&app, &hash).await
}

#[derive(Deserialize)]
struct SourceParameters {
    version: i64,
}

async fn download_source(
    _: WorkerToken,
    app: App,
    Path(id): Path<i64>,
    Query(wanted): Query<SourceParameters>,
    headers: HeaderMap,
) -> Result<Bytes> {
    let lease = lease_of(id, &headers);
    Ok(app
        .job_queue()
        .read_source(&lease, VersionId(wanted.version))
        .await?
        .into())
}

/// The game file that a task checks; the worker compares the hash.
async fn download_game_file(
    _: WorkerToken,
    app: App,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<Bytes> {
    let lease = lease_of(id, &headers);
    Ok(app.job_queue().read_game_file(&lease).await?.into())
}

/// The lease of a request without a body.
fn lease_of(job: i64, headers: &HeaderMap) -> Lease {
    let token = headers
        .get(LEASE_HEADER)
        .and_then(|value| value.to_str().ok());
    Lease {
        job: JobId(job),
        token: token.unwrap_or_default().to_owned(),
    }
}
