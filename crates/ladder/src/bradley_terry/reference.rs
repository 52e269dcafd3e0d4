//! The solver as it was before it was made for big fields: the likelihood, its gradient and its
//! curvature each as the model states them, pair by pair. The tests compare the two.

use crate::bradley_terry::{Chances, DRAW_PRIOR, Results, ridge_weight};
use crate::elo::PER_LOGIT;
use crate::result::ScoreTally;

/// The most likely ratings of a field.
pub struct ReferenceFit {
    /// The ratings, and behind them the logarithm of the weight of draws.
    pub point: Vec<f64>,
    /// The logarithm of the likelihood.
    pub log_likelihood: f64,
    games: Vec<PairEdge>,
}

/// Two players who met.
struct PairEdge {
    one: usize,
    other: usize,
    tally: ScoreTally,
}

impl ReferenceFit {
    /// Newton's method with a step that never makes the results less likely; the likelihood is
    /// concave, so that it cannot lead astray.
    pub fn new(field: &Results) -> ReferenceFit {
        let games: Vec<PairEdge> = field
            .met_pairs()
            .map(|(one, other, tally)| PairEdge { one, other, tally })
            .collect();
        let players = field.player_count();
        let mut point = vec![0.0; players + 1];
        point[players] = DRAW_PRIOR.0;
        let mut fit = ReferenceFit {
            point,
            games,
            log_likelihood: 0.0,
        };
        fit.log_likelihood = fit.log_likelihood_at(&fit.point);
        for _ in 0..100 {
            if !fit.improve_once() {
                break;
            }
        }
        let mean = fit.ratings().iter().sum::<f64>() / players.max(1) as f64;
        fit.point[..players]
            .iter_mut()
            .for_each(|rating| *rating -= mean);
        fit
    }

    fn player_count(&self) -> usize {
        self.point.len() - 1
    }

    fn ratings(&self) -> &[f64] {
        &self.point[..self.player_count()]
    }

    fn win_chances(&self, one: usize, other: usize) -> Chances {
        Chances::from_difference(
            self.point[one] - self.point[other],
            self.point[self.player_count()],
        )
    }

    /// The standard error of a contrast of ratings, in Elo.
    pub fn error_of(&self, contrast: &[f64]) -> f64 {
        let solved = self.solve_system(contrast, 1e-7);
        dot_product(&solved, contrast).max(0.0).sqrt() * PER_LOGIT
    }

    /// One step of Newton's method; returns whether it improved the likelihood.
    fn improve_once(&mut self) -> bool {
        let gradient = self.compute_gradient();
        let size = vector_norm(&gradient);
        if size < 1e-10 * (1.0 + self.games.len() as f64) {
            return false;
        }
        let step = self.solve_system(&gradient, (size.sqrt() * 0.1).clamp(1e-8, 0.1));
        let mut length = 1.0;
        while length > 1e-6 {
            let next: Vec<f64> = self
                .point
                .iter()
                .zip(&step)
                .map(|(at, by)| at + length * by)
                .collect();
            let log_likelihood = self.log_likelihood_at(&next);
            if log_likelihood >= self.log_likelihood {
                let gained = log_likelihood - self.log_likelihood;
                (self.point, self.log_likelihood) = (next, log_likelihood);
                return gained > 1e-14 * (1.0 + log_likelihood.abs()) || size > 1e-6;
            }
            length /= 2.0;
        }
        false
    }

    fn log_likelihood_at(&self, point: &[f64]) -> f64 {
        let draw = point[self.player_count()];
        let games = self.games.iter().map(|edge| {
            let chances = Chances::from_difference(point[edge.one] - point[edge.other], draw);
            log_likelihood(chances, edge.tally)
        });
        let prior = |rating: &f64| -rating * rating * ridge_weight() / 2.0;
        let draws = -((draw - DRAW_PRIOR.0) / DRAW_PRIOR.1).powi(2) / 2.0;
        games.sum::<f64>() + point[..self.player_count()].iter().map(prior).sum::<f64>() + draws
    }

