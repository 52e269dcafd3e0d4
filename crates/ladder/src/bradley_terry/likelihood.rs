//! The likelihood of all games at once: its value, gradient and curvature, and systems of equations
//! with the curvature. A big field has a million pairs, so that a pair costs one exponential
//! function for all three, and the curvature keeps one number of it.

use crate::bradley_terry::{DRAW_PRIOR, Results, ridge_weight};
use crate::result::ScoreTally;

/// The pairs that have met, row by row: those of the first player with players behind it, and so
/// on.
#[derive(Clone, Debug)]
pub struct PairRows {
    players: usize,
    /// The rating that the player of each row has; players may share one.
    stands_for: Vec<u32>,
    /// Where each row ends.
    ends: Vec<usize>,
    others: Vec<u32>,
    tallies: Vec<ScoreTally>,
}

impl PairRows {
    /// The pairs of a field. `stands_for` makes players share a rating.
    pub fn new(field: &Results, stands_for: &dyn Fn(usize) -> usize) -> PairRows {
        let mapped: Vec<u32> = (0..field.player_count())
            .map(|player| stands_for(player) as u32)
            .collect();
        let count = field.met_count();
        let (mut others, mut tallies) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut ends = Vec::with_capacity(field.player_count());
        for row in field.rows() {
            others.extend(row.iter().map(|met| mapped[met.other as usize]));
            tallies.extend(row.iter().map(|met| met.tally));
            ends.push(others.len());
        }
        PairRows {
            players: field.player_count(),
            stands_for: mapped,
            ends,
            others,
            tallies,
        }
    }

    /// The number of pairs.
    pub fn pair_count(&self) -> usize {
        self.others.len()
    }

    /// The rows: a rating, and the range of its pairs.
    fn rows(&self) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> + '_ {
        let mut begin = 0;
        self.stands_for
            .iter()
            .zip(&self.ends)
            .map(move |(one, end)| {
                let range = begin..*end;
                begin = *end;
                (*one as usize, range)
            })
    }

    /// The logarithm of the likelihood of ratings and, behind them, of the logarithm of the weight
    /// of draws; with its gradient and its curvature.
    pub fn evaluate(&self, point: &[f64]) -> LikelihoodAt {
        let (draw, ridge) = (point[self.players], ridge_weight());
        let weight = draw.exp();
        let mut sum = LogOfProduct::default();
        let mut value = -((draw - DRAW_PRIOR.0) / DRAW_PRIOR.1).powi(2) / 2.0;
        let mut gradient: Vec<f64> = point.iter().map(|rating| -rating * ridge).collect();
        let mut draw_gradient = (DRAW_PRIOR.0 - draw) / DRAW_PRIOR.1.powi(2);
        let mut curvature = Curvature {
            alongs: Vec::with_capacity(self.others.len()),
            diagonal: vec![ridge; self.players],
            across: vec![0.0; self.players],
            draw: DRAW_PRIOR.1.powi(-2),
        };
        for (one, range) in self.rows() {
            let (rating, mut pulls, mut bends, mut turns) = (point[one], 0.0, 0.0, 0.0);
            for (other, tally) in self.others[range.clone()].iter().zip(&self.tallies[range]) {
                let other = *other as usize;
                let difference = rating - point[other];
                let games = f64::from(tally.game_count());
                let lead = f64::from(tally.wins) - f64::from(tally.losses);
                // Win, draw and loss of the stronger one, in the proportion 1 : draw : loss.
                let chance = (-difference.abs() / 2.0).exp();
                let (draw_part, loss_part) = (weight * chance, chance * chance);
                let all = 1.0 + draw_part + loss_part;
                let drawn = draw_part / all;
                let ahead = (1.0 - loss_part) / all * difference.signum();
                value += (lead * difference - games * difference.abs()) / 2.0;
                sum.multiply(all, tally.game_count());
                draw_gradient += f64::from(tally.draws) - games * drawn;
                let along = games * (1.0 - drawn - ahead * ahead) / 4.0;
                curvature.draw += games * drawn * (1.0 - drawn);
                curvature.alongs.push(along);
                if one == other {
                    continue;
                }
                let pull = (lead - games * ahead) / 2.0;
                let across = -games * ahead / 2.0 * drawn;
                gradient[other] -= pull;
                curvature.diagonal[other] += along;
                curvature.across[other] -= across;
                pulls += pull;
                bends += along;
                turns += across;
            }
            gradient[one] += pulls;
            curvature.diagonal[one] += bends;
            curvature.across[one] += turns;
        }
        let drawn: f64 = self
            .tallies
            .iter()
            .map(|tally| f64::from(tally.draws))
            .sum();
        let ratings = &point[..self.players];
        let prior: f64 = ratings.iter().map(|rating| rating * rating).sum();
        value += drawn * draw - sum.logarithm() - prior * ridge / 2.0;
        gradient[self.players] = draw_gradient;
        LikelihoodAt {
            value,
            gradient,
            curvature,
        }
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

/// Negative second derivatives of the likelihood: of ratings by ratings, which only pairs that have
/// met couple, and of ratings by the weight of draws.
#[derive(Clone, Debug)]
pub struct Curvature {
    /// Of each pair, in the order of the rows.
    alongs: Vec<f64>,
    diagonal: Vec<f64>,
    /// Of each rating by the weight of draws.
    across: Vec<f64>,
    /// Of the weight of draws.
    draw: f64,
}

impl Curvature {
    /// Solves `curvature x = right` by conjugate gradients, preconditioned by the diagonal.
    pub fn solve_system(&self, pairs: &PairRows, right: &[f64], tolerance: f64) -> Vec<f64> {
        let players = self.diagonal.len();
        let inverse: Vec<f64> = (self.diagonal.iter().chain([&self.draw]))
            .map(|diagonal| 1.0 / diagonal)
            .collect();
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
        let players = self.diagonal.len();
        let draw = at[players];
        for index in 0..players {
            out[index] = self.diagonal[index] * at[index] + self.across[index] * draw;
        }
        out[players] = self.draw * draw + dot_product(&self.across, &at[..players]);
        for (one, range) in pairs.rows() {
            let (own, mut pull) = (at[one], 0.0);
            for (other, along) in pairs.others[range.clone()].iter().zip(&self.alongs[range]) {
                let other = *other as usize;
                if one == other {
                    continue;
                }
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
