//! The bus of several servers: [NATS](https://nats.io). The connection comes back by itself; what
//! was published meanwhile is lost.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, ConnectOptions, Event, RequestErrorKind, ServerError};
use axum::body::Bytes;
use futures_util::StreamExt;
use leitai_bus::{NatsError, PATIENCE, show_addresses};
use metrics::{counter, gauge};
use tokio::sync::{mpsc, watch};

use super::{Bus, BusError, BusFuture, BusMessage, BusSubscription, Replier};
use crate::metrics_registry;

/// Messages that may wait for the connection; further ones are lost.
const WAITING: usize = 8192;

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
        let connection = Arc::new(ConnectionLog::default());
        let returns = connection.returns.subscribe();
        let events = connection.clone();
        let options = ConnectOptions::new()
            .name(name)
            .event_callback(move |event| {
                events.note_event(&event);
                async {}
            });
        let client = leitai_bus::connect(addresses, options).await?;
        let (sender, waiting) = mpsc::channel(WAITING);
        tokio::spawn(send_waiting(client.clone(), waiting));
        let bus = NatsBus {
            client,
            outgoing: Outgoing(sender),
            returns,
        };
        bus.check_permissions(show_addresses(addresses)).await?;
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
                         waits, and people meet those of this server alone; it is tried again until \
                         it is back"
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

    fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    fn returns(&self) -> watch::Receiver<u64> {
        self.returns.clone()
    }
}
