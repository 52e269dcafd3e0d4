//! The table `partings`.

use std::time::Duration;

use sea_orm::FromJsonQueryResult;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{MatchId, MatchSide, Timestamp, UserId};

/// How long an offer of a rematch waits for its answer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// What was said after a match.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "partings")]
pub struct Model {
    /// The match that is over.
    #[sea_orm(primary_key, auto_increment = false, column_name = "match")]
    pub match_id: MatchId,
    /// What A said last.
    pub a_said: Option<String>,
    /// What B said last.
    pub b_said: Option<String>,
    /// The last offer of a rematch.
    pub rematch: Option<RematchOffer>,
    /// When something was said last.
    pub at: Timestamp,
}

relations!();

pub use Model as Parting;

/// An offer of a rematch, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromJsonQueryResult)]
pub struct RematchOffer {
    /// The side that asked, in the match that is over.
    pub by: MatchSide,
    /// The side that the asking person wants in the new match.
    pub wants: MatchSide,
    /// The account of the asking person; a guest has none.
    pub account: Option<UserId>,
    /// When it was made.
    pub since: Timestamp,
    /// The answer.
    pub answer: Option<RematchAnswer>,
}

/// The answer to an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RematchAnswer {
    /// The other person does not want to.
    Declined,
    /// The new match.
    Accepted(MatchId),
}

/// The state of an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RematchState {
    /// It waits for the answer.
    Open,
    /// Nobody answered in time.
    Expired,
    /// The other person does not want to.
    Declined,
    /// There is a match.
    Accepted(MatchId),
}

impl RematchOffer {
    /// Its state at this time.
    pub fn state_at(&self, now: Timestamp) -> RematchState {
        match self.answer {
            Some(RematchAnswer::Declined) => RematchState::Declined,
            Some(RematchAnswer::Accepted(id)) => RematchState::Accepted(id),
            None if now >= self.since.after(PATIENCE) => RematchState::Expired,
            None => RematchState::Open,
        }
    }
}
