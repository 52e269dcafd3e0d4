//! What every WebSocket of ours does: it is bounded in what it takes and in how long it waits, and
//! it finds out when nobody is there any more.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::live;

/// Bytes in a message to us.
const LONGEST: usize = 8 << 10;
/// Messages to us at once, and then each second.
const BURST: (u32, u32) = (60, 20);
/// How often it is asked whether anybody is there. Who has not said anything for two of these is
/// gone.
const PING: Duration = Duration::from_secs(25);
/// How long one message may take to be sent.
const PATIENCE: Duration = Duration::from_secs(20);

/// A bounded WebSocket.
pub struct BoundedSocket {
    inner: WebSocket,
    ping: Interval,
    heard: bool,
    deflates: bool,
    allowance: u32,
    filled: Instant,
}

/// Bytes of a text from which on it is compressed on a thread of its own.
const LONG: usize = 256 << 10;

/// Prepares for an upgrade to a [`BoundedSocket`].
pub fn bound_upgrade(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    // Nobody tells us much, and thousands may listen: the usual buffer of 128 KiB each would be
    // most of the memory.
    upgrade
        .max_message_size(LONGEST)
        .max_frame_size(LONGEST)
        .read_buffer_size(1 << 10)
}

impl BoundedSocket {
    /// Over this connection.
    pub fn new(inner: WebSocket) -> BoundedSocket {
        let mut ping = interval_at(Instant::now() + PING, PING);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (heard, deflates, filled) = (true, false, Instant::now());
        BoundedSocket {
            inner,
            ping,
            heard,
            deflates,
            allowance: BURST.0,
            filled,
        }
    }

    /// With messages to spectators compressed, as binary ones.
    pub fn deflating(mut self, deflates: bool) -> BoundedSocket {
        self.deflates = deflates;
        self
    }

    /// Sends a message to a spectator; tells whether it could.
    pub async fn show(&mut self, message: &live::Message) -> bool {
        let deflated = if self.deflates {
            deflated(message).await
        } else {
            None
        };
        match deflated {
            Some(bytes) => self.send_message(Message::Binary(bytes)).await,
            None => self.send_text(message.text().clone()).await,
        }
    }

    /// Sends a text; tells whether it could.
    pub async fn send_text(&mut self, text: Utf8Bytes) -> bool {
        self.send_message(Message::Text(text)).await
    }

    async fn send_message(&mut self, message: Message) -> bool {
        matches!(
            tokio::time::timeout(PATIENCE, self.inner.send(message)).await,
            Ok(Ok(()))
        )
    }

    /// The next text; `None` when the connection is gone, or was closed because too much came. May
    /// be dropped while it waits.
    pub async fn receive_text(&mut self) -> Option<Utf8Bytes> {
        loop {
            tokio::select! {
                heard = self.inner.recv() => {
                    let message = heard?.ok()?;
                    self.heard = true;
                    if !self.allow_message() {
                        self.close_socket(close_code::POLICY, "too many messages").await;
                        return None;
                    }
                    match message {
                        Message::Text(text) => return Some(text),
                        Message::Close(_) => return None,
                        Message::Binary(_) | Message::Ping(_) | Message::Pong(_) => {}
                    }
                }
                _ = self.ping.tick() => {
                    if !std::mem::replace(&mut self.heard, false) || !self.send_message(Message::Ping(Default::default())).await {
                        return None;
                    }
                }
            }
        }
    }

    /// Whether one more message is all right.
    fn allow_message(&mut self) -> bool {
        let (most, each_second) = BURST;
        let earned = (self.filled.elapsed().as_secs_f64() * f64::from(each_second)) as u32;
        if earned > 0 {
            (self.allowance, self.filled) = ((self.allowance + earned).min(most), Instant::now());
        }
        self.allowance = self.allowance.saturating_sub(1);
        self.allowance > 0
    }

    /// Tells how the match ended, and closes: the end of every connection to a match.
    pub async fn end_match(&mut self, finished: Utf8Bytes) {
        if self.send_text(finished).await {
            self.close_socket(close_code::NORMAL, "the match is over")
                .await;
        }
    }

    /// Says goodbye.
    pub async fn close_socket(&mut self, code: u16, why: &'static str) {
        self.send_message(Message::Close(Some(CloseFrame {
            code,
            reason: why.into(),
        })))
        .await;
    }
}

/// A whole leg takes long to compress: that is not done where thousands of connections are served.
async fn deflated(message: &live::Message) -> Option<Bytes> {
    if message.text().len() < LONG {
        return message.deflated();
    }
    let message = message.clone();
    tokio::task::spawn_blocking(move || message.deflated())
        .await
        .ok()
        .flatten()
}
