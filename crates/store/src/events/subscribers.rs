//! Who reads what happened: the page's notifications, the mail queue and the deliveries of webhooks.
//!
//! Each subscriber reads every event once and in order. What it writes and its position are one
//! transaction, which locks the positions: of several servers one reads at a time, and what a killed
//! server had not committed is read again. Whoever commits an event reads at once
//! ([`Store::read_at_once`]), before the caller goes on; the leader looks after those whose server was
//! killed in between.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::Mutex;

use crate::database::prelude::*;
use crate::events::event::{Subscriber, Telling};
use crate::events::kinds;
use crate::messages::{mail, webhook_events};
use crate::tables::events::{Column, Entity, Model, positions};

/// The most events of one transaction.
const TOGETHER: u64 = 500;
/// An event that cannot be told is tried again and again for so long; the subscriber waits there. Then
/// it is left out.
const LONGEST: Duration = Duration::from_secs(3600);

/// All subscribers, by their names in the database.
const SUBSCRIBERS: [(&str, Subscriber); 3] = [
    ("mail", Subscriber::Mail),
    ("page", Subscriber::Page),
    ("webhooks", Subscriber::Webhooks),
];

/// One reader at a time in this process: whoever waited finds nothing left to do.
#[derive(Default)]
struct Reading(Mutex<()>);

impl Store {
    /// Reads what happened, after a transaction in which something did. An error is logged: the
    /// change is committed, and its events are read later.
    pub(crate) async fn read_at_once(self) {
        let reading = self.part::<Reading>();
        let read = match reading.0.try_lock() {
            // Nobody else reads here, so that the own events are still unread.
            Ok(_alone) => self.read_all_events().await,
            Err(_) => self.read_events().await,
        };
        if let Err(error) = read {
            tracing::warn!(%error, "people are not told yet what happened; tried again in a moment");
        }
    }

    /// Lets every subscriber read the events that it has not read.
    pub async fn read_events(&self) -> Result<()> {
        let reading = self.part::<Reading>();
        let _alone = reading.0.lock().await;
        if self.has_unread_events().await? {
            self.read_all_events().await?;
        }
        Ok(())
    }

    async fn read_all_events(&self) -> Result<()> {
        let mut held = Vec::new();
        while self.read_some_events(&mut held).await? {}
        Ok(())
    }

    /// Removes the events that every subscriber has read; returns how many.
    pub async fn sweep_events(&self) -> Result<u64> {
        let change = self.begin_write().await?;
        let all = positions::Entity::find().all(&change).await?;
        let read = all.iter().map(|own| own.position).min();
        let old = Entity::delete_many().filter(Column::Seq.lte(read.unwrap_or_default()));
        let swept = old.exec(&change).await?.rows_affected;
        change.commit().await?;
        Ok(swept)
    }

    async fn has_unread_events(&self) -> Result<bool> {
        let own = own_positions().all(&self.readers).await?;
        let read = own.iter().map(|own| own.position).min();
        let unread = unread_events(read.unwrap_or_default()).select_only();
        let unread: Option<i64> = unread
            .column(Column::Seq)
            .into_tuple()
            .one(&self.readers)
            .await?;
        Ok(unread.is_some())
    }

    /// Reads the next events; true if more are left that could be read. A subscriber of which it cannot
    /// be said whether it tells anybody is `held` from then on, and the others go on.
    async fn read_some_events(&self, held: &mut Vec<String>) -> Result<bool> {
        let change = self.begin_write().await?;
        let mut own = own_positions().lock_exclusive().all(&change).await?;
        own.retain(|own| !held.contains(&own.subscriber));
        let read = own.iter().map(|own| own.position).min();
        let events = unread_events(read.unwrap_or_default()).limit(TOGETHER);
        let events = events.all(&change).await?;
        let (mut moved, mut told) = (BTreeMap::<i64, Vec<String>>::new(), false);
        for row in own {
            let known = SUBSCRIBERS.iter().find(|(name, _)| *name == row.subscriber);
            let unread: Vec<&Model> = events.iter().filter(|e| e.seq > row.position).collect();
            let Some((_, subscriber)) = known.filter(|_| !unread.is_empty()) else {
                continue;
            };
            let last = match subscriber.has_receivers(&change).await {
                Ok(true) => subscriber.read(&change, unread, &mut told).await?,
                Ok(false) => unread.last().map(|event| event.seq),
                Err(error) => {
                    tracing::warn!(%error, held = row.subscriber, "whom to tell is not known");
                    held.push(row.subscriber);
                    change.rollback().await?;
                    return Ok(true);
                }
            };
            let Some(last) = last else { continue };
            moved.entry(last).or_default().push(row.subscriber);
        }
        let is_full = events.len() as u64 == TOGETHER && !moved.is_empty();
        for (last, subscribers) in moved {
            let further = positions::Entity::update_many()
                .col_expr(positions::Column::Position, Expr::value(last))
                .filter(positions::Column::Subscriber.is_in(subscribers));
            further.exec(&change).await?;
        }
        change.commit().await?;
        if told {
            self.news_arrived();
        }
        Ok(is_full)
    }
}

/// The positions of the subscribers that this version knows, always in the same order.
fn own_positions() -> Select<positions::Entity> {
    let names = SUBSCRIBERS.iter().map(|(name, _)| *name);
    positions::Entity::find()
        .filter(positions::Column::Subscriber.is_in(names))
        .order_by_asc(positions::Column::Subscriber)
}

fn unread_events(read: i64) -> Select<Entity> {
    Entity::find()
        .filter(Column::Seq.gt(read))
        .order_by_asc(Column::Seq)
}

impl Subscriber {
    /// Reads these events as far as it can; returns the last one that it has read. `told` becomes
    /// true if somebody was told something in the page.
    async fn read(
        self,
        change: &Change,
        mut events: Vec<&Model>,
        told: &mut bool,
    ) -> Result<Option<i64>> {
        let mut left_out = None;
        while let Some(last) = events.last().map(|event| event.seq) {
            let part = change.begin_part().await?;
            let mut reached = false;
            let Err((index, error)) = self.tell_all(&part, &events, &mut reached).await else {
                part.commit().await?;
                *told |= reached;
                return Ok(left_out.max(Some(last)));
            };
            part.rollback().await?;
            let event = events[index];
            let is_old = event.at < Timestamp::now().before(LONGEST);
            let about = format!("{self:?}: {} {}", event.kind, event.seq);
            tracing::warn!(%error, about, left_out = is_old, "an event cannot be told");
            if is_old {
                left_out = left_out.max(Some(events.remove(index).seq));
            } else {
                // What comes after it waits, also what was left out.
                left_out = left_out.filter(|seq| *seq < event.seq);
                events.truncate(index);
            }
        }
        Ok(left_out)
    }

    /// Whether it tells anybody anything; most arenas pay only for this question.
    async fn has_receivers(self, change: &Change) -> Result<bool> {
        match self {
            Subscriber::Mail => mail::has_receivers(change).await,
            Subscriber::Page => Ok(true),
            Subscriber::Webhooks => webhook_events::is_there_any(change).await,
        }
    }

    /// Tells of these events; an error comes with the index of its event.
    async fn tell_all(
        self,
        change: &Change,
        events: &[&Model],
        told: &mut bool,
    ) -> Result<(), (usize, StoreError)> {
        for (index, event) in events.iter().enumerate() {
            let to = Telling {
                change,
                at: event.at,
            };
            let reached = kinds::tell(self, to, event).await;
            *told |= reached.map_err(|error| (index, error))?;
        }
        Ok(())
    }
}
