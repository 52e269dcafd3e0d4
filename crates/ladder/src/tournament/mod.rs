//! Round robin, gauntlet, Swiss, single and double elimination.
//!
//! A tournament is a pure function: from its format, the number of players and the encounters that are over it says which
//! encounters can be played now. Nothing else is remembered, so a tournament that was interrupted goes on from its
//! results alone, and encounters may end in any order.
//!
//! Players are numbered from 0; in formats with a seeding, 0 is the best seed.

mod elimination;
mod round_robin;
mod swiss;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// How a tournament is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Format {
    /// Everyone meets everyone, so many times.
    RoundRobin {
        /// How often everyone meets everyone.
        cycles: u32,
    },
    /// The first players meet all others, so many times.
    Gauntlet {
        /// How many of the players run the gauntlet.
        heads: usize,
        /// How often they meet everyone.
        cycles: u32,
    },
    /// In every round those with about the same points meet, and nobody meets twice before all have met once.
    Swiss {
        /// Rounds.
        rounds: u32,
    },
    /// Whoever loses is out.
    Single,
    /// Whoever loses twice is out.
    Double,
}

/// A stage of a tournament, in the order in which stages are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
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

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stage::Round(round) => write!(f, "r{round}"),
            Stage::Winners(round) => write!(f, "w{round}"),
            Stage::Losers(round) => write!(f, "l{round}"),
            Stage::Final => f.write_str("final"),
            Stage::Decider => f.write_str("decider"),
        }
    }
}

/// An encounter's place in its tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// The stage.
    pub stage: Stage,
    /// The table, from 0.
    pub table: usize,
}

/// Two players who shall meet, or have met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Encounter {
    /// Its place.
    pub key: Key,
    /// Who meets.
    pub pair: [usize; 2],
}

/// An encounter that is over.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Met {
    /// Who met.
    pub pair: [usize; 2],
    /// The points of each.
    pub points: [f64; 2],
}

impl Met {
    /// Who goes on: more points; between equals the better seed.
    pub fn winner(&self) -> usize {
        let [one, other] = self.pair;
        match self.points[0].total_cmp(&self.points[1]) {
            std::cmp::Ordering::Greater => one,
            std::cmp::Ordering::Less => other,
            std::cmp::Ordering::Equal => one.min(other),
        }
    }

    /// Who does not.
    pub fn loser(&self) -> usize {
        if self.winner() == self.pair[0] { self.pair[1] } else { self.pair[0] }
    }
}

/// The encounters that are over.
pub type Results = BTreeMap<Key, Met>;

impl Format {
    /// The encounters that can be played now, in the order in which they should be.
    pub fn open(&self, players: usize, results: &Results) -> Vec<Encounter> {
        let all = match *self {
            _ if players < 2 => Vec::new(),
            Format::RoundRobin { cycles } => round_robin::all(players, cycles),
            Format::Gauntlet { heads, cycles } => round_robin::gauntlet(players, heads, cycles),
            Format::Swiss { rounds } => swiss::known(players, rounds, results),
            Format::Single | Format::Double => {
                elimination::Bracket::new(players, *self == Format::Double, results).known()
            }
        };
        all.into_iter().filter(|encounter| !results.contains_key(&encounter.key)).collect()
    }

    /// Encounters of the whole tournament: the least and the most.
    pub fn encounters(&self, players: usize) -> [usize; 2] {
        let both = |count: usize| [count, count];
        match *self {
            _ if players < 2 => both(0),
            Format::RoundRobin { cycles } => both(cycles as usize * players * (players - 1) / 2),
            Format::Gauntlet { heads, cycles } => both(cycles as usize * heads * (players - heads)),
            Format::Swiss { rounds } => both(rounds as usize * (players / 2)),
            Format::Single => both(players - 1),
            Format::Double => [2 * players - 2, 2 * players - 1],
        }
    }

    /// Rounds, where it has any.
    ///
    /// ```
    /// use leitai_ladder::tournament::Format;
    /// assert_eq!(Format::RoundRobin { cycles: 2 }.rounds(5), Some(10));
    /// assert_eq!(Format::Single.rounds(5), None);
    /// ```
    pub fn rounds(&self, players: usize) -> Option<u32> {
        match *self {
            _ if players < 2 => Some(0),
            Format::RoundRobin { cycles } => Some(cycles * round_robin::rounds(players)),
            Format::Gauntlet { heads, cycles } => Some(cycles * players.saturating_sub(heads) as u32),
            Format::Swiss { rounds } => Some(rounds),
            Format::Single | Format::Double => None,
        }
    }

    /// Whether it is the other format with more rounds, none of which changes an earlier one: what was begun as the other
    /// may go on as this.
    pub fn lengthens(&self, begun: &Format, players: usize) -> bool {
        match (*self, *begun) {
            (Format::RoundRobin { cycles }, Format::RoundRobin { cycles: before }) => cycles > before,
            (Format::Gauntlet { heads, cycles }, Format::Gauntlet { heads: of, cycles: before }) => {
                heads == of && cycles > before
            }
            (Format::Swiss { rounds }, Format::Swiss { rounds: before }) => {
                let full = |rounds| swiss::full_rounds(players.max(2), rounds);
                rounds > before && full(rounds) == full(before)
            }
            _ => false,
        }
    }

    /// Whether an encounter has to have a winner.
    pub fn is_knockout(&self) -> bool {
        matches!(self, Format::Single | Format::Double)
    }

    /// In a knockout, each player's place: 1 for who won it, the same for those who left in the same stage; `None` for
    /// those who are still in it. Other formats give no places.
    pub fn places(&self, players: usize, results: &Results) -> Vec<Option<usize>> {
        match self {
            Format::Single => elimination::places(players, false, results),
            Format::Double => elimination::places(players, true, results),
            _ => vec![None; players],
        }
    }

    /// Points that a player has for rounds without an opponent.
    pub fn byes(&self, players: usize, results: &Results) -> Vec<u32> {
        match *self {
            Format::Swiss { rounds } => swiss::byes(players, rounds, results),
            _ => vec![0; players],
        }
    }
}

#[cfg(test)]
mod tests;
