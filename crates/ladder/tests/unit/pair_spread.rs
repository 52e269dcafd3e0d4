//! Tests of `pair_spread`.

use leitai_ladder::elo;
use leitai_ladder::pair_spread::*;
use leitai_ladder::result::PairTally;
use proptest::prelude::*;

/// 128 pairs with a dispersion of 0.05762 / 0.24609, three pseudo-pairs, and Wilson's formula.
#[test]
fn intervals_agree_with_arithmetic_by_hand() {
    let pairs = PairTally([13, 37, 50, 25, 3]);
    let [elo, low, high] = elo_interval(&pairs, 0.95);
    assert!((elo + 43.6578).abs() < 1e-3, "published");
    assert!((low + 74.1).abs() < 0.2, "{low}");
    assert!((high + 13.3).abs() < 0.2, "{high}");
    assert!((likelihood_of_superiority(&pairs) - 0.0024).abs() < 1e-4);
}

/// 30 pairs won: 1 - 0.975 is the chance of that at 88 % of the points (C. Clopper and
/// E. Pearson, Biometrika 26, 1934).
#[test]
fn winning_everything_is_bounded_below() {
    let [elo, low, high] = elo_interval(&PairTally([0, 0, 0, 0, 30]), 0.95);
    assert_eq!((elo, high), (f64::INFINITY, f64::INFINITY));
    assert!((low - elo::elo_difference(0.8843)).abs() < 10.0, "{low}");
    let [_, low, _] = elo_interval(&PairTally([0, 0, 0, 0, 1]), 0.95);
    assert!(low < -200.0, "one pair says hardly anything: {low}");
}

proptest! {
    #[test]
    fn intervals_hold_the_estimate_and_change_sides(counts in proptest::array::uniform5(0u32..500)) {
        let pairs = PairTally(counts);
        let [elo, low, high] = elo_interval(&pairs, 0.95);
        prop_assert!(low <= elo && elo <= high, "{low} {elo} {high}");
        let [_, other_low, other_high] = elo_interval(&pairs.flip_side(), 0.95);
        prop_assert!((low + other_high).abs() < 1e-6 || low == -other_high);
        prop_assert!((high + other_low).abs() < 1e-6 || high == -other_low);
        let los = likelihood_of_superiority(&pairs);
        prop_assert!((los + likelihood_of_superiority(&pairs.flip_side()) - 1.0).abs() < 1e-9);
    }
}
