//! Opens a database: its subscribers read what happened after each transaction.

use crate::{Store, StoreError};

impl Store {
    /// Opens `sqlite:///folder/leitai.db` (created if absent), `sqlite::memory:` (for tests) or
    /// `postgres://…`, and applies the migrations.
    pub async fn open_url(url: &str) -> Result<Store, StoreError> {
        Store::connect(url, true, |store| Box::pin(Store::read_at_once(store))).await
    }

    /// Opens a database that contains an arena, and applies the migrations. [`StoreError::Absent`]
    /// if there is none; nothing is created.
    pub async fn open_existing(url: &str) -> Result<Store, StoreError> {
        Store::connect(url, false, |store| Box::pin(Store::read_at_once(store))).await
    }
}
