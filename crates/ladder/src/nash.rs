//! The Nash average of a field: the mixture of players that nobody beats, and every player's result
//! against it. Copies of a player change nothing, and whoever only beats the weak gains nothing.
//!
//! Source: D. Balduzzi, K. Tuyls, J. Perolat, T. Graepel, "Re-evaluating evaluation", 2018. Of all
//! mixtures that nobody beats it is the one of maximum entropy, which is unique.

/// Nobody wins more than this against the mixture, as a part of the largest payoff.
const SLACK: f64 = 1e-11;
/// The weight of the barrier at which the search ends.
const LAST_BARRIER: f64 = 1e-14;
/// How far a share may be moved in the end.
const NEAR: f64 = 5e-7;
/// The most steps of the search.
const MOST_STEPS: usize = 500;

/// The Nash average of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct NashAverage {
    /// The share of each player in the mixture; they sum to 1.
    pub shares: Vec<f64>,
    /// What each player wins against the mixture: 0 for those in it, and less for the others.
    pub skills: Vec<f64>,
}

impl NashAverage {
    /// The Nash average of a field from what each player (row) wins against each (column): above 0 if
    /// it is ahead. What one wins the other loses; only the upper triangle is read.
    ///
    /// ```
    /// # use leitai_ladder::nash::NashAverage;
    /// // Rock, paper, scissors, and another scissors.
    /// let field = [
    ///     vec![0.0, -1.0, 1.0, 1.0],
    ///     vec![1.0, 0.0, -1.0, -1.0],
    ///     vec![-1.0, 1.0, 0.0, 0.0],
    ///     vec![-1.0, 1.0, 0.0, 0.0],
    /// ];
    /// let shares = NashAverage::of_payoffs(&field).shares;
    /// let third = 1.0 / 3.0;
    /// for (share, expected) in shares.iter().zip([third, third, third / 2.0, third / 2.0]) {
    ///     assert!((share - expected).abs() < 1e-6);
    /// }
    /// ```
    pub fn of_payoffs(payoffs: &[Vec<f64>]) -> NashAverage {
        let size = payoffs.len();
        if size == 0 {
            return NashAverage {
                shares: Vec::new(),
                skills: Vec::new(),
            };
        }
        let entry = |row: usize, column: usize| match row.cmp(&column) {
            std::cmp::Ordering::Less => payoffs[row][column],
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => -payoffs[column][row],
        };
        let row = |row| (0..size).map(|column| entry(row, column)).collect();
        let mut payoffs: Vec<Vec<f64>> = (0..size).map(row).collect();
        let all = payoffs.iter().flatten();
        let most = all.fold(0.0, |most: f64, one| most.max(one.abs()));
        if most > 0.0 {
            payoffs.iter_mut().flatten().for_each(|one| *one /= most);
        }
        let found = Search::new(&payoffs).run();
        let level = level_out(&payoffs, &found);
        let best = |shares: &Vec<f64>| multiply(&payoffs, shares).into_iter().fold(0.0, f64::max);
        let is_near = level
            .iter()
            .zip(&found)
            .all(|(one, other)| (one - other).abs() < NEAR);
        let shares = match is_near && best(&level) < best(&found) {
            true => level,
            false => found,
        };
        let skills = multiply(&payoffs, &shares).into_iter();
        NashAverage {
            skills: skills.map(|skill| skill * most).collect(),
            shares,
        }
    }
}

/// The slack while the barrier has this weight: so the prices stay near 1.
fn slack(barrier: f64) -> f64 {
    barrier.max(SLACK)
}

/// The matrix times a column.
fn multiply(matrix: &[Vec<f64>], column: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, column)).collect()
}

