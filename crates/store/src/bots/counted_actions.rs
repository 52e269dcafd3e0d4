//! Uploads and friendly matches of people within the last day, for quotas that count them.

use std::time::Duration;

use crate::database::prelude::*;
use crate::tables::counted_actions::{ActiveModel, Column, CountedKind, Entity, Relation};
use crate::{MatchId, MatchState, UserId, tables};

/// An hour, the time over which uploads are counted.
pub(crate) const HOUR: Duration = Duration::from_secs(3_600);
/// A day, the time over which friendly matches and their CPU time are counted.
pub(crate) const DAY: Duration = Duration::from_secs(86_400);
/// The CPU time that a friendly match counts for until it is over, in microseconds. Without it
/// somebody could ask for any number of matches before the first one ends.
pub(crate) const OPEN_MATCH: u64 = 10_000_000;

impl Store {
    /// Removes the actions that no quota counts any more; returns their number.
    pub async fn sweep_counted_actions(&self, at: Timestamp) -> Result<u64> {
        let old = Entity::delete_many().filter(Column::At.lt(at.before(DAY)));
        self.delete_rows(old).await
    }
}

/// Counts an upload, or a friendly match.
pub(crate) async fn count(
    change: &Change,
    user: UserId,
    match_id: Option<MatchId>,
    at: Timestamp,
) -> Result<()> {
    let kind = match match_id {
        None => CountedKind::Upload,
        Some(_) => CountedKind::Friendly,
    };
    insert(change, user, kind, match_id, at).await
}

/// Counts a check of a game file.
pub(crate) async fn count_game_check(change: &Change, user: UserId, at: Timestamp) -> Result<()> {
    insert(change, user, CountedKind::GameCheck, None, at).await
}

async fn insert(
    change: &Change,
    user: UserId,
    kind: CountedKind,
    match_id: Option<MatchId>,
    at: Timestamp,
) -> Result<()> {
    let row = ActiveModel {
        id: NotSet,
        user: Set(user),
        kind: Set(kind),
        at: Set(at),
        match_id: Set(match_id),
        cpu_us: Set(None),
    };
    insert_row(change, row).await
}

/// Notes the CPU time of a match, if somebody asked for it.
pub(crate) async fn note_cpu(change: &Change, id: MatchId, cpu_us: i64) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::CpuUs, cpu_us.into())
        .filter(Column::MatchId.eq(id))
        .exec(change)
        .await?;
    Ok(())
}

/// When a person uploaded within the last hour, oldest first.
pub(crate) async fn uploads(
    place: &impl ConnectionTrait,
    user: UserId,
    at: Timestamp,
) -> Result<Vec<Timestamp>> {
    times(place, user, CountedKind::Upload, at.before(HOUR)).await
}

/// When a person had game files checked within the last 24 hours, oldest first.
pub(crate) async fn game_checks(
    place: &impl ConnectionTrait,
    user: UserId,
    at: Timestamp,
) -> Result<Vec<Timestamp>> {
    times(place, user, CountedKind::GameCheck, at.before(DAY)).await
}

async fn times(
    place: &impl ConnectionTrait,
    user: UserId,
    kind: CountedKind,
    since: Timestamp,
) -> Result<Vec<Timestamp>> {
    Ok(Entity::find()
        .filter(Column::User.eq(user))
        .filter(Column::Kind.eq(kind))
        .filter(Column::At.gt(since))
        .order_by_asc(Column::At)
        .select_only()
        .column(Column::At)
        .into_tuple()
        .all(place)
        .await?)
}

/// The friendly matches of a person within the last 24 hours, oldest first, with their CPU time in
/// microseconds. Void matches do not count: the arena failed.
pub(crate) async fn friendlies(
    place: &impl ConnectionTrait,
    user: UserId,
    at: Timestamp,
) -> Result<Vec<(Timestamp, u64)>> {
    let rows: Vec<(Timestamp, Option<i64>)> = Entity::find()
        .join(JoinType::InnerJoin, Relation::Match.def())
        .filter(Column::User.eq(user))
        .filter(Column::Kind.eq(CountedKind::Friendly))
        .filter(Column::At.gt(at.before(DAY)))
        .filter(tables::matches::Column::State.ne(MatchState::Void))
        .order_by_asc(Column::At)
        .select_only()
        .columns([Column::At, Column::CpuUs])
        .into_tuple()
        .all(place)
        .await?;
    let cpu = |cpu_us: Option<i64>| cpu_us.map_or(OPEN_MATCH, i64::unsigned_abs);
    Ok(rows
        .into_iter()
        .map(|(at, cpu_us)| (at, cpu(cpu_us)))
        .collect())
}

/// Forgets a person's actions.
pub(crate) async fn forget_person(change: &Change, user: UserId) -> Result<()> {
    delete_rows::<Entity>(change, Column::User.eq(user)).await?;
    Ok(())
}
