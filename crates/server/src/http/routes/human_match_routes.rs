//! Routes: human matches and their invites.

use leitai_game::AnyGame;
use leitai_store::values::secret::random_token;
use leitai_store::{HomeBotId, MatchEntrant, MatchSide, TokenHash};
use utoipa::PartialSchema;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

use super::home_matches::{HomeOpponent, need_game_of, open_against_program};
use super::human_matches::{
    AllowedOpener, DealtMatch, GuestName, JoinedSeat, SideChoice, check_limits, choose_side,
    deal_with_seed, human_entrant, open_match, opener_of, take_seat,
};
use super::lobby;
use crate::accounts::names;
use crate::accounts::second_factor::draw_link;
use crate::client_address::ClientAddress;
use crate::http::chosen_bot::{ChosenBot, find_chosen_entrant};
use crate::http::link_preview::{find_origin, network_address, origin_for_others};
use crate::http::prelude::*;
use crate::http::summaries::MatchSummary;

/// The routes of human matches.
pub fn human_match_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create_human_match))
        .routes(routes!(show_invite, accept_invite))
        .routes(routes!(show_invite_code))
}

/// A human match to be created.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct HumanMatchRequest {
    /// The game's id.
    #[schema(example = "snakego")]
    game: String,
    /// The side that the person plays: `a` has the first seat in the first leg.
    #[serde(default)]
    seat: SideChoice,
    opponent: OpponentChoice,
    /// The name of a person without an account.
    #[schema(
        min_length = 2,
        max_length = 24,
        pattern = r"^[-_.]*[A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff][-_.A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff]*$"
    )]
    name: Option<String>,
    /// The game's config; absent keys have their defaults.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    config: serde_json::Value,
    /// The number of legs; the game's own number if absent, and at most that.
    #[schema(minimum = 1, example = 1)]
    legs: Option<usize>,
    /// A program that stays on the caller's machine plays in place of the person: against a bot,
    /// unrated, with the time of programs. Needs an account.
    program: Option<ProgramAtHome>,
    /// The seed, only with a program; random if absent.
    #[schema(maximum = 4294967295_u64)]
    seed: Option<u32>,
}

/// A program that stays on its author's machine.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ProgramAtHome {
    /// Its name, which is shown after the author's.
    #[schema(
        min_length = 2,
        max_length = 24,
        example = "hydra",
        pattern = r"^[-_.]*[A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff][-_.A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff]*$"
    )]
    name: String,
    /// The name of its protocol, one of the game's.
    #[schema(example = "json-lines")]
    protocol: String,
}

/// The opponent.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum OpponentChoice {
    /// A bot's id: its active version plays.
    Bot(i64),
    /// A version's id: the active one of any bot, or any that is ready of a bot of one's own.
    Version(i64),
    /// The id of a program that is offered from its author's machine.
    Home(i64),
    /// The person who accepts the invite.
    Invite(Yes),
    /// Whoever waits in the lobby with the same game, config and number of legs; if nobody does,
    /// the person waits there for whoever comes first.
    Anybody(Yes),
}

/// `true`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "bool")]
struct Yes;

impl TryFrom<bool> for Yes {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Yes, &'static str> {
        let refusal = "without an opponent there is no match; choose a bot, a version, a program at home, {\"invite\": true} or {\"anybody\": true}";
        if value { Ok(Yes) } else { Err(refusal) }
    }
}

impl ToSchema for Yes {}

impl PartialSchema for Yes {
    fn schema() -> RefOr<Schema> {
        let own = ObjectBuilder::new()
            .schema_type(Type::Boolean)
            .enum_values(Some([true]));
        own.description(Some("Always true.")).build().into()
    }
}

/// A match to which an invite leads.
#[derive(Debug, Serialize, ToSchema)]
struct InviteSummary {
    #[serde(rename = "match")]
    brief: MatchSummary,
    /// The game's id.
    game: String,
    /// The link for other machines; null where the arena is reached by a name that means every
    /// machine itself, such as localhost, and listens at no other.
    link: Option<String>,
}

