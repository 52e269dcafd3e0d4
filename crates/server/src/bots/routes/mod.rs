//! Routes: bots, their matches, ratings and faults.
//!
//! | module | content |
//! |---|---|
//! | [`access`] | whose a bot is |
//! | [`fetchable`] | what others may fetch |
//! | [`upload`] | the source of a version in a request |
//! | [`versions`] | the routes of versions |

pub mod access;
pub mod fetchable;
pub mod upload;
pub mod versions;

use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use std::collections::BTreeMap;

use leitai_store::{
    BotId, DeletionRequest, Json as Value, LadderId, MatchFilter, NewBot, TeamId, Uploader,
};
use utoipa_axum::router::UtoipaMethodRouterExt;

use crate::accounts::names;
use crate::bots::routes::access::{need_own_bot, own_or_admin, owns_bot};
use crate::bots::routes::upload::{BotForm, BotUpload, NewBotRequest, checked_text, is_form};
use crate::bots::routes::versions::{VersionSummary, count_upload, keep_upload};
use crate::contests::routes::lanes::{Becoming, check_contests};
use crate::http::list::WhichLadder;
use crate::http::prelude::*;
use crate::http::quotas::allow_upload;
use crate::http::routes::match_tags::add_tags;
use crate::http::summaries::{
    BotSummary, LocalizedText, MatchSummary, RatingSummary, round_to_tenths,
};
use crate::removal::erase_names;

/// The longest description of a bot, in characters.
const ABOUT: usize = 500;
/// The most points of a rating history.
const POINTS: u64 = 1_000;

/// Routes of bots.
pub fn bot_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create_bot).layer(DefaultBodyLimit::max(upload::BODY)))
        .routes(routes!(list_own_bots))
        .routes(routes!(show_bot, change_bot, delete))
        .routes(routes!(set_team))
        .routes(routes!(check_bot))
        .routes(routes!(list_bot_matches))
        .routes(routes!(list_opponents))
        .routes(routes!(list_ratings))
        .routes(routes!(list_faults))
}

/// A bot.
#[derive(Debug, Serialize, ToSchema)]
pub struct BotDetails {
    #[serde(flatten)]
    brief: BotSummary,
    /// The author's description.
    about: String,
    /// The number of the active version.
    active: Option<i32>,
    /// Whether others may fetch the active version, as it was uploaded, to train against it.
    fetchable: bool,
    /// Whether its author removed it from its ladders.
    retired: bool,
    /// Whether an administrator removed it from its ladders.
    disabled: bool,
    /// Its rating on the standard ladder, as what follows.
    rating: Option<RatingSummary>,
    /// Best and worst place, with a confidence of 95 %.
    rank: Option<[u32; 2]>,
    games: i64,
    wins: i64,
    draws: i64,
    losses: i64,
    /// Matches beside these that did not count, because they were copies of earlier ones.
    copies: i64,
    /// Faults in matches of the standard ladder.
    faults: i64,
    /// The longest time that it used in one period of a rated match, in microseconds.
    longest_us: Option<i64>,
    /// Its versions, newest first.
    versions: Vec<VersionSummary>,
    /// Whether it belongs to the caller, or to a team of the caller's.
    yours: bool,
    /// The team to which it belongs.
    team: Option<TeamName>,
    /// Why it rests: it is off the standard ladder until a check passes; null if it does not rest.
    rest: Option<BotRest>,
    /// The further ladders of its game.
    ladders: Vec<BotLadder>,
}

/// A bot on a further ladder of its game.
#[derive(Debug, Serialize, ToSchema)]
struct BotLadder {
    /// The name of the ladder.
    #[schema(example = "small")]
    name: String,
    title: LocalizedText,
    /// Whether it plays there; false if its author has opted out.
    plays: bool,
    rating: Option<RatingSummary>,
    /// Best and worst place, with a confidence of 95 %.
    rank: Option<[u32; 2]>,
    games: i64,
    wins: i64,
    draws: i64,
    losses: i64,
    /// Matches beside these that did not count, because they were copies of earlier ones.
    copies: i64,
    /// Faults in matches of this ladder.
    faults: i64,
    /// Why it rests; null if it does not rest.
    rest: Option<BotRest>,
}

