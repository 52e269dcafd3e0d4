//! Routes: bots join contests and leave them.

use std::collections::HashMap;

use leitai_contest::file::{Contest as Rules, WhoMayEnter};
use leitai_store::{Bot, BotId, Contest, EntryLeft, NameKind};

use crate::client_address::ClientAddress;
use crate::contests::names::find_names;
use crate::contests::routes::access::{contest_actor, find_contest, find_seen, is_invited};
use crate::contests::routes::answers::{EntrySummary, seconds, summarize_entry};
use crate::contests::routes::lanes::check_lane;
use crate::http::prelude::*;

/// The routes of entries.
pub fn entry_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(join))
        .routes(routes!(leave))
}

/// The bot that joins, and the code, if the contest has one.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct JoinRequest {
    /// The bot's id.
    bot: i64,
    code: Option<String>,
}

/// The bot that leaves.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct LeaveRequest {
    /// The bot's id.
    bot: i64,
}

/// The caller's own bot, or one of a team of the caller's; administrators may enter every bot.
async fn own_bot(app: &App, user: &SignedInUser, id: i64) -> Result<Bot> {
    let bot = app.store.find_bot(BotId(id)).await?;
    if user.admin || app.store.owns_bot(&bot, user.id).await? {
        return Ok(bot);
    }
    let message = format!("{} is not your bot; choose one of yours", bot.name);
    Err(ApiError::forbidden("not-yours", message))
}

/// Enters a bot of the caller, or of a team of the caller's. Its active version at the freeze plays.
/// Everybody plays for one entrant.
#[utoipa::path(post, operation_id = "join_contest",
    path = "/api/contests/{id}/join", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), request_body = JoinRequest, responses((status = 201, body = EntrySummary),
    (status = 409, body = ErrorBody), (status = 429, description = "too many codes in a minute", body = ErrorBody)))]
async fn join(
    app: App,
    from: ClientAddress,
    user: SignedInUser,
    Path(id): Path<String>,
    Json(asked): Json<JoinRequest>,
) -> Result<(StatusCode, Json<EntrySummary>)> {
    let (contest, rules) = find_contest(&app, Some(&user), &id).await?;
    let by = contest_actor(&user);
    if let (WhoMayEnter::Code { .. }, Some(_)) = (&rules.entry.who, &asked.code) {
        app.limiter.allow_code(user.id, from).await?;
    }
    check_entry(
        &app,
        &user,
        (&contest, &rules),
        asked.code.as_deref(),
        by.at,
    )
    .await?;
    let bot = own_bot(&app, &user, asked.bot).await?;
    if bot.game != rules.game {
        let (name, plays, game) = (bot.name, bot.game, rules.game);
        let message = format!("{name} plays {plays}, not {game}; choose a bot of this game");
        return Err(ApiError::invalid_field("other-game", "bot", message));
    }
    check_active_version(&app, &bot, &rules).await?;
    check_lane(&app, &bot, rules.entry.candidates).await?;
    let limits = (rules.entry.most, rules.entry.team_size);
    let entry = app
        .store
        .join_contest(contest.id, bot.id, limits, by)
        .await?;
    let teams = app.store.teams_of_bots(&[bot.id]).await?;
    let names = HashMap::from([(bot.id, bot.name)]);
    let entry = summarize_entry(entry, &names, &teams);
    Ok((StatusCode::CREATED, Json(entry)))
}

/// Refuses a bot whose active version the contest does not take. A bot without one may join; the
/// freeze looks again.
async fn check_active_version(app: &App, bot: &Bot, rules: &Rules) -> Result<()> {
    let Some(active) = bot.active else {
        return Ok(());
    };
    let version = app.store.find_version(active).await?;
    let bytes = u64::try_from(version.bytes).unwrap_or_default();
    let refusal = rules.entry.describe_refusal(version.how.as_deref(), bytes);
    match refusal {
        None => Ok(()),
        Some(why) => {
            let message = format!("version {} cannot enter: {why}", version.number);
            Err(ApiError::invalid_field("version-refused", "bot", message))
        }
    }
}

/// Whether this account may enter now.
async fn check_entry(
    app: &App,
    user: &SignedInUser,
    (contest, rules): (&Contest, &Rules),
    code: Option<&str>,
    at: Timestamp,
) -> Result<()> {
    let names = find_names(&app.store, contest, rules).await?;
    if seconds(at) < rules.opens {
        let opens = Timestamp(rules.opens.saturating_mul(1000));
        let message = format!("this contest opens at {opens}; join then");
        return Err(ApiError::conflict("not-open", message));
    }
    let may = match &rules.entry.who {
        _ if user.admin => true,
        WhoMayEnter::Everybody => true,
        WhoMayEnter::Code { code: expected } => code == Some(expected.as_str()),
        who => is_invited(app, user, who, &names).await?,
    };
    if may {
        return Ok(());
    }
    Err(match &rules.entry.who {
        WhoMayEnter::Code { .. } => {
            let message = "this contest needs its code, and this is not it; ask its organiser";
            ApiError::forbidden("contest-code", message)
        }
        WhoMayEnter::Group { group } => {
            let group = names.today(NameKind::Group, group).unwrap_or(group);
            let message = format!("this contest is for the group {group}; ask its organiser");
            ApiError::forbidden("not-invited", message)
        }
        _ => {
            let message = "your account is not on the list of this contest; ask its organiser";
            ApiError::forbidden("not-invited", message)
        }
    })
}

/// Withdraws a bot of the caller. Its opponents win what it has not played.
#[utoipa::path(post, operation_id = "leave_contest",
    path = "/api/contests/{id}/leave", tag = "contests", security(("token" = []), ("session" = [])),
    params(("id" = String, Path)), request_body = LeaveRequest, responses((status = 204),
    (status = 409, body = ErrorBody)))]
async fn leave(
    app: App,
    user: SignedInUser,
    Path(id): Path<String>,
    Json(asked): Json<LeaveRequest>,
) -> Result<StatusCode> {
    let contest = find_seen(&app, Some(&user), &id).await?;
    let bot = own_bot(&app, &user, asked.bot).await?;
    let entries = app.store.contest_entries(contest.id).await?;
    let entry = entries.iter().find(|entry| entry.bot == bot.id);
    let entry = entry.ok_or_else(|| {
        let name = &bot.name;
        ApiError::not_found(format!("{name} is not in contest {id}"))
    })?;
    let left = (EntryLeft::Withdrawn, None);
    app.store
        .leave_contest(contest.id, entry.id, left, contest_actor(&user))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
