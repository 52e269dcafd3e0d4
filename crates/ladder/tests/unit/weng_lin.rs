//! Tests of `weng_lin`.

use leitai_ladder::result::GameScore;
use leitai_ladder::weng_lin::*;
use proptest::prelude::*;

/// The first example of the openskill libraries: two newcomers, one game.
#[test]
fn agrees_with_the_published_example() {
    let (winner, loser) = Rating::default().rate_game(Rating::default(), GameScore::Win);
    assert!((winner.skill - 27.635_231_383).abs() < 1e-6, "{winner:?}");
    assert!((winner.doubt - 8.065_506_316).abs() < 1e-6, "{winner:?}");
    assert!((loser.skill - 22.364_768_617).abs() < 1e-6, "{loser:?}");
}

#[test]
fn newcomers_are_shown_at_1500_and_share_every_place() {
    assert_eq!(Rating::default().shown_rating().value, NEWCOMER);
    assert_eq!(place_intervals(&[Rating::default(); 3], 0.95), [[1, 3]; 3]);
    let sure = |skill| Rating { skill, doubt: 0.5 };
    assert_eq!(
        place_intervals(&[sure(20.0), sure(30.0), sure(30.5)], 0.95),
        [[3, 3], [1, 2], [1, 2]]
    );
}

fn any_rating() -> impl Strategy<Value = Rating> {
    (0.0f64..50.0, 0.5f64..9.0).prop_map(|(skill, doubt)| Rating { skill, doubt })
}

proptest! {
    #[test]
    fn winners_rise_losers_fall_doubt_shrinks(one in any_rating(), other in any_rating()) {
        let (winner, loser) = one.rate_game(other, GameScore::Win);
        prop_assert!(winner.skill >= one.skill && loser.skill <= other.skill);
        prop_assert!(winner.doubt <= one.doubt && loser.doubt <= other.doubt);
        prop_assert!((one.expected_score(other) + other.expected_score(one) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn places_are_those_that_every_pair_decides(ratings in prop::collection::vec(any_rating(), 0..60)) {
        let sure = leitai_ladder::normal::two_sided(0.95);
        let naive = |one: &Rating| {
            let better = ratings.iter().filter(|other| is_clearly_better(other, one, sure)).count();
            let worse = ratings.iter().filter(|other| is_clearly_better(one, other, sure)).count();
            [better + 1, ratings.len() - worse]
        };
        prop_assert_eq!(place_intervals(&ratings, 0.95), ratings.iter().map(naive).collect::<Vec<_>>());
    }

    #[test]
    fn players_of_equal_doubt_exchange_equal_points(one in any_rating(), skill in 0.0f64..50.0, score in 0usize..3) {
        let other = Rating { skill, doubt: one.doubt };
        let (a, b) = one.rate_game(other, GameScore::ALL[score]);
        prop_assert!((a.skill + b.skill - one.skill - other.skill).abs() < 1e-9);
    }

    #[test]
    fn seats_do_not_matter(one in any_rating(), other in any_rating(), score in 0usize..3) {
        let (a, b) = one.rate_game(other, GameScore::ALL[score]);
        let (d, c) = other.rate_game(one, GameScore::ALL[score].flip_side());
        prop_assert!((a.skill - c.skill).abs() < 1e-9 && (b.skill - d.skill).abs() < 1e-9);
    }
}
