//! Routes: playing in human matches.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Utf8Bytes, WebSocketUpgrade, close_code};
use leitai_game::Entrant;
use leitai_store::{
    Match, MatchEntrant, MatchEntrantKind, MatchId, MatchKind, MatchSide, TokenHash, TokenScope,
};
use tokio::time::{Instant, timeout};

use super::live::{match_message, need_socket, over_message, too_many};
use crate::client_address::ClientAddress;
use crate::http::prelude::*;
use crate::http::socket::{BoundedSocket, bound_upgrade};
use crate::http::summaries::{MatchSummary, with_live_state};
use crate::play::resume::{open_waiting, resume_matches};
use crate::play::seat_owner::find_seat;
use crate::play::seat_relay::{NoSeat, RelayedSeat, SeatEvent};
use crate::play::{CloseReason, HumanMatch, JoinedParticipant, PlayContext, run};

/// The timeout of the `join` message.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long a person waits for a match whose server is gone, until another goes on with it.
const TAKE_OVER: Duration = Duration::from_secs(75);
/// The pause between two looks for it.
const LOOK: Duration = Duration::from_secs(1);
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

/// Whether the caller is, with the scope `play`, the author of a program at home that plays. Where no
/// person plays, everybody else is refused at once: the token of a seat alone is not enough.
fn check_author(own: &Match, caller: &Caller) -> Result<bool> {
    let entrants = || [&own.a, &own.b].into_iter().flatten();
    let mut programs = entrants()
        .filter(|entrant| entrant.home.is_some())
        .peekable();
    if programs.peek().is_none() {
        return Ok(false);
    }
    let user = caller.0.as_ref();
    if let Some(user) = user.filter(|user| programs.any(|own| own.user == Some(user.id))) {
        user.need_scope(TokenScope::Play)?;
        return Ok(true);
    }
    let is_person = |own: &MatchEntrant| own.kind == MatchEntrantKind::Person && own.home.is_none();
    if entrants().any(is_person) {
        return Ok(false);
    }
    user.ok_or_else(ApiError::needs_login)?;
    let why = "the program at this seat belongs to another account";
    Err(ApiError::forbidden("not-yours", why))
}

/// Whether the caller may take the seat of this token: that of a program at home only its author.
fn may_take(own: &Match, user: Option<UserId>, token: &TokenHash) -> bool {
    let entrant = match own.side_of_seat(token) {
        Some(MatchSide::A) => own.a.as_ref(),
        Some(MatchSide::B) => own.b.as_ref(),
        None => None,
    };
    entrant.is_none_or(|one| one.home.is_none() || (user.is_some() && one.user == user))
}

/// Plays in a human match. Messages are JSON texts with a `type`. The client first sends `join`
/// with its token; then it receives what spectators receive (from its own perspective), and
/// `ready`, `countdown`, `question`, `refused`; it answers with `ready`, `choose` or `resign`.
/// A program at home needs an API token of its author too; it receives `stream`, `input`, `asked`
/// and `ping`, and answers with `output`, `exited`, `pong` or `resign`; `data` is in base64.
#[utoipa::path(get, operation_id = "play_match",
    path = "/api/matches/{id}/play", tag = "play", security((), ("token" = []), ("session" = [])), params(("id" = i64, Path)),
    responses((status = 101, description = "a WebSocket"), (status = 403, body = ErrorBody),
    (status = 503, body = ErrorBody)))]
async fn play_match(
    app: App,
    caller: Caller,
    address: ClientAddress,
    Path(id): Path<MatchId>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response> {
    let upgrade = need_socket(upgrade)?;
    let guest = app
        .arena
        .spectators
        .admit_spectator(address)
        .ok_or_else(too_many)?;
    let own = app.store.match_by_id(id).await?;
    let is_program = check_author(&own, &caller)?;
    let human_match = app.arena.human_matches.find_match(id.0);
    let may_be_elsewhere = app.arena.human_matches.others().is_some()
        && own.kind == MatchKind::Human
        && !own.state.is_over();
    if human_match.is_none() && !may_be_elsewhere {
        return Err(ApiError::not_found(format!(
            "nobody plays match {id} here, or it is over; create a new match"
        )));
    }
    let hello = match_message(
        "hello",
        &with_live_state(MatchSummary::from(&own), &app.arena.live),
    );
    let author = caller.user_id().filter(|_| is_program);
    Ok(bound_upgrade(upgrade).on_upgrade(move |socket| async move {
        let _guest = guest;
        let socket = match is_program {
            true => BoundedSocket::new(socket).for_program(),
            false => BoundedSocket::new(socket),
        };
        join_anywhere(app, own, author, socket, hello.into()).await;
    }))
}

/// The first message of a client.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum JoinMessage {
    Join {
        token: String,
        /// False: the person reads first, and will say `ready`.
        #[serde(default = "is_ready")]
        ready: bool,
    },
}

/// Programs are ready as soon as they have joined.
const fn is_ready() -> bool {
    true
}

/// What the `join` message says.
struct JoinRequest {
    token: TokenHash,
    /// Whether the person reads before the match may begin.
    reads: bool,
}

