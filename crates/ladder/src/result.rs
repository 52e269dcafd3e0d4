//! Results of games and of pairs of games.

use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// The result of a game for one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameScore {
    /// Worth nothing.
    Loss,
    /// Worth half a point.
    Draw,
    /// Worth a point.
    Win,
}

impl GameScore {
    /// Every score, worst first.
    pub const ALL: [GameScore; 3] = [GameScore::Loss, GameScore::Draw, GameScore::Win];

    /// In half points: 0, 1 or 2.
    pub const fn half_points(self) -> u32 {
        self as u32
    }

    /// In points: 0, ½ or 1.
    pub fn points(self) -> f64 {
        f64::from(self.half_points()) / 2.0
    }

    /// The opponent's score.
    pub const fn flip_side(self) -> GameScore {
        match self {
            GameScore::Loss => GameScore::Win,
            GameScore::Draw => GameScore::Draw,
            GameScore::Win => GameScore::Loss,
        }
    }
}

/// Games won, drawn and lost by one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScoreTally {
    /// Games won.
    pub wins: u32,
    /// Games drawn.
    pub draws: u32,
    /// Games lost.
    pub losses: u32,
}

impl ScoreTally {
    /// Counts one game.
    pub fn count_game(&mut self, score: GameScore) {
        match score {
            GameScore::Win => self.wins += 1,
            GameScore::Draw => self.draws += 1,
            GameScore::Loss => self.losses += 1,
        }
    }

    /// Games counted.
    pub fn game_count(&self) -> u32 {
        self.wins + self.draws + self.losses
    }

    /// Points won.
    pub fn points(&self) -> f64 {
        f64::from(self.wins) + f64::from(self.draws) / 2.0
    }

    /// The tally from the other side.
    pub fn flip_side(self) -> ScoreTally {
        ScoreTally {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }
}

impl Add for ScoreTally {
    type Output = ScoreTally;

    fn add(self, other: ScoreTally) -> ScoreTally {
        ScoreTally {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

impl AddAssign for ScoreTally {
    fn add_assign(&mut self, other: ScoreTally) {
        *self = *self + other;
    }
}

/// Pairs of games by the points that the new version took from them: 0, ½, 1, 1½ or 2. Both games
/// of a pair are played on the same seed with seats swapped, so that what a seat or a seed is worth
/// cancels, and the two games of a pair are not taken for independent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairTally(pub [u32; 5]);

impl PairTally {
    /// Counts one pair.
    pub fn count_pair(&mut self, games: [GameScore; 2]) {
        self.0[(games[0].half_points() + games[1].half_points()) as usize] += 1;
    }

    /// Pairs counted.
    pub fn pair_count(&self) -> u32 {
        self.0.iter().sum()
    }

    /// The share of the points, from 0 to 1; one half where nothing has been played.
    pub fn point_share(&self) -> f64 {
        self.weighted_mean(|share| share).unwrap_or(0.5)
    }

    /// The variance of one pair's share of its points.
    pub fn share_variance(&self) -> f64 {
        let mean = self.point_share();
        self.weighted_mean(|share| (share - mean).powi(2))
            .unwrap_or(0.0)
    }

    /// The pairs as won, drawn and lost ones.
    ///
    /// ```
    /// use leitai_ladder::PairTally;
    /// assert_eq!(PairTally([1, 2, 3, 4, 5]).as_matches(), PairTally([3, 0, 3, 0, 9]));
    /// ```
    pub fn as_matches(self) -> PairTally {
        let [lost, nearly_lost, drawn, nearly_won, won] = self.0;
        PairTally([lost + nearly_lost, 0, drawn, 0, nearly_won + won])
    }

    /// The difference as normalized Elo: in units of the spread of a game's points, which tells how many
    /// games show it, however many are drawn. `None` where no pair differs from another.
    ///
    /// Source: M. Van den Bergh, "Comments on normalized Elo".
    ///
    /// ```
    /// # use leitai_ladder::PairTally;
    /// let elo = PairTally([1, 2, 10, 4, 3]).normalized_elo().expect("pairs differ");
    /// assert!((elo - 73.34).abs() < 0.01, "{elo}");
    /// ```
    pub fn normalized_elo(&self) -> Option<f64> {
        let spread = (2.0 * self.share_variance()).sqrt();
        let elo = (self.point_share() - 0.5) / spread * 800.0 / std::f64::consts::LN_10;
        elo.is_finite().then_some(elo)
    }

    /// The tally from the other side.
    pub fn flip_side(self) -> PairTally {
        let mut flipped = self.0;
        flipped.reverse();
        PairTally(flipped)
    }

    fn weighted_mean(&self, value: impl Fn(f64) -> f64) -> Option<f64> {
        let all = self.pair_count();
        let sum = SHARES
            .iter()
            .zip(self.0)
            .map(|(share, count)| value(*share) * f64::from(count))
            .sum::<f64>();
        (all > 0).then(|| sum / f64::from(all))
    }
}

/// The shares of a pair's two points that can be taken.
pub const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
