//! Ratings of a whole field by maximum likelihood: the model of Bradley and Terry with draws as
//! Davidson has them.
//!
//! With `x` the difference of two ratings and `n` the weight of draws, a win, a draw and a loss
//! have chances in the proportion `exp(x/2) : n : exp(-x/2)`. Ratings and the weight of draws are
//! fitted together. A prior so wide that it moves nothing that has been measured keeps them finite
//! where someone won, or lost, every game. Sources: R. A. Bradley and M. E. Terry, Biometrika 39
//! (1952); R. R. Davidson, JASA 65 (1970).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::elo::PER_LOGIT;
use crate::normal::{normal_cdf, two_sided};
use crate::result::{GameScore, ScoreTally};

/// The standard deviation of the prior, in Elo.
const PRIOR: f64 = 1500.0;
/// The logarithm of the weight of draws before any game: its middle and how far that reaches.
const DRAW_PRIOR: (f64, f64) = (-2.0, 4.0);

/// How exactly errors are solved for, against what is asked.
const SOLVED: f64 = 1e-7;
/// Most players whose places are looked at pair by pair.
const SMALL: usize = 24;

/// The results between all players. The order of games does not matter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    players: usize,
    games: BTreeMap<(usize, usize), ScoreTally>,
}

impl Results {
    /// Results of this number of players, without games.
    pub fn new(players: usize) -> Results {
        Results {
            players,
            games: BTreeMap::new(),
        }
    }

    /// The number of players.
    pub fn player_count(&self) -> usize {
        self.players
    }

    /// Counts one game of `one` against `other`.
    pub fn add_game(&mut self, one: usize, other: usize, score: GameScore) {
        let mut tally = ScoreTally::default();
        tally.count_game(score);
        self.add_tally(one, other, tally);
    }

    /// Counts many games; games against oneself carry no information and are ignored.
    pub fn add_tally(&mut self, one: usize, other: usize, tally: ScoreTally) {
        assert!(
            one.max(other) < self.players,
            "player {} of {}",
            one.max(other),
            self.players
        );
        let (pair, tally) = if one < other {
            ((one, other), tally)
        } else {
            ((other, one), tally.flip_side())
        };
        if one != other {
            *self.games.entry(pair).or_default() += tally;
        }
    }

    /// The games of `one` against `other`.
    pub fn tally_between(&self, one: usize, other: usize) -> ScoreTally {
        let of = |pair| self.games.get(&pair).copied().unwrap_or_default();
        if one < other {
            of((one, other))
        } else {
            of((other, one)).flip_side()
        }
    }

    /// All games of a player.
    pub fn tally_of(&self, player: usize) -> ScoreTally {
        self.games.iter().fold(
            ScoreTally::default(),
            |sum, ((one, other), tally)| match player {
                _ if player == *one => sum + *tally,
                _ if player == *other => sum + tally.flip_side(),
                _ => sum,
            },
        )
    }

