//! Decisions of a recorded leg: the champion's search for most of it, and an exact search of the
//! last actions.

use leitai_game::rng::mix_seed;
use leitai_game::{Replies, Reply, Seat};
use leitai_search::alpha_beta::{AlphaBeta, AlphaBetaGame, SearchLimits, proven_result};
use leitai_search::{Assessment, Assessor, DecisionAssessment, Proof, ProvenResult, SearchBudget};

use crate::action::Action;
use crate::bots::champion::{Champion, ChampionStyle};
use crate::bots::evaluation::rounds_left;
use crate::position::Position;
use crate::setup::Setup;

/// Playouts of a decision if nobody says how many.
pub const DECISION_NODES: u64 = 150;
/// A decision that seems to cost so much is searched again: the action found best and the action
/// that was played, each in the position that it leads to.
const DOUBTFUL_LOSS: f64 = 0.04;
/// The leg is searched to its end once no more than so many actions are left.
const LAST_ACTIONS: i32 = 9;
/// Positions of the exact search for every playout of the budget: a playout takes as long.
const NODES_PER_PLAYOUT: u64 = 100;
/// Bits of the size of the exact search's table.
const TABLE_BITS: u32 = 14;
/// The chance of the champion's playouts.
const SEED: u64 = 1;

/// The champion as a judge of decisions.
pub struct DecisionAssessor {
    champion: Champion,
    ending: AlphaBeta<Action>,
}

impl Default for DecisionAssessor {
    fn default() -> DecisionAssessor {
        let style = ChampionStyle {
            nodes: 4000,
            is_timed: false,
            ..ChampionStyle::default()
        };
        DecisionAssessor {
            champion: Champion::new(style, SEED),
            ending: AlphaBeta::new(TABLE_BITS),
        }
    }
}

impl DecisionAssessor {
    /// What an action leads to: exactly, if the leg is about to end, else by the champion.
    fn assess_action(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        action: Action,
        budget: SearchBudget<'_>,
    ) -> Option<Assessment<Action>> {
        let mut after = *position;
        after.play_action(setup, action, &mut ());
        let mut found = Assessment::of_outcome(&after, seat)
            .or_else(|| self.solve_ending(setup, &after, seat))
            .or_else(|| self.champion.assess(setup, &after, seat, budget))?;
        found.best_line.insert(0, action);
        Some(found)
    }

    /// The result of the leg if both sides play their best, once few actions are left.
    pub fn solve_ending(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
    ) -> Option<Assessment<Action>> {
        if actions_left(setup, position) > LAST_ACTIONS {
            return None;
        }
        let game = Ending { setup, seat };
        let limits = SearchLimits {
            depth: LAST_ACTIONS as u32 + 1,
            step: 2,
            threads: 1,
        };
        let budget = SearchBudget::nodes(NODES_PER_PLAYOUT * DECISION_NODES);
        let found = self.ending.search(&game, position, limits, budget);
        let (sign, plies) = proven_result(found.value)?;
        let result = match sign {
            1 => ProvenResult::Win,
            _ => ProvenResult::Loss,
        };
        let cells = position.count_cells();
        Some(Assessment {
            spread: None,
            win_probability: result.win_probability(),
            expected_margin: f64::from(cells[seat]) - f64::from(cells[seat.other()]),
            proof: Some(Proof {
                result,
                rounds: rounds_of_line(setup, position, &found.line),
            }),
            best_line: found.line,
            nodes: found.nodes,
            depth: plies,
        })
    }

