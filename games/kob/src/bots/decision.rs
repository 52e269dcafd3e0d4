//! Decisions of a recorded game, judged with and without knowledge of the other side's move.

use leitai_game::{Replies, Reply, Seat};
use leitai_search::{Assessment, Assessor, DecisionAssessment, Hindsight, SearchBudget};

use crate::board::Direction;
use crate::bots::ChampionAssessor;
use crate::position::Position;
use crate::setup::Setup;

/// Half-moves of a decision if nobody says how many.
pub const DECISION_NODES: u64 = 6000;

/// [`ChampionAssessor`] that also judges every direction against the move that the other side
/// really made.
#[derive(Default)]
pub struct DecisionAssessor(ChampionAssessor);

impl DecisionAssessor {
    /// What a round leads to for a seat.
    fn assess_round(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        moves: [Direction; 2],
        budget: SearchBudget<'_>,
    ) -> f64 {
        let mut after = *position;
        after.play_round(setup, moves);
        Assessment::<Direction>::of_outcome(&after, seat)
            .or_else(|| self.0.assess(setup, &after, seat, budget))
            .map_or(0.5, |found| found.win_probability)
    }

    /// Every direction against the other side's move.
    fn look_back(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        [own, other]: [Direction; 2],
        budget: SearchBudget<'_>,
    ) -> Hindsight<Direction> {
        let mut values = Direction::ALL.map(|action| (action, 0.0));
        for (action, value) in &mut values {
            let moves = match seat {
                Seat::First => [*action, other],
                Seat::Second => [other, *action],
            };
            *value = self.assess_round(setup, position, seat, moves, budget.split_off(4));
        }
        let played = values[own as usize].1;
        // Of equal ones, the one that was played.
        let mut best = (own, played);
        for (action, value) in values {
            if value > best.1 {
                best = (action, value);
            }
        }
        Hindsight {
            best_action: best.0,
            best: best.1,
            played,
        }
    }
}

impl Assessor<Position> for DecisionAssessor {
    fn assess(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Option<Assessment<Direction>> {
        self.0.assess(setup, position, seat, budget)
    }

    fn assess_actions(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Vec<(Direction, Assessment<Direction>)> {
        self.0.assess_actions(setup, position, seat, budget)
    }

    fn assess_decision(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        replies: &Replies<Position>,
        budget: SearchBudget<'_>,
    ) -> Option<DecisionAssessment<Direction>> {
        let mut found = self
            .0
            .assess_decision(setup, position, seat, replies, budget)?;
        if let (Some(Reply::Action(own)), Some(Reply::Action(other))) =
            (replies[seat], replies[seat.other()])
        {
            found.hindsight = Some(self.look_back(setup, position, seat, [own, other], budget));
        }
        Some(found)
    }
}
