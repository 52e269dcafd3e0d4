//! What webhooks are told of an event: one delivery for each that wants it.

use std::collections::{BTreeMap, HashMap, HashSet};

use sea_orm::sea_query::ExprTrait;
use serde_json::json;

use crate::database::prelude::*;
use crate::messages::webhooks::new_delivery;
use crate::tables::contests::{lock_contest, played};
use crate::tables::webhooks::{
    Column, DeliveryState, Entity, EventKind, OwnerKind, Webhook, WebhookOwner, deliveries,
};
use crate::{BotId, ContestId, Json, MatchId, tables};

/// The most events that wait for one webhook; later ones are left out and counted.
const WAITING: u64 = 5_000;

/// What webhooks are told.
pub(crate) struct WebhookEvent {
    pub kind: EventKind,
    /// Unique among all events of its kind.
    pub key: String,
    pub subject: Json,
    /// The contest that may hide it.
    pub contest: Option<ContestId>,
    /// Who is told.
    pub owners: HashSet<WebhookOwner>,
}

/// Writes events for the webhooks that want them.
pub(crate) async fn write(change: &Change, events: Vec<WebhookEvent>, at: Timestamp) -> Result<()> {
    let owners = events.iter().flat_map(|event| event.owners.iter().copied());
    let mut by_kind: BTreeMap<&str, (OwnerKind, HashSet<i64>)> = BTreeMap::new();
    for owner in owners {
        let (kind, id) = owner.into_columns();
        let name = match kind {
            OwnerKind::User => "user",
            OwnerKind::Team => "team",
            OwnerKind::Contest => "contest",
        };
        let entry = by_kind.entry(name).or_insert((kind, HashSet::new()));
        entry.1.insert(id);
    }
    if by_kind.is_empty() {
        return Ok(());
    }
    let mut whose = Condition::any();
    for (kind, ids) in by_kind.into_values() {
        let one = Condition::all()
            .add(Column::OwnerKind.eq(kind))
            .add(Column::Owner.is_in(ids));
        whose = whose.add(one);
    }
    let hooks = Entity::find().filter(Column::Off.is_null()).filter(whose);
    for hook in hooks.all(change).await? {
        write_to(change, &hook, &events, at).await?;
    }
    Ok(())
}

async fn write_to(
    change: &Change,
    hook: &Webhook,
    events: &[WebhookEvent],
    at: Timestamp,
) -> Result<()> {
    let (owner, wanted) = (hook.event_owner(), hook.wanted_events());
    let told = events
        .iter()
        .filter(|event| event.owners.contains(&owner) && wanted.contains(&event.kind));
    let told: Vec<&WebhookEvent> = told.collect();
    if told.is_empty() {
        return Ok(());
    }
    let waiting = deliveries::Entity::find()
        .filter(deliveries::Column::Webhook.eq(hook.id))
        .filter(deliveries::Column::State.eq(DeliveryState::Waiting))
        .count(change)
        .await?;
    let room = usize::try_from(WAITING.saturating_sub(waiting)).unwrap_or_default();
    let dropped = told.len().saturating_sub(room);
    for event in told.into_iter().take(room) {
        let (kind, key) = (event.kind, event.key.clone());
        let row = new_delivery(hook.id, kind, key, event.subject.clone(), event.contest, at);
        insert_new(
            change,
            row,
            [deliveries::Column::Webhook, deliveries::Column::Key],
        )
        .await?;
    }
    if dropped > 0 {
        let more = i64::try_from(dropped).unwrap_or(i64::MAX);
        Entity::update_many()
            .col_expr(Column::Dropped, Expr::col(Column::Dropped).add(more))
            .filter(Column::Id.eq(hook.id))
            .exec(change)
            .await?;
    }
    Ok(())
}

/// Whether anybody has a webhook: most arenas pay only for this question.
pub(crate) async fn is_there_any(change: &Change) -> Result<bool> {
    let any = Entity::find().select_only().column(Column::Id).limit(1);
    let any: Option<i64> = any.into_tuple().one(change).await?;
    Ok(any.is_some())
}

