//! The rating of one player from games against opponents whose ratings are known.

use crate::bradley_terry::Estimated;
use crate::elo::{PER_LOGIT, expected_score};
use crate::normal::{bisect_root, chi_square_tail};

/// Pairs of games (the same seed, swapped seats) against an opponent whose rating is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelPairs {
    /// The opponent's rating in Elo.
    pub opponent: f64,
    /// How many pairs.
    pub pairs: f64,
    /// The points won, from 0 to 2 a pair.
    pub points: f64,
    /// The sum of the squares of each pair's points.
    pub squares: f64,
}

impl LevelPairs {
    /// No pairs against an opponent with this rating.
    pub fn new(opponent: f64) -> LevelPairs {
        LevelPairs {
            opponent,
            pairs: 0.0,
            points: 0.0,
            squares: 0.0,
        }
    }

    /// Counts a pair of which so many points were won.
    pub fn count_pair(&mut self, points: f64) {
        self.pairs += 1.0;
        self.points += points;
        self.squares += points * points;
    }

    /// The sum of squares of what pairs brought beyond the expected points of a game.
    fn spread_around(&self, expected: f64) -> f64 {
        let pair = 2.0 * expected;
        (self.squares - 2.0 * pair * self.points + self.pairs * pair * pair).max(0.0)
    }
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

/// How far from the prior a rating is looked for, in Elo.
const SEARCH_RANGE: f64 = 10_000.0;

/// A rating from games against several opponents.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelRating {
    /// The rating; its error holds that of the games and the misfit between opponents.
    pub rating: Estimated,
    /// The part of the error that more games make smaller.
    pub games_error: f64,
    /// The chance of a misfit between opponents as large as this one, if the strength were the same
    /// against all of them.
    pub misfit_chance: f64,
    /// What the games against each opponent alone say; `None` without games.
    pub alone: Vec<Option<Estimated>>,
}

/// The rating with the highest posterior probability and its standard error, in Elo.
///
/// The prior is normal. It keeps the rating finite for a player who won or lost every game, and
/// weighs as much as a few games if its error is several hundred Elo.
///
/// The two games of a pair are played from the same seed, so they are not independent. The error of
/// the games is therefore the larger of two: that of the model (Fisher information) and that of the
/// spread of whole pairs (the sandwich estimator; White, "Maximum Likelihood Estimation of
/// Misspecified Models", Econometrica 50, 1982).
///
/// A player may be stronger against one opponent than against another, beyond their ratings. The
/// variance of that between opponents (DerSimonian and Laird, "Meta-analysis in clinical trials",
/// Controlled Clinical Trials 7, 1986) is added by the weight that each opponent has.
///
/// ```
/// use leitai_ladder::bradley_terry::Estimated;
/// use leitai_ladder::known_opponents::{LevelPairs, rate_by_levels};
/// let prior = Estimated { value: 1500.0, error: 600.0 };
/// let mut level = LevelPairs::new(1200.0);
/// (0..200).for_each(|_| level.count_pair(1.0));
/// let rating = rate_by_levels(&[level], prior).rating;
/// assert!((rating.value - 1200.0).abs() < 2.0);
/// assert!((rating.error - 17.4).abs() < 0.2);
/// ```
pub fn rate_by_levels(levels: &[LevelPairs], prior: Estimated) -> LevelRating {
    let all = rate_levels(levels, prior);
    let alone: Vec<Option<Estimated>> = levels
        .iter()
        .map(|level| (level.pairs > 0.0).then(|| rate_levels(&[*level], prior)))
        .collect();
    let (between, misfit_chance) = misfit_between(&alone);
    let weight = |level: &LevelPairs| level.pairs * game_information(all.value - level.opponent);
    let sum: f64 = levels.iter().map(weight).sum();
    let shares: f64 = levels
        .iter()
        .map(|level| (weight(level) / sum).powi(2))
        .sum();
    let misfit = if sum > 0.0 { between * shares } else { 0.0 };
    LevelRating {
        rating: Estimated {
            error: (all.error * all.error + misfit).sqrt(),
            ..all
        },
        games_error: all.error,
        misfit_chance,
        alone,
    }
}

