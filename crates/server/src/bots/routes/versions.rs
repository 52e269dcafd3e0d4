//! Routes: versions, from the upload to the report of the check.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::DefaultBodyLimit;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use leitai_store::{
    BlobKey, BotId, DeletionRequest, Json as Value, NewSource, SourceLanguages, Uploader, VersionId,
};
use metrics::counter;
use serde_json::json;
use tokio::sync::broadcast::Receiver;
use utoipa_axum::router::UtoipaMethodRouterExt;

use crate::bots::routes::access::{need_own_bot, own_or_admin, owns_bot};
use crate::bots::routes::upload::{self, TypedSource, Upload, UploadForm};
use crate::experiments::situation_routes::{SituationResult, describe_answers};
use crate::http::prelude::*;
use crate::http::queue_place::describe_place;
use crate::http::quotas::{allow_upload, quota_of_bot};
use crate::messages;
use crate::metrics_registry;

/// The interval at which the database is polled without a notification: the worker may report to
/// another server.
const LOOK: Duration = Duration::from_secs(2);
/// The longest time between the last byte of an upload and its row in the database. A blob without
/// a row by then is removed.
const UPLOAD: Duration = Duration::from_secs(3600);

/// Routes of versions.
pub fn version_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create_version).layer(DefaultBodyLimit::max(upload::BODY)))
        .routes(routes!(show_version, change_version, delete))
        .routes(routes!(watch_version))
        .routes(routes!(download_source))
}

/// The state of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum VersionStateName {
    /// Waits for a worker.
    Queued,
    /// Is being built.
    Building,
    /// Is being checked.
    Checking,
    /// May play.
    Ready,
    /// Failed to build or to pass the check.
    Failed,
}

impl From<leitai_store::VersionState> for VersionStateName {
    fn from(state: leitai_store::VersionState) -> VersionStateName {
        match state {
            leitai_store::VersionState::Queued => VersionStateName::Queued,
            leitai_store::VersionState::Building => VersionStateName::Building,
            leitai_store::VersionState::Checking => VersionStateName::Checking,
            leitai_store::VersionState::Ready => VersionStateName::Ready,
            leitai_store::VersionState::Failed => VersionStateName::Failed,
        }
    }
}

/// A version in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct VersionSummary {
    id: i64,
    /// The number within the bot, from 1.
    number: i32,
    state: VersionStateName,
    file_name: String,
    /// The size of the upload; 0 for a built-in bot.
    bytes: i64,
    /// The author's notes.
    notes: String,
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    /// Why it failed, `{en, zh}`; only for its author, because it quotes the source.
    #[schema(value_type = Option<Object>)]
    failure: Option<Value>,
}

impl VersionSummary {
    /// Converts a row; private fields are left out for others than the author.
    pub fn from_row(own: leitai_store::VersionRow, tell: bool) -> VersionSummary {
        VersionSummary {
            id: own.id.0,
            number: own.number,
            state: own.state.into(),
            file_name: own.file_name,
            bytes: own.bytes,
            notes: own.notes,
            created: own.created,
            failure: own
                .failure
                .filter(|_| tell)
                .map(messages::complete_languages),
        }
    }
}

/// A version.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct VersionDetails {
    id: i64,
    /// The bot's id.
    bot: i64,
    /// The number within the bot, from 1.
    number: i32,
    state: VersionStateName,
    file_name: String,
    bytes: i64,
    /// The author's notes.
    notes: String,
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    #[schema(value_type = Option<String>, format = DateTime)]
    finished: Option<Timestamp>,
    /// How it was built, for example `make`.
    how: Option<String>,
    /// The protocol that it speaks.
    protocol: Option<String>,
    /// The output of the build; null for others than its author.
    log: Option<String>,
    /// The findings of the check, each with `must_pass` and, where it failed, the `command` that
    /// reproduces it; empty for others than its author.
    #[schema(value_type = Vec<Object>)]
    steps: Vec<Value>,
    /// What it answered in situations, by their source; empty for others than its author.
    situations: Vec<SituationResult>,
    /// Why it failed, `{en, zh}`; null for others than its author.
    #[schema(value_type = Option<Object>)]
    failure: Option<Value>,
    /// Why it still waits, `{en, zh}`. In the queue with its `place`, 1 for the next one, and in about
    /// how many `seconds` it begins, null while nobody can tell.
    #[schema(value_type = Option<Object>)]
    waiting: Option<Value>,
    /// Whether others may read the source.
    source_public: bool,
    /// Whether it belongs to the caller.
    yours: bool,
}

