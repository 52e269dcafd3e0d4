//! What a judge of positions says: of a position, of every action, of an action that was played.
//! Games bring one along ([`crate::package::PackageContents::assessor`]); the analysis of replays
//! asks it without type parameters, as [`crate::AnyAssessor`].

use crate::game::{Game, Replies};
use crate::reply::Reply;
use crate::search_budget::SearchBudget;
use crate::seat::Seat;

/// What a position is worth to a seat, and what it should do.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment<A> {
    /// The probability that the seat wins the leg, a draw counted as half; 0 to 1. Calibrated by
    /// the champion's self-play.
    pub win_probability: f64,
    /// The standard error of that probability, where the search knows it from its chance.
    pub spread: Option<f64>,
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

impl ProvenResult {
    /// The probability of a win that the result amounts to.
    pub const fn win_probability(self) -> f64 {
        match self {
            ProvenResult::Win => 1.0,
            ProvenResult::Draw => 0.5,
            ProvenResult::Loss => 0.0,
        }
    }
}

impl<A> Assessment<A> {
    /// The assessment of a leg that is over, for a seat; `None` as long as it goes on.
    pub fn of_outcome<G: Game>(position: &G, seat: Seat) -> Option<Assessment<A>> {
        let outcome = position.outcome()?;
        let result = match outcome.winner {
            None => ProvenResult::Draw,
            Some(winner) if winner == seat => ProvenResult::Win,
            Some(_) => ProvenResult::Loss,
        };
        let scores = outcome.scores;
        Some(Assessment {
            win_probability: result.win_probability(),
            spread: None,
            expected_margin: f64::from(scores[seat]) - f64::from(scores[seat.other()]),
            best_line: Vec::new(),
            proof: Some(Proof { result, rounds: 1 }),
            nodes: 1,
            depth: 0,
        })
    }

    /// The same with other actions.
    pub fn map_actions<B>(self, of: impl FnMut(A) -> B) -> Assessment<B> {
        Assessment {
            best_line: self.best_line.into_iter().map(of).collect(),
            win_probability: self.win_probability,
            spread: self.spread,
            expected_margin: self.expected_margin,
            proof: self.proof,
            nodes: self.nodes,
            depth: self.depth,
        }
    }
}

/// What one decision of a seat was worth. All probabilities are those of the seat.
#[derive(Clone, Debug, PartialEq)]
pub struct DecisionAssessment<A> {
    /// The action that was found to be best.
    pub best_action: A,
    /// What it leads to, whatever the other seat answers.
    pub best: Assessment<A>,
    /// What the reply that was played leads to, whatever the other seat answers.
    pub played: Assessment<A>,
    /// What the second best action leads to; `None` if there was no choice.
    pub second_best: Option<f64>,
    /// The number of actions that were compared.
    pub choices: u32,
    /// In a step that asks both seats: the same against what the other seat really played.
    pub hindsight: Option<Hindsight<A>>,
}

/// A decision in a step that asks both seats, judged with knowledge of the other seat's action.
#[derive(Clone, Debug, PartialEq)]
pub struct Hindsight<A> {
    /// The action that was best against it.
    pub best_action: A,
    /// The probability to win after it.
    pub best: f64,
    /// The probability to win after the action that was played.
    pub played: f64,
}

impl<A> DecisionAssessment<A> {
    /// The same with other actions.
    pub fn map_actions<B>(self, mut of: impl FnMut(A) -> B) -> DecisionAssessment<B> {
        DecisionAssessment {
            best_action: of(self.best_action),
            best: self.best.map_actions(&mut of),
            played: self.played.map_actions(&mut of),
            second_best: self.second_best,
            choices: self.choices,
            hindsight: self.hindsight.map(|seen| Hindsight {
                best_action: of(seen.best_action),
                best: seen.best,
                played: seen.played,
            }),
        }
    }
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

    /// Assesses what a seat played in a step beside the best action. The replies are those of the
    /// step, the other seat's among them if it was asked, too. `None` if the seat did not reply or
    /// has no action.
    ///
    /// Actions are compared by [`Assessor::assess_actions`]; one that is missing there is played
    /// and the position after it assessed.
    fn assess_decision(
        &mut self,
        setup: &G::Setup,
        position: &G,
        seat: Seat,
        replies: &Replies<G>,
        budget: SearchBudget<'_>,
    ) -> Option<DecisionAssessment<G::Action>> {
        let reply = replies[seat]?;
        let rated = self.assess_actions(setup, position, seat, budget);
        let (best_action, best) = rated.first()?.clone();
        let listed = rated
            .iter()
            .find(|(action, _)| reply == Reply::Action(*action));
        let played = match listed {
            Some((_, listed)) => listed.clone(),
            None => self.assess_after(setup, position, seat, replies, budget)?,
        };
        Some(DecisionAssessment {
            best_action,
            best,
            played,
            second_best: rated.get(1).map(|(_, second)| second.win_probability),
            choices: rated.len() as u32,
            hindsight: None,
        })
    }

    /// Assesses the position after a step.
    fn assess_after(
        &mut self,
        setup: &G::Setup,
        position: &G,
        seat: Seat,
        replies: &Replies<G>,
        budget: SearchBudget<'_>,
    ) -> Option<Assessment<G::Action>> {
        let mut after = position.clone();
        after.step(setup, *replies, &mut ());
        Assessment::of_outcome(&after, seat)
            .or_else(|| self.assess(setup, &after, seat, budget.split_off(4)))
    }

    /// The position that a seat may take for the real one under fog, by all views that it was shown
    /// in this leg; call it at every question to the seat, in order. `None` in open games, where
    /// the seat knows the position.
    fn believe_position(
        &mut self,
        _setup: &G::Setup,
        _view: &G::View<'_>,
        _seat: Seat,
    ) -> Option<G> {
        None
    }
}

/// The assessor of a game, in its package.
pub struct AssessorInfo<G: Game> {
    /// A new assessor for one leg.
    pub make: fn() -> Box<dyn Assessor<G>>,
    /// The nodes that are spent on a decision if nobody says how many. A node is what the game's
    /// search counts: a half-move, or a playout.
    pub decision_nodes: u64,
}
