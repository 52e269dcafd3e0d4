//! Matches, from the wish to the result.

use sea_orm::entity::prelude::*;
use sea_orm::{DeriveValueType, FromJsonQueryResult};
use serde::{Deserialize, Serialize};

use crate::{BotId, Ask, BySide, Json, MatchId, Page, Store, StoreError, Timestamp, TokenHash, UserId, VersionId, Winner};

/// What a match is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::None)", rename_all = "lowercase")]
pub enum MatchKind {
    /// Counts for the ladder.
    Ladder,
    /// Somebody wanted to see it.
    Friendly,
    /// A person plays.
    People,
    /// For whoever watches.
    Show,
}

/// How far a match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::None)", rename_all = "lowercase")]
pub enum MatchState {
    /// For the one who was invited.
    Waiting,
    /// For a worker.
    Queued,
    /// Is being played.
    Running,
    /// Has a result.
    Finished,
    /// We failed: it says nothing about the entrants.
    Void,
    /// Nobody wants it any more.
    Cancelled,
}

/// Where the chance of a match comes from. All 64 bits count; the database knows signed numbers only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, DeriveValueType)]
pub struct Seed(i64);

impl From<u64> for Seed {
    fn from(seed: u64) -> Seed {
        Seed(seed.cast_signed())
    }
}

impl Seed {
    /// The number.
    pub fn get(self) -> u64 {
        self.0.cast_unsigned()
    }
}

/// Whether an entrant is a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntrantKind {
    /// A program.
    Bot,
    /// A person, with or without an account.
    Person,
}

/// Who plays, as it was when the match was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct Entrant {
    /// Program or person.
    pub kind: EntrantKind,
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
    /// Comes with Leitai.
    pub built_in: bool,
}

impl Entrant {
    /// A person; a guest has no account.
    pub fn person(name: impl Into<String>, user: Option<UserId>) -> Entrant {
        let name = name.into();
        let user_name = user.map(|_| name.clone());
        let kind = EntrantKind::Person;
        Entrant { kind, name, bot: None, version: None, number: None, user, user_name, built_in: false }
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
    /// What it is for.
    pub kind: MatchKind,
    /// How far it is.
    pub state: MatchState,
    /// The entrant named first; nobody while the invited one is awaited.
    pub a: Option<Entrant>,
    /// The other.
    pub b: Option<Entrant>,
    /// The bot of `a`.
    pub a_bot: Option<BotId>,
    /// The bot of `b`.
    pub b_bot: Option<BotId>,
    /// Of what the person on `a` shows to sit down.
    pub a_seat: Option<TokenHash>,
    /// Of what the person on `b` shows to sit down.
    pub b_seat: Option<TokenHash>,
    /// The code of the invite.
    pub invite: Option<String>,
    /// Where the chance comes from.
    pub seed: Seed,
    /// The game's choices.
    pub config: Json,
    /// Clocks and resources.
    pub limits: Json,
    /// How many legs at most.
    pub legs: i32,
    /// When it was made.
    pub created: Timestamp,
    /// When a worker took it last.
    pub started: Option<Timestamp>,
    /// When it was finished, void or cancelled.
    pub finished: Option<Timestamp>,
    /// The worker.
    pub worker: Option<String>,
    /// Which match this one plays again.
    pub again_of: Option<MatchId>,
    /// How it ended.
    pub winner: Option<Winner>,
    /// Which rule decided: `{"id", "en", "zh"}`.
    pub reason: Option<Json>,
    /// `[[first, second] a leg]`, in the order of the entrants.
    pub scores: Option<Json>,
    /// Everything about the legs.
    pub leg_outcomes: Option<Json>,
    /// `[{"entrant", "code"}]`.
    pub faults: Option<Json>,
    /// Faults of `a`.
    pub a_faults: i32,
    /// Faults of `b`.
    pub b_faults: i32,
    /// The longest period of `a`, in microseconds.
    pub a_longest_us: Option<i64>,
    /// The longest period of `b`, in microseconds.
    pub b_longest_us: Option<i64>,
    /// Where the replay lies in the vault.
    pub replay: Option<String>,
    /// Which change of its game's ladder it is; nothing if it does not count.
    pub turn: Option<i64>,
    /// What `a` won or lost, in Elo as shown.
    pub a_change: Option<f64>,
    /// What `b` won or lost, in Elo as shown.
    pub b_change: Option<f64>,
    /// Why it is void or cancelled, for the administrator.
    pub note: Option<String>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

pub use Model as Match;

/// A match in a list.
#[derive(Clone, Debug, PartialEq, DerivePartialModel)]
#[sea_orm(entity = "Entity")]
pub struct MatchBrief {
    /// The key.
    pub id: MatchId,
    /// The game's id.
    pub game: String,
    /// What it is for.
    pub kind: MatchKind,
    /// How far it is.
    pub state: MatchState,
    /// The entrant named first.
    pub a: Option<Entrant>,
    /// The other.
    pub b: Option<Entrant>,
    /// How many legs at most.
    pub legs: i32,
    /// When it was made.
    pub created: Timestamp,
    /// When a worker took it last.
    pub started: Option<Timestamp>,
    /// When it was finished, void or cancelled.
    pub finished: Option<Timestamp>,
    /// How it ended.
    pub winner: Option<Winner>,
    /// Which rule decided.
    pub reason: Option<Json>,
    /// `[[first, second] a leg]`, in the order of the entrants.
    pub scores: Option<Json>,
    /// `[{"entrant", "code"}]`.
    pub faults: Option<Json>,
    /// What `a` won or lost, in Elo as shown.
    pub a_change: Option<f64>,
    /// What `b` won or lost, in Elo as shown.
    pub b_change: Option<f64>,
}

/// Games won, drawn and lost by one bot against another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Won.
    pub wins: i64,
    /// Drawn.
    pub draws: i64,
    /// Lost.
    pub losses: i64,
}

/// A match to be made.
#[derive(Clone, Debug)]
pub struct NewMatch {
    /// The game's id.
    pub game: String,
    /// What it is for.
    pub kind: MatchKind,
    /// The entrant named first; nobody for an invite to this side.
    pub a: Option<Entrant>,
    /// The other; nobody for an invite to this side.
    pub b: Option<Entrant>,
    /// What the people show to sit down.
    pub seats: BySide<Option<TokenHash>>,
    /// The code of the invite: with one, the match waits, and has no job yet.
    pub invite: Option<String>,
    /// Where the chance comes from.
    pub seed: Seed,
    /// The game's choices.
    pub config: Json,
    /// Clocks and resources.
    pub limits: Json,
    /// How many legs at most.
    pub legs: i32,
    /// Larger ones go first; ladders 0, wishes of people more.
    pub priority: i32,
}

/// Which matches are listed; nothing means any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchFilter {
    /// Of this game.
    pub game: Option<String>,
    /// In which this bot plays.
    pub bot: Option<BotId>,
    /// Only those in which [`MatchFilter::bot`] made a fault.
    pub faulted: bool,
    /// Of this kind.
    pub kind: Option<MatchKind>,
    /// In this state.
    pub state: Option<MatchState>,
}

