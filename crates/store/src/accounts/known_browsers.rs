//! Browsers that have logged in to an account before. Who guesses passwords has none, so that
//! guesses of strangers do not keep the holder out.

use std::time::Duration;

use crate::database::prelude::*;
use crate::tables::known_browsers::{ActiveModel, Column, Entity};
use crate::{TokenHash, UserId};

/// How long a browser is known after its last login.
pub const KNOWN: Duration = Duration::from_secs(180 * 24 * 3600);

impl Store {
    /// Whether somebody has logged in to the account with this browser.
    pub async fn knows_browser(
        &self,
        browser: &TokenHash,
        user: UserId,
        at: Timestamp,
    ) -> Result<bool> {
        let known = Entity::find_by_id((browser.as_str().to_owned(), user));
        let known = known.one(&self.readers).await?;
        Ok(known.is_some_and(|own| at < own.until))
    }

    /// Notes that somebody has logged in to the account with this browser.
    pub async fn note_browser(
        &self,
        browser: &TokenHash,
        user: UserId,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        let row = ActiveModel {
            hash: Set(browser.as_str().to_owned()),
            user: Set(user),
            until: Set(at.after(KNOWN)),
        };
        let latest = OnConflict::columns([Column::Hash, Column::User])
            .update_column(Column::Until)
            .to_owned();
        insert_or(&change, row, latest).await?;
        Ok(change.commit().await?)
    }

    /// Forgets browsers that have not logged in for long; returns their number.
    pub async fn sweep_browsers(&self, at: Timestamp) -> Result<u64> {
        let old = Entity::delete_many().filter(Column::Until.lte(at));
        self.delete_rows(old).await
    }
}

/// Forgets the browsers of an account.
pub(crate) async fn forget_person(change: &Change, user: UserId) -> Result<()> {
    delete_rows::<Entity>(change, Column::User.eq(user)).await?;
    Ok(())
}
