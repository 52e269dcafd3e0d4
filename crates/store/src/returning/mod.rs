//! What brings people back: when they were here last, what they have reached, and the challenge of
//! the day.

mod daily;
mod reached;
mod visit_times;

pub use visit_times::VISIT_GAP;

use crate::UserId;
use crate::database::prelude::*;
use crate::tables::{achievements, visits};

/// Forgets the visits of an account, and what it has reached.
pub(crate) async fn forget_person(change: &Change, user: UserId) -> Result<()> {
    visits::Entity::delete_by_id(user).exec(change).await?;
    achievements::Entity::delete_by_id(user)
        .exec(change)
        .await?;
    Ok(())
}
