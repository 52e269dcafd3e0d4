//! Tests of `exact_test`.

use leitai_ladder::exact_test::*;

use super::field;

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
    check(&[(0, 1, 3, 0, 0), (0, 2, 9_000, 0, 0)], 2.0 / 8.0);
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