impl Store {
    /// Makes a match and puts it into the queue, or lets it wait for whom its invite is for. [`StoreError::Taken`] if
    /// the invite's code is in use.
    pub async fn create_match(&self, new: NewMatch, at: Timestamp) -> Result<Match, StoreError> {
        let _ = (new, at);
        todo!()
    }

    /// Makes many matches in one transaction.
    pub async fn create_matches(&self, new: Vec<NewMatch>, at: Timestamp) -> Result<Vec<Match>, StoreError> {
        let _ = (new, at);
        todo!()
    }

    /// A match; [`StoreError::Missing`] if there is none.
    pub async fn match_by_id(&self, id: MatchId) -> Result<Match, StoreError> {
        let _ = id;
        todo!()
    }

    /// Matches, newest first.
    pub async fn matches(&self, filter: &MatchFilter, ask: &Ask) -> Result<Page<MatchBrief>, StoreError> {
        let _ = (filter, ask);
        todo!()
    }

    /// Nobody wants it any more: whoever plays it learns at the next renewal that the lease is lost. [`StoreError::Refused`] if it is over already.
    pub async fn cancel_match(&self, id: MatchId, note: &str, at: Timestamp) -> Result<Match, StoreError> {
        let _ = (id, note, at);
        todo!()
    }

    /// We failed: it says nothing about the entrants. [`StoreError::Refused`] if it is over already.
    pub async fn void_match(&self, id: MatchId, note: &str, at: Timestamp) -> Result<Match, StoreError> {
        let _ = (id, note, at);
        todo!()
    }

    /// Plays a match that is over once more, with the same entrants, seed and choices. What has counted once does not
    /// count again: the new match of a finished ladder match is a friendly one. People are not called back.
    pub async fn rerun(&self, id: MatchId, at: Timestamp) -> Result<Match, StoreError> {
        let _ = (id, at);
        todo!()
    }
}
