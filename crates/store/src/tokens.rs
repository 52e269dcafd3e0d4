//! Tokens for programs: of authors (command line) and of workers on other machines.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{Store, StoreError, Timestamp, TokenHash, TokenId, User, UserId};

/// What a token opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::None)", rename_all = "lowercase")]
pub enum TokenKind {
    /// What its person may do, but for passwords and tokens.
    Author,
    /// The jobs.
    Worker,
}

/// A token for programs.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_tokens")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: TokenId,
    /// Whose; nothing for a worker's that was made on the server's command line.
    pub user: Option<UserId>,
    /// What it opens.
    pub kind: TokenKind,
    /// What its person calls it.
    pub name: String,
    /// Of the token, which is shown once.
    pub hash: TokenHash,
    /// When it was made.
    pub created: Timestamp,
    /// When it was last used, to the minute.
    pub used: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

pub use Model as ApiToken;

/// A token to be made.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// Whose.
    pub user: Option<UserId>,
    /// What it opens.
    pub kind: TokenKind,
    /// What its person calls it.
    pub name: String,
    /// Of the token.
    pub hash: TokenHash,
}

impl Store {
    /// Makes a token.
    pub async fn create_token(&self, new: NewToken, at: Timestamp) -> Result<ApiToken, StoreError> {
        let _ = (new, at);
        todo!()
    }

    /// The tokens of an author, newest first (at most 100).
    pub async fn tokens_of(&self, user: UserId) -> Result<Vec<ApiToken>, StoreError> {
        let _ = user;
        todo!()
    }

    /// The tokens of workers, newest first (at most 100).
    pub async fn worker_tokens(&self) -> Result<Vec<ApiToken>, StoreError> {
        todo!()
    }

    /// The token and its person; nothing if it is unknown, revoked, or its person is locked out. Notes when it was used.
    pub async fn token(
        &self,
        hash: &TokenHash,
        at: Timestamp,
    ) -> Result<Option<(ApiToken, Option<User>)>, StoreError> {
        let _ = (hash, at);
        todo!()
    }

    /// Revokes an author's token; [`StoreError::Missing`] if it is not this author's.
    pub async fn revoke_token(&self, id: TokenId, user: UserId) -> Result<(), StoreError> {
        let _ = (id, user);
        todo!()
    }

    /// Revokes a worker's token.
    pub async fn revoke_worker_token(&self, id: TokenId) -> Result<(), StoreError> {
        let _ = id;
        todo!()
    }
}