/// The fields to change.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct VersionChangeRequest {
    /// Whether others may read the source.
    source_public: Option<bool>,
}

/// Uploads a version: its source is stored, then built and checked. If it passes, it becomes the
/// active version.
#[utoipa::path(post, operation_id = "upload_version",
    path = "/api/bots/{id}/versions", tag = "versions", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)),
    request_body(content((UploadForm = "multipart/form-data"), (TypedSource = "application/json"))), responses(
    (status = 201, body = VersionDetails), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody),
    (status = 409, description = "the account keeps as much as it may", body = ErrorBody),
    (status = 413, body = ErrorBody), (status = 415, body = ErrorBody),
    (status = 422, description = "no program, or an archive that is not unpacked", body = ErrorBody),
    (status = 429, body = ErrorBody),
))]
async fn create_version(
    app: App,
    user: SignedInUser,
    Path(id): Path<BotId>,
    request: axum::extract::Request,
) -> Result<(StatusCode, Json<VersionDetails>)> {
    // All this is checked before the body is read.
    let bot = need_own_bot(&app, &user, id).await?;
    if bot.disabled {
        return Err(ApiError::forbidden(
            "disabled",
            "this bot was locked by an administrator; ask the administrator of this arena",
        ));
    }
    let quota = quota_of_bot(&app, id).await?;
    let now = Timestamp::now();
    app.store.check_room(id, &quota, user.id, now).await?;
    allow_upload(&app, user.id).await?;
    let upload = <Upload as axum::extract::FromRequest<App>>::from_request(request, &app).await?;
    let (source, languages) = keep_upload(&app, upload).await?;
    let (new, now) = (source.to_version(id), Timestamp::now());
    let by = Uploader {
        user: user.id,
        languages,
    };
    let version = app
        .store
        .create_version_within(new, &quota, by, now)
        .await?;
    count_upload(&user, &version);
    let waiting = describe_waiting(&app, &version).await?;
    let shown = VersionDetails {
        waiting,
        ..version_details(&app, version, bot.game, true, true)
    };
    Ok((StatusCode::CREATED, Json(shown)))
}

/// Counts and logs an accepted upload.
pub fn count_upload(user: &SignedInUser, version: &leitai_store::Version) {
    counter!(metrics_registry::UPLOADS).increment(1);
    let bot = version.bot.0;
    tracing::info!(
        user = user.id.0,
        bot,
        version = version.id.0,
        "a version was uploaded"
    );
}

/// Stores the source before its row is written, so that an accepted upload is never lost. Before
/// that, the blob is scheduled for removal, in case no row refers to it within `UPLOAD`. Returns the
/// languages of the source as well.
pub async fn keep_upload(app: &App, upload: Upload) -> Result<(NewSource, SourceLanguages)> {
    let games = app.games.list();
    let look = move || {
        let upload = upload.with_sdk(&games)?;
        upload.check_archive()?;
        let languages = upload.find_languages();
        Ok((upload, languages))
    };
    let upload: Result<Result<_>, _> = tokio::task::spawn_blocking(look).await;
    let (upload, languages) = upload
        .map_err(|error| ApiError::internal_error("the archive was not looked at", &error))??;
    let (key, bytes) = (BlobKey::new_source(), upload.bytes.len() as i64);
    app.store
        .schedule_removal(&key, Timestamp::now().after(UPLOAD))
        .await?;
    app.blobs.put_blob(&key, upload.bytes).await?;
    let (file_name, notes) = (upload.file_name, upload.notes);
    let source = NewSource {
        key: key.as_str().to_owned(),
        file_name,
        bytes,
        notes,
    };
    Ok((source, languages))
}

/// A version. Fields that quote its source are only for its author.
#[utoipa::path(get, operation_id = "get_version",
    path = "/api/versions/{id}", tag = "versions",
    security((), ("token" = []), ("session" = [])), params(("id" = i64, Path)),
    responses((status = 200, body = VersionDetails), (status = 404, body = ErrorBody)))]
async fn show_version(
    app: App,
    caller: Caller,
    Path(id): Path<VersionId>,
) -> Answer<VersionDetails> {
    Ok(Json(find_version(&app, &caller, id).await?))
}

