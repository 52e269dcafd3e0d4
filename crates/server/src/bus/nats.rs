//! The bus of several servers: [NATS](https://nats.io). The connection comes back by itself; what
//! was published meanwhile is lost.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{
    Client, ConnectErrorKind, ConnectOptions, Event, RequestErrorKind, ServerAddr, ServerError,
};
use axum::body::Bytes;
use futures_util::StreamExt;
use metrics::{counter, gauge};
use tokio::sync::{mpsc, watch};

use super::{Bus, BusError, BusFuture, BusMessage, BusSubscription, Replier};
use crate::metrics_registry;

/// Messages that may wait for the connection; further ones are lost.
const WAITING: usize = 8192;
/// The time limit of the first connection, and of the test whether subjects may be used.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest pause between two attempts to connect again.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Errors of the first connection.
#[derive(Debug, thiserror::Error)]
pub enum NatsError {
    /// Not an address of a NATS server.
    #[error(
        "{0} is not the address of a NATS server ({1}); write for example \
         nats://USER:PASSWORD@bus.internal:4222, or several with commas"
    )]
    Address(String, String),
    /// Nobody answers there.
    #[error(
        "no NATS server answers at {0} ({1}); look whether nats-server runs there and whether \
         this machine reaches its port"
    )]
    Unreachable(String, String),
    /// The server refuses the name or the password.
    #[error(
        "the NATS server at {0} refuses the user or the password; compare both with the \
         `authorization` or `accounts` in its configuration"
    )]
    Refused(String),
    /// No secured connection.
    #[error(
        "no secured connection to {0} ({1}); its certificate must be valid for this name, and \
         SSL_CERT_FILE may name a file with an authority of your own"
    )]
    Insecure(String, String),
    /// The user may not use the subjects.
    #[error(
        "the user at {0} may not use the subject {1}; allow it to publish and subscribe to \
         `leitai.>` and `_INBOX.>`"
    )]
    Forbidden(String, String),
}

/// A connection to NATS servers.
pub struct NatsBus {
    client: Client,
    outgoing: Outgoing,
    returns: watch::Receiver<u64>,
}

impl fmt::Debug for NatsBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsBus").finish_non_exhaustive()
    }
}

/// The messages that wait for the connection.
#[derive(Clone)]
struct Outgoing(mpsc::Sender<(String, Bytes)>);

impl Outgoing {
    fn send(&self, subject: String, message: Bytes) {
        if self.0.try_send((subject, message)).is_err() {
            counter!(metrics_registry::BUS_LOST).increment(1);
        }
    }
}

impl NatsBus {
    /// Connects to the servers at these addresses, separated by commas, under this name. Must be
    /// called in a runtime.
    pub async fn connect(addresses: &str, name: &str) -> Result<NatsBus, NatsError> {
        let shown = show_addresses(addresses);
        let servers = read_addresses(addresses, &shown)?;
        let connection = Arc::new(ConnectionLog::default());
        let returns = connection.returns.subscribe();
        let events = connection.clone();
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(PATIENCE)
            .reconnect_delay_callback(pause_before)
            .event_callback(move |event| {
                events.note_event(&event);
                async {}
            });
        if let Some((user, password)) = find_credentials(&servers) {
            options = match password {
                Some(password) => options.user_and_password(user, password),
                None => options.token(user),
            };
        }
        let connected = tokio::time::timeout(2 * PATIENCE, options.connect(&servers[..])).await;
        let client = match connected {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => return Err(explain(&error, shown)),
            Err(_) => return Err(NatsError::Unreachable(shown, "timed out".to_owned())),
        };
        let (sender, waiting) = mpsc::channel(WAITING);
        tokio::spawn(send_waiting(client.clone(), waiting));
        let bus = NatsBus {
            client,
            outgoing: Outgoing(sender),
            returns,
        };
        bus.check_permissions(shown).await?;
        Ok(bus)
    }

    /// Asks itself something: a server says nothing to a client that may not use a subject.
    async fn check_permissions(&self, shown: String) -> Result<(), NatsError> {
        let subject = format!("leitai.check.{}", self.client.new_inbox());
        let heard = async {
            let mut questions = self.subscribe(&subject).await?;
            let asked = self.request(&subject, Bytes::new(), PATIENCE);
            let reply = async {
                if let Some(replier) = questions.next().await.and_then(|asked| asked.replier) {
                    replier.send_reply(Bytes::new());
                }
                std::future::pending::<()>().await;
            };
            tokio::select! {
                answer = asked => answer.map(drop),
                () = reply => Ok(()),
            }
        };
        let heard = tokio::time::timeout(PATIENCE, heard).await;
        match heard {
            Ok(Ok(())) => Ok(()),
            _ => Err(NatsError::Forbidden(shown, "leitai.check".to_owned())),
        }
    }
}

