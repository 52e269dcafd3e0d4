//! What servers of one arena tell each other: messages on subjects, and requests with one reply. The
//! bus carries what moves; what must be true is in the database, so a lost message costs time and
//! never a result.
//!
//! | module | noun |
//! |---|---|
//! | [`envelope`] | what is around every message: its version and its sender |
//! | [`in_process`] | the bus of a single server, and of tests |
//! | [`nats`] | the bus of several servers |
//! | `store_changes` | what one server changed in the database, for those who wait on another |
//! | [`arena_bus`] | a bus as one server of one arena uses it |

pub mod arena_bus;
pub mod envelope;
pub mod in_process;
pub mod nats;
mod store_changes;

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use axum::body::Bytes;
use futures_util::{Stream, StreamExt};
use tokio::sync::watch;

pub use arena_bus::ArenaBus;
pub use in_process::InProcessBus;
pub use leitai_bus::NatsError;
pub use nats::NatsBus;
pub use store_changes::share_changes;

/// A future of a bus.
pub type BusFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Carries messages between servers. Subjects are words joined by dots.
pub trait Bus: fmt::Debug + Send + Sync {
    /// Sends a message to all subscribers. Never waits: what cannot be sent is lost.
    fn publish(&self, subject: &str, message: Bytes);

    /// Receives the messages on a subject from now on, also after the bus was away.
    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
    ) -> BusFuture<'a, Result<BusSubscription, BusError>>;

    /// Sends a message and waits for the first reply, at most this long.
    fn request<'a>(
        &'a self,
        subject: &'a str,
        message: Bytes,
        most: Duration,
    ) -> BusFuture<'a, Result<Bytes, BusError>>;

    /// Whether other servers may be on this bus.
    fn reaches_others(&self) -> bool;

    /// Whether the bus takes messages now.
    fn is_connected(&self) -> bool;

    /// The number of times that the bus came back; messages may have been lost before.
    fn returns(&self) -> watch::Receiver<u64>;
}

/// Errors of a bus.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BusError {
    /// No reply came in time.
    #[error("nobody answered on the bus in time")]
    TimedOut,
    /// Nobody is subscribed.
    #[error("nobody on the bus listens to this subject")]
    NobodyListens,
    /// The bus is away.
    #[error("the bus is away: {0}")]
    Away(String),
    /// The reply cannot be read.
    #[error("the reply cannot be read: {0}")]
    Unreadable(String),
}

/// A message from a bus.
#[derive(Debug)]
pub struct BusMessage {
    /// The subject.
    pub subject: String,
    /// The content.
    pub payload: Bytes,
    /// Where a reply goes, if one is asked for.
    pub replier: Option<Replier>,
}

/// Sends the reply to a request.
pub struct Replier(Box<dyn FnOnce(Bytes) + Send>);

impl Replier {
    /// A replier that hands the reply to this function.
    pub fn new(send: impl FnOnce(Bytes) + Send + 'static) -> Replier {
        Replier(Box::new(send))
    }

    /// Sends the reply; never waits.
    pub fn send_reply(self, reply: Bytes) {
        (self.0)(reply);
    }
}

impl fmt::Debug for Replier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Replier")
    }
}

/// The messages on a subject, until the value is dropped.
pub struct BusSubscription(Pin<Box<dyn Stream<Item = BusMessage> + Send>>);

impl BusSubscription {
    /// A subscription that yields what this stream yields.
    pub fn new(messages: impl Stream<Item = BusMessage> + Send + 'static) -> BusSubscription {
        BusSubscription(Box::pin(messages))
    }

    /// The next message; `None` once the bus is closed. Cancel-safe.
    pub async fn next(&mut self) -> Option<BusMessage> {
        self.0.next().await
    }

    /// The messages as a stream.
    pub fn into_stream(self) -> impl Stream<Item = BusMessage> + Send {
        self.0
    }
}

impl fmt::Debug for BusSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BusSubscription")
    }
}