async fn find_version(app: &App, caller: &Caller, id: VersionId) -> Result<VersionDetails> {
    let version = app.store.find_version(id).await?;
    let bot = app.store.find_bot(version.bot).await?;
    let yours = owns_bot(app, caller, &bot).await?;
    let tell = yours || caller.is_admin();
    let waiting = describe_waiting(app, &version).await?;
    let situations = match tell {
        true => describe_answers(app, &version, &bot.game).await?,
        false => Vec::new(),
    };
    Ok(VersionDetails {
        waiting,
        situations,
        ..version_details(app, version, bot.game, tell, yours)
    })
}

/// Why a version waits: no worker checks uploads, or the workers that checked it died.
pub async fn describe_waiting(app: &App, version: &leitai_store::Version) -> Result<Option<Value>> {
    if version.state != leitai_store::VersionState::Queued {
        return Ok(None);
    }
    let now = Timestamp::now();
    if !app
        .store
        .living_workers(now)
        .await?
        .iter()
        .any(leitai_store::Worker::runs_programs)
    {
        return Ok(Some(json!(messages::catalogue([]).write_both(|lang| {
            lang.label(
                "no worker that runs uploaded programs is connected; it is built and checked as \
                soon as one is",
            )
        }))));
    }
    let Some(job) = app.store.job_of_version(version.id).await? else {
        return Ok(None);
    };
    match job.until.filter(|until| *until > now) {
        None => describe_place(app, &job).await,
        Some(due) => Ok(Some(json!(messages::catalogue([]).write_both(|lang| {
            lang.fill(
                "an infrastructure error cut off its examination several times; it is tried again \
                at {}",
                &[&due],
            )
        })))),
    }
}

fn version_details(
    app: &App,
    own: leitai_store::Version,
    game: String,
    tell: bool,
    yours: bool,
) -> VersionDetails {
    let known = app.find_game(&game).is_some();
    VersionDetails {
        id: own.id.0,
        bot: own.bot.0,
        number: own.number,
        state: own.state.into(),
        bytes: own.bytes,
        notes: own.notes,
        created: own.created,
        finished: own.finished,
        how: own.how,
        protocol: own.protocol,
        log: tell.then_some(own.log),
        steps: match own.steps {
            Value::Array(steps) if tell && known => steps,
            _ => Vec::new(),
        },
        situations: Vec::new(),
        failure: own
            .failure
            .filter(|_| tell)
            .map(messages::complete_languages),
        waiting: None,
        source_public: own.source_public,
        yours,
        file_name: own.file_name.clone(),
    }
}

/// Publishes the source, or hides it.
#[utoipa::path(patch, operation_id = "update_version",
    path = "/api/versions/{id}", tag = "versions", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = VersionChangeRequest, responses(
    (status = 200, body = VersionDetails), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody),
))]
async fn change_version(
    app: App,
    user: SignedInUser,
    Path(id): Path<VersionId>,
    Json(request): Json<VersionChangeRequest>,
) -> Answer<VersionDetails> {
    let version = app.store.find_version(id).await?;
    need_own_bot(&app, &user, version.bot).await?;
    if let Some(public) = request.source_public {
        app.store.set_source_public(id, public).await?;
    }
    Ok(Json(find_version(&app, &Caller(Some(user)), id).await?))
}

/// Deletes a version: its source, log and report. Its number is not reused, and its matches stay.
/// The active version cannot be deleted.
#[utoipa::path(delete, operation_id = "delete_version",
    path = "/api/versions/{id}", tag = "versions", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses(
    (status = 204), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody),
    (status = 409, description = "it is the version that plays", body = ErrorBody),
))]
async fn delete(app: App, user: SignedInUser, Path(id): Path<VersionId>) -> Result<StatusCode> {
    let version = app.store.find_version(id).await?;
    own_or_admin(&app, &user, version.bot).await?;
    let deletion = DeletionRequest {
        by: Some(user.id),
        at: Timestamp::now(),
    };
    app.store.delete_version(id, deletion).await?;
    tracing::info!(user = user.id.0, version = id.0, "a version was deleted");
    Ok(StatusCode::NO_CONTENT)
}

