//! Routes: bots and what they have done.

use axum::extract::{DefaultBodyLimit, FromRequest, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use leitai_store::{BotId, Deletion, Json as Value, MatchFilter, NewBot, Timestamp, UserId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};
use utoipa_axum::routes;

use crate::api::brief::{BotBrief, MatchBrief, Rating, tenths};
use crate::api::extract::{Json, Path, Query};
use crate::api::list::{Listed, Which};
use crate::api::upload::{self, BotForm, BotUpload, BotWish, is_form};
use crate::api::versions::{VersionBrief, count, keep};
use crate::app::App;
use crate::auth::{Caller, User, names};
use crate::error::{ApiError, ErrorBody};
use crate::removal::erase_names;

/// Characters that an author may say about a bot.
const ABOUT: usize = 500;
/// Points of a rating's history.
const POINTS: u64 = 1_000;

/// Routes of bots.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create).layer(DefaultBodyLimit::max(upload::BODY)))
        .routes(routes!(mine))
        .routes(routes!(show, change, delete))
        .routes(routes!(matches))
        .routes(routes!(opponents))
        .routes(routes!(ratings))
        .routes(routes!(faults))
}

/// A bot.
#[derive(Debug, Serialize, ToSchema)]
pub struct Bot {
    #[serde(flatten)]
    brief: BotBrief,
    /// What its author says of it.
    about: String,
    /// The number of the version that plays.
    active: Option<i32>,
    /// Its author took it off the ladder.
    retired: bool,
    /// An administrator took it off the ladder.
    disabled: bool,
    rating: Option<Rating>,
    /// Best and worst place, with a confidence of 95 %.
    rank: Option<[u32; 2]>,
    games: i64,
    wins: i64,
    draws: i64,
    losses: i64,
    faults: i64,
    /// The longest period in a rated match, in microseconds.
    longest_us: Option<i64>,
    /// Its versions, newest first.
    versions: Vec<VersionBrief>,
    /// Whether it belongs to who asks.
    yours: bool,
}

/// What is to change; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct BotChange {
    #[schema(max_length = 500, pattern = r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$")]
    about: Option<String>,
    /// The number of the version that is to play; it must be ready.
    active: Option<i32>,
    /// Takes it off the ladder, or puts it back.
    retired: Option<bool>,
}

/// What a bot has done against another in rated matches.
#[derive(Debug, Serialize, ToSchema)]
struct Opponent {
    bot: BotBrief,
    wins: i64,
    draws: i64,
    losses: i64,
}

/// A rating after a match, or after a new version came into play (then there is no match).
#[derive(Debug, Serialize, ToSchema)]
struct RatingPoint {
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    #[serde(rename = "match")]
    match_id: Option<i64>,
    value: f64,
    error: f64,
}

/// A fault in a match.
#[derive(Debug, Serialize, ToSchema)]
struct BotFault {
    #[serde(rename = "match")]
    match_id: i64,
    /// `IA PE RE TLE MLE OLE EXIT CE`.
    code: String,
    /// From 1, where it is known.
    leg: Option<u64>,
    /// From 1, where it is known.
    round: Option<u64>,
    /// The step of the leg, from 0, where it is known.
    step: Option<u64>,
    #[schema(value_type = Option<String>, format = DateTime)]
    at: Option<Timestamp>,
}

