//! Routes: game files that administrators bring, and accounts to which one gave the right.

use std::path::Path as FilePath;

use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use leitai_game::Perspective;
use leitai_game::clean_text::clean_line;
use leitai_game::leg_frames::{LegFramesRequest, write_leg_frames};
use leitai_game::replay::{RefusalKind, Replay, ReplayRefusal};
use leitai_guest::GameFile;
use leitai_guest::file::parts::{MANIFEST, Parts};
use leitai_store::{BlobKey, GameActor, GameFileRow, GameFileState, Json as Value, NewGameFile};
use serde_json::json;
use utoipa_axum::router::UtoipaMethodRouterExt;

use crate::game_files::bounds::hash_of;
use crate::game_files::said::describe;
use crate::game_files::{LONGEST, load_games};
use crate::http::caller::GameKeeper;
use crate::http::prelude::*;
use crate::http::routes::people::find_person;
use crate::messages;

/// How long bytes stay that no file names.
const ABANDONED_MS: i64 = 3600 * 1000;

/// Routes of game files.
pub fn game_file_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_game_files))
        .routes(routes!(add_game_file).layer(DefaultBodyLimit::max(LONGEST)))
        .routes(routes!(retire_game))
        .routes(routes!(hide_game))
        .routes(routes!(hand_game_over))
        .routes(routes!(remove_refused_file))
        .routes(routes!(show_preview))
}

/// A version of a game, as it was brought.
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
    /// The account that the game belongs to; null: the administrators.
    #[schema(example = "ada")]
    owner: Option<String>,
}

