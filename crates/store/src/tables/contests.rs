//! The tables `contests`, `contest_entries`, `contest_stages` and `contest_matches`.

use sea_orm::QuerySelect;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{ContestId, MatchSeed, Result, StoreError, Timestamp};

/// The state of a contest.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum ContestState {
    /// Before the freeze.
    Open,
    /// The versions are chosen; its stages are played.
    Running,
    /// Over, with a result.
    Finished,
    /// Over, without a result.
    Annulled,
}

/// A contest.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "contests")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: ContestId,
    /// The name in addresses: the `id` of its file.
    pub name: String,
    /// What is equal for names that look alike, see [`skeletons`](crate::database::skeletons).
    pub skeleton: Option<String>,
    /// The game's id.
    pub game: String,
    /// The rules of the game file by which it is played since the freeze; `None`: those of the game
    /// that the arena plays.
    pub rules: Option<String>,
    /// The file, in TOML.
    pub file: String,
    /// The number from which seeds and the first seeding are drawn.
    pub seed: MatchSeed,
    /// The state.
    pub state: ContestState,
    /// Whether an organiser has paused it: no match begins.
    pub paused: bool,
    /// When it was published.
    pub created: Timestamp,
    /// When the versions were chosen.
    pub frozen: Option<Timestamp>,
    /// When it was finished or annulled.
    pub ended: Option<Timestamp>,
    /// Why it was annulled.
    pub note: Option<String>,
    /// Whether only its organisers and those who may enter it see it.
    pub private: bool,
    /// From when its results are shown to others than its organisers; `None`: from its end.
    pub results_from: Option<Timestamp>,
}

/// What the file of a contest says of who sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContestPrivacy {
    /// Whether only its organisers and those who may enter it see it.
    pub private: bool,
    /// From when its results are shown to others than its organisers; `None`: from its end.
    pub results_from: Option<Timestamp>,
}

impl ContestPrivacy {
    /// Everybody sees the contest and, at any time, its results.
    pub const PUBLIC: ContestPrivacy = ContestPrivacy {
        private: false,
        results_from: Some(Timestamp(0)),
    };
}

impl Model {
    /// What its file says of who sees it.
    pub fn privacy(&self) -> ContestPrivacy {
        ContestPrivacy {
            private: self.private,
            results_from: self.results_from,
        }
    }

    /// Whether its results are hidden at this time from others than its organisers.
    pub fn hides_results(&self, at: Timestamp) -> bool {
        match self.results_from {
            Some(from) => at < from,
            None => self.ended.is_none(),
        }
    }

    /// Whether its matches are hidden at this time from strangers.
    pub fn hides_matches(&self, at: Timestamp) -> bool {
        self.private || self.hides_results(at)
    }
}

relations!();

pub use Model as Contest;

/// Why an entry plays no more.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum EntryLeft {
    /// Its author withdrew it, or its bot can play no more.
    Withdrawn,
    /// An organiser disqualified it.
    Disqualified,
}

/// Table of the bots in contests.
pub(crate) mod entries {
    use sea_orm::entity::prelude::*;

    use super::EntryLeft;
    use crate::{BotId, ContestId, EntryId, Timestamp, VersionId};

    /// A bot in a contest.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "contest_entries")]
    pub struct Model {
        /// The key.
        #[sea_orm(primary_key)]
        pub id: EntryId,
        /// The contest.
        pub contest: ContestId,
        /// The bot.
        pub bot: BotId,
        /// The version that plays, from the freeze on.
        pub version: Option<VersionId>,
        /// When it joined.
        pub joined: Timestamp,
        /// Why it plays no more; `None` while it plays.
        pub left: Option<EntryLeft>,
        /// The reason for that.
        pub why: Option<String>,
    }

    relations!();
}

/// Table of the stages that have begun.
pub(crate) mod stages {
    use sea_orm::entity::prelude::*;

    use crate::{ContestId, Timestamp};

    /// A stage that has begun.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "contest_stages")]
    pub struct Model {
        /// The contest.
        #[sea_orm(primary_key, auto_increment = false)]
        pub contest: ContestId,
        /// The number, from 0.
        #[sea_orm(primary_key, auto_increment = false)]
        pub stage: i32,
        /// When it began.
        pub begun: Timestamp,
        /// The entries that play, best seed first.
        pub seeds: Json,
    }

    relations!();

    impl Model {
        /// The entries that play, best seed first.
        pub fn seeded_entries(&self) -> Vec<crate::EntryId> {
            serde_json::from_value(self.seeds.clone()).unwrap_or_default()
        }
    }
}

/// Table of the matches of contests.
pub(crate) mod played {
    use sea_orm::entity::prelude::*;

    use crate::{ContestId, EntryId, MatchId, Timestamp};

    /// The place of a match in a contest.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "contest_matches")]
    pub struct Model {
        /// The match.
        #[sea_orm(primary_key, auto_increment = false)]
        pub match_id: MatchId,
        /// The contest.
        pub contest: ContestId,
        /// The stage, from 0.
        pub stage: i32,
        /// The encounter: its round and table.
        pub place: String,
        /// The number of the match in the encounter, from 0. In every second match `other` is
        /// entrant A.
        pub number: i32,
        /// How often it was played before without a result.
        pub attempt: i32,
        /// The first entry of the encounter.
        pub one: EntryId,
        /// The second.
        pub other: EntryId,
        /// When an organiser took it back: it no longer counts.
        pub taken_back: Option<Timestamp>,
    }

    relations!(Match: MatchId = matches.Id);
}

pub use entries::Model as ContestEntry;
pub use played::Model as ContestMatch;
pub use stages::Model as ContestStage;

pub(crate) async fn lock_contest(change: &impl ConnectionTrait, id: ContestId) -> Result<Contest> {
    Entity::find_by_id(id)
        .lock_exclusive()
        .one(change)
        .await?
        .ok_or_else(|| StoreError::row_missing("contest", id))
}
