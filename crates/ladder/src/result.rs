//! How one game, or one pair of games, ended.

use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// How one game ended for one of its two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// Worth nothing.
    Loss,
    /// Worth half a point.
    Draw,
    /// Worth a point.
    Win,
}

impl Score {
    /// Every score, worst first.
    pub const ALL: [Score; 3] = [Score::Loss, Score::Draw, Score::Win];

    /// In half points: 0, 1 or 2.
    pub const fn halves(self) -> u32 {
        self as u32
    }

    /// In points: 0, ½ or 1.
    pub fn points(self) -> f64 {
        f64::from(self.halves()) / 2.0
    }

    /// What the opponent has.
    pub const fn flip(self) -> Score {
        match self {
            Score::Loss => Score::Win,
            Score::Draw => Score::Draw,
            Score::Win => Score::Loss,
        }
    }
}

/// Games won, drawn and lost by one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

impl Tally {
    /// Counts one game.
    pub fn count(&mut self, score: Score) {
        match score {
            Score::Win => self.wins += 1,
            Score::Draw => self.draws += 1,
            Score::Loss => self.losses += 1,
        }
    }

    /// Games counted.
    pub fn games(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Points won.
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// Seen from the other side.
    pub fn flip(self) -> Tally {
        Tally { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

impl Add for Tally {
    type Output = Tally;

    fn add(self, other: Tally) -> Tally {
        Tally {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        *self = *self + other;
    }
}

/// Pairs of games by the points that the new version took from them: 0, ½, 1, 1½ or 2. Both games of a pair are
/// played on the same seed with seats swapped, so that what a seat or a seed is worth cancels, and the two games of a
/// pair are not taken for independent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairs(pub [u32; 5]);

impl Pairs {
    /// Counts one pair.
    pub fn count(&mut self, games: [Score; 2]) {
        self.0[(games[0].halves() + games[1].halves()) as usize] += 1;
    }

    /// Pairs counted.
    pub fn pairs(&self) -> u32 {
        self.0.iter().sum()
    }

    /// The share of the points, from 0 to 1; one half where nothing has been played.
    pub fn share(&self) -> f64 {
        self.weighted(|share| share).unwrap_or(0.5)
    }

    /// The variance of one pair's share of its points.
    pub fn variance(&self) -> f64 {
        let mean = self.share();
        self.weighted(|share| (share - mean).powi(2)).unwrap_or(0.0)
    }

    /// Seen from the other side.
    pub fn flip(self) -> Pairs {
        let mut flipped = self.0;
        flipped.reverse();
        Pairs(flipped)
    }

    fn weighted(&self, value: impl Fn(f64) -> f64) -> Option<f64> {
        let all = self.pairs();
        let sum =
            SHARES.iter().zip(self.0).map(|(share, count)| value(*share) * f64::from(count)).sum::<f64>();
        (all > 0).then(|| sum / f64::from(all))
    }
}

/// The shares of a pair's two points that can be taken.
pub const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_by_points() {
        let mut pairs = Pairs::default();
        for one in Score::ALL {
            for two in Score::ALL {
                pairs.count([one, two]);
            }
        }
        assert_eq!(pairs, Pairs([1, 2, 3, 2, 1]));
        assert_eq!(pairs.share(), 0.5);
    }

    /// A test of Stockfish's framework, whose raw statistics are published: montytest 69d3c8dc7c5b3724e29d2712.
    #[test]
    fn moments_agree_with_a_published_test() {
        let pairs = Pairs([13, 37, 50, 25, 3]);
        assert_eq!(pairs.pairs(), 128);
        assert!((pairs.share() - 0.43750).abs() < 5e-6);
        assert!((pairs.variance() - 0.05762).abs() < 5e-6);
        assert_eq!(pairs.flip().flip(), pairs);
        assert!((pairs.flip().share() - 0.56250).abs() < 5e-6);
    }

    #[test]
    fn a_tally_seen_from_the_other_side() {
        let mut tally = Tally::default();
        [Score::Win, Score::Win, Score::Draw, Score::Loss].into_iter().for_each(|score| tally.count(score));
        assert_eq!((tally.games(), tally.points()), (4, 2.5));
        assert_eq!(tally.flip().points(), 1.5);
        assert_eq!(tally + tally.flip(), Tally { wins: 3, draws: 2, losses: 3 });
    }
}