async fn send_waiting(client: Client, mut waiting: mpsc::Receiver<(String, Bytes)>) {
    while let Some((subject, message)) = waiting.recv().await {
        if let Err(error) = client.publish(subject, message).await {
            counter!(metrics_registry::BUS_LOST).increment(1);
            tracing::debug!(%error, "a message was not sent on the bus");
        }
    }
}

fn read_addresses(addresses: &str, shown: &str) -> Result<Vec<ServerAddr>, NatsError> {
    let wrong = |why: String| NatsError::Address(shown.to_owned(), why);
    let mut servers = Vec::new();
    for address in addresses.split(',').map(str::trim) {
        let server = ServerAddr::from_str(address).map_err(|error| wrong(error.to_string()))?;
        // The library panics without a host.
        let has_host = address.split("://").last().is_some_and(|rest| {
            let rest = rest.rsplit_once('@').map_or(rest, |(_, after)| after);
            !rest.starts_with([':', '/']) && !rest.is_empty()
        });
        if !has_host {
            return Err(wrong("it names no host".to_owned()));
        }
        if !matches!(server.scheme(), "nats" | "tls") {
            return Err(wrong(
                "it begins with neither nats:// nor tls://".to_owned(),
            ));
        }
        servers.push(server);
    }
    Ok(servers)
}

/// The user and the password of the first address that has them; without a password it is a token.
fn find_credentials(servers: &[ServerAddr]) -> Option<(String, Option<String>)> {
    servers.iter().find_map(|server| {
        let user = server.username().map(decode_percent)?;
        Some((user, server.password().map(decode_percent)))
    })
}

fn decode_percent(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = (*first == b'%')
            .then(|| std::str::from_utf8(after.get(..2)?).ok())
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(byte) => (bytes.push(byte), rest = &after[2..]),
            None => (bytes.push(*first), rest = after),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Addresses without their passwords.
pub fn show_addresses(addresses: &str) -> String {
    let show = |address: &str| {
        let (scheme, rest) = address.split_once("://").unwrap_or(("nats", address));
        match rest.rsplit_once('@') {
            None => address.to_owned(),
            Some((who, host)) => match who.split_once(':') {
                Some((user, _)) => format!("{scheme}://{user}:…@{host}"),
                None => format!("{scheme}://…@{host}"),
            },
        }
    };
    let shown: Vec<String> = addresses.split(',').map(str::trim).map(show).collect();
    shown.join(",")
}

fn explain(error: &async_nats::ConnectError, shown: String) -> NatsError {
    let cause = std::error::Error::source(error)
        .map_or_else(|| error.kind().to_string(), ToString::to_string);
    match error.kind() {
        ConnectErrorKind::ServerParse => NatsError::Address(shown, cause),
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            NatsError::Refused(shown)
        }
        ConnectErrorKind::Tls => NatsError::Insecure(shown, cause),
        // What a handshake says arrives as an error of the connection.
        ConnectErrorKind::Io
            if cause.contains("certificate") || cause.contains("HandshakeFail") =>
        {
            NatsError::Insecure(shown, cause)
        }
        ConnectErrorKind::Dns
        | ConnectErrorKind::TimedOut
        | ConnectErrorKind::Io
        | ConnectErrorKind::MaxReconnects => NatsError::Unreachable(shown, cause),
    }
}

/// The pause before an attempt; the first one has none. Servers that lost the same bus come back
/// one after the other.
fn pause_before(attempt: usize) -> Duration {
    if attempt <= 1 {
        return Duration::ZERO;
    }
    let exponent = u32::try_from(attempt.min(8)).unwrap_or(8);
    let longest = Duration::from_millis(10 << exponent).min(LONGEST_PAUSE);
    longest.mul_f64(rand::random_range(0.5..=1.0))
}

/// Follows the connection, for the log, for metrics and for those who must ask again.
#[derive(Debug)]
struct ConnectionLog {
    returns: watch::Sender<u64>,
    was_lost: AtomicBool,
    was_refused: AtomicBool,
}

impl Default for ConnectionLog {
    fn default() -> ConnectionLog {
        ConnectionLog {
            returns: watch::Sender::new(0),
            was_lost: AtomicBool::new(false),
            was_refused: AtomicBool::new(false),
        }
    }
}

