//! Spectators.

use axum::extract::ws::{Utf8Bytes, close_code};

use super::socket::Socket;
use crate::arena::hub::Watch;

/// Shows a match until it is over, and then says how it ended.
pub async fn show(
    mut socket: Socket,
    hello: Utf8Bytes,
    mut watch: Watch,
    over: impl Future<Output = String>,
) {
    if !socket.send(hello).await {
        return;
    }
    loop {
        tokio::select! {
            message = watch.next() => match message {
                Some(text) => {
                    if !socket.send(text).await {
                        return;
                    }
                }
                None => break,
            },
            // Spectators have nothing to say.
            heard = socket.text() => if heard.is_none() { return },
        }
    }
    let last = watch.over(over).await;
    if socket.send(last).await {
        socket.close(close_code::NORMAL, "the match is over").await;
    }
}
