//! The encounters of a tournament, planned and finished.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A stage of a tournament, in the order in which stages are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TournamentStage {
    /// A round, from 1.
    Round(u32),
    /// A round among those who have not lost, from 1.
    Winners(u32),
    /// A round among those who have lost once, from 1.
    Losers(u32),
    /// Who has not lost against who has lost once.
    Final,
    /// Once more, when both have lost once.
    Decider,
}

impl fmt::Display for TournamentStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TournamentStage::Round(round) => write!(f, "r{round}"),
            TournamentStage::Winners(round) => write!(f, "w{round}"),
            TournamentStage::Losers(round) => write!(f, "l{round}"),
            TournamentStage::Final => f.write_str("final"),
            TournamentStage::Decider => f.write_str("decider"),
        }
    }
}

/// An encounter's place in its tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EncounterKey {
    /// The stage.
    pub stage: TournamentStage,
    /// The table, from 0.
    pub table: usize,
}

/// A planned or finished encounter of two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Encounter {
    /// Its place.
    pub key: EncounterKey,
    /// The players.
    pub pair: [usize; 2],
}

/// An encounter that is over.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinishedEncounter {
    /// The players.
    pub pair: [usize; 2],
    /// The points of each.
    pub points: [f64; 2],
}

impl FinishedEncounter {
    /// The player who advances: with more points; between equals the better seed.
    pub fn winner(&self) -> usize {
        let [one, other] = self.pair;
        match self.points[0].total_cmp(&self.points[1]) {
            std::cmp::Ordering::Greater => one,
            std::cmp::Ordering::Less => other,
            std::cmp::Ordering::Equal => one.min(other),
        }
    }

    /// The other player.
    pub fn loser(&self) -> usize {
        if self.winner() == self.pair[0] {
            self.pair[1]
        } else {
            self.pair[0]
        }
    }
}

/// The encounters that are over.
pub type EncounterResults = BTreeMap<EncounterKey, FinishedEncounter>;
