//! Chooses the game that is most informative about a ranking.
//!
//! The order is settled when every two neighbours in it are: one is surely the better, or they are
//! as good as equal. "Better" is told by the exact test of two players ([`crate::exact_test`]), "equal"
//! by the interval of their difference. Because it is asked again after every game, "surely" is
//! measured against a threshold that grows slowly with the games (Kaufmann and Koolen, "Mixture
//! Martingales Revisited with Applications to Sequential Tests", JMLR 22, 2021), and the doubt that is
//! allowed is shared among the neighbours.

use crate::bradley_terry::{Estimated, Fit, Results};
use crate::exact_test::compare_players;
use crate::normal::{normal_cdf, two_sided};

/// The precision at which a ranking counts as settled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The confidence in the whole order, such as 0.95.
    pub confidence: f64,
    /// Neighbours that are surely less than so much Elo apart are as good as equal; 0 to tell all
    /// apart.
    pub equal_within: f64,
}

/// The relation of two neighbours in the ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeighbourState {
    /// The one before is surely the better.
    Better,
    /// They are surely as good as equal.
    Equal,
    /// More games are needed.
    Open,
}

/// Two neighbours in the order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeighbourGap {
    /// The player before.
    pub upper: usize,
    /// The player behind.
    pub lower: usize,
    /// The difference.
    pub difference: Estimated,
    /// Their relation.
    pub standing: NeighbourState,
}

/// The present ranking with its uncertainty.
#[derive(Clone, Debug)]
pub struct RankOrder {
    /// The best first.
    pub players: Vec<usize>,
    /// Neighbours in it.
    pub gaps: Vec<NeighbourGap>,
    fit: Fit,
}

impl RankOrder {
    /// The order that the games of a field give.
    pub fn from_results(field: &Results, aim: &Precision) -> RankOrder {
        let fit = field.fit_ratings();
        let mut players: Vec<usize> = (0..field.player_count()).collect();
        players.sort_by(|one, other| {
            fit.rating_difference(*other, *one)
                .value
                .total_cmp(&0.0)
                .then(one.cmp(other))
        });
        let neighbours = players.windows(2);
        let gap = |pair: &[usize]| measure_gap(field, &fit, aim, pair[0], pair[1]);
        let gaps = neighbours.map(gap).collect();
        RankOrder { players, gaps, fit }
    }

    /// Whether every two neighbours are settled.
    pub fn is_settled(&self) -> bool {
        self.gaps
            .iter()
            .all(|gap| gap.standing != NeighbourState::Open)
    }

    /// The ratings behind the order.
    pub fn fitted_ratings(&self) -> &Fit {
        &self.fit
    }

    /// The pair whose game reduces the uncertainty about open neighbours most, given the games in
    /// progress, whose results are unknown. `None` when the ranking is settled. Barred pairs, in
    /// either order, are not chosen.
    pub fn next_game(
        &self,
        being_played: &[(usize, usize)],
        barred: &[(usize, usize)],
    ) -> Option<(usize, usize)> {
        let mut doubt = self.fit.covariance_matrix();
        being_played.iter().for_each(|(one, other)| {
            shrink_covariance(
                &mut doubt,
                self.game_information(*one, *other),
                *one,
                *other,
            )
        });
        let open: Vec<&NeighbourGap> = self
            .gaps
            .iter()
            .filter(|gap| gap.standing == NeighbourState::Open)
            .collect();
        let mut best: Option<(f64, (usize, usize))> = None;
        for (place, one) in self.players.iter().enumerate() {
            for other in &self.players[place + 1..] {
                if barred.contains(&(*one, *other)) || barred.contains(&(*other, *one)) {
                    continue;
                }
                let worth = self.game_worth(&doubt, &open, *one, *other);
                if worth > best.map_or(0.0, |(most, _)| most) {
                    best = Some((worth, (*one, *other)));
                }
            }
        }
        best.map(|(_, game)| game)
    }

    fn game_information(&self, one: usize, other: usize) -> f64 {
        let expected = self.fit.expected_points(one, other);
        expected * (1.0 - expected)
    }

    /// The share by which a game between the two reduces the summed variances of the open
    /// differences.
    fn game_worth(
        &self,
        doubt: &[Vec<f64>],
        open: &[&NeighbourGap],
        one: usize,
        other: usize,
    ) -> f64 {
        let information = self.game_information(one, other);
        let spread = |a: usize, b: usize, c: usize, d: usize| {
            doubt[a][c] - doubt[a][d] - doubt[b][c] + doubt[b][d]
        };
        let own = spread(one, other, one, other);
        let share = |gap: &&NeighbourGap| {
            let (upper, lower) = (gap.upper, gap.lower);
            let shared = spread(upper, lower, one, other);
            information * shared * shared
                / (1.0 + information * own)
                / spread(upper, lower, upper, lower)
        };
        open.iter().map(share).sum()
    }
}

/// The covariances after one more game of this information (Sherman and Morrison).
fn shrink_covariance(doubt: &mut [Vec<f64>], information: f64, one: usize, other: usize) {
    let along: Vec<f64> = doubt.iter().map(|row| row[one] - row[other]).collect();
    let own = along[one] - along[other];
    let by = information / (1.0 + information * own);
    for (row, pull) in doubt.iter_mut().zip(&along) {
        row.iter_mut()
            .zip(&along)
            .for_each(|(cell, other)| *cell -= by * pull * other);
    }
}