    /// Pairs that have met, and their games.
    pub fn met_pairs(&self) -> impl Iterator<Item = (usize, usize, ScoreTally)> + '_ {
        self.games
            .iter()
            .map(|((one, other), tally)| (*one, *other, *tally))
    }

    /// The most likely ratings.
    pub fn fit_ratings(&self) -> Fit {
        Fit::new(self, &|player| player)
    }

    /// The best and the worst place each player can have: players who are surely better stand
    /// before it, players who are surely worse behind it. Surely is judged by the ratings' errors
    /// or, in a small field, by the likelihood of an equal strength, because errors are too wide
    /// for players who hardly ever lost.
    pub fn place_intervals(&self, confidence: f64) -> Vec<[usize; 2]> {
        let (fit, sure) = (self.fit_ratings(), two_sided(confidence));
        let covariances = fit.covariance_matrix();
        let clearly = |one: usize, other: usize| {
            let variance =
                covariances[one][one] + covariances[other][other] - 2.0 * covariances[one][other];
            let gap = fit.point[one] - fit.point[other];
            one != other
                && gap > 0.0
                && (gap > sure * variance.max(0.0).sqrt()
                    || (self.players <= SMALL
                        && self.evidence_between(one, other) > sure * sure / 2.0))
        };
        let all: Vec<usize> = (0..self.players).collect();
        let over: Vec<Vec<bool>> = all
            .iter()
            .map(|one| all.iter().map(|other| clearly(*one, *other)).collect())
            .collect();
        let place = |player: &usize| {
            let better = all.iter().filter(|other| over[**other][*player]).count();
            let worse = over[*player].iter().filter(|clear| **clear).count();
            [better + 1, self.players - worse]
        };
        all.iter().map(place).collect()
    }

    /// By how much the results are more likely with the ratings that fit them best than with `one`
    /// and `other` equally strong: the logarithm of the generalised likelihood ratio, never
    /// negative.
    pub fn evidence_between(&self, one: usize, other: usize) -> f64 {
        let tied = Fit::new(self, &|player| if player == other { one } else { player });
        (self.fit_ratings().log_likelihood - tied.log_likelihood).max(0.0)
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

    /// The chance that the true value is positive.
    pub fn chance_positive(&self) -> f64 {
        normal_cdf(self.value / self.error)
    }
}

/// The most likely ratings of a field.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The ratings in natural logarithms of odds, and behind them the logarithm of the weight of
    /// draws.
    point: Vec<f64>,
    games: Vec<PairEdge>,
    log_likelihood: f64,
}

/// Two players who met.
#[derive(Clone, Copy, Debug)]
struct PairEdge {
    one: usize,
    other: usize,
    tally: ScoreTally,
}

/// Chances of a win, a draw and a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// Of a win.
    pub win: f64,
    /// Of a draw.
    pub draw: f64,
    /// Of a loss.
    pub loss: f64,
}

impl Chances {
    /// The chances from a difference of ratings and the logarithm of the weight of draws, both in
    /// logits.
    fn from_difference(difference: f64, draw: f64) -> Chances {
        let parts = [difference / 2.0, draw, -difference / 2.0];
        let most = parts.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let [win, draw, loss] = parts.map(|part| (part - most).exp());
        let all = win + draw + loss;
        Chances {
            win: win / all,
            draw: draw / all,
            loss: loss / all,
        }
    }

    /// Points expected of one game.
    pub fn expected_points(&self) -> f64 {
        self.win + self.draw / 2.0
    }

    /// The information of a game about the difference (Fisher's information, per logit squared).
    pub fn fisher_information(&self) -> f64 {
        (self.win + self.loss - (self.win - self.loss).powi(2)) / 4.0
    }

    fn log_likelihood(&self, tally: ScoreTally) -> f64 {
        let part = |count: u32, chance: f64| match count {
            0 => 0.0,
            _ => f64::from(count) * chance.max(1e-300).ln(),
        };
        part(tally.wins, self.win) + part(tally.draws, self.draw) + part(tally.losses, self.loss)
    }
}

