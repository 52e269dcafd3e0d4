//! Webhooks: addresses outside that are told what happened, and what is still to be told.
//!
//! When their subscriber reads an event, it writes one row for each webhook that wants it. Whoever delivers takes a row for a while ([`Store::claim_delivery`]) and says how it went
//! ([`Store::end_attempt`]); a row that a killed server held is due again when that while is over.
//! So every event is delivered at least once, or given up with a reason.

use std::time::Duration;

use sea_orm::{SelectGetableTuple, Selector};
use serde_json::json;

use crate::database::audit_log;
use crate::database::prelude::*;
use crate::tables::webhooks::{
    ActiveModel, Column, Delivery, DeliveryState, Entity, EventKind, Webhook, WebhookOwner,
    deliveries,
};
use crate::values::secret::random_token;
use crate::{AuditedAction, ContestId, DeliveryId, Json, TeamId, UserId, WebhookId};

/// The waiting times between the attempts of one delivery; after the last it is given up.
pub const RETRIES: [Duration; 7] = [
    Duration::from_secs(10),
    Duration::from_secs(60),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(2 * 3600),
    Duration::from_secs(6 * 3600),
    Duration::from_secs(12 * 3600),
];
/// After so many deliveries in a row that were given up a webhook is switched off.
pub const FAILURES: i32 = 5;
/// How long the webhooks of one account to a receiver rest that did not answer in time; twice as long
/// after each further time, and at most [`LONGEST_REST`].
pub const REST: Duration = Duration::from_secs(60);
/// The longest rest of webhooks to a receiver that does not answer in time.
pub const LONGEST_REST: Duration = Duration::from_secs(3600);
/// Why an attempt failed, if the receiver did not answer in time.
pub const TIMEOUT: &str = "timeout";
/// Why a webhook was switched off.
pub const OFF: &str = "failing";

/// A webhook to be made.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    /// Whose events.
    pub owner: WebhookOwner,
    /// Who makes it.
    pub creator: UserId,
    /// The address.
    pub url: String,
    /// Which events.
    pub events: Vec<EventKind>,
    /// The secret that signs.
    pub secret: String,
}

/// A webhook to which something is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueWebhook {
    /// The webhook.
    pub id: WebhookId,
    /// Who made it.
    pub creator: UserId,
    /// Whether its receiver did not answer in time when it was last tried.
    pub is_silent: bool,
}

impl From<&Webhook> for DueWebhook {
    fn from(own: &Webhook) -> DueWebhook {
        DueWebhook {
            id: own.id,
            creator: own.creator,
            is_silent: own.time_outs > 0,
        }
    }
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// The receiver answered with this status, which means success.
    Delivered(u16),
    /// It did not.
    Failed {
        /// The status of its answer, if there was one.
        status: Option<u16>,
        /// The reason.
        why: String,
    },
    /// It may not be told yet: it is looked at again then. This is no attempt.
    Postponed(Timestamp),
    /// There is nothing to tell any more, or nobody who may hear it.
    Gone(String),
}

impl Store {
    /// Makes a webhook. [`StoreError::Refused`] if the owner has `most`.
    pub async fn create_webhook(
        &self,
        new: NewWebhook,
        most: u32,
        at: Timestamp,
    ) -> Result<Webhook> {
        let change = self.begin_write().await?;
        let count = of_owner(new.owner).count(&change).await?;
        if count >= u64::from(most) {
            return Err(StoreError::Refused(format!(
                "there are {count} webhooks already; delete one first"
            )));
        }
        let (owner_kind, owner) = new.owner.into_columns();
        let host = receiver_of(&new.url);
        let found_out = of_receiver(new.creator, &host)
            .order_by_desc(Column::TimeOuts)
            .one(&change)
            .await?;
        let row = ActiveModel {
            id: NotSet,
            owner_kind: Set(owner_kind),
            owner: Set(owner),
            creator: Set(new.creator),
            url: Set(new.url),
            events: Set(json!(new.events)),
            secret: Set(new.secret),
            created: Set(at),
            off: Set(None),
            failures: Set(0),
            dropped: Set(0),
            // A receiver that does not answer is known already by the account's other webhooks.
            time_outs: Set(found_out.as_ref().map_or(0, |own| own.time_outs)),
            rests_until: Set(found_out.and_then(|own| own.rests_until)),
            host: Set(Some(host)),
        };
        let made = row.insert(&change).await?;
        log_change(&change, &made, "webhook.create", new.creator, at).await?;
        change.commit().await?;
        Ok(made)
    }

    /// The webhooks of an owner, oldest first.
    pub async fn webhooks_of(&self, owner: WebhookOwner) -> Result<Vec<Webhook>> {
        let own = of_owner(owner).order_by_asc(Column::Id);
        Ok(own.all(&self.readers).await?)
    }

