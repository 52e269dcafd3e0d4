//! A live match at its start, and how far it is.

use std::sync::Arc;

use leitai_game::{AnySetup, ByEntrant, BySeat, Entrant, GameHandle};

/// The facts of a match at its start.
#[derive(Clone)]
pub struct LiveMatchStart {
    /// The match's id.
    pub id: i64,
    /// The game.
    pub game: GameHandle,
    /// The setup.
    pub setup: Arc<dyn AnySetup>,
    /// The most legs that are played.
    pub legs: usize,
    /// The names of the entrants.
    pub entrants: ByEntrant<String>,
    /// Whether a person plays. With fog, such a match is shown leg by leg after each leg, so that
    /// players cannot look at the hidden parts.
    pub has_people: bool,
}

/// The state of a live match.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveMatchState {
    /// The match's id.
    pub id: i64,
    /// The present leg, from 1.
    pub leg: usize,
    /// The present round, from 1.
    pub round: u32,
    /// The last possible round of the leg.
    pub rounds: u32,
    /// The scores in the present leg, first and second; `None` while they are secret.
    pub scores: Option<BySeat<i32>>,
    /// The number of spectators, without the people who play.
    pub spectators: usize,
}

impl LiveMatchState {
    /// The scores of the present leg in the order of the entrants; `None` while they are secret.
    pub fn entrant_scores(&self) -> Option<[i32; 2]> {
        let scores = self.scores?;
        let of = |entrant: Entrant| scores[entrant.seat_in_leg(self.leg.saturating_sub(1))];
        Some(Entrant::BOTH.map(of))
    }
}
