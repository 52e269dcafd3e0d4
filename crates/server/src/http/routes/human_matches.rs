//! Routes: human matches and their invites.

use std::time::Duration;

use crate::http::handler::routes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use leitai_game::{AnyGame, ByEntrant, Entrant as Who, GameHandle};
use leitai_store::values::secret::random_token;
use leitai_store::{
    MatchEntrant, MatchId, MatchKind, MatchOpener, MatchSeed, MatchSide, NewMatch, PerSide,
    StoreError, Timestamp, TokenHash,
};
use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;

use super::lobby;
use crate::accounts::names;
use crate::accounts::second_factor::draw_link;
use crate::client_address::ClientAddress;
use crate::http::app::App;
use crate::http::caller::{Caller, SignedInUser};
use crate::http::chosen_bot::{ChosenBot, find_chosen_entrant};
use crate::http::error::{ApiError, ErrorBody};
use crate::http::extract::{Json, Path};
use crate::http::link_preview::find_origin;
use crate::http::summaries::MatchSummary;
use crate::live::LegFramesHeader;
use crate::play::open_table::{OpenTable, TableForm};
use crate::play::{HumanMatch, HumanMatchLimit, HumanMatchOptions, Opener, run};
use crate::sync::call_rules;
use crate::work::continuation::MatchOrigin;

/// Human matches have priority over all others.
const PRIORITY: i32 = 100;
/// The length of an invite's code: 80 bits.
const CODE: usize = 20;

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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum SideChoice {
    A,
    B,
    #[default]
    Any,
}

/// The opponent.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum OpponentChoice {
    /// A bot's id: its active version plays.
    Bot(i64),
    /// A version's id: the active one of any bot, or any that is ready of a bot of one's own.
    Version(i64),
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
        let refusal = "without an opponent there is no match; choose a bot, a version, {\"invite\": true} or {\"anybody\": true}";
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

/// A seat in a human match.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct JoinedSeat {
    /// The match.
    #[serde(rename = "match")]
    pub(super) id: i64,
    /// The token to join with. Its holder plays.
    pub(super) token: String,
    /// The side.
    #[schema(value_type = String, example = "a")]
    pub(super) seat: MatchSide,
    /// The code of the invite for the other side.
    pub(super) invite: Option<String>,
}

/// A match to which an invite leads.
#[derive(Debug, Serialize, ToSchema)]
struct InviteSummary {
    #[serde(rename = "match")]
    brief: MatchSummary,
    /// The game's id.
    game: String,
}

/// The name of a guest.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GuestName {
    #[schema(
        min_length = 2,
        max_length = 24,
        pattern = r"^[-_.]*[A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff][-_.A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff]*$"
    )]
    pub(super) name: Option<String>,
}

/// Creates a human match. It begins when all its people have joined at `/api/matches/{id}/play`.
#[utoipa::path(post, operation_id = "create_human_match",
    path = "/api/human-matches", tag = "play",
    security((), ("token" = []), ("session" = [])), request_body = HumanMatchRequest, responses(
    (status = 200, body = JoinedSeat), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 429, body = ErrorBody), (status = 503, body = ErrorBody),
))]
async fn create_human_match(
    State(app): State<App>,
    caller: Caller,
    address: ClientAddress,
    Json(wanted): Json<HumanMatchRequest>,
) -> Result<axum::Json<JoinedSeat>, ApiError> {
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
            .map(axum::Json);
    }
    let by = check_limits(&app, by).await?;
    let (dealt, person) = (dealt()?, person()?);
    let other = resolve_opponent(&app, caller.0.as_ref(), &*game, wanted.opponent).await?;
    let side = choose_side(wanted.seat);
    let joined = open_match(&app, by, (side, person), other, dealt, false).await?;
    Ok(axum::Json(joined))
}

/// Whoever opens a match, which the limits allow.
#[derive(Clone)]
pub(super) struct AllowedOpener {
    by: Opener,
    /// How all servers count this person's open matches.
    counted: MatchOpener,
}

/// Checks the limits of this server, and those of the person at all servers together. The latter are
/// checked again when the match is created ([`refuse_opening`]).
pub(super) async fn check_limits(app: &App, by: Opener) -> Result<AllowedOpener, ApiError> {
    let most = app.arena.human_matches.check_limits(by);
    let counted = MatchOpener {
        who: by.counted_as(),
        most: most.map_err(limit_error)? as u64,
    };
    if app.store.count_opened(&counted.who).await? >= counted.most {
        return Err(limit_error(by.own_limit()));
    }
    Ok(AllowedOpener { by, counted })
}

