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

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::bradley_terry::likelihood::{
    Curvature, LikelihoodAt, PairRows, dot_product, vector_norm,
};
use crate::bradley_terry::meeting::Meeting;
use crate::elo::{PER_LOGIT, expected_score};
use crate::exact_test::{Comparison, compare_players};
use crate::normal::{normal_cdf, two_sided};
use crate::result::{GameScore, ScoreTally};

/// The standard deviation of the prior, in Elo.
const PRIOR: f64 = 1500.0;

/// How exactly errors are solved for, against what is asked.
#[doc(hidden)] // For tests.
pub const SOLVED: f64 = 1e-7;

/// The results between all players. The order of matches does not matter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// For every player its matches against players with higher numbers, in their order.
    rows: Vec<Vec<MetPlayer>>,
}

/// The matches against a player with a higher number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MetPlayer {
    other: u32,
    meeting: Meeting,
}

impl Results {
    /// Results of this number of players, without matches.
    pub fn new(players: usize) -> Results {
        Results {
            rows: vec![Vec::new(); players],
        }
    }

    /// The number of players.
    pub fn player_count(&self) -> usize {
        self.rows.len()
    }

    /// Counts a match of one leg.
    pub fn add_game(&mut self, one: usize, other: usize, score: GameScore) {
        self.add_match(one, other, score, &[score]);
    }

    /// Counts a match of `one` against `other`: its result, and those of its legs. Ratings are fitted
    /// to legs; places are told by matches.
    pub fn add_match(&mut self, one: usize, other: usize, score: GameScore, legs: &[GameScore]) {
        self.add_meeting(one, other, Meeting::of_match(score, legs));
    }

    /// Counts many matches of one leg.
    pub fn add_tally(&mut self, one: usize, other: usize, tally: ScoreTally) {
        self.add_meeting(one, other, Meeting::of_single_legs(tally));
    }

    /// Matches against oneself, and those without legs, carry no information and are ignored.
    fn add_meeting(&mut self, one: usize, other: usize, meeting: Meeting) {
        assert!(
            one.max(other) < self.rows.len(),
            "player {} of {}",
            one.max(other),
            self.rows.len()
        );
        let (one, other, meeting) = match one.cmp(&other) {
            _ if meeting.legs.game_count() == 0 => return,
            Ordering::Less => (one, other, meeting),
            Ordering::Equal => return,
            Ordering::Greater => (other, one, meeting.flip_side()),
        };
        let (row, other) = (&mut self.rows[one], other as u32);
        match row.binary_search_by_key(&other, |met| met.other) {
            Ok(at) => row[at].meeting += meeting,
            Err(at) => row.insert(at, MetPlayer { other, meeting }),
        }
    }

    #[doc(hidden)] // For tests.
    pub fn meeting_between(&self, one: usize, other: usize) -> Meeting {
        let of = |one: usize, other: usize| {
            let row = self.rows.get(one).map_or(&[][..], Vec::as_slice);
            let at = row.binary_search_by_key(&(other as u32), |met| met.other);
            at.map_or(Meeting::default(), |at| row[at].meeting)
        };
        if one < other {
            of(one, other)
        } else {
            of(other, one).flip_side()
        }
    }

    /// The matches of `one` against `other`.
    pub fn tally_between(&self, one: usize, other: usize) -> ScoreTally {
        self.meeting_between(one, other).matches
    }

    /// All matches of a player.
    pub fn tally_of(&self, player: usize) -> ScoreTally {
        self.meetings_of(player).matches
    }

    /// All legs of a player.
    pub fn legs_of(&self, player: usize) -> ScoreTally {
        self.meetings_of(player).legs
    }

    fn meetings_of(&self, player: usize) -> Meeting {
        let below = (0..player).map(|other| self.meeting_between(player, other));
        let above = self.rows.get(player).into_iter().flatten();
        let mut sum = Meeting::default();
        below
            .chain(above.map(|met| met.meeting))
            .for_each(|one| sum += one);
        sum
    }

    /// The number of pairs that have met.
    fn met_count(&self) -> usize {
        self.rows.iter().map(Vec::len).sum()
    }

    /// For every player its matches against players with higher numbers.
    fn rows(&self) -> &[Vec<MetPlayer>] {
        &self.rows
    }

    /// The ratings that fit the points best.
    pub fn fit_ratings(&self) -> Fit {
        Fit::new(self)
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

/// The prior's curvature, per logit squared.
#[doc(hidden)] // For tests.
pub fn ridge_weight() -> f64 {
    (PER_LOGIT / PRIOR).powi(2)
}
