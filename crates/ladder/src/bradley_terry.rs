//! Ratings of a whole field by maximum likelihood: the model of Bradley and Terry with draws as
//! Davidson has them.
//!
//! With `x` the difference of two ratings and `n` the weight of draws, a win, a draw and a loss
//! have chances in the proportion `exp(x/2) : n : exp(-x/2)`. Ratings and the weight of draws are
//! fitted together. A prior so wide that it moves nothing that has been measured keeps them finite
//! where someone won, or lost, every game. Sources: R. A. Bradley and M. E. Terry, Biometrika 39
//! (1952); R. R. Davidson, JASA 65 (1970).

mod likelihood;
#[cfg(test)]
mod reference;

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::bradley_terry::likelihood::{
    Curvature, LikelihoodAt, PairRows, dot_product, vector_norm,
};
use crate::elo::PER_LOGIT;
use crate::exact_test::{Comparison, compare_players};
use crate::normal::{normal_cdf, two_sided};
use crate::result::{GameScore, ScoreTally};

/// The standard deviation of the prior, in Elo.
const PRIOR: f64 = 1500.0;
/// The logarithm of the weight of draws before any game: its middle and how far that reaches.
const DRAW_PRIOR: (f64, f64) = (-2.0, 4.0);

/// How exactly errors are solved for, against what is asked.
const SOLVED: f64 = 1e-7;

/// The results between all players. The order of games does not matter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// For every player its games against players with higher numbers, in their order.
    rows: Vec<Vec<MetPlayer>>,
}

/// The games against a player with a higher number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MetPlayer {
    other: u32,
    tally: ScoreTally,
}

impl Results {
    /// Results of this number of players, without games.
    pub fn new(players: usize) -> Results {
        Results {
            rows: vec![Vec::new(); players],
        }
    }

    /// The number of players.
    pub fn player_count(&self) -> usize {
        self.rows.len()
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
            one.max(other) < self.rows.len(),
            "player {} of {}",
            one.max(other),
            self.rows.len()
        );
        let (one, other, tally) = match one.cmp(&other) {
            Ordering::Less => (one, other, tally),
            Ordering::Equal => return,
            Ordering::Greater => (other, one, tally.flip_side()),
        };
        let (row, other) = (&mut self.rows[one], other as u32);
        match row.binary_search_by_key(&other, |met| met.other) {
            Ok(at) => row[at].tally += tally,
            Err(at) => row.insert(at, MetPlayer { other, tally }),
        }
    }

    /// The games of `one` against `other`.
    pub fn tally_between(&self, one: usize, other: usize) -> ScoreTally {
        let of = |one: usize, other: usize| {
            let row = self.rows.get(one).map_or(&[][..], Vec::as_slice);
            let at = row.binary_search_by_key(&(other as u32), |met| met.other);
            at.map_or(ScoreTally::default(), |at| row[at].tally)
        };
        if one < other {
            of(one, other)
        } else {
            of(other, one).flip_side()
        }
    }

    /// All games of a player.
    pub fn tally_of(&self, player: usize) -> ScoreTally {
        let below = (0..player).map(|other| self.tally_between(player, other));
        let above = self.rows.get(player).into_iter().flatten();
        below
            .chain(above.map(|met| met.tally))
            .fold(ScoreTally::default(), |sum, tally| sum + tally)
    }

    /// Pairs that have met, and their games.
    pub fn met_pairs(&self) -> impl Iterator<Item = (usize, usize, ScoreTally)> + '_ {
        self.rows.iter().enumerate().flat_map(|(one, row)| {
            row.iter()
                .map(move |met| (one, met.other as usize, met.tally))
        })
    }

    /// The number of pairs that have met.
    fn met_count(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }

    /// For every player its games against players with higher numbers.
    fn rows(&self) -> &[Vec<MetPlayer>] {
        &self.rows
    }

    /// The most likely ratings.
    pub fn fit_ratings(&self) -> Fit {
        Fit::new(self, &|player| player)
    }

    /// The players that both have met.
    pub fn common_opponents(&self, one: usize, other: usize) -> impl Iterator<Item = usize> + '_ {
        let has_met =
            |player: usize, third: usize| self.tally_between(player, third).game_count() > 0;
        (0..self.rows.len()).filter(move |third| {
            ![one, other].contains(third) && has_met(one, *third) && has_met(other, *third)
        })
    }

    /// The best and the worst place each player can have: players who are surely better stand
    /// before it, players who are surely worse behind it. The confidence is that of the whole
    /// table: it is the chance that no player is falsely said to be better than another one,
    /// however few the games are. Pairs are compared by an exact test ([`crate::exact_test`]), from
    /// the clearest on, each at the level that the others leave (S. Holm, Scandinavian Journal of
    /// Statistics 6, 1979); who is better than a better one is better, too.
    pub fn place_intervals(&self, confidence: f64) -> Vec<[usize; 2]> {
        let (fit, count) = (self.fit_ratings(), self.rows.len());
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
        let count = self.rows.len();
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
    pairs: PairRows,
    log_likelihood: f64,
    curvature: Curvature,
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
}

