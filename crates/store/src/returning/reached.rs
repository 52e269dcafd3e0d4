//! What an account has reached as a player, in the form in which the server wrote it: levels, scores
//! and days that no match of the arena shows, such as games in a browser without an account.

use sea_orm::sea_query::LockType;

use crate::UserId;
use crate::database::prelude::*;
use crate::tables::achievements::{ActiveModel, Column, Entity};
use crate::tables::users;

impl Store {
    /// What is kept of an account.
    pub async fn achievements_of(&self, user: UserId) -> Result<Option<String>> {
        let own = Entity::find_by_id(user).one(&self.readers).await?;
        Ok(own.map(|own| own.kept))
    }

    /// Changes what is kept of an account, and returns it. Changes of several browsers at once come
    /// one after the other.
    pub async fn change_achievements(
        &self,
        user: UserId,
        merge: impl FnOnce(Option<String>) -> String,
    ) -> Result<String> {
        let change = self.begin_write().await?;
        let account = users::Entity::find_by_id(user).lock(LockType::NoKeyUpdate);
        let account = account.one(&change).await?;
        account.ok_or_else(|| StoreError::row_missing("user", user))?;
        let before = Entity::find_by_id(user).one(&change).await?;
        let kept = merge(before.map(|own| own.kept));
        let row = ActiveModel {
            user: Set(user),
            kept: Set(kept.clone()),
        };
        let latest = OnConflict::column(Column::User)
            .update_column(Column::Kept)
            .to_owned();
        insert_or(&change, row, latest).await?;
        change.commit().await?;
        Ok(kept)
    }
}
