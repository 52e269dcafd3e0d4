//! The rating of one player from games against opponents whose ratings are known.

use crate::bradley_terry::Estimated;
use crate::elo::{PER_LOGIT, expected_score};
use crate::normal::bisect_root;

/// A pair of games (the same seed, swapped seats) against an opponent whose rating is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedPair {
    /// The opponent's rating in Elo.
    pub opponent: f64,
    /// The points won, from 0 to 2.
    pub points: f64,
}

/// Games against one opponent whose rating is known, which tell as one observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedGames {
    /// The opponent's rating in Elo.
    pub opponent: f64,
    /// The standard error of the opponent's rating, in Elo; 0 if it is fixed.
    pub error: f64,
    /// How many games.
    pub games: f64,
    /// The points won, from 0 to the number of games.
    pub points: f64,
}

impl From<RatedPair> for RatedGames {
    fn from(pair: RatedPair) -> RatedGames {
        RatedGames {
            opponent: pair.opponent,
            error: 0.0,
            games: 2.0,
            points: pair.points,
        }
    }
}

/// How far from the prior a rating is looked for, in Elo.
const SEARCH_RANGE: f64 = 10_000.0;

/// The rating with the highest posterior probability and its standard error, in Elo.
///
/// The prior is normal. It keeps the rating finite for a player who won or lost every game, and
/// weighs as much as a few games if its error is several hundred Elo.
///
/// The two games of a pair are played from the same seed, so they are not independent. The error is
/// therefore the larger of two: that of the model (Fisher information) and that of the spread of
/// whole pairs (the sandwich estimator; White, "Maximum Likelihood Estimation of Misspecified
/// Models", Econometrica 50, 1982).
///
/// ```
/// use leitai_ladder::bradley_terry::Estimated;
/// use leitai_ladder::known_opponents::{RatedPair, rate_player};
/// let prior = Estimated { value: 1500.0, error: 600.0 };
/// let even = [RatedPair { opponent: 1200.0, points: 1.0 }; 200];
/// let rating = rate_player(&even, prior);
/// assert!((rating.value - 1200.0).abs() < 2.0);
/// assert!((rating.error - 17.4).abs() < 0.2);
/// ```
pub fn rate_player(pairs: &[RatedPair], prior: Estimated) -> Estimated {
    let observed: Vec<RatedGames> = pairs.iter().copied().map(RatedGames::from).collect();
    rate_by_games(&observed, prior)
}

/// By how much an opponent's error flattens the curve of the expected score, from 0 to 1 (M.
/// Glickman, "Parameter estimation in large dynamic paired comparison experiments", Applied
/// Statistics 48, 1999, the function g).
fn flatten(error: f64) -> f64 {
    let logits = error / PER_LOGIT;
    1.0 / (1.0 + 3.0 * (logits / std::f64::consts::PI).powi(2)).sqrt()
}

/// As [`rate_player`], from observations of any number of games: what people play is one leg, or
/// two from the same seed. An opponent whose own rating has an error tells less.
pub fn rate_by_games(observed: &[RatedGames], prior: Estimated) -> Estimated {
    let weight = 1.0 / (prior.error * prior.error);
    let surplus = |rating: f64, one: &RatedGames| {
        let flat = flatten(one.error);
        let expected = expected_score(flat * (rating - one.opponent));
        flat * (one.games * expected - one.points) / PER_LOGIT
    };
    // The derivative of the posterior's logarithm, negated: it grows with the rating.
    let slope = |rating: f64| {
        let games: f64 = observed.iter().map(|one| surplus(rating, one)).sum();
        games + (rating - prior.value) * weight
    };
    let value = bisect_root(
        prior.value - SEARCH_RANGE,
        prior.value + SEARCH_RANGE,
        slope,
    );
    let information = |one: &RatedGames| {
        let flat = flatten(one.error);
        flat * flat * one.games * game_information(flat * (value - one.opponent))
    };
    let model = observed.iter().map(information).sum::<f64>() + weight;
    let spread = observed
        .iter()
        .map(|one| surplus(value, one).powi(2))
        .sum::<f64>()
        + weight;
    let variance = (1.0 / model).max(spread / (model * model));
    Estimated {
        value,
        error: variance.sqrt(),
    }
}

/// The opponent whose next games tell most about a player's rating, given what is known of it: the
/// one with the largest Fisher information, averaged over the player's possible ratings. `None`
/// without opponents.
pub fn choose_opponent(opponents: &[f64], rating: Estimated) -> Option<usize> {
    let worth = |opponent: &f64| -> f64 {
        let at = |step: i32| {
            let z = f64::from(step) / 2.0;
            let weight = (-z * z / 2.0).exp();
            weight * game_information(rating.value + z * rating.error - opponent)
        };
        (-6..=6).map(at).sum()
    };
    let worths: Vec<f64> = opponents.iter().map(worth).collect();
    (0..opponents.len()).max_by(|one, other| worths[*one].total_cmp(&worths[*other]))
}

