//! What an Elo difference is about.

use leitai_ladder::PairTally;
use serde::{Deserialize, Serialize};

use crate::Language;

/// What the points are counted of that a difference of Elo stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EloUnit {
    /// A leg; a draw is half a point. That is the unit of the rating scales, too.
    #[default]
    Leg,
    /// A match, or a pair of legs: who took more of it wins. Differences are larger.
    Match,
}

impl EloUnit {
    /// `leg` or `match`
    pub fn name(self) -> &'static str {
        match self {
            EloUnit::Leg => "leg",
            EloUnit::Match => "match",
        }
    }

    /// `Elo per leg`
    pub fn heading(self, language: Language<'_>) -> &'static str {
        match self {
            EloUnit::Leg => language.label("Elo per leg"),
            EloUnit::Match => language.label("Elo per match"),
        }
    }

    /// Pairs as they count in this unit.
    pub fn count_pairs(self, pairs: &PairTally) -> PairTally {
        match self {
            EloUnit::Leg => *pairs,
            EloUnit::Match => pairs.as_matches(),
        }
    }
}
