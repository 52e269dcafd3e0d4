//! The tables `rating_changes`, `doubt_raises` and `head_to_heads`.

use serde::{Deserialize, Serialize};

/// Table of all ratings that bots have had.
pub(crate) mod changes {
    use sea_orm::entity::prelude::*;

    use crate::{BotId, LadderId, MatchId, Timestamp};

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "rating_changes")]
    pub struct Model {
        #[sea_orm(primary_key)]
        pub id: i64,
        pub bot: BotId,
        pub ladder: LadderId,
        pub match_id: Option<MatchId>,
        pub at: Timestamp,
        pub skill: f64,
        pub doubt: f64,
    }

    relations!();
}

/// Table of the times when a new version raised the doubt of a rating; needed to rebuild a ladder.
pub(crate) mod raises {
    use sea_orm::entity::prelude::*;

    use crate::{BotId, LadderId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "doubt_raises")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub ladder: LadderId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub turn: i64,
        pub bot: BotId,
    }

    relations!();
}

/// Table of head-to-head results, one row for each side.
pub(crate) mod rivals {
    use sea_orm::ActiveValue::Set;
    use sea_orm::entity::prelude::*;

    use crate::{BotId, HeadToHeadTally, LadderId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "head_to_heads")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub ladder: LadderId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub bot: BotId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub rival: BotId,
        pub wins: i64,
        pub draws: i64,
        pub losses: i64,
    }

    relations!();

    impl Model {
        pub fn tally(&self) -> HeadToHeadTally {
            HeadToHeadTally {
                wins: self.wins,
                draws: self.draws,
                losses: self.losses,
            }
        }
    }

    pub fn row(
        ladder: &LadderId,
        ((bot, rival), tally): ((BotId, BotId), HeadToHeadTally),
    ) -> ActiveModel {
        let HeadToHeadTally {
            wins,
            draws,
            losses,
        } = tally;
        ActiveModel {
            ladder: Set(ladder.clone()),
            bot: Set(bot),
            rival: Set(rival),
            wins: Set(wins),
            draws: Set(draws),
            losses: Set(losses),
        }
    }
}

/// Games won, drawn and lost by one bot against another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadToHeadTally {
    /// Won.
    pub wins: i64,
    /// Drawn.
    pub draws: i64,
    /// Lost.
    pub losses: i64,
}

impl std::ops::AddAssign for HeadToHeadTally {
    fn add_assign(&mut self, more: HeadToHeadTally) {
        self.wins += more.wins;
        self.draws += more.draws;
        self.losses += more.losses;
    }
}