    /// The actions that may be best, the best first: all of them in an ending, else those that the
    /// champion tried.
    fn rate_actions(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Vec<(Action, Assessment<Action>)> {
        if actions_left(setup, position) > LAST_ACTIONS {
            return self.champion.assess_actions(setup, position, seat, budget);
        }
        let legal = position.legal_mask();
        let legal = Action::ALL
            .into_iter()
            .filter(|action| legal >> action.number() & 1 != 0);
        let mut rated: Vec<(Action, Assessment<Action>)> = legal
            .filter_map(|action| {
                let part = budget.split_off(4);
                Some((
                    action,
                    self.assess_action(setup, position, seat, action, part)?,
                ))
            })
            .collect();
        let worth = |one: &Assessment<Action>| (one.win_probability, one.expected_margin);
        rated.sort_by(|(_, a), (_, b)| {
            let ((a, more), (b, less)) = (worth(a), worth(b));
            b.total_cmp(&a).then(less.total_cmp(&more))
        });
        rated
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
        self.solve_ending(setup, position, seat)
            .or_else(|| self.champion.assess(setup, position, seat, budget))
    }

    fn assess_actions(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Vec<(Action, Assessment<Action>)> {
        if position.end().is_some() || position.seat() != seat {
            return Vec::new();
        }
        self.rate_actions(setup, position, seat, budget)
    }

    fn assess_decision(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        replies: &Replies<Position>,
        budget: SearchBudget<'_>,
    ) -> Option<DecisionAssessment<Action>> {
        let reply = replies[seat]?;
        let rated = self.assess_actions(setup, position, seat, budget);
        let (mut best_action, mut best) = rated.first()?.clone();
        let listed = rated
            .iter()
            .find(|(action, _)| reply == Reply::Action(*action));
        let mut played = match (listed, reply) {
            (Some((_, listed)), _) => listed.clone(),
            (None, Reply::Action(action)) => {
                self.assess_action(setup, position, seat, action, budget)?
            }
            (None, Reply::Fault(_)) => self.assess_after(setup, position, seat, replies, budget)?,
        };
        let loss = best.win_probability - played.win_probability;
        let is_guess = best.proof.is_none() && played.proof.is_none();
        if let (true, true, Reply::Action(action)) = (loss > DOUBTFUL_LOSS, is_guess, reply) {
            best = self.assess_action(setup, position, seat, best_action, budget)?;
            played = self.assess_action(setup, position, seat, action, budget)?;
            if played.win_probability >= best.win_probability {
                (best_action, best) = (action, played.clone());
            }
        }
        let others = rated.iter().filter(|(action, _)| *action != best_action);
        Some(DecisionAssessment {
            best_action,
            second_best: others
                .map(|(_, one)| one.win_probability)
                .max_by(f64::total_cmp),
            choices: rated.len() as u32,
            best,
            played,
            hindsight: None,
        })
    }
}

/// About as many actions as the leg still has, if no snake dies or splits.
fn actions_left(setup: &Setup, position: &Position) -> i32 {
    let snakes = Seat::BOTH.map(|seat| position.snakes(seat).len() as i32);
    let acted = position.cursor() as i32
        + match position.seat() {
            Seat::First => 0,
            Seat::Second => snakes[0],
        };
    (rounds_left(setup, position) + 1) * (snakes[0] + snakes[1]) - acted
}

/// The rounds that a line takes, the first one counted.
fn rounds_of_line(setup: &Setup, position: &Position, line: &[Action]) -> u32 {
    let mut after = *position;
    for action in line {
        after.play_action(setup, *action, &mut ());
    }
    let all = rounds_left(setup, position).max(0) as u32 + 1;
    if after.end().is_some() {
        return all.min(u32::from(after.round().saturating_sub(position.round())) + 1);
    }
    // The line is cut short where the table knew the rest.
    all
}

/// The rest of a leg as alpha-beta searches it.
struct Ending<'a> {
    setup: &'a Setup,
    seat: Seat,
}

impl AlphaBetaGame for Ending<'_> {
    type Node = Position;
    type Move = Action;

    fn is_own_turn(&self, node: &Position) -> bool {
        node.seat() == self.seat
    }

    fn result(&self, node: &Position) -> Option<i8> {
        let ended = Assessment::<Action>::of_outcome(node, self.seat)?;
        Some((2.0 * ended.win_probability - 1.0) as i8)
    }

    fn write_moves(&self, node: &Position, moves: &mut Vec<Action>) {
        let legal = node.legal_mask();
        moves.extend(
            Action::ALL
                .into_iter()
                .filter(|action| legal >> action.number() & 1 != 0),
        );
    }

    fn play(&self, node: &Position, action: Action) -> Position {
        let mut after = *node;
        after.play_action(self.setup, action, &mut ());
        after
    }

    fn evaluate(&self, node: &Position) -> i32 {
        let cells = node.count_cells();
        i32::from(cells[self.seat]) - i32::from(cells[self.seat.other()])
    }

    fn key(&self, node: &Position) -> u64 {
        // Searches of both seats share the table.
        position_key(node) ^ self.seat.index() as u64
    }

    fn history_slot(&self, node: &Position, action: Action) -> usize {
        usize::from(node.acting().head.0) << 3 | usize::from(action.number())
    }
}

/// A key that tells positions apart.
fn position_key(position: &Position) -> u64 {
    let [low, high] = position.links_by_bit();
    let boards = Seat::BOTH.map(|seat| [position.walls(seat), position.bodies_of(seat)]);
    let words = boards.into_iter().flatten().chain([low, high]);
    let mut key = 0;
    for word in words.flat_map(|board| board.0).chain(position.pack_rest()) {
        key = mix_seed(key ^ word, 1);
    }
    let snakes = Seat::BOTH
        .into_iter()
        .flat_map(|seat| position.snakes(seat));
    for word in snakes.flat_map(|snake| snake.pack_words()) {
        key = mix_seed(key ^ word, 2);
    }
    key
}
