//! Routes: administration. Whoever asks must be an administrator; what is changed stands in the audit log.

use std::collections::HashMap;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use leitai_store::{
    BotId, Deed, Deletion, Json as Value, MatchFilter, MatchId, NewCorrection, StoreError, Timestamp,
    TokenId, TokenKind, UserId, Winner,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::brief::MatchBrief;
use crate::api::extract::{Json, Path, Query};
use crate::api::list::{Listed, Which};
use crate::app::App;
use crate::auth::Admin;
use crate::auth::tokens::{FreshToken, TokenWanted, Tokens, make};
use crate::error::{ApiError, ErrorBody};
use crate::removal::erase_names;

/// Workers that have not reported for so long are not listed.
const LISTED: Duration = Duration::from_secs(24 * 3600);

/// Routes of administration.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(users))
        .routes(routes!(queue))
        .routes(routes!(workers))
        .routes(routes!(matches))
        .routes(routes!(audit))
        .routes(routes!(change_user, delete_user))
        .routes(routes!(change_bot))
        .routes(routes!(rerun))
        .routes(routes!(correct))
        .routes(routes!(worker_tokens, make_worker_token))
        .routes(routes!(revoke_worker_token))
}

/// An account.
#[derive(Debug, Serialize, ToSchema)]
struct AdminUser {
    id: i64,
    name: String,
    admin: bool,
    disabled: bool,
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
}

impl From<leitai_store::User> for AdminUser {
    fn from(user: leitai_store::User) -> AdminUser {
        let (id, name, created) = (user.id.0, user.name, user.created);
        AdminUser { id, name, created, admin: user.admin, disabled: user.disabled }
    }
}

/// Something that a worker does or is to do.
#[derive(Debug, Serialize, ToSchema)]
struct Job {
    id: i64,
    #[schema(value_type = String, example = "match")]
    kind: leitai_store::JobKind,
    game: String,
    #[serde(rename = "match")]
    match_id: Option<i64>,
    #[serde(rename = "version")]
    version_id: Option<i64>,
    #[schema(value_type = String, example = "leased")]
    state: leitai_store::JobState,
    /// Larger ones go first.
    priority: i32,
    worker: Option<String>,
    /// How often it was taken and neither finished nor handed back.
    attempts: i32,
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    #[schema(value_type = Option<String>, format = DateTime)]
    lease_until: Option<Timestamp>,
    /// What went wrong last.
    note: Option<String>,
}

impl From<leitai_store::Job> for Job {
    fn from(job: leitai_store::Job) -> Job {
        Job {
            id: job.id.0,
            kind: job.kind,
            game: job.game,
            match_id: job.match_id.map(|id| id.0),
            version_id: job.version_id.map(|id| id.0),
            state: job.state,
            priority: job.priority,
            worker: job.worker,
            attempts: job.attempts,
            created: job.created,
            lease_until: job.until,
            note: job.note,
        }
    }
}

/// A worker as it last reported.
#[derive(Debug, Serialize, ToSchema)]
struct Worker {
    name: String,
    #[schema(value_type = String, format = DateTime)]
    seen: Timestamp,
    /// Jobs it does now.
    jobs: i32,
    /// Jobs it can do at once.
    slots: i32,
    version: String,
    isolation: String,
    /// Whether it comes over HTTP.
    remote: bool,
    /// Results of it that were refused because they were not of their task.
    refused: i32,
}

impl From<leitai_store::Worker> for Worker {
    fn from(worker: leitai_store::Worker) -> Worker {
        Worker {
            name: worker.name,
            seen: worker.seen,
            jobs: worker.busy,
            slots: worker.slots,
            version: worker.version,
            isolation: worker.isolation,
            remote: worker.remote,
            refused: worker.refused,
        }
    }
}

/// A line of the audit log.
#[derive(Debug, Serialize, ToSchema)]
struct AuditLine {
    id: i64,
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// An administrator's name; null for the arena itself.
    who: Option<String>,
    /// What was done.
    #[schema(example = "user.disable")]
    what: String,
    /// To whom or what.
    #[schema(example = "user 7 (ada)")]
    about: String,
    /// More about it, where there is more.
    #[schema(value_type = Option<Object>)]
    detail: Value,
}

/// Locks out, or lets in again.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Disabling {
    disabled: bool,
}

