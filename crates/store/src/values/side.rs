//! The two entrants of a match, and the winner.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// One of the two entrants of a match. Not a seat: seats are swapped from leg to leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchSide {
    /// Entrant A.
    A,
    /// Entrant B.
    B,
}

impl MatchSide {
    /// Both.
    pub const ALL: [MatchSide; 2] = [MatchSide::A, MatchSide::B];

    /// The opponent.
    pub const fn other(self) -> MatchSide {
        match self {
            MatchSide::A => MatchSide::B,
            MatchSide::B => MatchSide::A,
        }
    }

    /// The name of the side in a column.
    pub(crate) const fn column(self) -> &'static str {
        match self {
            MatchSide::A => "a",
            MatchSide::B => "b",
        }
    }
}

/// A value for each entrant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PerSide<T> {
    /// The value of A.
    pub a: T,
    /// The value of B.
    pub b: T,
}

/// The one named first, then the other.
impl<T> From<[T; 2]> for PerSide<T> {
    fn from([a, b]: [T; 2]) -> PerSide<T> {
        PerSide { a, b }
    }
}

impl<T> PerSide<T> {
    /// Both values in order.
    pub fn into_array(self) -> [T; 2] {
        [self.a, self.b]
    }
}

/// The winner of a match.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum MatchWinner {
    /// A won.
    A,
    /// B won.
    B,
    /// Neither.
    Draw,
}
