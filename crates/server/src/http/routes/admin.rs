//! Routes: administration. Callers must be administrators; changes are recorded in the audit log.

use std::collections::HashMap;
use std::time::Duration;

use leitai_store::{
    AuditedAction, BotId, DeletionRequest, HomeBotId, Json as Value, MatchFilter, MatchId,
    MatchWinner, NewCorrection, TokenId, TokenKind,
};
use serde_json::json;

use crate::http::prelude::*;
use crate::http::routes::match_tags::add_tags;
use crate::http::routes::owner_proof::need_recent_login;
use crate::http::routes::tokens::{NewTokenSecret, TokenList, TokenWanted, make_token};
use crate::http::summaries::MatchSummary;
use crate::removal::erase_names;

/// Workers that have not reported for this time are not listed.
const LISTED: Duration = Duration::from_secs(24 * 3600);

/// Routes of administration.
pub fn admin_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_users))
        .routes(routes!(list_jobs))
        .routes(routes!(list_recounts))
        .routes(routes!(list_workers))
        .routes(routes!(list_matches))
        .routes(routes!(list_audit))
        .routes(routes!(change_user, delete_user))
        .routes(routes!(set_game_right))
        .routes(routes!(change_bot))
        .routes(routes!(change_home_bot))
        .routes(routes!(rerun_match))
        .routes(routes!(correct_match))
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
    /// Whether it has the right to add games.
    adds_games: bool,
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
}

impl AdminUser {
    fn new(user: leitai_store::User, adds_games: bool) -> AdminUser {
        let (id, name, created) = (user.id.0, user.name, user.created);
        AdminUser {
            id,
            name,
            created,
            adds_games,
            admin: user.admin,
            disabled: user.disabled,
        }
    }
}

/// A job.
#[derive(Debug, Serialize, ToSchema)]
struct JobSummary {
    id: i64,
    #[schema(value_type = String, example = "match")]
    kind: leitai_store::JobKind,
    game: String,
    #[serde(rename = "match")]
    match_id: Option<i64>,
    #[serde(rename = "version")]
    version_id: Option<i64>,
    /// The game file whose judge program is checked.
    game_file: Option<i64>,
    #[schema(value_type = String, example = "leased")]
    state: leitai_store::JobState,
    /// Jobs with a larger priority go first.
    priority: i32,
    worker: Option<String>,
    /// Attempts that ended without a result.
    attempts: i32,
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    #[schema(value_type = Option<String>, format = DateTime)]
    lease_until: Option<Timestamp>,
    /// The last error.
    note: Option<String>,
}

