//! The tables `matches`, `match_entrants`, `match_people` and `match_homes`.

use sea_orm::entity::prelude::*;
use sea_orm::{DeriveValueType, FromJsonQueryResult};
use serde::{Deserialize, Serialize};

use crate::{
    BotId, HomeBotId, Json, LadderId, MatchId, MatchWinner, Timestamp, TokenHash, UserId, VersionId,
};

/// What a match is for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum MatchKind {
    /// Counts for the ladder.
    Ladder,
    /// A user asked for it; it is not rated.
    Friendly,
    /// At least one person plays.
    Human,
    /// Bots play for spectators.
    Exhibition,
    /// Counts in a contest; it is not rated.
    Contest,
    /// Counts in an experiment; only the people of its two bots see it.
    Experiment,
}

/// The state of a match.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum MatchState {
    /// Waits for the invited person.
    Waiting,
    /// Waits for a worker.
    Queued,
    /// Is being played.
    Running,
    /// Has a result.
    Finished,
    /// Ended by an infrastructure error; it says nothing about the entrants.
    Void,
    /// Cancelled.
    Cancelled,
}

impl MatchState {
    /// Whether the state is final.
    pub const fn is_over(self) -> bool {
        matches!(
            self,
            MatchState::Finished | MatchState::Void | MatchState::Cancelled
        )
    }
}

/// The seed of a match's chance. All 64 bits count; the database stores signed numbers only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, DeriveValueType)]
pub struct MatchSeed(i64);

impl From<u64> for MatchSeed {
    fn from(seed: u64) -> MatchSeed {
        MatchSeed(seed.cast_signed())
    }
}

impl MatchSeed {
    /// The number.
    pub fn get(self) -> u64 {
        self.0.cast_unsigned()
    }
}

/// Whether an entrant is a program or a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchEntrantKind {
    /// A program.
    Bot,
    /// A person, with or without an account.
    Person,
}

/// An entrant as it was when the match was created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct MatchEntrant {
    /// Program or person.
    pub kind: MatchEntrantKind,
    /// The bot's or the person's name.
    pub name: String,
    /// The bot.
    pub bot: Option<BotId>,
    /// Its version.
    pub version: Option<VersionId>,
    /// The version's number.
    pub number: Option<i32>,
    /// The person who plays or owns the bot.
    pub user: Option<UserId>,
    /// The person's name.
    pub user_name: Option<String>,
    /// Whether it is a built-in bot.
    pub built_in: bool,
    /// The protocol of a program that stays on the machine of its author, who has the seat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// Which of the programs that are offered from home it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home_bot: Option<HomeBotId>,
    /// The median time to a program at home and back, in microseconds, once the match is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<i64>,
    /// What it alone plays with, in the words of the command line (`--depth 5 @limit=1s`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
}

/// The prefix of the placeholder names of deleted bots and accounts.
pub(crate) const DELETED: &str = "deleted ";

impl MatchEntrant {
    /// A person as an entrant; a guest has no account.
    pub fn human_entrant(name: impl Into<String>, user: Option<UserId>) -> MatchEntrant {
        let name = name.into();
        let user_name = user.map(|_| name.clone());
        let kind = MatchEntrantKind::Person;
        MatchEntrant {
            kind,
            name,
            bot: None,
            version: None,
            number: None,
            user,
            user_name,
            built_in: false,
            home: None,
            home_bot: None,
            latency_us: None,
            settings: None,
        }
    }

    /// A program that stays on the machine of its author: it has the seat of that person.
    pub fn at_home(self, program: &str, protocol: String) -> MatchEntrant {
        MatchEntrant {
            name: format!("{}+{program}", self.name),
            home: Some(protocol),
            ..self
        }
    }

    /// Whether its bot or account was deleted since. Names that users choose contain no space.
    pub fn is_deleted(&self) -> bool {
        self.name.starts_with(DELETED)
    }
}

