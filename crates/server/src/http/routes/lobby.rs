//! Routes: the lobby, in which people who want to play meet, at whichever server they are.

use std::sync::Arc;

use leitai_store::{MatchEntrant, MatchId, MatchSide};

use super::human_matches::{
    DealtMatch, GuestName, JoinedSeat, SideChoice, check_limits, choose_side, human_entrant,
    open_match, opener_of, take_seat,
};
use crate::client_address::ClientAddress;
use crate::http::prelude::*;
use crate::play::lobby::TableRequest;
use crate::play::open_table::{OpenTable, TableForm};
use crate::play::shared_lobby::TableElsewhere;
use crate::play::{HumanMatch, Opener, run};

/// The routes of the lobby.
pub fn lobby_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_open_tables))
        .routes(routes!(take_open_table))
}

/// A table at which a person waits for whoever comes first.
#[derive(Debug, Serialize, ToSchema)]
struct OpenTableSummary {
    /// The match.
    #[serde(rename = "match")]
    id: i64,
    /// The game's id.
    #[schema(example = "snakego")]
    game: String,
    /// The name of the person who waits.
    name: String,
    /// Whether the person has an account; the name of a guest is not reserved.
    has_account: bool,
    /// The free side.
    #[schema(value_type = String, example = "b")]
    free: MatchSide,
    /// The game's config with all defaults.
    #[schema(value_type = Object)]
    config: serde_json::Value,
    /// The most legs that are played.
    legs: usize,
    /// Since when the person has waited.
    #[schema(value_type = String, format = DateTime)]
    since: Timestamp,
}

impl From<(i64, OpenTable)> for OpenTableSummary {
    fn from((id, table): (i64, OpenTable)) -> OpenTableSummary {
        let TableForm { game, config, legs } = table.form;
        OpenTableSummary {
            id,
            game,
            name: table.name,
            has_account: table.has_account,
            free: table.free,
            config,
            legs,
            since: table.since,
        }
    }
}

/// The lobby: the tables at which a person waits for whoever comes first, the longest waiting
/// first.
#[utoipa::path(get, operation_id = "list_open_tables",
    path = "/api/lobby", tag = "play", responses(
    (status = 200, body = ListPage<OpenTableSummary>),
))]
async fn list_open_tables(app: App) -> Answer<ListPage<OpenTableSummary>> {
    let mut tables = app.arena.human_matches.list_open_tables();
    let elsewhere = app.play_context().tables_elsewhere().await?;
    tables.extend(elsewhere.into_iter().map(|one| (one.id.0, one.table)));
    tables.sort_by_key(|(id, _)| *id);
    let tables = tables.into_iter().map(OpenTableSummary::from).collect();
    Ok(Json(ListPage::single_page(tables)))
}

/// Takes the free seat of a table in the lobby.
#[utoipa::path(post, operation_id = "take_open_table",
    path = "/api/lobby/{match}", tag = "play",
    security((), ("token" = []), ("session" = [])), params(("match" = i64, Path)),
    request_body = GuestName, responses((status = 200, body = JoinedSeat), (status = 409, body = ErrorBody),
    (status = 429, body = ErrorBody)))]
async fn take_open_table(
    app: App,
    caller: Caller,
    address: ClientAddress,
    Path(id): Path<MatchId>,
    Json(guest): Json<GuestName>,
) -> Answer<JoinedSeat> {
    app.limiter
        .allow_human_match(caller.user_id(), address)
        .await?;
    let person = human_entrant(&caller, guest.name.as_deref())?;
    let human_matches = &app.arena.human_matches;
    let _meeting = human_matches.meeting.lock().await;
    let waiting = match human_matches.find_match(id.0) {
        Some(here) => WaitingTable::of_this_server(here),
        None => find_elsewhere(&app, id).await?,
    };
    let waiting = waiting.ok_or_else(|| {
        ApiError::not_found(format!(
            "match {id} is no table of the lobby; choose another table, or open one"
        ))
    })?;
    if waiting.is_own_of(opener_of(&caller, address)) {
        let message = "this is your own table; wait there until somebody comes";
        return Err(ApiError::conflict("own-table", message));
    }
    let joined = match waiting.has_free_seat() {
        true => take_table(&app, &waiting, person).await?,
        false => None,
    };
    let gone = "nobody waits at this table any more; choose another one, or open one";
    let joined = joined.ok_or_else(|| ApiError::conflict("gone", gone))?;
    Ok(Json(joined))
}

