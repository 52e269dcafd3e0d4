//! Tests of `stopped_estimate`.

use leitai_ladder::elo;
use leitai_ladder::pair_spread::elo_interval;
use leitai_ladder::result::PairTally;
use leitai_ladder::sprt::Drift;
use leitai_ladder::stopped_estimate::*;

use super::test_up_to;

/// montytest 69d3c8dc7c5b3724e29d2712: Elo -43.6578 [-75.5244, -15.4045], LOS 0.00114. It
/// tested normalized Elo, whose interval is a little longer; what has not been seen lengthens ours.
#[test]
fn agrees_with_a_published_test() {
    let sprt = test_up_to(2.716);
    let got = estimate_after_stop(&sprt, &PairTally([13, 37, 50, 25, 3]), 0.95)
        .expect("pairs were played");
    assert!((got.elo + 43.6578).abs() < 0.1, "{got:?}");
    assert!(
        (got.low + 75.5244).abs() < 2.5 && (got.high + 15.4045).abs() < 2.5,
        "{got:?}"
    );
    assert!((got.los - 0.00114).abs() < 1.5e-3, "{got:?}");
}

/// The chances of the Brownian motion against the closed forms that are known for them.
#[test]
fn the_probabilities_of_all_ends_sum_to_one() {
    let check = |mean: f64, time: f64| {
        let (drift, walk) = (
            Drift {
                mean,
                variance: 1.0,
            },
            AbsorbedWalk {
                lower: -2.0,
                upper: 3.0,
                time,
                at: 3.0 - 1e-12,
            },
        );
        let below = walk.stopped_below(drift);
        let above = walk.mirror_walk().stopped_below(Drift {
            mean: -mean,
            variance: 1.0,
        });
        let alive = walk.alive_below(drift);
        assert!(
            (below + above + alive - 1.0).abs() < 1e-7,
            "{mean} {time}: {below} {alive} {above}"
        );
        if time > 50.0 {
            let up = match mean {
                0.0 => 2.0 / 5.0,
                _ => (1.0 - (4.0 * mean).exp()) / ((-6.0 * mean).exp() - (4.0 * mean).exp()),
            };
            assert!((above - up).abs() < 1e-6, "{mean}: {above} {up}");
        }
    };
    for mean in [-1.0, -0.3, 0.0, 0.1, 0.7] {
        [0.1, 1.0, 4.0, 20.0, 100.0]
            .into_iter()
            .for_each(|time| check(mean, time));
    }
}

#[test]
fn a_stopped_test_is_estimated_nearer_to_the_middle() {
    let sprt = test_up_to(20.0);
    let pairs = PairTally([10, 60, 160, 120, 40]);
    assert!(sprt.log_likelihood_ratio(&pairs) > sprt.llr_bounds().1);
    let (plain, [seen, low, _]) = (
        estimate_after_stop(&sprt, &pairs, 0.95).expect("pairs were played"),
        elo_interval(&pairs, 0.95),
    );
    assert!(
        plain.elo < seen && plain.low < low,
        "{plain:?} {seen} {low}"
    );
}

#[test]
fn one_sided_results_have_finite_ends() {
    let sprt = test_up_to(10.0);
    let won =
        estimate_after_stop(&sprt, &PairTally([0, 0, 5, 0, 35]), 0.95).expect("pairs were played");
    let lost =
        estimate_after_stop(&sprt, &PairTally([35, 0, 5, 0, 0]), 0.95).expect("pairs were played");
    assert!(
        (won.elo - elo::elo_difference(75.0 / 80.0)).abs() < 15.0,
        "{won:?}"
    );
    assert!(won.low > 250.0 && won.high < 1000.0, "{won:?}");
    assert!(
        (won.elo + lost.elo).abs() < 1.0 && (won.low + lost.high).abs() < 1.0,
        "{won:?} {lost:?}"
    );
}

/// A test that rejected after 102 pairs of 1-1: nothing tells the two apart.
#[test]
fn pairs_that_all_ended_alike_have_a_symmetric_interval() {
    let sprt = test_up_to(10.0);
    let got = |pairs| estimate_after_stop(&sprt, &PairTally(pairs), 0.95).expect("played");
    let Estimate {
        elo,
        low,
        high,
        los,
    } = got([0, 0, 102, 0, 0]);
    assert!(
        elo.abs() < 1e-9 && (low + high).abs() < 1e-9,
        "{low} {high}"
    );
    assert!((10.0..13.0).contains(&high) && (los - 0.5).abs() < 1e-9);
    // One that brought more says less.
    assert!(got([0, 1, 100, 1, 0]).high - got([0, 1, 100, 1, 0]).low > high - low);
    // The other way round: every pair brought the same to one side.
    let better = got([0, 0, 0, 40, 0]);
    assert!((better.elo - elo::elo_difference(0.75)).abs() < 1e-6);
    assert!(better.low > 50.0 && better.high < 400.0, "{better:?}");
}

/// 45 of 46 games: no more than one point to hold against the winner, and no less.
#[test]
fn a_single_loss_bounds_the_interval() {
    let sprt = test_up_to(50.0);
    let got = estimate_after_stop(&sprt, &PairTally([0, 0, 1, 0, 22]), 0.95).expect("played");
    assert!(
        got.low > 200.0 && got.high < 1300.0 && got.high > 900.0,
        "{got:?}"
    );
}

#[test]
fn winning_everything_is_bounded_on_one_side() {
    let sprt = test_up_to(10.0);
    let got =
        estimate_after_stop(&sprt, &PairTally([0, 0, 0, 0, 30]), 0.95).expect("pairs were played");
    assert_eq!((got.elo, got.high), (f64::INFINITY, f64::INFINITY));
    assert!(got.low > 100.0 && got.low.is_finite(), "{got:?}");
    assert!(got.los > 0.999);
    assert_eq!(
        estimate_after_stop(&sprt, &PairTally::default(), 0.95),
        None
    );
}