/// The answer if a match could not be created.
pub(super) fn refuse_opening(by: Opener, error: StoreError) -> ApiError {
    match error {
        StoreError::TooManyOpen { .. } => limit_error(by.own_limit()),
        other => other.into(),
    }
}

/// A person who has a seat of a match.
pub(super) struct SeatedPerson {
    pub(super) side: MatchSide,
    pub(super) person: MatchEntrant,
    /// The token of the seat, which only this person knows.
    pub(super) token: TokenHash,
}

/// A match that is not in the database yet.
pub(super) struct PreparedMatch {
    new: NewMatch,
    opening: HumanMatchOptions,
}

impl PreparedMatch {
    /// The match of this person. Without an opponent it has an invite.
    pub(super) fn of_person(
        by: AllowedOpener,
        first: SeatedPerson,
        other: Option<MatchEntrant>,
        dealt: DealtMatch,
    ) -> PreparedMatch {
        let SeatedPerson {
            side,
            person,
            token,
        } = first;
        let opponent = other.as_ref().map(|one| one.name.clone());
        let names = assign_sides(side, person.name.clone(), opponent.unwrap_or_default());
        let own = Some(token);
        let opening = HumanMatchOptions {
            id: 0,
            tokens: by_entrant(assign_sides(side, own.clone(), None)),
            people: by_entrant(assign_sides(side, true, other.is_none())),
            at_home: by_entrant(assign_sides(side, person.home.clone(), None)),
            by: by.by,
            open_table: None,
            header: LegFramesHeader {
                entrants: by_entrant(names),
                ..dealt.header
            },
        };
        let invite = other.is_none().then(invite_code);
        let entrants = assign_sides(side, Some(person), other);
        let header = &opening.header;
        let (game, seed) = (header.game.meta().id, MatchSeed::from(dealt.seed));
        let new = NewMatch {
            seats: assign_sides(side, own, None),
            invite,
            config: dealt.config,
            priority: PRIORITY,
            opener: Some(by.counted),
            limits: dealt.from.map_or(serde_json::Value::Null, |from| {
                from.with_limits(&serde_json::Value::Null)
            }),
            ..NewMatch::new(game, MatchKind::Human, entrants, seed, header.legs)
        };
        PreparedMatch { new, opening }
    }

    /// Who opens it.
    pub(super) fn opener(&self) -> Opener {
        self.opening.by
    }

    /// Gives the free seat to this person: nobody is invited any more.
    pub(super) fn seat_second(&mut self, second: SeatedPerson) {
        let SeatedPerson {
            side,
            person,
            token,
        } = second;
        let who = entrant_of(side);
        self.opening.header.entrants[who].clone_from(&person.name);
        self.opening.tokens[who] = Some(token.clone());
        self.new.invite = None;
        let (entrant, seat) = match side {
            MatchSide::A => (&mut self.new.a, &mut self.new.seats.a),
            MatchSide::B => (&mut self.new.b, &mut self.new.seats.b),
        };
        (*entrant, *seat) = (Some(person), Some(token));
    }

    /// Creates the match in the place of the one whose people accepted a rematch, and opens it.
    pub(super) async fn open_as_rematch(
        self,
        app: &App,
        old: MatchId,
    ) -> Result<MatchId, StoreError> {
        let now = Timestamp::now();
        let made = app.store.accept_rematch(old, self.new, now).await?;
        open_for_people(app, made.id, self.opening);
        Ok(made.id)
    }
}

