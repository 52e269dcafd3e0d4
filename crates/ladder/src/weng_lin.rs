//! Ratings game by game, with their uncertainty: R. C. Weng and C.-J. Lin, "A Bayesian Approximation Method for Online
//! Ranking", JMLR 12 (2011), by the library skillratings. For ladders that never end; a finished field is rated better by
//! [`crate::bradley_terry`].

use serde::{Deserialize, Serialize};
use skillratings::Outcomes;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, expected_score, weng_lin};

use crate::bradley_terry::Measured;
use crate::elo::PER_LOGIT;
use crate::result::Score;

/// What people see where a newcomer stands, in Elo.
pub const NEWCOMER: f64 = 1500.0;

/// A skill and how unsure it is, on the scale of the paper: newcomers are 25 and 25/3.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// The skill.
    pub skill: f64,
    /// Its standard deviation; falls with every game.
    pub doubt: f64,
}

impl Default for Rating {
    fn default() -> Rating {
        Rating::from(WengLinRating::new())
    }
}

impl From<WengLinRating> for Rating {
    fn from(rating: WengLinRating) -> Rating {
        Rating { skill: rating.rating, doubt: rating.uncertainty }
    }
}

impl From<Rating> for WengLinRating {
    fn from(rating: Rating) -> WengLinRating {
        WengLinRating { rating: rating.skill, uncertainty: rating.doubt }
    }
}

impl Rating {
    /// Both ratings after a game of `self` against `other`.
    ///
    /// ```
    /// use leitai_ladder::{Score, weng_lin::Rating};
    /// let (winner, loser) = Rating::default().after(Rating::default(), Score::Win);
    /// assert!(winner.skill > loser.skill && winner.doubt < Rating::default().doubt);
    /// ```
    pub fn after(self, other: Rating, score: Score) -> (Rating, Rating) {
        let outcome = match score {
            Score::Win => Outcomes::WIN,
            Score::Draw => Outcomes::DRAW,
            Score::Loss => Outcomes::LOSS,
        };
        let (one, two) = weng_lin(&self.into(), &other.into(), &outcome, &WengLinConfig::new());
        (one.into(), two.into())
    }

    /// The share of the points that is expected of a game against `other`.
    pub fn expects(self, other: Rating) -> f64 {
        expected_score(&self.into(), &other.into(), &WengLinConfig::new()).0
    }

    /// On the scale that people know, newcomers at 1500.
    pub fn shown(self) -> Measured {
        let unit = PER_LOGIT / (std::f64::consts::SQRT_2 * WengLinConfig::new().beta);
        let middle = Rating::default().skill;
        Measured { value: NEWCOMER + (self.skill - middle) * unit, error: self.doubt * unit }
    }
}

/// The best and the worst place of each rating: only those who are surely better stand before it.
pub fn places(ratings: &[Rating], confidence: f64) -> Vec<[usize; 2]> {
    let sure = crate::normal::two_sided(confidence);
    let clearly =
        |one: &Rating, other: &Rating| one.skill - other.skill > sure * one.doubt.hypot(other.doubt);
    let place = |rating: &Rating| {
        let better = ratings.iter().filter(|other| clearly(other, rating)).count();
        let worse = ratings.iter().filter(|other| clearly(rating, other)).count();
        [better + 1, ratings.len() - worse]
    };
    ratings.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The first example of the openskill libraries: two newcomers, one game.
    #[test]
    fn agrees_with_the_published_example() {
        let (winner, loser) = Rating::default().after(Rating::default(), Score::Win);
        assert!((winner.skill - 27.635_231_383).abs() < 1e-6, "{winner:?}");
        assert!((winner.doubt - 8.065_506_316).abs() < 1e-6, "{winner:?}");
        assert!((loser.skill - 22.364_768_617).abs() < 1e-6, "{loser:?}");
    }

    #[test]
    fn newcomers_are_shown_at_1500_and_share_every_place() {
        assert_eq!(Rating::default().shown().value, NEWCOMER);
        assert_eq!(places(&[Rating::default(); 3], 0.95), [[1, 3]; 3]);
        let sure = |skill| Rating { skill, doubt: 0.5 };
        assert_eq!(places(&[sure(20.0), sure(30.0), sure(30.5)], 0.95), [[3, 3], [1, 2], [1, 2]]);
    }

    fn any_rating() -> impl Strategy<Value = Rating> {
        (0.0f64..50.0, 0.5f64..9.0).prop_map(|(skill, doubt)| Rating { skill, doubt })
    }

    proptest! {
        #[test]
        fn winners_rise_losers_fall_doubt_shrinks(one in any_rating(), other in any_rating()) {
            let (winner, loser) = one.after(other, Score::Win);
            prop_assert!(winner.skill >= one.skill && loser.skill <= other.skill);
            prop_assert!(winner.doubt <= one.doubt && loser.doubt <= other.doubt);
            prop_assert!((one.expects(other) + other.expects(one) - 1.0).abs() < 1e-9);
        }

        #[test]
        fn equally_sure_players_exchange_what_they_win(one in any_rating(), skill in 0.0f64..50.0, score in 0usize..3) {
            let other = Rating { skill, doubt: one.doubt };
            let (a, b) = one.after(other, Score::ALL[score]);
            prop_assert!((a.skill + b.skill - one.skill - other.skill).abs() < 1e-9);
        }

        #[test]
        fn seats_do_not_matter(one in any_rating(), other in any_rating(), score in 0usize..3) {
            let (a, b) = one.after(other, Score::ALL[score]);
            let (d, c) = other.after(one, Score::ALL[score].flip());
            prop_assert!((a.skill - c.skill).abs() < 1e-9 && (b.skill - d.skill).abs() < 1e-9);
        }
    }
}
