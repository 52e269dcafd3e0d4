//! Round robin, gauntlet, Swiss, single and double elimination.
//!
//! A tournament is a pure function: from its format, the number of players and the encounters that
//! are over it says which encounters can be played now. Nothing else is remembered, so a tournament
//! that was interrupted goes on from its results alone, and encounters may end in any order.
//!
//! Players are numbered from 0; in formats with a seeding, 0 is the best seed.

mod elimination;
mod encounter;
mod round_robin;
mod swiss;

use serde::{Deserialize, Serialize};

pub use encounter::{
    Encounter, EncounterKey, EncounterResults, FinishedEncounter, TournamentStage,
};

/// The format of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum TournamentFormat {
    /// Everyone meets everyone.
    RoundRobin {
        /// The number of cycles.
        cycles: u32,
    },
    /// The first players meet all others.
    Gauntlet {
        /// The number of players who run the gauntlet.
        heads: usize,
        /// The number of cycles.
        cycles: u32,
    },
    /// In every round those with about the same points meet, and nobody meets twice before all have
    /// met once.
    Swiss {
        /// Rounds.
        rounds: u32,
    },
    /// A player is out after one loss.
    Single,
    /// A player is out after two losses.
    Double,
}

impl TournamentFormat {
    /// The encounters that can be played now, in the order in which they should be.
    pub fn open_encounters(&self, players: usize, results: &EncounterResults) -> Vec<Encounter> {
        let all = match *self {
            _ if players < 2 => Vec::new(),
            TournamentFormat::RoundRobin { cycles } => round_robin::pair_everyone(players, cycles),
            TournamentFormat::Gauntlet { heads, cycles } => {
                round_robin::pair_gauntlet(players, heads, cycles)
            }
            TournamentFormat::Swiss { rounds } => swiss::known_encounters(players, rounds, results),
            TournamentFormat::Single | TournamentFormat::Double => {
                elimination::Bracket::new(players, *self == TournamentFormat::Double, results)
                    .known_encounters()
            }
        };
        all.into_iter()
            .filter(|encounter| !results.contains_key(&encounter.key))
            .collect()
    }

    /// Encounters of the whole tournament: the least and the most.
    pub fn encounter_counts(&self, players: usize) -> [usize; 2] {
        let both = |count: usize| [count, count];
        match *self {
            _ if players < 2 => both(0),
            TournamentFormat::RoundRobin { cycles } => {
                both(cycles as usize * players * (players - 1) / 2)
            }
            TournamentFormat::Gauntlet { heads, cycles } => {
                both(cycles as usize * heads * (players - heads))
            }
            TournamentFormat::Swiss { rounds } => both(rounds as usize * (players / 2)),
            TournamentFormat::Single => both(players - 1),
            TournamentFormat::Double => [2 * players - 2, 2 * players - 1],
        }
    }

    /// Rounds, where it has any.
    ///
    /// ```
    /// use leitai_ladder::tournament::TournamentFormat;
    /// assert_eq!(TournamentFormat::RoundRobin { cycles: 2 }.round_count(5), Some(10));
    /// assert_eq!(TournamentFormat::Single.round_count(5), None);
    /// ```
    pub fn round_count(&self, players: usize) -> Option<u32> {
        match *self {
            _ if players < 2 => Some(0),
            TournamentFormat::RoundRobin { cycles } => {
                Some(cycles * round_robin::round_count(players))
            }
            TournamentFormat::Gauntlet { heads, cycles } => {
                Some(cycles * players.saturating_sub(heads) as u32)
            }
            TournamentFormat::Swiss { rounds } => Some(rounds),
            TournamentFormat::Single | TournamentFormat::Double => None,
        }
    }

    /// The rounds of a cycle, in which nobody meets anybody twice: who met in one cycle changes
    /// seats in the next. In a Swiss seats change from round to round. `None` in a knockout.
    pub fn cycle_rounds(&self, players: usize) -> Option<u32> {
        match *self {
            TournamentFormat::RoundRobin { .. } => Some(round_robin::round_count(players.max(2))),
            TournamentFormat::Gauntlet { heads, .. } => {
                Some(players.saturating_sub(heads).max(1) as u32)
            }
            TournamentFormat::Swiss { .. } => Some(1),
            TournamentFormat::Single | TournamentFormat::Double => None,
        }
    }

    /// Whether it is the other format with more rounds, none of which changes an earlier one: what
    /// was begun as the other may go on as this.
    pub fn can_lengthen(&self, begun: &TournamentFormat, players: usize) -> bool {
        match (*self, *begun) {
            (
                TournamentFormat::RoundRobin { cycles },
                TournamentFormat::RoundRobin { cycles: before },
            ) => cycles > before,
            (
                TournamentFormat::Gauntlet { heads, cycles },
                TournamentFormat::Gauntlet {
                    heads: of,
                    cycles: before,
                },
            ) => heads == of && cycles > before,
            (TournamentFormat::Swiss { rounds }, TournamentFormat::Swiss { rounds: before }) => {
                let full = |rounds| swiss::full_rounds(players.max(2), rounds);
                rounds > before && full(rounds) == full(before)
            }
            _ => false,
        }
    }

    /// Whether an encounter has to have a winner.
    pub fn is_knockout(&self) -> bool {
        matches!(self, TournamentFormat::Single | TournamentFormat::Double)
    }

    /// In a knockout, each player's place: 1 for who won it, the same for those who left in the
    /// same stage; `None` for those who are still in it. Other formats give no places.
    pub fn final_places(&self, players: usize, results: &EncounterResults) -> Vec<Option<usize>> {
        match self {
            TournamentFormat::Single => elimination::final_places(players, false, results),
            TournamentFormat::Double => elimination::final_places(players, true, results),
            _ => vec![None; players],
        }
    }

    /// Points that a player has for rounds without an opponent.
    pub fn count_byes(&self, players: usize, results: &EncounterResults) -> Vec<u32> {
        match *self {
            TournamentFormat::Swiss { rounds } => swiss::count_byes(players, rounds, results),
            _ => vec![0; players],
        }
    }
}