/// Serves a person until the match is over, wherever it is played.
async fn join_anywhere(
    app: App,
    own: Match,
    author: Option<UserId>,
    mut socket: BoundedSocket,
    hello: Utf8Bytes,
) {
    let id = own.id;
    let Some(join) = receive_join(&mut socket).await else {
        return;
    };
    if !may_take(&own, author, &join.token) {
        return refuse_token(socket).await;
    }
    let context = app.play_context();
    let begun = Instant::now();
    // Two servers do not take a match over at the same moment.
    let patience = Duration::from_millis(rand::random_range(5_000..9_000));
    loop {
        if let Some(human_match) = context.human_matches.find_match(id.0) {
            let entrant = find_seat(&context, &human_match, &join.token).await;
            let seat = SeatRequest {
                entrant,
                reads: join.reads,
            };
            let over = async move { over_message(&app, id).await };
            return serve_seat(socket, hello, human_match, seat, over, |human_match| {
                run::spawn_match(context, human_match);
            })
            .await;
        }
        let joined = match context.human_matches.others() {
            Some(bus) => RelayedSeat::join(bus, id.0, &join.token, join.reads).await,
            None => Err(NoSeat::NoBus),
        };
        let is_abandoned = matches!(joined, Err(NoSeat::Nobody)) && begun.elapsed() >= patience;
        match joined {
            Ok(seat) => return relay_seat(&app, id, socket, hello, seat).await,
            Err(NoSeat::WrongToken) => return refuse_token(socket).await,
            Err(NoSeat::Nobody | NoSeat::NoBus) => {}
        }
        let own = app.store.match_by_id(id).await;
        if own.is_ok_and(|own| own.state.is_over()) {
            return socket.end_match(over_message(&app, id).await.into()).await;
        }
        if begun.elapsed() >= TAKE_OVER {
            let why = "the server of this match is gone; join again, or create a new match";
            return socket.close_socket(close_code::AGAIN, why).await;
        }
        if take_over(&context, id, is_abandoned).await {
            continue;
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            // Nothing can be said yet.
            heard = socket.receive_text() => if heard.is_none() { return },
        }
    }
}

/// The match's server is gone, or away from the bus: this one goes on with the match as soon as its lease
/// has ended, and opens one that waits for people if nobody has it. Whether it was opened.
async fn take_over(context: &PlayContext, id: MatchId, is_abandoned: bool) -> bool {
    if let Err(error) = resume_matches(context).await {
        tracing::warn!(%id, %error, "the match of a server that is gone was not taken over");
    }
    if !is_abandoned {
        return false;
    }
    let opened = open_waiting(context, id).await;
    opened.unwrap_or_else(|error| {
        tracing::warn!(%id, %error, "the match of a server that is gone is not opened");
        false
    })
}

/// The first message.
async fn receive_join(socket: &mut BoundedSocket) -> Option<JoinRequest> {
    let first = timeout(PATIENCE, socket.receive_text())
        .await
        .ok()
        .flatten();
    let first = first.and_then(|text| serde_json::from_str(text.as_str()).ok());
    let Some(JoinMessage::Join { token, ready }) = first else {
        socket
            .close_socket(close_code::POLICY, "send a join message first")
            .await;
        return None;
    };
    Some(JoinRequest {
        token: TokenHash::from_token(&token),
        reads: !ready,
    })
}

async fn refuse_token(mut socket: BoundedSocket) {
    socket
        .close_socket(NO_SEAT, "the token is for no seat of this match")
        .await;
}

/// Serves a person in a match without a database until it is over; `over` makes the last message.
/// `begin` is called when the last of the people has joined.
pub async fn join_match(
    mut socket: BoundedSocket,
    hello: Utf8Bytes,
    human_match: Arc<HumanMatch>,
    over: impl Future<Output = String>,
    begin: impl FnOnce(Arc<HumanMatch>),
) {
    let Some(join) = receive_join(&mut socket).await else {
        return;
    };
    let seat = SeatRequest {
        entrant: human_match.side_of_token(&join.token),
        reads: join.reads,
    };
    serve_seat(socket, hello, human_match, seat, over, begin).await;
}

/// A seat that somebody asks for.
struct SeatRequest {
    /// `None`: the token is for no seat.
    entrant: Option<Entrant>,
    reads: bool,
}

/// Serves a person at this seat of a match of this server.
async fn serve_seat(
    mut socket: BoundedSocket,
    hello: Utf8Bytes,
    human_match: Arc<HumanMatch>,
    seat: SeatRequest,
    over: impl Future<Output = String>,
    begin: impl FnOnce(Arc<HumanMatch>),
) {
    let SeatRequest { entrant, reads } = seat;
    if let (Some(entrant), true) = (entrant, reads) {
        human_match.note_reading(entrant);
    }
    let Some(mut seated) = entrant.and_then(|entrant| human_match.join_match(entrant)) else {
        return refuse_token(socket).await;
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
    end_connection(socket, reason, over).await;
}

/// Serves a person whose match is played on another server.
async fn relay_seat(
    app: &App,
    id: MatchId,
    mut socket: BoundedSocket,
    hello: Utf8Bytes,
    mut seat: RelayedSeat,
) {
    if !socket.send_text(hello).await {
        return;
    }
    let reason = loop {
        tokio::select! {
            event = seat.next() => match event {
                SeatEvent::Text(text) => {
                    if !socket.send_text(text.into()).await {
                        return;
                    }
                }
                SeatEvent::End(reason) => break reason,
            },
            heard = socket.receive_text() => match heard {
                Some(text) => seat.say(text.as_str()),
                None => return,
            },
        }
    };
    end_connection(socket, reason, over_message(app, id)).await;
}

async fn end_connection(
    mut socket: BoundedSocket,
    reason: CloseReason,
    over: impl Future<Output = String>,
) {
    let (code, why) = match reason {
        CloseReason::Over => return socket.end_match(over.await.into()).await,
        CloseReason::Replaced => (REPLACED, "you joined on another connection"),
        CloseReason::Flooded => (
            close_code::POLICY,
            "the program sent more bytes than may wait to be read",
        ),
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
