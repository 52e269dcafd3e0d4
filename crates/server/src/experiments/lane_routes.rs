//! Routes: the lanes in which the uploads of a bot become active.

use leitai_store::{BotId, CandidateLane, LaneRules, Refusing};
use utoipa_axum::router::UtoipaMethodRouterExt;

use super::answers::{BookSummary, pair_seconds};
use super::book_upload::{book_body, keep_again, keep_book};
use super::pin_routes::{PinSummary, pin_routes};
use super::routes::{BoundsRequest, MOST_TOGETHER};
use super::situation_routes::situation_routes;
use crate::bots::routes::access::need_own_bot;
use crate::contests::routes::lanes::{Becoming, check_contests};
use crate::http::prelude::*;

/// The routes of lanes.
pub fn lane_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(show_lane, set_lane).layer(book_body()))
        .merge(pin_routes())
        .merge(situation_routes())
}

/// How an upload that passed its checks becomes the version that plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum LaneName {
    /// At once.
    Off,
    /// Its author starts the test against the active version.
    Hand,
    /// It is tested against the active version, and plays once it is accepted.
    Automatic,
}

/// Which situations refuse a candidate that fails them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum RefusingName {
    /// None; what it answers is shown.
    Nothing,
    /// The pinned moments of the bot.
    #[default]
    Pins,
    /// Those, the game's own, and all packs that are not hidden.
    Packs,
}

/// A new lane.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct LaneRequest {
    /// The lane.
    lane: LaneName,
    /// What the test of a candidate asks; 30 Elo, error rates of 5 % and 200 pairs if absent.
    #[serde(default)]
    bounds: BoundsRequest,
    /// So many neighbours of the active version on the ladder against which both play in turn: 0 to 8; 0
    /// if absent: they play each other.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 8)]
    neighbours: i32,
    /// Which situations refuse a candidate that fails them; the pinned moments if absent.
    #[serde(default)]
    refuses: RefusingName,
    /// The text of a position book from which the matches of a test start, as that of an experiment;
    /// empty: none. Absent: as it is.
    book: Option<String>,
}

/// How the uploads of a bot become active, and what the test of one costs.
#[derive(Debug, Serialize, ToSchema)]
struct LaneAnswer {
    /// The lane.
    lane: LaneName,
    /// The weaker hypothesis, in Elo.
    elo0: f64,
    /// The stronger hypothesis, in Elo.
    elo1: f64,
    /// The chance to accept what is only `elo0` stronger.
    alpha: f64,
    /// The chance to reject what is `elo1` stronger.
    beta: f64,
    /// The number of pairs after which a test ends undecided: what it costs at most.
    most_pairs: i32,
    /// So many neighbours on the ladder against which both play; 0: they play each other.
    neighbours: i32,
    /// Which situations refuse a candidate that fails them.
    refuses: RefusingName,
    /// The position book from which the matches of a test start; null: they start at the game's
    /// beginning.
    book: Option<BookSummary>,
    /// The most matches that the test of one takes: two a pair against neighbours.
    most_matches: i64,
    /// The pinned moments that every candidate is asked first.
    pins: Vec<PinSummary>,
    /// About how long a pair takes, in seconds, by the latest matches of the game; null: none was
    /// played.
    pair_seconds: Option<f64>,
    /// The caller's running experiments.
    running: u64,
    /// How many may run at once.
    most_running: u64,
}

async fn describe_lane(
    app: &App,
    user: &SignedInUser,
    bot: &leitai_store::Bot,
) -> Answer<LaneAnswer> {
    let LaneRules {
        lane,
        bounds,
        neighbours,
        refuses,
        book,
    } = app.store.candidate_lane(bot.id).await?;
    let pins = app.store.pins_of(bot.id).await?;
    let each = if neighbours > 0 { 2 } else { 1 };
    let each_seconds = pair_seconds(app, &bot.game).await?;
    Ok(Json(LaneAnswer {
        lane: match lane {
            CandidateLane::Off => LaneName::Off,
            CandidateLane::Hand => LaneName::Hand,
            CandidateLane::Automatic => LaneName::Automatic,
        },
        elo0: bounds.elo0,
        elo1: bounds.elo1,
        alpha: bounds.alpha,
        beta: bounds.beta,
        most_pairs: bounds.most_pairs,
        neighbours,
        refuses: match refuses {
            Refusing::Nothing => RefusingName::Nothing,
            Refusing::Pins => RefusingName::Pins,
            Refusing::Packs => RefusingName::Packs,
        },
        book: book.map(BookSummary::from),
        most_matches: i64::from(bounds.most_pairs) * each,
        pins: pins.into_iter().map(PinSummary::from).collect(),
        pair_seconds: each_seconds.map(|seconds| seconds * each as f64),
        running: app.store.count_running_experiments(user.id).await?,
        most_running: app.options.limits.experiments as u64,
    }))
}

/// How the uploads of one's bot become active, and what the test of a candidate costs at most.
#[utoipa::path(get, operation_id = "get_lane",
    path = "/api/bots/{id}/lane", tag = "experiments", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses(
    (status = 200, body = LaneAnswer), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody),
))]
async fn show_lane(app: App, user: SignedInUser, Path(id): Path<i64>) -> Answer<LaneAnswer> {
    let bot = need_own_bot(&app, &user, BotId(id)).await?;
    describe_lane(&app, &user, &bot).await
}

/// Sets how the uploads of one's bot become active. A test that is under way goes on.
#[utoipa::path(put, operation_id = "set_lane",
    path = "/api/bots/{id}/lane", tag = "experiments", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = LaneRequest, responses(
    (status = 200, body = LaneAnswer), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, description = "a contest of the bot says otherwise", body = ErrorBody),
    (status = 422, body = ErrorBody),
))]
async fn set_lane(
    app: App,
    user: SignedInUser,
    Path(id): Path<i64>,
    Json(wanted): Json<LaneRequest>,
) -> Answer<LaneAnswer> {
    let bot = need_own_bot(&app, &user, BotId(id)).await?;
    let text = wanted.book.as_deref();
    let book = match text {
        None => app.store.candidate_lane(bot.id).await?.book,
        Some("") => None,
        Some(text) => Some(keep_book(&app, &bot.game, text).await?),
    };
    let rules = LaneRules {
        book,
        lane: match wanted.lane {
            LaneName::Off => CandidateLane::Off,
            LaneName::Hand => CandidateLane::Hand,
            LaneName::Automatic => CandidateLane::Automatic,
        },
        bounds: wanted.bounds.check()?,
        neighbours: wanted.neighbours,
        refuses: match wanted.refuses {
            RefusingName::Nothing => Refusing::Nothing,
            RefusingName::Pins => Refusing::Pins,
            RefusingName::Packs => Refusing::Packs,
        },
    };
    if !(0..=MOST_TOGETHER as i32).contains(&wanted.neighbours) {
        let why = format!("a pool has at most {MOST_TOGETHER} bots");
        return Err(ApiError::invalid_field("bad-pool", "neighbours", why));
    }
    check_contests(&app, &bot, Becoming::Lane(rules.lane)).await?;
    let (book, now) = (rules.book.clone(), Timestamp::now());
    app.store.set_candidate_lane(bot.id, rules, now).await?;
    if let (Some(book), Some(text)) = (book, text) {
        keep_again(&app, &book, text).await?;
    }
    describe_lane(&app, &user, &bot).await
}
