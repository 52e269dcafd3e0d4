//! Routes: storage use, export and deletion of one's own account.

use axum::body::Body;
use axum_extra::extract::CookieJar;
use leitai_store::{
    ActionUse, DeletionRequest, GroupId, Limit, MatchKind, MemberQuota, SourceLanguages,
};

use crate::bots::routes::versions::attachment_header;
use crate::http::caller::{self, CallerProof};
use crate::http::personal_export::export_person;
use crate::http::prelude::*;
use crate::http::routes::owner_proof::confirm_owner;
use crate::removal::erase_names;

/// Routes of the caller's account.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(usage))
        .routes(routes!(export))
        .routes(routes!(delete))
}

/// What an account uses, and its quotas.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Usage)]
struct AccountUsage {
    /// Bytes of all versions of all bots, as they were uploaded.
    bytes: Amount,
    bots: Amount,
    /// The versions of all bots.
    versions: u64,
    /// Versions that one bot may have.
    versions_of_a_bot: u64,
    quota: OwnQuota,
    replays: ReplaysKept,
}

/// What is left of the quotas of the arena and of the caller's groups.
#[derive(Debug, Serialize, ToSchema)]
struct OwnQuota {
    /// Uploads within the last hour.
    uploads: CountedAmount,
    /// Friendly matches within the last 24 hours.
    friendlies: CountedAmount,
    /// CPU seconds of these matches; a match that is not over counts as 10.
    cpu_seconds: CountedAmount,
    /// Versions of one bot.
    versions: OwnLimit,
    /// Bytes of one source.
    source_bytes: OwnLimit,
    /// The languages that sources may have; null: all.
    languages: Option<Vec<&'static str>>,
    /// The groups that say which languages.
    language_groups: Vec<QuotaGroup>,
}

/// What was used lately, and its limit.
#[derive(Debug, Serialize, ToSchema)]
struct CountedAmount {
    used: u64,
    /// Null: no limit.
    allowed: Option<u64>,
    /// When there is more again; null if some is left, or if there never is.
    #[schema(value_type = Option<String>, format = DateTime)]
    next: Option<Timestamp>,
    /// The group that set the limit; null: the arena.
    group: Option<QuotaGroup>,
}

/// A limit.
#[derive(Debug, Serialize, ToSchema)]
struct OwnLimit {
    allowed: u64,
    /// The group that set it; null: the arena.
    group: Option<QuotaGroup>,
}

/// A group that sets a quota.
#[derive(Debug, Serialize, ToSchema)]
struct QuotaGroup {
    id: i64,
    name: String,
}

impl From<(GroupId, String)> for QuotaGroup {
    fn from((id, name): (GroupId, String)) -> QuotaGroup {
        QuotaGroup { id: id.0, name }
    }
}

impl CountedAmount {
    fn new(used: u64, limit: Limit, next: Option<Timestamp>) -> CountedAmount {
        CountedAmount {
            used,
            allowed: (limit.allowed < u64::MAX).then_some(limit.allowed),
            next,
            group: limit.group.map(Into::into),
        }
    }
}

impl From<Limit> for OwnLimit {
    fn from(limit: Limit) -> OwnLimit {
        OwnLimit {
            allowed: limit.allowed,
            group: limit.group.map(Into::into),
        }
    }
}

impl OwnQuota {
    fn new(used: ActionUse, quota: MemberQuota) -> OwnQuota {
        let languages = quota.languages.allowed;
        let all = languages == SourceLanguages::ALL;
        let groups = quota.languages.groups.into_iter();
        OwnQuota {
            uploads: CountedAmount::new(used.uploads, quota.hourly_uploads, used.next_upload),
            friendlies: CountedAmount::new(
                used.friendlies,
                quota.daily_friendlies,
                used.next_friendly,
            ),
            cpu_seconds: CountedAmount::new(
                used.cpu_seconds,
                quota.daily_cpu_seconds,
                used.next_cpu,
            ),
            versions: quota.versions.into(),
            source_bytes: quota.source_bytes.into(),
            languages: (!all).then(|| languages.names().collect()),
            language_groups: groups.map(|(group, _)| group.into()).collect(),
        }
    }
}

