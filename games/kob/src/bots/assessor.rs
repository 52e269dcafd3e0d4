//! The champion as a judge of positions.

use std::cmp::Ordering;

use leitai_game::Seat;
use leitai_search::alpha_beta::{AlphaBeta, SearchLimits, SearchResult, proven_result};
use leitai_search::calibration::LogisticCurve;
use leitai_search::{Assessment, Assessor, Proof, ProvenResult, SearchBudget};

use crate::board::Direction;
use crate::bots::champion::{DEPTH_STEP, MAX_DEPTH};
use crate::bots::evaluation::WEIGHTS;
use crate::bots::round_search::{HalfRound, Oversight, RoundSearch};
use crate::position::Position;
use crate::setup::Setup;

/// Bits of the size of each transposition table.
const TABLE_BITS: u32 = 16;
/// What a value adds to the natural logarithm of the odds, by [`ChampionAssessor::phase_of`].
/// Fitted by `examples/kob_calibrate.rs` with 200 half-moves a move and 400 an assessment.
const SLOPES: [f64; 3] = [0.93 / 1024.0, 1.19 / 1024.0, 1.32 / 1024.0];
/// The probability that is given to a loss that only a guess of the other side's move would bring
/// about, and less this of a win.
const NEARLY_LOST: f64 = 0.02;

/// Assesses positions by two searches, one for each side. Each is pessimistic about the
/// simultaneous move of its side, so that the position's worth lies between them, and a win that
/// either proves is forced.
pub struct ChampionAssessor {
    searches: [AlphaBeta<Direction>; 2],
}

impl Default for ChampionAssessor {
    fn default() -> ChampionAssessor {
        ChampionAssessor {
            searches: [AlphaBeta::new(TABLE_BITS), AlphaBeta::new(TABLE_BITS)],
        }
    }
}

impl ChampionAssessor {
    /// The part of a leg to which a round belongs: 0 up to round 20, 1 up to 50, 2 later. Each has
    /// its own curve from values to probabilities.
    pub fn phase_of(round: u16) -> usize {
        usize::from(round > 20) + usize::from(round > 50)
    }

