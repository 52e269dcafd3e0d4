//! The result of a match, as a worker reports it, and the answer.

use serde::{Deserialize, Serialize};

use crate::jobs::jobs::CheckedLease;
use crate::{Job, Json, MatchWinner, PerSide};

/// The result of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchResult {
    /// The winner.
    pub winner: MatchWinner,
    /// The rule that decided: `{"id", "en", "zh"}`.
    pub reason: Json,
    /// `[[first, second] a leg]`, in the order of the entrants.
    pub scores: Json,
    /// The outcomes of the legs.
    pub leg_outcomes: Json,
    /// `[{"entrant", "code"}]`.
    pub faults: Json,
    /// The number of faults of each entrant.
    pub fault_counts: PerSide<i32>,
    /// The longest time that each entrant used in one period, in microseconds, where it was
    /// measured.
    pub longest_us: PerSide<Option<i64>>,
    /// The CPU time of all programs together, in microseconds.
    #[serde(default)]
    pub cpu_us: i64,
    /// The key of the replay's blob, which was written before.
    pub replay: Option<String>,
    /// What each leg was: equal for the same setup and replies.
    #[serde(default)]
    pub games: Vec<String>,
    /// The summary of a match of an experiment.
    #[serde(default)]
    pub record: Option<Json>,
}

/// The answer to a result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordOutcome {
    /// The result is recorded durably.
    Recorded {
        /// The rating changes of the entrants, in Elo as shown.
        change: Option<PerSide<f64>>,
    },
    /// A result was already recorded under this lease.
    AlreadyFinished,
    /// The lease is lost: the result is discarded.
    Lost,
}

impl RecordOutcome {
    /// The job for which a result may be recorded, or why none may.
    pub(crate) fn of_lease(lease: CheckedLease) -> Result<Job, RecordOutcome> {
        match lease {
            CheckedLease::Held(job) => Ok(*job),
            CheckedLease::Done => Err(RecordOutcome::AlreadyFinished),
            CheckedLease::Lost => Err(RecordOutcome::Lost),
        }
    }
}