/// Follows the build and check of a version: an event `version` with the whole version whenever it
/// changes, until it is ready or has failed.
#[utoipa::path(get, operation_id = "watch_version",
    path = "/api/versions/{id}/live", tag = "versions",
    security((), ("token" = []), ("session" = [])), params(("id" = i64, Path)), responses(
    (status = 200, description = "server-sent events", body = VersionEvent, content_type = "text/event-stream"),
    (status = 404, body = ErrorBody),
))]
async fn watch_version(
    app: App,
    caller: Caller,
    Path(id): Path<VersionId>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let changes = app.store.version_changes();
    find_version(&app, &caller, id).await?;
    let watch = VersionWatch {
        app,
        caller,
        id,
        changes,
        last: None,
        over: false,
    };
    let events = futures_util::stream::unfold(watch, |mut watch| async move {
        let event = watch.next().await?;
        Some((Ok(event), watch))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// A server-sent event.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it only describes the event")]
struct VersionEvent {
    #[schema(pattern = "^version$")]
    event: String,
    /// A `VersionDetails` as JSON.
    data: String,
}

/// A client that follows a version.
struct VersionWatch {
    app: App,
    caller: Caller,
    id: VersionId,
    changes: Receiver<VersionId>,
    last: Option<VersionDetails>,
    over: bool,
}

impl VersionWatch {
    /// The version as soon as it differs from the last event; `None` after the end.
    async fn next(&mut self) -> Option<Event> {
        while !self.over {
            let now = find_version(&self.app, &self.caller, self.id).await.ok()?;
            if self.last.as_ref() != Some(&now) {
                self.over = matches!(
                    now.state,
                    VersionStateName::Ready | VersionStateName::Failed
                );
                let event = Event::default().event("version").json_data(&now).ok()?;
                self.last = Some(now);
                return Some(event);
            }
            // Wait for a notification of this version, or for the polling interval.
            let _ = tokio::time::timeout(LOOK, self.next_change()).await;
        }
        None
    }

    async fn next_change(&mut self) {
        use tokio::sync::broadcast::error::RecvError;
        loop {
            match self.changes.recv().await {
                Ok(id) if id == self.id => return,
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => return,
                // The store is closed: no notification will come.
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}

/// Which part of a source is asked for.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SourcePart {
    /// Only the code that somebody wrote, without the files of an SDK that came along.
    #[serde(default)]
    code: bool,
}

/// The source of a version, for its author, and for everybody if it is public.
#[utoipa::path(get, operation_id = "get_version_source",
    path = "/api/versions/{id}/source", tag = "versions",
    security((), ("token" = []), ("session" = [])), params(("id" = i64, Path), SourcePart), responses(
    (status = 200, description = "the file as it was uploaded, or the code in it",
        content((String = "text/plain"), (String = "application/octet-stream"))),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
))]
async fn download_source(
    app: App,
    caller: Caller,
    Path(id): Path<VersionId>,
    Query(part): Query<SourcePart>,
) -> Result<Response> {
    let version = app.store.find_version(id).await?;
    let bot = app.store.find_bot(version.bot).await?;
    let may = caller.is_admin() || owns_bot(&app, &caller, &bot).await?;
    if !version.source_public && !may {
        return Err(ApiError::forbidden(
            "not-yours",
            "only its author may see the source of this version",
        ));
    }
    let key = version.source.ok_or_else(|| {
        ApiError::not_found("a built-in bot's source is Leitai's own; see games/")
    })?;
    let whole = app.blobs.read_blob(&BlobKey::parse(&key)?).await?;
    let code = (part.code).then(|| upload::code_beside_sdk(&version.file_name, &whole));
    let (name, bytes) = code.flatten().unwrap_or((version.file_name, whole));
    let is_text = std::str::from_utf8(&bytes).is_ok_and(|text| !text.contains('\0'));
    let kind = if is_text {
        "text/plain; charset=utf-8"
    } else {
        "application/octet-stream"
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_DISPOSITION, attachment_header(&name)),
    ];
    Ok((headers, bytes).into_response())
}

/// `Content-Disposition` for a file of this name; characters beyond ASCII are encoded by RFC 6266.
pub fn attachment_header(name: &str) -> HeaderValue {
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "._-".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    let whole: String = name
        .bytes()
        .map(|b| {
            if b.is_ascii_alphanumeric() || b"._-".contains(&b) {
                char::from(b).to_string()
            } else {
                format!("%{b:02X}")
            }
        })
        .collect();
    HeaderValue::from_str(&format!(
        "attachment; filename=\"{plain}\"; filename*=UTF-8''{whole}"
    ))
    .expect("both are plain ASCII")
}