/// The rest of a bot that failed in several rated matches in a row.
#[derive(Debug, Serialize, ToSchema)]
struct BotRest {
    #[schema(value_type = String, format = DateTime)]
    since: Timestamp,
    /// The failed matches in a row: with a fault and without a win.
    failures: i64,
    /// The last of them.
    #[serde(rename = "match")]
    match_id: Option<i64>,
    /// The codes of the bot's faults in it.
    codes: Vec<String>,
}

/// A team in a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct TeamName {
    /// The id.
    pub id: i64,
    /// The name.
    pub name: String,
}

/// The team that a bot is given to.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct BotTeamRequest {
    /// The team's id; null takes the bot out of its team.
    team: Option<i64>,
}

/// The fields to change; absent fields stay as they are.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct BotChangeRequest {
    #[schema(max_length = 500, pattern = r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$")]
    about: Option<String>,
    /// The number of the version to activate; it must be ready.
    active: Option<i32>,
    /// Removes it from all ladders, or puts it back.
    retired: Option<bool>,
    /// Says on its page and on ladders that an agent wrote it, or that none did.
    by_agent: Option<bool>,
    /// Lets others fetch the active version, as it was uploaded, to train against it, or no longer. It
    /// holds for later versions, too, and ends with the next download.
    fetchable: Option<bool>,
    /// On which further ladders it plays, by name: false takes it off, true puts it back.
    #[schema(example = json!({"small": false}))]
    ladders: Option<BTreeMap<String, bool>>,
}

/// The results of a bot against another in rated matches.
#[derive(Debug, Serialize, ToSchema)]
struct OpponentSummary {
    bot: BotSummary,
    wins: i64,
    draws: i64,
    losses: i64,
}

/// A rating after a match, or after the activation of a new version (then there is no match).
#[derive(Debug, Serialize, ToSchema)]
struct RatingPointSummary {
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

/// Creates a bot; with a source, together with its first version. If the source is refused, no bot
/// is created.
#[utoipa::path(post, operation_id = "create_bot",
    path = "/api/bots", tag = "bots", security(("token" = []), ("session" = [])),
    request_body(content((BotForm = "multipart/form-data"), (NewBotRequest = "application/json"))),
    responses((status = 201, body = BotDetails), (status = 400, body = ErrorBody),
    (status = 404, description = "no such game", body = ErrorBody),
    (status = 409, description = "the name is taken on this ladder, or the account keeps as much as it may", body = ErrorBody),
    (status = 415, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn create_bot(
    app: App,
    user: SignedInUser,
    request: Request,
) -> Result<(StatusCode, Json<BotDetails>)> {
    // The quota is checked before the body is read.
    if is_form(&request) {
        app.store
            .check_room_for_bot(user.id, &app.options.account_quota(), Timestamp::now())
            .await?;
    }
    let upload = <BotUpload as FromRequest<App>>::from_request(request, &app).await?;
    let new = check_upload(&app, &user, &upload)?;
    let (quota, now) = (&app.options.account_quota(), Timestamp::now());
    let bot = match upload.source {
        None => app.store.create_bot_within(new, quota, now).await?,
        Some(source) => {
            allow_upload(&app, user.id).await?;
            let (source, languages) = keep_upload(&app, source).await?;
            let by = Uploader {
                user: user.id,
                languages,
            };
            let made = app
                .store
                .create_bot_with_version(new, source, quota, by, now)
                .await;
            let (bot, version) = made?;
            count_upload(&user, &version);
            bot
        }
    };
    Ok((
        StatusCode::CREATED,
        Json(bot_details(&app, bot, &Caller(Some(user))).await?),
    ))
}

fn check_upload(app: &App, user: &SignedInUser, upload: &BotUpload) -> Result<NewBot> {
    let game = app.need_game(&upload.game)?;
    let name = names::check_name(&upload.name)?.to_owned();
    if game
        .list_bots()
        .iter()
        .any(|(own, _)| own.eq_ignore_ascii_case(&name))
    {
        let taken = ApiError::conflict(
            "taken",
            format!("the name `{name}` is that of a built-in bot; choose another"),
        );
        return Err(ApiError {
            field: Some("name"),
            ..taken
        });
    }
    let about = checked_about(&upload.about)?;
    Ok(NewBot {
        game: upload.game.clone(),
        name,
        owner: user.id,
        about,
    })
}

fn checked_about(about: &str) -> Result<String> {
    checked_text(about, "about", ABOUT)
}

/// The bots of the account, newest first.
#[utoipa::path(get, operation_id = "list_own_bots",
    path = "/api/me/bots", tag = "bots", security(("token" = []), ("session" = [])),
    responses((status = 200, body = ListPage<BotDetails>)))]
async fn list_own_bots(app: App, user: SignedInUser) -> Answer<ListPage<BotDetails>> {
    let own = app.store.bots_of(user.id).await?;
    let caller = Caller(Some(user));
    let mut items = Vec::new();
    for bot in own {
        items.push(bot_details(&app, bot, &caller).await?);
    }
    Ok(Json(ListPage::single_page(items)))
}

/// A bot with its versions.
#[utoipa::path(get, operation_id = "get_bot",
    path = "/api/bots/{id}", tag = "bots",
    security((), ("token" = []), ("session" = [])), params(("id" = i64, Path)),
    responses((status = 200, body = BotDetails)))]
