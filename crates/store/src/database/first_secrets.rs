//! The secrets that open the first account. Each server prints one at its start, and all servers of
//! the arena take each of them: a balancer sends people to any server.

use crate::database::prelude::*;
use crate::tables::first_secrets::{ActiveModel, Entity};
use crate::values::secret::TokenHash;

impl Store {
    /// Adds a secret that a server prints.
    pub async fn add_first_secret(&self, secret: &TokenHash) -> Result<()> {
        let change = self.begin_write().await?;
        let row = ActiveModel {
            hash: Set(secret.as_str().to_owned()),
        };
        insert_row(&change, row).await?;
        Ok(change.commit().await?)
    }

    /// Whether a server of the arena has printed this secret.
    pub async fn is_first_secret(&self, secret: &TokenHash) -> Result<bool> {
        let found = Entity::find_by_id(secret.as_str()).one(&self.readers).await;
        Ok(found?.is_some())
    }
}
