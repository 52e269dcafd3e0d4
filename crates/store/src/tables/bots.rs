//! The table `bots`.

use sea_orm::entity::prelude::*;

use crate::{BotId, TeamId, Timestamp, UserId, VersionId};

/// A program on the ladder of one game.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "bots")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: BotId,
    /// The game's id.
    pub game: String,
    /// The name as the author wrote it.
    pub name: String,
    /// The name in lower case: unique within a game.
    pub folded: String,
    /// What is equal for names that look alike, see [`skeletons`](crate::database::skeletons).
    pub skeleton: Option<String>,
    /// The author; `None` for a built-in or a deleted bot.
    pub owner: Option<UserId>,
    /// The author's description.
    pub about: String,
    /// The active version.
    pub active: Option<VersionId>,
    /// The author removed it from the ladder.
    pub retired: bool,
    /// An administrator removed it from the ladder.
    pub disabled: bool,
    /// When it was created.
    pub created: Timestamp,
    /// When it was deleted. A deleted bot has no author, no versions and a placeholder name.
    pub deleted: Option<Timestamp>,
    /// The team to which it belongs; then the owner is the team's captain.
    pub team: Option<TeamId>,
    /// Whether an agent wrote it, as the author says.
    pub by_agent: bool,
    /// Whether others may fetch the active version, to train against it.
    pub fetchable: bool,
}

relations!(Owner: Owner = users.Id);

pub use Model as Bot;

impl Model {
    /// Whether it is a built-in bot, which has no owner.
    pub fn built_in(&self) -> bool {
        self.owner.is_none() && self.deleted.is_none()
    }

    /// Whether it plays on the ladder.
    pub fn is_listed(&self) -> bool {
        self.active.is_some() && !self.retired && !self.disabled
    }
}
