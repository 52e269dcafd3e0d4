//! Ratings game by game, with their uncertainty: R. C. Weng and C.-J. Lin, "A Bayesian
//! Approximation Method for Online Ranking", JMLR 12 (2011), by the library skillratings. For
//! ladders that never end; a finished field is rated better by [`crate::bradley_terry`].

use serde::{Deserialize, Serialize};
use skillratings::Outcomes;
use skillratings::weng_lin::{WengLinConfig, WengLinRating, expected_score, weng_lin};

use crate::bradley_terry::Estimated;
use crate::elo::PER_LOGIT;
use crate::result::GameScore;

/// The shown rating of a newcomer, in Elo.
pub const NEWCOMER: f64 = 1500.0;

/// A skill and its uncertainty, on the scale of the paper: newcomers are 25 and 25/3.
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
        Rating {
            skill: rating.rating,
            doubt: rating.uncertainty,
        }
    }
}

impl From<Rating> for WengLinRating {
    fn from(rating: Rating) -> WengLinRating {
        WengLinRating {
            rating: rating.skill,
            uncertainty: rating.doubt,
        }
    }
}

impl Rating {
    /// Both ratings after a game of `self` against `other`.
    ///
    /// ```
    /// use leitai_ladder::{GameScore, weng_lin::Rating};
    /// let (winner, loser) = Rating::default().rate_game(Rating::default(), GameScore::Win);
    /// assert!(winner.skill > loser.skill && winner.doubt < Rating::default().doubt);
    /// ```
    pub fn rate_game(self, other: Rating, score: GameScore) -> (Rating, Rating) {
        let outcome = match score {
            GameScore::Win => Outcomes::WIN,
            GameScore::Draw => Outcomes::DRAW,
            GameScore::Loss => Outcomes::LOSS,
        };
        let (one, two) = weng_lin(&self.into(), &other.into(), &outcome, &WengLinConfig::new());
        (one.into(), two.into())
    }

    /// The share of the points that is expected of a game against `other`.
    pub fn expected_score(self, other: Rating) -> f64 {
        expected_score(&self.into(), &other.into(), &WengLinConfig::new()).0
    }

    /// The rating that is shown as this one.
    ///
    /// ```
    /// use leitai_ladder::bradley_terry::Estimated;
    /// use leitai_ladder::weng_lin::Rating;
    /// let shown = Estimated { value: 1700.0, error: 40.0 };
    /// let again = Rating::from_shown(shown).shown_rating();
    /// assert!((again.value - 1700.0).abs() < 1e-6 && (again.error - 40.0).abs() < 1e-6);
    /// ```
    pub fn from_shown(shown: Estimated) -> Rating {
        let fresh = Rating::default();
        let unit = fresh.shown_rating().error / fresh.doubt;
        Rating {
            skill: fresh.skill + (shown.value - NEWCOMER) / unit,
            doubt: shown.error / unit,
        }
    }

    /// The rating on the Elo scale, newcomers at 1500.
    pub fn shown_rating(self) -> Estimated {
        let unit = PER_LOGIT / (std::f64::consts::SQRT_2 * WengLinConfig::new().beta);
        let middle = Rating::default().skill;
        Estimated {
            value: NEWCOMER + (self.skill - middle) * unit,
            error: self.doubt * unit,
        }
    }
}

/// The best and the worst place of each rating: only those who are surely better stand before it.
/// Ten thousand ratings take some milliseconds: those that are about as sure of themselves stand in
/// one band, where all but a few are surely better or surely not without a look at them.
pub fn place_intervals(ratings: &[Rating], confidence: f64) -> Vec<[usize; 2]> {
    let sure = crate::normal::two_sided(confidence);
    let bands = RatingBand::group_ratings(ratings);
    let place = |rating: &Rating| {
        let better: usize = bands
            .iter()
            .map(|band| band.count_better(rating, sure))
            .sum();
        let worse: usize = bands
            .iter()
            .map(|band| band.count_worse(rating, sure))
            .sum();
        [better + 1, ratings.len() - worse]
    };
    ratings.iter().map(place).collect()
}

/// Whether one is better than another, and by more than chance.
#[doc(hidden)] // For tests.
pub fn is_clearly_better(one: &Rating, other: &Rating, sure: f64) -> bool {
    one.skill - other.skill > sure * one.doubt.hypot(other.doubt)
}

/// Ratings with about the same doubt, weakest first.
struct RatingBand {
    ratings: Vec<Rating>,
    least: f64,
    most: f64,
}

impl RatingBand {
    /// About as many ratings to a band as there are bands.
    fn group_ratings(ratings: &[Rating]) -> Vec<RatingBand> {
        let mut sorted = ratings.to_vec();
        sorted.sort_by(|one, other| one.doubt.total_cmp(&other.doubt));
        let size = sorted.len().isqrt().max(1);
        sorted
            .chunks_mut(size)
            .map(RatingBand::from_ratings)
            .collect()
    }

    fn from_ratings(ratings: &mut [Rating]) -> RatingBand {
        let (least, most) = (ratings[0].doubt, ratings[ratings.len() - 1].doubt);
        ratings.sort_by(|one, other| one.skill.total_cmp(&other.skill));
        RatingBand {
            ratings: ratings.to_vec(),
            least,
            most,
        }
    }

    /// The number of clearly better ratings: those beyond any doubt of the band, and some that are
    /// compared one by one.
    fn count_better(&self, than: &Rating, sure: f64) -> usize {
        let from = self.count_below(than.skill + sure * than.doubt.hypot(self.least) - MARGIN);
        let all = self.count_below(than.skill + sure * than.doubt.hypot(self.most) + MARGIN);
        let looked = self.ratings[from..all]
            .iter()
            .filter(|other| is_clearly_better(other, than, sure))
            .count();
        looked + self.ratings.len() - all
    }

    /// The number of clearly worse ratings.
    fn count_worse(&self, than: &Rating, sure: f64) -> usize {
        let all = self.count_below(than.skill - sure * than.doubt.hypot(self.most) - MARGIN);
        let to = self.count_below(than.skill - sure * than.doubt.hypot(self.least) + MARGIN);
        all + self.ratings[all..to]
            .iter()
            .filter(|other| is_clearly_better(than, other, sure))
            .count()
    }

    fn count_below(&self, skill: f64) -> usize {
        self.ratings.partition_point(|rating| rating.skill < skill)
    }
}

/// More than sums of skills are rounded by.
const MARGIN: f64 = 1e-9;
