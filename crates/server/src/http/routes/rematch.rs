//! Routes: a rematch of two people whose match is over. Offers belong to this server process.

use crate::http::handler::routes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use leitai_store::{Match, MatchId, MatchKind, MatchSide, MatchState, TokenHash};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use super::human_matches::{
    JoinedSeat, deal_match, human_entrant, limit_error, open_match, opener_of, take_seat,
};
use crate::client_address::ClientAddress;
use crate::http::app::App;
use crate::http::caller::Caller;
use crate::http::error::{ApiError, ErrorBody};
use crate::http::extract::{Json, Path};
use crate::play::phrases::Phrase;
use crate::play::rematch::RematchState;

/// The header with the token of the seat in the match that is over.
const SEAT: &str = "leitai-seat";

/// The routes of rematches.
pub fn rematch_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(show_rematch, ask_rematch, refuse_rematch))
        .routes(routes!(say_phrase))
}

/// What is asked for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RematchRequest {
    /// The side that the asking person plays in the new match. It is ignored if the other person
    /// has asked already: their offer is accepted then.
    #[schema(value_type = String, example = "a")]
    seat: MatchSide,
}

/// Whether there is an offer, and what came of it.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum OfferState {
    /// Nobody has asked.
    None,
    /// This person has asked and waits.
    Asked,
    /// The other person has asked.
    Received,
    /// The other person does not want to.
    Declined,
    /// The other person did not answer in time.
    Expired,
    /// There is a match.
    Accepted,
}

/// The state of a rematch, for one of its two people.
#[derive(Debug, Serialize, ToSchema)]
struct RematchSummary {
    state: OfferState,
    /// The side that this person would play.
    #[schema(value_type = Option<String>, example = "a")]
    seat: Option<MatchSide>,
    /// The seat in the new match.
    joined: Option<JoinedSeat>,
    /// What the other person said last, after the match.
    said: Option<Phrase>,
}

impl RematchSummary {
    const fn nothing(state: OfferState) -> RematchSummary {
        RematchSummary {
            state,
            seat: None,
            joined: None,
            said: None,
        }
    }
}

/// What is said.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PhraseRequest {
    phrase: Phrase,
}

/// The match, which is over and was played by two people, and the side of the seat token.
async fn find_seat(
    app: &App,
    id: MatchId,
    headers: &HeaderMap,
) -> Result<(Match, MatchSide), ApiError> {
    let token = headers.get(SEAT).and_then(|value| value.to_str().ok());
    let token = token.ok_or_else(|| {
        let message = "the header `leitai-seat` with the token of your seat is missing";
        ApiError::new(StatusCode::FORBIDDEN, "no-seat", message)
    })?;
    let found = app.store.match_by_id(id).await?;
    let side = app
        .store
        .seat_of(id, &TokenHash::from_token(token))
        .await?
        .ok_or_else(|| {
            let message = "this token is of no seat in this match";
            ApiError::new(StatusCode::FORBIDDEN, "no-seat", message)
        })?;
    let people = [&found.a, &found.b];
    let is_person = |entrant: &&Option<leitai_store::MatchEntrant>| {
        entrant
            .as_ref()
            .is_some_and(|entrant| entrant.bot.is_none())
    };
    if found.kind != MatchKind::Human || !people.iter().all(is_person) {
        let message =
            "a rematch is asked for after a match of two people; against a bot create a new match";
        return Err(ApiError::conflict("no-person", message));
    }
    if found.state != MatchState::Finished {
        let message = "a rematch is asked for when the match has a result";
        return Err(ApiError::conflict("not-finished", message));
    }
    Ok((found, side))
}

/// Whether somebody wants a rematch. For the two people of a finished match, by the header
/// `leitai-seat` with the token of the seat in it.
#[utoipa::path(get, operation_id = "get_rematch",
    path = "/api/matches/{id}/rematch", tag = "play",
    params(("id" = i64, Path), ("leitai-seat" = String, Header, description = "The token of the seat.")),
    responses(
        (status = 200, body = RematchSummary), (status = 403, body = ErrorBody),
        (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    ))]
async fn show_rematch(
    State(app): State<App>,
    Path(id): Path<MatchId>,
    headers: HeaderMap,
) -> Result<axum::Json<RematchSummary>, ApiError> {
    let (_, side) = find_seat(&app, id, &headers).await?;
    Ok(axum::Json(describe_rematch(&app, id, side)))
}

fn describe_rematch(app: &App, id: MatchId, side: MatchSide) -> RematchSummary {
    RematchSummary {
        said: app.arena.human_matches.parting_of(id.0, side.other()),
        ..describe_offer(app, id, side)
    }
}