impl From<leitai_store::Job> for JobSummary {
    fn from(job: leitai_store::Job) -> JobSummary {
        JobSummary {
            id: job.id.0,
            kind: job.kind,
            game: job.game,
            match_id: job.match_id.map(|id| id.0),
            version_id: job.version_id.map(|id| id.0),
            game_file: job.game_file_id,
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

/// A recount of old matches that is not finished.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Recount)]
struct RecountSummary {
    /// `ladder GAME`, `ladder GAME/NAME` or `contest ID`, with the contest's number.
    #[schema(example = "ladder kob")]
    subject: String,
    /// Matches whose games were read.
    read: i64,
    /// Matches as far as they were there when it began; null before.
    matches: Option<i64>,
}

impl From<leitai_store::RecountProgress> for RecountSummary {
    fn from(own: leitai_store::RecountProgress) -> RecountSummary {
        RecountSummary {
            subject: own.subject,
            read: own.matches_read,
            matches: own.matches,
        }
    }
}

/// A worker as it last reported.
#[derive(Debug, Serialize, ToSchema)]
struct WorkerSummary {
    name: String,
    #[schema(value_type = String, format = DateTime)]
    seen: Timestamp,
    /// Jobs that it is doing.
    jobs: i32,
    /// Jobs that it can do at the same time.
    slots: i32,
    version: String,
    isolation: String,
    /// Whether it is connected over HTTP.
    remote: bool,
    /// Its results that were refused because they did not match their task.
    refused: i32,
}

impl From<leitai_store::Worker> for WorkerSummary {
    fn from(worker: leitai_store::Worker) -> WorkerSummary {
        WorkerSummary {
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

/// An entry of the audit log.
#[derive(Debug, Serialize, ToSchema)]
struct AuditLine {
    id: i64,
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// An administrator's name; null for the arena itself.
    who: Option<String>,
    /// The action.
    #[schema(example = "user.disable")]
    what: String,
    /// The object of the action.
    #[schema(example = "user 7 (ada)")]
    about: String,
    /// Details, where there are any.
    #[schema(value_type = Option<Object>)]
    detail: Value,
}

/// Whether the account or bot is disabled.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct DisableRequest {
    disabled: bool,
}

/// Accounts, newest first.
#[utoipa::path(get, operation_id = "list_users",
    path = "/api/admin/users", tag = "administration", security(("token" = []), ("session" = [])), params(PageParameters),
    responses((status = 200, body = ListPage<AdminUser>), (status = 403, body = ErrorBody)))]
async fn list_users(
    app: App,
    _: SignedInAdmin,
    Query(which): Query<PageParameters>,
) -> Answer<ListPage<AdminUser>> {
    let page = app.store.list_users(&which.page_query()?).await?;
    let ids: Vec<UserId> = page.items.iter().map(|user| user.id).collect();
    let may = app.store.who_may_add_games(&ids).await?;
    Ok(Json(ListPage::from_page(page, |user| {
        let adds_games = may.contains(&user.id);
        AdminUser::new(user, adds_games)
    })))
}

/// Jobs that are queued, leased or set aside, newest first.
#[utoipa::path(get, operation_id = "list_jobs",
    path = "/api/admin/queue", tag = "administration", security(("token" = []), ("session" = [])), params(PageParameters),
    responses((status = 200, body = ListPage<JobSummary>), (status = 403, body = ErrorBody)))]
async fn list_jobs(
    app: App,
    _: SignedInAdmin,
    Query(which): Query<PageParameters>,
) -> Answer<ListPage<JobSummary>> {
    Ok(Json(ListPage::from_page(
        app.store.list_jobs(&which.page_query()?).await?,
        JobSummary::from,
    )))
}

/// Recounts of old matches without copies of games that are not finished.
#[utoipa::path(get, operation_id = "list_recounts",
    path = "/api/admin/recounts", tag = "administration", security(("token" = []), ("session" = [])),
    responses((status = 200, body = ListPage<RecountSummary>), (status = 403, body = ErrorBody)))]
async fn list_recounts(app: App, _: SignedInAdmin) -> Answer<ListPage<RecountSummary>> {
    let all = app.store.list_recounts().await?.into_iter();
    let open = all.filter(|own| own.finished.is_none());
    Ok(Json(ListPage::single_page(
        open.map(RecountSummary::from).collect(),
    )))
}

/// Workers that have reported within a day.
#[utoipa::path(get, operation_id = "list_workers",
    path = "/api/admin/workers", tag = "administration", security(("token" = []), ("session" = [])),
    responses((status = 200, body = ListPage<WorkerSummary>), (status = 403, body = ErrorBody)))]
async fn list_workers(app: App, _: SignedInAdmin) -> Answer<ListPage<WorkerSummary>> {
    let all = app
        .store
        .list_workers(Timestamp::now().before(LISTED))
        .await?;
    Ok(Json(ListPage::single_page(
        all.into_iter().map(WorkerSummary::from).collect(),
    )))
}

/// Matches, newest first.
#[utoipa::path(get, operation_id = "list_all_matches",
    path = "/api/admin/matches", tag = "administration", security(("token" = []), ("session" = [])), params(PageParameters),
    responses((status = 200, body = ListPage<MatchSummary>), (status = 403, body = ErrorBody)))]
