//! Tests of `sprt`.

use leitai_ladder::elo;
use leitai_ladder::result::PairTally;
use leitai_ladder::sprt::*;
use proptest::prelude::*;

use super::test_up_to;

const USUAL: Sprt = test_up_to(10.0);

/// montytest 69d3c8dc7c5b3724e29d2712, "Logistic (exact)" for the logistic bounds 0 and 2.716
/// of its raw statistics.
#[test]
fn llr_agrees_with_a_published_test() {
    let sprt = test_up_to(2.716);
    let llr = sprt.log_likelihood_ratio(&PairTally([13, 37, 50, 25, 3]));
    assert!((llr + 0.53772).abs() < 1e-4, "{llr}");
}

/// fastchess's test of `--sprt 379 10170 21828 10640 343` (Disservin/fastchess#783): bounds of
/// 0 and 2 normalized Elo, LLR 2.94598. Normalized bounds are turned into logistic ones by the
/// spread that was seen, so that the last digits differ.
#[test]
fn llr_agrees_with_fastchess() {
    let pairs = PairTally([379, 10170, 21828, 10640, 343]);
    let per_game = (2.0 * pairs.share_variance()).sqrt();
    let share1 = 0.5 + 2.0 / (2.0 * elo::PER_LOGIT) * per_game;
    let sprt = test_up_to(elo::elo_difference(share1));
    let llr = sprt.log_likelihood_ratio(&pairs);
    assert!((llr - 2.94598).abs() < 2e-3, "{llr}");
    assert_eq!(sprt.decide_test(&pairs), Decision::Accepted);
}

#[test]
fn decisions_follow_the_bounds() {
    let check = |counts, expected| {
        assert_eq!(
            USUAL.decide_test(&PairTally(counts)),
            expected,
            "{counts:?}"
        )
    };
    check([0, 0, 0, 0, 0], Decision::Undecided);
    check([0, 0, 0, 0, 1], Decision::Undecided);
    check([0, 0, 0, 0, 400], Decision::Accepted);
    check([400, 0, 0, 0, 0], Decision::Rejected);
    check([0, 0, 5000, 0, 0], Decision::Rejected);
    check([50, 100, 200, 100, 50], Decision::Undecided);
}

#[test]
fn invalid_numbers_are_named() {
    let check = |change: fn(&mut Sprt), part: &str| {
        let mut sprt = USUAL;
        change(&mut sprt);
        let said = sprt.check_parameters();
        assert!(said.is_err_and(|why| why.contains(part)), "{sprt:?}");
    };
    assert_eq!(USUAL.check_parameters(), Ok(()));
    check(|sprt| sprt.elo1 = 0.0, "greater than elo0");
    check(|sprt| sprt.alpha = 0.5, "alpha 0.5");
    check(|sprt| sprt.beta = f64::NAN, "beta NaN");
    check(|sprt| sprt.elo1 = f64::INFINITY, "elo1 inf");
}

#[test]
fn clearer_results_need_fewer_remaining_games() {
    let to_go = |counts| {
        USUAL
            .expected_pairs_to_go(&PairTally(counts))
            .expect("pairs were played")
    };
    assert_eq!(USUAL.expected_pairs_to_go(&PairTally::default()), None);
    assert!(to_go([5, 20, 50, 40, 15]) < to_go([10, 24, 50, 26, 10]));
    assert_eq!(to_go([0, 0, 0, 0, 400]), 0.0);
    // Without drift a walk from the middle of (-a, a) leaves after a²/variance steps.
    assert!((expected_exit(-2.0, 2.0, 0.0, 0.01) - 400.0).abs() < 1e-9);
    assert!((expected_exit(-2.0, 2.0, 1.0, 0.01) - 2.0).abs() < 1e-6);
    assert!((expected_exit(-2.0, 2.0, 1e-5, 0.01) - 400.0).abs() < 0.1);
}

fn any_pairs() -> impl Strategy<Value = PairTally> {
    proptest::array::uniform5(0u32..500).prop_map(PairTally)
}

proptest! {
    #[test]
    fn llr_is_finite_and_changes_sign_with_the_sides(pairs in any_pairs(), elo0 in -50.0f64..50.0, width in 0.5f64..100.0) {
        let sprt = Sprt { elo0, elo1: elo0 + width, ..USUAL };
        let mirrored = Sprt { elo0: -sprt.elo1, elo1: -sprt.elo0, ..USUAL };
        let llr = sprt.log_likelihood_ratio(&pairs);
        prop_assert!(llr.is_finite());
        prop_assert!((llr + mirrored.log_likelihood_ratio(&pairs.flip_side())).abs() < 1e-6 * (1.0 + llr.abs()));
    }

    #[test]
    fn a_won_pair_never_lowers_the_llr(pairs in any_pairs()) {
        let mut more = pairs;
        more.0[4] += 1;
        prop_assert!(USUAL.log_likelihood_ratio(&more) >= USUAL.log_likelihood_ratio(&pairs) - 1e-9);
    }
}
