//! The challenge of each day: the same for everybody, made once by one server.

use crate::database::prelude::*;
use crate::tables::daily_challenges::{ActiveModel, Column, Entity};

impl Store {
    /// The challenge of a day.
    pub async fn daily_challenge(&self, day: &str) -> Result<Option<String>> {
        let own = Entity::find_by_id(day).one(&self.readers).await?;
        Ok(own.map(|own| own.challenge))
    }

    /// Keeps the challenge of a day, unless another server was first.
    pub async fn keep_daily_challenge(
        &self,
        day: &str,
        challenge: &str,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        let row = ActiveModel {
            day: Set(day.to_owned()),
            challenge: Set(challenge.to_owned()),
            made: Set(at),
        };
        insert_new(&change, row, [Column::Day]).await?;
        change.commit().await?;
        Ok(())
    }
}
