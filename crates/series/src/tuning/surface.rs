//! What all pairs of a search say together: a curved surface through their results.
//!
//! Near the place where the search is, strength is taken for a parabola in each parameter, and a step
//! for each word of a choice; the difference of both sides is fitted to the results of pairs, those
//! far away with less weight. The top of the surface is the estimate; surfaces drawn from its
//! uncertainty say how sure it is.

use leitai_game::Rng;

use super::axis::{Axis, Point};
use super::search::{Search, best_index, unit};

/// Pairs whose middle is so far from the search weigh a third.
const NEAR: f64 = 0.3;
/// Pairs that weigh less are left out.
const LEAST_WEIGHT: f64 = 0.02;
/// The standard error of what is assumed before the first pair: no slope where the search is, and a
/// faint top.
const PRIOR_ERROR: f64 = 3.0;
const PRIOR_CURVE: f64 = -0.5;
/// Surfaces that are drawn.
const DRAWS: usize = 400;

/// What is known about one parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The best place.
    pub best: f64,
    /// Where the best place is with 95 % confidence; of a choice, the ends of its words.
    pub interval: [f64; 2],
    /// The chance that this place, of a choice, is the best; of a range, nothing.
    pub chance: Option<f64>,
}

/// The estimates of all parameters.
pub fn estimate(search: &Search) -> Vec<Estimate> {
    let surface = Surface::fit(search);
    let axes = search.axes();
    let best = surface.top(axes, &surface.weights);
    let mut rng = Rng::new(0x7065_616b);
    let draws: Vec<Point> = (0..DRAWS)
        .map(|_| surface.top(axes, &surface.draw(&mut rng)))
        .collect();
    let all = axes.iter().zip(best).enumerate();
    all.map(|(index, (axis, best))| {
        let mut places: Vec<f64> = draws.iter().map(|draw| draw[index]).collect();
        places.sort_by(f64::total_cmp);
        let same = places.iter().filter(|place| **place == best).count();
        let (low, high) = (places[DRAWS / 40], places[DRAWS - 1 - DRAWS / 40]);
        Estimate {
            best,
            interval: [low.min(best), high.max(best)],
            chance: matches!(axis, Axis::Choice { .. }).then_some(same as f64 / DRAWS as f64),
        }
    })
    .collect()
}

/// A fitted surface: its weights, and the Cholesky factor of their precision.
struct Surface {
    centre: Point,
    weights: Vec<f64>,
    factor: Vec<Vec<f64>>,
}

impl Surface {
    fn fit(search: &Search) -> Surface {
        let (axes, centre) = (search.axes(), search.place());
        let prior = prior(axes);
        let size = prior.len();
        let mut matrix = vec![vec![0.0; size]; size];
        let mut right = vec![0.0; size];
        let (mut squares, mut count) = (1.0, 2.0);
        for pair in search.counted_pairs() {
            let (Some(result), weight) = (pair.result, nearness(axes, &pair.points, &centre))
            else {
                continue;
            };
            if weight < LEAST_WEIGHT {
                continue;
            }
            squares += weight * result * result;
            count += weight;
            let [one, other] = &pair.points;
            let (one, other) = (features(axes, one, &centre), features(axes, other, &centre));
            let both = other.iter().zip(one).map(|(other, one)| other - one);
            let row: Vec<f64> = both.collect();
            for index in (0..size).filter(|index| row[*index] != 0.0) {
                right[index] += weight * row[index] * result;
                for other in 0..size {
                    matrix[index][other] += weight * row[index] * row[other];
                }
            }
        }
        // In units of a pair's spread.
        let spread = squares / count;
        let certainty = 1.0 / (PRIOR_ERROR * PRIOR_ERROR);
        for index in 0..size {
            matrix[index].iter_mut().for_each(|one| *one /= spread);
            matrix[index][index] += certainty;
            right[index] = right[index] / spread + certainty * prior[index];
        }
        let factor = factorize(matrix);
        let weights = solve_upper(&factor, &solve_lower(&factor, &right));
        Surface {
            centre,
            weights,
            factor,
        }
    }

