//! A sequential test (GSPRT) over pairs of games: is the new version better?
//!
//! Two hypotheses: the new version is `elo0` stronger, or `elo1`. After every pair the
//! log-likelihood ratio (LLR) of the second over the first is computed, where everything else about
//! the results (draws, what seats and seeds are worth) is set to what fits each hypothesis best.
//! The test stops when the LLR leaves its bounds. Source: M. Van den Bergh, "A practical
//! introduction to the GSPRT" and "Comments on normalized Elo", the mathematics of Stockfish's
//! framework.

use serde::{Deserialize, Serialize};

use crate::elo;
use crate::result::{PairTally, SHARES};

/// The pseudo-count of a result that has not been seen, so that it does not count as impossible.
const UNSEEN: f64 = 1e-3;

/// A sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// The weaker hypothesis, in Elo: so much stronger is "no progress".
    pub elo0: f64,
    /// The stronger hypothesis, in Elo: so much stronger is "progress".
    pub elo1: f64,
    /// The chance to accept a version that is only `elo0` stronger.
    pub alpha: f64,
    /// The chance to reject a version that is `elo1` stronger.
    pub beta: f64,
}

/// The decision of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The new version is better: `elo1` fits, `elo0` does not.
    Accepted,
    /// It is not: `elo0` fits, `elo1` does not.
    Rejected,
    /// More games are needed.
    Undecided,
}

/// How pairs move the LLR: its mean and variance a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// Mean a pair.
    pub mean: f64,
    /// Variance a pair.
    pub variance: f64,
}

impl Sprt {
    /// Checks the parameters; the error says what is wrong.
    pub fn check_parameters(&self) -> Result<(), String> {
        let chance = |p: f64| p > 0.0 && p < 0.5;
        let sound = |elo: f64| elo.abs() <= 1000.0;
        match () {
            () if !sound(self.elo0) || !sound(self.elo1) => Err(format!(
                "elo0 {} and elo1 {} must lie between -1000 and 1000",
                self.elo0, self.elo1
            )),
            () if self.elo1 - self.elo0 < 0.1 => Err(format!(
                "elo1 {} must be greater than elo0 {} by 0.1 or more",
                self.elo1, self.elo0
            )),
            () if !chance(self.alpha) || !chance(self.beta) => Err(format!(
                "alpha {} and beta {} must lie between 0 and 0.5",
                self.alpha, self.beta
            )),
            () => Ok(()),
        }
    }

    /// The LLR below which the version is rejected, and above which it is accepted.
    ///
    /// ```
    /// let sprt = leitai_ladder::Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
    /// let (lower, upper) = sprt.llr_bounds();
    /// assert_eq!((format!("{lower:.2}"), format!("{upper:.2}")), ("-2.94".into(), "2.94".into()));
    /// ```
    pub fn llr_bounds(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }

    /// The log-likelihood ratio of `elo1` over `elo0`.
    pub fn log_likelihood_ratio(&self, pairs: &PairTally) -> f64 {
        if pairs.pair_count() == 0 {
            return 0.0;
        }
        let distribution = PairDistribution::from_pairs(pairs);
        let (tilt0, tilt1) = (
            distribution.find_tilt(elo::expected_score(self.elo0)),
            distribution.find_tilt(elo::expected_score(self.elo1)),
        );
        let (share0, share1) = (
            elo::expected_score(self.elo0),
            elo::expected_score(self.elo1),
        );
        let ratio =
            |share: f64| (1.0 + tilt0 * (share - share0)) / (1.0 + tilt1 * (share - share1));
        distribution.count * distribution.mean(|share| ratio(share).ln())
    }

    /// The decision after the results so far.
    pub fn decide_test(&self, pairs: &PairTally) -> Decision {
        let (llr, (lower, upper)) = (self.log_likelihood_ratio(pairs), self.llr_bounds());
        match () {
            () if llr >= upper => Decision::Accepted,
            () if llr <= lower => Decision::Rejected,
            () => Decision::Undecided,
        }
    }

