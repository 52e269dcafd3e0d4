//! What the other factors ask about the passkeys of an account.

use crate::UserId;
use crate::database::prelude::*;
use crate::tables::passkeys::{ChallengeKind, Column, Entity, challenges};

/// Whether an account has a passkey.
pub(crate) async fn has_one(place: &impl ConnectionTrait, user: UserId) -> Result<bool> {
    let own = Entity::find().filter(Column::User.eq(user));
    Ok(own.one(place).await?.is_some())
}

/// Forgets what browsers were asked to make, before the account had a factor that had to be given.
pub(crate) async fn forget_waiting(change: &Change, user: UserId) -> Result<()> {
    challenges::Entity::delete_many()
        .filter(challenges::Column::User.eq(user))
        .filter(challenges::Column::Kind.eq(ChallengeKind::Register))
        .exec(change)
        .await?;
    Ok(())
}

/// Removes all passkeys of an account, and what waits for them; whether there were any.
pub(crate) async fn forget(change: &Change, user: UserId) -> Result<bool> {
    delete_rows::<challenges::Entity>(change, challenges::Column::User.eq(user)).await?;
    Ok(delete_rows::<Entity>(change, Column::User.eq(user)).await? > 0)
}
