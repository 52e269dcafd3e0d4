//! A judge of positions without type parameters.

use super::leg::{AnyLeg, TextReplies};
use crate::assessment::{Assessment, DecisionAssessment};
use crate::game_fault::GameFault;
use crate::search_budget::SearchBudget;
use crate::seat::Seat;

/// An assessor of any game; actions in notation.
pub trait AnyAssessor: Send {
    /// See [`crate::assessment::Assessor::assess`].
    fn assess(
        &mut self,
        leg: &dyn AnyLeg,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Option<Assessment<String>>;
    /// See [`crate::assessment::Assessor::assess_decision`].
    fn assess_decision(
        &mut self,
        leg: &dyn AnyLeg,
        seat: Seat,
        replies: &TextReplies<'_>,
        budget: SearchBudget<'_>,
    ) -> Option<DecisionAssessment<String>>;
    /// See [`crate::assessment::Assessor::believe_position`].
    fn believe_position(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Option<Box<dyn AnyLeg>>;
    /// Why it could not say what it was asked: the rules failed in a position that it looked at. The
    /// rules of this house cannot fail.
    fn fault(&self) -> Option<GameFault> {
        None
    }
}
