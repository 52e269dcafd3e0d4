//! The tables `experiments`, `experiment_matches` and `candidate_lanes`.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{BotId, ExperimentId, Json, MatchSeed, Timestamp, UserId, VersionId};

/// How an experiment stands.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum ExperimentState {
    /// Its pairs are being played.
    Running,
    /// The new version is better: `elo1` fits.
    Accepted,
    /// It is not: `elo0` fits.
    Rejected,
    /// All its pairs were played, and neither was shown.
    Undecided,
    /// The two play no new game under these conditions.
    Exhausted,
    /// The version has its rating: the end of a benchmark.
    Measured,
    /// Somebody stopped it, or a newer upload took its place.
    Cancelled,
    /// It could not go on; see [`Model::note`].
    Failed,
}

/// A sequential test of a version against another.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "experiments")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: ExperimentId,
    /// Who started it, with whose turns in the queue it is played.
    pub owner: UserId,
    /// The game's id.
    pub game: String,
    /// The bot whose version is tested; its people see the experiment.
    pub bot: BotId,
    /// The version that is tested.
    pub version: VersionId,
    /// The bot of the other version.
    pub base_bot: BotId,
    /// The version against which it is tested.
    pub base_version: VersionId,
    /// Whether the version becomes the active one if it is accepted.
    pub promotes: bool,
    /// The game's config.
    pub config: Json,
    /// The seed of the first pair; the next ones count on from it.
    pub seed: MatchSeed,
    /// The weaker hypothesis, in Elo.
    pub elo0: f64,
    /// The stronger hypothesis, in Elo.
    pub elo1: f64,
    /// The chance to accept what is only `elo0` stronger.
    pub alpha: f64,
    /// The chance to reject what is `elo1` stronger.
    pub beta: f64,
    /// The number of pairs after which it ends undecided.
    pub most_pairs: i32,
    /// How it stands.
    pub state: ExperimentState,
    /// Why it ended without a result.
    pub note: Option<String>,
    /// When it was started.
    pub created: Timestamp,
    /// When it ended.
    pub ended: Option<Timestamp>,
    /// The first experiment of those that test variants at the same time; `None` if it is alone.
    pub family: Option<ExperimentId>,
    /// The versions against which both play, a list of ids; null: against each other.
    pub pool: Option<Json>,
    /// The pinned moments of an experiment that began before m047; nobody reads them any more.
    pub pins: Option<Json>,
    /// What the tested version and the other one alone play with, a list of two texts or nulls;
    /// null: nothing.
    pub settings: Option<Json>,
    /// Who left the pool, a list of [`LeftPool`]; null: nobody.
    pub pool_left: Option<Json>,
    /// The SHA-256 of the position book from which its matches start; null: from the game's beginning.
    pub book: Option<String>,
    /// How many positions the book has.
    pub book_positions: Option<i32>,
    /// What the server notes of a benchmark: the version plays the levels of its game's rating scale,
    /// which are the pool, and no other version; null: it is none.
    pub benchmark: Option<Json>,
}

/// A position book that is kept as a blob by its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBook {
    /// The SHA-256 of its file, in hexadecimal digits.
    pub hash: String,
    /// How many positions it has.
    pub positions: i32,
}

impl StoredBook {
    /// That of two columns.
    pub(crate) fn of_row(hash: Option<&String>, positions: Option<i32>) -> Option<StoredBook> {
        Some(StoredBook {
            hash: hash?.clone(),
            positions: positions.unwrap_or(0),
        })
    }
}

/// An opponent that left the pool of an experiment, because its bot was deleted or left the ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftPool {
    /// The version.
    pub version: VersionId,
    /// The first pair in which nobody plays against it; of those before it, what was not created yet is
    /// void.
    pub pair: i32,
    /// When.
    pub at: Timestamp,
}

impl Model {
    /// What the tested version and the other one alone play with, as [`MatchEntrant::settings`].
    ///
    /// [`MatchEntrant::settings`]: crate::MatchEntrant::settings
    pub fn own_settings(&self) -> [Option<String>; 2] {
        let text = |at: usize| Some(self.settings.as_ref()?.get(at)?.as_str()?.to_owned());
        [text(0), text(1)]
    }

    /// The position book from which its matches start.
    pub fn own_book(&self) -> Option<StoredBook> {
        StoredBook::of_row(self.book.as_ref(), self.book_positions)
    }

    /// The versions against which both play in turn; empty: they play each other.
    pub fn pool_versions(&self) -> Vec<VersionId> {
        let ids = self.pool.as_ref().and_then(Json::as_array);
        let ids = ids.into_iter().flatten().filter_map(Json::as_i64);
        ids.map(VersionId).collect()
    }

    /// Who left the pool.
    pub fn left_pool(&self) -> Vec<LeftPool> {
        let left = self.pool_left.clone().unwrap_or_default();
        serde_json::from_value(left).unwrap_or_default()
    }

    /// The opponent of both in a pair, and whether it is still there; `None`: there is no pool, or
    /// everybody left it.
    pub fn opponent_of(&self, pair: i32) -> Option<(VersionId, bool)> {
        let left = self.left_pool();
        let mut there = self.pool_versions();
        there.retain(|version| {
            let is_gone = |one: &LeftPool| one.version == *version && one.pair <= pair;
            !left.iter().any(is_gone)
        });
        let place = (pair.unsigned_abs() as usize).checked_rem(there.len())?;
        let version = there[place];
        Some((version, left.iter().all(|one| one.version != version)))
    }

    /// What it counts as beside others: all variants of a family are one.
    pub fn family_key(&self) -> ExperimentId {
        self.family.unwrap_or(self.id)
    }
}

relations!();

/// Table of the matches of experiments.
pub(crate) mod played {
    use sea_orm::entity::prelude::*;

    use crate::{ExperimentId, MatchId};

    /// The place of a match in an experiment. No two have the same.
    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "experiment_matches")]
    pub struct Model {
        /// The match.
        #[sea_orm(primary_key, auto_increment = false)]
        pub match_id: MatchId,
        /// The experiment.
        pub experiment: ExperimentId,
        /// The pair, from 0.
        pub pair: i32,
        /// 0: the match of both legs; 1: the other leg, played alone after a fault in the first.
        pub part: i32,
        /// The summary of the finished match, as the server wrote it.
        pub record: Option<Json>,
    }

    relations!(related Match: MatchId = matches.Id);
}

/// Table of the lanes of bots that have another than [`CandidateLane::Off`].
pub(crate) mod lanes {
    use sea_orm::entity::prelude::*;

    use super::{CandidateLane, Refusing};
    use crate::BotId;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "candidate_lanes")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub bot: BotId,
        pub lane: CandidateLane,
        pub elo0: f64,
        pub elo1: f64,
        pub alpha: f64,
        pub beta: f64,
        pub most_pairs: i32,
        /// So many neighbours on the ladder make up the pool; 0: candidate and active version play each
        /// other.
        pub neighbours: i32,
        pub refuses: Refusing,
        pub book: Option<String>,
        pub book_positions: Option<i32>,
    }

    relations!();
}

/// How an upload that passed its checks becomes the version that plays.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum CandidateLane {
    /// At once.
    Off,
    /// Its author starts the test against the active version.
    Hand,
    /// It is tested against the active version, and plays once it is accepted.
    Automatic,
}

/// Which situations refuse a candidate that fails them.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum Refusing {
    /// None; what it answers is shown.
    Nothing,
    /// Those that its author pinned.
    Pins,
    /// All that are not hidden.
    Packs,
}

pub use Model as Experiment;