impl GameFileSummary {
    fn new(row: GameFileRow, owner: Option<String>) -> GameFileSummary {
        GameFileSummary {
            owner,
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

/// The game files of this arena, newest first: all for an administrator, else those of the caller's
/// games, and what the caller brought and was refused.
#[utoipa::path(get, operation_id = "list_game_files",
    path = "/api/admin/games", tag = "administration", security(("token" = []), ("session" = [])),
    responses((status = 200, body = ListPage<GameFileSummary>), (status = 403, body = ErrorBody)))]
async fn list_game_files(app: App, keeper: GameKeeper) -> Answer<ListPage<GameFileSummary>> {
    let rows = app.store.game_files_for(keeper.actor).await?;
    let mut owners = app.store.game_owners().await?;
    owners.retain(|game, _| rows.iter().any(|row| row.game == *game));
    let summaries = rows.into_iter().rev().map(|row| {
        let owner = owners.get(&row.game).map(|(_, name)| name.clone());
        // A refused file gives its game to nobody.
        let owner = owner.filter(|_| row.state != GameFileState::Refused);
        GameFileSummary::new(row, owner)
    });
    let all = summaries.collect();
    Ok(Json(ListPage::single_page(all)))
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
/// wrong, by part and line. An id belongs to who brings it first: others than its owner and
/// administrators are refused. Whoever is no administrator has one check at a time and the arena's
/// quotas of games, versions, bytes and checks a day.
#[utoipa::path(post, operation_id = "add_game_file",
    path = "/api/admin/games", tag = "administration", security(("token" = []), ("session" = [])), params(HiddenUntil),
    request_body(content = String, content_type = "application/octet-stream", description = "the file"),
    responses((status = 202, body = GameFileSummary), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn add_game_file(
    app: App,
    keeper: GameKeeper,
    Query(asked): Query<HiddenUntil>,
    body: Bytes,
) -> Result<Response> {
    let by = keeper.actor;
    if let GameActor::Holder(user, _) = by {
        app.limiter.allow_upload(user).await?;
    }
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
    let new = NewGameFile {
        game: about.id,
        rules: about.rules,
        hash,
        bytes: body.len(),
        hidden_until: asked.hidden_until,
    };
    // What is refused leaves no bytes.
    app.store.try_game_file(&new, by, now).await?;
    // Until a row names it.
    let after = Timestamp(now.0 + ABANDONED_MS);
    app.store.schedule_removal(&key, after).await?;
    app.blobs.put_blob(&key, body.to_vec()).await?;
    let row = app.store.add_game_file(new, by, now).await?;
    let owner = app.store.game_owners().await?.remove(&row.game);
    let summary = GameFileSummary::new(row, owner.map(|(_, name)| name));
    Ok((StatusCode::ACCEPTED, Json(summary)).into_response())
}

/// The ids of Leitai's games, and of those of the operator's folder, are taken.
async fn check_id(app: &App, id: &str) -> Result<()> {
    let Some(game) = app.games.find(id) else {
        return Ok(());
    };
    let rows = app.store.game_files().await?;
    let is_this = |row: &GameFileRow| {
        row.published.is_some() && row.game == id && row.rules == game.meta().rules
    };
    if rows.iter().any(is_this) {
        return Ok(());
    }
    Err(bad_file(format!(
        "the id {id} belongs to a game of this arena; choose another in {MANIFEST}"
    )))
}

/// No game is taken away from a contest that is not over.
async fn check_contests(app: &App, game: &str, by: GameActor) -> Result<()> {
    let contests = app.store.unfinished_contests().await?;
    match contests.into_iter().find(|contest| contest.game == game) {
        None => Ok(()),
        // The contest may be by invitation.
        Some(_) if matches!(by, GameActor::Holder(..)) => Err(ApiError::conflict(
            "refused",
            format!(
                "a contest that is not over plays {game}; ask an administrator to take the game away"
            ),
        )),
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
    (StatusCode::UNPROCESSABLE_ENTITY, Json(body)).into_response()
}

/// Changes until when a game is hidden; without a date it is shown at once. What everybody could see is
/// not hidden again.
#[utoipa::path(post, operation_id = "hide_game",
    path = "/api/admin/games/{game}/hidden", tag = "administration", security(("token" = []), ("session" = [])),
    params(("game" = String, Path, example = "othello")), request_body = HiddenUntil, responses((status = 204)))]
async fn hide_game(
    app: App,
    keeper: GameKeeper,
    Path(game): Path<String>,
    Json(asked): Json<HiddenUntil>,
) -> Result<StatusCode> {
    let (store, now) = (&app.store, Timestamp::now());
    store
        .hide_game(&game, asked.hidden_until, keeper.actor, now)
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
pub(super) async fn find_reason(app: &App, game: &str) -> Result<Option<String>> {
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
    params(("game" = String, Path, example = "othello"), RetireReason), responses((status = 204),
    (status = 409, body = ErrorBody)))]
async fn retire_game(
    app: App,
    keeper: GameKeeper,
    Path(game): Path<String>,
    Query(given): Query<RetireReason>,
) -> Result<StatusCode> {
    let why = clean_reason(given.why)?;
    // Who may not change it learns of no contest.
    app.store.need_own_game(&game, keeper.actor).await?;
    check_contests(&app, &game, keeper.actor).await?;
    let now = Timestamp::now();
    app.store
        .retire_game(&game, why.as_deref(), keeper.actor, now)
        .await?;
    load_games(&app.arena_games()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The reason in one line, if there is one.
fn clean_reason(why: Option<String>) -> Result<Option<String>> {
    let why = why.map(|why| clean_line(&why).trim().to_owned());
    let why = why.filter(|why| !why.is_empty());
    let is_long = |why: &String| why.chars().count() > LONGEST_REASON;
    match why.as_ref().is_some_and(is_long) {
        false => Ok(why),
        true => Err(ApiError::invalid_field(
            "too-long",
            "why",
            format!("the reason is too long; at most {LONGEST_REASON} characters are allowed"),
        )),
    }
}

/// Whose a game is from now on.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewOwner {
    /// The name of an account that may add games; null: the administrators.
    #[schema(example = "ada")]
    owner: Option<String>,
}

/// Hands a game over to an account that may add games, or to the administrators. Who has it now may
/// not change it any more.
#[utoipa::path(put, operation_id = "hand_game_over",
    path = "/api/admin/games/{game}/owner", tag = "administration", security(("token" = []), ("session" = [])),
    params(("game" = String, Path, example = "othello")), request_body = NewOwner, responses((status = 204),
    (status = 409, body = ErrorBody)))]
async fn hand_game_over(
    app: App,
    admin: SignedInAdmin,
    Path(game): Path<String>,
    Json(asked): Json<NewOwner>,
) -> Result<StatusCode> {
    let to = match &asked.owner {
        None => None,
        Some(name) => Some(find_person(&app, name).await?.id),
    };
    let now = Timestamp::now();
    app.store.hand_game_over(&game, to, admin.0.id, now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a file that was refused.
#[utoipa::path(delete, operation_id = "remove_refused_game_file",
    path = "/api/admin/game-versions/{id}", tag = "administration", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses((status = 204)))]
async fn remove_refused_file(
    app: App,
    keeper: GameKeeper,
    Path(id): Path<i64>,
) -> Result<StatusCode> {
    let now = Timestamp::now();
    app.store.remove_refused_file(id, keeper.actor, now).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The leg of a preview.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct PreviewLeg {
    /// The leg, from 1; default 1.
    #[param(minimum = 1, maximum = 1000)]
    leg: Option<usize>,
}

/// All frames of a leg of the match of two random bots that was played before a version was
/// published: for whom the game belongs to and for administrators.
#[utoipa::path(get, operation_id = "get_game_preview",
    path = "/api/admin/game-versions/{id}/preview", tag = "administration", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path), PreviewLeg), responses((status = 200, description = "see docs/live.md", body = Object),
    (status = 403, body = ErrorBody)))]
async fn show_preview(
    app: App,
    keeper: GameKeeper,
    Path(id): Path<i64>,
    Query(wanted): Query<PreviewLeg>,
) -> Result<Response> {
    let (row, replay) = app.store.game_preview(id, keeper.actor).await?;
    let exact = app.games.find_exact(&row.game, &row.rules);
    let game = exact.or_else(|| app.games.find_hidden_exact(&row.game, &row.rules));
    let game = game.ok_or_else(|| {
        let message = format!(
            "{} is not loaded on this server yet; try again in a moment",
            row.rules
        );
        ApiError::not_found(message)
    })?;
    let make = move || {
        let replay = Replay::parse(&replay).map_err(|why| ReplayRefusal {
            kind: RefusalKind::NotAReplay,
            message: why.to_string(),
        })?;
        let request = LegFramesRequest {
            leg: wanted.leg.unwrap_or(1),
            perspective: Perspective::All,
            summary: Value::Null,
            verified: None,
            most: None,
        };
        write_leg_frames(&*game, &replay, request, &messages::catalogue([&*game]))
    };
    let text = app.arena.frames.run_when_free(make).await??;
    let kind = (header::CONTENT_TYPE, "application/json");
    Ok(([kind, (header::CACHE_CONTROL, "no-store")], text).into_response())
}