/// Makes a bot; with a source, together with its first version. If the source is refused, there is no bot.
#[utoipa::path(post, operation_id = "create_bot",
    path = "/api/bots", tag = "bots", security(("token" = []), ("session" = [])),
    request_body(content((BotForm = "multipart/form-data"), (BotWish = "application/json"))), responses(
    (status = 201, body = Bot), (status = 400, body = ErrorBody), (status = 401, body = ErrorBody),
    (status = 404, description = "no such game", body = ErrorBody),
    (status = 409, description = "the name is taken on this ladder, or the account keeps as much as it may",
        body = ErrorBody),
    (status = 413, body = ErrorBody), (status = 415, body = ErrorBody), (status = 422, body = ErrorBody),
    (status = 429, body = ErrorBody),
))]
async fn create(
    State(app): State<App>,
    user: User,
    request: Request,
) -> Result<(StatusCode, axum::Json<Bot>), ApiError> {
    // Before the body is read.
    if is_form(&request) {
        app.store.check_room_for_bot(user.id, &app.options.quota).await?;
    }
    let wish = <BotUpload as FromRequest<App>>::from_request(request, &app).await?;
    let new = checked(&app, &user, &wish)?;
    let (quota, now) = (&app.options.quota, Timestamp::now());
    let bot = match wish.source {
        None => app.store.create_bot_within(new, quota, now).await?,
        Some(source) => {
            app.limiter.upload(user.id)?;
            let source = keep(&app, source).await?;
            let made = app.store.create_bot_with_version(new, source, quota, now).await;
            let (bot, version) = made?;
            count(&user, &version);
            bot
        }
    };
    Ok((StatusCode::CREATED, axum::Json(whole(&app, bot, &Caller(Some(user))).await?)))
}

fn checked(app: &App, user: &User, wish: &BotUpload) -> Result<NewBot, ApiError> {
    let game = app.need_game(&wish.game)?;
    let name = names::checked(&wish.name)?.to_owned();
    if game.bots().iter().any(|(own, _)| own.eq_ignore_ascii_case(&name)) {
        let taken = ApiError::conflict(
            "taken",
            format!("the name `{name}` is that of a built-in bot; choose another"),
        );
        return Err(ApiError { field: Some("name"), ..taken });
    }
    let about = checked_about(&wish.about)?;
    Ok(NewBot { game: wish.game.clone(), name, owner: user.id, about })
}

fn checked_about(about: &str) -> Result<String, ApiError> {
    checked_text(about, "about", ABOUT)
}

/// A text of people, without white space around it: bounded, and without control characters but line ends.
pub fn checked_text(text: &str, field: &'static str, most: usize) -> Result<String, ApiError> {
    let text = text.trim().replace("\r\n", "\n");
    let length = text.chars().count();
    if length > most {
        return Err(ApiError::field(
            "too-long",
            field,
            format!("{field} has {length} characters; at most {most} are kept"),
        ));
    }
    match text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        Some(bad) => {
            Err(ApiError::field("bad-text", field, format!("{field} has {bad:?} in it; leave it out")))
        }
        None => Ok(text),
    }
}

/// The bots of the account, newest first.
#[utoipa::path(get, operation_id = "list_own_bots",
    path = "/api/me/bots", tag = "bots", security(("token" = []), ("session" = [])),
    responses((status = 200, body = Listed<Bot>), (status = 401, body = ErrorBody)))]
async fn mine(State(app): State<App>, user: User) -> Result<axum::Json<Listed<Bot>>, ApiError> {
    let own = app.store.bots_of(user.id).await?;
    let caller = Caller(Some(user));
    let mut items = Vec::new();
    for bot in own {
        items.push(whole(&app, bot, &caller).await?);
    }
    Ok(axum::Json(Listed::whole(items)))
}

/// A bot with its versions.
#[utoipa::path(get, operation_id = "get_bot",
    path = "/api/bots/{id}", tag = "bots",
    security((), ("token" = []), ("session" = [])), params(("id" = i64, Path)),
    responses((status = 200, body = Bot), (status = 404, body = ErrorBody)))]
async fn show(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<BotId>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let make = async { whole(&app, app.store.bot(id).await?, &caller).await };
    if caller.0.is_none() {
        return app.hot.get(format!("bot page {id}"), &headers, make).await;
    }
    Ok(([(header::CACHE_CONTROL, "private, no-cache")], axum::Json(make.await?)).into_response())
}

