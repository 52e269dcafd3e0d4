//! Routes: spectators of live matches.

use std::time::Duration;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use leitai_store::{Match, MatchId};
use serde_json::json;

use crate::client_address::ClientAddress;
use crate::http::prelude::*;
use crate::http::routes::match_access::{hidden_of, refuse_hidden};
use crate::http::socket::{BoundedSocket, bound_upgrade};
use crate::http::summaries::{MatchSummary, with_live_state};
use crate::live::backlog::BacklogCursor;
use crate::live::{Spectator, SpectatorMessage};

/// The interval of the check whether a waiting match was cancelled.
const LOOK: Duration = Duration::from_secs(20);

/// The routes of spectators.
pub fn live_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(watch_match))
}

/// Options of a spectator.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Watching {
    /// What a spectator who arrives in the middle of a leg receives first: the whole leg (default),
    /// or only its newest frame, so that the position is there at once; earlier frames are then
    /// requested.
    #[param(inline)]
    start: Option<StartWord>,
    /// The encoding of messages: text by default. With `deflate`, long messages are binary: the
    /// text in raw DEFLATE (RFC 1951).
    #[param(inline)]
    encoding: Option<EncodingWord>,
}

/// The first frames that a spectator receives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum StartWord {
    #[default]
    Beginning,
    Newest,
}

/// The encoding of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum EncodingWord {
    #[default]
    Text,
    Deflate,
}

/// A request of a spectator.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum SpectatorRequest {
    /// Earlier frames of the run with this name, from about this step on.
    Earlier { run: String, from: usize },
}

/// Watches a match while it is played. Messages are JSON texts with a `type`: `hello` (the match),
/// `leg` (the frames of the leg so far), `frames` (new frames), `presence` (the connected people),
/// `finished` (the match with its result); see docs/live.md.
#[utoipa::path(get, operation_id = "watch_match",
    path = "/api/matches/{id}/live", tag = "play", params(("id" = i64, Path), Watching),
    responses((status = 101, description = "a WebSocket"), (status = 503, body = ErrorBody)))]
async fn watch_match(
    app: App,
    caller: Caller,
    address: ClientAddress,
    Path(id): Path<MatchId>,
    Query(query): Query<Watching>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response> {
    let upgrade = need_socket(upgrade)?;
    let guest = app
        .arena
        .spectators
        .admit_spectator(address)
        .ok_or_else(too_many)?;
    let own = app.store.match_by_id(id).await?;
    let hidden = hidden_of(&app, &own, &caller).await?;
    if hidden.replay {
        return Err(refuse_hidden(id, hidden));
    }
    let over = own.state.is_over();
    let hello = match_message(
        "hello",
        &with_live_state(MatchSummary::from(&own), &app.arena.live),
    );
    Ok(bound_upgrade(upgrade).on_upgrade(move |socket| async move {
        let _guest = guest;
        let deflates = query.encoding.unwrap_or_default() == EncodingWord::Deflate;
        let socket = BoundedSocket::new(socket).with_compression(deflates);
        match over {
            true => serve_finished(socket, hello, finished_message(&own)).await,
            false => wait_and_show(socket, hello, app, id, query).await,
        }
    }))
}

/// The error for a request that is not a WebSocket upgrade.
pub fn need_socket(
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<WebSocketUpgrade> {
    upgrade.map_err(|rejection| {
        let message = format!("{}; this address is for WebSockets", rejection.body_text());
        ApiError::new(rejection.status(), "not-a-websocket", message)
    })
}

/// The error for too many spectators.
pub fn too_many() -> ApiError {
    let message =
        "too many people watch from your address, or here altogether; try again in a moment";
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "too-many", message)
}

/// A message with a match.
pub fn match_message(kind: &str, brief: &MatchSummary) -> String {
    json!({"type": kind, "match": brief}).to_string()
}

/// How a match ended, as a message.
fn finished_message(own: &Match) -> String {
    match_message("finished", &MatchSummary::from(own))
}

/// How a match ended, as the database has it now.
pub async fn over_message(app: &App, id: MatchId) -> String {
    match app.store.match_by_id(id).await {
        Ok(own) => finished_message(&own),
        Err(error) => {
            tracing::error!(%id, %error, "nobody could be told how a match ended");
            json!({"type": "finished", "match": null}).to_string()
        }
    }
}

async fn serve_finished(mut socket: BoundedSocket, hello: String, over: String) {
    if socket.send_text(hello.into()).await {
        socket.end_match(over.into()).await;
    }
}

/// Waits for a match that is not running yet, then serves it. A match whose worker was lost is
/// waited for again, until another worker plays it.
async fn wait_and_show(
    mut socket: BoundedSocket,
    hello: String,
    app: App,
    id: MatchId,
    query: Watching,
) {
    if !socket.send_text(hello.into()).await {
        return;
    }
    let newest = query.start.unwrap_or_default() == StartWord::Newest;
    let mut place: Option<BacklogCursor> = None;
    loop {
        let watch = loop {
            tokio::select! {
                watch = app.arena.live.watch_when_begun(id.0) => break watch,
                // No frames can be requested yet.
                heard = socket.receive_text() => if heard.is_none() { return },
                () = tokio::time::sleep(LOOK) => if is_over(&app, id).await {
                    return socket.end_match(over_message(&app, id).await.into()).await;
                },
            }
        };
        let mut watch = match place {
            Some(place) => watch.after(place),
            None if newest => watch.newest_first(),
            None => watch,
        };
        if !send_frames(&mut socket, &mut watch).await {
            return;
        }
        // One look for all spectators; nothing while the match is not over.
        let over = async {
            match is_over(&app, id).await {
                true => over_message(&app, id).await,
                false => String::new(),
            }
        };
        let over = watch.wait_for_end(over).await;
        if !over.is_empty() {
            return socket.end_match(over).await;
        }
        place = Some(watch.place());
    }
}

async fn is_over(app: &App, id: MatchId) -> bool {
    let own = app.store.match_by_id(id).await;
    own.is_ok_and(|own| own.finished.is_some())
}

/// Answers a spectator's request; unknown texts are ignored.
fn answer_request(watch: &Spectator, text: &str) -> Option<SpectatorMessage> {
    let SpectatorRequest::Earlier { run, from } = serde_json::from_str(text).ok()?;
    watch.earlier_frames(&run, from)
}

/// Sends a match until it is over, and then its result.
pub async fn serve_live(
    mut socket: BoundedSocket,
    mut watch: Spectator,
    over: impl Future<Output = String>,
) {
    if send_frames(&mut socket, &mut watch).await {
        socket.end_match(watch.wait_for_end(over).await).await;
    }
}

/// Sends frames until the live match ends; false if the spectator is gone.
async fn send_frames(socket: &mut BoundedSocket, watch: &mut Spectator) -> bool {
    loop {
        tokio::select! {
            message = watch.next() => match message {
                Some(message) => {
                    if !socket.send_to_spectator(&message).await {
                        return false;
                    }
                }
                None => return true,
            },
            heard = socket.receive_text() => {
                let Some(text) = heard else { return false };
                let earlier = answer_request(watch, text.as_str());
                if let Some(message) = earlier && !socket.send_to_spectator(&message).await {
                    return false;
                }
            }
        }
    }
}
