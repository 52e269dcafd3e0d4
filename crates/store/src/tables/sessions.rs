//! The table `sessions`.

use sea_orm::entity::prelude::*;

use crate::tables::users;
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

/// Which tables it is joined with.
#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    /// The user.
    #[sea_orm(
        belongs_to = "users::Entity",
        from = "Column::User",
        to = "users::Column::Id"
    )]
    User,
}

impl Related<users::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::User.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}

pub use Model as Session;