async fn list_matches(
    app: App,
    _: SignedInAdmin,
    Query(which): Query<PageParameters>,
) -> Answer<ListPage<MatchSummary>> {
    let page = app
        .store
        .list_matches(&MatchFilter::default(), &which.page_query()?)
        .await?;
    let mut page = ListPage::from_page(page, MatchSummary::from);
    add_tags(&app.store, &mut page.items).await?;
    Ok(Json(page))
}

/// The audit log, newest first.
#[utoipa::path(get, operation_id = "list_audit_entries",
    path = "/api/admin/audit", tag = "administration", security(("token" = []), ("session" = [])), params(PageParameters),
    responses((status = 200, body = ListPage<AuditLine>), (status = 403, body = ErrorBody)))]
async fn list_audit(
    app: App,
    _: SignedInAdmin,
    Query(which): Query<PageParameters>,
) -> Answer<ListPage<AuditLine>> {
    let page = app.store.list_audit(&which.page_query()?).await?;
    let mut names = HashMap::new();
    for id in page.items.iter().filter_map(|line| line.user) {
        if let std::collections::hash_map::Entry::Vacant(free) = names.entry(id) {
            match app.store.find_user(id).await {
                Ok(user) => _ = free.insert(user.name),
                // The account was deleted meanwhile.
                Err(StoreError::Missing { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(Json(ListPage::from_page(page, |line| AuditLine {
        id: line.id.0,
        at: line.at,
        who: line.user.and_then(|id| names.get(&id).cloned()),
        what: line.action,
        about: line.subject,
        detail: line.detail,
    })))
}

async fn write_audit(
    app: &App,
    admin: &SignedInAdmin,
    action: &str,
    subject: String,
    detail: Value,
) -> Result<()> {
    tracing::info!(
        admin = admin.0.id.0,
        action,
        subject,
        "an administrator changed something"
    );
    let action = AuditedAction::new(Some(admin.0.id), action, subject, detail);
    Ok(app.store.write_audit(action, Timestamp::now()).await?)
}

/// Locks an account, which ends its sessions and disables its tokens, or unlocks it.
#[utoipa::path(post, operation_id = "set_user_disabled",
    path = "/api/admin/users/{id}", tag = "administration", security(("token" = []), ("session" = [])), params(("id" = i64, Path)),
    request_body = DisableRequest, responses((status = 200, body = AdminUser), (status = 409, body = ErrorBody)))]
async fn change_user(
    app: App,
    admin: SignedInAdmin,
    Path(id): Path<UserId>,
    Json(request): Json<DisableRequest>,
) -> Answer<AdminUser> {
    if request.disabled && id == admin.0.id {
        return Err(ApiError::conflict(
            "refused",
            "you cannot lock yourself out; ask another administrator",
        ));
    }
    let user = app.store.set_user_disabled(id, request.disabled).await?;
    let action = if request.disabled {
        "user.disable"
    } else {
        "user.enable"
    };
    write_audit(
        &app,
        &admin,
        action,
        format!("user {id} ({})", user.name),
        Value::Null,
    )
    .await?;
    let adds_games = app.store.may_add_games(id).await?;
    Ok(Json(AdminUser::new(user, adds_games)))
}

/// Whether the account may add games.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct GameRight {
    adds_games: bool,
}

/// Gives an account the right to add games, or takes it away, which holds at once. Its games stay as
/// they are; only administrators may change them then.
#[utoipa::path(put, operation_id = "set_game_right",
    path = "/api/admin/users/{id}/game-right", tag = "administration", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = GameRight, responses((status = 200, body = AdminUser)))]
async fn set_game_right(
    app: App,
    admin: SignedInAdmin,
    Path(id): Path<UserId>,
    Json(asked): Json<GameRight>,
) -> Answer<AdminUser> {
    let (may, by) = (asked.adds_games, Some(admin.0.id));
    let user = app.store.set_game_right(id, may, by, Timestamp::now());
    Ok(Json(AdminUser::new(user.await?, may)))
}

