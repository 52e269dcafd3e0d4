//! An honest estimate after a test that stopped because it looked good.
//!
//! A test that stops at the first good-looking moment looks better than it is: the plain estimate
//! is biased away from the middle, and its interval covers less than it says. Here outcomes are
//! ordered by how they would have stopped (sooner and lower first, sooner and higher last), the
//! points are taken for a Brownian motion between two absorbing bounds, and the interval holds
//! those differences under which what was seen is not in either tail. Before the test has stopped
//! this is near the plain interval. In short tests, whose steps jump over the bounds, the interval
//! covers more than it says (tests/simulation.rs). The motion has the spread of the pairs that were
//! seen; what has not been seen ([`crate::pair_spread`]) widens the interval to both sides. Source:
//! D. Siegmund, "Sequential Analysis", III; as in Stockfish's framework.

use serde::{Deserialize, Serialize};

use crate::elo;
use crate::normal::{bisect_root, normal_cdf, two_sided};
use crate::pair_spread::PairSpread;
use crate::result::PairTally;
use crate::sprt::{Drift, Sprt};

/// Differences beyond this, in Elo, are given as infinite.
const FAR: f64 = 2000.0;
/// Reflections of the motion at the bounds that are summed to either side at most.
const IMAGES: f64 = 40.0;
/// The least dispersion of a motion: with less, exponential functions overflow.
const LEAST_DISPERSION: f64 = 0.004;

/// What the pairs of a sequential test say about the difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The difference that what was seen lies in the middle of.
    pub elo: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
    /// The likelihood that the new version is the stronger one: one minus the p-value of "it is
    /// not".
    pub los: f64,
}

/// The estimate with an interval of this confidence; nothing before a pair has been played.
pub fn estimate_after_stop(sprt: &Sprt, pairs: &PairTally, confidence: f64) -> Option<Estimate> {
    if pairs.pair_count() == 0 {
        return None;
    }
    let (spread, reach) = (PairSpread::from_pairs(pairs), two_sided(confidence));
    let [elo, low, high] = walk_interval(sprt, pairs, &spread, confidence);
    let [down, up] = spread.unseen_reach(reach);
    // Where one side won everything, all that has not been seen is in the interval already.
    let widen = |end: f64, by: f64| match elo.is_finite() {
        true => elo + (end - elo).hypot(by).copysign(by),
        false => end,
    };
    let (low, high) = (widen(low, -down), widen(high, up));
    let [share, from, to] = [elo, low, high].map(elo::expected_score);
    let toward = if share < 0.5 {
        to - share
    } else {
        share - from
    };
    Some(Estimate {
        elo: is_far(elo),
        low: is_far(low),
        high: is_far(high),
        los: normal_cdf((share - 0.5) / toward.max(1e-12) * reach),
    })
}

/// The difference that what was seen lies in the middle of, and the ends of its interval, by the
/// spread that the pairs have.
fn walk_interval(sprt: &Sprt, pairs: &PairTally, spread: &PairSpread, confidence: f64) -> [f64; 3] {
    let share = pairs.point_share();
    if spread.seen == 0.0 {
        // Pairs that all ended alike did not stop by chance.
        return [elo::elo_difference(share); 3];
    }
    let dispersion = spread.seen.max(LEAST_DISPERSION);
    let variance = |share: f64| dispersion * share * (1.0 - share);
    let middle = middle_share(sprt);
    let walk = AbsorbedWalk::from_pairs(sprt, pairs, variance(middle));
    let chance = |elo: f64| {
        let expected = elo::expected_score(elo);
        walk.chance_of_less(Drift {
            mean: expected - middle,
            variance: variance(expected),
        })
    };
    let at = |chance_of_less: f64| bisect_root(-FAR, FAR, |elo| chance_of_less - chance(elo));
    let tail = (1.0 - confidence) / 2.0;
    // Where one result is all that was seen, the difference is not bounded on that side.
    match share {
        0.0 => [f64::NEG_INFINITY, f64::NEG_INFINITY, at(tail)],
        1.0 => [f64::INFINITY, at(1.0 - tail), f64::INFINITY],
        _ => [at(0.5), at(1.0 - tail), at(tail)],
    }
}

/// The share of the points between the two hypotheses, from which the walk of the test counts.
fn middle_share(sprt: &Sprt) -> f64 {
    (elo::expected_score(sprt.elo0) + elo::expected_score(sprt.elo1)) / 2.0
}

fn is_far(elo: f64) -> f64 {
    match elo.abs() > FAR - 1.0 {
        true => f64::INFINITY.copysign(elo),
        false => elo,
    }
}

/// A motion from 0 between two absorbing bounds, and where it was seen.
#[doc(hidden)] // For tests.
pub struct AbsorbedWalk {
    pub lower: f64,
    pub upper: f64,
    pub time: f64,
    pub at: f64,
}

