//! An exact test whether two players are equally strong, for any number of games.
//!
//! If they are, then their results against each other are as likely the other way round, and their
//! results against a third player could as well have been dealt to them in any other way. Whatever
//! the strengths of the others and the share of draws are, the difference of their points has a
//! known distribution: coins for decided games between the two, and a deal without replacement for
//! each opponent that both have met (Fisher's exact test). Games between the two and a common
//! opponent count; others tell nothing here.

use crate::bradley_terry::Results;
use crate::normal::normal_cdf;
use crate::result::ScoreTally;

/// Decided games up to which the distribution is computed; with more the normal one is near enough.
const EXACT_UP_TO: u32 = 150;

/// The distribution of the half points by which the first player can be ahead.
struct Deal {
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
fn coins(games: u32, is_exact: bool) -> Deal {
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
fn hands(games: u32, all: ScoreTally, is_exact: bool) -> Deal {
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
    fn plus(self, other: Deal) -> Deal {
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
    fn two_sided_tail(&self, seen: i64) -> f64 {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn field(players: usize, games: &[(usize, usize, u32, u32, u32)]) -> Results {
        let mut field = Results::new(players);
        for &(one, other, wins, draws, losses) in games {
            let tally = ScoreTally {
                wins,
                draws,
                losses,
            };
            field.add_tally(one, other, tally);
        }
        field
    }

    #[track_caller]
    fn check(games: &[(usize, usize, u32, u32, u32)], expected: f64) {
        let field = field(3, games);
        let got = [compare_players(&field, 0, 1), compare_players(&field, 1, 0)];
        assert!((got[0].lead + got[1].lead).abs() < 1e-9, "{got:?}");
        for Comparison { chance, .. } in got {
            assert!(
                (chance - expected).abs() < 1e-9,
                "{games:?}: {chance}, not {expected}"
            );
        }
    }

    #[test]
    fn games_between_two_are_coins_and_draws_tell_nothing() {
        check(&[], 1.0);
        check(&[(0, 1, 3, 0, 0)], 2.0 / 8.0);
        check(&[(0, 1, 5, 0, 0)], 2.0 / 32.0);
        check(&[(0, 1, 6, 90, 0)], 2.0 / 64.0);
        check(&[(0, 1, 2, 7, 1)], 1.0);
        check(&[(0, 1, 0, 40, 0)], 1.0);
    }

    /// R. A. Fisher's lady who tasted tea: 4 of 4 right, a chance of 1 in 70 to either side.
    #[test]
    fn games_against_a_common_opponent_are_dealt() {
        check(&[(0, 2, 4, 0, 0), (1, 2, 0, 0, 4)], 2.0 / 70.0);
        check(&[(0, 2, 1, 0, 0), (1, 2, 0, 0, 20)], 2.0 / 21.0);
        // Only one of them has met the third.
        check(&[(0, 2, 50, 0, 0)], 1.0);
        // Both: 2 coins and 1 of 6 deals.
        check(
            &[(0, 1, 2, 0, 0), (0, 2, 2, 0, 0), (1, 2, 0, 0, 2)],
            2.0 / 4.0 / 6.0,
        );
    }

    #[test]
    fn many_games_are_near_the_exact_distribution() {
        let games = |more: u32| {
            [
                (0, 1, 30 + more, 10, 22),
                (0, 2, 15, 8, 12),
                (1, 2, 10, 8, 17),
            ]
        };
        let few = field(3, &games(0));
        let exact = compare_players(&few, 0, 1).chance;
        let common = few.tally_between(0, 2) + few.tally_between(1, 2);
        let near = coins(52, false).plus(hands(35, common, false));
        let near = near.two_sided_tail(8 + 38);
        assert!((exact - near).abs() < 0.005, "{exact} {near}");
        assert!(exact > 0.01 && exact < 0.4, "{exact}");
        let many = compare_players(&field(3, &games(300)), 0, 1).chance;
        assert!(many < 1e-12, "{many}");
    }
}
