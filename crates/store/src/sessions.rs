//! Browsers that are logged in.

use sea_orm::entity::prelude::*;

use crate::{SessionId, Store, StoreError, Timestamp, TokenHash, User, UserId};

/// A browser that is logged in.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sessions")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: SessionId,
    /// Whose.
    pub user: UserId,
    /// Of the cookie.
    pub hash: TokenHash,
    /// When the person logged in.
    pub created: Timestamp,
    /// When it ends by itself.
    pub until: Timestamp,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

pub use Model as Session;

impl Store {
    /// Logs a browser in.
    pub async fn create_session(
        &self,
        user: UserId,
        hash: TokenHash,
        at: Timestamp,
        until: Timestamp,
    ) -> Result<Session, StoreError> {
        let _ = (user, hash, at, until);
        todo!()
    }

    /// The session of a cookie and its person; nothing if it has ended, or the person is locked out.
    pub async fn session(
        &self,
        hash: &TokenHash,
        at: Timestamp,
    ) -> Result<Option<(Session, User)>, StoreError> {
        let _ = (hash, at);
        todo!()
    }

    /// Lets a session last longer.
    pub async fn extend_session(&self, id: SessionId, until: Timestamp) -> Result<(), StoreError> {
        let _ = (id, until);
        todo!()
    }

    /// Logs a browser out; no error if it is out already.
    pub async fn end_session(&self, id: SessionId) -> Result<(), StoreError> {
        let _ = id;
        todo!()
    }

    /// Logs every browser of a person out.
    pub async fn end_sessions(&self, user: UserId) -> Result<u64, StoreError> {
        let _ = user;
        todo!()
    }

    /// Forgets what has ended; says how many. For a task that runs now and then.
    pub async fn sweep_sessions(&self, at: Timestamp) -> Result<u64, StoreError> {
        let _ = at;
        todo!()
    }
}
