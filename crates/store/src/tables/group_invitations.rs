//! The table `group_invitations`.

use sea_orm::entity::prelude::*;

use crate::{GroupId, Timestamp, UserId};

/// An account that is asked to join a group.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "group_invitations")]
pub struct Model {
    /// The group.
    #[sea_orm(primary_key, auto_increment = false)]
    pub group_id: GroupId,
    /// The account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user: UserId,
    /// The team of the group into which it comes then.
    pub team: Option<String>,
    /// Who asks; `None` for the command line.
    pub inviter: Option<UserId>,
    /// When.
    pub created: Timestamp,
}

relations!();
