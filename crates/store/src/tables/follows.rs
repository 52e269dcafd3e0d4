//! The table `follows`.

use sea_orm::entity::prelude::*;

use crate::{BotId, ContestId, Timestamp, UserId};

/// What a person follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum FollowKind {
    /// A bot.
    Bot,
    /// A person with an account.
    Player,
    /// A contest.
    Contest,
}

/// What a person follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowTarget {
    /// A bot.
    Bot(BotId),
    /// A person with an account.
    Player(UserId),
    /// A contest.
    Contest(ContestId),
}

impl FollowTarget {
    pub(crate) fn into_columns(self) -> (FollowKind, i64) {
        match self {
            FollowTarget::Bot(id) => (FollowKind::Bot, id.0),
            FollowTarget::Player(id) => (FollowKind::Player, id.0),
            FollowTarget::Contest(id) => (FollowKind::Contest, id.0),
        }
    }
}

/// A person who follows a bot, another person or a contest.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "follows")]
pub struct Model {
    /// Who follows.
    #[sea_orm(primary_key, auto_increment = false)]
    pub user: UserId,
    /// What.
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: FollowKind,
    /// Its key.
    #[sea_orm(primary_key, auto_increment = false)]
    pub target: i64,
    /// Since when.
    pub since: Timestamp,
}

relations!();