/// What the people of a match's bots and of its contest are told of it: the kind, the key and the
/// subject.
pub(crate) async fn of_match(
    change: &Change,
    id: MatchId,
    (kind, key, subject): (EventKind, String, Json),
) -> Result<Vec<WebhookEvent>> {
    let own = tables::matches::Entity::find_by_id(id).one(change).await?;
    let bots = own.iter().flat_map(|own| [own.a_bot, own.b_bot]);
    let owners = owners_of_bots(change, bots.flatten().collect()).await?;
    let played = played::Entity::find_by_id(id).one(change).await?;
    let contest = played.map(|row| row.contest);
    let of_contest = contest.map(WebhookOwner::Contest);
    Ok(vec![WebhookEvent {
        kind,
        key,
        subject,
        contest,
        owners: owners.into_values().chain(of_contest).collect(),
    }])
}

/// Something that happened to a contest.
pub(crate) async fn of_contest(
    change: &Change,
    id: ContestId,
    kind: EventKind,
    at: Timestamp,
) -> Result<Vec<WebhookEvent>> {
    let own = tables::contests::Entity::find_by_id(id).one(change).await?;
    let event = own.map(|contest| WebhookEvent {
        kind,
        // A contest that goes on after its end ends again.
        key: format!("{kind:?} {id} {}", at.0),
        subject: json!({"contest": contest.name}),
        contest: None,
        owners: HashSet::from([WebhookOwner::Contest(id)]),
    });
    Ok(event.into_iter().collect())
}

/// What a contest hid may be shown now: it is looked at again at once.
pub(crate) async fn wake_held(change: &Change, contest: ContestId, at: Timestamp) -> Result<()> {
    deliveries::Entity::update_many()
        .col_expr(deliveries::Column::Due, Expr::value(at))
        .filter(deliveries::Column::Contest.eq(contest))
        .filter(deliveries::Column::State.eq(DeliveryState::Waiting))
        // Not what was tried already and waits for its next attempt.
        .filter(deliveries::Column::Attempts.eq(0))
        .exec(change)
        .await?;
    Ok(())
}

impl Store {
    /// Tells webhooks that a stage is over. No change ends a stage: that it is over follows from its
    /// matches, at every look. So this is no event; it is told once by its key, by when the stage
    /// began: a stage that was taken back ends anew.
    pub async fn note_stage_ended(&self, id: ContestId, stage: i32, at: Timestamp) -> Result<()> {
        if self
            .webhooks_of(WebhookOwner::Contest(id))
            .await?
            .is_empty()
        {
            return Ok(());
        }
        let change = self.begin_write().await?;
        let contest = lock_contest(&change, id).await?;
        let row = crate::tables::contests::stages::Entity::find_by_id((id, stage));
        if let Some(row) = row.one(&change).await? {
            let event = WebhookEvent {
                kind: EventKind::StageEnded,
                key: format!("stage {id} {stage} {}", row.begun.0),
                subject: json!({"contest": contest.name, "stage": stage}),
                contest: None,
                owners: HashSet::from([WebhookOwner::Contest(id)]),
            };
            write(&change, vec![event], at).await?;
        }
        Ok(change.commit().await?)
    }
}

/// Who is told of these bots: their team, or their author alone.
pub(crate) async fn owners_of_bots(
    change: &Change,
    ids: HashSet<BotId>,
) -> Result<HashMap<BotId, WebhookOwner>> {
    let found = tables::bots::Entity::find().filter(tables::bots::Column::Id.is_in(ids));
    let found = found.all(change).await?;
    let owner = |bot: &tables::bots::Model| match (bot.team, bot.owner) {
        (Some(team), _) => Some(WebhookOwner::Team(team)),
        (None, Some(owner)) => Some(WebhookOwner::User(owner)),
        (None, None) => None,
    };
    Ok(found
        .iter()
        .filter_map(|bot| Some((bot.id, owner(bot)?)))
        .collect())
}
