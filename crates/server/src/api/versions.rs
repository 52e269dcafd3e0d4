//! Routes: versions, from the upload to why it failed.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::Stream;
use leitai_judge::check::Step;
use leitai_store::{BotId, Json as Value, Key, NewVersion, Timestamp, VersionId};
use metrics::counter;
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::Receiver;
use utoipa::ToSchema;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::api::bots::own;
use crate::api::extract::{Json, Path};
use crate::api::upload::{self, Form, Typed, Upload};
use crate::app::App;
use crate::auth::{Caller, User};
use crate::error::{ApiError, ErrorBody};
use crate::health;

/// How often the database is looked at although nobody has said that something has changed: the worker that builds may
/// report to another server.
const LOOK: Duration = Duration::from_secs(2);
/// Versions a bot may have.
const MOST: usize = 1_000;

/// Routes of versions.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create).layer(DefaultBodyLimit::max(upload::BODY)))
        .routes(routes!(show, change))
        .routes(routes!(live))
        .routes(routes!(source))
}

/// How far an upload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum VersionState {
    /// Waits for a worker.
    Queued,
    /// Is being built.
    Building,
    /// Is being checked.
    Checking,
    /// May play.
    Ready,
    /// May not.
    Failed,
}

impl From<leitai_store::VersionState> for VersionState {
    fn from(state: leitai_store::VersionState) -> VersionState {
        match state {
            leitai_store::VersionState::Queued => VersionState::Queued,
            leitai_store::VersionState::Building => VersionState::Building,
            leitai_store::VersionState::Checking => VersionState::Checking,
            leitai_store::VersionState::Ready => VersionState::Ready,
            leitai_store::VersionState::Failed => VersionState::Failed,
        }
    }
}

/// A version in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct VersionBrief {
    id: i64,
    /// 1, 2, 3 … a bot.
    number: i32,
    state: VersionState,
    file_name: String,
    /// What its author says of it.
    notes: String,
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    /// Why it failed, `{en, zh}`; only for its author, because it quotes the source.
    #[schema(value_type = Option<Object>)]
    failure: Option<Value>,
}

impl VersionBrief {
    /// As its author sees it, or as others do.
    pub fn of(own: leitai_store::VersionBrief, tell: bool) -> VersionBrief {
        VersionBrief {
            id: own.id.0,
            number: own.number,
            state: own.state.into(),
            file_name: own.file_name,
            notes: own.notes,
            created: own.created,
            failure: own.failure.filter(|_| tell),
        }
    }
}

/// A version.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub struct Version {
    id: i64,
    /// The bot's id.
    bot: i64,
    /// 1, 2, 3 … a bot.
    number: i32,
    state: VersionState,
    file_name: String,
    bytes: i64,
    /// What its author says of it.
    notes: String,
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    #[schema(value_type = Option<String>, format = DateTime)]
    finished: Option<Timestamp>,
    /// How it was built, for example `make`.
    how: Option<String>,
    /// The dialect that it speaks.
    dialect: Option<String>,
    /// What the compiler said; null for others than its author.
    log: Option<String>,
    /// What the steps of the check found, each with `must_pass` and, where it failed, the `command` that shows it
    /// again; empty for others than its author.
    #[schema(value_type = Vec<Object>)]
    steps: Vec<Value>,
    /// Why it failed, `{en, zh}`; null for others than its author.
    #[schema(value_type = Option<Object>)]
    failure: Option<Value>,
    /// Whether others may read the source.
    source_public: bool,
    /// Whether it belongs to who asks.
    yours: bool,
}

/// What is to change.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct VersionChange {
    /// Whether others may read the source.
    source_public: Option<bool>,
}

