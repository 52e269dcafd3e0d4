//! Routes: tables at which people play, and invites to them.

use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use leitai_game::{AnyGame, ByEntrant, Entrant as Who};
use leitai_store::secret::random_token;
use leitai_store::{
    BotId, BySide, Entrant, MatchKind, NewMatch, Seed, Side, Timestamp, TokenHash, VersionId,
};
use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::brief::MatchBrief;
use crate::api::extract::{Json, Path};
use crate::app::App;
use crate::arena::hub::Cast;
use crate::arena::table::{Full, Opener, Opening, run};
use crate::auth::{Address, Caller, names};
use crate::error::{ApiError, ErrorBody};

/// Matches with people go before all others.
const PRIORITY: i32 = 100;
/// Letters of an invite's code: 80 bits.
const CODE: usize = 20;

/// The routes of tables.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(open)).routes(routes!(invited, accept))
}

/// A table that somebody wants.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TableWanted)]
struct Wanted {
    /// The game's id.
    #[schema(example = "snakego")]
    game: String,
    /// On which side the person plays: `a` sits first in the first leg.
    #[serde(default)]
    seat: Chair,
    against: Against,
    /// How a guest is called.
    #[schema(
        min_length = 2,
        max_length = 24,
        pattern = r"^[-_.]*[A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff][-_.A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff]*$"
    )]
    name: Option<String>,
    /// The game's choices; the usual ones if they are left out.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    config: serde_json::Value,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Chair {
    A,
    B,
    #[default]
    Any,
}

/// Against whom.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Against {
    /// A bot's id: the version that plays on the ladder.
    Bot(i64),
    /// A version's id.
    Version(i64),
    /// Whoever gets the invite.
    Invite(Yes),
}

/// `true`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "bool")]
struct Yes;

impl TryFrom<bool> for Yes {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Yes, &'static str> {
        let refusal = "against nobody there is no match; choose a bot, a version, or {\"invite\": true}";
        if value { Ok(Yes) } else { Err(refusal) }
    }
}

impl ToSchema for Yes {}

impl PartialSchema for Yes {
    fn schema() -> RefOr<Schema> {
        let own = ObjectBuilder::new().schema_type(Type::Boolean).enum_values(Some([true]));
        own.description(Some("Always true.")).build().into()
    }
}

/// A seat at a table.
#[derive(Debug, Serialize, ToSchema)]
struct Seat {
    /// The match.
    #[serde(rename = "match")]
    id: i64,
    /// What is shown to sit down. Whoever has it plays.
    token: String,
    /// The side.
    #[schema(value_type = String, example = "a")]
    seat: Side,
    /// The code of the invite for the other side.
    invite: Option<String>,
}

/// A match that somebody is invited to.
#[derive(Debug, Serialize, ToSchema)]
struct Invited {
    #[serde(rename = "match")]
    brief: MatchBrief,
    /// The game's id.
    game: String,
}

/// How a guest is called.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Guest {
    #[schema(
        min_length = 2,
        max_length = 24,
        pattern = r"^[-_.]*[A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff][-_.A-Za-z0-9\u3400-\u4dbf\u4e00-\u9fff]*$"
    )]
    name: Option<String>,
}

/// Opens a table. The match begins when all its people have sat down at `/api/matches/{id}/play`.
#[utoipa::path(post, operation_id = "open_table",
    path = "/api/tables", tag = "play",
    security((), ("token" = []), ("session" = [])), request_body = Wanted, responses(
    (status = 200, body = Seat), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 429, body = ErrorBody), (status = 503, body = ErrorBody),
))]
async fn open(
    State(app): State<App>,
    caller: Caller,
    address: Address,
    Json(wanted): Json<Wanted>,
) -> Result<axum::Json<Seat>, ApiError> {
    app.limiter.play(caller.id(), address)?;
    let by = caller.id().map_or(Opener::Guest(address), Opener::Account);
    app.arena.tables.room(by).map_err(full)?;
    let game = app.need_game(&wanted.game)?;
    let (seed, config, cast) = deal(game, &wanted.config)?;
    let person = person(&caller, wanted.name.as_deref())?;
    let other = opponent(&app, game, wanted.against).await?;
    let side = match wanted.seat {
        Chair::A => Side::A,
        Chair::B => Side::B,
        Chair::Any => Side::ALL[usize::from(rand::random::<bool>())],
    };
    let (token, invite) = (random_token(), other.is_none().then(code));
    let own = Some(TokenHash::of(&token));
    let new = NewMatch {
        game: game.meta().id.to_owned(),
        kind: MatchKind::People,
        seats: on(side, own.clone(), None),
        invite: invite.clone(),
        seed: Seed::from(seed),
        config,
        limits: serde_json::Value::Null,
        legs: i32::try_from(cast.legs).expect("a match has few legs"),
        priority: PRIORITY,
        a: None,
        b: None,
    };
    let names = on(side, person.name.clone(), other.as_ref().map(|one| one.name.clone()).unwrap_or_default());
    let BySide { a, b } = on(side, Some(person), other.clone());
    let made = app.store.create_match(NewMatch { a, b, ..new }, Timestamp::now()).await?;
    let opening = Opening {
        id: made.id.0,
        cast: Cast { entrants: by_entrant(names), ..cast },
        tokens: by_entrant(on(side, own, None)),
        people: by_entrant(on(side, true, other.is_none())),
        by,
    };
    let table = app.arena.tables.open(opening);
    run::expire_later(app, table);
    Ok(axum::Json(Seat { id: made.id.0, token, seat: side, invite }))
}

