//! Ratings of a whole field: the model of Bradley and Terry on points, one for a won leg and half for
//! a drawn one.
//!
//! With `x` the difference of two ratings in natural logarithms of odds, the expected points of a leg
//! are `1 / (1 + exp(-x))`, however many of them come from draws. The ratings fit the points best (by
//! maximum quasi-likelihood); a prior so wide that it moves nothing that has been measured keeps them
//! finite where someone won, or lost, every leg. Legs of a match are not independent, and draws vary
//! less than wins and losses: errors come from the spread that the matches of two players had
//! (`Meeting::spread_around`), not from the model. Sources: R. A. Bradley and M. E. Terry, Biometrika
//! 39 (1952); P. McCullagh and J. Nelder, "Generalized Linear Models" (1989), chapter 9; H. White,
//! Econometrica 50 (1982).

#[doc(hidden)] // For tests.
pub mod likelihood;
#[doc(hidden)] // For tests.
pub mod meeting;
pub(crate) mod results;

use serde::{Deserialize, Serialize};

#[doc(hidden)] // For tests.
pub use crate::bradley_terry::likelihood::ridge_weight;
use crate::bradley_terry::likelihood::{
    Curvature, LikelihoodAt, PairRows, dot_product, vector_norm,
};
pub use crate::bradley_terry::results::Results;
use crate::elo::{PER_LOGIT, expected_score};
use crate::exact_test::{Comparison, compare_players};
use crate::normal::two_sided;

/// How exactly errors are solved for, against what is asked.
#[doc(hidden)] // For tests.
pub const SOLVED: f64 = 1e-7;

impl Results {
    /// The ratings that fit the points best.
    pub fn fit_ratings(&self) -> Fit {
        Fit::new(self)
    }

    /// The best and the worst place each player can have: players who are surely better stand
    /// before it, players who are surely worse behind it. The confidence is that of the whole
    /// table: it is the chance that no player is falsely said to be better than another one,
    /// however few the games are. Pairs are compared by an exact test ([`crate::exact_test`]), from
    /// the clearest on, each at the level that the others leave (S. Holm, Scandinavian Journal of
    /// Statistics 6, 1979); who is better than a better one is better, too.
    pub fn place_intervals(&self, confidence: f64) -> Vec<[usize; 2]> {
        let (fit, count) = (self.fit_ratings(), self.player_count());
        let mut over = vec![vec![false; count]; count];
        for [better, worse] in self.sure_pairs(confidence) {
            // Where players beat each other in a circle, there is no order to tell.
            over[better][worse] = fit.point[better] > fit.point[worse];
        }
        for middle in 0..count {
            let behind = over[middle].clone();
            for row in over.iter_mut().filter(|row| row[middle]) {
                row.iter_mut()
                    .zip(&behind)
                    .for_each(|(cell, behind)| *cell |= behind);
            }
        }
        let place = |player: usize| {
            let better = over.iter().filter(|row| row[player]).count();
            let worse = over[player].iter().filter(|clear| **clear).count();
            [better + 1, count - worse]
        };
        (0..count).map(place).collect()
    }

    /// Pairs of which the first is surely the better; the confidence is that of all together.
    fn sure_pairs(&self, confidence: f64) -> Vec<[usize; 2]> {
        let count = self.player_count();
        let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
        let mut compared: Vec<(f64, [usize; 2])> = pairs
            .map(|(one, other)| {
                let Comparison { chance, lead } = compare_players(self, one, other);
                (
                    chance,
                    if lead > 0.0 {
                        [one, other]
                    } else {
                        [other, one]
                    },
                )
            })
            .collect();
        compared.sort_by(|one, other| one.0.total_cmp(&other.0));
        let left = |index: usize| (compared.len() - index) as f64;
        (compared.iter().enumerate())
            .take_while(|(index, (chance, _))| *chance <= (1.0 - confidence) / left(*index))
            .map(|(_, (_, pair))| *pair)
            .collect()
    }
}

/// A value with its standard error, in Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimated {
    /// The most likely value.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
}

impl Estimated {
    /// The ends of the interval of this confidence.
    pub fn confidence_interval(&self, confidence: f64) -> [f64; 2] {
        let reach = two_sided(confidence) * self.error;
        [self.value - reach, self.value + reach]
    }
}

/// The ratings that fit the points of a field best.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The ratings in natural logarithms of odds.
    #[doc(hidden)] // For tests.
    pub point: Vec<f64>,
    #[doc(hidden)] // For tests.
    pub pairs: PairRows,
    #[doc(hidden)] // For tests.
    pub curvature: Curvature,
    /// The variance of the points of each pair that met, in the order of `pairs`.
    spreads: Vec<f64>,
}