fn measure_gap(
    field: &Results,
    fit: &Fit,
    aim: &Precision,
    upper: usize,
    lower: usize,
) -> NeighbourGap {
    let difference = fit.rating_difference(upper, lower);
    let doubt = (1.0 - aim.confidence) / (field.player_count().max(2) - 1) as f64;
    let games = f64::from(field.tally_of(upper).game_count() + field.tally_of(lower).game_count());
    let needed = ((1.0 + games.max(1.0).ln()) / doubt).ln();
    // Standard errors squared and halved are the same measure as a likelihood ratio's logarithm.
    let reach = (2.0 * needed).sqrt().max(two_sided(1.0 - doubt));
    let compared = compare_players(field, upper, lower);
    let is_sure = compared.lead > 0.0 && compared.chance <= 2.0 * normal_cdf(-reach);
    let most = difference.value.abs() + reach * difference.error;
    let standing = match () {
        () if is_sure => NeighbourState::Better,
        () if most <= aim.equal_within => NeighbourState::Equal,
        () => NeighbourState::Open,
    };
    NeighbourGap {
        upper,
        lower,
        difference,
        standing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{GameScore, ScoreTally};

    const AIM: Precision = Precision {
        confidence: 0.95,
        equal_within: 0.0,
    };

    fn field(games: &[(usize, usize, u32, u32)]) -> Results {
        let mut field = Results::new(4);
        for &(one, other, wins, losses) in games {
            field.add_tally(
                one,
                other,
                ScoreTally {
                    wins,
                    draws: 0,
                    losses,
                },
            );
        }
        field
    }

    #[test]
    fn an_empty_field_has_a_first_pair_and_a_settled_one_has_none() {
        let order = RankOrder::from_results(&Results::new(4), &AIM);
        assert!(!order.is_settled());
        assert!(order.next_game(&[], &[]).is_some());
        let clear = field(&[(0, 1, 30, 0), (1, 2, 30, 0), (2, 3, 30, 0)]);
        let order = RankOrder::from_results(&clear, &AIM);
        assert_eq!(order.players, [0, 1, 2, 3]);
        assert!(order.is_settled(), "{:?}", order.gaps);
        assert_eq!(order.next_game(&[], &[]), None);
        assert!(RankOrder::from_results(&Results::new(1), &AIM).is_settled());
    }

    #[test]
    fn neighbours_of_unsettled_order_play() {
        let open = field(&[(0, 1, 30, 0), (1, 2, 6, 5), (2, 3, 30, 0)]);
        let order = RankOrder::from_results(&open, &AIM);
        assert_eq!(order.next_game(&[], &[]), Some((1, 2)));
    }

    #[test]
    fn a_running_game_is_not_suggested_again() {
        let order = RankOrder::from_results(&Results::new(4), &AIM);
        let first = order.next_game(&[], &[]).expect("nothing is settled");
        assert_ne!(order.next_game(&[first], &[]), Some(first));
    }

    #[test]
    fn barred_players_are_not_chosen() {
        let order = RankOrder::from_results(&Results::new(3), &AIM);
        let all = [(0, 1), (2, 0), (1, 2)];
        assert_eq!(order.next_game(&[], &all), None);
        let chosen = order.next_game(&[], &all[..2]).expect("one is left");
        assert!(chosen == (1, 2) || chosen == (2, 1));
    }

    #[test]
    fn equal_players_are_listed_only_on_request() {
        let equal = field(&[(0, 1, 5000, 5000), (1, 2, 400, 0), (2, 3, 400, 0)]);
        let standing = |aim| RankOrder::from_results(&equal, &aim).gaps[0].standing;
        assert_eq!(standing(AIM), NeighbourState::Open);
        assert_eq!(
            standing(Precision {
                equal_within: 25.0,
                ..AIM
            }),
            NeighbourState::Equal
        );
        assert_eq!(
            standing(Precision {
                equal_within: 5.0,
                ..AIM
            }),
            NeighbourState::Open
        );
    }

    /// Bots of known strength, 100 Elo apart, played until the order is settled: it is the true one
    /// at least as often as promised.
    #[test]
    fn settled_orders_are_right() {
        let strengths = [300.0, 0.0, 200.0, 100.0];
        let (mut right, mut games, runs) = (0, 0, 200);
        let mut chance = Chance(7);
        for _ in 0..runs {
            let mut field = Results::new(4);
            let mut order = RankOrder::from_results(&field, &AIM);
            while let Some((one, other)) = order.next_game(&[], &[]) {
                let score = chance.game(strengths[one] - strengths[other]);
                field.add_game(one, other, score);
                games += 1;
                if games % 4 == 0 {
                    order = RankOrder::from_results(&field, &AIM);
                }
            }
            right += u32::from(order.players == [0, 2, 3, 1]);
        }
        println!(
            "{right} of {runs} orders right at 95 %, {} games each on average",
            games / runs
        );
        assert!(right >= 185, "{right} of {runs}");
    }

    struct Chance(u64);

    impl Chance {
        fn game(&mut self, difference: f64) -> GameScore {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            let unit = ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64;
            if unit < crate::elo::expected_score(difference) {
                GameScore::Win
            } else {
                GameScore::Loss
            }
        }
    }
}
