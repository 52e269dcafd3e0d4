//! Routes: what happened to one's own bots since the last visit, each with its cause.

use std::collections::BTreeMap;
use std::time::Duration;

use leitai_ladder::weng_lin::NEWCOMER;
use leitai_store::{
    Bot, BotId, Json, LadderId, MatchFilter, MatchKind, MatchRow, MatchSide, MatchState,
    MatchWinner, PageQuery, RatingPoint, VersionState,
};

use crate::bots::routes::versions::describe_waiting;
use crate::http::prelude::*;
use crate::http::queue_place::describe_place;
use crate::http::summaries::round_to_tenths;
use crate::messages;

/// Routes of the author's home.
pub fn author_home_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(open_author_home))
}

/// What is told at the first visit.
const AT_FIRST: Duration = Duration::from_secs(7 * 24 * 3600);
/// The most bots, the newest.
const MOST_BOTS: usize = 20;
/// The most matches of a bot that are looked at, the newest; the most matches of a page.
const MOST_MATCHES: usize = 300;
const A_PAGE: u64 = 100;
/// A match that was made this long before the last visit had ended by then.
const LONG_MATCH: Duration = Duration::from_secs(24 * 3600);
/// The most ratings that are looked at.
const MOST_POINTS: u64 = 1000;
/// The most queued matches that are shown.
const MOST_QUEUED: u64 = 5;

/// What happened to the caller's bots since the last visit.
#[derive(Debug, Serialize, ToSchema)]
struct AuthorHome {
    /// When the visit before ended; null at the first one, which tells of the last week.
    #[schema(value_type = Option<String>, format = DateTime)]
    since: Option<Timestamp>,
    /// The newest bots, at most 20.
    bots: Vec<BotNews>,
}

/// What happened to a bot.
#[derive(Debug, Serialize, ToSchema)]
struct BotNews {
    /// The bot's id.
    bot: i64,
    /// Its rating now.
    rating: Option<f64>,
    /// What it gained or lost since, in Elo.
    change: Option<f64>,
    /// The match that changed the rating most.
    cause: Option<RatingCause>,
    /// Whether a new version began since.
    new_version: bool,
    /// Matches of the ladder and of contests.
    wins: u32,
    draws: u32,
    losses: u32,
    /// Faults by their code, the most frequent first.
    faults: Vec<CountedFault>,
    /// How it lost otherwise, the most frequent way first.
    ways: Vec<WayLost>,
    /// What waits for a worker.
    queue: Vec<QueuedWork>,
}

/// The match that changed a rating most.
#[derive(Debug, Serialize, ToSchema)]
struct RatingCause {
    #[serde(rename = "match")]
    match_id: i64,
    opponent: String,
    /// In Elo.
    change: f64,
}

/// Faults of one kind.
#[derive(Debug, Serialize, ToSchema)]
struct CountedFault {
    /// `IA PE RE TLE MLE OLE EXIT CE`.
    code: String,
    count: u32,
    /// The newest match with it, and where it happened there, if that is known.
    #[serde(rename = "match")]
    match_id: i64,
    leg: Option<u64>,
    round: Option<u64>,
    /// The step, from 0.
    step: Option<u64>,
}

/// Losses for one reason.
#[derive(Debug, Serialize, ToSchema)]
struct WayLost {
    /// The rule that decided: `{id, en, zh}`.
    #[schema(value_type = Object)]
    reason: Json,
    count: u32,
    /// The newest of them.
    #[serde(rename = "match")]
    match_id: i64,
}

/// A version or a match that waits.
#[derive(Debug, Serialize, ToSchema)]
struct QueuedWork {
    /// The number of the version that waits for its check.
    version: Option<i32>,
    /// The match.
    #[serde(rename = "match")]
    match_id: Option<i64>,
    /// What it waits for, `{en, zh}`.
    #[schema(value_type = Option<Object>)]
    waiting: Option<Json>,
}

/// Notes that the caller looks, and says what happened to the caller's bots since the visit before.
/// Looks that are less than half an hour apart belong to one visit.
#[utoipa::path(post, operation_id = "open_author_home",
    path = "/api/me/home", tag = "bots", security(("token" = []), ("session" = [])),
    responses((status = 200, body = AuthorHome)))]
