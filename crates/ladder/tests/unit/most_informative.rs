//! Tests of `most_informative`.

use leitai_ladder::bradley_terry::Results;
use leitai_ladder::most_informative::*;
use leitai_ladder::result::GameScore;

const AIM: Precision = Precision {
    confidence: 0.95,
    equal_within: 0.0,
};

fn field(games: &[(usize, usize, u32, u32)]) -> Results {
    let with_draws = |&(one, other, wins, losses): &_| (one, other, wins, 0, losses);
    super::field(4, &games.iter().map(with_draws).collect::<Vec<_>>())
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

/// A lead of 8 : 0 comes by chance once in 128 times; who looks after every game waits for more.
#[test]
fn looking_after_every_game_asks_for_a_larger_lead() {
    let is_settled = |wins: u32| {
        let field = super::field(2, &[(0, 1, wins, 0, 0)]);
        RankOrder::from_results(&field, &AIM).is_settled()
    };
    assert_eq!([8, 9, 10].map(is_settled), [false, false, true]);
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
        if unit < leitai_ladder::elo::expected_score(difference) {
            GameScore::Win
        } else {
            GameScore::Loss
        }
    }
}
