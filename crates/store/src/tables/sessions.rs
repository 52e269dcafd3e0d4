//! The table `sessions`.

use sea_orm::entity::prelude::*;

use crate::{SessionId, Timestamp, TokenHash, UserId};

/// A browser that is logged in.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sessions")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: SessionId,
    /// The user.
    pub user: UserId,
    /// The hash of the cookie.
    pub hash: TokenHash,
    /// When the person logged in.
    pub created: Timestamp,
    /// When it expires.
    pub until: Timestamp,
}

relations!(related User: User = users.Id);

pub use Model as Session;
