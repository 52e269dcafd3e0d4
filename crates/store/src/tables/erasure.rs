//! The tables `erasures` and `replay_rewrites`.

use sea_orm::entity::prelude::*;

use crate::{BotId, MatchId, UserId};

/// A deleted bot or account whose name is still being replaced.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "erasures")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// The bot.
    pub bot: Option<BotId>,
    /// The account.
    pub user: Option<UserId>,
    /// Matches from this one on are done.
    pub before: MatchId,
}

relations!();

/// Matches whose replays still have a deleted name in them.
pub(crate) mod rewrites {
    use sea_orm::entity::prelude::*;

    use crate::MatchId;

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "replay_rewrites")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub match_id: MatchId,
    }

    relations!();
}
