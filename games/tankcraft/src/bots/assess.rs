//! What a position is worth, by playing it out.

use leitai_game::{Rng, Seat};
use leitai_search::calibration::LogisticCurve;
use leitai_search::{Assessment, Assessor, SearchBudget};

use crate::bots::champion::{ChampionOptions, PlanSearch};
use crate::bots::proof::prove_result;
use crate::bots::rollout::{SidePlan, WayTable};
use crate::orders::Action;
use crate::position::Position;
use crate::setup::Setup;

/// Playouts to the end of the leg.
const PLAYOUTS: usize = 24;

/// Assesses positions of TankCraft as somebody would who sees the whole map: by playouts to the
/// end, by the search of [`Champion`](crate::bots::champion::Champion) for the best plan, and by
/// proofs. The same seed and budget of nodes give the same assessment.
pub struct TankAssessor {
    seed: u64,
    options: ChampionOptions,
}

/// The results of playouts to the end, for a seat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Mean of the seat's resources less the other's.
    pub margin: f64,
    /// Its standard deviation over the playouts.
    pub spread: f64,
    /// Mean of the rounds that the playouts took.
    pub rounds_left: f64,
}

impl Forecast {
    /// The margin in units of its spread, which counts as this much larger than the playouts have
    /// it: they are off by something, however much they agree.
    pub fn relative_margin(self, least_spread: f64) -> f64 {
        self.margin / (self.spread + least_spread)
    }

    /// The part of the leg, 0 to 3, by the rounds that are left.
    pub fn phase(self) -> usize {
        let is_over = |least: &&f64| self.rounds_left < **least;
        PHASE_ENDS.iter().filter(is_over).count()
    }

    /// The probability of a win: a logistic function of the relative margin.
    pub fn win_probability(self) -> f64 {
        let curve = LogisticCurve {
            offset: 0.0,
            slope: SLOPES[self.phase()],
        };
        curve.probability(self.relative_margin(LEAST_SPREAD))
    }

    /// The same if the seat had more resources at the end.
    fn with_gain(self, gain: f64) -> Forecast {
        Forecast {
            margin: self.margin + gain,
            ..self
        }
    }
}

/// Rounds that are left at the end of each part of a leg but the last.
const PHASE_ENDS: [f64; 3] = [120.0, 70.0, 20.0];
/// What a unit of [`Forecast::relative_margin`] adds to the natural logarithm of the odds, by
/// [`Forecast::phase`]. Fitted by `examples/tankcraft_calibrate.rs`.
const SLOPES: [f64; 4] = [0.89, 1.87, 2.07, 3.02];
/// Resources that the spread is too small by; found in the same way.
const LEAST_SPREAD: f64 = 5.0;

impl TankAssessor {
    /// An assessor whose chance comes from this seed.
    pub fn new(seed: u64) -> TankAssessor {
        TankAssessor {
            seed,
            options: ChampionOptions::default(),
        }
    }

    /// Plays the position out to the end and says how the seat fares. Half of the playouts are from
    /// each side's view, because a side is given a little less skill in the other's playouts.
    pub fn forecast(&self, setup: &Setup, position: &Position, seat: Seat) -> Forecast {
        let margin_of = |end: &Position| {
            f64::from(end.gold(seat) as i32) - f64::from(end.gold(seat.other()) as i32)
        };
        let ends: Vec<Position> = Seat::BOTH
            .into_iter()
            .flat_map(|seat| self.play_to_end(setup, position, seat))
            .collect();
        let count = ends.len() as f64;
        let margin = ends.iter().map(margin_of).sum::<f64>() / count;
        let squares = ends.iter().map(|end| (margin_of(end) - margin).powi(2));
        let rounds = ends.iter().map(|end| f64::from(end.round()));
        Forecast {
            margin,
            spread: (squares.sum::<f64>() / count).sqrt(),
            rounds_left: rounds.sum::<f64>() / count - f64::from(position.round()),
        }
    }

    /// The ends of playouts in worlds as the seat imagines them.
    fn play_to_end(
        &self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
    ) -> [Position; PLAYOUTS / 2] {
        let mut rng = Rng::new(self.seed);
        let worlds = ChampionOptions {
            all_trials: PLAYOUTS / 2,
            ..self.options
        };
        let (ways, now) = (WayTable::new(setup, position), [*position]);
        let search = PlanSearch::new(setup, ways, &now, seat, worlds, &mut rng);
        std::array::from_fn(|n| search.play_to_end(n))
    }

    fn search<'a>(
        &self,
        setup: &'a Setup,
        now: &'a [Position],
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> (PlanSearch<'a>, SidePlan) {
        let (ways, mut rng) = (WayTable::new(setup, &now[0]), Rng::new(self.seed ^ 1));
        let mut search = PlanSearch::new(setup, ways, now, seat, self.options, &mut rng);
        let plan = search.climb(&SidePlan::FREE, budget, &mut rng);
        (search, plan)
    }
}

impl Assessor<Position> for TankAssessor {
    fn assess(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Option<Assessment<Action>> {
        if position.end().is_some() {
            return None;
        }
        if position.round() == 0 {
            return Some(assess_teams(self.options));
        }
        let forecast = self.forecast(setup, position, seat);
        let now = [*position];
        let (search, plan) = self.search(setup, &now, seat, budget);
        let proof = prove_result(setup, position, seat);
        Some(describe(&search, &plan, forecast, proof))
    }

    fn assess_actions(
        &mut self,
        setup: &Setup,
        position: &Position,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Vec<(Action, Assessment<Action>)> {
        if position.end().is_some() {
            return Vec::new();
        }
        if position.round() == 0 {
            return vec![(Action::Team(self.options.team), assess_teams(self.options))];
        }
        let forecast = self.forecast(setup, position, seat);
        let now = [*position];
        let (mut search, plan) = self.search(setup, &now, seat, budget);
        let proof = prove_result(setup, position, seat);
        let mut rated = search.rate_variations(&plan);
        rated.sort_by_key(|(_, gain)| -gain);
        let rated = rated.into_iter().map(|(plan, gain)| {
            let forecast = forecast.with_gain(f64::from(gain) / 10.0);
            let assessment = describe(&search, &plan, forecast, proof);
            (Action::Orders(plan.orders()), assessment)
        });
        rated.collect()
    }
}

/// Before the teams are known both sides are alike.
fn assess_teams(options: ChampionOptions) -> Assessment<Action> {
    Assessment {
        spread: None,
        win_probability: 0.5,
        expected_margin: 0.0,
        best_line: vec![Action::Team(options.team)],
        proof: None,
        nodes: 0,
        depth: 0,
    }
}

fn describe(
    search: &PlanSearch,
    plan: &SidePlan,
    forecast: Forecast,
    proof: Option<leitai_search::Proof>,
) -> Assessment<Action> {
    use leitai_search::ProvenResult::{Draw, Loss, Win};
    let win_probability = match proof.map(|proof| proof.result) {
        Some(Win) => 1.0,
        Some(Draw) => 0.5,
        Some(Loss) => 0.0,
        None => forecast.win_probability(),
    };
    let best_line = search.line_of_plan(plan);
    Assessment {
        spread: None,
        win_probability,
        expected_margin: forecast.margin,
        depth: best_line.len() as u32,
        best_line: best_line.into_iter().map(Action::Orders).collect(),
        proof,
        nodes: search.trials() + PLAYOUTS as u64,
    }
}