    /// The best point of a surface with these weights.
    fn top(&self, axes: &[Axis], weights: &[f64]) -> Point {
        let mut at = 0;
        let places = axes.iter().zip(&self.centre).map(|(axis, centre)| {
            let own = &weights[at..at + width(*axis)];
            at += own.len();
            match axis {
                Axis::Choice { .. } => best_index(own) as f64,
                Axis::Range { .. } => axis.snap(top_of_parabola(own[0], own[1], *centre)),
            }
        });
        places.collect()
    }

    /// Weights as likely as the results allow.
    fn draw(&self, rng: &mut Rng) -> Vec<f64> {
        let noise: Vec<f64> = self.weights.iter().map(|_| normal(rng)).collect();
        let moved = solve_upper(&self.factor, &noise);
        let both = self.weights.iter().zip(moved);
        both.map(|(weight, noise)| weight + noise).collect()
    }
}

/// Where `slope t + curve t²` is largest, with `t` counted from the centre.
fn top_of_parabola(slope: f64, curve: f64, centre: f64) -> f64 {
    let height = |place: f64| {
        let t = place - centre;
        slope * t + curve * t * t
    };
    match () {
        () if curve < -1e-9 => (centre - slope / (2.0 * curve)).clamp(0.0, 1.0),
        () if height(1.0) > height(0.0) => 1.0,
        () => 0.0,
    }
}

fn width(axis: Axis) -> usize {
    match axis {
        Axis::Range { .. } => 2,
        Axis::Choice { count } => count,
    }
}

fn prior(axes: &[Axis]) -> Vec<f64> {
    let of = |axis: &Axis| match axis {
        Axis::Range { .. } => vec![0.0, PRIOR_CURVE],
        Axis::Choice { count } => vec![0.0; *count],
    };
    axes.iter().flat_map(of).collect()
}

fn features(axes: &[Axis], point: &[f64], centre: &[f64]) -> Vec<f64> {
    let all = axes.iter().zip(point.iter().zip(centre));
    all.flat_map(|(axis, (place, centre))| match axis {
        Axis::Range { .. } => {
            let t = place - centre;
            vec![t, t * t]
        }
        Axis::Choice { count } => (0..*count)
            .map(|word| f64::from(u8::from(word as f64 == *place)))
            .collect(),
    })
    .collect()
}

/// How much a pair at these points says about the place where the search is.
fn nearness(axes: &[Axis], [one, other]: &[Point; 2], centre: &[f64]) -> f64 {
    let apart = |index: usize| match axes[index] {
        Axis::Range { .. } => (f64::midpoint(one[index], other[index]) - centre[index]).abs(),
        Axis::Choice { .. } => 0.0,
    };
    let furthest = (0..axes.len()).map(apart).fold(0.0, f64::max);
    (-(furthest / NEAR).powi(2)).exp()
}

/// The lower triangle whose square is this positive matrix (Cholesky).
fn factorize(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for row in 0..matrix.len() {
        for column in 0..=row {
            let dot: f64 = (0..column)
                .map(|index| matrix[row][index] * matrix[column][index])
                .sum();
            let rest = matrix[row][column] - dot;
            matrix[row][column] = match row == column {
                true => rest.max(1e-12).sqrt(),
                false => rest / matrix[column][column],
            };
        }
        matrix[row][row + 1..].fill(0.0);
    }
    matrix
}

fn solve_lower(factor: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut solved: Vec<f64> = Vec::with_capacity(right.len());
    for (row, value) in factor.iter().zip(right) {
        let dot: f64 = row
            .iter()
            .zip(&solved)
            .map(|(one, other)| one * other)
            .sum();
        solved.push((value - dot) / row[solved.len()]);
    }
    solved
}

/// With the transposed factor.
fn solve_upper(factor: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut solved = right.to_vec();
    for row in (0..right.len()).rev() {
        let dot: f64 = (row + 1..right.len())
            .map(|below| factor[below][row] * solved[below])
            .sum();
        solved[row] = (solved[row] - dot) / factor[row][row];
    }
    solved
}

/// A draw from the normal distribution (Box and Muller).
fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - unit(rng)).ln()).sqrt();
    radius * (std::f64::consts::TAU * unit(rng)).cos()
}
