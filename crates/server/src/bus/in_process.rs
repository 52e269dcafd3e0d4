//! A bus inside one process: that of an arena with one server, and of tests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Bytes;
use futures_util::stream;
use tokio::sync::{mpsc, watch};

use super::{Bus, BusError, BusFuture, BusMessage, BusSubscription, Replier};
use crate::sync::lock;

/// Messages that may wait in one subscription; further ones are lost.
const WAITING: usize = 1024;

/// A bus inside one process. Clones share it.
#[derive(Clone, Debug)]
pub struct InProcessBus {
    subscribers: Arc<Mutex<HashMap<String, Vec<mpsc::Sender<BusMessage>>>>>,
    returns: Arc<watch::Sender<u64>>,
    is_shared: bool,
}

impl Default for InProcessBus {
    fn default() -> InProcessBus {
        InProcessBus {
            subscribers: Arc::default(),
            returns: Arc::new(watch::Sender::new(0)),
            is_shared: false,
        }
    }
}

impl InProcessBus {
    /// A bus that several servers in one process share: for tests.
    pub fn shared_by_servers() -> InProcessBus {
        InProcessBus {
            is_shared: true,
            ..InProcessBus::default()
        }
    }

    /// Hands a message to the subscribers; returns their number.
    fn deliver(&self, subject: &str, make: impl Fn() -> BusMessage) -> usize {
        let mut all = lock(&self.subscribers);
        let Some(own) = all.get_mut(subject) else {
            return 0;
        };
        own.retain(|subscriber| !subscriber.is_closed());
        let heard = own.len();
        for subscriber in own.iter() {
            // A subscriber that is too slow loses messages.
            let _ = subscriber.try_send(make());
        }
        if heard == 0 {
            all.remove(subject);
        }
        heard
    }
}

impl Bus for InProcessBus {
    fn publish(&self, subject: &str, message: Bytes) {
        self.deliver(subject, || BusMessage {
            subject: subject.to_owned(),
            payload: message.clone(),
            replier: None,
        });
    }

    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
    ) -> BusFuture<'a, Result<BusSubscription, BusError>> {
        let (sender, receiver) = mpsc::channel(WAITING);
        lock(&self.subscribers)
            .entry(subject.to_owned())
            .or_default()
            .push(sender);
        let messages = stream::unfold(receiver, async |mut receiver| {
            let message = receiver.recv().await?;
            Some((message, receiver))
        });
        let subscription = BusSubscription::new(messages);
        Box::pin(async { Ok(subscription) })
    }

    fn request<'a>(
        &'a self,
        subject: &'a str,
        message: Bytes,
        most: Duration,
    ) -> BusFuture<'a, Result<Bytes, BusError>> {
        Box::pin(async move {
            let (sender, mut receiver) = mpsc::channel(1);
            let heard = self.deliver(subject, || {
                let sender = sender.clone();
                BusMessage {
                    subject: subject.to_owned(),
                    payload: message.clone(),
                    replier: Some(Replier::new(move |reply| {
                        // Only the first reply counts.
                        let _ = sender.try_send(reply);
                    })),
                }
            });
            drop(sender);
            if heard == 0 {
                return Err(BusError::NobodyListens);
            }
            let first = async {
                match receiver.recv().await {
                    Some(reply) => reply,
                    // Everybody heard it, and nobody had a reply.
                    None => std::future::pending().await,
                }
            };
            tokio::time::timeout(most, first)
                .await
                .map_err(|_| BusError::TimedOut)
        })
    }

    fn reaches_others(&self) -> bool {
        self.is_shared
    }

    fn is_connected(&self) -> bool {
        true
    }

    fn returns(&self) -> watch::Receiver<u64> {
        self.returns.subscribe()
    }
}