impl AbsorbedWalk {
    /// The walk counts points beyond the middle of the hypotheses, and its bounds are those of the
    /// LLR, in points as the LLR measured them so far. A walk in steps overshoots its bound; the
    /// motion is taken to have met it on the way.
    /// `variance` is that of a pair at the middle.
    fn from_pairs(sprt: &Sprt, pairs: &PairTally, variance: f64) -> AbsorbedWalk {
        let (llr, count) = (
            sprt.log_likelihood_ratio(pairs),
            f64::from(pairs.pair_count()),
        );
        let beyond = count * (pairs.point_share() - middle_share(sprt));
        let usual = (elo::expected_score(sprt.elo1) - elo::expected_score(sprt.elo0)) / variance;
        // Near the middle both are near 0, and their ratio says nothing.
        let slope = if llr * beyond > 0.0 && llr.abs() > 0.05 {
            llr / beyond
        } else {
            usual
        };
        let (lower, upper) = sprt.llr_bounds();
        let (lower, upper) = (lower / slope, upper / slope);
        let at = beyond.clamp(lower, upper);
        let time = if at == beyond {
            count
        } else {
            count * at / beyond
        };
        AbsorbedWalk {
            lower,
            upper,
            time,
            at,
        }
    }

    /// The chance to stop at the lower bound before now, or to be below where it was seen now.
    fn chance_of_less(&self, drift: Drift) -> f64 {
        if self.at >= self.upper {
            return 1.0
                - self.mirror_walk().stopped_below(Drift {
                    mean: -drift.mean,
                    ..drift
                });
        }
        self.stopped_below(drift) + self.alive_below(drift)
    }

    #[doc(hidden)] // For tests.
    pub fn mirror_walk(&self) -> AbsorbedWalk {
        AbsorbedWalk {
            lower: -self.upper,
            upper: -self.lower,
            time: self.time,
            at: -self.at,
        }
    }

    /// The reflections that the motion can have come from by now.
    fn image_range(&self, drift: Drift) -> std::ops::RangeInclusive<i32> {
        let way = (drift.mean * self.time).abs() + 9.0 * (drift.variance * self.time).sqrt();
        let count = (1.0 + way / (self.upper - self.lower)).min(IMAGES) as i32;
        -count..=count
    }

    /// The chance to have met the lower bound before now, and before the upper one: the first
    /// passage times from all reflections of the start, each an inverse Gaussian.
    #[doc(hidden)] // For tests.
    pub fn stopped_below(&self, drift: Drift) -> f64 {
        let (pull, spread) = (
            drift.mean / drift.variance,
            (drift.variance * self.time).sqrt(),
        );
        let (speed, reach) = (pull.abs(), (drift.mean * self.time).abs());
        let term = |k: i32| {
            let way = 2.0 * f64::from(k) * (self.upper - self.lower) - self.lower;
            let length = way.abs();
            let passed = exp_cdf(
                pull * self.lower - speed * length,
                (reach - length) / spread,
            ) + exp_cdf(
                pull * self.lower + speed * length,
                (-reach - length) / spread,
            );
            passed.copysign(way)
        };
        self.image_range(drift)
            .map(term)
            .sum::<f64>()
            .clamp(0.0, 1.0)
    }

    /// The chance to have met no bound, and to be below where it was seen.
    #[doc(hidden)] // For tests.
    pub fn alive_below(&self, drift: Drift) -> f64 {
        let (pull, spread) = (
            drift.mean / drift.variance,
            (drift.variance * self.time).sqrt(),
        );
        let from = |start: f64| {
            let z = |end: f64| (end - start - drift.mean * self.time) / spread;
            exp_between(pull * start, z(self.lower), z(self.at))
        };
        let width = self.upper - self.lower;
        let term = |k: i32| {
            let shift = 2.0 * f64::from(k) * width;
            from(shift) - from(2.0 * self.lower + shift)
        };
        self.image_range(drift)
            .map(term)
            .sum::<f64>()
            .clamp(0.0, 1.0)
    }
}

/// `exp(x) cdf(z)`, also where the first overflows and the second vanishes.
fn exp_cdf(x: f64, z: f64) -> f64 {
    let log = match z > -25.0 {
        true => normal_cdf(z).ln(),
        false => -z * z / 2.0 - (-z * (2.0 * std::f64::consts::PI).sqrt()).ln(),
    };
    (x + log).min(700.0).exp()
}

/// `exp(x) (cdf(high) - cdf(low))`, on the side of 0 where nothing is lost.
fn exp_between(x: f64, low: f64, high: f64) -> f64 {
    match low > 0.0 {
        true => exp_cdf(x, -low) - exp_cdf(x, -high),
        false => exp_cdf(x, high) - exp_cdf(x, low),
    }
}