impl Fit {
    /// Newton's method with a step that never makes the results less likely; the likelihood is
    /// concave, so that it cannot lead astray. `stands_for` makes players share a rating.
    fn new(field: &Results, stands_for: &dyn Fn(usize) -> usize) -> Fit {
        let edge = |((one, other), tally): (&(usize, usize), &ScoreTally)| PairEdge {
            one: stands_for(*one),
            other: stands_for(*other),
            tally: *tally,
        };
        let games: Vec<PairEdge> = field.games.iter().map(edge).collect();
        let mut point = vec![0.0; field.players + 1];
        point[field.players] = DRAW_PRIOR.0;
        let mut fit = Fit {
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
        let mean = fit.ratings().iter().sum::<f64>() / field.players.max(1) as f64;
        fit.point[..field.players]
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

    /// The rating against the field's average, in Elo.
    pub fn player_rating(&self, player: usize) -> Estimated {
        let share = -1.0 / self.player_count() as f64;
        let mut contrast = vec![share; self.player_count() + 1];
        contrast[self.player_count()] = 0.0;
        contrast[player] += 1.0;
        self.with_error(self.point[player], &contrast)
    }

    /// The difference of `one` over `other`, in Elo.
    pub fn rating_difference(&self, one: usize, other: usize) -> Estimated {
        let mut contrast = vec![0.0; self.player_count() + 1];
        contrast[one] += 1.0;
        contrast[other] -= 1.0;
        self.with_error(self.point[one] - self.point[other], &contrast)
    }

    /// Chances of a game between two players.
    pub fn win_chances(&self, one: usize, other: usize) -> Chances {
        Chances::from_difference(
            self.point[one] - self.point[other],
            self.point[self.player_count()],
        )
    }

    /// Covariances of the ratings, in logits, row by row.
    pub fn covariance_matrix(&self) -> Vec<Vec<f64>> {
        let unit = |player: usize| {
            let mut unit = vec![0.0; self.player_count() + 1];
            unit[player] = 1.0;
            let mut row = self.solve_system(&unit, SOLVED);
            row.truncate(self.player_count());
            row
        };
        (0..self.player_count()).map(unit).collect()
    }

    fn with_error(&self, value: f64, contrast: &[f64]) -> Estimated {
        let solved = self.solve_system(contrast, SOLVED);
        let variance = dot_product(&solved, contrast).max(0.0);
        Estimated {
            value: value * PER_LOGIT,
            error: variance.sqrt() * PER_LOGIT,
        }
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
            Chances::from_difference(point[edge.one] - point[edge.other], draw)
                .log_likelihood(edge.tally)
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

/// The prior's curvature, per logit squared.
fn ridge_weight() -> f64 {
    (PER_LOGIT / PRIOR).powi(2)
}

fn dot_product(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

fn vector_norm(vector: &[f64]) -> f64 {
    dot_product(vector, vector).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn field(players: usize, games: &[(usize, usize, u32, u32, u32)]) -> Results {
        let mut field = Results::new(players);
        for &(one, other, wins, draws, losses) in games {
            field.add_tally(
                one,
                other,
                ScoreTally {
                    wins,
                    draws,
                    losses,
                },
            );
        }
        field
    }

    /// Citations between four journals of statistics (S. Stigler 1994), fitted in Agresti's
    /// "Categorical Data Analysis" and in the manual of the R package BradleyTerry2: abilities
    /// against Biometrika with their standard errors.
    #[test]
    fn agrees_with_the_published_fit_of_citations() {
        let fit = field(
            4,
            &[
                (0, 1, 730, 0, 33),
                (0, 2, 498, 0, 320),
                (0, 3, 221, 0, 284),
                (1, 2, 68, 0, 813),
                (1, 3, 17, 0, 276),
                (2, 3, 142, 0, 325),
            ],
        )
        .fit_ratings();
        let check = |journal: usize, ability: f64, error: f64| {
            let got = fit.rating_difference(journal, 0);
            assert!(
                (got.value / PER_LOGIT - ability).abs() < 2e-3,
                "{journal}: {got:?}"
            );
            assert!(
                (got.error / PER_LOGIT - error).abs() < 1e-3,
                "{journal}: {got:?}"
            );
        };
        check(1, -2.94907, 0.10255);
        check(2, -0.47957, 0.06059);
        check(3, 0.26895, 0.07083);
    }

    /// With two players the model has a closed form: difference ln(W/L), weight of draws D/sqrt(W
    /// L).
    #[test]
    fn two_players_have_a_closed_form() {
        let fit = field(2, &[(0, 1, 4000, 3000, 1000)]).fit_ratings();
        assert!((fit.rating_difference(0, 1).value - PER_LOGIT * 4.0f64.ln()).abs() < 0.3);
        assert!((fit.point[2] - (3000.0 / 2000.0f64).ln()).abs() < 1e-3);
        let chances = fit.win_chances(0, 1);
        assert!(
            (chances.win - 0.5).abs() < 1e-3 && (chances.expected_points() - 0.6875).abs() < 1e-3
        );
    }

    #[test]
    fn ratings_stay_finite_and_are_marked_when_nothing_was_lost() {
        let fit = field(3, &[(0, 1, 20, 0, 0), (1, 2, 20, 0, 0)]).fit_ratings();
        let top = fit.rating_difference(0, 1);
        assert!(
            top.value.is_finite() && top.value > 400.0 && top.error > 150.0,
            "{top:?}"
        );
        let alone = Results::new(3).fit_ratings().player_rating(1);
        assert!(
            alone.value.abs() < 1e-9 && alone.error > 1000.0,
            "{alone:?}"
        );
        assert!(Results::new(0).place_intervals(0.95).is_empty());
    }

    /// Twenty games won in a row are 2^20 times as likely with a winner who cannot lose as with a
    /// coin.
    #[test]
    fn evidence_is_the_likelihood_ratio() {
        let clear = field(2, &[(0, 1, 20, 0, 0)]).evidence_between(0, 1);
        assert!((clear - 20.0 * 2.0f64.ln()).abs() < 0.5, "{clear}");
        assert!(field(2, &[(0, 1, 20, 0, 20)]).evidence_between(0, 1) < 1e-9);
    }

    #[test]
    fn places_are_ranges_where_the_order_is_open() {
        let check = |games: &[(usize, usize, u32, u32, u32)], expected: [[usize; 2]; 3]| {
            assert_eq!(field(3, games).place_intervals(0.95), expected, "{games:?}");
        };
        check(
            &[(0, 1, 11, 0, 9), (0, 2, 200, 0, 20), (1, 2, 200, 0, 20)],
            [[1, 2], [1, 2], [3, 3]],
        );
        // Nobody loses to one below: errors are wide, the order is plain.
        check(
            &[(0, 1, 20, 0, 0), (1, 2, 20, 0, 0)],
            [[1, 1], [2, 2], [3, 3]],
        );
        check(
            &[(0, 1, 1, 0, 0), (1, 2, 20, 0, 0)],
            [[1, 2], [1, 2], [3, 3]],
        );
    }

    fn any_games() -> impl Strategy<Value = Vec<(usize, usize, u32, u32, u32)>> {
        proptest::collection::vec((0..6usize, 0..6usize, 0..9u32, 0..4u32, 0..9u32), 0..30)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn ratings_sum_to_zero_and_fit_the_points(games in any_games()) {
            let field = field(6, &games);
            let fit = field.fit_ratings();
            prop_assert!(fit.ratings().iter().sum::<f64>().abs() < 1e-6);
            // At the maximum every player's expected points are the points it has, but for the weak
            // prior.
            for player in 0..6 {
                let expected: f64 = (0..6).map(|other| {
                    fit.win_chances(player, other).expected_points() * f64::from(field.tally_between(player, other).game_count())
                }).sum();
                let gap = (expected - field.tally_of(player).points()).abs();
                prop_assert!(gap < 0.02 + 2.0 * ridge_weight() * fit.ratings()[player].abs(), "{player}: {gap}");
            }
        }

        #[test]
        fn the_order_of_games_does_not_matter(games in any_games(), turn in 0..30usize) {
            let one = field(6, &games).fit_ratings();
            let mut other = games.clone();
            other.reverse();
            other.rotate_left(turn % games.len().max(1));
            let turned: Vec<_> = other.into_iter().map(|(a, b, w, d, l)| (b, a, l, d, w)).collect();
            prop_assert_eq!(one.point, field(6, &turned).fit_ratings().point);
        }

        #[test]
        fn renaming_the_players_renames_the_ratings(games in any_games()) {
            let fit = field(6, &games).fit_ratings();
            let renamed: Vec<_> = games.iter().map(|&(a, b, w, d, l)| (5 - a, 5 - b, w, d, l)).collect();
            let other = field(6, &renamed).fit_ratings();
            for player in 0..6 {
                prop_assert!((fit.ratings()[player] - other.ratings()[5 - player]).abs() < 1e-5);
            }
        }
    }
}