/// Creates a human match. It begins when all its people have joined at `/api/matches/{id}/play`.
#[utoipa::path(post, operation_id = "create_human_match",
    path = "/api/human-matches", tag = "play",
    security((), ("token" = []), ("session" = [])), request_body = HumanMatchRequest, responses(
    (status = 200, body = JoinedSeat), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 429, body = ErrorBody), (status = 503, body = ErrorBody),
))]
async fn create_human_match(
    app: App,
    caller: Caller,
    address: ClientAddress,
    Json(wanted): Json<HumanMatchRequest>,
) -> Answer<JoinedSeat> {
    app.limiter
        .allow_human_match(caller.user_id(), address)
        .await?;
    let by = opener_of(&caller, address);
    let seed = wanted.seed.unwrap_or_else(rand::random::<u32>);
    let game = app.need_game(&wanted.game)?;
    let dealt = || deal_with_seed(&game, &wanted.config, wanted.legs, seed.into());
    let person = || wanted_entrant(&caller, &*game, &wanted);
    if matches!(wanted.opponent, OpponentChoice::Anybody(Yes)) {
        let (dealt, person) = (dealt()?, person()?);
        return lobby::meet_anybody(&app, by, person, wanted.seat, dealt)
            .await
            .map(Json);
    }
    let by = check_limits(&app, by).await?;
    let (dealt, person) = (dealt()?, person()?);
    if let OpponentChoice::Home(id) = wanted.opponent {
        let side = choose_side(wanted.seat);
        return play_program(&app, by, (side, person), HomeBotId(id), dealt).await;
    }
    let other = resolve_opponent(&app, caller.0.as_ref(), &*game, wanted.opponent).await?;
    let side = choose_side(wanted.seat);
    let joined = open_match(&app, by, (side, person), other, dealt, false).await?;
    Ok(Json(joined))
}

/// Opens a match of this person against a program that is offered from its author's machine.
async fn play_program(
    app: &App,
    by: AllowedOpener,
    (seat, person): (MatchSide, MatchEntrant),
    program: HomeBotId,
    dealt: DealtMatch,
) -> Answer<JoinedSeat> {
    need_game_of(app, program, dealt.header.game.meta().id).await?;
    let token = random_token();
    let opponent = HomeOpponent::Person(person, TokenHash::from_token(&token));
    let made = open_against_program(app, by, (seat, opponent), program, dealt).await?;
    Ok(Json(JoinedSeat {
        id: made.id.0,
        token,
        seat,
        invite: None,
    }))
}

/// The person who asks for a match, or the program that plays in place of the person.
fn wanted_entrant(
    caller: &Caller,
    game: &dyn AnyGame,
    wanted: &HumanMatchRequest,
) -> Result<MatchEntrant> {
    let Some(program) = &wanted.program else {
        if wanted.seed.is_some() {
            let why = "only a program may choose the seed; leave it out";
            return Err(ApiError::invalid_field("bad-seed", "seed", why));
        }
        return human_entrant(caller, wanted.name.as_deref());
    };
    if caller.0.is_none() {
        return Err(ApiError::needs_login());
    }
    if !matches!(
        wanted.opponent,
        OpponentChoice::Bot(_) | OpponentChoice::Version(_)
    ) {
        let why = "a program that stays at home plays against bots; name one as its opponent";
        return Err(ApiError::invalid_field("bad-opponent", "opponent", why));
    }
    if game.make_protocol(&program.protocol).is_none() {
        let why = format!(
            "{} has no protocol {}; see the protocols of the game",
            game.meta().id,
            program.protocol
        );
        return Err(ApiError::invalid_field("bad-protocol", "program", why));
    }
    let name = names::of_guest(&program.name)?;
    Ok(human_entrant(caller, None)?.at_home(name, program.protocol.clone()))
}

/// The opponent; `None` for a person who comes later.
async fn resolve_opponent(
    app: &App,
    by: Option<&SignedInUser>,
    game: &dyn AnyGame,
    against: OpponentChoice,
) -> Result<Option<MatchEntrant>> {
    let chosen = match against {
        OpponentChoice::Bot(id) => ChosenBot::Bot(id),
        OpponentChoice::Version(id) => ChosenBot::Version(id),
        OpponentChoice::Home(_) | OpponentChoice::Invite(Yes) | OpponentChoice::Anybody(Yes) => {
            return Ok(None);
        }
    };
    let entrant = find_chosen_entrant(app, by, game.meta().id, ("opponent", chosen)).await?;
    need_sandbox_for(app, &entrant)?;
    Ok(Some(entrant))
}

