//! Decisions of a recorded leg: orders that were given beside the best plan that the champion's
//! search finds, in the real position or in what the seat could believe.

use leitai_game::{Replies, Reply, Rng, Seat};
use leitai_search::{
    Assessment, Assessor, DecisionAssessment, Hindsight, Proof, ProvenResult, SearchBudget,
};

use crate::bots::assess::{Forecast, TankAssessor};
use crate::bots::belief;
use crate::bots::champion::{ChampionOptions, PlanSearch};
use crate::bots::last_round::{LastRound, solve_last_round};
use crate::bots::proof::prove_result;
use crate::bots::rollout::{SidePlan, WayTable};
use crate::orders::{Action, TankOrder};
use crate::position::Position;
use crate::rules::join_orders;
use crate::setup::Setup;
use crate::tank::TEAM;
use crate::view::View;

/// Trials of a decision if nobody says how many.
pub const DECISION_NODES: u64 = 300;
/// The chance of trials and playouts.
const SEED: u64 = 1;
/// The best plan must be worth so many resources more than the orders that were given; less is
/// within the error of the trials.
const LEAST_GAIN: f64 = 2.0;

/// The champion as a judge of decisions.
pub struct DecisionAssessor {
    assessor: TankAssessor,
    options: ChampionOptions,
    /// What each seat believes.
    beliefs: [Option<Position>; 2],
}

