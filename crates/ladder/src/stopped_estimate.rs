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
struct AbsorbedWalk {
    lower: f64,
    upper: f64,
    time: f64,
    at: f64,
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

    fn mirror_walk(&self) -> AbsorbedWalk {
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
    fn stopped_below(&self, drift: Drift) -> f64 {
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
    fn alive_below(&self, drift: Drift) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pair_spread::elo_interval;

    /// montytest 69d3c8dc7c5b3724e29d2712: Elo -43.6578 [-75.5244, -15.4045], LOS 0.00114. It
    /// tested normalized Elo, whose interval is a little longer; what has not been seen lengthens ours.
    #[test]
    fn agrees_with_a_published_test() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 2.716,
            alpha: 0.05,
            beta: 0.05,
        };
        let got = estimate_after_stop(&sprt, &PairTally([13, 37, 50, 25, 3]), 0.95)
            .expect("pairs were played");
        assert!((got.elo + 43.6578).abs() < 0.1, "{got:?}");
        assert!(
            (got.low + 75.5244).abs() < 2.5 && (got.high + 15.4045).abs() < 2.5,
            "{got:?}"
        );
        assert!((got.los - 0.00114).abs() < 1.5e-3, "{got:?}");
    }

    /// The chances of the Brownian motion against the closed forms that are known for them.
    #[test]
    fn the_probabilities_of_all_ends_sum_to_one() {
        let check = |mean: f64, time: f64| {
            let (drift, walk) = (
                Drift {
                    mean,
                    variance: 1.0,
                },
                AbsorbedWalk {
                    lower: -2.0,
                    upper: 3.0,
                    time,
                    at: 3.0 - 1e-12,
                },
            );
            let below = walk.stopped_below(drift);
            let above = walk.mirror_walk().stopped_below(Drift {
                mean: -mean,
                variance: 1.0,
            });
            let alive = walk.alive_below(drift);
            assert!(
                (below + above + alive - 1.0).abs() < 1e-7,
                "{mean} {time}: {below} {alive} {above}"
            );
            if time > 50.0 {
                let up = match mean {
                    0.0 => 2.0 / 5.0,
                    _ => (1.0 - (4.0 * mean).exp()) / ((-6.0 * mean).exp() - (4.0 * mean).exp()),
                };
                assert!((above - up).abs() < 1e-6, "{mean}: {above} {up}");
            }
        };
        for mean in [-1.0, -0.3, 0.0, 0.1, 0.7] {
            [0.1, 1.0, 4.0, 20.0, 100.0]
                .into_iter()
                .for_each(|time| check(mean, time));
        }
    }

    #[test]
    fn a_stopped_test_is_estimated_nearer_to_the_middle() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 20.0,
            alpha: 0.05,
            beta: 0.05,
        };
        let pairs = PairTally([10, 60, 160, 120, 40]);
        assert!(sprt.log_likelihood_ratio(&pairs) > sprt.llr_bounds().1);
        let (plain, [seen, low, _]) = (
            estimate_after_stop(&sprt, &pairs, 0.95).expect("pairs were played"),
            elo_interval(&pairs, 0.95),
        );
        assert!(
            plain.elo < seen && plain.low < low,
            "{plain:?} {seen} {low}"
        );
    }

    #[test]
    fn one_sided_results_have_finite_ends() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 10.0,
            alpha: 0.05,
            beta: 0.05,
        };
        let won = estimate_after_stop(&sprt, &PairTally([0, 0, 5, 0, 35]), 0.95)
            .expect("pairs were played");
        let lost = estimate_after_stop(&sprt, &PairTally([35, 0, 5, 0, 0]), 0.95)
            .expect("pairs were played");
        assert!(
            (won.elo - elo::elo_difference(75.0 / 80.0)).abs() < 15.0,
            "{won:?}"
        );
        assert!(won.low > 250.0 && won.high < 1000.0, "{won:?}");
        assert!(
            (won.elo + lost.elo).abs() < 1.0 && (won.low + lost.high).abs() < 1.0,
            "{won:?} {lost:?}"
        );
    }

    /// A test that rejected after 102 pairs of 1-1: nothing tells the two apart.
    #[test]
    fn pairs_that_all_ended_alike_have_a_symmetric_interval() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 10.0,
            alpha: 0.05,
            beta: 0.05,
        };
        let got = |pairs| estimate_after_stop(&sprt, &PairTally(pairs), 0.95).expect("played");
        let Estimate {
            elo,
            low,
            high,
            los,
        } = got([0, 0, 102, 0, 0]);
        assert!(
            elo.abs() < 1e-9 && (low + high).abs() < 1e-9,
            "{low} {high}"
        );
        assert!((10.0..13.0).contains(&high) && (los - 0.5).abs() < 1e-9);
        // One that brought more says less.
        assert!(got([0, 1, 100, 1, 0]).high - got([0, 1, 100, 1, 0]).low > high - low);
        // The other way round: every pair brought the same to one side.
        let better = got([0, 0, 0, 40, 0]);
        assert!((better.elo - elo::elo_difference(0.75)).abs() < 1e-6);
        assert!(better.low > 50.0 && better.high < 400.0, "{better:?}");
    }

    /// 45 of 46 games: no more than one point to hold against the winner, and no less.
    #[test]
    fn a_single_loss_bounds_the_interval() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 50.0,
            alpha: 0.05,
            beta: 0.05,
        };
        let got = estimate_after_stop(&sprt, &PairTally([0, 0, 1, 0, 22]), 0.95).expect("played");
        assert!(
            got.low > 200.0 && got.high < 1300.0 && got.high > 900.0,
            "{got:?}"
        );
    }

    #[test]
    fn winning_everything_is_bounded_on_one_side() {
        let sprt = Sprt {
            elo0: 0.0,
            elo1: 10.0,
            alpha: 0.05,
            beta: 0.05,
        };
        let got = estimate_after_stop(&sprt, &PairTally([0, 0, 0, 0, 30]), 0.95)
            .expect("pairs were played");
        assert_eq!((got.elo, got.high), (f64::INFINITY, f64::INFINITY));
        assert!(got.low > 100.0 && got.low.is_finite(), "{got:?}");
        assert!(got.los > 0.999);
        assert_eq!(
            estimate_after_stop(&sprt, &PairTally::default(), 0.95),
            None
        );
    }
}
