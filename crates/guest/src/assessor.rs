//! What positions of a guest game are worth, by the search over its rules. Each value says how sure it
//! is: the spread is the standard error of the playouts, and says nothing of what random play does not
//! see.

use leitai_game::AnyAssessor;
use leitai_game::assessment::{Assessment, DecisionAssessment, Proof, ProvenResult};
use leitai_game::erased::{AnyLeg, TextReplies};
use leitai_game::{GameFault, Reply, SearchBudget, Seat, ToMove};

use crate::leg::{Allowance, GuestLeg, Stopped};
use crate::search::{Found, PositionSearch, worth};

/// The positions that are looked at for a decision if nobody says how many.
pub(crate) const DECISION_POSITIONS: u64 = 1_200;
/// The chance of all searches of an analysis: the same replay gives the same analysis.
const CHANCE: u64 = 1;

/// The assessor of one leg.
#[derive(Default)]
pub(crate) struct GuestAssessor {
    fault: Option<GameFault>,
}

impl GuestAssessor {
    /// Searches a position, in a step that asks both from an action of the seat on.
    fn search(
        &mut self,
        leg: &GuestLeg,
        seat: Seat,
        own: Option<&str>,
        part: Part<'_>,
    ) -> (PositionSearch, u64) {
        let fuel = leg.search_fuel() / u64::from(part.of);
        let budget = part.budget.split_off(part.of);
        let mut search = PositionSearch::new(leg, seat, own, CHANCE, fuel);
        let looked = search.run(budget, &|| budget.is_interrupted());
        if let Some(fault) = search.take_fault() {
            self.fault.get_or_insert(fault);
        }
        (search, looked)
    }

    fn assess_leg(
        &mut self,
        leg: &GuestLeg,
        seat: Seat,
        own: Option<&str>,
        part: Part<'_>,
    ) -> Option<Assessment<String>> {
        if let Some(over) = assess_end(leg, seat) {
            return Some(over);
        }
        let (search, looked) = self.search(leg, seat, own, part);
        let found = search.value()?;
        Some(assessment(leg, seat, found, search.best_line(), looked))
    }

    /// What a reply of a seat leads to.
    fn assess_after(
        &mut self,
        leg: &GuestLeg,
        seat: Seat,
        replies: &TextReplies<'_>,
        part: Part<'_>,
    ) -> Option<Assessment<String>> {
        let own = match replies[seat] {
            Some(Reply::Action(action)) => Some(action),
            _ => None,
        };
        if leg.to_move() == ToMove::Both
            && let Some(own) = own
        {
            return self.assess_leg(leg, seat, Some(own), part);
        }
        let mut allowance = Allowance::new(leg.search_fuel(), u64::MAX);
        match leg.step_ahead(replies, &mut allowance) {
            Ok(after) => {
                let mut found = self.assess_leg(&after, seat, None, part)?;
                found.best_line.splice(0..0, own.map(str::to_owned));
                Some(found)
            }
            Err(Stopped::Spent) => None,
            Err(Stopped::Failed(fault)) => {
                self.fault.get_or_insert(*fault);
                None
            }
        }
    }
}

/// One of so many equal parts of what a decision may take.
#[derive(Clone, Copy)]
struct Part<'a> {
    budget: SearchBudget<'a>,
    of: u32,
}

fn assessment(
    leg: &GuestLeg,
    seat: Seat,
    found: Found,
    best_line: Vec<String>,
    nodes: u64,
) -> Assessment<String> {
    let scores = leg.scores();
    Assessment {
        win_probability: found.value,
        spread: Some(found.spread),
        expected_margin: f64::from(scores[seat]) - f64::from(scores[seat.other()]),
        depth: best_line.len() as u32,
        best_line,
        proof: None,
        nodes,
    }
}

/// A leg that is over.
fn assess_end(leg: &GuestLeg, seat: Seat) -> Option<Assessment<String>> {
    let outcome = leg.outcome()?;
    let result = match outcome.winner {
        None => ProvenResult::Draw,
        Some(winner) if winner == seat => ProvenResult::Win,
        Some(_) => ProvenResult::Loss,
    };
    let found = Found {
        value: worth(&outcome, seat),
        spread: 0.0,
    };
    Some(Assessment {
        proof: Some(Proof { result, rounds: 1 }),
        depth: 0,
        ..assessment(leg, seat, found, Vec::new(), 1)
    })
}

impl AnyAssessor for GuestAssessor {
    fn assess(
        &mut self,
        leg: &dyn AnyLeg,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Option<Assessment<String>> {
        let leg = leg.as_any().downcast_ref::<GuestLeg>()?;
        if leg.outcome().is_some() {
            return None;
        }
        self.assess_leg(leg, seat, None, Part { budget, of: 1 })
    }

    /// Half of the budget finds the best action; what follows it and what follows the played one get
    /// a quarter each, by the same chance.
    fn assess_decision(
        &mut self,
        leg: &dyn AnyLeg,
        seat: Seat,
        replies: &TextReplies<'_>,
        budget: SearchBudget<'_>,
    ) -> Option<DecisionAssessment<String>> {
        let leg = leg.as_any().downcast_ref::<GuestLeg>()?;
        let reply = replies[seat]?;
        let (search, _) = self.search(leg, seat, None, Part { budget, of: 2 });
        let ranked = search.rank_actions();
        let (best_action, _) = ranked.first()?.clone();
        let mut as_best = *replies;
        as_best[seat] = Some(Reply::Action(&best_action));
        let part = Part { budget, of: 4 };
        let mut best = self.assess_after(leg, seat, &as_best, part)?;
        let played = match reply == Reply::Action(&best_action) {
            true => best.clone(),
            false => self.assess_after(leg, seat, replies, part)?,
        };
        if best.best_line.len() < 2 {
            best.best_line = search.best_line();
        }
        // Only what is surely worse makes an action the only one.
        let second = ranked.get(1);
        let second = second.map(|(_, found)| (found.value + 2.0 * found.spread).min(1.0));
        Some(DecisionAssessment {
            best_action,
            best,
            played,
            second_best: second,
            choices: search.choices() as u32,
            hindsight: None,
        })
    }

    fn believe_position(&mut self, _: &dyn AnyLeg, _: Seat) -> Option<Box<dyn AnyLeg>> {
        None
    }

    fn fault(&self) -> Option<GameFault> {
        self.fault.clone()
    }
}