/// Deletes an account with all its bots, sessions and tokens, at once and for good, in a session
/// younger than 15 minutes. Its matches stay, without its name. Administrators cannot delete their
/// own account here (see `DELETE /api/me`).
#[utoipa::path(delete, operation_id = "delete_user",
    path = "/api/admin/users/{id}", tag = "administration", params(("id" = i64, Path)), responses((status = 204),
    (status = 409, body = ErrorBody)))]
async fn delete_user(app: App, admin: SignedInAdmin, Path(id): Path<UserId>) -> Result<StatusCode> {
    if id == admin.0.id {
        let message =
            "this is your own account; delete it on its page, where your password is asked";
        return Err(ApiError::conflict("refused", message));
    }
    need_recent_login(&app, &admin.0).await?;
    let deletion = DeletionRequest {
        by: Some(admin.0.id),
        at: Timestamp::now(),
    };
    app.store.delete_user(id, deletion).await?;
    tracing::info!(
        admin = admin.0.id.0,
        user = id.0,
        "an administrator deleted an account"
    );
    erase_names(&app.store).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a bot from its ladder, or puts it back.
#[utoipa::path(post, operation_id = "set_bot_disabled",
    path = "/api/admin/bots/{id}", tag = "administration", security(("token" = []), ("session" = [])), params(("id" = i64, Path)),
    request_body = DisableRequest, responses((status = 204)))]
async fn change_bot(
    app: App,
    admin: SignedInAdmin,
    Path(id): Path<BotId>,
    Json(request): Json<DisableRequest>,
) -> Result<StatusCode> {
    let bot = app.store.set_bot_disabled(id, request.disabled).await?;
    let action = if request.disabled {
        "bot.disable"
    } else {
        "bot.enable"
    };
    write_audit(
        &app,
        &admin,
        action,
        format!("bot {id} ({})", bot.name),
        json!({"game": bot.game}),
    )
    .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes a program at home away from everybody, or lets it be offered again.
#[utoipa::path(post, operation_id = "set_home_bot_disabled",
    path = "/api/admin/home-bots/{id}", tag = "administration", security(("token" = []), ("session" = [])), params(("id" = i64, Path)),
    request_body = DisableRequest, responses((status = 204)))]
async fn change_home_bot(
    app: App,
    admin: SignedInAdmin,
    Path(id): Path<HomeBotId>,
    Json(request): Json<DisableRequest>,
) -> Result<StatusCode> {
    let store = &app.store;
    let program = store.set_home_bot_disabled(id, request.disabled).await?;
    let action = if request.disabled {
        "home-bot.disable"
    } else {
        "home-bot.enable"
    };
    let subject = format!("home-bot {id} ({})", program.name);
    write_audit(&app, &admin, action, subject, json!({"game": program.game})).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Plays a finished match once more. A match that counted does not count again: the rerun of a
/// finished ladder match is a friendly one, unless the old result was withdrawn before (`void` at
/// `/result`).
#[utoipa::path(post, operation_id = "rerun_match",
    path = "/api/admin/matches/{id}/rerun", tag = "administration", security(("token" = []), ("session" = [])), params(("id" = i64, Path)),
    responses((status = 201, body = MatchSummary), (status = 409, description = "it is not over", body = ErrorBody)))]
async fn rerun_match(
    app: App,
    admin: SignedInAdmin,
    Path(id): Path<MatchId>,
) -> Result<(StatusCode, Json<MatchSummary>)> {
    let again = app.store.rerun_match(id, Timestamp::now()).await?;
    write_audit(
        &app,
        &admin,
        "match.rerun",
        format!("match {id}"),
        json!({"match": again.id}),
    )
    .await?;
    Ok((StatusCode::CREATED, Json(MatchSummary::from(&again))))
}