fn full(full: Full) -> ApiError {
    let message = match full {
        Full::Server => "all tables are taken; try again in a few minutes",
        Full::Guests => "all tables for guests are taken; log in, or try again in a few minutes",
        Full::Account => "you have opened too many tables; finish one of them first",
        Full::Address => "guests have opened too many tables from your address; log in, or finish one first",
    };
    let refusal = ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "tables-full", message);
    ApiError { retry_after: Some(Duration::from_secs(60)), ..refusal }
}

/// What is played: the seed, the choices with all defaults, and the cast without names.
fn deal(
    game: &'static dyn AnyGame,
    choices: &serde_json::Value,
) -> Result<(u64, serde_json::Value, Cast), ApiError> {
    let seed = u64::from(rand::random::<u32>());
    let unsound = |why: leitai_game::Invalid| ApiError::field("bad-config", "config", why.0);
    let config = game.config(choices).map_err(unsound)?;
    let setup = game.deal(&config, seed).map_err(unsound)?;
    Ok((seed, config, Cast { game, setup, legs: game.meta().legs, entrants: ByEntrant::default() }))
}

fn person(caller: &Caller, name: Option<&str>) -> Result<Entrant, ApiError> {
    match &caller.0 {
        Some(user) => Ok(Entrant::person(user.name.clone(), Some(user.id))),
        None => Ok(Entrant::person(names::of_guest(name.unwrap_or("guest"))?, None)),
    }
}

/// Whom the person plays; `None` for whoever is invited.
async fn opponent(app: &App, game: &dyn AnyGame, against: Against) -> Result<Option<Entrant>, ApiError> {
    let entrant = match against {
        Against::Bot(id) => {
            let bot = app.store.bot(BotId(id)).await?;
            let other = || ApiError::field("wrong-game", "against", format!("bot {id} plays {}", bot.game));
            if bot.game != game.meta().id {
                return Err(other());
            }
            app.store.entrant(bot.id).await?
        }
        Against::Version(id) => {
            let entrant = app.store.entrant_of_version(VersionId(id)).await?;
            let bot = entrant.bot.ok_or_else(|| ApiError::not_found(format!("there is no version {id}")))?;
            let bot = app.store.bot(bot).await?;
            if bot.game != game.meta().id {
                return Err(ApiError::field(
                    "wrong-game",
                    "against",
                    format!("version {id} plays {}", bot.game),
                ));
            }
            entrant
        }
        Against::Invite(Yes) => return Ok(None),
    };
    if !entrant.built_in && app.arena.tables.workshop().is_none_or(|shop| shop.sandbox().is_none()) {
        let message = "uploaded programs cannot play people here: this server runs none itself (--slots 0, or no isolation \
                       on its machine); play a built-in bot, or challenge the program with a bot of yours";
        return Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "no-isolation", message));
    }
    Ok(Some(entrant))
}

fn code() -> String {
    random_token().chars().take(CODE).collect()
}

fn on<T>(side: Side, own: T, other: T) -> BySide<T> {
    match side {
        Side::A => BySide { a: own, b: other },
        Side::B => BySide { a: other, b: own },
    }
}

fn by_entrant<T>(pair: BySide<T>) -> ByEntrant<T> {
    ByEntrant::new(pair.a, pair.b)
}

/// What an invite is for.
#[utoipa::path(get, operation_id = "get_invite",
    path = "/api/invites/{code}", tag = "play", params(("code" = String, Path)), responses(
    (status = 200, body = Invited), (status = 404, body = ErrorBody),
))]
async fn invited(State(app): State<App>, Path(code): Path<String>) -> Result<axum::Json<Invited>, ApiError> {
    let found = app.store.match_by_invite(&code).await?;
    let found = found.ok_or_else(|| ApiError::not_found("there is no such invite; ask for a new link"))?;
    Ok(axum::Json(Invited { brief: MatchBrief::from(&found), game: found.game }))
}

/// Takes an invite.
#[utoipa::path(post, operation_id = "accept_invite",
    path = "/api/invites/{code}", tag = "play",
    security((), ("token" = []), ("session" = [])), params(("code" = String, Path)),
    request_body = Guest, responses(
        (status = 200, body = Seat), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 422, body = ErrorBody), (status = 429, body = ErrorBody),
    ))]
async fn accept(
    State(app): State<App>,
    caller: Caller,
    address: Address,
    Path(code): Path<String>,
    Json(guest): Json<Guest>,
) -> Result<axum::Json<Seat>, ApiError> {
    app.limiter.play(caller.id(), address)?;
    let person = person(&caller, guest.name.as_deref())?;
    let gone = || ApiError::conflict("gone", "nobody waits at this table any more; open a new one");
    let found = app.store.match_by_invite(&code).await?;
    let found = found.ok_or_else(|| ApiError::not_found("there is no such invite; ask for a new link"))?;
    let table = app.arena.tables.table(found.id.0).ok_or_else(gone)?;
    let (token, name) = (random_token(), person.name.clone());
    let taken = app.store.take_invite(&code, person, TokenHash::of(&token), Timestamp::now()).await?;
    let (id, side) = (taken.0.id.0, taken.1);
    let who = if side == Side::A { Who::A } else { Who::B };
    table.admit(who, TokenHash::of(&token), name);
    Ok(axum::Json(Seat { id, token, seat: side, invite: None }))
}