/// Accounts, newest first.
#[utoipa::path(get, operation_id = "list_users",
    path = "/api/admin/users", tag = "administration", security(("token" = []), ("session" = [])), params(Which),
    responses((status = 200, body = Listed<AdminUser>), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
async fn users(
    State(app): State<App>,
    _: Admin,
    Query(which): Query<Which>,
) -> Result<axum::Json<Listed<AdminUser>>, ApiError> {
    Ok(axum::Json(Listed::of(app.store.users(&which.ask()?).await?, AdminUser::from)))
}

/// Jobs that wait or that a worker holds, newest first.
#[utoipa::path(get, operation_id = "list_jobs",
    path = "/api/admin/queue", tag = "administration", security(("token" = []), ("session" = [])), params(Which),
    responses((status = 200, body = Listed<Job>), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
async fn queue(
    State(app): State<App>,
    _: Admin,
    Query(which): Query<Which>,
) -> Result<axum::Json<Listed<Job>>, ApiError> {
    Ok(axum::Json(Listed::of(app.store.queue(&which.ask()?).await?, Job::from)))
}

/// Workers that have reported within a day.
#[utoipa::path(get, operation_id = "list_workers",
    path = "/api/admin/workers", tag = "administration", security(("token" = []), ("session" = [])),
    responses((status = 200, body = Listed<Worker>), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
async fn workers(State(app): State<App>, _: Admin) -> Result<axum::Json<Listed<Worker>>, ApiError> {
    let all = app.store.workers(Timestamp::now().before(LISTED)).await?;
    Ok(axum::Json(Listed::whole(all.into_iter().map(Worker::from).collect())))
}

/// Matches, newest first.
#[utoipa::path(get, operation_id = "list_all_matches",
    path = "/api/admin/matches", tag = "administration", security(("token" = []), ("session" = [])), params(Which),
    responses((status = 200, body = Listed<MatchBrief>), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
async fn matches(
    State(app): State<App>,
    _: Admin,
    Query(which): Query<Which>,
) -> Result<axum::Json<Listed<MatchBrief>>, ApiError> {
    let page = app.store.matches(&MatchFilter::default(), &which.ask()?).await?;
    Ok(axum::Json(Listed::of(page, MatchBrief::from)))
}

/// What administrators have changed, newest first.
#[utoipa::path(get, operation_id = "list_audit_entries",
    path = "/api/admin/audit", tag = "administration", security(("token" = []), ("session" = [])), params(Which),
    responses((status = 200, body = Listed<AuditLine>), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
async fn audit(
    State(app): State<App>,
    _: Admin,
    Query(which): Query<Which>,
) -> Result<axum::Json<Listed<AuditLine>>, ApiError> {
    let page = app.store.audit(&which.ask()?).await?;
    let mut names = HashMap::new();
    for id in page.items.iter().filter_map(|line| line.user) {
        if let std::collections::hash_map::Entry::Vacant(free) = names.entry(id) {
            match app.store.user(id).await {
                Ok(user) => _ = free.insert(user.name),
                // The account was deleted since.
                Err(StoreError::Missing { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(axum::Json(Listed::of(page, |line| AuditLine {
        id: line.id.0,
        at: line.at,
        who: line.user.and_then(|id| names.get(&id).cloned()),
        what: line.deed,
        about: line.subject,
        detail: line.detail,
    })))
}

async fn note(app: &App, admin: &Admin, deed: &str, subject: String, detail: Value) -> Result<(), ApiError> {
    tracing::info!(admin = admin.0.id.0, deed, subject, "an administrator changed something");
    let deed = Deed { user: Some(admin.0.id), deed: deed.to_owned(), subject, detail };
    Ok(app.store.write_audit(deed, Timestamp::now()).await?)
}

/// Locks an account out, which ends its sessions and its tokens' use, or lets it in again.
#[utoipa::path(post, operation_id = "set_user_disabled",
    path = "/api/admin/users/{id}", tag = "administration", security(("token" = []), ("session" = [])), params(("id" = i64, Path)),
    request_body = Disabling, responses((status = 200, body = AdminUser), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
async fn change_user(
    State(app): State<App>,
    admin: Admin,
    Path(id): Path<UserId>,
    Json(wish): Json<Disabling>,
) -> Result<axum::Json<AdminUser>, ApiError> {
    if wish.disabled && id == admin.0.id {
        return Err(ApiError::conflict("refused", "you cannot lock yourself out; ask another administrator"));
    }
    let user = app.store.set_user_disabled(id, wish.disabled).await?;
    let deed = if wish.disabled { "user.disable" } else { "user.enable" };
    note(&app, &admin, deed, format!("user {id} ({})", user.name), Value::Null).await?;
    Ok(axum::Json(user.into()))
}

/// Deletes an account with all its bots, sessions and tokens, at once and for good. Its matches stay, without its name.
/// Nobody deletes their own account here (see `DELETE /api/me`).
#[utoipa::path(delete, operation_id = "delete_user",
    path = "/api/admin/users/{id}", tag = "administration", params(("id" = i64, Path)),
    responses((status = 204), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody)))]
async fn delete_user(
    State(app): State<App>,
    admin: Admin,
    Path(id): Path<UserId>,
) -> Result<StatusCode, ApiError> {
    if id == admin.0.id {
        let message = "this is your own account; delete it on its page, where your password is asked";
        return Err(ApiError::conflict("refused", message));
    }
    let deletion = Deletion { by: Some(admin.0.id), at: Timestamp::now() };
    app.store.delete_user(id, deletion).await?;
    tracing::info!(admin = admin.0.id.0, user = id.0, "an administrator deleted an account");
    erase_names(&app).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes a bot off its ladder, or puts it back.
#[utoipa::path(post, operation_id = "set_bot_disabled",
    path = "/api/admin/bots/{id}", tag = "administration", security(("token" = []), ("session" = [])), params(("id" = i64, Path)),
    request_body = Disabling, responses((status = 204), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
async fn change_bot(
    State(app): State<App>,
    admin: Admin,
    Path(id): Path<BotId>,
    Json(wish): Json<Disabling>,
) -> Result<StatusCode, ApiError> {
    let bot = app.store.set_bot_disabled(id, wish.disabled).await?;
    let deed = if wish.disabled { "bot.disable" } else { "bot.enable" };
    note(&app, &admin, deed, format!("bot {id} ({})", bot.name), json!({"game": bot.game})).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Plays a match that is over once more. What has counted does not count again: the new match of a finished ladder match
/// is a friendly one, unless the old result was withdrawn before (`void` at `/result`).
#[utoipa::path(post, operation_id = "rerun_match",
    path = "/api/admin/matches/{id}/rerun", tag = "administration", security(("token" = []), ("session" = [])), params(("id" = i64, Path)),
    responses((status = 201, body = MatchBrief), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, description = "it is not over", body = ErrorBody)))]
async fn rerun(
    State(app): State<App>,
    admin: Admin,
    Path(id): Path<MatchId>,
) -> Result<(StatusCode, axum::Json<MatchBrief>), ApiError> {
    let again = app.store.rerun(id, Timestamp::now()).await?;
    note(&app, &admin, "match.rerun", format!("match {id}"), json!({"match": again.id})).await?;
    Ok((StatusCode::CREATED, axum::Json(MatchBrief::from(&again))))
}

/// Another result for a match that is over.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Correcting {
    result: CorrectedTo,
    /// Why, for everybody to read on the match's page.
    #[schema(min_length = 1, max_length = 500)]
    why: String,
}

/// A corrected result.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum CorrectedTo {
    /// The entrant named first won.
    A,
    /// The other won.
    B,
    /// Neither.
    Draw,
    /// The result is withdrawn: the match counts for nobody, and can be played again for the ladder.
    Void,
}

impl From<CorrectedTo> for Option<Winner> {
    fn from(result: CorrectedTo) -> Option<Winner> {
        match result {
            CorrectedTo::A => Some(Winner::A),
            CorrectedTo::B => Some(Winner::B),
            CorrectedTo::Draw => Some(Winner::Draw),
            CorrectedTo::Void => None,
        }
    }
}

/// Corrects the result of a match that is over. The old result stays in the match's `corrections`; ratings become what
/// they would be had the match always ended so.
#[utoipa::path(post, operation_id = "correct_match_result",
    path = "/api/admin/matches/{id}/result", tag = "administration", security(("token" = []), ("session" = [])), params(("id" = i64, Path)),
    request_body = Correcting, responses((status = 200, body = MatchBrief), (status = 401, body = ErrorBody),
    (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody)))]
async fn correct(
    State(app): State<App>,
    admin: Admin,
    Path(id): Path<MatchId>,
    Json(asked): Json<Correcting>,
) -> Result<axum::Json<MatchBrief>, ApiError> {
    let user = Some(admin.0.id);
    let new = NewCorrection { winner: asked.result.into(), why: asked.why.trim().to_owned(), user };
    let corrected = app.store.correct_match(id, new, Timestamp::now()).await?;
    tracing::info!(admin = admin.0.id.0, game = id.0, "an administrator corrected a result");
    Ok(axum::Json(MatchBrief::from(&corrected)))
}

/// The tokens of remote workers.
#[utoipa::path(get, operation_id = "list_worker_tokens",
    path = "/api/admin/worker-tokens", tag = "administration", security(("token" = []), ("session" = [])),
    responses((status = 200, body = Tokens), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
async fn worker_tokens(State(app): State<App>, _: Admin) -> Result<axum::Json<Tokens>, ApiError> {
    Ok(axum::Json(app.store.worker_tokens().await?.into()))
}

/// Makes a token for remote workers. It is shown this once.
#[utoipa::path(post, operation_id = "create_worker_token",
    path = "/api/admin/worker-tokens", tag = "administration", security(("token" = []), ("session" = [])), request_body = TokenWanted,
    responses((status = 201, body = FreshToken), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody)))]
async fn make_worker_token(
    State(app): State<App>,
    admin: Admin,
    Json(asked): Json<TokenWanted>,
) -> Result<(StatusCode, axum::Json<FreshToken>), ApiError> {
    let made = make(&app, &admin.0, TokenKind::Worker, asked).await?;
    note(&app, &admin, "worker-token.make", "a token for workers".to_owned(), Value::Null).await?;
    Ok(made)
}

/// Revokes a token of remote workers.
#[utoipa::path(delete, operation_id = "revoke_worker_token",
    path = "/api/admin/worker-tokens/{id}", tag = "administration", security(("token" = []), ("session" = [])), params(("id" = i64, Path)),
    responses((status = 204), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
async fn revoke_worker_token(
    State(app): State<App>,
    admin: Admin,
    Path(id): Path<TokenId>,
) -> Result<StatusCode, ApiError> {
    app.store.revoke_worker_token(id).await?;
    note(&app, &admin, "worker-token.revoke", format!("token {id}"), Value::Null).await?;
    Ok(StatusCode::NO_CONTENT)
}