/// The mixture moved by as little as possible, so that nobody in it wins anything against it and the
/// shares sum to 1.
fn level_out(payoffs: &[Vec<f64>], shares: &[f64]) -> Vec<f64> {
    /// Who has less is not in the mixture.
    const LEAST: f64 = 1e-7;
    let inside: Vec<usize> = (0..shares.len()).filter(|at| shares[*at] > LEAST).collect();
    let mut level: Vec<f64> = vec![0.0; shares.len()];
    inside.iter().for_each(|at| level[*at] = shares[*at]);
    for _ in 0..3 {
        let won = multiply(payoffs, &level);
        let short = 1.0 - level.iter().sum::<f64>();
        let missing: Vec<f64> = (inside.iter().map(|at| -won[*at])).chain([short]).collect();
        // What each player's share does to what the others win, and to the sum.
        let effect = |at: &usize| -> Vec<f64> {
            let others = inside.iter().map(|other| payoffs[*other][*at]);
            others.chain([1.0]).collect()
        };
        let scaled = |at: &usize| {
            effect(at)
                .iter()
                .map(|one| level[*at].sqrt() * one)
                .collect()
        };
        let curve = Curve::new(inside.iter().map(scaled).collect(), 1e-15);
        let pull = curve.solve(&missing);
        for at in &inside {
            level[*at] *= (1.0 + dot(&effect(at), &pull)).max(0.0);
        }
    }
    level
}

/// A search for the prices of the conditions "no player wins more than the slack against the mixture":
/// the mixture of maximum entropy follows from them. They minimise the logarithm of a sum of
/// exponentials, which is convex; a barrier that falls keeps them above 0.
struct Search<'a> {
    payoffs: &'a [Vec<f64>],
    prices: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(payoffs: &'a [Vec<f64>]) -> Search<'a> {
        let prices = vec![1.0; payoffs.len()];
        Search { payoffs, prices }
    }

    fn run(mut self) -> Vec<f64> {
        let mut barrier = 1.0;
        for _ in 0..MOST_STEPS {
            let shares = self.mixture();
            let (step, promise) = self.find_step(&shares, barrier);
            if !promise.is_finite() {
                break;
            }
            let has_moved = self.take(&step, barrier, promise);
            let is_near = promise < 0.1 * barrier || !has_moved;
            match is_near {
                true if barrier <= LAST_BARRIER && (!has_moved || promise < 1e-6 * barrier) => {
                    break;
                }
                true => barrier = (0.2 * barrier).max(LAST_BARRIER),
                false => {}
            }
        }
        self.mixture()
    }

    /// The exponents of the shares: what each player would lose at these prices.
    fn exponents(&self, prices: &[f64]) -> Vec<f64> {
        // The transposed matrix is the negative one.
        multiply(self.payoffs, prices)
    }

    /// The mixture that follows from the prices.
    fn mixture(&self) -> Vec<f64> {
        let exponents = self.exponents(&self.prices);
        let most = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let parts: Vec<f64> = exponents.iter().map(|one| (one - most).exp()).collect();
        let sum: f64 = parts.iter().sum();
        parts.iter().map(|part| part / sum).collect()
    }

    /// What is minimised.
    fn cost(&self, prices: &[f64], barrier: f64) -> f64 {
        let exponents = self.exponents(prices);
        let most = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = exponents.iter().map(|one| (one - most).exp()).sum();
        let own = prices
            .iter()
            .map(|price| slack(barrier) * price - barrier * price.ln());
        most + sum.ln() + own.sum::<f64>()
    }

    /// Newton's direction as parts of the prices, and how much it promises, twice.
    fn find_step(&self, shares: &[f64], barrier: f64) -> (Vec<f64>, f64) {
        let won = multiply(self.payoffs, shares);
        let prices = self.prices.iter().zip(&won);
        // The slope, times the price: the sum of the exponentials falls by what is won.
        let downhill: Vec<f64> = prices
            .map(|(price, won)| barrier - price * (slack(barrier) - won))
            .collect();
        let spread = shares.iter().enumerate().map(|(player, share)| {
            let lines = self.payoffs.iter().zip(&won).zip(&self.prices);
            let apart = lines.map(|((line, won), price)| price * (line[player] - won));
            apart.map(|apart| share.sqrt() * apart).collect()
        });
        let curve = Curve::new(spread.collect(), barrier);
        let step = curve.solve(&downhill);
        let promise = dot(&step, &downhill);
        (step, promise)
    }

    /// Goes along a direction as far as it helps. Returns whether it went at all.
    fn take(&mut self, step: &[f64], barrier: f64, promise: f64) -> bool {
        let least = step.iter().copied().fold(0.0, f64::min);
        let mut far = if least < -0.9 { -0.9 / least } else { 1.0 };
        let before = self.cost(&self.prices, barrier);
        for _ in 0..40 {
            let prices = self.prices.iter().zip(step);
            let prices: Vec<f64> = prices
                .map(|(price, part)| price * (1.0 + far * part))
                .collect();
            // What is too little for the digits of a cost is left to Newton.
            let is_fine = promise < 1e-11
                || self.cost(&prices, barrier) <= before - 1e-4 * far * promise + 1e-15;
            if is_fine {
                self.prices = prices;
                return true;
            }
            far /= 2.0;
        }
        false
    }
}