async fn show_bot(
    app: App,
    caller: Caller,
    Path(id): Path<BotId>,
    headers: HeaderMap,
) -> Result<Response> {
    let make = async { bot_details(&app, app.store.find_bot(id).await?, &caller).await };
    if caller.0.is_none() {
        return app
            .responses
            .get(format!("bot page {id}"), &headers, make)
            .await;
    }
    Ok((
        [(header::CACHE_CONTROL, "private, no-cache")],
        Json(make.await?),
    )
        .into_response())
}

/// A bot as this caller may see it.
pub async fn bot_details(app: &App, bot: leitai_store::Bot, caller: &Caller) -> Result<BotDetails> {
    let versions = app.store.versions_of(bot.id).await?;
    let active = versions
        .iter()
        .find(|version| Some(version.id) == bot.active)
        .map(|version| version.number);
    let standard = LadderId::standard(&bot.game);
    let standing = app.store.find_standing(bot.id, &standard).await?;
    let owner = match bot.owner {
        Some(owner) => Some(app.store.find_user(owner).await?.name),
        None => None,
    };
    let yours = owns_bot(app, caller, &bot).await?;
    let tell = yours || caller.is_admin();
    let team = match bot.team {
        Some(team) => {
            let (id, name) = (team.0, app.store.find_team(team).await?.name);
            Some(TeamName { id, name })
        }
        None => None,
    };
    let count = |of: fn(&leitai_store::Standing) -> i64| standing.as_ref().map_or(0, of);
    Ok(BotDetails {
        rank: app.store.rank_of(bot.id, &standard).await?,
        rating: standing
            .as_ref()
            .map(|standing| standing.current_rating().shown_rating().into()),
        games: count(|standing| standing.games),
        wins: count(|standing| standing.wins),
        draws: count(|standing| standing.draws),
        losses: count(|standing| standing.losses),
        copies: count(|standing| standing.copies),
        faults: count(|standing| standing.faults),
        longest_us: standing.as_ref().and_then(|standing| standing.longest_us),
        versions: versions
            .into_iter()
            .map(|version| VersionSummary::from_row(version, tell))
            .collect(),
        yours,
        team,
        rest: describe_rest(app, bot.id, standing.as_ref()).await?,
        ladders: further_ladders(app, &bot).await?,
        active,
        about: bot.about.clone(),
        fetchable: bot.fetchable,
        retired: bot.retired,
        disabled: bot.disabled,
        brief: BotSummary {
            built_in: bot.built_in(),
            deleted: bot.deleted.is_some(),
            id: bot.id.0,
            game: bot.game,
            name: bot.name,
            owner,
            by_agent: bot.by_agent,
        },
    })
}