/// Uploads a version: its source is kept, then it is built and checked. If all is well, it plays from then on.
#[utoipa::path(post, operation_id = "upload_version",
    path = "/api/bots/{id}/versions", tag = "versions", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)),
    request_body(content((Form = "multipart/form-data"), (Typed = "application/json"))), responses(
    (status = 201, body = Version), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 413, body = ErrorBody), (status = 415, body = ErrorBody),
    (status = 422, description = "no program, or an archive that is not unpacked", body = ErrorBody),
    (status = 429, body = ErrorBody),
))]
async fn create(
    State(app): State<App>,
    user: User,
    Path(id): Path<BotId>,
    request: axum::extract::Request,
) -> Result<(StatusCode, axum::Json<Version>), ApiError> {
    // All this before the body is read.
    let bot = own(&app, &user, id).await?;
    if bot.disabled {
        return Err(ApiError::forbidden(
            "disabled",
            "this bot was locked by an administrator; ask who runs this arena",
        ));
    }
    if app.store.versions_of(id).await?.len() >= MOST {
        return Err(ApiError::conflict(
            "too-many",
            format!("the bot has {MOST} versions already; make another bot"),
        ));
    }
    app.limiter.upload(user.id)?;
    let upload = <Upload as axum::extract::FromRequest<App>>::from_request(request, &app).await?;
    let version = keep(&app, id, upload).await?;
    counter!(health::UPLOADS).increment(1);
    tracing::info!(user = user.id.0, bot = id.0, version = version.id.0, "a version was uploaded");
    Ok((StatusCode::CREATED, axum::Json(shown(&app, version, bot.game, true, true))))
}

/// The source goes into the vault before the row that names it is written: what was accepted is never lost, and a source
/// without a row harms nobody.
async fn keep(app: &App, bot: BotId, upload: Upload) -> Result<leitai_store::Version, ApiError> {
    let look = move || upload.check_archive().map(|()| upload);
    let upload = tokio::task::spawn_blocking(look).await;
    let upload = upload.map_err(|error| ApiError::ours("the archive was not looked at", &error))??;
    let (key, bytes) = (Key::source(), upload.bytes.len() as i64);
    app.vault.put(&key, upload.bytes).await?;
    let new = NewVersion {
        bot,
        source: key.as_str().to_owned(),
        file_name: upload.file_name,
        bytes,
        notes: upload.notes,
        activates: true,
    };
    Ok(app.store.create_version(new, Timestamp::now()).await?)
}

/// A version. What would quote its source is only for its author.
#[utoipa::path(get, operation_id = "get_version",
    path = "/api/versions/{id}", tag = "versions",
    security((), ("token" = []), ("session" = [])), params(("id" = i64, Path)),
    responses((status = 200, body = Version), (status = 404, body = ErrorBody)))]
async fn show(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<VersionId>,
) -> Result<axum::Json<Version>, ApiError> {
    Ok(axum::Json(look(&app, &caller, id).await?))
}

async fn look(app: &App, caller: &Caller, id: VersionId) -> Result<Version, ApiError> {
    let version = app.store.version(id).await?;
    let bot = app.store.bot(version.bot).await?;
    let yours = bot.owner.is_some() && bot.owner == caller.id();
    Ok(shown(app, version, bot.game, caller.may_see(bot.owner), yours))
}

fn shown(app: &App, own: leitai_store::Version, game: String, tell: bool, yours: bool) -> Version {
    let known = app.game(&game).is_some();
    let found = own.steps.as_array().cloned().unwrap_or_default();
    let steps = found.into_iter().map(|step| with_command(step, &game, &own.file_name));
    Version {
        id: own.id.0,
        bot: own.bot.0,
        number: own.number,
        state: own.state.into(),
        bytes: own.bytes,
        notes: own.notes,
        created: own.created,
        finished: own.finished,
        how: own.how,
        dialect: own.dialect,
        log: tell.then_some(own.log),
        steps: if tell && known { steps.collect() } else { Vec::new() },
        failure: own.failure.filter(|_| tell),
        source_public: own.source_public,
        yours,
        file_name: own.file_name.clone(),
    }
}

/// The finding with what its author types to see it again on a machine of their own.
fn with_command(mut step: Value, game: &str, file_name: &str) -> Value {
    let name = step["step"].as_str().unwrap_or_default().to_owned();
    let word = |step: &Step| serde_json::to_value(step).ok().is_some_and(|word| word == name.as_str());
    let must_pass = Step::ALL.iter().find(|step| word(step)).is_some_and(|step| step.must_pass());
    let command = reproduction(&step, game, file_name);
    if let Some(members) = step.as_object_mut() {
        members.entry("must_pass").or_insert(must_pass.into());
        members.entry("command").or_insert(command.into());
    }
    step
}

/// `leitai match …` for a leg in which it failed, `leitai check …` where there was none.
fn reproduction(step: &Value, game: &str, file_name: &str) -> Option<String> {
    let leg = &step["leg"];
    let quoted = quoted(file_name);
    match (leg["seat"].as_str(), leg["seed"].as_u64(), leg["opponent"].as_str()) {
        (Some(seat), Some(seed), Some(opponent)) => {
            let [first, second] = if seat == "first" { [&*quoted, opponent] } else { [opponent, &*quoted] };
            Some(format!("leitai match {game} {first} {second} --seed {seed} --legs 1"))
        }
        _ if step["mark"] == "failed" => Some(format!("leitai check {game} {quoted}")),
        _ => None,
    }
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let path = format!("./{word}");
    if path.chars().all(|c| c.is_alphanumeric() || "._-+/".contains(c)) { path } else { format!("'{path}'") }
}