async fn whole(app: &App, bot: leitai_store::Bot, caller: &Caller) -> Result<Bot, ApiError> {
    let versions = app.store.versions_of(bot.id).await?;
    let active = versions.iter().find(|version| Some(version.id) == bot.active).map(|version| version.number);
    let standing = app.store.standing(bot.id).await?;
    let owner = match bot.owner {
        Some(owner) => Some(app.store.user(owner).await?.name),
        None => None,
    };
    let tell = caller.may_see(bot.owner);
    let count = |of: fn(&leitai_store::Standing) -> i64| standing.as_ref().map_or(0, of);
    Ok(Bot {
        rank: app.store.rank_of(bot.id).await?,
        rating: standing.as_ref().map(|standing| standing.rating().shown().into()),
        games: count(|standing| standing.games),
        wins: count(|standing| standing.wins),
        draws: count(|standing| standing.draws),
        losses: count(|standing| standing.losses),
        faults: count(|standing| standing.faults),
        longest_us: standing.as_ref().and_then(|standing| standing.longest_us),
        versions: versions.into_iter().map(|version| VersionBrief::of(version, tell)).collect(),
        yours: bot.owner.is_some() && caller.id() == bot.owner,
        active,
        about: bot.about.clone(),
        retired: bot.retired,
        disabled: bot.disabled,
        brief: BotBrief {
            built_in: bot.built_in(),
            deleted: bot.deleted.is_some(),
            id: bot.id.0,
            game: bot.game,
            name: bot.name,
            owner,
        },
    })
}

/// The bot, if it belongs to who asks.
pub async fn own(app: &App, user: &User, id: BotId) -> Result<leitai_store::Bot, ApiError> {
    let bot = app.store.bot(id).await?;
    match bot.owner == Some(user.id) {
        true => Ok(bot),
        false => {
            Err(ApiError::forbidden("not-yours", format!("bot {id} is not yours; make one of your own")))
        }
    }
}

/// The bot, if it belongs to who asks, or who asks is an administrator.
pub async fn own_or_admin(app: &App, user: &User, id: BotId) -> Result<leitai_store::Bot, ApiError> {
    if user.admin { Ok(app.store.bot(id).await?) } else { own(app, user, id).await }
}

/// Deletes a bot with all its versions. Its matches stay, with `deleted` in its place, and so do the ratings of others;
/// what it would still play is cancelled. For its author and for administrators.
#[utoipa::path(delete, operation_id = "delete_bot",
    path = "/api/bots/{id}", tag = "bots", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses(
    (status = 204), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, description = "it is a built-in bot", body = ErrorBody),
))]
async fn delete(State(app): State<App>, user: User, Path(id): Path<BotId>) -> Result<StatusCode, ApiError> {
    own_or_admin(&app, &user, id).await?;
    app.store.delete_bot(id, Deletion { by: Some(user.id), at: Timestamp::now() }).await?;
    tracing::info!(user = user.id.0, bot = id.0, "a bot was deleted");
    erase_names(&app).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Changes what its author may change.
#[utoipa::path(patch, operation_id = "update_bot",
    path = "/api/bots/{id}", tag = "bots", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = BotChange, responses(
    (status = 200, body = Bot), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, description = "the version is not ready", body = ErrorBody),
))]
async fn change(
    State(app): State<App>,
    user: User,
    Path(id): Path<BotId>,
    Json(wish): Json<BotChange>,
) -> Result<axum::Json<Bot>, ApiError> {
    let mut bot = own(&app, &user, id).await?;
    let about = wish.about.as_deref().map(checked_about).transpose()?;
    if let Some(number) = wish.active {
        let version = app.store.version_by_number(id, number).await?;
        let version =
            version.ok_or_else(|| ApiError::not_found(format!("bot {id} has no version {number}")))?;
        bot = app.store.activate(id, version.id, Timestamp::now()).await?;
    }
    if let Some(about) = about {
        bot = app.store.set_about(id, &about).await?;
    }
    if let Some(retired) = wish.retired {
        bot = app.store.set_retired(id, retired).await?;
    }
    Ok(axum::Json(whole(&app, bot, &Caller(Some(user))).await?))
}

/// The matches of a bot, newest first.
#[utoipa::path(get, operation_id = "list_bot_matches",
    path = "/api/bots/{id}/matches", tag = "bots", params(("id" = i64, Path), Which),
    responses((status = 200, body = Listed<MatchBrief>), (status = 400, body = ErrorBody), (status = 404, body = ErrorBody)))]
