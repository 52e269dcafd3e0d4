//! How far the points of pairs of games can be trusted.
//!
//! Pairs that all ended alike have no spread, and yet the next one can end otherwise. So the variance
//! of a pair is that of the pairs that were played and of [`PSEUDO_MATCHES`] that spread as far as
//! they can. An interval holds those shares of the points from which what was seen is not too far
//! away by the variance that they have (E. Wilson, JASA 22, 1927), with a dispersion (P. McCullagh
//! and J. Nelder, "Generalized Linear Models", 1989).

use crate::elo;
use crate::normal::{normal_cdf, two_sided};
use crate::result::PairTally;

/// So many pairs, or matches, that spread as far as they can are added to those that were played.
/// With three, intervals hold the truth as often as they say also where hardly anything is ever
/// decided (`tests/simulation.rs`).
pub const PSEUDO_MATCHES: f64 = 3.0;

/// The spread of pairs. A dispersion of 1 is that of pairs of which one side wins both games: a
/// variance of `share (1 - share)`.
#[derive(Clone, Copy, Debug)]
pub struct PairSpread {
    share: f64,
    count: f64,
    /// The dispersion of the pairs that were played.
    pub(crate) seen: f64,
    /// What is added to it.
    unseen: f64,
}

impl PairSpread {
    /// The spread of these pairs.
    pub fn from_pairs(pairs: &PairTally) -> PairSpread {
        let (share, count) = (pairs.point_share(), f64::from(pairs.pair_count()));
        let most = share * (1.0 - share);
        // Where one side won everything, pairs cannot spread: that says nothing about others.
        let seen = match most > 0.0 {
            true => pairs.share_variance() / most,
            false => 1.0,
        };
        let fewest = count * share.min(1.0 - share);
        let all = (seen * count + PSEUDO_MATCHES) / (count + PSEUDO_MATCHES);
        PairSpread {
            share,
            count: count.max(1.0),
            seen,
            unseen: (all.max(1.0 / (1.0 + fewest)) - seen).max(0.0),
        }
    }

    /// The ends of the interval of the share of the points, from 0 to 1, that reaches so many
    /// standard errors.
    fn interval(&self, dispersion: f64, reach: f64) -> [f64; 2] {
        let part = reach * reach * dispersion / self.count;
        let middle = (self.share + part / 2.0) / (1.0 + part);
        let half = (part * self.share * (1.0 - self.share) + part * part / 4.0).sqrt();
        [-half, half].map(|half| (middle + half / (1.0 + part)).clamp(0.0, 1.0))
    }

    /// How far the interval reaches down and up, in Elo, by what has not been seen.
    pub(crate) fn unseen_reach(&self, reach: f64) -> [f64; 2] {
        let middle = elo::elo_difference(self.share);
        self.interval(self.unseen, reach)
            .map(|end| (elo::elo_difference(end) - middle).abs())
    }
}

/// Elo and the ends of its interval, from the pairs alone and with no test that stopped.
///
/// ```
/// use leitai_ladder::{PairTally, pair_spread::elo_interval};
/// let [elo, low, high] = elo_interval(&PairTally([0, 0, 102, 0, 0]), 0.95);
/// assert!(elo == 0.0 && (low + high).abs() < 1e-9 && (11.0..12.0).contains(&high));
/// ```
pub fn elo_interval(pairs: &PairTally, confidence: f64) -> [f64; 3] {
    let spread = PairSpread::from_pairs(pairs);
    let [low, high] = spread.interval(spread.seen + spread.unseen, two_sided(confidence));
    [spread.share, low, high].map(elo::elo_difference)
}

/// The chance that the new version is the stronger one (LOS), from the pairs alone and with no test
/// that stopped.
pub fn likelihood_of_superiority(pairs: &PairTally) -> f64 {
    let spread = PairSpread::from_pairs(pairs);
    let variance = (spread.seen + spread.unseen) / 4.0 / spread.count;
    normal_cdf((spread.share - 0.5) / variance.sqrt())
}