impl Fit {
    /// Newton's method with a step that never makes the fit worse; the likelihood is concave, so
    /// that it cannot lead astray.
    fn new(field: &Results) -> Fit {
        let players = field.player_count();
        let pairs = PairRows::new(field);
        let (mut point, curvature) = climb(&pairs, vec![0.0; players]);
        let mean = point.iter().sum::<f64>() / players.max(1) as f64;
        point.iter_mut().for_each(|rating| *rating -= mean);
        let expected = |one: usize, other: usize| expected_share(point[one] - point[other]);
        let rows = field.rows().iter().enumerate();
        let spreads = rows
            .flat_map(|(one, row)| row.iter().map(move |met| (one, met)))
            .map(|(one, met)| met.meeting.spread_around(expected(one, met.other as usize)))
            .collect();
        Fit {
            point,
            pairs,
            curvature,
            spreads,
        }
    }

    fn player_count(&self) -> usize {
        self.point.len()
    }

    /// The rating against the field's average, in Elo.
    pub fn player_rating(&self, player: usize) -> Estimated {
        let share = -1.0 / self.player_count() as f64;
        let mut contrast = vec![share; self.player_count()];
        contrast[player] += 1.0;
        self.with_error(self.point[player], &contrast)
    }

    /// The difference of `one` over `other`, in Elo.
    pub fn rating_difference(&self, one: usize, other: usize) -> Estimated {
        let mut contrast = vec![0.0; self.player_count()];
        contrast[one] += 1.0;
        contrast[other] -= 1.0;
        self.with_error(self.point[one] - self.point[other], &contrast)
    }

    /// The points expected of a leg between two players.
    pub fn expected_points(&self, one: usize, other: usize) -> f64 {
        expected_share(self.point[one] - self.point[other])
    }

    /// Covariances of the ratings, in logits, row by row, if every leg were a game of its own
    /// without draws: what further games between two players are worth is compared by these.
    pub fn covariance_matrix(&self) -> Vec<Vec<f64>> {
        let unit = |player: usize| {
            let mut unit = vec![0.0; self.player_count()];
            unit[player] = 1.0;
            self.curvature.solve_system(&self.pairs, &unit, SOLVED)
        };
        (0..self.player_count()).map(unit).collect()
    }

    /// The error follows from the spread of the points and how the ratings depend on them.
    fn with_error(&self, value: f64, contrast: &[f64]) -> Estimated {
        let solved = self.curvature.solve_system(&self.pairs, contrast, SOLVED);
        let prior = ridge_weight() * dot_product(&solved, &solved);
        let variance = prior + self.pairs.weigh_differences(&solved, &self.spreads);
        Estimated {
            value: value * PER_LOGIT,
            error: variance.sqrt() * PER_LOGIT,
        }
    }
}

/// The points expected of a leg by a difference in logits.
fn expected_share(difference: f64) -> f64 {
    expected_score(difference * PER_LOGIT)
}

/// Newton's method from a point to the top; the point there, with its curvature.
fn climb(pairs: &PairRows, mut point: Vec<f64>) -> (Vec<f64>, Curvature) {
    let mut here = pairs.evaluate(&point);
    for _ in 0..100 {
        let size = vector_norm(&here.gradient);
        if size < 1e-10 * (1.0 + pairs.pair_count() as f64) {
            break;
        }
        let tolerance = (size.sqrt() * 0.1).clamp(1e-8, 0.1);
        let step = here
            .curvature
            .solve_system(pairs, &here.gradient, tolerance);
        let Some((next, there)) = take_step(pairs, &point, &step, here.value) else {
            break;
        };
        let gained = there.value - here.value;
        (point, here) = (next, there);
        if gained <= 1e-14 * (1.0 + here.value.abs()) && size <= 1e-6 {
            break;
        }
    }
    (point, here.curvature)
}

/// The longest of a step, its half and so on that does not make the results less likely.
fn take_step(
    pairs: &PairRows,
    point: &[f64],
    step: &[f64],
    value: f64,
) -> Option<(Vec<f64>, LikelihoodAt)> {
    let mut length = 1.0;
    while length > 1e-6 {
        let next: Vec<f64> = point
            .iter()
            .zip(step)
            .map(|(at, by)| at + length * by)
            .collect();
        let there = pairs.evaluate(&next);
        if there.value >= value {
            return Some((next, there));
        }
        length /= 2.0;
    }
    None
}
