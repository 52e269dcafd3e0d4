//! WebSockets with limits on input and waiting time, and with pings that detect dead connections.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::live;

/// The longest received message in bytes.
const LONGEST: usize = 8 << 10;
/// Received messages: burst, and then each second.
const BURST: (u32, u32) = (60, 20);
/// The same of a program, which answers more often than a person.
const PROGRAM_BURST: (u32, u32) = (1200, 400);
/// The interval of pings. A connection that is silent for two intervals is closed.
const PING: Duration = Duration::from_secs(25);
/// The timeout of sending one message.
const PATIENCE: Duration = Duration::from_secs(20);

/// A bounded WebSocket.
pub struct BoundedSocket {
    inner: WebSocket,
    ping: Interval,
    heard: bool,
    deflates: bool,
    allowance: u32,
    /// Received messages: burst, and then each second.
    rate: (u32, u32),
    filled: Instant,
}

/// Longer texts, in bytes, are compressed on a separate thread.
const LONG: usize = 256 << 10;

/// Prepares for an upgrade to a [`BoundedSocket`].
pub fn bound_upgrade(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    // Clients send little, and there may be thousands: the default buffer of 128 KiB each would be
    // most of the memory.
    upgrade
        .max_message_size(LONGEST)
        .max_frame_size(LONGEST)
        .read_buffer_size(1 << 10)
}

impl BoundedSocket {
    /// Wraps a connection.
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
            rate: BURST,
            filled,
        }
    }

    /// Allows as many messages as a program sends.
    pub fn for_program(mut self) -> BoundedSocket {
        (self.rate, self.allowance) = (PROGRAM_BURST, PROGRAM_BURST.0);
        self
    }

    /// Sends spectator messages compressed, as binary ones.
    pub fn with_compression(mut self, deflates: bool) -> BoundedSocket {
        self.deflates = deflates;
        self
    }

    /// Sends a message to a spectator; false if it failed.
    pub async fn send_to_spectator(&mut self, message: &live::SpectatorMessage) -> bool {
        let deflated = if self.deflates {
            compress_message(message).await
        } else {
            None
        };
        match deflated {
            Some(bytes) => self.send_message(Message::Binary(bytes)).await,
            None => self.send_text(message.text().clone()).await,
        }
    }

    /// Sends a text; false if it failed.
    pub async fn send_text(&mut self, text: Utf8Bytes) -> bool {
        self.send_message(Message::Text(text)).await
    }

    async fn send_message(&mut self, message: Message) -> bool {
        matches!(
            tokio::time::timeout(PATIENCE, self.inner.send(message)).await,
            Ok(Ok(()))
        )
    }

    /// Receives the next text; `None` if the connection is gone or was closed because of too many
    /// messages. Cancel-safe.
    pub async fn receive_text(&mut self) -> Option<Utf8Bytes> {
        loop {
            tokio::select! {
                heard = self.inner.recv() => {
                    let Ok(message) = heard? else {
                        // A connection that is broken hears nothing of it.
                        let why = "a message has at most 8192 bytes";
                        self.close_socket(close_code::SIZE, why).await;
                        return None;
                    };
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
                    if !self.heard || !self.send_message(Message::Ping(Default::default())).await {
                        return None;
                    }
                    // Not before: while the ping waits for a slow line, this may be dropped, and
                    // the connection is not silent because nobody asked.
                    self.heard = false;
                }
            }
        }
    }

    /// Whether the rate limit allows one more message.
    fn allow_message(&mut self) -> bool {
        let (most, each_second) = self.rate;
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

    /// Sends a close frame.
    pub async fn close_socket(&mut self, code: u16, why: &'static str) {
        self.send_message(Message::Close(Some(CloseFrame {
            code,
            reason: why.into(),
        })))
        .await;
    }
}

/// Compresses a message. A whole leg takes long, so it is compressed on a blocking thread and not
/// on one that serves thousands of connections.
async fn compress_message(message: &live::SpectatorMessage) -> Option<Bytes> {
    if message.text().len() < LONG {
        return message.compressed();
    }
    let message = message.clone();
    tokio::task::spawn_blocking(move || message.compressed())
        .await
        .ok()
        .flatten()
}