impl Fit {
    /// Newton's method with a step that never makes the results less likely; the likelihood is
    /// concave, so that it cannot lead astray. `stands_for` makes players share a rating.
    fn new(field: &Results, stands_for: &dyn Fn(usize) -> usize) -> Fit {
        let players = field.player_count();
        let pairs = PairRows::new(field, stands_for);
        let mut point = vec![0.0; players + 1];
        point[players] = DRAW_PRIOR.0;
        let (mut point, log_likelihood, curvature) = climb(&pairs, point);
        let mean = point[..players].iter().sum::<f64>() / players.max(1) as f64;
        point[..players]
            .iter_mut()
            .for_each(|rating| *rating -= mean);
        Fit {
            point,
            pairs,
            log_likelihood,
            curvature,
        }
    }

    fn player_count(&self) -> usize {
        self.point.len() - 1
    }

    #[cfg(test)]
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
            let mut row = self.curvature.solve_system(&self.pairs, &unit, SOLVED);
            row.truncate(self.player_count());
            row
        };
        (0..self.player_count()).map(unit).collect()
    }

    fn with_error(&self, value: f64, contrast: &[f64]) -> Estimated {
        let solved = self.curvature.solve_system(&self.pairs, contrast, SOLVED);
        let variance = dot_product(&solved, contrast).max(0.0);
        Estimated {
            value: value * PER_LOGIT,
            error: variance.sqrt() * PER_LOGIT,
        }
    }
}

/// Newton's method from a point to the top; the point there, with its likelihood and curvature.
fn climb(pairs: &PairRows, mut point: Vec<f64>) -> (Vec<f64>, f64, Curvature) {
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
    (point, here.value, here.curvature)
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

/// The prior's curvature, per logit squared.
fn ridge_weight() -> f64 {
    (PER_LOGIT / PRIOR).powi(2)
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
            [[1, 3], [1, 2], [2, 3]],
        );
        // Three games are too few, whatever they brought; seven tell two of three players apart.
        check(&[(0, 1, 3, 0, 0)], [[1, 3]; 3]);
        check(&[(0, 1, 7, 0, 0)], [[1, 2], [2, 3], [1, 3]]);
        // In a circle nobody is first.
        check(
            &[(0, 1, 30, 0, 0), (1, 2, 30, 0, 0), (0, 2, 0, 0, 30)],
            [[1, 3]; 3],
        );
        // Who is better than a better one is better, too.
        let chain = field(4, &[(0, 1, 30, 0, 9), (1, 2, 30, 0, 9), (2, 3, 30, 0, 9)]);
        assert_eq!(
            chain.place_intervals(0.95),
            [[1, 1], [2, 2], [3, 3], [4, 4]]
        );
    }

    /// A field in which players meet others of about their strength, as on a ladder; one of them
    /// loses every game.
    fn ladder_field(players: usize, games: usize, seed: u64) -> Results {
        let mut state = seed;
        let mut random = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut field = Results::new(players);
        for _ in 0..games {
            let one = (random() * players as f64) as usize;
            let other = (one + 1 + (random() * 20.0) as usize) % players;
            let at = random() * 100.0 + (one as f64 - other as f64);
            let score = match at {
                _ if one == 0 => GameScore::Loss,
                _ if other == 0 => GameScore::Win,
                at if at > 60.0 => GameScore::Win,
                at if at > 50.0 => GameScore::Draw,
                _ => GameScore::Loss,
            };
            field.add_game(one, other, score);
        }
        field
    }

    /// Compares ratings, chances, likelihood and errors with the solver before this one.
    #[track_caller]
    fn check_against_reference(field: &Results) {
        let (fit, old) = (field.fit_ratings(), reference::ReferenceFit::new(field));
        let scale = 1.0 + old.log_likelihood.abs();
        let gap = (fit.log_likelihood - old.log_likelihood).abs() / scale;
        assert!(
            gap < 1e-10,
            "{} against {}; {:?} against {:?}",
            fit.log_likelihood,
            old.log_likelihood,
            fit.point,
            old.point
        );
        for (new, old) in fit.point.iter().zip(&old.point) {
            let gap = (new - old).abs() * PER_LOGIT;
            assert!(gap < 1e-3, "{gap} Elo apart: {new} {old}");
        }
        let players = field.player_count();
        for player in [0, players / 2, players - 1] {
            let mut contrast = vec![-1.0 / players as f64; players + 1];
            contrast[players] = 0.0;
            contrast[player] += 1.0;
            let gap = (fit.player_rating(player).error - old.error_of(&contrast)).abs();
            assert!(gap < 1e-3, "the errors are {gap} Elo apart");
        }
    }

    #[test]
    fn ratings_of_big_fields_are_those_of_the_plain_solver() {
        for (players, games) in [(2, 7), (40, 300), (300, 20_000), (1000, 9_000)] {
            for seed in 1..4 {
                check_against_reference(&ladder_field(players, games, seed));
            }
        }
    }

    #[test]
    fn many_games_of_few_players_do_not_overflow() {
        let games = (0, 1, 2_000_000_000, 1_000_000_000, 1_000_000_000);
        check_against_reference(&field(3, &[games, (1, 2, 900_000, 0, 1)]));
        check_against_reference(&field(2, &[(0, 1, 0, 100_000, 0)]));
        check_against_reference(&field(2, &[(0, 1, 4_000_000, 0, 0)]));
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
        fn ratings_are_those_of_the_plain_solver(games in any_games()) {
            check_against_reference(&field(6, &games));
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
