//! Tests of `result`.

use leitai_ladder::result::*;

#[test]
fn pairs_are_counted_by_points() {
    let mut pairs = PairTally::default();
    for one in GameScore::ALL {
        for two in GameScore::ALL {
            pairs.count_pair([one, two]);
        }
    }
    assert_eq!(pairs, PairTally([1, 2, 3, 2, 1]));
    assert_eq!(pairs.point_share(), 0.5);
}

/// A test of Stockfish's framework, whose raw statistics are published: montytest
/// 69d3c8dc7c5b3724e29d2712.
#[test]
fn moments_agree_with_a_published_test() {
    let pairs = PairTally([13, 37, 50, 25, 3]);
    assert_eq!(pairs.pair_count(), 128);
    assert!((pairs.point_share() - 0.43750).abs() < 5e-6);
    assert!((pairs.share_variance() - 0.05762).abs() < 5e-6);
    assert_eq!(pairs.flip_side().flip_side(), pairs);
    assert!((pairs.flip_side().point_share() - 0.56250).abs() < 5e-6);
}

#[test]
fn a_tally_seen_from_the_other_side() {
    let mut tally = ScoreTally::default();
    [
        GameScore::Win,
        GameScore::Win,
        GameScore::Draw,
        GameScore::Loss,
    ]
    .into_iter()
    .for_each(|score| tally.count_game(score));
    assert_eq!((tally.game_count(), tally.points()), (4, 2.5));
    assert_eq!(tally.flip_side().points(), 1.5);
    assert_eq!(
        tally + tally.flip_side(),
        ScoreTally {
            wins: 3,
            draws: 2,
            losses: 3
        }
    );
}
