//! Routes: people who play.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Utf8Bytes, WebSocketUpgrade, close_code};
use axum::response::Response;
use leitai_store::{MatchId, TokenHash};
use serde::Deserialize;
use tokio::time::timeout;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::live::{message, need_socket, stood, too_many};
use super::socket::{Socket, bounded};
use crate::api::brief::MatchBrief;
use crate::api::extract::Path;
use crate::app::App;
use crate::arena::table::{End, Seated, Table, run};
use crate::auth::Address;
use crate::error::{ApiError, ErrorBody};

/// How long a connection may take to say who sits down.
const PATIENCE: Duration = Duration::from_secs(15);
/// Closing code: there is no such seat.
pub const NO_SEAT: u16 = 4403;
/// Closing code: the same person has sat down on another connection.
pub const REPLACED: u16 = 4409;

/// Closing code: the connection was too slow; sit down again.
pub const SLOW: u16 = 4408;

/// The routes of people who play.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(play))
}

/// A seat at a table. JSON texts, one a message, each with a `type`. First the person says `sit` with its token; then it
/// gets what spectators get (with its own eye), and `countdown`, `ask`, `refused`; it answers with `say`, or `leave`s.
#[utoipa::path(get, operation_id = "play_match",
    path = "/api/matches/{id}/play", tag = "play", params(("id" = i64, Path)), responses(
    (status = 101, description = "a WebSocket"), (status = 404, body = ErrorBody), (status = 503, body = ErrorBody),
))]
async fn play(
    State(app): State<App>,
    address: Address,
    Path(id): Path<MatchId>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let upgrade = need_socket(upgrade)?;
    let guest = app.arena.guests.admit(address).ok_or_else(too_many)?;
    let nobody =
        || ApiError::not_found(format!("nobody plays match {id} here, or it is over; open a new table"));
    let table = app.arena.tables.table(id.0).ok_or_else(nobody)?;
    let hello = message("hello", &stood(MatchBrief::from(&app.store.match_by_id(id).await?), &app.arena.hub));
    Ok(bounded(upgrade).on_upgrade(move |socket| async move {
        let _guest = guest;
        seat(Socket::new(socket), hello.into(), table, move |table| run::begin(app, table)).await;
    }))
}

/// The first word of a person.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum First {
    Sit { token: String },
}

/// Lets a person play until the match is over. `begin` is called when the last of the people has come.
pub async fn seat(mut socket: Socket, hello: Utf8Bytes, table: Arc<Table>, begin: impl FnOnce(Arc<Table>)) {
    let first = timeout(PATIENCE, socket.text()).await.ok().flatten();
    let first = first.and_then(|text| serde_json::from_str(text.as_str()).ok());
    let Some(First::Sit { token }) = first else {
        return socket.close(close_code::POLICY, "say who sits down first").await;
    };
    let entrant = table.side(&TokenHash::of(&token));
    let Some(mut seated) = entrant.and_then(|entrant| table.sit(entrant)) else {
        return socket.close(NO_SEAT, "the token is for no seat of this match").await;
    };
    if !socket.send(hello).await {
        return;
    }
    if seated.begins {
        begin(table);
    }
    talk(&mut socket, &mut seated).await;
}

async fn talk(socket: &mut Socket, seated: &mut Seated) {
    loop {
        tokio::select! {
            message = seated.next() => match message {
                Some(text) => {
                    if !socket.send(text).await {
                        return;
                    }
                }
                None => return goodbye(socket, seated.end()).await,
            },
            heard = socket.text() => match heard {
                // What is no word of ours is not for us.
                Some(text) => _ = serde_json::from_str(text.as_str()).map(|word| seated.say(word)),
                None => return,
            },
        }
    }
}

async fn goodbye(socket: &mut Socket, end: End) {
    let (code, why) = match end {
        End::Over => (close_code::NORMAL, "the match is over"),
        End::Replaced => (REPLACED, "you sat down elsewhere"),
        End::Slow => (SLOW, "the connection was too slow; sit down again"),
    };
    socket.close(code, why).await;
}
