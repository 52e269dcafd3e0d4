//! Routes: what organisers do with a contest that is published.

use std::collections::BTreeMap;

use leitai_store::{EntryId, EntryLeft, MatchId};
use utoipa_axum::router::UtoipaMethodRouterExt;

use crate::contests::names::{find_names, names_of, with_todays_names};
use crate::contests::routes::access::{check_updater, contest_actor, find_contest, need_organised};
use crate::contests::routes::answers::{ContestProblems, ContestSummary, refuse_file, summarize};
use crate::contests::routes::packs::{LONGEST_REQUEST, read_packs};
use crate::contests::rules::{
    check_hidden_game, check_people, contest_privacy, games_of_contest, read_new_rules,
};
use crate::contests::update::{check_update, update_details};
use crate::http::prelude::*;

/// The longest reason of an organiser, in characters.
const WHY: usize = 500;

/// The routes of organisers.
pub fn organiser_routes() -> OpenApiRouter<App> {
    let body = axum::extract::DefaultBodyLimit::max(LONGEST_REQUEST);
    OpenApiRouter::new()
        .routes(routes!(pause))
        .routes(routes!(resume))
        .routes(routes!(annul))
        .routes(routes!(disqualify))
        .routes(routes!(update_file).layer(body))
        .routes(routes!(take_back_match))
        .routes(routes!(take_back_stage))
}

/// A reason, which everybody reads.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct AnnulRequest {
    #[schema(min_length = 1, max_length = 500)]
    why: String,
}

/// The entry that is disqualified, and a reason, which everybody reads.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct DisqualifyRequest {
    /// The entry's id.
    entry: i64,
    #[schema(min_length = 1, max_length = 500)]
    why: String,
}

/// Pauses a contest: running matches end, and nothing else begins.
#[utoipa::path(post, operation_id = "pause_contest",
    path = "/api/contests/{id}/pause", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), responses((status = 204), (status = 409, body = ErrorBody)))]
async fn pause(app: App, user: SignedInUser, Path(id): Path<String>) -> Result<StatusCode> {
    set_paused(&app, &user, &id, true).await
}

/// Resumes a paused contest.
#[utoipa::path(post, operation_id = "resume_contest",
    path = "/api/contests/{id}/resume", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), responses((status = 204), (status = 409, body = ErrorBody)))]
async fn resume(app: App, user: SignedInUser, Path(id): Path<String>) -> Result<StatusCode> {
    set_paused(&app, &user, &id, false).await
}

async fn set_paused(app: &App, user: &SignedInUser, id: &str, paused: bool) -> Result<StatusCode> {
    let contest = need_organised(app, user, id).await?;
    let by = contest_actor(user);
    app.store.set_contest_paused(contest.id, paused, by).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Annuls a contest: it ends without a result, and its unfinished matches are cancelled.
#[utoipa::path(post, operation_id = "annul_contest",
    path = "/api/contests/{id}/annul", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), request_body = AnnulRequest, responses((status = 204),
    (status = 409, body = ErrorBody)))]
async fn annul(
    app: App,
    user: SignedInUser,
    Path(id): Path<String>,
    Json(asked): Json<AnnulRequest>,
) -> Result<StatusCode> {
    let contest = need_organised(&app, &user, &id).await?;
    let why = check_why(&asked.why)?;
    let by = contest_actor(&user);
    app.store.annul_contest(contest.id, why, by).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Disqualifies an entry. Its opponents win what it has not played.
#[utoipa::path(post, operation_id = "disqualify_entry",
    path = "/api/contests/{id}/disqualify", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), request_body = DisqualifyRequest, responses((status = 204),
    (status = 409, body = ErrorBody)))]
async fn disqualify(
    app: App,
    user: SignedInUser,
    Path(id): Path<String>,
    Json(asked): Json<DisqualifyRequest>,
) -> Result<StatusCode> {
    let contest = need_organised(&app, &user, &id).await?;
    let left = (EntryLeft::Disqualified, Some(check_why(&asked.why)?));
    let (entry, by) = (EntryId(asked.entry), contest_actor(&user));
    app.store.leave_contest(contest.id, entry, left, by).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A contest's new file.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct UpdateRequest {
    /// The whole file, in TOML.
    file: String,
    /// The texts of the situation packs that it names, by the names of their files; those that came with
    /// the file before need not be sent again.
    #[serde(default)]
    packs: BTreeMap<String, String>,
}

/// The match that is played again, and a reason, which everybody reads.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TakeBackMatchRequest {
    /// The match's id.
    #[serde(rename = "match")]
    match_id: i64,
    #[schema(min_length = 1, max_length = 500)]
    why: String,
}