/// A bot on the further ladders of its game.
async fn further_ladders(app: &App, bot: &leitai_store::Bot) -> Result<Vec<BotLadder>> {
    let mut ladders = Vec::new();
    for rules in app.options.ladders.further(&bot.game) {
        let own = app.store.find_standing(bot.id, &rules.id).await?;
        let count = |of: fn(&leitai_store::Standing) -> i64| own.as_ref().map_or(0, of);
        let rating = own.as_ref().map(|own| own.current_rating().shown_rating());
        let [en, zh] = rules.title.clone();
        ladders.push(BotLadder {
            name: rules.id.name().to_owned(),
            title: LocalizedText { en, zh },
            plays: own.as_ref().is_none_or(|own| !own.opted_out),
            rating: rating.map(Into::into),
            rank: app.store.rank_of(bot.id, &rules.id).await?,
            games: count(|own| own.games),
            wins: count(|own| own.wins),
            draws: count(|own| own.draws),
            losses: count(|own| own.losses),
            copies: count(|own| own.copies),
            faults: count(|own| own.faults),
            rest: describe_rest(app, bot.id, own.as_ref()).await?,
        });
    }
    Ok(ladders)
}

/// Why a bot rests, with the faults of the match that decided.
async fn describe_rest(
    app: &App,
    bot: BotId,
    standing: Option<&leitai_store::Standing>,
) -> Result<Option<BotRest>> {
    let Some((standing, since)) = standing.and_then(|own| Some((own, own.rests?))) else {
        return Ok(None);
    };
    let mut codes = Vec::new();
    if let Some(id) = standing.rest_match {
        let last = app.store.match_by_id(id).await?;
        let entrant = if last.a_bot == Some(bot) { "a" } else { "b" };
        let faults = last.faults.as_ref().and_then(Value::as_array);
        let own = faults
            .into_iter()
            .flatten()
            .filter(|fault| fault["entrant"] == entrant);
        codes.extend(own.filter_map(|fault| fault["code"].as_str().map(str::to_owned)));
        codes.sort();
        codes.dedup();
    }
    Ok(Some(BotRest {
        since,
        failures: standing.failing,
        match_id: standing.rest_match.map(|id| id.0),
        codes,
    }))
}

/// Deletes a bot with all its versions. Its matches stay, with `deleted` in its place, and so do
/// the ratings of others; its pending matches are cancelled. For its author and for administrators.
#[utoipa::path(delete, operation_id = "delete_bot",
    path = "/api/bots/{id}", tag = "bots", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses((status = 204),
    (status = 409, description = "it is a built-in bot", body = ErrorBody)))]
async fn delete(app: App, user: SignedInUser, Path(id): Path<BotId>) -> Result<StatusCode> {
    own_or_admin(&app, &user, id).await?;
    app.store
        .delete_bot(
            id,
            DeletionRequest {
                by: Some(user.id),
                at: Timestamp::now(),
            },
        )
        .await?;
    tracing::info!(user = user.id.0, bot = id.0, "a bot was deleted");
    erase_names(&app.store).await;
    Ok(StatusCode::NO_CONTENT)
}

/// Changes a bot.
#[utoipa::path(patch, operation_id = "update_bot",
    path = "/api/bots/{id}", tag = "bots", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = BotChangeRequest, responses((status = 200, body = BotDetails),
    (status = 409, description = "the version is not ready, or every bot plays on this ladder", body = ErrorBody)))]