/// Creates the match for a person who gets a new token. Without an opponent the match has an
/// invite, or a free seat in the lobby.
pub(super) async fn open_match(
    app: &App,
    by: AllowedOpener,
    (side, person): (MatchSide, MatchEntrant),
    other: Option<MatchEntrant>,
    dealt: DealtMatch,
    in_lobby: bool,
) -> Result<JoinedSeat, ApiError> {
    let (token, at) = (random_token(), Timestamp::now());
    let mut table = OpenTable {
        invite: String::new(),
        name: person.name.clone(),
        has_account: person.user.is_some(),
        free: side.other(),
        form: TableForm {
            game: dealt.header.game.meta().id.to_owned(),
            config: dealt.config.clone(),
            legs: dealt.header.legs,
        },
        since: at,
    };
    let first = SeatedPerson {
        side,
        person,
        token: TokenHash::from_token(&token),
    };
    let PreparedMatch { new, mut opening } = PreparedMatch::of_person(by, first, other, dealt);
    let (by, invite) = (opening.by, new.invite.clone());
    let made = app.store.create_match(new, at).await;
    let made = made.map_err(|error| refuse_opening(by, error))?;
    if in_lobby {
        app.play_context().share_table(made.id).await?;
        table.invite = invite.clone().unwrap_or_default();
        opening.open_table = Some(table);
    }
    open_for_people(app, made.id, opening);
    Ok(JoinedSeat {
        id: made.id.0,
        token,
        seat: side,
        invite: invite.filter(|_| !in_lobby),
    })
}

/// Opens a match, which is in the database now, for its people.
fn open_for_people(app: &App, id: MatchId, opening: HumanMatchOptions) {
    let opening = HumanMatchOptions {
        id: id.0,
        ..opening
    };
    let human_match = app.arena.human_matches.open_match(opening);
    run::expire_later(app.play_context(), human_match);
}

/// The creator of a human match.
pub(super) fn opener_of(caller: &Caller, address: ClientAddress) -> Opener {
    caller
        .user_id()
        .map_or(Opener::Guest(address), Opener::Account)
}

pub(super) fn choose_side(choice: SideChoice) -> MatchSide {
    match choice {
        SideChoice::A => MatchSide::A,
        SideChoice::B => MatchSide::B,
        SideChoice::Any => MatchSide::ALL[usize::from(rand::random::<bool>())],
    }
}

fn limit_error(full: HumanMatchLimit) -> ApiError {
    let message = match full {
        HumanMatchLimit::Server => {
            "this server has no room for another match with people; try again in a few minutes"
        }
        HumanMatchLimit::Guests => {
            "this server has no room for another match of a guest; log in, or try again in a few minutes"
        }
        HumanMatchLimit::Account => {
            "you have too many open human matches; finish one of them first"
        }
        HumanMatchLimit::Address => {
            "guests at your address have too many open human matches; log in, or finish one first"
        }
    };
    let refusal = ApiError::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "human-matches-full",
        message,
    );
    ApiError {
        retry_after: Some(Duration::from_secs(60)),
        ..refusal
    }
}

/// A setup that has been dealt.
pub(super) struct DealtMatch {
    seed: u64,
    /// The config with all defaults.
    pub(super) config: serde_json::Value,
    /// The header of the leg frames without names.
    pub(super) header: LegFramesHeader,
    /// The moment of another match from which it is played.
    pub(super) from: Option<MatchOrigin>,
}

/// Draws the seed and deals the setup.
pub(super) fn deal_match(
    game: &GameHandle,
    choices: &serde_json::Value,
    legs: Option<usize>,
) -> Result<DealtMatch, ApiError> {
    deal_with_seed(game, choices, legs, u64::from(rand::random::<u32>()))
}

/// Deals the setup of this seed.
pub(super) fn deal_with_seed(
    game: &GameHandle,
    choices: &serde_json::Value,
    legs: Option<usize>,
    seed: u64,
) -> Result<DealtMatch, ApiError> {
    let unsound =
        |why: leitai_game::InvalidSetup| ApiError::invalid_field("bad-config", "config", why.0);
    let dealt = call_rules(&**game, || {
        let config = game.read_config(choices)?;
        let setup = game.deal_setup(&config, seed)?;
        Ok((config, setup))
    });
    let (config, setup) = dealt.map_err(unsound)?;
    Ok(DealtMatch {
        seed,
        config,
        header: LegFramesHeader {
            game: game.clone(),
            setup,
            legs: check_legs(&**game, legs)?,
            entrants: ByEntrant::default(),
        },
        from: None,
    })
}

/// The number of legs: a person may play fewer than the game's own number.
fn check_legs(game: &dyn AnyGame, wanted: Option<usize>) -> Result<usize, ApiError> {
    let most = game.meta().legs;
    let legs = wanted.unwrap_or(most);
    if (1..=most).contains(&legs) {
        return Ok(legs);
    }
    let why = format!("a match has 1 to {most} legs, not {legs}");
    Err(ApiError::invalid_field("bad-config", "legs", why))
}

