//! Equilibria of small zero-sum matrix games: what simultaneous moves are worth and how often each
//! of them should be played.
//!
//! [`solve_matrix`] is exact; [`match_regrets`] approaches the equilibrium step by step and suits
//! searches in which the values still change.

/// A payoff matrix: the row player gets the value, the column player loses it.
#[derive(Clone, Debug, PartialEq)]
pub struct PayoffMatrix {
    rows: usize,
    cols: usize,
    /// Row by row.
    values: Vec<f64>,
}

/// Optimal play of both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Equilibrium {
    /// What the row player gets on average.
    pub value: f64,
    /// How often the row player plays each row.
    pub row: Vec<f64>,
    /// How often the column player plays each column.
    pub col: Vec<f64>,
}

impl PayoffMatrix {
    /// A matrix from its values, row by row. `None` unless there is at least one row and one
    /// column, and as many finite values as cells.
    pub fn new(rows: usize, cols: usize, values: Vec<f64>) -> Option<PayoffMatrix> {
        let is_sound = rows > 0
            && cols > 0
            && rows.checked_mul(cols) == Some(values.len())
            && values.iter().all(|value| value.is_finite());
        is_sound.then_some(PayoffMatrix { rows, cols, values })
    }

    /// The value of a row against a column.
    pub fn value(&self, row: usize, col: usize) -> f64 {
        self.values[row * self.cols + col]
    }

    /// The value of each row against a mixture of columns.
    pub fn row_values(&self, col: &[f64]) -> Vec<f64> {
        let of = |row| (0..self.cols).map(|at| self.value(row, at) * col[at]).sum();
        (0..self.rows).map(of).collect()
    }

    /// The value of each column against a mixture of rows.
    pub fn col_values(&self, row: &[f64]) -> Vec<f64> {
        let of = |col| (0..self.rows).map(|at| self.value(at, col) * row[at]).sum();
        (0..self.cols).map(of).collect()
    }

    /// How much the two sides together can gain by leaving these mixtures: 0 in an equilibrium.
    pub fn exploitability(&self, equilibrium: &Equilibrium) -> f64 {
        let best_row = self
            .row_values(&equilibrium.col)
            .into_iter()
            .fold(f64::MIN, f64::max);
        let best_col = self
            .col_values(&equilibrium.row)
            .into_iter()
            .fold(f64::MAX, f64::min);
        best_row - best_col
    }
}

/// The exact equilibrium, by the simplex method (up to rounding). A saddle point in pure strategies
/// is preferred where there is one.
///
/// ```
/// use leitai_search::matrix::{PayoffMatrix, solve_matrix};
/// // Rock, paper, scissors.
/// let values = vec![0.0, -1.0, 1.0, 1.0, 0.0, -1.0, -1.0, 1.0, 0.0];
/// let game = PayoffMatrix::new(3, 3, values).expect("three by three");
/// let equilibrium = solve_matrix(&game);
/// assert!(equilibrium.value.abs() < 1e-9);
/// assert!(equilibrium.row.iter().all(|share| (share - 1.0 / 3.0).abs() < 1e-9));
/// ```
pub fn solve_matrix(game: &PayoffMatrix) -> Equilibrium {
    find_saddle(game).unwrap_or_else(|| solve_mixed(game))
}

/// A row and a column of which neither side wants to leave its own.
fn find_saddle(game: &PayoffMatrix) -> Option<Equilibrium> {
    let worst = |row: &usize| {
        (0..game.cols)
            .map(|col| game.value(*row, col))
            .fold(f64::MAX, f64::min)
    };
    let best = |col: &usize| {
        (0..game.rows)
            .map(|row| game.value(row, *col))
            .fold(f64::MIN, f64::max)
    };
    let row = (0..game.rows).max_by(|a, b| worst(a).total_cmp(&worst(b)))?;
    let col = (0..game.cols).min_by(|a, b| best(a).total_cmp(&best(b)))?;
    let pure = |chosen: usize, count: usize| {
        (0..count)
            .map(|at| f64::from(u8::from(at == chosen)))
            .collect()
    };
    (worst(&row) >= best(&col)).then(|| Equilibrium {
        value: game.value(row, col),
        row: pure(row, game.rows),
        col: pure(col, game.cols),
    })
}