/// The stage that is played again, and a reason, which everybody reads.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct TakeBackStageRequest {
    /// The stage's number, from 1.
    #[schema(minimum = 1)]
    stage: i32,
    #[schema(min_length = 1, max_length = 500)]
    why: String,
}

/// Replaces the file of a contest. Until the freeze everything but `id` and `game` may change,
/// afterwards texts, visibility, and stages that have not begun; no date moves that has passed, and
/// none moves into the past. Names of accounts and of the group mean whom they meant, except those that
/// are new in the file. A file with problems is answered with all of them.
#[utoipa::path(post, operation_id = "update_contest",
    path = "/api/contests/{id}/update", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), request_body = UpdateRequest, responses((status = 200, body = ContestSummary),
    (status = 409, body = ErrorBody), (status = 422, body = ContestProblems)))]
async fn update_file(
    app: App,
    user: SignedInUser,
    Path(id): Path<String>,
    Json(asked): Json<UpdateRequest>,
) -> Result<Response> {
    let contest = need_organised(&app, &user, &id).await?;
    let games = games_of_contest(&app.games, &contest);
    let new = match read_new_rules(&games, &asked.file) {
        Ok(rules) => rules,
        Err(problems) => return Ok(refuse_file(problems)),
    };
    let (contest, old) = find_contest(&app, Some(&user), &id).await?;
    let called = find_names(&app.store, &contest, &old).await?;
    let names = names_of(&new);
    let meant = app.store.preview_contest_names(Some(&contest), &names);
    let meant = meant.await?;
    let mut problems = check_people(&new, &meant, &asked.file);
    problems.extend(check_hidden_game(&app.games, &new, &asked.file));
    if !problems.is_empty() {
        return Ok(refuse_file(problems));
    }
    let old = with_todays_names(&old, &called);
    let new = with_todays_names(&new, &meant);
    check_updater(&user, &old, &new)?;
    let (begun, by) = (
        app.store.contest_stages(contest.id).await?.len(),
        contest_actor(&user),
    );
    let changes = check_update(&old, &new, &contest, begun, by.at)
        .map_err(|why| ApiError::conflict("fixed-part", why))?;
    let detail = update_details(&changes);
    let store = &app.store;
    let known = store.packs_of_file(&contest).await?.into_iter();
    let known: Vec<String> = known.filter_map(|pack| pack.file).collect();
    let packs = match read_packs(&games, &new, &asked.file, asked.packs, &known).await? {
        Ok(packs) => packs,
        Err(problems) => return Ok(refuse_file(problems)),
    };
    let file = (asked.file, contest_privacy(&new), names.as_slice(), packs);
    let updated = store.update_contest_file(&contest, begun, file, detail, by);
    let brief = summarize(&updated.await?, Some(&new), by.at);
    Ok(Json(brief).into_response())
}

/// Takes a match of a contest back, so that it is played again; the old result no longer counts and
/// stays visible. A finished contest goes on. Results that a later stage was seeded from cannot be
/// taken back before that stage is.
#[utoipa::path(post, operation_id = "take_back_contest_match",
    path = "/api/contests/{id}/take-back-match", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), request_body = TakeBackMatchRequest, responses((status = 204),
    (status = 409, body = ErrorBody)))]
async fn take_back_match(
    app: App,
    user: SignedInUser,
    Path(id): Path<String>,
    Json(asked): Json<TakeBackMatchRequest>,
) -> Result<StatusCode> {
    let contest = need_organised(&app, &user, &id).await?;
    let why = check_why(&asked.why)?;
    let (id, by) = (MatchId(asked.match_id), contest_actor(&user));
    app.store.take_back_match(contest.id, id, why, by).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes the last stage that has begun back: its results no longer count, and it begins anew, seeded
/// from the standings before it.
#[utoipa::path(post, operation_id = "take_back_contest_stage",
    path = "/api/contests/{id}/take-back-stage", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), request_body = TakeBackStageRequest, responses((status = 204),
    (status = 409, body = ErrorBody)))]
async fn take_back_stage(
    app: App,
    user: SignedInUser,
    Path(id): Path<String>,
    Json(asked): Json<TakeBackStageRequest>,
) -> Result<StatusCode> {
    let contest = need_organised(&app, &user, &id).await?;
    let why = check_why(&asked.why)?;
    let (stage, by) = (asked.stage.saturating_sub(1), contest_actor(&user));
    app.store
        .take_back_stage(contest.id, stage, why, by)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

fn check_why(why: &str) -> Result<String> {
    let (why, length) = (why.trim(), why.trim().chars().count());
    if (1..=WHY).contains(&length) {
        return Ok(why.to_owned());
    }
    let message = format!("the reason has {length} characters; write 1 to {WHY}");
    Err(ApiError::invalid_field("bad-field", "why", message))
}