    /// Finds a webhook; [`StoreError::Missing`] if there is none.
    pub async fn find_webhook(&self, id: WebhookId) -> Result<Webhook> {
        find_row::<Entity>(&self.readers, id, "webhook").await
    }

    /// Deletes a webhook and what was to be told.
    pub async fn delete_webhook(&self, id: WebhookId, by: UserId, at: Timestamp) -> Result<()> {
        let change = self.begin_write().await?;
        let own = lock_webhook(&change, id).await?;
        remove(&change, Condition::all().add(Column::Id.eq(id))).await?;
        log_change(&change, &own, "webhook.delete", by, at).await?;
        Ok(change.commit().await?)
    }

    /// Switches a webhook on that was switched off after too many failures. What waits is due.
    pub async fn switch_webhook_on(
        &self,
        id: WebhookId,
        by: UserId,
        at: Timestamp,
    ) -> Result<Webhook> {
        let change = self.begin_write().await?;
        let own = lock_webhook(&change, id).await?;
        let row = ActiveModel {
            id: Set(id),
            off: Set(None),
            failures: Set(0),
            rests_until: Set(None),
            ..Default::default()
        };
        let row = row.update(&change).await?;
        if own.off.is_some() {
            log_change(&change, &own, "webhook.on", by, at).await?;
        }
        change.commit().await?;
        Ok(row)
    }

    /// Writes a test event, which is tried once, and takes it as [`Store::claim_delivery`] does.
    pub async fn insert_test_event(
        &self,
        id: WebhookId,
        at: Timestamp,
        lasts: Duration,
    ) -> Result<Delivery> {
        let change = self.begin_write().await?;
        lock_webhook(&change, id).await?;
        let key = format!("test {}", random_token());
        let row = deliveries::ActiveModel {
            due: Set(at.after(lasts)),
            attempts: Set(1),
            ..new_delivery(id, EventKind::Test, key, json!({}), None, at)
        };
        let row = row.insert(&change).await?;
        change.commit().await?;
        Ok(row)
    }

    /// A delivery; [`StoreError::Missing`] if there is none.
    pub async fn find_delivery(&self, id: DeliveryId) -> Result<Delivery> {
        find_row::<deliveries::Entity>(&self.readers, id, "delivery").await
    }

    /// The last deliveries of a webhook, newest first.
    pub async fn deliveries_of(&self, id: WebhookId, most: u64) -> Result<Vec<Delivery>> {
        let rows = deliveries::Entity::find()
            .filter(deliveries::Column::Webhook.eq(id))
            .order_by_desc(deliveries::Column::Id)
            .limit(most);
        Ok(rows.all(&self.readers).await?)
    }

    /// Up to `most` webhooks that are on and do not rest, to which something is due, the longest due
    /// first; none that these accounts made.
    pub async fn due_webhooks(
        &self,
        at: Timestamp,
        without: &[UserId],
        most: u64,
    ) -> Result<Vec<DueWebhook>> {
        use deliveries::Column as Due;
        let on = query_told(at).filter(Column::Creator.is_not_in(without.iter().copied()));
        let due = deliveries::Entity::find()
            .select_only()
            .column(Due::Webhook)
            .filter(Due::State.eq(DeliveryState::Waiting))
            .filter(Due::Due.lte(at))
            .filter(
                Condition::any()
                    .add(Due::Webhook.in_subquery(sea_orm::QueryTrait::into_query(on)))
                    .add(Due::Event.eq(EventKind::Test)),
            )
            .group_by(Due::Webhook)
            .order_by_asc(Due::Due.min())
            .limit(most);
        let due: Vec<WebhookId> = due.into_tuple().all(&self.readers).await?;
        let rows = Entity::find().filter(Column::Id.is_in(due.iter().copied()));
        let rows = rows.all(&self.readers).await?;
        let found = |id: &WebhookId| rows.iter().find(|row| row.id == *id);
        let due = due.iter().filter_map(found);
        Ok(due.map(DueWebhook::from).collect())
    }

