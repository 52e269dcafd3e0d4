//! The database: opening it, its single writer.

use sea_orm::DatabaseConnection;

use crate::StoreError;

/// The database. Clones are handles of the same one.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) readers: DatabaseConnection,
}

impl Store {
    /// Opens `sqlite:///folder/leitai.db` (made if it is not there), `sqlite::memory:` (for tests) or `postgres://…`,
    /// and brings its tables up to date.
    pub async fn open(url: &str) -> Result<Store, StoreError> {
        let _ = url;
        todo!()
    }

    /// Fails if the database does not answer.
    pub async fn ping(&self) -> Result<(), StoreError> {
        Ok(self.readers.ping().await?)
    }

    /// Writes what is under way and lets go of the database.
    pub async fn close(self) -> Result<(), StoreError> {
        todo!()
    }

    /// Which versions changed, as they change in this process; a slow reader loses old ones and should read all again.
    pub fn version_changes(&self) -> tokio::sync::broadcast::Receiver<crate::VersionId> {
        todo!()
    }

    /// Grows when this process puts jobs into the queue: idle workers wait for it instead of asking all the time.
    pub fn job_arrivals(&self) -> tokio::sync::watch::Receiver<u64> {
        todo!()
    }
}