/// The linear programme of the column player on the values raised above 0: maximise the sum of y
/// under A y <= 1. The row player's mixture stands in the objective row, as the dual solution.
fn solve_mixed(game: &PayoffMatrix) -> Equilibrium {
    let lowest = game.values.iter().copied().fold(f64::MAX, f64::min);
    let mut tableau = Tableau::new(game, 1.0 - lowest);
    // Bland's rule never cycles; the bound only guards against rounding.
    for _ in 0..64 * (game.rows + game.cols) {
        let Some((row, col)) = tableau.find_pivot() else {
            break;
        };
        tableau.pivot(row, col);
    }
    let total = tableau.objective();
    let normed = |shares: Vec<f64>| -> Vec<f64> {
        let sum: f64 = shares.iter().sum();
        shares.iter().map(|share| share / sum).collect()
    };
    Equilibrium {
        value: 1.0 / total - 1.0 + lowest,
        row: normed(tableau.dual_solution()),
        col: normed(tableau.solution()),
    }
}

/// The tableau of the simplex method: columns are the variables, the slacks and the right side; the
/// last row is the objective.
struct Tableau {
    rows: usize,
    cols: usize,
    width: usize,
    cells: Vec<f64>,
    basis: Vec<usize>,
}

/// What counts as nothing.
const EPSILON: f64 = 1e-12;

impl Tableau {
    fn new(game: &PayoffMatrix, raise: f64) -> Tableau {
        let (rows, cols) = (game.rows, game.cols);
        let width = rows + cols + 1;
        let mut cells = vec![0.0; (rows + 1) * width];
        for row in 0..rows {
            for col in 0..cols {
                cells[row * width + col] = game.value(row, col) + raise;
            }
            cells[row * width + cols + row] = 1.0;
            cells[row * width + width - 1] = 1.0;
        }
        cells[rows * width..rows * width + cols].fill(-1.0);
        Tableau {
            rows,
            cols,
            width,
            cells,
            basis: (cols..cols + rows).collect(),
        }
    }

    fn at(&self, row: usize, col: usize) -> f64 {
        self.cells[row * self.width + col]
    }

    /// The next exchange by Bland's rule.
    fn find_pivot(&self) -> Option<(usize, usize)> {
        let right = self.width - 1;
        let col = (0..right).find(|col| self.at(self.rows, *col) < -EPSILON)?;
        let ratio = |row: usize| self.at(row, right) / self.at(row, col);
        let row = (0..self.rows)
            .filter(|row| self.at(*row, col) > EPSILON)
            .min_by(|a, b| {
                ratio(*a)
                    .total_cmp(&ratio(*b))
                    .then(self.basis[*a].cmp(&self.basis[*b]))
            })?;
        Some((row, col))
    }

    fn pivot(&mut self, row: usize, col: usize) {
        let scale = self.at(row, col);
        let pivot: Vec<f64> = (0..self.width).map(|at| self.at(row, at) / scale).collect();
        for other in 0..=self.rows {
            let factor = self.at(other, col);
            let line = &mut self.cells[other * self.width..(other + 1) * self.width];
            if other == row {
                line.copy_from_slice(&pivot);
            } else {
                line.iter_mut()
                    .zip(&pivot)
                    .for_each(|(cell, by)| *cell -= factor * by);
            }
        }
        self.basis[row] = col;
    }

    fn objective(&self) -> f64 {
        self.at(self.rows, self.width - 1)
    }

    fn solution(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.cols];
        for (row, variable) in self.basis.iter().enumerate() {
            if let Some(share) = shares.get_mut(*variable) {
                *share = self.at(row, self.width - 1).max(0.0);
            }
        }
        shares
    }

    fn dual_solution(&self) -> Vec<f64> {
        (0..self.rows)
            .map(|row| self.at(self.rows, self.cols + row).max(0.0))
            .collect()
    }
}

/// An approximate equilibrium by so many rounds of regret matching (the "plus" form: regrets do
/// not fall below 0, and later rounds count more). The error falls about as 1 / rounds in practice.
pub fn match_regrets(game: &PayoffMatrix, rounds: u32) -> Equilibrium {
    let mut row = RegretMatcher::new(game.rows);
    let mut col = RegretMatcher::new(game.cols);
    for round in 1..=rounds.max(1) {
        // One after the other: each side answers what the other has just learnt.
        let weight = f64::from(round);
        let (row_now, col_now) = (row.strategy(), col.strategy());
        row.add(&row_now, &game.row_values(&col_now), weight);
        let losses = game.col_values(&row.strategy());
        let gains: Vec<f64> = losses.iter().map(|loss| -loss).collect();
        col.add(&col_now, &gains, weight);
    }
    let (row, col) = (row.average(), col.average());
    let value = game
        .row_values(&col)
        .iter()
        .zip(&row)
        .map(|(value, share)| value * share)
        .sum();
    Equilibrium { value, row, col }
}

