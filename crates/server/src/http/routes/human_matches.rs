//! Matches with people are opened, and their seats are taken.

use std::time::Duration;

use axum::http::StatusCode;
use leitai_game::{AnyGame, ByEntrant, Entrant as Who, GameHandle};
use leitai_store::values::secret::random_token;
use leitai_store::{
    MatchEntrant, MatchId, MatchKind, MatchOpener, MatchSeed, MatchSide, NewMatch, PerSide,
    StoreError, Timestamp, TokenHash,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::accounts::names;
use crate::client_address::ClientAddress;
use crate::http::app::App;
use crate::http::caller::Caller;
use crate::http::error::{ApiError, Result};
use crate::live::LegFramesHeader;
use crate::play::open_table::{OpenTable, TableForm};
use crate::play::{HumanMatch, HumanMatchLimit, HumanMatchOptions, Opener, run};
use crate::sync::call_rules;
use crate::work::continuation::MatchOrigin;

/// Human matches have priority over all others.
pub(super) const PRIORITY: i32 = 100;
/// The length of an invite's code: 80 bits.
const CODE: usize = 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum SideChoice {
    A,
    B,
    #[default]
    Any,
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

/// Whoever opens a match, which the limits allow.
#[derive(Clone)]
pub(super) struct AllowedOpener {
    pub(super) by: Opener,
    /// How all servers count this person's open matches.
    pub(super) counted: MatchOpener,
}

/// Checks the limits of this server, and those of the person at all servers together. The latter are
/// checked again when the match is created ([`refuse_opening`]).
pub(super) async fn check_limits(app: &App, by: Opener) -> Result<AllowedOpener> {
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
) -> Result<JoinedSeat> {
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
    pub(super) seed: u64,
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
) -> Result<DealtMatch> {
    deal_with_seed(game, choices, legs, u64::from(rand::random::<u32>()))
}

/// Deals the setup of this seed.
pub(super) fn deal_with_seed(
    game: &GameHandle,
    choices: &serde_json::Value,
    legs: Option<usize>,
    seed: u64,
) -> Result<DealtMatch> {
    need_people(&**game)?;
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

/// Refuses a game that people cannot play, nor programs at home: who plays is asked by a judge program, on a
/// machine that runs it.
pub(super) fn need_people(game: &dyn AnyGame) -> Result<()> {
    if game.capabilities().legal_actions {
        return Ok(());
    }
    let id = game.meta().id;
    let why = format!(
        "a judge program leads {id}, which only uploaded programs play: upload one, and let it play others"
    );
    Err(ApiError::invalid_field("programs-only", "game", why))
}

/// The number of legs: a person may play fewer than the game's own number.
fn check_legs(game: &dyn AnyGame, wanted: Option<usize>) -> Result<usize> {
    let most = game.meta().legs;
    let legs = wanted.unwrap_or(most);
    if (1..=most).contains(&legs) {
        return Ok(legs);
    }
    let why = format!("a match has 1 to {most} legs, not {legs}");
    Err(ApiError::invalid_field("bad-config", "legs", why))
}

pub(super) fn human_entrant(caller: &Caller, name: Option<&str>) -> Result<MatchEntrant> {
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

fn invite_code() -> String {
    random_token().chars().take(CODE).collect()
}

pub(super) fn assign_sides<T>(side: MatchSide, own: T, other: T) -> PerSide<T> {
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
