//! Routes: a rematch of two people whose match is over, at whichever servers they are.

use leitai_store::values::secret::random_token;
use leitai_store::{
    Match, MatchEntrant, MatchEntrantKind, MatchId, MatchSide, MatchState, Parting, PerSide,
    RematchOffer, RematchState, TokenHash,
};

use super::human_matches::{
    AllowedOpener, JoinedSeat, PreparedMatch, SeatedPerson, check_limits, deal_match,
    human_entrant, opener_of, refuse_opening,
};
use crate::client_address::ClientAddress;
use crate::http::prelude::*;
use crate::play::phrases::Phrase;

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

/// A seat in a match that is over and was played by two people.
struct OldSeat {
    of: Match,
    side: MatchSide,
    token: String,
    people: PerSide<SeatedPerson>,
}

impl OldSeat {
    /// The person who had this side, and the token of the seat.
    const fn person(&self, side: MatchSide) -> &SeatedPerson {
        match side {
            MatchSide::A => &self.people.a,
            MatchSide::B => &self.people.b,
        }
    }
}

/// The people of a match of two people; `None` if there is a program, or a seat that nobody took.
fn people_of(found: &Match) -> Option<PerSide<SeatedPerson>> {
    let seated = |side, entrant: &Option<MatchEntrant>, token: &Option<TokenHash>| {
        let person = entrant
            .clone()
            .filter(|one| one.kind == MatchEntrantKind::Person && one.home.is_none())?;
        let token = token.clone()?;
        Some(SeatedPerson {
            side,
            person,
            token,
        })
    };
    Some(PerSide {
        a: seated(MatchSide::A, &found.a, &found.a_seat_token)?,
        b: seated(MatchSide::B, &found.b, &found.b_seat_token)?,
    })
}

/// The match that the two people who played this one agreed to play after it.
pub async fn agreed_rematch(app: &App, own: &Match) -> Result<Option<MatchId>, StoreError> {
    if own.state != MatchState::Finished || people_of(own).is_none() {
        return Ok(None);
    }
    let parting = app.store.parting_of(own.id).await?;
    let offer = parting.and_then(|own| own.rematch);
    Ok(match offer.map(|own| own.state_at(Timestamp::now())) {
        Some(RematchState::Accepted(id)) => Some(id),
        _ => None,
    })
}

/// The seat of the token.
async fn find_seat(app: &App, id: MatchId, headers: &HeaderMap) -> Result<OldSeat> {
    let token = headers.get(SEAT).and_then(|value| value.to_str().ok());
    let token = token.ok_or_else(|| {
        let message = "the header `leitai-seat` with the token of your seat is missing";
        ApiError::new(StatusCode::FORBIDDEN, "no-seat", message)
    })?;
    let found = app.store.match_by_id(id).await?;
    let side = found
        .side_of_seat(&TokenHash::from_token(token))
        .ok_or_else(|| {
            let message = "this token is of no seat in this match";
            ApiError::new(StatusCode::FORBIDDEN, "no-seat", message)
        })?;
    let people = people_of(&found).ok_or_else(|| {
        let message =
            "a rematch is asked for after a match of two people; against a bot create a new match";
        ApiError::conflict("no-person", message)
    })?;
    if found.state != MatchState::Finished {
        let message = "a rematch is asked for when the match has a result";
        return Err(ApiError::conflict("not-finished", message));
    }
    Ok(OldSeat {
        of: found,
        side,
        token: token.to_owned(),
        people,
    })
}

/// Whether somebody wants a rematch. For the two people of a finished match, by the header
/// `leitai-seat` with the token of the seat in it.
#[utoipa::path(get, operation_id = "get_rematch",
    path = "/api/matches/{id}/rematch", tag = "play",
    params(("id" = i64, Path), ("leitai-seat" = String, Header, description = "The token of the seat.")),
    responses((status = 200, body = RematchSummary), (status = 403, body = ErrorBody),
    (status = 409, body = ErrorBody)))]
async fn show_rematch(
    app: App,
    Path(id): Path<MatchId>,
    headers: HeaderMap,
) -> Answer<RematchSummary> {
    let seat = find_seat(&app, id, &headers).await?;
    Ok(Json(describe_rematch(&app, &seat).await?))
}

async fn describe_rematch(app: &App, seat: &OldSeat) -> Result<RematchSummary, StoreError> {
    let parting = app.store.parting_of(seat.of.id).await?;
    let said = parting
        .as_ref()
        .and_then(|own| own.said_by(seat.side.other()));
    Ok(RematchSummary {
        said: said.and_then(Phrase::from_name),
        ..describe_offer(parting.as_ref(), seat)
    })
}

