//! The table `jobs`.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{JobId, MatchId, Timestamp, VersionId};

/// The kind of work.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum JobKind {
    /// A match between programs.
    Match,
    /// An exhibition match, played slowly for spectators: it must not take the slot of another
    /// match.
    Exhibition,
    /// A human match: only the server itself takes it ([`Store::acquire_match`](crate::Store::acquire_match)).
    Human,
    /// A check: the build and check of a version, or of a game that a judge program leads.
    Version,
}

/// The state of a job.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum JobState {
    /// Waits for a worker.
    Queued,
    /// A worker holds it until the lease expires.
    Leased,
    /// Finished.
    Done,
    /// Given up or cancelled.
    Dropped,
    /// It stopped its worker again and again: an operator decides ([`Store::retry_job`](crate::Store::retry_job)).
    #[serde(rename = "set-aside")]
    #[sea_orm(string_value = "set-aside")]
    SetAside,
}

/// A unit of work: a match, or the check of a version or a game file.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "jobs")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: JobId,
    /// The kind of work.
    pub kind: JobKind,
    /// The game's id.
    pub game: String,
    /// The state.
    pub state: JobState,
    /// Jobs with a larger priority go first, whoever's turn it is.
    pub priority: i32,
    /// Whether it runs uploaded programs.
    pub programs: bool,
    /// The match to play.
    pub match_id: Option<MatchId>,
    /// The version to build and check.
    pub version_id: Option<VersionId>,
    /// Attempts that ended without a result; jobs that were handed back are not counted.
    pub attempts: i32,
    /// When it was put into the queue.
    pub created: Timestamp,
    /// The present or last worker.
    pub worker: Option<String>,
    /// The token of the last lease.
    pub token: Option<String>,
    /// The expiry of the lease; for a queued job, the earliest time of the next attempt.
    pub until: Option<Timestamp>,
    /// The last error, for the administrator.
    pub note: Option<String>,
    /// The span of a trace in which it was made, as W3C's `traceparent`.
    pub trace: Option<String>,
    /// With which others it takes turns; see [`crate::jobs::job_turns`]. `None` once it was given up.
    pub flow: Option<String>,
    /// Its start tag: of jobs with the same priority the one with the smallest goes first.
    pub turn: i64,
    /// Its start tag, once a worker has taken it.
    pub served: Option<i64>,
    /// When a worker last took it.
    pub started: Option<Timestamp>,
    /// The game file to check.
    pub game_file_id: Option<i64>,
    /// The version of the messages that a worker must speak to do it as asked; 0: any.
    pub wire: i32,
}

relations!();

pub use Model as Job;
