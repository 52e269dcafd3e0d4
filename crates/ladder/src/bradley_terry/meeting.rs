//! What the matches of two players brought.

use std::ops::AddAssign;

use crate::pair_spread::PSEUDO_MATCHES;
use crate::result::{GameScore, ScoreTally};

/// The matches of two players, from the side of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[doc(hidden)] // For tests.
pub struct Meeting {
    pub matches: ScoreTally,
    pub legs: ScoreTally,
    /// The sum of the squares of each match's points.
    squares: f64,
    /// The sum of each match's points times its legs.
    weighted: f64,
    /// The sum of the squares of each match's legs.
    lengths: f64,
}

impl Meeting {
    /// One match.
    pub fn of_match(score: GameScore, results: &[GameScore]) -> Meeting {
        let (mut matches, mut legs) = (ScoreTally::default(), ScoreTally::default());
        matches.count_game(score);
        results.iter().for_each(|score| legs.count_game(*score));
        let (points, count) = (legs.points(), results.len() as f64);
        Meeting {
            matches,
            legs,
            squares: points * points,
            weighted: points * count,
            lengths: count * count,
        }
    }

    /// Matches of one leg each.
    pub fn of_single_legs(tally: ScoreTally) -> Meeting {
        Meeting {
            matches: tally,
            legs: tally,
            squares: f64::from(tally.wins) + f64::from(tally.draws) / 4.0,
            weighted: tally.points(),
            lengths: f64::from(tally.game_count()),
        }
    }

    /// The matches from the other side.
    pub fn flip_side(self) -> Meeting {
        Meeting {
            matches: self.matches.flip_side(),
            legs: self.legs.flip_side(),
            squares: self.lengths - 2.0 * self.weighted + self.squares,
            weighted: self.lengths - self.weighted,
            ..self
        }
    }

    /// The variance of all points together, where so many are expected of a leg: by the spread of
    /// the matches and of [`PSEUDO_MATCHES`]. Where one of the two won nearly everything, matches
    /// cannot spread; then it is at least a part of what independent legs would have.
    pub fn spread_around(&self, expected: f64) -> f64 {
        let (matches, legs) = (
            f64::from(self.matches.game_count()),
            f64::from(self.legs.game_count()),
        );
        let leg = expected * (1.0 - expected);
        let seen = self.squares - 2.0 * expected * self.weighted + expected.powi(2) * self.lengths;
        let unseen = PSEUDO_MATCHES * self.lengths / matches * leg;
        let spread = matches / (matches + PSEUDO_MATCHES) * (seen.max(0.0) + unseen);
        let fewest = self.legs.points().min(legs - self.legs.points());
        spread.max(legs * leg / (1.0 + fewest))
    }
}

impl AddAssign for Meeting {
    fn add_assign(&mut self, other: Meeting) {
        self.matches += other.matches;
        self.legs += other.legs;
        self.squares += other.squares;
        self.weighted += other.weighted;
        self.lengths += other.lengths;
    }
}
