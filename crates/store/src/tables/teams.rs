//! The table `teams`.

use sea_orm::entity::prelude::*;

use crate::{GroupId, TeamId, Timestamp, UserId};

/// In place of the group of a team without one.
pub(crate) const NO_GROUP: GroupId = GroupId(0);

/// A team.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "teams")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: TeamId,
    /// The number of its group, or 0; see [`Model::group`].
    pub scope: i64,
    /// The name.
    pub name: String,
    /// The name in lower case, which is unique within its group.
    pub folded: String,
    /// What is equal for names that look alike, see [`skeletons`](crate::database::skeletons).
    pub skeleton: Option<String>,
    /// The code with which people join.
    pub code: String,
    /// The most members.
    pub size: i32,
    /// The captain, who is a member.
    pub captain: UserId,
    /// When it was created.
    pub created: Timestamp,
}

relations!();

pub use Model as Team;

impl Model {
    /// The group to which it belongs.
    pub fn group(&self) -> Option<GroupId> {
        (self.scope != NO_GROUP.0).then_some(GroupId(self.scope))
    }
}