/// A new result of a finished match.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct CorrectionRequest {
    result: CorrectedResult,
    /// The reason, which is public on the match's page.
    #[schema(min_length = 1, max_length = 500)]
    why: String,
}

/// A corrected result.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum CorrectedResult {
    /// Entrant A won.
    A,
    /// Entrant B won.
    B,
    /// Neither.
    Draw,
    /// The result is withdrawn: the match counts for nobody and can be played again for the ladder.
    Void,
}

impl From<CorrectedResult> for Option<MatchWinner> {
    fn from(result: CorrectedResult) -> Option<MatchWinner> {
        match result {
            CorrectedResult::A => Some(MatchWinner::A),
            CorrectedResult::B => Some(MatchWinner::B),
            CorrectedResult::Draw => Some(MatchWinner::Draw),
            CorrectedResult::Void => None,
        }
    }
}

/// Corrects the result of a finished match. The old result stays in the match's `corrections`;
/// ratings become what they would have been with the new result.
#[utoipa::path(post, operation_id = "correct_match_result",
    path = "/api/admin/matches/{id}/result", tag = "administration", security(("token" = []), ("session" = [])), params(("id" = i64, Path)),
    request_body = CorrectionRequest, responses((status = 200, body = MatchSummary),
    (status = 409, body = ErrorBody)))]
async fn correct_match(
    app: App,
    admin: SignedInAdmin,
    Path(id): Path<MatchId>,
    Json(asked): Json<CorrectionRequest>,
) -> Answer<MatchSummary> {
    let user = Some(admin.0.id);
    let new = NewCorrection {
        winner: asked.result.into(),
        why: asked.why.trim().to_owned(),
        user,
    };
    let corrected = app.store.correct_match(id, new, Timestamp::now()).await?;
    tracing::info!(
        admin = admin.0.id.0,
        game = id.0,
        "an administrator corrected a result"
    );
    Ok(Json(MatchSummary::from(&corrected)))
}

/// The tokens of remote workers.
#[utoipa::path(get, operation_id = "list_worker_tokens",
    path = "/api/admin/worker-tokens", tag = "administration", security(("token" = []), ("session" = [])),
    responses((status = 200, body = TokenList), (status = 403, body = ErrorBody)))]
async fn worker_tokens(app: App, _: SignedInAdmin) -> Answer<TokenList> {
    Ok(Json(app.store.worker_tokens().await?.into()))
}

/// Creates a token for remote workers. It is shown only in this response.
#[utoipa::path(post, operation_id = "create_worker_token",
    path = "/api/admin/worker-tokens", tag = "administration", security(("token" = []), ("session" = [])), request_body = TokenWanted,
    responses((status = 201, body = NewTokenSecret)))]
async fn make_worker_token(
    app: App,
    admin: SignedInAdmin,
    Json(asked): Json<TokenWanted>,
) -> Result<(StatusCode, Json<NewTokenSecret>)> {
    let made = make_token(&app, &admin.0, TokenKind::Worker, asked).await?;
    write_audit(
        &app,
        &admin,
        "worker-token.make",
        "a token for workers".to_owned(),
        Value::Null,
    )
    .await?;
    Ok(made)
}

/// Revokes a token of remote workers.
#[utoipa::path(delete, operation_id = "revoke_worker_token",
    path = "/api/admin/worker-tokens/{id}", tag = "administration", security(("token" = []), ("session" = [])), params(("id" = i64, Path)),
    responses((status = 204)))]
async fn revoke_worker_token(
    app: App,
    admin: SignedInAdmin,
    Path(id): Path<TokenId>,
) -> Result<StatusCode> {
    app.store.revoke_worker_token(id).await?;
    write_audit(
        &app,
        &admin,
        "worker-token.revoke",
        format!("token {id}"),
        Value::Null,
    )
    .await?;
    Ok(StatusCode::NO_CONTENT)
}
