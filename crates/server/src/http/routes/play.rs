//! Routes: playing in human matches.

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

use super::live::{match_message, need_socket, over_message, too_many};
use crate::client_address::ClientAddress;
use crate::http::app::App;
use crate::http::error::{ApiError, ErrorBody};
use crate::http::extract::Path;
use crate::http::socket::{BoundedSocket, bound_upgrade};
use crate::http::summaries::{MatchSummary, with_live_state};
use crate::play::{CloseReason, HumanMatch, JoinedParticipant, run};

/// The timeout of the `join` message.
const PATIENCE: Duration = Duration::from_secs(15);
/// Closing code: the token does not belong to a seat of the match.
pub const NO_SEAT: u16 = 4403;
/// Closing code: the same person has joined on another connection.
pub const REPLACED: u16 = 4409;

/// Closing code: the connection was too slow; join again.
pub const SLOW: u16 = 4408;

/// The routes of people who play.
pub fn play_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(play_match))
}

/// Plays in a human match. Messages are JSON texts with a `type`. The client first sends `join`
/// with its token; then it receives what spectators receive (from its own perspective), and
/// `countdown`, `question`, `refused`; it answers with `choose` or `resign`.
#[utoipa::path(get, operation_id = "play_match",
    path = "/api/matches/{id}/play", tag = "play", params(("id" = i64, Path)), responses(
    (status = 101, description = "a WebSocket"), (status = 404, body = ErrorBody), (status = 503, body = ErrorBody),
))]
async fn play_match(
    State(app): State<App>,
    address: ClientAddress,
    Path(id): Path<MatchId>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let upgrade = need_socket(upgrade)?;
    let guest = app
        .arena
        .spectators
        .admit_spectator(address)
        .ok_or_else(too_many)?;
    let nobody = || {
        ApiError::not_found(format!(
            "nobody plays match {id} here, or it is over; create a new match"
        ))
    };
    let human_match = app
        .arena
        .human_matches
        .find_match(id.0)
        .ok_or_else(nobody)?;
    let hello = match_message(
        "hello",
        &with_live_state(
            MatchSummary::from(&app.store.match_by_id(id).await?),
            &app.arena.live,
        ),
    );
    let context = app.play_context();
    let over = async move { over_message(&app, id).await };
    Ok(bound_upgrade(upgrade).on_upgrade(move |socket| async move {
        let _guest = guest;
        join_match(
            BoundedSocket::new(socket),
            hello.into(),
            human_match,
            over,
            move |human_match| run::spawn_match(context, human_match),
        )
        .await;
    }))
}

/// The first message of a client.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum JoinMessage {
    Join { token: String },
}

/// Serves a person until the match is over; `over` makes the last message. `begin` is called when
/// the last of the people has joined.
pub async fn join_match(
    mut socket: BoundedSocket,
    hello: Utf8Bytes,
    human_match: Arc<HumanMatch>,
    over: impl Future<Output = String>,
    begin: impl FnOnce(Arc<HumanMatch>),
) {
    let first = timeout(PATIENCE, socket.receive_text())
        .await
        .ok()
        .flatten();
    let first = first.and_then(|text| serde_json::from_str(text.as_str()).ok());
    let Some(JoinMessage::Join { token }) = first else {
        return socket
            .close_socket(close_code::POLICY, "send a join message first")
            .await;
    };
    let entrant = human_match.side_of_token(&TokenHash::from_token(&token));
    let Some(mut seated) = entrant.and_then(|entrant| human_match.join_match(entrant)) else {
        return socket
            .close_socket(NO_SEAT, "the token is for no seat of this match")
            .await;
    };
    if !socket.send_text(hello).await {
        return;
    }
    if seated.begins {
        begin(human_match);
    }
    let Some(reason) = exchange_messages(&mut socket, &mut seated).await else {
        return;
    };
    let (code, why) = match reason {
        CloseReason::Over => return socket.end_match(over.await.into()).await,
        CloseReason::Replaced => (REPLACED, "you joined on another connection"),
        CloseReason::Slow => (SLOW, "the connection was too slow; join again"),
        CloseReason::Restart => (
            close_code::RESTART,
            "the server restarts; join again in a moment",
        ),
    };
    socket.close_socket(code, why).await;
}

/// Forwards messages in both directions. Returns why the server closes the connection; `None` if
/// the connection is gone.
async fn exchange_messages(
    socket: &mut BoundedSocket,
    seated: &mut JoinedParticipant,
) -> Option<CloseReason> {
    loop {
        tokio::select! {
            message = seated.next() => match message {
                Some(text) => {
                    if !socket.send_text(text).await {
                        return None;
                    }
                }
                None => return Some(seated.close_reason()),
            },
            heard = socket.receive_text() => match heard {
                // Unknown messages are ignored.
                Some(text) => _ = serde_json::from_str(text.as_str()).map(|word| seated.handle_message(word)),
                None => return None,
            },
        }
    }
}
