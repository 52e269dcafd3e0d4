//! An exact test whether two players are equally strong, for any number of games.
//!
//! If they are, then their results against each other are as likely the other way round, and their
//! results against a third player could as well have been dealt to them in any other way. Whatever
//! the strengths of the others and the share of draws are, the difference of their points has a
//! known distribution: coins for decided games between the two, and a deal without replacement for
//! each opponent that both have met (Fisher's exact test). Games between the two and a common
//! opponent count; others tell nothing here.

use crate::bradley_terry::results::Results;
use crate::normal::normal_cdf;
use crate::result::ScoreTally;

/// Decided games up to which the distribution is computed; with more the normal one is near enough.
const EXACT_UP_TO: u32 = 150;

/// The distribution of the half points by which the first player can be ahead.
#[doc(hidden)] // For tests.
pub struct Deal {
    /// Each value from [`Deal::least`] on with its chance; empty if only the moments are known.
    chances: Vec<f64>,
    least: i64,
    mean: f64,
    variance: f64,
}

/// What the games say against two players being equally strong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The chance of a difference as large as the one that was seen, in either direction, if they
    /// are; 1 where their games tell nothing.
    pub chance: f64,
    /// The half points of the first one beyond those expected then.
    pub lead: f64,
}

/// Compares two players of a field.
pub fn compare_players(field: &Results, one: usize, other: usize) -> Comparison {
    let direct = field.tally_between(one, other);
    let common: Vec<[ScoreTally; 2]> = field
        .common_opponents(one, other)
        .map(|third| [one, other].map(|player| field.tally_between(player, third)))
        .collect();
    let decided = |tally: &ScoreTally| tally.wins + tally.losses;
    let size = decided(&direct)
        + (common.iter().flatten())
            .map(ScoreTally::game_count)
            .sum::<u32>();
    let is_exact = size <= EXACT_UP_TO;
    // What the first one has: half points ahead in direct games, half points of the common ones.
    let seen = i64::from(direct.wins) - i64::from(direct.losses)
        + (common.iter())
            .map(|[own, _]| half_points(own))
            .sum::<i64>();
    let mut deal = coins(decided(&direct), is_exact);
    for [own, others] in common {
        deal = deal.plus(hands(own.game_count(), own + others, is_exact));
    }
    Comparison {
        chance: deal.two_sided_tail(seen),
        lead: seen as f64 - deal.mean,
    }
}

fn half_points(tally: &ScoreTally) -> i64 {
    2 * i64::from(tally.wins) + i64::from(tally.draws)
}

/// The lead in games between equals: each decided one is worth one half point ahead or behind, with
/// the draws left out.
#[doc(hidden)] // For tests.
pub fn coins(games: u32, is_exact: bool) -> Deal {
    let (mut chances, count) = (vec![1.0], f64::from(games));
    if is_exact {
        for _ in 0..games {
            let mut next = vec![0.0; chances.len() + 2];
            for (index, chance) in chances.iter().enumerate() {
                next[index] += chance / 2.0;
                next[index + 2] += chance / 2.0;
            }
            chances = next;
        }
    }
    Deal {
        chances: if is_exact { chances } else { Vec::new() },
        least: -i64::from(games),
        mean: 0.0,
        variance: count,
    }
}

/// The half points of so many games that are dealt from all of them.
#[doc(hidden)] // For tests.
pub fn hands(games: u32, all: ScoreTally, is_exact: bool) -> Deal {
    let (count, total) = (f64::from(games), f64::from(all.game_count()));
    let mean = half_points(&all) as f64 / total;
    let square = f64::from(4 * all.wins + all.draws) / total;
    let without = (total - count) / (total - 1.0).max(1.0);
    let variance = count * (square - mean * mean) * without;
    let mut chances = Vec::new();
    if is_exact {
        chances = vec![0.0; 2 * games as usize + 1];
        let everything = log_choose(all.game_count(), games);
        for wins in 0..=all.wins.min(games) {
            for draws in 0..=all.draws.min(games - wins) {
                let losses = games - wins - draws;
                if losses <= all.losses {
                    let ways = log_choose(all.wins, wins)
                        + log_choose(all.draws, draws)
                        + log_choose(all.losses, losses);
                    chances[(2 * wins + draws) as usize] += (ways - everything).exp();
                }
            }
        }
    }
    Deal {
        chances,
        least: 0,
        mean: count * mean,
        variance,
    }
}

fn log_choose(all: u32, of: u32) -> f64 {
    let factorial = |n: u32| libm::lgamma(f64::from(n) + 1.0);
    factorial(all) - factorial(of) - factorial(all - of)
}

impl Deal {
    /// The sum of two independent ones.
    #[doc(hidden)] // For tests.
    pub fn plus(self, other: Deal) -> Deal {
        let length = (self.chances.len() + other.chances.len()).saturating_sub(1);
        let mut chances = vec![0.0; if self.chances.is_empty() { 0 } else { length }];
        for (at, one) in self
            .chances
            .iter()
            .enumerate()
            .filter(|(_, one)| **one > 0.0)
        {
            for (by, two) in other.chances.iter().enumerate() {
                chances[at + by] += one * two;
            }
        }
        Deal {
            chances,
            least: self.least + other.least,
            mean: self.mean + other.mean,
            variance: self.variance + other.variance,
        }
    }

    /// Twice the chance of what was seen or more in its direction.
    #[doc(hidden)] // For tests.
    pub fn two_sided_tail(&self, seen: i64) -> f64 {
        if self.chances.is_empty() {
            // A difference is at least one half point wide.
            let away = ((seen as f64 - self.mean).abs() - 0.5).max(0.0);
            return match self.variance > 0.0 {
                true => 2.0 * normal_cdf(-away / self.variance.sqrt()),
                false => 1.0,
            };
        }
        let at = usize::try_from(seen - self.least).unwrap_or(0);
        let below: f64 = self.chances.iter().take(at + 1).sum();
        let above: f64 = self.chances.iter().skip(at).sum();
        (2.0 * below.min(above)).min(1.0)
    }
}