async fn matches(
    State(app): State<App>,
    Path(id): Path<BotId>,
    Query(which): Query<Which>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let ask = which.ask()?;
    let key = format!("bot {id} {} {}", ask.limit, ask.before.as_deref().unwrap_or_default());
    let make = async {
        app.store.bot(id).await?;
        let filter = MatchFilter { bot: Some(id), ..MatchFilter::default() };
        Ok(Listed::of(app.store.matches(&filter, &ask).await?, MatchBrief::from))
    };
    app.hot.get(key, &headers, make).await
}

/// What a bot has done against each other bot, most often first.
#[utoipa::path(get, operation_id = "list_bot_opponents",
    path = "/api/bots/{id}/opponents", tag = "bots", params(("id" = i64, Path)),
    responses((status = 200, body = Listed<Opponent>), (status = 404, body = ErrorBody)))]
async fn opponents(
    State(app): State<App>,
    Path(id): Path<BotId>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let make = async {
        app.store.bot(id).await?;
        let all = app.store.head_to_head(id).await?.into_iter().map(|one| Opponent {
            bot: one.rival.into(),
            wins: one.tally.wins,
            draws: one.tally.draws,
            losses: one.tally.losses,
        });
        Ok(Listed::whole(all.collect()))
    };
    app.hot.get(format!("opponents {id}"), &headers, make).await
}

/// The ratings of a bot, oldest first; the last 1,000.
#[utoipa::path(get, operation_id = "list_bot_ratings",
    path = "/api/bots/{id}/ratings", tag = "bots", params(("id" = i64, Path)),
    responses((status = 200, body = Listed<RatingPoint>), (status = 404, body = ErrorBody)))]
async fn ratings(
    State(app): State<App>,
    Path(id): Path<BotId>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let make = async {
        app.store.bot(id).await?;
        let all = app.store.rating_history(id, POINTS).await?.into_iter().map(|point| RatingPoint {
            at: point.at,
            match_id: point.match_id.map(|id| id.0),
            value: tenths(point.value),
            error: tenths(point.error),
        });
        Ok(Listed::whole(all.collect()))
    };
    app.hot.get(format!("ratings {id}"), &headers, make).await
}

/// The faults of a bot, newest first, as the matches' results tell them.
#[utoipa::path(get, operation_id = "list_bot_faults",
    path = "/api/bots/{id}/faults", tag = "bots", params(("id" = i64, Path), Which),
    responses((status = 200, body = Listed<BotFault>), (status = 400, body = ErrorBody), (status = 404, body = ErrorBody)))]
async fn faults(
    State(app): State<App>,
    Path(id): Path<BotId>,
    Query(which): Query<Which>,
) -> Result<axum::Json<Listed<BotFault>>, ApiError> {
    app.store.bot(id).await?;
    let filter = MatchFilter { bot: Some(id), faulted: true, ..MatchFilter::default() };
    let page = app.store.matches(&filter, &which.ask()?).await?;
    let items = page.items.iter().flat_map(|own| faults_of(own, id)).collect();
    Ok(axum::Json(Listed { items, next: page.next }))
}

fn faults_of(own: &leitai_store::MatchBrief, bot: BotId) -> Vec<BotFault> {
    let is =
        |entrant: &Option<leitai_store::Entrant>| entrant.as_ref().is_some_and(|one| one.bot == Some(bot));
    let is_own = |side: &str| (side == "a" && is(&own.a)) || (side == "b" && is(&own.b));
    let all = own.faults.as_ref().and_then(Value::as_array).into_iter().flatten();
    let own_faults = all.filter(|fault| fault["entrant"].as_str().is_some_and(is_own));
    let number = |fault: &Value, key: &str| fault.get(key).and_then(Value::as_u64);
    own_faults
        .map(|fault| BotFault {
            match_id: own.id.0,
            code: fault["code"].as_str().unwrap_or_default().to_owned(),
            leg: number(fault, "leg"),
            round: number(fault, "round"),
            step: number(fault, "step"),
            at: own.finished,
        })
        .collect()
}

/// Whether the account owns one of the bots.
pub fn owns(user: Option<UserId>, entrant: Option<&leitai_store::Entrant>) -> bool {
    user.is_some() && entrant.is_some_and(|entrant| entrant.user == user)
}
