//! The leases that nobody could renew while the database was away, or while no server led.

use sea_orm::ActiveValue::Set;
use sea_orm::UpdateMany;
use sea_orm::entity::prelude::*;

use crate::tables::jobs::{ActiveModel, Column, Entity, JobKind, JobState};
use crate::{Result, Timestamp};

/// Prolongs the leases that were held at `held_at` to this time, and returns how many.
pub(crate) async fn prolong_leases(
    change: &impl ConnectionTrait,
    held_at: Timestamp,
    until: Timestamp,
) -> Result<u64> {
    let held = prolonged(held_at, until).exec(change).await?;
    Ok(held.rows_affected)
}

/// The same without matches of people, whose servers are known to be gone sooner.
pub(crate) async fn prolong_workers_leases(
    change: &impl ConnectionTrait,
    held_at: Timestamp,
    until: Timestamp,
) -> Result<u64> {
    let held = prolonged(held_at, until).filter(Column::Kind.ne(JobKind::Human));
    Ok(held.exec(change).await?.rows_affected)
}

fn prolonged(held_at: Timestamp, until: Timestamp) -> UpdateMany<Entity> {
    let later = ActiveModel {
        until: Set(Some(until)),
        ..Default::default()
    };
    let held = Entity::update_many()
        .set(later)
        .filter(Column::State.eq(JobState::Leased));
    held.filter(Column::Until.gte(held_at))
        .filter(Column::Until.lt(until))
}
