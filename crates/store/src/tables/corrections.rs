//! The table `corrections`.

use sea_orm::entity::prelude::*;

use crate::{Json, MatchId, MatchWinner, Timestamp, UserId};

/// A result that an administrator corrected.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "corrections")]
pub struct Model {
    /// The key; later corrections have larger ones.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// The corrected match.
    pub match_id: MatchId,
    /// When.
    pub at: Timestamp,
    /// The administrator; `None` for the command line.
    pub user: Option<UserId>,
    /// The previous winner; `None` if the result had been withdrawn.
    pub before: Option<MatchWinner>,
    /// The rule that had decided the match.
    pub reason_before: Option<Json>,
    /// The new winner; `None` if the result was withdrawn.
    pub after: Option<MatchWinner>,
    /// The administrator's reason.
    pub why: String,
}

relations!();

pub use Model as Correction;