/// A match.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "matches")]
pub struct Model {
    /// The key; later matches have larger ones.
    #[sea_orm(primary_key)]
    pub id: MatchId,
    /// The game's id.
    pub game: String,
    /// The kind.
    pub kind: MatchKind,
    /// The ladder for which it counts; `None` for other kinds.
    pub ladder: Option<LadderId>,
    /// The state.
    pub state: MatchState,
    /// Entrant A; `None` while the invited person is awaited.
    pub a: Option<MatchEntrant>,
    /// Entrant B.
    pub b: Option<MatchEntrant>,
    /// The bot of `a`.
    pub a_bot: Option<BotId>,
    /// The bot of `b`.
    pub b_bot: Option<BotId>,
    /// The hash of A's seat token, with which a person joins.
    pub a_seat_token: Option<TokenHash>,
    /// The hash of B's seat token, with which a person joins.
    pub b_seat_token: Option<TokenHash>,
    /// The code of the invite.
    pub invite: Option<String>,
    /// The seed.
    pub seed: MatchSeed,
    /// The game's config.
    pub config: Json,
    /// The limits of time and resources.
    pub limits: Json,
    /// The most legs that are played.
    pub legs: i32,
    /// Matches with a larger priority go first.
    pub priority: i32,
    /// When it was created.
    pub created: Timestamp,
    /// When a worker last leased it.
    pub started: Option<Timestamp>,
    /// When it was finished, void or cancelled.
    pub finished: Option<Timestamp>,
    /// The worker.
    pub worker: Option<String>,
    /// The match that this one plays again.
    pub again_of: Option<MatchId>,
    /// The earlier match of the ladder of which this one holds a copy; it does not count then.
    pub copy_of: Option<MatchId>,
    /// The winner.
    pub winner: Option<MatchWinner>,
    /// The rule that decided: `{"id", "en", "zh"}`; without `zh` where the store wrote it.
    pub reason: Option<Json>,
    /// `[[first, second] a leg]`, in the order of the entrants.
    pub scores: Option<Json>,
    /// The outcomes of the legs.
    pub leg_outcomes: Option<Json>,
    /// `[{"entrant", "code"}]`.
    pub faults: Option<Json>,
    /// Faults of `a`.
    pub a_faults: i32,
    /// Faults of `b`.
    pub b_faults: i32,
    /// The longest time that `a` used in one period, in microseconds.
    pub a_longest_us: Option<i64>,
    /// The longest time that `b` used in one period, in microseconds.
    pub b_longest_us: Option<i64>,
    /// The key of the replay's blob.
    pub replay: Option<String>,
    /// The stored size of the replay in bytes, once it was measured.
    pub replay_bytes: Option<i64>,
    /// When the replay was removed.
    pub replay_removed: Option<Timestamp>,
    /// The number of this match among the changes of its ladder; `None` if it does not count.
    pub turn: Option<i64>,
    /// What `a` won or lost, in Elo as shown.
    pub a_change: Option<f64>,
    /// What `b` won or lost, in Elo as shown.
    pub b_change: Option<f64>,
    /// The reason why it is void or cancelled, for the administrator.
    pub note: Option<String>,
    /// The part of another arena with which it came; this arena did not judge it then.
    pub part: Option<String>,
}

relations!();

/// Table of the bots of each match, from which a bot's matches are found.
pub(crate) mod entrants {
    use sea_orm::entity::prelude::*;

    use crate::{BotId, MatchId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "match_entrants")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub bot: BotId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub match_id: MatchId,
        pub faulted: bool,
    }

    relations!(Match: MatchId = matches.Id);
}

/// Table of the people of each match who have an account, from which a person's matches are found.
pub(crate) mod people {
    use sea_orm::entity::prelude::*;

    use crate::{MatchId, UserId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "match_people")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub user: UserId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub match_id: MatchId,
        /// The side: `a` or `b`.
        pub side: String,
    }

    relations!(Match: MatchId = matches.Id);
}

/// Table of the matches in which a program at home plays, from which its author finds them.
pub(crate) mod homes {
    use sea_orm::entity::prelude::*;

    use crate::{MatchId, UserId};

    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "match_homes")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub user: UserId,
        #[sea_orm(primary_key, auto_increment = false)]
        pub match_id: MatchId,
    }

    relations!(Match: MatchId = matches.Id);
}

pub use Model as Match;
