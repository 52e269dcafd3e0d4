//! A bus as one server of one arena uses it: with the arena's subjects and the server's name.

use std::sync::Arc;
use std::time::Duration;

use leitai_store::values::secret::random_token;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::watch;

use super::envelope::{Envelope, EnvelopeError, open, seal};
use super::{Bus, BusError, BusMessage, BusSubscription, Replier};

/// What a bus may take beyond the time limit of a request.
const MARGIN: Duration = Duration::from_millis(500);

/// A bus as one server of one arena uses it. Clones share it.
#[derive(Clone, Debug)]
pub struct ArenaBus {
    bus: Arc<dyn Bus>,
    /// What all subjects of the arena begin with.
    prefix: Arc<str>,
    server: Arc<str>,
}

impl ArenaBus {
    /// The bus for a server of the arena with this id. Arenas do not hear each other.
    pub fn new(bus: Arc<dyn Bus>, arena: &str) -> ArenaBus {
        let server: String = random_token()
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .take(12)
            .collect();
        ArenaBus {
            bus,
            prefix: format!("leitai.{arena}").into(),
            server: server.into(),
        }
    }

    /// The name of this server on the bus: one word, new at every start.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Whether other servers may be on this bus.
    pub fn reaches_others(&self) -> bool {
        self.bus.reaches_others()
    }

    /// Whether the bus takes messages now.
    pub fn is_connected(&self) -> bool {
        self.bus.is_connected()
    }

    /// The number of times that the bus came back.
    pub fn returns(&self) -> watch::Receiver<u64> {
        self.bus.returns()
    }

    /// Sends a message to all subscribers; never waits.
    pub fn publish<T: Serialize>(&self, subject: &str, body: &T) {
        self.bus
            .publish(&self.subject(subject), seal(&self.server, body));
    }

    /// Receives the messages on a subject.
    pub async fn subscribe(&self, subject: &str) -> Result<BusSubscription, BusError> {
        self.bus.subscribe(&self.subject(subject)).await
    }

    /// Sends a message and waits for the first reply, at most this long.
    pub async fn request<T: Serialize, R: DeserializeOwned>(
        &self,
        subject: &str,
        body: &T,
        most: Duration,
    ) -> Result<R, BusError> {
        let (subject, message) = (self.subject(subject), seal(&self.server, body));
        let asked = self.bus.request(&subject, message, most);
        // A bus that is away may take no request at all.
        let reply = tokio::time::timeout(most + MARGIN, asked)
            .await
            .map_err(|_| BusError::TimedOut)??;
        let reply = open(&reply).map_err(|error| {
            warn_of_version(&error);
            BusError::Unreadable(error.to_string())
        })?;
        Ok(reply.body)
    }

    /// Replies to a request.
    pub fn reply<T: Serialize>(&self, replier: Replier, body: &T) {
        replier.send_reply(seal(&self.server, body));
    }

    /// Reads a message; one that cannot be read is logged and ignored.
    pub fn read<T: DeserializeOwned>(&self, message: &BusMessage) -> Option<Envelope<T>> {
        open(&message.payload)
            .inspect_err(|error| match error {
                EnvelopeError::Version { .. } => warn_of_version(error),
                EnvelopeError::Damaged(_) => {
                    tracing::warn!(%error, subject = message.subject, "a message on the bus is ignored");
                }
            })
            .ok()
    }

    fn subject(&self, own: &str) -> String {
        format!("{}.{own}", self.prefix)
    }
}

/// Warns of a message of another version, once in each process.
fn warn_of_version(error: &EnvelopeError) {
    static WARNED: std::sync::Once = std::sync::Once::new();
    if let EnvelopeError::Version { .. } = error {
        WARNED.call_once(|| tracing::warn!("{error}"));
    }
}