    /// Takes the delivery of a webhook that is longest due, for so long: then it is due again,
    /// unless [`Store::end_attempt`] was called.
    pub async fn claim_delivery(
        &self,
        id: WebhookId,
        at: Timestamp,
        lasts: Duration,
    ) -> Result<Option<(Webhook, Delivery)>> {
        use deliveries::Column as Due;
        let change = self.begin_write().await?;
        // Servers take the deliveries of a webhook one after the other.
        let own = Entity::find_by_id(id).lock_exclusive().one(&change).await?;
        let Some(own) = own else {
            return Ok(None);
        };
        let mut due = deliveries::Entity::find()
            .filter(Due::Webhook.eq(id))
            .filter(Due::State.eq(DeliveryState::Waiting))
            .filter(Due::Due.lte(at));
        if own.off.is_some() {
            due = due.filter(Due::Event.eq(EventKind::Test));
        }
        let due = due.order_by_asc(Due::Due).order_by_asc(Due::Id);
        let Some(found) = due.one(&change).await? else {
            return Ok(None);
        };
        let row = deliveries::ActiveModel {
            id: Set(found.id),
            due: Set(at.after(lasts)),
            attempts: Set(found.attempts + 1),
            ..Default::default()
        };
        let row = row.update(&change).await?;
        change.commit().await?;
        Ok(Some((own, row)))
    }

    /// Records how the last attempt of a delivery ended: it is over, or due again after the next of
    /// [`RETRIES`]. After [`FAILURES`] deliveries in a row that were given up the webhook is off.
    pub async fn end_attempt(
        &self,
        claimed: &Delivery,
        outcome: AttemptOutcome,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        let own = Entity::find_by_id(claimed.webhook)
            .lock_exclusive()
            .one(&change)
            .await?;
        let found = deliveries::Entity::find_by_id(claimed.id)
            .one(&change)
            .await?;
        let waits =
            found.filter(|row| row.state == DeliveryState::Waiting && row.due == claimed.due);
        let (Some(own), Some(_)) = (own, waits) else {
            return Ok(());
        };
        note_answer(&change, &own, &outcome, at).await?;
        let row = ended_attempt(claimed, outcome, at);
        let failures = match (&row.state, claimed.event) {
            (Set(DeliveryState::Delivered), _) => 0,
            (Set(DeliveryState::GivenUp), kind) if kind != EventKind::Test => own.failures + 1,
            _ => own.failures,
        };
        row.update(&change).await?;
        if failures != own.failures {
            let off = match failures >= FAILURES {
                true => Some(OFF.to_owned()),
                false => own.off,
            };
            let row = ActiveModel {
                id: Set(own.id),
                failures: Set(failures),
                off: Set(off),
                ..Default::default()
            };
            row.update(&change).await?;
        }
        Ok(change.commit().await?)
    }

    /// Removes deliveries that happened before this time; returns their number.
    pub async fn sweep_deliveries(&self, before: Timestamp) -> Result<u64> {
        let old = deliveries::Entity::delete_many()
            .filter(deliveries::Column::State.ne(DeliveryState::Waiting))
            .filter(deliveries::Column::Ended.lt(before));
        self.delete_rows(old).await
    }
}

/// The host of an address with its port, without what may be secret in it.
fn receiver_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    host.to_ascii_lowercase()
}

/// The webhooks of an account to a receiver. Those of others are left alone: an account must not be
/// able to stop what others are told at the same host.
fn of_receiver(creator: UserId, host: &str) -> sea_orm::Select<Entity> {
    Entity::find()
        .filter(Column::Creator.eq(creator))
        .filter(Column::Host.eq(host))
}

/// Lets all webhooks of the account to this receiver rest if it did not answer in time, and ends
/// their rest if it did.
async fn note_answer(
    change: &Change,
    own: &Webhook,
    outcome: &AttemptOutcome,
    at: Timestamp,
) -> Result<()> {
    let is_silent = match outcome {
        AttemptOutcome::Delivered(_) => false,
        AttemptOutcome::Failed { why, .. } => why == TIMEOUT,
        AttemptOutcome::Postponed(_) | AttemptOutcome::Gone(_) => return Ok(()),
    };
    // Attempts at the same time are told apart from those after a rest.
    let rests_already = own.rests_until.is_some_and(|until| until > at);
    if (is_silent && rests_already) || (!is_silent && own.time_outs == 0) {
        return Ok(());
    }
    let host = receiver_of(&own.url);
    let doublings = u32::try_from(own.time_outs).unwrap_or_default().min(16);
    let rest = (REST * 2_u32.pow(doublings)).min(LONGEST_REST);
    let row = ActiveModel {
        rests_until: Set(is_silent.then(|| at.after(rest))),
        time_outs: Set(if is_silent { own.time_outs + 1 } else { 0 }),
        ..Default::default()
    };
    let named = ActiveModel {
        host: Set(Some(host.clone())),
        ..row.clone()
    };
    let one = Entity::update_many()
        .set(named)
        .filter(Column::Id.eq(own.id));
    one.exec(change).await?;
    let all = Entity::update_many()
        .set(row)
        .filter(Column::Creator.eq(own.creator))
        .filter(Column::Host.eq(host));
    all.exec(change).await?;
    Ok(())
}

