use sea_orm::{ConnectOptions, Database, DatabaseConnection};

/// The database.
#[derive(Clone, Debug)]
pub struct Store {
    connection: DatabaseConnection,
}

/// What the database could not do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database said no.
    #[error("the database failed: {0}")]
    Database(#[from] sea_orm::DbErr),
}

impl Store {
    /// Opens `sqlite:…` or `postgres:…`.
    pub async fn open(url: &str) -> Result<Store, StoreError> {
        let connection = Database::connect(ConnectOptions::new(url)).await?;
        Ok(Store { connection })
    }

    /// Fails if the database does not answer.
    pub async fn ping(&self) -> Result<(), StoreError> {
        Ok(self.connection.ping().await?)
    }
}