async fn open_author_home(app: App, user: SignedInUser) -> Answer<AuthorHome> {
    let now = Timestamp::now();
    let since = app.store.note_visit(user.id, now).await?;
    let from = since.unwrap_or(now.before(AT_FIRST));
    let mut bots = Vec::new();
    for bot in app
        .store
        .bots_of(user.id)
        .await?
        .into_iter()
        .take(MOST_BOTS)
    {
        bots.push(news_of_bot(&app, &bot, from, now).await?);
    }
    Ok(Json(AuthorHome { since, bots }))
}

async fn news_of_bot(app: &App, bot: &Bot, since: Timestamp, now: Timestamp) -> Result<BotNews> {
    let standard = LadderId::standard(&bot.game);
    let points = app.store.rating_history(bot.id, &standard, MOST_POINTS);
    let points = points.await?;
    let matches = matches_since(app, bot.id, since, now).await?;
    let mut news = BotNews {
        queue: queue_of(app, bot, now).await?,
        ..news_of_ratings(bot.id, &points, since)
    };
    if let Some(cause) = &mut news.cause {
        let own = matches.iter().find(|own| own.id.0 == cause.match_id);
        cause.opponent = own.map(|own| opponent_of(own, bot.id)).unwrap_or_default();
    }
    count_results(&mut news, &matches, bot.id);
    Ok(news)
}

/// The finished matches of a bot since then, newest first.
async fn matches_since(
    app: &App,
    bot: BotId,
    since: Timestamp,
    now: Timestamp,
) -> Result<Vec<MatchRow>, StoreError> {
    let filter = MatchFilter {
        bot: Some(bot),
        state: Some(MatchState::Finished),
        seen_at: Some(now),
        ..MatchFilter::default()
    };
    let (mut ask, mut found) = (PageQuery::first_page(A_PAGE), Vec::new());
    loop {
        let page = app.store.list_matches(&filter, &ask).await?;
        let last = page.items.last().map(|own| own.created);
        let counts = |own: &MatchRow| matches!(own.kind, MatchKind::Ladder | MatchKind::Contest);
        let new = |own: &MatchRow| own.finished.is_some_and(|at| at > since);
        found.extend(page.items.into_iter().filter(|own| counts(own) && new(own)));
        let older = last.is_none_or(|created| created < since.before(LONG_MATCH));
        match page.next {
            Some(next) if !older && found.len() < MOST_MATCHES => ask.before = Some(next),
            _ => return Ok(found),
        }
    }
}

fn news_of_ratings(bot: BotId, points: &[RatingPoint], since: Timestamp) -> BotNews {
    let begins = points.partition_point(|point| point.at <= since);
    // Before its first match a bot stands where newcomers do, unless there are older points.
    let oldest = match points.len() < MOST_POINTS as usize {
        true => NEWCOMER,
        false => points.first().map_or(NEWCOMER, |point| point.value),
    };
    let before = |at: usize| at.checked_sub(1).map_or(oldest, |at| points[at].value);
    let new = &points[begins..];
    let last = points.last().map(|point| point.value);
    let changes = (begins..).zip(new).filter_map(|(at, point)| {
        let change = point.value - before(at);
        Some((point.match_id?, change))
    });
    let most = changes.max_by(|(_, one), (_, other)| one.abs().total_cmp(&other.abs()));
    BotNews {
        bot: bot.0,
        rating: last.map(round_to_tenths),
        change: (!new.is_empty())
            .then_some(last)
            .flatten()
            .map(|now| round_to_tenths(now - before(begins))),
        cause: most.map(|(id, change)| RatingCause {
            match_id: id.0,
            opponent: String::new(),
            change: round_to_tenths(change),
        }),
        new_version: new.iter().any(|point| point.match_id.is_none()),
        wins: 0,
        draws: 0,
        losses: 0,
        faults: Vec::new(),
        ways: Vec::new(),
        queue: Vec::new(),
    }
}

