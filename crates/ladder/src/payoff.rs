//! Who beats whom in a field: points and intervals by pair, whom somebody cannot beat, and cycles.

use crate::ScoreTally;
use crate::elo::expected_score;
use crate::nash::NashAverage;
use crate::normal::normal_quantile;

/// The payoffs of a field: what each player (row) has taken from each other one (column).
#[derive(Clone, Debug)]
pub struct PayoffMatrix<'a> {
    tallies: &'a [Vec<ScoreTally>],
}

/// What a player has taken from another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Payoff {
    /// The share of the points.
    pub share: f64,
    /// The interval of the share (Wilson's; draws make it wider than it has to be).
    pub interval: [f64; 2],
    /// The probability that the player is the stronger one of the two.
    pub chance: f64,
}

/// A > B > C > A.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycle {
    /// The players, each stronger than the next one, the last than the first.
    pub players: [usize; 3],
    /// The probability that all three are, with what the games say.
    pub chance: f64,
}

impl<'a> PayoffMatrix<'a> {
    /// The payoffs of these games: rows and columns are the players in one order.
    pub fn new(tallies: &'a [Vec<ScoreTally>]) -> PayoffMatrix<'a> {
        PayoffMatrix { tallies }
    }

    /// What one took from another; `None` if they have not met.
    ///
    /// ```
    /// # use leitai_ladder::{ScoreTally, payoff::PayoffMatrix};
    /// let won = ScoreTally { wins: 18, draws: 0, losses: 0 };
    /// let field = [vec![ScoreTally::default(), won], vec![won.flip_side(), ScoreTally::default()]];
    /// let payoff = PayoffMatrix::new(&field).payoff(0, 1, 0.95).expect("they have met");
    /// assert!((payoff.interval[0] - 0.824).abs() < 1e-3 && payoff.interval[1] == 1.0);
    /// assert!(payoff.chance > 0.9999);
    /// ```
    pub fn payoff(&self, one: usize, other: usize, confidence: f64) -> Option<Payoff> {
        let tally = self.tallies[one][other];
        let games = f64::from(tally.game_count());
        if one == other || games == 0.0 {
            return None;
        }
        let share = tally.points() / games;
        let z = normal_quantile(0.5 + confidence / 2.0);
        let wide = z * z / games;
        let middle = (share + wide / 2.0) / (1.0 + wide);
        let reach =
            z * (share * (1.0 - share) / games + wide / (4.0 * games)).sqrt() / (1.0 + wide);
        Some(Payoff {
            share,
            interval: [(middle - reach).max(0.0), (middle + reach).min(1.0)],
            chance: chance_of_half(tally),
        })
    }

    /// The players that this one cannot beat: their interval lies above half of the points.
    pub fn unbeaten_by(&self, player: usize, confidence: f64) -> Vec<usize> {
        let is_above = |other: &usize| {
            let payoff = self.payoff(*other, player, confidence);
            payoff.is_some_and(|payoff| payoff.interval[0] > 0.5)
        };
        (0..self.tallies.len()).filter(is_above).collect()
    }

    /// Cycles of three that are at least so likely, the likeliest first, each once; at most so many.
    pub fn find_cycles(&self, least: f64, most: usize) -> Vec<Cycle> {
        let size = self.tallies.len();
        let chance = |one: usize, other: usize| {
            let is_met = one != other && self.tallies[one][other].game_count() > 0;
            if is_met {
                chance_of_half(self.tallies[one][other])
            } else {
                0.0
            }
        };
        let row = |one| (0..size).map(|other| chance(one, other)).collect();
        let chances: Vec<Vec<f64>> = (0..size).map(row).collect();
        let mut found = Vec::new();
        for one in 0..size {
            for other in (one + 1..size).filter(|other| chances[one][*other] >= least) {
                let thirds = (one + 1..size).filter(|third| *third != other);
                for third in thirds {
                    let chance = chances[one][other] * chances[other][third] * chances[third][one];
                    let players = [one, other, third];
                    found.extend((chance >= least).then_some(Cycle { players, chance }));
                }
            }
        }
        found.sort_by(|one, other| other.chance.total_cmp(&one.chance));
        found.truncate(most);
        found
    }

    /// The Nash average of the field by the shares of points. Who has not met counts as their
    /// ratings expect, and without ratings (an empty list) as level.
    pub fn nash_average(&self, ratings: &[f64]) -> NashAverage {
        let expected = |one: usize, other: usize| match (ratings.get(one), ratings.get(other)) {
            (Some(own), Some(others)) => expected_score(own - others),
            _ => 0.5,
        };
        let share = |one: usize, other: usize| match self.tallies[one][other].game_count() {
            0 => expected(one, other),
            games => self.tallies[one][other].points() / f64::from(games),
        };
        let all = 0..self.tallies.len();
        let row = |one| {
            all.clone()
                .map(|other| 2.0 * share(one, other) - 1.0)
                .collect()
        };
        let payoffs: Vec<Vec<f64>> = all.clone().map(row).collect();
        NashAverage::of_payoffs(&payoffs)
    }
}

/// The probability that the share of points is above half: of a beta distribution with half a point
/// for either side before the first game (Jeffreys' prior).
fn chance_of_half(tally: ScoreTally) -> f64 {
    let own = tally.points() + 0.5;
    let other = f64::from(tally.game_count()) - tally.points() + 0.5;
    // At one half both sides of the function's symmetry are the same distance away: the series
    // converges on either.
    match own > other {
        true => 1.0 - beta_below_half(own, other),
        false => beta_below_half(other, own),
    }
}

/// The part of a beta distribution below one half, for `a >= b`: the continued fraction of the
/// incomplete beta function by Lentz's method.
fn beta_below_half(a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const X: f64 = 0.5;
    let front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + (a + b) * X.ln();
    let guard = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut upper, mut lower) = (1.0, 1.0 / guard(1.0 - (a + b) * X / (a + 1.0)));
    let mut fraction = lower;
    for step in 1..1000 {
        let number = f64::from(step);
        let twice = a + 2.0 * number;
        let even = number * (b - number) * X / ((twice - 1.0) * twice);
        let odd = -(a + number) * (a + b + number) * X / (twice * (twice + 1.0));
        let mut last = 1.0;
        for part in [even, odd] {
            lower = 1.0 / guard(1.0 + part * lower);
            upper = guard(1.0 + part / upper);
            last = lower * upper;
            fraction *= last;
        }
        if (last - 1.0).abs() < 1e-14 {
            break;
        }
    }
    front.exp() * fraction / a
}