/// The rating by all games, without a misfit between opponents.
fn rate_levels(levels: &[LevelPairs], prior: Estimated) -> Estimated {
    let weight = 1.0 / (prior.error * prior.error);
    // The derivative of the posterior's logarithm, negated: it grows with the rating.
    let slope = |rating: f64| {
        let surplus = |level: &LevelPairs| {
            let expected = expected_score(rating - level.opponent);
            (2.0 * level.pairs * expected - level.points) / PER_LOGIT
        };
        levels.iter().map(surplus).sum::<f64>() + (rating - prior.value) * weight
    };
    let value = bisect_root(
        prior.value - SEARCH_RANGE,
        prior.value + SEARCH_RANGE,
        slope,
    );
    let model = weight
        + (levels.iter())
            .map(|level| 2.0 * level.pairs * game_information(value - level.opponent))
            .sum::<f64>();
    let spread = weight
        + (levels.iter())
            .map(|level| level.spread_around(expected_score(value - level.opponent)))
            .sum::<f64>()
            / (PER_LOGIT * PER_LOGIT);
    Estimated {
        value,
        error: (1.0 / model).max(spread / (model * model)).sqrt(),
    }
}

/// The variance between the ratings that opponents alone give, and the chance of one as large if
/// there were none.
fn misfit_between(alone: &[Option<Estimated>]) -> (f64, f64) {
    let known: Vec<(f64, f64)> = (alone.iter().flatten())
        .map(|one| (one.value, 1.0 / (one.error * one.error)))
        .collect();
    let [sum, squares, mean] = [
        known.iter().map(|(_, weight)| weight).sum::<f64>(),
        known.iter().map(|(_, weight)| weight * weight).sum::<f64>(),
        known
            .iter()
            .map(|(value, weight)| value * weight)
            .sum::<f64>(),
    ];
    let free = known.len() as f64 - 1.0;
    if free < 1.0 {
        return (0.0, 1.0);
    }
    let apart = |(value, weight): &(f64, f64)| weight * (value - mean / sum).powi(2);
    let misfit: f64 = known.iter().map(apart).sum();
    let between = (misfit - free) / (sum - squares / sum);
    (between.max(0.0), chi_square_tail(misfit, free))
}

/// By how much an opponent's error flattens the curve of the expected score, from 0 to 1 (M.
/// Glickman, "Parameter estimation in large dynamic paired comparison experiments", Applied
/// Statistics 48, 1999, the function g).
#[doc(hidden)] // For tests.
pub fn flatten(error: f64) -> f64 {
    let logits = error / PER_LOGIT;
    1.0 / (1.0 + 3.0 * (logits / std::f64::consts::PI).powi(2)).sqrt()
}

/// As [`rate_by_levels`], from observations of any number of games: what people play is one leg, or
/// two from the same seed. An opponent whose own rating has an error tells less. A misfit between
/// opponents is left out.
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

/// The opponent to play next, given what is known of the player and how often each was chosen so
/// far. Opponents share the games by what a game against them tells (Fisher information, averaged
/// over the player's possible ratings): not only the nearest one, whom the player may suit, but all
/// who tell half as much, and the nearest two in any case. Opponents without a count are left out;
/// `None` without others.
pub fn choose_opponent(
    opponents: &[f64],
    chosen: &[Option<u64>],
    rating: Estimated,
) -> Option<usize> {
    let worth = |opponent: f64| -> f64 {
        let at = |step: i32| {
            let z = f64::from(step) / 2.0;
            let weight = (-z * z / 2.0).exp();
            weight * game_information(rating.value + z * rating.error - opponent)
        };
        (-6..=6).map(at).sum()
    };
    let mut known: Vec<(usize, f64, u64)> = (opponents.iter().zip(chosen).enumerate())
        .filter_map(|(index, (opponent, count))| Some((index, worth(*opponent), (*count)?)))
        .collect();
    known.sort_by(|one, other| other.1.total_cmp(&one.1));
    let least = known.first()?.1 / 2.0;
    let near = known
        .iter()
        .enumerate()
        .filter(|(place, (_, worth, _))| *place < 2 || *worth >= least);
    let need = |(_, (_, worth, count)): &(usize, &(usize, f64, u64))| (*count as f64 + 0.5) / worth;
    near.min_by(|one, other| need(one).total_cmp(&need(other)))
        .map(|(_, (index, _, _))| *index)
}

/// The Fisher information of one game about a rating, in 1 / Elo².
fn game_information(difference: f64) -> f64 {
    let chance = expected_score(difference);
    chance * (1.0 - chance) / (PER_LOGIT * PER_LOGIT)
}