impl ConnectionLog {
    fn note_event(&self, event: &Event) {
        match event {
            Event::Connected => {
                gauge!(metrics_registry::BUS_CONNECTED).set(1.0);
                self.was_refused.store(false, Ordering::Relaxed);
                if self.was_lost.swap(false, Ordering::Relaxed) {
                    tracing::info!("the bus is back");
                    self.returns.send_modify(|count| *count += 1);
                }
            }
            Event::Disconnected | Event::Closed => {
                gauge!(metrics_registry::BUS_CONNECTED).set(0.0);
                if !self.was_lost.swap(true, Ordering::Relaxed) {
                    tracing::warn!(
                        "the bus is away: matches go on, but who watches one of another server \
                         waits; it is tried again until it is back"
                    );
                }
            }
            Event::ServerError(ServerError::AuthorizationViolation) => self.warn_of_refusal(),
            Event::ServerError(error) => tracing::warn!(%error, "the bus refuses something"),
            Event::ClientError(error) => {
                if error.to_string().contains("authorization violation") {
                    self.warn_of_refusal();
                }
                tracing::debug!(%error, "the bus was not reached");
            }
            Event::SlowConsumer(_) => {
                counter!(metrics_registry::BUS_LOST).increment(1);
                tracing::debug!("messages of the bus were lost: this server is too busy");
            }
            Event::LameDuckMode | Event::Draining => {}
        }
    }

    fn warn_of_refusal(&self) {
        if !self.was_refused.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "the bus refuses the user or the password of --bus; it is tried again until it \
                 takes them"
            );
        }
    }
}

impl Bus for NatsBus {
    fn publish(&self, subject: &str, message: Bytes) {
        self.outgoing.send(subject.to_owned(), message);
    }

    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
    ) -> BusFuture<'a, Result<BusSubscription, BusError>> {
        Box::pin(async move {
            let messages = self
                .client
                .subscribe(subject.to_owned())
                .await
                .map_err(|error| BusError::Away(error.to_string()))?;
            let outgoing = self.outgoing.clone();
            let messages = messages.map(move |message| {
                let outgoing = outgoing.clone();
                let replier = message.reply.map(|reply| {
                    Replier::new(move |answer| outgoing.send(reply.to_string(), answer))
                });
                BusMessage {
                    subject: message.subject.to_string(),
                    payload: message.payload,
                    replier,
                }
            });
            Ok(BusSubscription::new(messages))
        })
    }

    fn request<'a>(
        &'a self,
        subject: &'a str,
        message: Bytes,
        most: Duration,
    ) -> BusFuture<'a, Result<Bytes, BusError>> {
        Box::pin(async move {
            let asked = self.client.request(subject.to_owned(), message);
            let answer = tokio::time::timeout(most, asked).await;
            // Without a connection a request waits for one.
            if answer.is_err() && self.client.connection_state() != State::Connected {
                return Err(BusError::Away("it does not answer".to_owned()));
            }
            match answer {
                Ok(Ok(reply)) => Ok(reply.payload),
                Ok(Err(error)) => Err(match error.kind() {
                    RequestErrorKind::NoResponders => BusError::NobodyListens,
                    RequestErrorKind::TimedOut => BusError::TimedOut,
                    _ => BusError::Away(error.to_string()),
                }),
                Err(_) => Err(BusError::TimedOut),
            }
        })
    }

    fn reaches_others(&self) -> bool {
        true
    }

    fn returns(&self) -> watch::Receiver<u64> {
        self.returns.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_shown_without_passwords() {
        let addresses = "nats://ann:a%40b:c@one:4222, tls://two";
        let shown = show_addresses(addresses);
        assert_eq!(shown, "nats://ann:…@one:4222,tls://two");
        let servers = read_addresses(addresses, &shown).expect("two servers");
        assert_eq!((servers.len(), servers[1].port()), (2, 4222));
        let password = Some("a@b:c".to_owned());
        assert_eq!(
            find_credentials(&servers),
            Some(("ann".to_owned(), password))
        );
        assert_eq!(show_addresses("secret@host"), "nats://…@host");
        assert_eq!(decode_percent("%e5%A5%bd%4"), "好%4");
        for wrong in [
            "",
            "http://x",
            "ws://x",
            "nats://",
            "nats://:4222",
            "nats://a:b@",
            "nats://x:y",
        ] {
            let refused = read_addresses(wrong, wrong);
            assert!(matches!(refused, Err(NatsError::Address(..))), "{wrong}");
        }
    }

    #[test]
    fn pauses_grow_to_two_seconds() {
        assert_eq!(pause_before(1), Duration::ZERO);
        for attempt in 2..40 {
            let pause = pause_before(attempt);
            assert!(pause >= Duration::from_millis(20) && pause <= LONGEST_PAUSE);
        }
        assert!(pause_before(30) >= LONGEST_PAUSE / 2);
    }
}
