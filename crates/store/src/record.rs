//! Results and ratings, recorded once, many in one transaction.

use serde::{Deserialize, Serialize};

use crate::{BySide, Json, Lease, Store, StoreError, Timestamp, Winner};

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchResult {
    /// Who won.
    pub winner: Winner,
    /// Which rule decided: `{"id", "en", "zh"}`.
    pub reason: Json,
    /// `[[first, second] a leg]`, in the order of the entrants.
    pub scores: Json,
    /// Everything about the legs.
    pub leg_outcomes: Json,
    /// `[{"entrant", "code"}]`.
    pub faults: Json,
    /// How many faults each entrant made.
    pub fault_counts: BySide<i32>,
    /// The longest period of each, in microseconds, where it was measured.
    pub longest_us: BySide<Option<i64>>,
    /// Where the replay lies in the vault (put there before).
    pub replay: Option<String>,
}

/// Whether a result was taken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// It is recorded, and will survive whatever comes.
    Recorded {
        /// What the entrants won or lost on the ladder, in Elo as shown.
        change: Option<BySide<f64>>,
    },
    /// This lease has brought its result before.
    AlreadyFinished,
    /// The lease is not the living one: the result is thrown away.
    Lost,
}

impl Store {
    /// Records a result: match, ratings of both (ladder matches between two different bots), their history, head-to-head
    /// and job in one transaction, once. Calls that come at the same time share a transaction; none waits for more than
    /// the one before.
    pub async fn finish_match(
        &self,
        lease: &Lease,
        result: MatchResult,
        at: Timestamp,
    ) -> Result<Finish, StoreError> {
        let _ = (lease, result, at);
        todo!()
    }
}