/// An amount in use and its limit.
#[derive(Debug, Serialize, ToSchema)]
struct Amount {
    used: u64,
    allowed: u64,
}

/// The retention of replays in days after the match; null: for ever. Results are kept for ever.
#[derive(Debug, Serialize, ToSchema)]
struct ReplaysKept {
    exhibition: Option<u64>,
    ladder: Option<u64>,
    friendly: Option<u64>,
    human: Option<u64>,
    contest: Option<u64>,
}

/// The password, which protects an account whose owner has left the browser open.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Farewell {
    /// Empty for an account without a password, whose session must be younger than 15 minutes.
    password: String,
}

/// The storage that the account uses, and its quota.
#[utoipa::path(get, operation_id = "get_usage",
    path = "/api/me/usage", tag = "accounts", security(("token" = []), ("session" = [])),
    responses((status = 200, body = AccountUsage)))]
async fn usage(app: App, user: SignedInUser) -> Answer<AccountUsage> {
    let (used, quota) = (
        app.store.account_usage(user.id).await?,
        app.options.account_quota(),
    );
    let own = app.store.member_quota(&[user.id], &quota).await?;
    let lately = app
        .store
        .action_use(user.id, &own, Timestamp::now())
        .await?;
    let days = |kind| {
        app.options
            .retention
            .kept_for(kind)
            .map(|kept| kept.as_secs() / (24 * 3600))
    };
    Ok(Json(AccountUsage {
        bytes: Amount {
            used: used.bytes,
            allowed: quota.bytes,
        },
        bots: Amount {
            used: used.bots,
            allowed: quota.bots,
        },
        versions: used.versions,
        versions_of_a_bot: own.versions.allowed,
        quota: OwnQuota::new(lately, own),
        replays: ReplaysKept {
            exhibition: days(MatchKind::Exhibition),
            ladder: days(MatchKind::Ladder),
            friendly: days(MatchKind::Friendly),
            human: days(MatchKind::Human),
            contest: days(MatchKind::Contest),
        },
    }))
}

/// Everything that the arena keeps about the caller in one ZIP: rows of its database without secrets
/// (`data/TABLE.json`), matches (`matches.ndjson`) and the sources of the caller's bots. Matches that a
/// contest still hides, and those of experiments, are left out.
#[utoipa::path(get, operation_id = "export_own_data",
    path = "/api/me/data", tag = "accounts", security(("session" = [])),
    responses((status = 200, description = "a ZIP", content_type = "application/zip"),
    (status = 403, body = ErrorBody)))]
async fn export(app: App, user: SignedInUser) -> Result<Response> {
    if let CallerProof::Token { .. } = user.by {
        return Err(caller::session_only());
    }
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/zip"),
        ),
        (
            header::CONTENT_DISPOSITION,
            attachment_header(&format!("{}.zip", user.name)),
        ),
    ];
    let body = Body::from_stream(export_person(app.storage(), user.id));
    Ok((headers, body).into_response())
}

/// Deletes the account with all its bots, sessions and tokens, at once and for good. Its matches
/// stay, without its name. The last administrator cannot be deleted.
#[utoipa::path(delete, operation_id = "delete_own_account",
    path = "/api/me", tag = "accounts", security(("session" = [])), request_body = Farewell, responses((status = 204),
    (status = 409, description = "it is the only administrator's", body = ErrorBody),
    (status = 422, description = "that is not the password", body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn delete(
    app: App,
    user: SignedInUser,
    jar: CookieJar,
    Json(asked): Json<Farewell>,
) -> Result<(CookieJar, StatusCode)> {
    let wrong = "that is not the password of this account; type it again";
    confirm_owner(&app, &user, asked.password, ("password", wrong)).await?;
    let deletion = DeletionRequest {
        by: Some(user.id),
        at: Timestamp::now(),
    };
    app.store.delete_user(user.id, deletion).await?;
    tracing::info!(user = user.id.0, "an account was deleted by its owner");
    erase_names(&app.store).await;
    Ok((
        jar.add(caller::session_cookie(&app.options, None)),
        StatusCode::NO_CONTENT,
    ))
}
