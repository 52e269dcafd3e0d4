//! The table `play_groups`.

use sea_orm::entity::prelude::*;

use crate::{GroupId, Timestamp};

/// A group of people, such as a class.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "play_groups")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: GroupId,
    /// The name.
    pub name: String,
    /// The name in lower case, which is unique.
    pub folded: String,
    /// What is equal for names that look alike, see [`skeletons`](crate::database::skeletons).
    pub skeleton: Option<String>,
    /// The organisers' description.
    pub about: String,
    /// The most members of a team of this group; 0 if there are no teams.
    pub team_size: i32,
    /// When it was created.
    pub created: Timestamp,
}

relations!();

pub use Model as Group;
