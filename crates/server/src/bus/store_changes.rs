//! Tells other servers what this one changed in the database: a worker that waits for a job on
//! another server wakes at once, and so does a page there that shows the check of a version. Whoever
//! misses such a message looks again by itself, later.

use std::time::Duration;

use leitai_store::{Store, StoreChange};
use tokio::sync::broadcast::error::RecvError;

use super::{ArenaBus, BusMessage};

/// Where every server tells it.
const CHANGES: &str = "changes";
/// The pause after an error of the bus.
const PAUSE: Duration = Duration::from_secs(1);

/// Tells and hears changes, for ever.
pub async fn share_changes(bus: ArenaBus, store: Store) {
    let mut own = store.own_changes();
    loop {
        let Ok(mut others) = bus.subscribe(CHANGES).await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        loop {
            tokio::select! {
                change = own.recv() => match change {
                    Ok(change) => bus.publish(CHANGES, &change),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
                message = others.next() => match message {
                    Some(message) => note_change(&bus, &store, &message),
                    None => break,
                },
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn note_change(bus: &ArenaBus, store: &Store, message: &BusMessage) {
    let change = bus.read::<StoreChange>(message);
    // The bus brings a server's own messages back.
    if let Some(change) = change.filter(|change| change.from != bus.server()) {
        store.note_change(change.body);
    }
}