/// Lets others read the source, or no longer.
#[utoipa::path(patch, operation_id = "update_version",
    path = "/api/versions/{id}", tag = "versions", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = VersionChange, responses(
    (status = 200, body = Version), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody),
))]
async fn change(
    State(app): State<App>,
    user: User,
    Path(id): Path<VersionId>,
    Json(wish): Json<VersionChange>,
) -> Result<axum::Json<Version>, ApiError> {
    let version = app.store.version(id).await?;
    own(&app, &user, version.bot).await?;
    if let Some(public) = wish.source_public {
        app.store.set_source_public(id, public).await?;
    }
    Ok(axum::Json(look(&app, &Caller(Some(user)), id).await?))
}

/// A version while it is built and checked: the event `version` with the whole of it whenever it changes, until it is
/// ready or has failed.
#[utoipa::path(get, operation_id = "watch_version",
    path = "/api/versions/{id}/live", tag = "versions",
    security((), ("token" = []), ("session" = [])), params(("id" = i64, Path)), responses(
    (status = 200, description = "server-sent events", body = VersionEvent, content_type = "text/event-stream"),
    (status = 404, body = ErrorBody),
))]
async fn live(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<VersionId>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let changes = app.store.version_changes();
    look(&app, &caller, id).await?;
    let watch = Watch { app, caller, id, changes, last: None, over: false };
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
    /// A `Version` as JSON.
    data: String,
}

/// Somebody who waits for a version.
struct Watch {
    app: App,
    caller: Caller,
    id: VersionId,
    changes: Receiver<VersionId>,
    last: Option<Version>,
    over: bool,
}

impl Watch {
    /// The version as soon as it differs from what was told last; `None` after the end.
    async fn next(&mut self) -> Option<Event> {
        while !self.over {
            let now = look(&self.app, &self.caller, self.id).await.ok()?;
            if self.last.as_ref() != Some(&now) {
                self.over = matches!(now.state, VersionState::Ready | VersionState::Failed);
                let event = Event::default().event("version").json_data(&now).ok()?;
                self.last = Some(now);
                return Some(event);
            }
            // Until somebody says that this version has changed, or for a while.
            let _ = tokio::time::timeout(LOOK, self.change()).await;
        }
        None
    }

    async fn change(&mut self) {
        use tokio::sync::broadcast::error::RecvError;
        loop {
            match self.changes.recv().await {
                Ok(id) if id == self.id => return,
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => return,
                // The store is closed: nobody will say anything any more.
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }
}

/// The source of a version: for its author, and for everybody once its author says so.
#[utoipa::path(get, operation_id = "get_version_source",
    path = "/api/versions/{id}/source", tag = "versions",
    security((), ("token" = []), ("session" = [])), params(("id" = i64, Path)), responses(
    (status = 200, description = "the file as it was uploaded",
        content((String = "text/plain"), (String = "application/octet-stream"))),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
))]
async fn source(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<VersionId>,
) -> Result<Response, ApiError> {
    let version = app.store.version(id).await?;
    let bot = app.store.bot(version.bot).await?;
    if !version.source_public && !caller.may_see(bot.owner) {
        return Err(ApiError::forbidden("not-yours", "the source of this version is its author's alone"));
    }
    let key = version
        .source
        .ok_or_else(|| ApiError::not_found("a built-in bot's source is Leitai's own; see games/"))?;
    let bytes = app.vault.get(&Key::parse(&key)?).await?;
    let is_text = std::str::from_utf8(&bytes).is_ok_and(|text| !text.contains('\0'));
    let kind = if is_text { "text/plain; charset=utf-8" } else { "application/octet-stream" };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_DISPOSITION, attachment(&version.file_name)),
    ];
    Ok((headers, bytes).into_response())
}

/// `Content-Disposition` for a file of this name; what is not ASCII in it is sent as RFC 6266 has it.
pub fn attachment(name: &str) -> HeaderValue {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' }).collect();
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
    HeaderValue::from_str(&format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{whole}"))
        .expect("both are plain ASCII")
}