/// A table at which somebody waits.
struct WaitingTable {
    id: i64,
    offer: OpenTable,
    /// The account of the person, if the table is another server's.
    account: Option<UserId>,
    /// The table, if it is this server's.
    here: Option<Arc<HumanMatch>>,
}

impl WaitingTable {
    fn of_this_server(here: Arc<HumanMatch>) -> Option<WaitingTable> {
        Some(WaitingTable {
            id: here.id(),
            offer: here.open_table()?.clone(),
            account: None,
            here: Some(here),
        })
    }

    fn is_own_of(&self, by: Opener) -> bool {
        match &self.here {
            Some(here) => here.is_own_of(by),
            None => matches!(by, Opener::Account(by) if self.account == Some(by)),
        }
    }

    /// Whether the seat is free, as far as this server knows.
    fn has_free_seat(&self) -> bool {
        let here = self.here.as_ref();
        here.is_none_or(|here| here.has_free_seat())
    }
}

impl From<TableElsewhere> for WaitingTable {
    fn from(table: TableElsewhere) -> WaitingTable {
        WaitingTable {
            id: table.id.0,
            offer: table.table,
            account: table.account,
            here: None,
        }
    }
}

/// The table of another server with this id.
async fn find_elsewhere(app: &App, id: MatchId) -> Result<Option<WaitingTable>> {
    let tables = app.play_context().tables_elsewhere().await?;
    let found = tables.into_iter().find(|table| table.id == id);
    Ok(found.map(WaitingTable::from))
}

/// Brings a person to the table that has waited longest for such a person, or to a table of their
/// own.
pub(super) async fn meet_anybody(
    app: &App,
    by: Opener,
    person: MatchEntrant,
    side: SideChoice,
    dealt: DealtMatch,
) -> Result<JoinedSeat> {
    let human_matches = &app.arena.human_matches;
    let wanted = TableRequest {
        form: TableForm {
            game: dealt.header.game.meta().id.to_owned(),
            config: dealt.config.clone(),
            legs: dealt.header.legs,
        },
        side: (side != SideChoice::Any).then(|| choose_side(side)),
        by,
    };
    let context = app.play_context();
    let _meeting = human_matches.meeting.lock().await;
    let _turn = context.lobby_turn().await?;
    let elsewhere = context.tables_elsewhere().await?.into_iter();
    let mut elsewhere = elsewhere
        .map(WaitingTable::from)
        .filter(|one| wanted.suits(&one.offer) && !one.is_own_of(by))
        .peekable();
    loop {
        let here = human_matches.find_open_table(&wanted);
        let here = here.and_then(WaitingTable::of_this_server);
        let before = here.as_ref().map_or(i64::MAX, |here| here.id);
        // Whoever waits longest.
        let Some(waiting) = elsewhere.next_if(|one| one.id < before).or(here) else {
            break;
        };
        if let Some(joined) = take_table(app, &waiting, person.clone()).await? {
            return Ok(joined);
        }
    }
    let by = check_limits(app, by).await?;
    let own = (choose_side(side), person);
    open_match(app, by, own, None, dealt, true).await
}

/// Takes the free seat of a table; `None` if the match was cancelled meanwhile: then the table is
/// no longer offered.
async fn take_table(
    app: &App,
    waiting: &WaitingTable,
    person: MatchEntrant,
) -> Result<Option<JoinedSeat>> {
    let here = waiting.here.as_deref();
    match take_seat(app, here, &waiting.offer.invite, person).await {
        Ok(joined) => {
            run::cancel_if_stood_up(app.play_context());
            Ok(Some(joined))
        }
        Err(StoreError::Refused(_) | StoreError::Missing { what: "invite", .. }) => {
            if let Some(here) = here {
                here.withdraw_offer();
            }
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
