//! Routes: game files that administrators bring.

use std::path::Path as FilePath;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use leitai_game::clean_text::clean_line;
use leitai_guest::GameFile;
use leitai_guest::file::parts::{MANIFEST, Parts};
use leitai_store::{BlobKey, Json as Value, Timestamp};
use leitai_store::{GameFileRow, GameFileState, NewGameFile};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};

use crate::game_files::bounds::hash_of;
use crate::game_files::check::describe;
use crate::game_files::{LONGEST, load_games};
use crate::http::app::App;
use crate::http::caller::SignedInAdmin;
use crate::http::error::{ApiError, ErrorBody};
use crate::http::extract::{Json, Path, Query};
use crate::http::handler::routes;
use crate::http::list::ListPage;

/// How long bytes stay that no file names.
const ABANDONED_MS: i64 = 3600 * 1000;

/// Routes of game files.
pub fn game_file_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_game_files))
        .routes(routes!(add_game_file).layer(DefaultBodyLimit::max(LONGEST)))
        .routes(routes!(retire_game))
        .routes(routes!(hide_game))
}

/// A version of a game, as an administrator brought it.
#[derive(Debug, Serialize, ToSchema)]
struct GameFileSummary {
    /// Versions of a game are counted up.
    id: i64,
    #[schema(example = "othello")]
    game: String,
    /// The rules with their version.
    #[schema(example = "othello/1")]
    rules: String,
    /// SHA-256 of the file.
    hash: String,
    bytes: i64,
    /// `checking`, `refused`, `published` or `retired`.
    #[schema(example = "published")]
    state: &'static str,
    /// What the check said: `problems`, or what it looked at.
    #[schema(value_type = Object)]
    said: Value,
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    #[schema(value_type = Option<String>, format = DateTime)]
    published: Option<Timestamp>,
    #[schema(value_type = Option<String>, format = DateTime)]
    retired: Option<Timestamp>,
    /// Until then nobody but administrators and organisers of its contests knows of it.
    #[schema(value_type = Option<String>, format = DateTime)]
    hidden_until: Option<Timestamp>,
}

impl From<GameFileRow> for GameFileSummary {
    fn from(row: GameFileRow) -> GameFileSummary {
        GameFileSummary {
            id: row.id,
            game: row.game,
            rules: row.rules,
            hash: row.hash,
            bytes: row.bytes,
            state: row.state.word(),
            said: row.said,
            created: row.created,
            published: row.published,
            retired: row.retired,
            hidden_until: row.hidden_until,
        }
    }
}

/// The game files of this arena, newest first.
#[utoipa::path(get, operation_id = "list_game_files",
    path = "/api/admin/games", tag = "administration", security(("token" = []), ("session" = [])),
    responses((status = 200, body = ListPage<GameFileSummary>), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
async fn list_game_files(
    State(app): State<App>,
    _: SignedInAdmin,
) -> Result<axum::Json<ListPage<GameFileSummary>>, ApiError> {
    let rows = app.store.game_files().await?.into_iter().rev();
    Ok(axum::Json(ListPage::single_page(
        rows.map(GameFileSummary::from).collect(),
    )))
}

/// Until when a game is hidden.
#[derive(Debug, Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct HiddenUntil {
    /// Nobody but administrators and organisers of its contests knows of it before this date.
    #[param(value_type = Option<String>, format = DateTime)]
    #[schema(value_type = Option<String>, format = DateTime, example = "2027-03-01T08:00:00Z")]
    hidden_until: Option<Timestamp>,
}

