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
