//! The id of the arena, by which its servers find each other on a bus that other arenas use, too.

use crate::database::prelude::*;
use crate::tables::identity::{ActiveModel, Column, Entity};
use crate::values::secret::random_token;

/// The number of the row.
const ROW: i32 = 1;
/// The number of letters of an id.
const LENGTH: usize = 16;

impl Store {
    /// The id of the arena: a random word, made at the first call and the same for ever.
    pub async fn arena_id(&self) -> Result<String> {
        let change = self.begin_write().await?;
        let row = ActiveModel {
            id: Set(ROW),
            arena: Set(random_token().chars().take(LENGTH).collect()),
        };
        insert_new(&change, row, [Column::Id]).await?;
        let found = Entity::find_by_id(ROW).one(&change).await?;
        change.commit().await?;
        let row = found.ok_or_else(|| StoreError::Missing {
            what: "arena",
            which: ROW.to_string(),
        })?;
        Ok(row.arena)
    }
}