/// Refuses an uploaded program where this server runs none.
pub(super) fn need_sandbox_for(app: &App, entrant: &MatchEntrant) -> Result<()> {
    if !entrant.built_in
        && app
            .arena
            .human_matches
            .program_cache()
            .is_none_or(|cache| cache.program_sandbox().is_none())
    {
        let message = "uploaded programs cannot play people here: this server runs none itself (--slots 0, or no isolation \
                       on its machine); play a built-in bot, or challenge the program with a bot of yours";
        return Err(ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "no-isolation",
            message,
        ));
    }
    Ok(())
}

/// The match of an invite.
#[utoipa::path(get, operation_id = "get_invite",
    path = "/api/invites/{code}", tag = "play", params(("code" = String, Path)), responses(
    (status = 200, body = InviteSummary), (status = 404, body = ErrorBody),
))]
async fn show_invite(
    app: App,
    Path(code): Path<String>,
    headers: HeaderMap,
) -> Answer<InviteSummary> {
    let found = app.store.match_by_invite(&code).await?;
    let found =
        found.ok_or_else(|| ApiError::not_found("there is no such invite; ask for a new link"))?;
    Ok(Json(InviteSummary {
        brief: MatchSummary::from(&found),
        game: found.game,
        link: origin_of_invites(&app, &headers).map(|origin| format!("{origin}/invite/{code}")),
    }))
}

/// The arena's address for whoever is invited.
fn origin_of_invites(app: &App, headers: &HeaderMap) -> Option<String> {
    let network = app.options.open_port.and_then(network_address);
    origin_for_others(&find_origin(app, headers)?, network)
}

/// The link of an invite as a QR code, for a phone beside.
#[utoipa::path(get, operation_id = "get_invite_picture",
    path = "/api/invites/{code}/qr", tag = "play", params(("code" = String, Path)), responses(
    (status = 200, description = "the picture", body = String, content_type = "image/svg+xml"),
    (status = 404, body = ErrorBody),
))]
async fn show_invite_code(
    app: App,
    Path(code): Path<String>,
    headers: HeaderMap,
) -> Result<Response> {
    let gone = || ApiError::not_found("there is no such invite; ask for a new link");
    app.store.match_by_invite(&code).await?.ok_or_else(gone)?;
    let origin = origin_of_invites(&app, &headers).or_else(|| find_origin(&app, &headers));
    let origin = origin.ok_or_else(gone)?;
    let drawn = draw_link(&format!("{origin}/invite/{code}"))
        .map_err(|why| ApiError::internal_error("the link is too long for a picture", &why))?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], drawn).into_response())
}

/// Accepts an invite.
#[utoipa::path(post, operation_id = "accept_invite",
    path = "/api/invites/{code}", tag = "play",
    security((), ("token" = []), ("session" = [])), params(("code" = String, Path)),
    request_body = GuestName, responses(
        (status = 200, body = JoinedSeat), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 422, body = ErrorBody), (status = 429, body = ErrorBody),
    ))]
async fn accept_invite(
    app: App,
    caller: Caller,
    address: ClientAddress,
    Path(code): Path<String>,
    Json(guest): Json<GuestName>,
) -> Answer<JoinedSeat> {
    app.limiter
        .allow_human_match(caller.user_id(), address)
        .await?;
    let person = human_entrant(&caller, guest.name.as_deref())?;
    let gone = || {
        ApiError::conflict(
            "gone",
            "nobody waits in this match any more; create a new one",
        )
    };
    let found = app.store.match_by_invite(&code).await?;
    let found =
        found.ok_or_else(|| ApiError::not_found("there is no such invite; ask for a new link"))?;
    let human_match = app.arena.human_matches.find_match(found.id.0);
    // Another server may have the match; it finds the seat in the database.
    if human_match.is_none() && app.arena.human_matches.others().is_none() {
        return Err(gone());
    }
    let seat = take_seat(&app, human_match.as_deref(), &code, person).await?;
    Ok(Json(seat))
}