fn describe_offer(app: &App, id: MatchId, side: MatchSide) -> RematchSummary {
    let Some((offer, state)) = app.arena.human_matches.rematch_of(id.0) else {
        return RematchSummary::nothing(OfferState::None);
    };
    if offer.by != side {
        // The answer is known to the one who gave it.
        return match state {
            RematchState::Open => RematchSummary {
                seat: Some(offer.wants.other()),
                ..RematchSummary::nothing(OfferState::Received)
            },
            _ => RematchSummary::nothing(OfferState::None),
        };
    }
    let told = |state| RematchSummary {
        seat: Some(offer.wants),
        ..RematchSummary::nothing(state)
    };
    match state {
        RematchState::Open => told(OfferState::Asked),
        RematchState::Expired => told(OfferState::Expired),
        RematchState::Declined => told(OfferState::Declined),
        RematchState::Accepted { id, token } => RematchSummary {
            joined: Some(JoinedSeat {
                id,
                token,
                seat: offer.wants,
                invite: None,
            }),
            ..told(OfferState::Accepted)
        },
    }
}

/// Asks the other person for a rematch with the same options, or accepts the rematch that the other
/// person asked for. An offer ends after 60 s.
#[utoipa::path(post, operation_id = "ask_rematch",
    path = "/api/matches/{id}/rematch", tag = "play",
    security((), ("token" = []), ("session" = [])),
    params(("id" = i64, Path), ("leitai-seat" = String, Header, description = "The token of the seat.")),
    request_body = RematchRequest, responses(
        (status = 200, body = RematchSummary), (status = 403, body = ErrorBody),
        (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 422, body = ErrorBody), (status = 429, body = ErrorBody),
        (status = 503, body = ErrorBody),
    ))]
async fn ask_rematch(
    State(app): State<App>,
    caller: Caller,
    address: ClientAddress,
    Path(id): Path<MatchId>,
    headers: HeaderMap,
    Json(wanted): Json<RematchRequest>,
) -> Result<axum::Json<RematchSummary>, ApiError> {
    app.limiter
        .allow_human_match(caller.user_id(), address)
        .await?;
    let (found, side) = find_seat(&app, id, &headers).await?;
    let own = match side {
        MatchSide::A => &found.a,
        MatchSide::B => &found.b,
    };
    let person = human_entrant(&caller, own.as_ref().map(|own| own.name.as_str()))?;
    let opener = opener_of(&caller, address);
    let human_matches = &app.arena.human_matches;
    // Two who ask at once meet each other.
    let _meeting = human_matches.meeting.lock().await;
    match human_matches.rematch_of(id.0) {
        Some((offer, RematchState::Open)) if offer.by != side => {
            human_matches
                .check_limits(offer.opener)
                .map_err(limit_error)?;
            let game = app.need_game(&found.game)?;
            let dealt = deal_match(game, &found.config, usize::try_from(found.legs).ok())?;
            let asks = (offer.wants, offer.person);
            let made = open_match(&app, offer.opener, asks, None, dealt, false).await?;
            let human_match = human_matches.find_match(made.id);
            let code = made.invite.unwrap_or_default();
            let joined = take_seat(&app, human_match.as_deref(), &code, person).await?;
            human_matches.accept_rematch(id.0, made.id, made.token);
            Ok(axum::Json(RematchSummary {
                state: OfferState::Accepted,
                seat: Some(joined.seat),
                joined: Some(joined),
                said: None,
            }))
        }
        Some((_, RematchState::Accepted { .. })) => {
            let message = "there is a rematch already; open it, or create a new match";
            Err(ApiError::conflict("has-rematch", message))
        }
        _ => {
            human_matches.check_limits(opener).map_err(limit_error)?;
            human_matches.offer_rematch(id.0, side, wanted.seat, (person, opener));
            Ok(axum::Json(describe_rematch(&app, id, side)))
        }
    }
}

/// Declines the rematch that the other person asked for, or takes the own question back.
#[utoipa::path(delete, operation_id = "refuse_rematch",
    path = "/api/matches/{id}/rematch", tag = "play",
    params(("id" = i64, Path), ("leitai-seat" = String, Header, description = "The token of the seat.")),
    responses(
        (status = 204), (status = 403, body = ErrorBody),
        (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    ))]
async fn refuse_rematch(
    State(app): State<App>,
    Path(id): Path<MatchId>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    let (_, side) = find_seat(&app, id, &headers).await?;
    app.arena.human_matches.refuse_rematch(id.0, side);
    Ok(StatusCode::NO_CONTENT)
}

/// Says a preset phrase to the other person of a finished match, who gets it with the state of the
/// rematch. At most one in 2 s.
#[utoipa::path(put, operation_id = "say_after_match",
    path = "/api/matches/{id}/phrase", tag = "play",
    params(("id" = i64, Path), ("leitai-seat" = String, Header, description = "The token of the seat.")),
    request_body = PhraseRequest, responses(
        (status = 204), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
        (status = 409, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody),
    ))]
async fn say_phrase(
    State(app): State<App>,
    Path(id): Path<MatchId>,
    headers: HeaderMap,
    Json(said): Json<PhraseRequest>,
) -> Result<StatusCode, ApiError> {
    let (_, side) = find_seat(&app, id, &headers).await?;
    match app.arena.human_matches.say_parting(id.0, side, said.phrase) {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(ApiError::too_often(std::time::Duration::from_secs(2))),
    }
}
