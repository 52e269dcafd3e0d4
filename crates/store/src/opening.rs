//! Opens a database: its subscribers read what happened after each transaction.

use crate::{Result, Store};

impl Store {
    /// Opens `sqlite:///folder/leitai.db` (created if absent), `sqlite::memory:` (for tests) or
    /// `postgres://…`, and applies the migrations.
    pub async fn open_url(url: &str) -> Result<Store> {
        Store::connect(url, true, |store| Box::pin(Store::read_at_once(store))).await
    }

    /// Opens a database that contains an arena, and applies the migrations. [`StoreError::Absent`](crate::StoreError::Absent)
    /// if there is none; nothing is created.
    pub async fn open_existing(url: &str) -> Result<Store> {
        Store::connect(url, false, |store| Box::pin(Store::read_at_once(store))).await
    }
}