    /// How pairs would move the LLR if the true difference were `elo` and everything else were as
    /// it fits that best. At the difference that was seen, the mean is the LLR divided by the
    /// pairs.
    pub fn llr_drift(&self, pairs: &PairTally, elo: f64) -> Drift {
        let distribution = PairDistribution::from_pairs(pairs);
        let [law0, law1, truth] = [self.elo0, self.elo1, elo]
            .map(|elo| distribution.tilt_to_mean(elo::expected_score(elo)));
        let jump = |index: usize| (law1.weights[index] / law0.weights[index]).ln();
        let moment = |power: i32| {
            (0..5)
                .map(|index| truth.weights[index] * jump(index).powi(power))
                .sum::<f64>()
        };
        let mean = moment(1);
        Drift {
            mean,
            variance: (moment(2) - mean * mean).max(1e-300),
        }
    }

    /// Pairs that are still to be expected if results go on as they did so far: a random walk from
    /// the LLR to its bounds (Wald). Nothing is expected before a pair has been played.
    pub fn expected_pairs_to_go(&self, pairs: &PairTally) -> Option<f64> {
        if pairs.pair_count() == 0 {
            return None;
        }
        let (lower, upper) = self.llr_bounds();
        let llr = self.log_likelihood_ratio(pairs);
        if llr <= lower || llr >= upper {
            return Some(0.0);
        }
        let seen = elo::elo_difference(pairs.point_share().clamp(1e-6, 1.0 - 1e-6));
        let Drift { mean, variance } = self.llr_drift(pairs, seen);
        Some(expected_exit(lower - llr, upper - llr, mean, variance))
    }
}

/// The expected time until a random walk with drift leaves `(lower, upper)`, which holds 0.
#[doc(hidden)] // For tests.
pub fn expected_exit(lower: f64, upper: f64, mean: f64, variance: f64) -> f64 {
    let pull = 2.0 * mean / variance;
    if (pull * (upper - lower)).abs() < 1e-3 {
        return -lower * upper / variance;
    }
    // The chance to leave above, from the martingale exp(-pull * x).
    let up = libm::expm1(-pull * lower) / (libm::expm1(-pull * lower) - libm::expm1(-pull * upper));
    let up = if up.is_finite() {
        up
    } else {
        f64::from(u8::from(mean > 0.0))
    };
    ((up * upper + (1.0 - up) * lower) / mean).max(0.0)
}

/// Results as a distribution over [`SHARES`], with unseen ones barely possible.
struct PairDistribution {
    weights: [f64; 5],
    count: f64,
}

impl PairDistribution {
    fn from_pairs(pairs: &PairTally) -> PairDistribution {
        let counts = pairs.0.map(|count| f64::from(count).max(UNSEEN));
        let count: f64 = counts.iter().sum();
        PairDistribution {
            weights: counts.map(|one| one / count),
            count,
        }
    }

    fn mean(&self, value: impl Fn(f64) -> f64) -> f64 {
        SHARES
            .iter()
            .zip(self.weights)
            .map(|(share, weight)| weight * value(*share))
            .sum()
    }

    /// The most likely distribution with this mean.
    fn tilt_to_mean(&self, mean: f64) -> PairDistribution {
        let tilt = self.find_tilt(mean);
        let mut weights = self.weights;
        weights
            .iter_mut()
            .zip(SHARES)
            .for_each(|(weight, share)| *weight /= 1.0 + tilt * (share - mean));
        PairDistribution {
            weights,
            count: self.count,
        }
    }

    /// The multiplier with which weight / (1 + tilt (share - mean)) is the most likely distribution
    /// with this mean: the zero of a falling function between its two poles, by Newton steps kept
    /// inside a shrinking bracket.
    fn find_tilt(&self, mean: f64) -> f64 {
        let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
        // The first guess is exact for small tilts.
        let seen = self.mean(|share| share);
        let guess = (seen - mean) / self.mean(|share| (share - mean).powi(2));
        let mut tilt = guess.clamp(0.9 * low, 0.9 * high);
        for _ in 0..60 {
            let (mut value, mut slope) = (0.0, 0.0);
            for (share, weight) in SHARES.iter().zip(self.weights) {
                let term = (share - mean) / (1.0 + tilt * (share - mean));
                value += weight * term;
                slope -= weight * term * term;
            }
            if value > 0.0 {
                low = tilt
            } else {
                high = tilt
            }
            let next = tilt - value / slope;
            let next = if next > low && next < high {
                next
            } else {
                (low + high) / 2.0
            };
            if (next - tilt).abs() < 1e-10 {
                return next;
            }
            tilt = next;
        }
        tilt
    }
}