    /// The mean of both searches' values for a seat, proven ones cut to the largest evaluation of
    /// interest; for calibration. `None` once the leg is over.
    pub fn raw_value(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Option<f64> {
        if position.is_over() {
            return None;
        }
        let own = self.search_for(setup, position, seat, budget.split_off(2));
        let other = self.search_for(setup, position, seat.other(), budget.split_off(2));
        Some(mean_value(own.value, -other.value))
    }

    fn search_for(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> SearchResult<Direction> {
        let game = round_search(setup, seat);
        let root = game.node(*position);
        self.search_node(&game, &root, budget)
    }

    fn search_node(
        &mut self,
        game: &RoundSearch<'_>,
        root: &HalfRound,
        budget: SearchBudget<'_>,
    ) -> SearchResult<Direction> {
        let limits = SearchLimits {
            depth: MAX_DEPTH,
            step: DEPTH_STEP,
            threads: 1,
        };
        self.searches[game.me.index()].search(game, root, limits, budget)
    }
}

fn round_search(setup: &Setup, me: Seat) -> RoundSearch<'_> {
    RoundSearch {
        setup,
        me,
        weights: &WEIGHTS,
        oversight: Oversight::default(),
    }
}

/// Values beyond this are as good as decided.
const DECIDED: f64 = 6.0 * 1024.0;

fn mean_value(lowest: i32, highest: i32) -> f64 {
    let cut = |value: i32| f64::from(value).clamp(-DECIDED, DECIDED);
    (cut(lowest) + cut(highest)) / 2.0
}

/// The probability to win of a mean value.
fn win_probability(position: &Position, value: f64) -> f64 {
    let curve = LogisticCurve {
        offset: 0.0,
        slope: SLOPES[ChampionAssessor::phase_of(position.round())],
    };
    curve.probability(value)
}

/// The result that the two values prove for the seat of the first: its own win, or the other's.
fn find_proof(own: i32, other: i32, plies_before: u32) -> Option<Proof> {
    // A result is found before the round that brings it about.
    let rounds = |plies: u32| (plies + plies_before) / 2 + 1;
    let won_by = |value: i32| proven_result(value).filter(|(sign, _)| *sign > 0);
    let proof = |result, plies| Proof {
        result,
        rounds: rounds(plies),
    };
    won_by(own)
        .map(|(_, plies)| proof(ProvenResult::Win, plies))
        .or_else(|| won_by(other).map(|(_, plies)| proof(ProvenResult::Loss, plies)))
}

fn assessment(
    probability: f64,
    proof: Option<Proof>,
    best_line: Vec<Direction>,
    nodes: u64,
    depth: u32,
) -> Assessment<Direction> {
    let win_probability = match proof.map(|proof| proof.result) {
        Some(ProvenResult::Win) => 1.0,
        Some(ProvenResult::Draw) => 0.5,
        Some(ProvenResult::Loss) => 0.0,
        None => probability,
    };
    Assessment {
        spread: None,
        win_probability,
        // A leg gives one point to its winner.
        expected_margin: 2.0 * win_probability - 1.0,
        best_line,
        proof,
        nodes,
        depth: depth / DEPTH_STEP,
    }
}

/// The own directions of a line of half-moves that begins with an own one.
fn own_moves(line: &[Direction]) -> Vec<Direction> {
    line.iter().step_by(2).copied().collect()
}

impl Assessor<Position> for ChampionAssessor {
    fn assess(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Option<Assessment<Direction>> {
        if position.is_over() {
            return None;
        }
        if let Some(decided) = assess_last_round(setup, position, seat) {
            return Some(decided);
        }
        let own = self.search_for(setup, position, seat, budget.split_off(2));
        let other = self.search_for(setup, position, seat.other(), budget.split_off(2));
        let probability = win_probability(position, mean_value(own.value, -other.value));
        Some(assessment(
            probability,
            find_proof(own.value, other.value, 0),
            own_moves(&own.line),
            own.nodes + other.nodes,
            own.depth.min(other.depth),
        ))
    }

    fn assess_actions(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Vec<(Direction, Assessment<Direction>)> {
        if position.is_over() {
            return Vec::new();
        }
        let game = round_search(setup, seat);
        let mut rated = Vec::new();
        for (done, action) in (0..).zip(Direction::ALL) {
            let Some(root) = game.node_after(*position, action) else {
                rated.push((action, assess_certain_round(setup, position, seat, action)));
                continue;
            };
            let found = self.search_node(&game, &root, budget.split_off(4 - done));
            let mut line = vec![action];
            line.extend(found.line.iter().skip(1).step_by(2));
            let value = f64::from(found.value).clamp(-DECIDED, DECIDED);
            let lowest = win_probability(position, value);
            let probability = lowest.clamp(NEARLY_LOST, 1.0 - NEARLY_LOST);
            let proof = find_proof(found.value, 0, 1);
            rated.push((
                action,
                assessment(probability, proof, line, found.nodes, found.depth),
            ));
        }
        rated.sort_by(|(_, a), (_, b)| compare_assessments(b, a));
        rated
    }
}

/// The better one is the greater: by probability, then an earlier win or a later loss.
fn compare_assessments(a: &Assessment<Direction>, b: &Assessment<Direction>) -> Ordering {
    let patience = |one: &Assessment<Direction>| match one.proof {
        Some(Proof {
            result: ProvenResult::Win,
            rounds,
        }) => -i64::from(rounds),
        Some(Proof { rounds, .. }) => i64::from(rounds),
        None => 0,
    };
    a.win_probability
        .total_cmp(&b.win_probability)
        .then(patience(a).cmp(&patience(b)))
}

/// The assessment of a position in which a side has no way out: the round that is played now
/// decides.
fn assess_last_round(
    setup: &Setup,
    position: &Position,
    seat: Seat,
) -> Option<Assessment<Direction>> {
    let safe = [seat, seat.other()].map(|seat| position.safe_mask(setup, seat));
    let line = Direction::of_mask(safe[0]).take(1).collect();
    certain_result(safe[0] != 0, safe[1] != 0).map(|result| certain(result, line))
}

/// The assessment of a direction that decides in this round, whatever the other side does.
fn assess_certain_round(
    setup: &Setup,
    position: &Position,
    seat: Seat,
    action: Direction,
) -> Assessment<Direction> {
    let lives = position.safe_mask(setup, seat) >> action.number() & 1 != 0;
    let other_lives = position.safe_mask(setup, seat.other()) != 0;
    let result = certain_result(lives, other_lives).unwrap_or(ProvenResult::Draw);
    certain(result, vec![action])
}

fn certain_result(lives: bool, other_lives: bool) -> Option<ProvenResult> {
    match (lives, other_lives) {
        (true, true) => None,
        (true, false) => Some(ProvenResult::Win),
        (false, true) => Some(ProvenResult::Loss),
        (false, false) => Some(ProvenResult::Draw),
    }
}

fn certain(result: ProvenResult, line: Vec<Direction>) -> Assessment<Direction> {
    assessment(0.5, Some(Proof { result, rounds: 1 }), line, 1, DEPTH_STEP)
}