    fn compute_gradient(&self) -> Vec<f64> {
        let draw = self.player_count();
        let mut gradient: Vec<f64> = self
            .point
            .iter()
            .map(|rating| -rating * ridge_weight())
            .collect();
        gradient[draw] = (DRAW_PRIOR.0 - self.point[draw]) / DRAW_PRIOR.1.powi(2);
        for edge in &self.games {
            let (chances, tally) = (self.win_chances(edge.one, edge.other), edge.tally);
            let games = f64::from(tally.game_count());
            let seen = f64::from(tally.wins) - f64::from(tally.losses);
            let pull = (seen - games * (chances.win - chances.loss)) / 2.0;
            gradient[edge.one] += pull;
            gradient[edge.other] -= pull;
            gradient[draw] += f64::from(tally.draws) - games * chances.draw;
        }
        gradient
    }

    /// Solves `curvature x = right` by conjugate gradients, preconditioned by the diagonal.
    fn solve_system(&self, right: &[f64], tolerance: f64) -> Vec<f64> {
        let bends: Vec<[f64; 3]> = self
            .games
            .iter()
            .map(|edge| self.second_derivatives(edge))
            .collect();
        let diagonal = self.hessian_diagonal(&bends);
        let scaled =
            |rest: &[f64]| -> Vec<f64> { rest.iter().zip(&diagonal).map(|(r, d)| r / d).collect() };
        let (mut solved, mut rest) = (vec![0.0; right.len()], right.to_vec());
        let mut toward = scaled(&rest);
        let mut power = dot_product(&rest, &toward);
        let enough = vector_norm(right) * tolerance;
        for _ in 0..4 * right.len() + 100 {
            if vector_norm(&rest) <= enough {
                break;
            }
            let bent = self.multiply_hessian(&bends, &toward);
            let length = power / dot_product(&toward, &bent);
            solved
                .iter_mut()
                .zip(&toward)
                .for_each(|(at, by)| *at += length * by);
            rest.iter_mut()
                .zip(&bent)
                .for_each(|(at, by)| *at -= length * by);
            let next = scaled(&rest);
            let next_power = dot_product(&rest, &next);
            let turn = next_power / power;
            toward
                .iter_mut()
                .zip(&next)
                .for_each(|(at, new)| *at = new + turn * *at);
            power = next_power;
        }
        solved
    }

    /// The second derivatives of one pair's likelihood: by the difference, by the weight of draws,
    /// and mixed.
    fn second_derivatives(&self, edge: &PairEdge) -> [f64; 3] {
        let chances = self.win_chances(edge.one, edge.other);
        let games = f64::from(edge.tally.game_count());
        let along_draw = chances.draw * (1.0 - chances.draw);
        let across = -(chances.win - chances.loss) / 2.0 * chances.draw;
        [
            games * chances.fisher_information(),
            games * along_draw,
            games * across,
        ]
    }

    fn hessian_diagonal(&self, bends: &[[f64; 3]]) -> Vec<f64> {
        let draw = self.player_count();
        let mut diagonal = vec![ridge_weight(); draw + 1];
        diagonal[draw] = DRAW_PRIOR.1.powi(-2);
        for (edge, bend) in self.games.iter().zip(bends) {
            diagonal[edge.one] += bend[0];
            diagonal[edge.other] += bend[0];
            diagonal[draw] += bend[1];
        }
        diagonal
    }

    fn multiply_hessian(&self, bends: &[[f64; 3]], at: &[f64]) -> Vec<f64> {
        let draw = self.player_count();
        let mut curved: Vec<f64> = at.iter().map(|value| value * ridge_weight()).collect();
        curved[draw] = at[draw] / DRAW_PRIOR.1.powi(2);
        for (edge, [along, along_draw, across]) in self.games.iter().zip(bends) {
            let difference = at[edge.one] - at[edge.other];
            let pull = along * difference + across * at[draw];
            curved[edge.one] += pull;
            curved[edge.other] -= pull;
            curved[draw] += along_draw * at[draw] + across * difference;
        }
        curved
    }
}

fn log_likelihood(chances: Chances, tally: ScoreTally) -> f64 {
    let part = |count: u32, chance: f64| match count {
        0 => 0.0,
        _ => f64::from(count) * chance.max(1e-300).ln(),
    };
    part(tally.wins, chances.win)
        + part(tally.draws, chances.draw)
        + part(tally.losses, chances.loss)
}

fn dot_product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

fn vector_norm(vector: &[f64]) -> f64 {
    dot_product(vector, vector).sqrt()
}