pub(super) fn human_entrant(caller: &Caller, name: Option<&str>) -> Result<MatchEntrant, ApiError> {
    match &caller.0 {
        Some(user) => Ok(MatchEntrant::human_entrant(
            user.name.clone(),
            Some(user.id),
        )),
        None => Ok(MatchEntrant::human_entrant(
            names::of_guest(name.unwrap_or("guest"))?,
            None,
        )),
    }
}

/// The person who asks for a match, or the program that plays in place of the person.
fn wanted_entrant(
    caller: &Caller,
    game: &dyn AnyGame,
    wanted: &HumanMatchRequest,
) -> Result<MatchEntrant, ApiError> {
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
) -> Result<Option<MatchEntrant>, ApiError> {
    let chosen = match against {
        OpponentChoice::Bot(id) => ChosenBot::Bot(id),
        OpponentChoice::Version(id) => ChosenBot::Version(id),
        OpponentChoice::Invite(Yes) | OpponentChoice::Anybody(Yes) => return Ok(None),
    };
    let entrant = find_chosen_entrant(app, by, game.meta().id, ("opponent", chosen)).await?;
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
    Ok(Some(entrant))
}

fn invite_code() -> String {
    random_token().chars().take(CODE).collect()
}

fn assign_sides<T>(side: MatchSide, own: T, other: T) -> PerSide<T> {
    match side {
        MatchSide::A => PerSide { a: own, b: other },
        MatchSide::B => PerSide { a: other, b: own },
    }
}

fn entrant_of(side: MatchSide) -> Who {
    match side {
        MatchSide::A => Who::A,
        MatchSide::B => Who::B,
    }
}

fn by_entrant<T>(pair: PerSide<T>) -> ByEntrant<T> {
    ByEntrant::new(pair.a, pair.b)
}

/// The match of an invite.
#[utoipa::path(get, operation_id = "get_invite",
    path = "/api/invites/{code}", tag = "play", params(("code" = String, Path)), responses(
    (status = 200, body = InviteSummary), (status = 404, body = ErrorBody),
))]
async fn show_invite(
    State(app): State<App>,
    Path(code): Path<String>,
) -> Result<axum::Json<InviteSummary>, ApiError> {
    let found = app.store.match_by_invite(&code).await?;
    let found =
        found.ok_or_else(|| ApiError::not_found("there is no such invite; ask for a new link"))?;
    Ok(axum::Json(InviteSummary {
        brief: MatchSummary::from(&found),
        game: found.game,
    }))
}

/// The link of an invite as a QR code, for a phone beside.
#[utoipa::path(get, operation_id = "get_invite_picture",
    path = "/api/invites/{code}/qr", tag = "play", params(("code" = String, Path)), responses(
    (status = 200, description = "the picture", body = String, content_type = "image/svg+xml"),
    (status = 404, body = ErrorBody),
))]
async fn show_invite_code(
    State(app): State<App>,
    Path(code): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let gone = || ApiError::not_found("there is no such invite; ask for a new link");
    app.store.match_by_invite(&code).await?.ok_or_else(gone)?;
    let origin = find_origin(&app, &headers).ok_or_else(gone)?;
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
    State(app): State<App>,
    caller: Caller,
    address: ClientAddress,
    Path(code): Path<String>,
    Json(guest): Json<GuestName>,
) -> Result<axum::Json<JoinedSeat>, ApiError> {
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
    Ok(axum::Json(seat))
}

/// Takes the free seat of a match, which is another server's if it is not given.
pub(super) async fn take_seat(
    app: &App,
    human_match: Option<&HumanMatch>,
    code: &str,
    person: MatchEntrant,
) -> Result<JoinedSeat, StoreError> {
    let (token, name) = (random_token(), person.name.clone());
    let (taken, side) = app
        .store
        .take_invite(
            code,
            person,
            TokenHash::from_token(&token),
            Timestamp::now(),
        )
        .await?;
    let who = entrant_of(side);
    if let Some(human_match) = human_match {
        human_match.admit_invited(who, TokenHash::from_token(&token), name);
    }
    Ok(JoinedSeat {
        id: taken.id.0,
        token,
        seat: side,
        invite: None,
    })
}
