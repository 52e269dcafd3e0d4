//! Routes: the challenge of the day.

use leitai_store::MatchSide;

use super::human_matches::{
    GuestName, JoinedSeat, check_limits, deal_with_seed, human_entrant, open_match, opener_of,
};
use crate::client_address::ClientAddress;
use crate::daily::{Challenge, day_of};
use crate::http::prelude::*;

/// The routes of the challenge of the day.
pub fn daily_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(show_daily))
        .routes(routes!(play_daily))
}

/// The challenge of the day, the same for everybody.
#[derive(Debug, Serialize, ToSchema)]
struct DailyChallenge {
    /// The day in the arena's time zone.
    #[schema(example = "2026-11-27")]
    day: String,
    /// When the next one begins.
    #[schema(value_type = String, format = DateTime)]
    next: Timestamp,
    /// The arena's time zone.
    #[schema(example = "Asia/Shanghai")]
    zone: String,
    /// The game's id.
    game: String,
    /// The name of the built-in bot that everybody plays against.
    opponent: String,
    /// The moment of a ladder match from which it is played; null: a short match from its
    /// beginning.
    from: Option<DailyMoment>,
    /// The side that the person plays.
    #[schema(value_type = String, example = "a")]
    seat: MatchSide,
    /// The chance to win with the best answer there, from 0 to 1, as the analysis sees it.
    chance: Option<f64>,
    /// The rounds that are left at most.
    rounds: u32,
}

/// A moment of a match.
#[derive(Debug, Serialize, ToSchema)]
struct DailyMoment {
    #[serde(rename = "match")]
    match_id: i64,
    /// The leg, from 1.
    leg: usize,
    /// The first round that is played.
    round: u32,
}

/// The challenge of today; `404` until the arena has made it, a moment after the day begins.
#[utoipa::path(get, operation_id = "get_daily_challenge",
    path = "/api/daily", tag = "play",
    responses((status = 200, body = DailyChallenge), (status = 404, body = ErrorBody)))]
async fn show_daily(app: App, headers: HeaderMap) -> Result<Response> {
    let (day, next) = day_of(Timestamp::now(), &app.options.time_zone);
    let key = format!("daily {day}");
    let make = async {
        let Challenge {
            game,
            opponent,
            from,
            first,
            chance,
            rounds,
            ..
        } = find_daily(&app, &day).await?;
        Ok(DailyChallenge {
            next,
            zone: app.options.time_zone.clone(),
            game,
            opponent,
            from: from.map(|from| DailyMoment {
                match_id: from.match_id,
                leg: from.leg,
                round: from.round,
            }),
            seat: seat_of(first),
            chance,
            rounds,
            day: day.clone(),
        })
    };
    app.responses.get(key, &headers, make).await
}

/// The side of the person: challenges are of the first leg.
fn seat_of(first: bool) -> MatchSide {
    if first { MatchSide::A } else { MatchSide::B }
}

async fn find_daily(app: &App, day: &str) -> Result<Challenge> {
    let none = || {
        let why = "the challenge of today is not made yet; look again in a minute";
        ApiError::not_found(why)
    };
    let text = app.store.daily_challenge(day).await?.ok_or_else(none)?;
    // A later version of the server may have written it in another form.
    serde_json::from_str(&text).map_err(|_| none())
}

/// Opens the challenge of today for the caller: a match with one leg, which counts for no rating if
/// it begins in the middle of another match.
#[utoipa::path(post, operation_id = "play_daily_challenge",
    path = "/api/daily", tag = "play",
    security((), ("token" = []), ("session" = [])), request_body = GuestName,
    responses((status = 200, body = JoinedSeat), (status = 404, body = ErrorBody), (status = 429, body = ErrorBody),
    (status = 503, body = ErrorBody)))]
async fn play_daily(
    app: App,
    caller: Caller,
    address: ClientAddress,
    Json(who): Json<GuestName>,
) -> Answer<JoinedSeat> {
    app.limiter
        .allow_human_match(caller.user_id(), address)
        .await?;
    let by = check_limits(&app, opener_of(&caller, address)).await?;
    let (day, _) = day_of(Timestamp::now(), &app.options.time_zone);
    let challenge = find_daily(&app, &day).await?;
    let game = app.need_game(&challenge.game)?;
    let mut dealt = deal_with_seed(&game, &challenge.config, Some(1), challenge.seed)?;
    let known = app.store.built_ins(&challenge.game).await?;
    let bot = known.iter().find(|bot| bot.name == challenge.opponent);
    let bot =
        bot.ok_or_else(|| ApiError::not_found("the opponent of today is not in this arena"))?;
    let other = app.store.bot_entrant(bot.id).await?;
    let person = human_entrant(&caller, who.name.as_deref())?;
    dealt.from = challenge.from;
    let side = seat_of(challenge.first);
    let joined = open_match(&app, by, (side, person), Some(other), dealt, false).await?;
    Ok(Json(joined))
}