/// The changes of a delivery after an attempt.
fn ended_attempt(
    claimed: &Delivery,
    outcome: AttemptOutcome,
    at: Timestamp,
) -> deliveries::ActiveModel {
    let row = deliveries::ActiveModel {
        id: Set(claimed.id),
        ..Default::default()
    };
    let over = |state, status: Option<u16>, note| deliveries::ActiveModel {
        state: Set(state),
        status: Set(status.map(i32::from)),
        note: Set(note),
        ended: Set(Some(at)),
        ..row.clone()
    };
    match outcome {
        AttemptOutcome::Delivered(status) => over(DeliveryState::Delivered, Some(status), None),
        AttemptOutcome::Gone(why) => over(DeliveryState::GivenUp, None, Some(why)),
        AttemptOutcome::Postponed(due) => deliveries::ActiveModel {
            due: Set(due),
            attempts: Set(claimed.attempts - 1),
            ..row
        },
        AttemptOutcome::Failed { status, why } => {
            let tried = usize::try_from(claimed.attempts - 1).unwrap_or_default();
            let wait = RETRIES.get(tried);
            match wait.filter(|_| claimed.event != EventKind::Test) {
                Some(wait) => deliveries::ActiveModel {
                    due: Set(at.after(*wait)),
                    status: Set(status.map(i32::from)),
                    note: Set(Some(why)),
                    ..row
                },
                None => over(DeliveryState::GivenUp, status, Some(why)),
            }
        }
    }
}

pub(crate) fn new_delivery(
    webhook: WebhookId,
    event: EventKind,
    key: String,
    subject: Json,
    contest: Option<ContestId>,
    at: Timestamp,
) -> deliveries::ActiveModel {
    deliveries::ActiveModel {
        id: NotSet,
        webhook: Set(webhook),
        event: Set(event),
        key: Set(key),
        subject: Set(subject),
        contest: Set(contest),
        created: Set(at),
        due: Set(at),
        attempts: Set(0),
        state: Set(DeliveryState::Waiting),
        status: Set(None),
        note: Set(None),
        ended: Set(None),
    }
}

fn of_owner(owner: WebhookOwner) -> sea_orm::Select<Entity> {
    let (kind, id) = owner.into_columns();
    Entity::find()
        .filter(Column::OwnerKind.eq(kind))
        .filter(Column::Owner.eq(id))
}

async fn lock_webhook(change: &Change, id: WebhookId) -> Result<Webhook> {
    lock_row::<Entity>(change, id, "webhook").await
}

/// Removes the webhooks that a person made, everywhere or for one team, and those of the person.
pub(crate) async fn remove_of_person(
    change: &Change,
    user: UserId,
    team: Option<TeamId>,
) -> Result<()> {
    let mut which = Condition::all().add(Column::Creator.eq(user));
    if let Some(team) = team {
        let (kind, id) = WebhookOwner::Team(team).into_columns();
        which = which
            .add(Column::OwnerKind.eq(kind))
            .add(Column::Owner.eq(id));
    }
    remove(change, which).await
}

async fn remove(change: &Change, which: Condition) -> Result<()> {
    let own = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(which.clone());
    deliveries::Entity::delete_many()
        .filter(deliveries::Column::Webhook.in_subquery(sea_orm::QueryTrait::into_query(own)))
        .exec(change)
        .await?;
    delete_rows::<Entity>(change, which).await?;
    Ok(())
}

async fn log_change(
    change: &Change,
    own: &Webhook,
    action: &str,
    by: UserId,
    at: Timestamp,
) -> Result<()> {
    // The address may hold a secret of its own.
    let subject = format!("webhook {}", own.id);
    let action = AuditedAction::new(
        Some(by),
        action,
        subject,
        json!({"owner": format!("{:?}", own.event_owner())}),
    );
    audit_log::write(change, action, at).await
}

/// The keys of the webhooks that are on and whose receivers do not rest.
fn query_told(at: Timestamp) -> Select<Entity> {
    let rested = Condition::any()
        .add(Column::RestsUntil.is_null())
        .add(Column::RestsUntil.lte(at));
    Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::Off.is_null())
        .filter(rested)
}

/// The number of the events that wait for them, and since when the first is due.
pub(crate) fn waiting_events(
    at: Timestamp,
) -> Selector<SelectGetableTuple<(i64, Option<Timestamp>)>> {
    use deliveries::Column as Due;
    let waiting = deliveries::Entity::find()
        .select_only()
        .column_as(Due::Id.count(), "count")
        .column_as(Due::Due.min(), "due")
        .filter(Due::State.eq(DeliveryState::Waiting))
        .filter(Due::Webhook.in_subquery(sea_orm::QueryTrait::into_query(query_told(at))));
    waiting.into_tuple()
}
