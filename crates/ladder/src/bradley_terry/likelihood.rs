//! The likelihood of all points at once: its value, gradient and curvature, and systems of equations
//! with the curvature. A big field has a million pairs, so that a pair costs one exponential
//! function for all three, and the curvature keeps one number of it.

use crate::bradley_terry::results::Results;
use crate::elo::PER_LOGIT;

/// The standard deviation of the prior, in Elo.
const PRIOR: f64 = 1500.0;

/// The pairs that have met, row by row: those of the first player with players behind it, and so
/// on.
#[derive(Clone, Debug)]
pub struct PairRows {
    /// Where the row of each player ends.
    ends: Vec<usize>,
    others: Vec<u32>,
    /// The legs of each pair, and the points of its first player.
    legs: Vec<(u32, f64)>,
}

impl PairRows {
    /// The pairs of a field.
    pub fn new(field: &Results) -> PairRows {
        let count = field.met_count();
        let (mut others, mut legs) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut ends = Vec::with_capacity(field.player_count());
        for row in field.rows() {
            others.extend(row.iter().map(|met| met.other));
            let tallies = row.iter().map(|met| met.meeting.legs);
            legs.extend(tallies.map(|tally| (tally.game_count(), tally.points())));
            ends.push(others.len());
        }
        PairRows { ends, others, legs }
    }

    /// The number of pairs.
    pub fn pair_count(&self) -> usize {
        self.others.len()
    }

    /// The rows: a player, and the range of its pairs.
    fn rows(&self) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> + '_ {
        let mut begin = 0;
        self.ends.iter().enumerate().map(move |(one, end)| {
            let range = begin..*end;
            begin = *end;
            (one, range)
        })
    }

    /// The logarithm of the likelihood of ratings, with its gradient and its curvature.
    pub fn evaluate(&self, point: &[f64]) -> LikelihoodAt {
        let ridge = ridge_weight();
        let (mut sum, mut value) = (LogOfProduct::default(), 0.0);
        let mut gradient: Vec<f64> = point.iter().map(|rating| -rating * ridge).collect();
        let mut curvature = Curvature {
            alongs: Vec::with_capacity(self.others.len()),
            diagonal: vec![ridge; point.len()],
        };
        for (one, range) in self.rows() {
            let (rating, mut pulls, mut bends) = (point[one], 0.0, 0.0);
            for (other, (legs, points)) in self.others[range.clone()].iter().zip(&self.legs[range])
            {
                let other = *other as usize;
                let difference = rating - point[other];
                let count = f64::from(*legs);
                // Points of the stronger and of the weaker one, in the proportion 1 : weaker.
                let weaker = (-difference.abs()).exp();
                let all = 1.0 + weaker;
                let expected = if difference > 0.0 { 1.0 } else { weaker } / all;
                value += points * difference - count * difference.max(0.0);
                sum.multiply(all, *legs);
                let (pull, along) = (points - count * expected, count * weaker / (all * all));
                gradient[other] -= pull;
                curvature.diagonal[other] += along;
                curvature.alongs.push(along);
                pulls += pull;
                bends += along;
            }
            gradient[one] += pulls;
            curvature.diagonal[one] += bends;
        }
        value -= sum.logarithm() + dot_product(point, point) * ridge / 2.0;
        LikelihoodAt {
            value,
            gradient,
            curvature,
        }
    }

    /// The sum over all pairs of the squared difference of their values, by a weight of each pair.
    pub fn weigh_differences(&self, at: &[f64], weights: &[f64]) -> f64 {
        let square = |(one, range): (usize, std::ops::Range<usize>)| {
            let pairs = self.others[range.clone()].iter().zip(&weights[range]);
            pairs
                .map(|(other, weight)| weight * (at[one] - at[*other as usize]).powi(2))
                .sum::<f64>()
        };
        self.rows().map(square).sum()
    }
}

/// The logarithm of a product of many factors that are not smaller than 1, with few logarithms.
struct LogOfProduct {
    product: f64,
    logarithm: f64,
}

impl Default for LogOfProduct {
    fn default() -> LogOfProduct {
        LogOfProduct {
            product: 1.0,
            logarithm: 0.0,
        }
    }
}

impl LogOfProduct {
    /// Multiplies by this factor so many times.
    fn multiply(&mut self, factor: f64, times: u32) {
        if times > 8 || factor > 1e12 {
            self.logarithm += f64::from(times) * factor.ln();
            return;
        }
        for _ in 0..times {
            self.product *= factor;
        }
        if self.product > 1e150 {
            self.logarithm += self.product.ln();
            self.product = 1.0;
        }
    }

    fn logarithm(&self) -> f64 {
        self.logarithm + self.product.ln()
    }
}

/// The likelihood at a point.
#[derive(Clone, Debug)]
pub struct LikelihoodAt {
    /// Its logarithm.
    pub value: f64,
    /// The gradient of that.
    pub gradient: Vec<f64>,
    /// The negative second derivatives.
    pub curvature: Curvature,
}

/// Negative second derivatives of the likelihood, of ratings by ratings, which only pairs that have
/// met couple.
#[derive(Clone, Debug)]
pub struct Curvature {
    /// Of each pair, in the order of the rows.
    alongs: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Curvature {
    /// Solves `curvature x = right` by conjugate gradients, preconditioned by the diagonal.
    pub fn solve_system(&self, pairs: &PairRows, right: &[f64], tolerance: f64) -> Vec<f64> {
        let players = self.diagonal.len();
        let inverse: Vec<f64> = self.diagonal.iter().map(|own| 1.0 / own).collect();
        let (mut solved, mut rest) = (vec![0.0; right.len()], right.to_vec());
        let mut toward: Vec<f64> = rest.iter().zip(&inverse).map(|(r, d)| r * d).collect();
        let mut bent = vec![0.0; right.len()];
        let mut power = dot_product(&rest, &toward);
        let enough = vector_norm(right) * tolerance;
        for _ in 0..4 * players + 100 {
            if vector_norm(&rest) <= enough {
                break;
            }
            self.multiply(pairs, &toward, &mut bent);
            let length = power / dot_product(&toward, &bent);
            let mut next_power = 0.0;
            for index in 0..right.len() {
                solved[index] += length * toward[index];
                rest[index] -= length * bent[index];
                next_power += rest[index] * rest[index] * inverse[index];
            }
            let turn = next_power / power;
            for index in 0..right.len() {
                toward[index] = rest[index] * inverse[index] + turn * toward[index];
            }
            power = next_power;
        }
        solved
    }

    /// Writes `curvature at` to `out`.
    fn multiply(&self, pairs: &PairRows, at: &[f64], out: &mut [f64]) {
        for index in 0..at.len() {
            out[index] = self.diagonal[index] * at[index];
        }
        for (one, range) in pairs.rows() {
            let (own, mut pull) = (at[one], 0.0);
            for (other, along) in pairs.others[range.clone()].iter().zip(&self.alongs[range]) {
                let other = *other as usize;
                pull += along * at[other];
                out[other] -= along * own;
            }
            out[one] -= pull;
        }
    }
}

/// The sum of the products.
pub fn dot_product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// The length of a vector.
pub fn vector_norm(vector: &[f64]) -> f64 {
    dot_product(vector, vector).sqrt()
}

/// The prior's curvature, per logit squared.
#[doc(hidden)] // For tests.
pub fn ridge_weight() -> f64 {
    (PER_LOGIT / PRIOR).powi(2)
}