async fn change_bot(
    app: App,
    user: SignedInUser,
    Path(id): Path<BotId>,
    Json(request): Json<BotChangeRequest>,
) -> Answer<BotDetails> {
    let mut bot = need_own_bot(&app, &user, id).await?;
    let about = request.about.as_deref().map(checked_about).transpose()?;
    let ladders = request.ladders.unwrap_or_default();
    let ladders = ladders.iter().map(|(name, plays)| {
        let ladder = app.need_ladder(&bot.game, Some(name))?.id;
        Ok((ladder, *plays))
    });
    let ladders = ladders.collect::<Result<Vec<_>>>()?;
    if let Some(number) = request.active {
        let version = app.store.version_by_number(id, number).await?;
        let version = version
            .ok_or_else(|| ApiError::not_found(format!("bot {id} has no version {number}")))?;
        if bot.active.is_some() && bot.active != Some(version.id) {
            check_contests(&app, &bot, Becoming::ByHand).await?;
        }
        bot = app
            .store
            .activate_version(id, version.id, Timestamp::now())
            .await?;
    }
    if let Some(about) = about {
        bot = app.store.set_about(id, &about).await?;
    }
    if let Some(retired) = request.retired {
        bot = app.store.set_retired(id, retired).await?;
    }
    if let Some(by_agent) = request.by_agent {
        bot = app.store.set_by_agent(id, by_agent).await?;
    }
    if let Some(fetchable) = request.fetchable {
        bot = app.store.set_fetchable(id, fetchable).await?;
    }
    for (ladder, plays) in ladders {
        app.store.set_opted_out(id, &ladder, !plays).await?;
    }
    Ok(Json(bot_details(&app, bot, &Caller(Some(user))).await?))
}

/// Builds and checks the active version of a resting bot once more. If it passes, the bot plays on
/// its ladder again. For its author and administrators.
#[utoipa::path(post, operation_id = "check_bot",
    path = "/api/bots/{id}/check", tag = "bots", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses((status = 200, body = BotDetails),
    (status = 409, description = "it does not rest, or is being checked", body = ErrorBody),
    (status = 429, body = ErrorBody)))]
async fn check_bot(app: App, user: SignedInUser, Path(id): Path<BotId>) -> Answer<BotDetails> {
    let bot = own_or_admin(&app, &user, id).await?;
    app.limiter.allow_upload(user.id).await?;
    app.store
        .recheck_bot(id, Some(user.id), Timestamp::now())
        .await?;
    Ok(Json(bot_details(&app, bot, &Caller(Some(user))).await?))
}

/// Gives a bot to a team: every member may upload versions then, and the captain owns it. Only its
/// owner may; for a bot of a team that is the captain.
#[utoipa::path(post, operation_id = "set_bot_team",
    path = "/api/bots/{id}/team", tag = "bots", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = BotTeamRequest, responses((status = 200, body = BotDetails),
    (status = 409, description = "it is not the caller's, or the captain has as many bots as the quota allows", body = ErrorBody)))]
async fn set_team(
    app: App,
    user: SignedInUser,
    Path(id): Path<BotId>,
    Json(request): Json<BotTeamRequest>,
) -> Answer<BotDetails> {
    let team = request.team.map(TeamId);
    let (quota, now) = (&app.options.quota, Timestamp::now());
    let bot = app
        .store
        .set_bot_team(id, team, user.id, quota, now)
        .await?;
    Ok(Json(bot_details(&app, bot, &Caller(Some(user))).await?))
}

/// The matches of a bot, newest first.
#[utoipa::path(get, operation_id = "list_bot_matches",
    path = "/api/bots/{id}/matches", tag = "bots", params(("id" = i64, Path), PageParameters),
    responses((status = 200, body = ListPage<MatchSummary>)))]
async fn list_bot_matches(
    app: App,
    Path(id): Path<BotId>,
    Query(which): Query<PageParameters>,
    headers: HeaderMap,
) -> Result<Response> {
    let ask = which.page_query()?;
    let key = format!(
        "bot {id} {} {}",
        ask.limit,
        ask.before.as_deref().unwrap_or_default()
    );
    let make = async {
        app.store.find_bot(id).await?;
        let filter = MatchFilter {
            bot: Some(id),
            seen_at: Some(Timestamp::now()),
            ..MatchFilter::default()
        };
        let page = app.store.list_matches(&filter, &ask).await?;
        let mut page = ListPage::from_page(page, MatchSummary::from);
        add_tags(&app.store, &mut page.items).await?;
        Ok(page)
    };
    app.responses.get(key, &headers, make).await
}

