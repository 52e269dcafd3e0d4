//! Routes: the lobby, in which people who want to play meet. It belongs to this server process.

use crate::http::handler::routes;
use axum::extract::State;
use leitai_store::{MatchEntrant, MatchId, MatchSide, StoreError, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use super::human_matches::{
    DealtMatch, GuestName, JoinedSeat, SideChoice, choose_side, human_entrant, limit_error,
    open_match, opener_of, take_seat,
};
use crate::client_address::ClientAddress;
use crate::http::app::App;
use crate::http::caller::Caller;
use crate::http::error::{ApiError, ErrorBody};
use crate::http::extract::{Json, Path};
use crate::http::list::ListPage;
use crate::play::lobby::{OpenTable, TableForm, TableRequest};
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
    game: &'static str,
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
async fn list_open_tables(State(app): State<App>) -> axum::Json<ListPage<OpenTableSummary>> {
    let tables = app.arena.human_matches.list_open_tables();
    let tables = tables.into_iter().map(OpenTableSummary::from).collect();
    axum::Json(ListPage::single_page(tables))
}

/// Takes the free seat of a table in the lobby.
#[utoipa::path(post, operation_id = "take_open_table",
    path = "/api/lobby/{match}", tag = "play",
    security((), ("token" = []), ("session" = [])), params(("match" = i64, Path)),
    request_body = GuestName, responses(
        (status = 200, body = JoinedSeat), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
        (status = 422, body = ErrorBody), (status = 429, body = ErrorBody),
    ))]
async fn take_open_table(
    State(app): State<App>,
    caller: Caller,
    address: ClientAddress,
    Path(id): Path<MatchId>,
    Json(guest): Json<GuestName>,
) -> Result<axum::Json<JoinedSeat>, ApiError> {
    app.limiter
        .allow_human_match(caller.user_id(), address)
        .await?;
    let person = human_entrant(&caller, guest.name.as_deref())?;
    let human_matches = &app.arena.human_matches;
    let _meeting = human_matches.meeting.lock().await;
    let table = human_matches.find_match(id.0);
    let (table, offer) = table
        .as_ref()
        .and_then(|table| Some((table, table.open_table()?)))
        .ok_or_else(|| {
            ApiError::not_found(format!(
                "match {id} is no table of the lobby; choose another table, or open one"
            ))
        })?;
    if table.is_own_of(opener_of(&caller, address)) {
        let message = "this is your own table; wait there until somebody comes";
        return Err(ApiError::conflict("own-table", message));
    }
    let gone = || {
        let message = "nobody waits at this table any more; choose another one, or open one";
        ApiError::conflict("gone", message)
    };
    if !table.has_free_seat() {
        return Err(gone());
    }
    match take_table(&app, table, &offer.invite, person).await? {
        Some(joined) => Ok(axum::Json(joined)),
        None => Err(gone()),
    }
}

/// Brings a person to the table that has waited longest for such a person, or to a table of their
/// own.
pub(super) async fn meet_anybody(
    app: &App,
    by: Opener,
    person: MatchEntrant,
    side: SideChoice,
    dealt: DealtMatch,
) -> Result<JoinedSeat, ApiError> {
    let human_matches = &app.arena.human_matches;
    let wanted = TableRequest {
        form: TableForm {
            game: dealt.header.game.meta().id,
            config: dealt.config.clone(),
            legs: dealt.header.legs,
        },
        side: (side != SideChoice::Any).then(|| choose_side(side)),
        by,
    };
    let _meeting = human_matches.meeting.lock().await;
    while let Some(table) = human_matches.find_open_table(&wanted) {
        let Some(offer) = table.open_table() else {
            break;
        };
        if let Some(joined) = take_table(app, &table, &offer.invite, person.clone()).await? {
            return Ok(joined);
        }
    }
    human_matches.check_limits(by).map_err(limit_error)?;
    let own = (choose_side(side), person);
    open_match(app, by, own, None, dealt, true).await
}

/// Takes the free seat of a table; `None` if the match was cancelled meanwhile: then the table is
/// no longer offered.
async fn take_table(
    app: &App,
    table: &HumanMatch,
    invite: &str,
    person: MatchEntrant,
) -> Result<Option<JoinedSeat>, ApiError> {
    match take_seat(app, Some(table), invite, person).await {
        Ok(joined) => {
            run::cancel_if_stood_up(app.play_context());
            Ok(Some(joined))
        }
        Err(StoreError::Refused(_) | StoreError::Missing { what: "invite", .. }) => {
            table.withdraw_offer();
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