/// The Fisher information of one game about a rating, in 1 / Elo².
fn game_information(difference: f64) -> f64 {
    let chance = expected_score(difference);
    chance * (1.0 - chance) / (PER_LOGIT * PER_LOGIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRIOR: Estimated = Estimated {
        value: 1500.0,
        error: 600.0,
    };

    fn rate(pairs: &[(f64, f64)]) -> Estimated {
        let pairs: Vec<RatedPair> = pairs
            .iter()
            .map(|(opponent, points)| RatedPair {
                opponent: *opponent,
                points: *points,
            })
            .collect();
        rate_player(&pairs, PRIOR)
    }

    #[test]
    fn without_games_the_prior_remains() {
        let rating = rate(&[]);
        assert!((rating.value - 1500.0).abs() < 1e-6);
        assert!((rating.error - 600.0).abs() < 1e-6);
    }

    #[test]
    fn a_player_who_won_every_game_has_a_finite_rating_above_the_opponents() {
        let rating = rate(&[(2000.0, 2.0); 20]);
        assert!(rating.value > 2400.0 && rating.value < 4000.0, "{rating:?}");
        let lost = rate(&[(1000.0, 0.0); 20]);
        assert!(lost.value < 600.0 && lost.value > -1000.0, "{lost:?}");
    }

    #[test]
    fn opponents_of_different_strength_give_one_rating() {
        // 76 % against 200 less, 24 % against 200 more.
        let mut pairs = vec![(1300.0, 2.0 * 0.76); 100];
        pairs.extend(vec![(1700.0, 2.0 * 0.24); 100]);
        let rating = rate(&pairs);
        assert!((rating.value - 1500.0).abs() < 1.0, "{rating:?}");
    }

    #[test]
    fn games_of_a_pair_that_end_alike_count_for_less() {
        let split = rate(&[(1500.0, 1.0); 100]);
        let mut alike = vec![(1500.0, 2.0); 50];
        alike.extend(vec![(1500.0, 0.0); 50]);
        let alike = rate(&alike);
        assert!((alike.value - 1500.0).abs() < 1.0);
        // Each pair tells as much as a single game.
        let ratio = alike.error / split.error;
        assert!((ratio - 2f64.sqrt()).abs() < 0.03, "{ratio}");
    }

    #[test]
    fn single_games_that_go_alike_tell_as_much_as_their_pairs() {
        let single = |points| RatedGames {
            opponent: 1400.0,
            error: 0.0,
            games: 1.0,
            points,
        };
        let mut games = vec![single(1.0); 60];
        games.extend(vec![single(0.0); 40]);
        let by_games = rate_by_games(&games, PRIOR);
        let mut pairs = vec![(1400.0, 2.0); 20];
        pairs.extend(vec![(1400.0, 1.0); 20]);
        pairs.extend(vec![(1400.0, 0.0); 10]);
        let by_pairs = rate(&pairs);
        assert!((by_games.value - by_pairs.value).abs() < 1e-6);
        assert!(by_games.error <= by_pairs.error);
    }

    #[test]
    fn an_opponent_of_uncertain_strength_tells_less() {
        let against = |error| {
            let won = RatedGames {
                opponent: 1800.0,
                error,
                games: 1.0,
                points: 1.0,
            };
            rate_by_games(&[won; 5], PRIOR)
        };
        let (sure, doubtful) = (against(0.0), against(400.0));
        assert!(doubtful.error > sure.error, "{sure:?} {doubtful:?}");
        // Glickman's example: g(RD) for RD = 30, 100 and 300.
        for (error, g) in [(30.0, 0.9955), (100.0, 0.9531), (300.0, 0.7242)] {
            assert!((flatten(error) - g).abs() < 1e-4, "{error}");
        }
    }

    #[test]
    fn the_interval_holds_what_it_promises() {
        use crate::normal::two_sided;
        // Points that stand for the exact chances of a rating of 1600 against 1500, spread as
        // independent games are: wins, splits and losses of pairs in their proportions.
        let chance = expected_score(100.0);
        let count = |share: f64| (400.0 * share).round() as usize;
        let mut pairs = vec![(1500.0, 2.0); count(chance * chance)];
        pairs.extend(vec![(1500.0, 1.0); count(2.0 * chance * (1.0 - chance))]);
        pairs.extend(vec![(1500.0, 0.0); count((1.0 - chance) * (1.0 - chance))]);
        let rating = rate(&pairs);
        let half = two_sided(0.95) * rating.error;
        assert!((rating.value - 1600.0).abs() < half / 4.0, "{rating:?}");
        // 800 independent games: 1.96 * 347.4 / sqrt(800 * 4 * p (1 - p)) Elo.
        let expected = 1.96 * 2.0 * PER_LOGIT / (800.0 * 4.0 * chance * (1.0 - chance)).sqrt();
        assert!((half / expected - 1.0).abs() < 0.03, "{half} {expected}");
    }

    #[test]
    fn the_nearest_opponent_tells_most() {
        let levels = [1000.0, 1200.0, 1400.0, 1600.0];
        let sure = |value: f64| Estimated { value, error: 20.0 };
        assert_eq!(choose_opponent(&levels, sure(1190.0)), Some(1));
        assert_eq!(choose_opponent(&levels, sure(2500.0)), Some(3));
        assert_eq!(choose_opponent(&levels, sure(-100.0)), Some(0));
        assert_eq!(choose_opponent(&[], sure(0.0)), None);
    }
}