/// The results of a bot against each opponent on a ladder, most frequent first.
#[utoipa::path(get, operation_id = "list_bot_opponents",
    path = "/api/bots/{id}/opponents", tag = "bots", params(("id" = i64, Path), WhichLadder),
    responses((status = 200, body = ListPage<OpponentSummary>)))]
async fn list_opponents(
    app: App,
    Path(id): Path<BotId>,
    Query(of): Query<WhichLadder>,
    headers: HeaderMap,
) -> Result<Response> {
    let ladder = ladder_of_bot(&app, id, &of).await?;
    let make = async {
        let all = app
            .store
            .head_to_head(id, &ladder)
            .await?
            .into_iter()
            .map(|one| OpponentSummary {
                bot: one.rival.into(),
                wins: one.tally.wins,
                draws: one.tally.draws,
                losses: one.tally.losses,
            });
        Ok(ListPage::single_page(all.collect()))
    };
    app.responses
        .get(format!("opponents {id} {ladder}"), &headers, make)
        .await
}

/// The ladder that is asked for, of the bot's game.
async fn ladder_of_bot(app: &App, id: BotId, of: &WhichLadder) -> Result<LadderId> {
    let bot = app.store.find_bot(id).await?;
    Ok(app.need_ladder(&bot.game, of.ladder.as_deref())?.id)
}

/// The ratings of a bot on a ladder, oldest first; the last 1,000.
#[utoipa::path(get, operation_id = "list_bot_ratings",
    path = "/api/bots/{id}/ratings", tag = "bots", params(("id" = i64, Path), WhichLadder),
    responses((status = 200, body = ListPage<RatingPointSummary>)))]
async fn list_ratings(
    app: App,
    Path(id): Path<BotId>,
    Query(of): Query<WhichLadder>,
    headers: HeaderMap,
) -> Result<Response> {
    let ladder = ladder_of_bot(&app, id, &of).await?;
    let make = async {
        let all = app
            .store
            .rating_history(id, &ladder, POINTS)
            .await?
            .into_iter()
            .map(|point| RatingPointSummary {
                at: point.at,
                match_id: point.match_id.map(|id| id.0),
                value: round_to_tenths(point.value),
                error: round_to_tenths(point.error),
            });
        Ok(ListPage::single_page(all.collect()))
    };
    app.responses
        .get(format!("ratings {id} {ladder}"), &headers, make)
        .await
}

/// The faults of a bot, newest first, from the results of its matches. Those in matches of which a
/// contest hides the results are left out.
#[utoipa::path(get, operation_id = "list_bot_faults",
    path = "/api/bots/{id}/faults", tag = "bots", params(("id" = i64, Path), PageParameters),
    responses((status = 200, body = ListPage<BotFault>)))]
async fn list_faults(
    app: App,
    Path(id): Path<BotId>,
    Query(which): Query<PageParameters>,
) -> Answer<ListPage<BotFault>> {
    app.store.find_bot(id).await?;
    let filter = MatchFilter {
        bot: Some(id),
        faulted: true,
        seen_at: Some(Timestamp::now()),
        ..MatchFilter::default()
    };
    let page = app
        .store
        .list_matches(&filter, &which.page_query()?)
        .await?;
    let items = page
        .items
        .iter()
        .flat_map(|own| faults_of(own, id))
        .collect();
    Ok(Json(ListPage {
        items,
        next: page.next,
    }))
}

fn faults_of(own: &leitai_store::MatchRow, bot: BotId) -> Vec<BotFault> {
    let is = |entrant: &Option<leitai_store::MatchEntrant>| {
        entrant.as_ref().is_some_and(|one| one.bot == Some(bot))
    };
    let is_own = |side: &str| (side == "a" && is(&own.a)) || (side == "b" && is(&own.b));
    let all = own
        .faults
        .as_ref()
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
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