/// Adds a game file, as `leitai game pack` writes it. It is checked next, and published if it passes: a
/// new version is played from then on, but not by contests that have begun. With
/// `hidden_until` it is a secret until then, and appears by itself; so is each later version. A file whose form is wrong is answered with everything that is
/// wrong, by part and line.
#[utoipa::path(post, operation_id = "add_game_file",
    path = "/api/admin/games", tag = "administration", security(("token" = []), ("session" = [])), params(HiddenUntil),
    request_body(content = String, content_type = "application/octet-stream", description = "the file"),
    responses((status = 202, body = GameFileSummary), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 409, body = ErrorBody), (status = 413, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn add_game_file(
    State(app): State<App>,
    admin: SignedInAdmin,
    Query(asked): Query<HiddenUntil>,
    body: Bytes,
) -> Result<Response, ApiError> {
    let hash = hash_of(&body);
    let bytes = body.clone();
    let read = tokio::task::spawn_blocking(move || {
        let parts = Parts::from_archive(&bytes, FilePath::new("file"));
        let parts = parts.map_err(|why| bad_file(why.to_string()))?;
        Ok::<_, ApiError>(GameFile::describe(&parts))
    });
    let read = read.await;
    let read = read.map_err(|error| ApiError::internal_error("the file was not read", &error))?;
    let about = match read? {
        Ok(about) => about,
        Err(problems) => return Ok(refuse_form(&problems)),
    };
    check_id(&app, &about.id).await?;
    let (key, now) = (BlobKey::of_game_file(&hash), Timestamp::now());
    // Until a row names it.
    let after = Timestamp(now.0 + ABANDONED_MS);
    app.store.schedule_removal(&key, after).await?;
    app.blobs.put_blob(&key, body.to_vec()).await?;
    let new = NewGameFile {
        game: about.id,
        rules: about.rules,
        hash,
        bytes: body.len(),
        hidden_until: asked.hidden_until,
    };
    let row = app.store.add_game_file(new, admin.0.id, now).await?;
    Ok((StatusCode::ACCEPTED, axum::Json(GameFileSummary::from(row))).into_response())
}

/// The ids of Leitai's games, and of those of the operator's folder, are taken.
async fn check_id(app: &App, id: &str) -> Result<(), ApiError> {
    let rows = app.store.game_files().await?;
    if app.games.find(id).is_none() || rows.iter().any(|row| row.game == id) {
        return Ok(());
    }
    Err(bad_file(format!(
        "the id {id} belongs to a game of this arena; choose another in {MANIFEST}"
    )))
}

/// No game is taken away from a contest that is not over.
async fn check_contests(app: &App, game: &str) -> Result<(), ApiError> {
    let contests = app.store.unfinished_contests().await?;
    match contests.into_iter().find(|contest| contest.game == game) {
        None => Ok(()),
        Some(contest) => Err(ApiError::conflict(
            "refused",
            format!(
                "the contest {} plays {game}; take the game away when it is over, or annul it first",
                contest.name
            ),
        )),
    }
}

fn bad_file(why: String) -> ApiError {
    ApiError::invalid_field("bad-game-file", "file", why)
}

/// The answer to a file whose form is wrong.
fn refuse_form(problems: &[leitai_guest::file::FileProblem]) -> Response {
    let lines = problems
        .iter()
        .map(|one| one.to_line(leitai_game::Lang::En));
    let lines: Vec<String> = lines.collect();
    let mut body = describe(problems);
    body["error"] = json!({
        "code": "bad-game-file", "message": format!("this is no game file yet: {}", lines.join("; ")), "field": "file",
    });
    (StatusCode::UNPROCESSABLE_ENTITY, axum::Json(body)).into_response()
}

/// Changes until when a game is hidden; without a date it is shown at once. What everybody could see is
/// not hidden again.
#[utoipa::path(post, operation_id = "hide_game",
    path = "/api/admin/games/{game}/hidden", tag = "administration", security(("token" = []), ("session" = [])),
    params(("game" = String, Path, example = "othello")), request_body = HiddenUntil,
    responses((status = 204), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
    (status = 422, body = ErrorBody)))]
async fn hide_game(
    State(app): State<App>,
    admin: SignedInAdmin,
    Path(game): Path<String>,
    Json(asked): Json<HiddenUntil>,
) -> Result<StatusCode, ApiError> {
    let (store, now) = (&app.store, Timestamp::now());
    store
        .hide_game(&game, asked.hidden_until, admin.0.id, now)
        .await?;
    load_games(&app.arena_games()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Why a game is taken away.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct RetireReason {
    /// A sentence for whoever looks for the game; it also stands in the audit log.
    #[param(max_length = 500)]
    why: Option<String>,
}

/// The longest reason, in characters.
const LONGEST_REASON: usize = 500;

/// Why the newest version of a game is gone, if an administrator took it down with a reason.
pub(super) async fn find_reason(app: &App, game: &str) -> Result<Option<String>, ApiError> {
    let rows = app.store.game_files().await?;
    let now = Timestamp::now();
    let newest = rows
        .iter()
        .rfind(|row| row.game == game && row.is_public(now));
    let newest = newest.filter(|row| row.state == GameFileState::Retired);
    Ok(newest.and_then(|row| row.said["why"].as_str().map(str::to_owned)))
}

/// Takes a game away: nothing new of it is played, and who asks for it is told why. Replays of its
/// matches are still shown. Its next version brings it back.
#[utoipa::path(delete, operation_id = "retire_game",
    path = "/api/admin/games/{game}", tag = "administration", security(("token" = []), ("session" = [])),
    params(("game" = String, Path, example = "othello"), RetireReason),
    responses((status = 204), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
    (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
async fn retire_game(
    State(app): State<App>,
    admin: SignedInAdmin,
    Path(game): Path<String>,
    Query(given): Query<RetireReason>,
) -> Result<StatusCode, ApiError> {
    let why = given.why.map(|why| clean_line(&why).trim().to_owned());
    let why = why.filter(|why| !why.is_empty());
    if why
        .as_ref()
        .is_some_and(|why| why.chars().count() > LONGEST_REASON)
    {
        return Err(ApiError::invalid_field(
            "too-long",
            "why",
            format!("the reason is too long; at most {LONGEST_REASON} characters are allowed"),
        ));
    }
    check_contests(&app, &game).await?;
    let now = Timestamp::now();
    app.store
        .retire_game(&game, why.as_deref(), admin.0.id, now)
        .await?;
    load_games(&app.arena_games()).await?;
    Ok(StatusCode::NO_CONTENT)
}