/// One side's regrets: how much better each choice would have been than what was played.
struct RegretMatcher {
    regrets: Vec<f64>,
    played: Vec<f64>,
}

impl RegretMatcher {
    fn new(choices: usize) -> RegretMatcher {
        RegretMatcher {
            regrets: vec![0.0; choices],
            played: vec![0.0; choices],
        }
    }

    fn strategy(&self) -> Vec<f64> {
        share_out(&self.regrets)
    }

    fn average(&self) -> Vec<f64> {
        share_out(&self.played)
    }

    fn add(&mut self, played: &[f64], gains: &[f64], weight: f64) {
        let got: f64 = gains
            .iter()
            .zip(played)
            .map(|(gain, share)| gain * share)
            .sum();
        for choice in 0..gains.len() {
            self.regrets[choice] = (self.regrets[choice] + gains[choice] - got).max(0.0);
            self.played[choice] += weight * played[choice];
        }
    }
}

/// The weights as shares of their sum; equal shares if they are all 0.
fn share_out(weights: &[f64]) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    let equal = 1.0 / weights.len() as f64;
    weights
        .iter()
        .map(|weight| if sum > 0.0 { weight / sum } else { equal })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use leitai_game::Rng;

    fn matrix(rows: usize, cols: usize, values: &[f64]) -> PayoffMatrix {
        PayoffMatrix::new(rows, cols, values.to_vec()).expect("sound")
    }

    #[track_caller]
    fn check(game: &PayoffMatrix, value: f64, row: &[f64], col: &[f64]) {
        let found = solve_matrix(game);
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!((found.value - value).abs() < 1e-9, "{found:?}");
        assert!(near(&found.row, row) && near(&found.col, col), "{found:?}");
    }

    #[test]
    fn known_games_have_their_known_equilibria() {
        let half = [0.5, 0.5];
        check(&matrix(2, 2, &[1.0, -1.0, -1.0, 1.0]), 0.0, &half, &half);
        check(
            &matrix(2, 2, &[3.0, -1.0, -2.0, 1.0]),
            1.0 / 7.0,
            &[3.0 / 7.0, 4.0 / 7.0],
            &[2.0 / 7.0, 5.0 / 7.0],
        );
        // A saddle point.
        check(
            &matrix(2, 3, &[4.0, 2.0, 3.0, 1.0, 0.0, 5.0]),
            2.0,
            &[1.0, 0.0],
            &[0.0, 1.0, 0.0],
        );
        check(&matrix(1, 1, &[-7.5]), -7.5, &[1.0], &[1.0]);
        // Rock beats scissors by 2.
        let rock = matrix(3, 3, &[0.0, -1.0, 2.0, 1.0, 0.0, -1.0, -2.0, 1.0, 0.0]);
        check(&rock, 0.0, &[0.25, 0.5, 0.25], &[0.25, 0.5, 0.25]);
    }

    #[test]
    fn nobody_gains_by_leaving_an_equilibrium() {
        let mut rng = Rng::new(1);
        for case in 0..300 {
            let (rows, cols) = (1 + rng.next_below(6), 1 + rng.next_below(6));
            let values: Vec<f64> = (0..rows * cols)
                .map(|_| rng.next_below(9) as f64 - 4.0)
                .collect();
            let game = matrix(rows, cols, &values);
            let found = solve_matrix(&game);
            assert!(
                game.exploitability(&found) < 1e-9,
                "{case}: {game:?} {found:?}"
            );
            assert!((found.row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let near = match_regrets(&game, 2000);
            assert!(
                game.exploitability(&near) < 0.05,
                "{case}: {game:?} {near:?}"
            );
            assert!(
                (near.value - found.value).abs() < 0.1,
                "{case}: {near:?} {found:?}"
            );
        }
    }

    #[test]
    fn unsound_matrices_are_refused() {
        assert!(PayoffMatrix::new(0, 2, vec![]).is_none());
        assert!(PayoffMatrix::new(2, 2, vec![1.0; 3]).is_none());
        assert!(PayoffMatrix::new(1, 1, vec![f64::NAN]).is_none());
    }
}
