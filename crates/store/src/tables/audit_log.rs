//! The table `audit`.

use sea_orm::entity::prelude::*;

use crate::{AuditId, Json, Timestamp, UserId};

/// A line of the audit log.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: AuditId,
    /// When.
    pub at: Timestamp,
    /// The account that acted; `None` for the arena itself.
    pub user: Option<UserId>,
    /// The action, for example `bot.disable`.
    #[sea_orm(column_name = "deed")]
    pub action: String,
    /// The object of the action, for example `bot 12`.
    pub subject: String,
    /// Details of the action.
    pub detail: Json,
}

relations!();

pub use Model as Audit;