/// The side that a bot has in a match.
fn side_of(own: &MatchRow, bot: BotId) -> MatchSide {
    let is_a = own.a.as_ref().is_some_and(|one| one.bot == Some(bot));
    if is_a { MatchSide::A } else { MatchSide::B }
}

fn opponent_of(own: &MatchRow, bot: BotId) -> String {
    let other = match side_of(own, bot) {
        MatchSide::A => &own.b,
        MatchSide::B => &own.a,
    };
    other
        .as_ref()
        .map(|one| one.name.clone())
        .unwrap_or_default()
}

/// Counts results, faults and ways of losing; the matches are the newest first.
fn count_results(news: &mut BotNews, matches: &[MatchRow], bot: BotId) {
    let mut ways: BTreeMap<String, WayLost> = BTreeMap::new();
    for own in matches {
        let side = side_of(own, bot);
        let has_faults = count_faults(&mut news.faults, own, side);
        match (own.winner, side) {
            (None, _) => {}
            (Some(MatchWinner::Draw), _) => news.draws += 1,
            (Some(MatchWinner::A), MatchSide::A) | (Some(MatchWinner::B), MatchSide::B) => {
                news.wins += 1;
            }
            _ => {
                news.losses += 1;
                if !has_faults {
                    count_way(&mut ways, own);
                }
            }
        }
    }
    news.ways = ways.into_values().collect();
    news.ways.sort_by_key(|way| std::cmp::Reverse(way.count));
    news.faults
        .sort_by_key(|fault| std::cmp::Reverse(fault.count));
}

fn count_way(ways: &mut BTreeMap<String, WayLost>, own: &MatchRow) {
    let Some(reason) = &own.reason else { return };
    let id = reason["id"].as_str().unwrap_or_default().to_owned();
    let way = ways.entry(id).or_insert_with(|| WayLost {
        reason: messages::complete_languages(reason.clone()),
        count: 0,
        match_id: own.id.0,
    });
    way.count += 1;
}

/// Counts the faults of a side, and returns whether it made any.
fn count_faults(counted: &mut Vec<CountedFault>, own: &MatchRow, side: MatchSide) -> bool {
    let letter = if side == MatchSide::A { "a" } else { "b" };
    let all = own.faults.as_ref().and_then(Json::as_array);
    let all = all.into_iter().flatten();
    let mut found = false;
    for fault in all.filter(|fault| fault["entrant"] == letter) {
        found = true;
        let code = fault["code"].as_str().unwrap_or_default();
        match counted.iter_mut().find(|known| known.code == code) {
            Some(known) => known.count += 1,
            None => counted.push(CountedFault {
                code: code.to_owned(),
                count: 1,
                match_id: own.id.0,
                leg: fault["leg"].as_u64(),
                round: fault["round"].as_u64(),
                step: fault["step"].as_u64(),
            }),
        }
    }
    found
}

/// The version of a bot that waits for its check, and its matches that wait.
async fn queue_of(app: &App, bot: &Bot, now: Timestamp) -> Result<Vec<QueuedWork>> {
    let mut queue = Vec::new();
    let versions = app.store.versions_of(bot.id).await?;
    if let Some(newest) = versions.first()
        && newest.state == VersionState::Queued
    {
        let version = app.store.find_version(newest.id).await?;
        queue.push(QueuedWork {
            version: Some(newest.number),
            match_id: None,
            waiting: describe_waiting(app, &version).await?,
        });
    }
    let filter = MatchFilter {
        bot: Some(bot.id),
        kind: Some(MatchKind::Friendly),
        state: Some(MatchState::Queued),
        seen_at: Some(now),
        ..MatchFilter::default()
    };
    let ask = PageQuery::first_page(MOST_QUEUED);
    for own in app.store.list_matches(&filter, &ask).await?.items {
        let waiting = match app.store.job_of_match(own.id).await? {
            Some(job) => describe_place(app, &job).await?,
            None => None,
        };
        queue.push(QueuedWork {
            version: None,
            match_id: Some(own.id.0),
            waiting,
        });
    }
    Ok(queue)
}
