//! People who play.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Utf8Bytes, close_code};
use leitai_store::TokenHash;
use serde::Deserialize;
use tokio::time::timeout;

use super::socket::Socket;
use crate::arena::table::{End, Seated, Table};

/// How long a connection may take to say who sits down.
const PATIENCE: Duration = Duration::from_secs(15);
/// Closing code: there is no such seat.
pub const NO_SEAT: u16 = 4403;
/// Closing code: the same person has sat down on another connection.
pub const REPLACED: u16 = 4409;

/// Closing code: the connection was too slow; sit down again.
pub const SLOW: u16 = 4408;

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