impl Default for DecisionAssessor {
    fn default() -> DecisionAssessor {
        DecisionAssessor {
            assessor: TankAssessor::new(SEED),
            options: ChampionOptions::default(),
            beliefs: [None; 2],
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
    ) -> Option<Assessment<Action>> {
        self.assessor.assess(setup, position, seat, budget)
    }

    fn assess_actions(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Vec<(Action, Assessment<Action>)> {
        self.assessor.assess_actions(setup, position, seat, budget)
    }

    fn assess_decision(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        replies: &Replies<Position>,
        budget: SearchBudget<'_>,
    ) -> Option<DecisionAssessment<Action>> {
        if position.end().is_some() {
            return None;
        }
        match replies[seat]? {
            Reply::Action(Action::Orders(orders)) if position.round() > 0 => {
                Some(self.assess_orders(setup, position, seat, orders, replies, budget))
            }
            Reply::Action(team @ Action::Team(_)) if position.round() == 0 => {
                Some(assess_team(team))
            }
            _ => self.assess_fault(setup, position, seat, replies, budget),
        }
    }

    /// The champion's belief with one particle: what is seen, and the enemies where they were last
    /// seen or guessed, played on by the policy.
    fn believe_position(&mut self, setup: &Setup, view: &View, seat: Seat) -> Option<Position> {
        if view.round == 0 {
            return None;
        }
        let known = self.beliefs[seat.index()].take();
        let guess = match known {
            Some(guess) if guess.round() < view.round => play_belief(setup, &guess, view.round),
            _ => belief::guess_opening(setup, view),
        };
        let belief = belief::merge_view(setup, view, &guess);
        self.beliefs[seat.index()] = Some(belief);
        Some(belief)
    }
}

/// The belief of an earlier round, played on by the policy of both sides.
fn play_belief(setup: &Setup, belief: &Position, round: u16) -> Position {
    let mut guess = *belief;
    while guess.round() < round && guess.end().is_none() {
        let now = [guess];
        let mut rng = Rng::new(SEED);
        let options = ChampionOptions {
            all_trials: 1,
            ..ChampionOptions::default()
        };
        let ways = WayTable::new(setup, &guess);
        let search = PlanSearch::new(setup, ways, &now, Seat::First, options, &mut rng);
        let both = search.policy_orders();
        guess.play_round(setup, &join_orders(both[0], both[1]), &mut ());
    }
    guess
}

impl DecisionAssessor {
    fn assess_orders(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        orders: [TankOrder; TEAM],
        replies: &Replies<Position>,
        budget: SearchBudget<'_>,
    ) -> DecisionAssessment<Action> {
        if let Some(solved) = solve_last_round(setup, position, seat, orders) {
            return describe_last_round(solved, orders);
        }
        let forecast = self.assessor.forecast(setup, position, seat);
        let proof = prove_result(setup, position, seat);
        let (now, mut rng) = ([*position], Rng::new(SEED));
        let ways = WayTable::new(setup, position);
        let mut search = PlanSearch::new(setup, ways, &now, seat, self.options, &mut rng);
        let plan = search.climb(&SidePlan::FREE, budget, &mut rng);
        let known = Comparison::new(&mut search, &plan, orders);
        let nodes = search.trials();
        let line: Vec<Action> = search
            .line_of_plan(&plan)
            .into_iter()
            .map(Action::Orders)
            .collect();
        let describe = |gain: f64, line: Vec<Action>| Assessment {
            spread: None,
            win_probability: probability(forecast, gain, proof),
            expected_margin: forecast.margin + gain,
            depth: line.len() as u32,
            best_line: line,
            proof,
            nodes,
        };
        let hindsight = match replies[seat.other()] {
            Some(Reply::Action(Action::Orders(enemy))) => {
                search.know_enemy_orders(enemy);
                let seen = Comparison::new(&mut search, &plan, orders);
                Some(Hindsight {
                    best_action: Action::Orders(seen.best_orders),
                    best: probability(forecast, 0.0, proof),
                    played: probability(forecast, -seen.loss, proof),
                })
            }
            _ => None,
        };
        DecisionAssessment {
            best_action: Action::Orders(known.best_orders),
            best: describe(0.0, line),
            played: describe(-known.loss, vec![Action::Orders(orders)]),
            second_best: None,
            choices: 2,
            hindsight,
        }
    }

    fn assess_fault(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        replies: &Replies<Position>,
        budget: SearchBudget<'_>,
    ) -> Option<DecisionAssessment<Action>> {
        let best = self.assessor.assess(setup, position, seat, budget)?;
        let played = self.assess_after(setup, position, seat, replies, budget)?;
        Some(DecisionAssessment {
            best_action: *best.best_line.first()?,
            best,
            played,
            second_best: None,
            choices: 2,
            hindsight: None,
        })
    }
}

/// The orders that were given beside a plan.
struct Comparison {
    best_orders: [TankOrder; TEAM],
    /// What the orders that were given lose against the best ones, in resources.
    loss: f64,
}

impl Comparison {
    fn new(search: &mut PlanSearch<'_>, plan: &SidePlan, orders: [TankOrder; TEAM]) -> Comparison {
        let mut rate = |orders| f64::from(search.rate_orders(orders, plan)) / 10.0;
        let loss = rate(plan.orders()) - rate(orders);
        let (best_orders, loss) = match loss < LEAST_GAIN {
            true => (orders, 0.0),
            false => (plan.orders(), loss),
        };
        Comparison { best_orders, loss }
    }
}

/// The probability to win with so many resources more than forecast.
fn probability(forecast: Forecast, gain: f64, proof: Option<Proof>) -> f64 {
    let with_gain = Forecast {
        margin: forecast.margin + gain,
        ..forecast
    };
    match proof {
        Some(proof) => proof.result.win_probability(),
        None => with_gain.win_probability(),
    }
}

/// A last round that was solved exactly.
fn describe_last_round(solved: LastRound, orders: [TankOrder; TEAM]) -> DecisionAssessment<Action> {
    let certain = |value: f64, orders| {
        let result = match value {
            1.0 => ProvenResult::Win,
            0.0 => ProvenResult::Loss,
            _ => ProvenResult::Draw,
        };
        Assessment {
            spread: None,
            win_probability: value,
            // Who wins is known, and no more.
            expected_margin: 2.0 * value - 1.0,
            best_line: vec![Action::Orders(orders)],
            proof: Some(Proof { result, rounds: 1 }),
            nodes: 1,
            depth: 1,
        }
    };
    DecisionAssessment {
        best_action: Action::Orders(solved.best_orders),
        best: certain(solved.best, solved.best_orders),
        played: certain(solved.played, orders),
        second_best: None,
        choices: 2,
        hindsight: None,
    }
}

/// The choice of a team is not judged: nothing is known of the other side yet.
fn assess_team(team: Action) -> DecisionAssessment<Action> {
    let even = Assessment {
        spread: None,
        win_probability: 0.5,
        expected_margin: 0.0,
        best_line: vec![team],
        proof: None,
        nodes: 0,
        depth: 0,
    };
    DecisionAssessment {
        best_action: team,
        best: even.clone(),
        played: even,
        second_best: None,
        choices: 1,
        hindsight: None,
    }
}
