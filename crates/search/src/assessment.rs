//! What a search says of a position.

use leitai_game::{Game, Seat};

use crate::budget::SearchBudget;

/// What a position is worth to a seat, and what it should do.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment<A> {
    /// The probability that the seat wins the leg, a draw counted as half; 0 to 1. Calibrated by
    /// the champion's self-play.
    pub win_probability: f64,
    /// The score of the seat less the other's that is expected at the leg's end, in the game's
    /// points.
    pub expected_margin: f64,
    /// The seat's best actions in order, as far as the search saw. The other seat's actions, where
    /// they fall between, are in it too if the game is turn-based.
    pub best_line: Vec<A>,
    /// The result that the search proved, if it did.
    pub proof: Option<Proof>,
    /// Nodes that were searched.
    pub nodes: u64,
    /// Rounds that were searched in full.
    pub depth: u32,
}

/// A result that is certain whatever the other side does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The result for the seat.
    pub result: ProvenResult,
    /// Rounds until then, counted from the position: 1 is the round that is played now.
    pub rounds: u32,
}

/// A proven result of a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProvenResult {
    /// The seat wins.
    Win,
    /// The leg is drawn.
    Draw,
    /// The seat loses.
    Loss,
}

/// A champion as a judge of positions.
pub trait Assessor<G: Game>: Send {
    /// Assesses the position for a seat. `None` once the leg is over.
    fn assess(
        &mut self,
        setup: &G::Setup,
        position: &G,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Option<Assessment<G::Action>>;

    /// Assesses every action that the seat could take now, the best first; each with the line that
    /// follows it. Empty once the leg is over or if the seat is not asked.
    fn assess_actions(
        &mut self,
        setup: &G::Setup,
        position: &G,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Vec<(G::Action, Assessment<G::Action>)>;
}