fn describe_offer(parting: Option<&Parting>, seat: &OldSeat) -> RematchSummary {
    let Some(offer) = parting.and_then(|own| own.rematch.as_ref()) else {
        return RematchSummary::nothing(OfferState::None);
    };
    let state = offer.state_at(Timestamp::now());
    if offer.by != seat.side {
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
        RematchState::Accepted(id) => RematchSummary {
            joined: Some(JoinedSeat {
                id: id.0,
                // That of the match before, so that no database holds it.
                token: seat.token.clone(),
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
    request_body = RematchRequest, responses((status = 200, body = RematchSummary), (status = 409, body = ErrorBody),
    (status = 429, body = ErrorBody), (status = 503, body = ErrorBody)))]
async fn ask_rematch(
    app: App,
    caller: Caller,
    address: ClientAddress,
    Path(id): Path<MatchId>,
    headers: HeaderMap,
    Json(wanted): Json<RematchRequest>,
) -> Answer<RematchSummary> {
    app.limiter
        .allow_human_match(caller.user_id(), address)
        .await?;
    let seat = find_seat(&app, id, &headers).await?;
    let own = &seat.person(seat.side).person;
    let person = human_entrant(&caller, Some(&own.name))?;
    let by = opener_of(&caller, address);
    // Two who ask at once meet each other, at whichever servers they are.
    let _meeting = app.arena.human_matches.meeting.lock().await;
    let _turn = app.store.lobby_turn().await?;
    let parting = app.store.parting_of(id).await?;
    let now = Timestamp::now();
    let offer = parting.and_then(|own| own.rematch);
    let state = offer.as_ref().map(|offer| offer.state_at(now));
    let allowed = check_limits(&app, by).await?;
    match (offer, state) {
        (Some(offer), Some(RematchState::Open)) if offer.by != seat.side => {
            let joined = accept_rematch(&app, allowed, &seat, &offer, person).await?;
            Ok(Json(RematchSummary {
                state: OfferState::Accepted,
                seat: Some(joined.seat),
                joined: Some(joined),
                said: None,
            }))
        }
        (_, Some(RematchState::Accepted(_))) => {
            let message = "there is a rematch already; open it, or create a new match";
            Err(ApiError::conflict("has-rematch", message))
        }
        _ => {
            let offer = RematchOffer {
                by: seat.side,
                wants: wanted.seat,
                account: caller.user_id(),
                since: now,
                answer: None,
            };
            app.store.offer_rematch(id, offer).await?;
            Ok(Json(describe_rematch(&app, &seat).await?))
        }
    }
}

/// Opens the match that was offered, at the server of the person who accepts. The other one keeps
/// the token of the match that is over.
async fn accept_rematch(
    app: &App,
    by: AllowedOpener,
    seat: &OldSeat,
    offer: &RematchOffer,
    person: MatchEntrant,
) -> Result<JoinedSeat> {
    let asking = seat.person(offer.by);
    let name = match offer.account {
        Some(account) => app.store.find_user(account).await?.name,
        None => asking.person.name.clone(),
    };
    let first = SeatedPerson {
        side: offer.wants,
        person: MatchEntrant::human_entrant(name, offer.account),
        token: asking.token.clone(),
    };
    let (side, token) = (offer.wants.other(), random_token());
    let second = SeatedPerson {
        side,
        person,
        token: TokenHash::from_token(&token),
    };
    let old = &seat.of;
    let game = app.need_game(&old.game)?;
    let dealt = deal_match(&game, &old.config, usize::try_from(old.legs).ok())?;
    let mut prepared = PreparedMatch::of_person(by, first, None, dealt);
    prepared.seat_second(second);
    let opener = prepared.opener();
    let new = prepared.open_as_rematch(app, old.id).await;
    let new = new.map_err(|error| refuse_opening(opener, error))?;
    Ok(JoinedSeat {
        id: new.0,
        token,
        seat: side,
        invite: None,
    })
}

/// Declines the rematch that the other person asked for, or takes the own question back.
#[utoipa::path(delete, operation_id = "refuse_rematch",
    path = "/api/matches/{id}/rematch", tag = "play",
    params(("id" = i64, Path), ("leitai-seat" = String, Header, description = "The token of the seat.")),
    responses((status = 204), (status = 409, body = ErrorBody)))]
async fn refuse_rematch(
    app: App,
    Path(id): Path<MatchId>,
    headers: HeaderMap,
) -> Result<StatusCode> {
    let seat = find_seat(&app, id, &headers).await?;
    app.store
        .refuse_rematch(id, seat.side, Timestamp::now())
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Says a preset phrase to the other person of a finished match, who gets it with the state of the
/// rematch. At most one in 2 s.
#[utoipa::path(put, operation_id = "say_after_match",
    path = "/api/matches/{id}/phrase", tag = "play",
    params(("id" = i64, Path), ("leitai-seat" = String, Header, description = "The token of the seat.")),
    request_body = PhraseRequest, responses((status = 204), (status = 409, body = ErrorBody),
    (status = 429, body = ErrorBody)))]
async fn say_phrase(
    app: App,
    Path(id): Path<MatchId>,
    headers: HeaderMap,
    Json(said): Json<PhraseRequest>,
) -> Result<StatusCode> {
    let seat = find_seat(&app, id, &headers).await?;
    app.limiter.allow_parting(id, seat.side).await?;
    let name = said.phrase.name();
    app.store
        .say_parting(id, seat.side, name, Timestamp::now())
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
