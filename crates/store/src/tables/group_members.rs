//! Who belongs to a group.

use sea_orm::entity::prelude::*;

use crate::{GroupId, Timestamp, UserId};

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "group_members")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub group_id: GroupId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub user: UserId,
    /// Whether the account may change the group.
    pub organiser: bool,
    /// Whether the account was created for this group, whose organisers may give it a new password.
    pub issued: bool,
    pub joined: Timestamp,
}

relations!(related User: User = users.Id);