/// A positive matrix: the sum of the squares of these rows, and a little on its diagonal.
struct Curve {
    rows: Vec<Vec<f64>>,
    little: f64,
    /// Cholesky's factor, in the lower triangle.
    factor: Vec<Vec<f64>>,
}

impl Curve {
    fn new(rows: Vec<Vec<f64>>, little: f64) -> Curve {
        let size = rows.first().map_or(0, Vec::len);
        let mut factor = vec![vec![0.0; size]; size];
        for row in &rows {
            for at in (0..size).filter(|at| row[*at] != 0.0) {
                let pairs = factor[at][..=at].iter_mut().zip(row);
                pairs.for_each(|(sum, other)| *sum += row[at] * other);
            }
        }
        for column in 0..size {
            let (_, below) = factor.split_at_mut(column);
            let Some((first, rest)) = below.split_first_mut() else {
                break;
            };
            let square = first[column] + little - dot(&first[..column], &first[..column]);
            first[column] = square.max(little).sqrt();
            for row in rest {
                let product = dot(&row[..column], &first[..column]);
                row[column] = (row[column] - product) / first[column];
            }
        }
        Curve {
            rows,
            little,
            factor,
        }
    }

    /// The matrix times a column.
    fn times(&self, column: &[f64]) -> Vec<f64> {
        let mut result: Vec<f64> = column.iter().map(|one| self.little * one).collect();
        for row in &self.rows {
            let along = dot(row, column);
            let parts = result.iter_mut().zip(row);
            parts.for_each(|(sum, one)| *sum += along * one);
        }
        result
    }

    /// The column that the matrix turns into this one: by conjugate gradients, because the factor has
    /// lost digits where rows are nearly alike.
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        const ROUNDS: usize = 8;
        let mut result = vec![0.0; right.len()];
        let mut rest = right.to_vec();
        let mut near = self.solve_nearly(&rest);
        let mut direction = near.clone();
        for _ in 0..ROUNDS {
            let turned = self.times(&direction);
            let (gain, curve) = (dot(&rest, &near), dot(&direction, &turned));
            let far = gain / curve;
            if !far.is_finite() || gain <= 0.0 {
                break;
            }
            let moves = result.iter_mut().zip(&direction);
            moves.for_each(|(sum, one)| *sum += far * one);
            let falls = rest.iter_mut().zip(&turned);
            falls.for_each(|(rest, one)| *rest -= far * one);
            near = self.solve_nearly(&rest);
            let keep = dot(&rest, &near) / gain;
            let turns = direction.iter_mut().zip(&near);
            turns.for_each(|(old, new)| *old = new + keep * *old);
        }
        result
    }

    /// Solves with the factor.
    fn solve_nearly(&self, right: &[f64]) -> Vec<f64> {
        let (factor, size) = (&self.factor, right.len());
        let mut right = right.to_vec();
        for row in 0..size {
            let known = dot(&factor[row][..row], &right[..row]);
            right[row] = (right[row] - known) / factor[row][row];
        }
        for row in (0..size).rev() {
            right[row] /= factor[row][row];
            let own = right[row];
            let above = right[..row].iter_mut().zip(&factor[row]);
            above.for_each(|(sum, one)| *sum -= own * one);
        }
        right
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}
