//! Routes: the moments in which a bot made a mistake that its candidates must not make again.

use leitai_game::Entrant;
use leitai_series::regression::PinnedPosition;
use leitai_store::{BotId, MatchId, NewPin, Pin, PinId};

use crate::bots::routes::access::need_own_bot;
use crate::http::prelude::*;
use crate::http::routes::matches;

/// The longest reason, in characters.
const LONGEST_WHY: usize = 200;

/// The routes of pinned moments.
pub fn pin_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_pins, pin_moment))
        .routes(routes!(unpin_moment))
}

/// A pinned moment.
#[derive(Debug, Serialize, ToSchema)]
pub struct PinSummary {
    /// The id.
    id: i64,
    /// The match.
    #[serde(rename = "match")]
    match_id: i64,
    /// The leg, from 1.
    leg: i32,
    /// The round.
    round: i32,
    /// The mistake: the bot's replies in that round, in notation.
    #[schema(value_type = Vec<String>)]
    played: serde_json::Value,
    /// Why it is one.
    why: String,
    /// When it was pinned.
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
}

impl From<Pin> for PinSummary {
    fn from(pin: Pin) -> PinSummary {
        PinSummary {
            id: pin.id.0,
            match_id: pin.match_id.0,
            leg: pin.leg,
            round: pin.round,
            played: pin.played,
            why: pin.why,
            created: pin.created,
        }
    }
}

/// A moment to be pinned.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PinRequest {
    /// A finished match of the bot.
    #[serde(rename = "match")]
    match_id: i64,
    /// The leg, from 1.
    leg: usize,
    /// The round of the mistake.
    round: u32,
    /// Why it is one, for the author.
    #[serde(default)]
    why: String,
}

/// The pinned moments of one's bot, oldest first.
#[utoipa::path(get, operation_id = "list_pins",
    path = "/api/bots/{id}/pins", tag = "experiments", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses(
    (status = 200, body = Vec<PinSummary>), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody),
))]
async fn list_pins(app: App, user: SignedInUser, Path(id): Path<i64>) -> Answer<Vec<PinSummary>> {
    let bot = need_own_bot(&app, &user, BotId(id)).await?;
    let pins = app.store.pins_of(bot.id).await?;
    Ok(Json(pins.into_iter().map(PinSummary::from).collect()))
}

/// Pins a moment of a match in which one's bot made a mistake. Every upload is asked there after its
/// check, and a candidate that answers the same is refused before its first pair. At most 20 a bot.
#[utoipa::path(post, operation_id = "pin_moment",
    path = "/api/bots/{id}/pins", tag = "experiments", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = PinRequest, responses(
    (status = 201, body = PinSummary), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody),
))]
async fn pin_moment(
    app: App,
    user: SignedInUser,
    Path(id): Path<i64>,
    Json(wanted): Json<PinRequest>,
) -> Result<(StatusCode, Json<PinSummary>)> {
    let bot = need_own_bot(&app, &user, BotId(id)).await?;
    let caller = Caller(Some(user));
    let (own, replay) = matches::read(&app, &caller, MatchId(wanted.match_id)).await?;
    let is_own = |of: &Option<leitai_store::MatchEntrant>| {
        of.as_ref().is_some_and(|of| of.bot == Some(bot.id))
    };
    let entrant = match (is_own(&own.a), is_own(&own.b)) {
        (true, _) => Entrant::A,
        (_, true) => Entrant::B,
        _ => {
            let why = format!("{} did not play in match {}", bot.name, own.id);
            return Err(ApiError::invalid_field("other-bot", "match", why));
        }
    };
    let game = app.need_rules(&own.game, &replay.rules)?;
    let (leg, round) = (wanted.leg, wanted.round);
    let read = tokio::task::spawn_blocking(move || {
        let name = entrant.to_string();
        PinnedPosition::new(&*game, &replay, Some(leg), round, Some(&name), "")
    });
    let pinned = read
        .await
        .map_err(|error| ApiError::internal_error("the replay was not played", &error))?
        .map_err(|why| ApiError::invalid_field("bad-moment", "round", why.to_string()))?;
    let new = NewPin {
        bot: bot.id,
        match_id: own.id,
        moment: (leg as i32, i32::try_from(round).unwrap_or(i32::MAX)),
        entrant: entrant.index() as i32,
        played: serde_json::json!(pinned.played),
        why: wanted.why.trim().chars().take(LONGEST_WHY).collect(),
    };
    let made = app.store.add_pin(new, Timestamp::now()).await?;
    Ok((StatusCode::CREATED, Json(made.into())))
}

/// Removes a pinned moment.
#[utoipa::path(delete, operation_id = "unpin_moment",
    path = "/api/bots/{id}/pins/{pin}", tag = "experiments", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path), ("pin" = i64, Path)), responses(
    (status = 204), (status = 401, body = ErrorBody), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody),
))]
async fn unpin_moment(
    app: App,
    user: SignedInUser,
    Path((id, pin)): Path<(i64, i64)>,
) -> Result<StatusCode> {
    let bot = need_own_bot(&app, &user, BotId(id)).await?;
    match app.store.remove_pin(bot.id, PinId(pin)).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(ApiError::not_found(format!(
            "{} has no pinned moment {pin}",
            bot.name
        ))),
    }
}
