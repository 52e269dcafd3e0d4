//! Tests of `bradley_terry`.

use leitai_ladder::bradley_terry::*;
use leitai_ladder::elo::PER_LOGIT;
use leitai_ladder::result::GameScore;
use proptest::prelude::*;

use super::field;

/// Citations between four journals of statistics (S. Stigler 1994), fitted in Agresti's
/// "Categorical Data Analysis" and in the manual of the R package BradleyTerry2: abilities
/// against Biometrika with their standard errors by the model.
#[test]
fn agrees_with_the_published_fit_of_citations() {
    let fit = field(
        4,
        &[
            (0, 1, 730, 0, 33),
            (0, 2, 498, 0, 320),
            (0, 3, 221, 0, 284),
            (1, 2, 68, 0, 813),
            (1, 3, 17, 0, 276),
            (2, 3, 142, 0, 325),
        ],
    )
    .fit_ratings();
    let covariances = fit.covariance_matrix();
    let check = |journal: usize, ability: f64, error: f64| {
        let got = fit.rating_difference(journal, 0);
        assert!(
            (got.value / PER_LOGIT - ability).abs() < 2e-3,
            "{journal}: {got:?}"
        );
        let of = |one: usize, other: usize| covariances[one][other];
        let model = of(journal, journal) + of(0, 0) - 2.0 * of(journal, 0);
        assert!((model.sqrt() - error).abs() < 1e-3, "{journal}: {model}");
        // Independent games without draws spread as the model says.
        let ratio = got.error / PER_LOGIT / error;
        assert!((ratio - 1.0).abs() < 0.03, "{journal}: {ratio}");
    };
    check(1, -2.94907, 0.10255);
    check(2, -0.47957, 0.06059);
    check(3, 0.26895, 0.07083);
}

/// Two players: the logarithm of the odds of a point, however many of the points are draws.
#[test]
fn two_players_have_a_closed_form() {
    for games in [(0, 1, 5500, 0, 2500), (0, 1, 4000, 3000, 1000)] {
        let got = field(2, &[games]).fit_ratings().rating_difference(0, 1);
        assert!((got.value - PER_LOGIT * (5500.0f64 / 2500.0).ln()).abs() < 0.3);
    }
}

/// Matches of two legs that end 2 : 0 or 0 : 2 tell as much as single legs; those that are drawn
/// tell more the more there are.
#[test]
fn errors_are_those_of_the_matches() {
    let error = |matches: &[(u32, [GameScore; 2])]| {
        let mut field = Results::new(2);
        for (count, legs) in matches {
            let score = legs[0].max(legs[1]);
            (0..*count).for_each(|_| field.add_match(0, 1, score, legs));
        }
        let got = field.fit_ratings().rating_difference(0, 1);
        assert!(got.value.abs() < 1e-6, "{got:?}");
        got.error
    };
    let (won, drawn, lost) = (GameScore::Win, GameScore::Draw, GameScore::Loss);
    let single = field(2, &[(0, 1, 200, 0, 200)]).fit_ratings();
    let single = single.rating_difference(0, 1).error;
    let alike = error(&[(200, [won, won]), (200, [lost, lost])]);
    assert!((alike / single - 1.0).abs() < 0.01, "{alike} {single}");
    let split = error(&[(400, [won, lost])]);
    assert!(split < 2.0 && split > 1.0, "{split}");
    assert_eq!(split, error(&[(400, [drawn, drawn])]));
}

#[test]
fn ratings_stay_finite_and_are_marked_when_nothing_was_lost() {
    let fit = field(3, &[(0, 1, 20, 0, 0), (1, 2, 20, 0, 0)]).fit_ratings();
    let top = fit.rating_difference(0, 1);
    assert!(
        top.value.is_finite() && top.value > 400.0 && top.error > 150.0,
        "{top:?}"
    );
    let alone = Results::new(3).fit_ratings().player_rating(1);
    assert!(
        alone.value.abs() < 1e-9 && alone.error > 1000.0,
        "{alone:?}"
    );
    assert!(Results::new(0).place_intervals(0.95).is_empty());
}

#[test]
fn places_are_ranges_where_the_order_is_open() {
    let check = |games: &[(usize, usize, u32, u32, u32)], expected: [[usize; 2]; 3]| {
        assert_eq!(field(3, games).place_intervals(0.95), expected, "{games:?}");
    };
    check(
        &[(0, 1, 11, 0, 9), (0, 2, 200, 0, 20), (1, 2, 200, 0, 20)],
        [[1, 2], [1, 2], [3, 3]],
    );
    // Nobody loses to one below: errors are wide, the order is plain.
    check(
        &[(0, 1, 20, 0, 0), (1, 2, 20, 0, 0)],
        [[1, 1], [2, 2], [3, 3]],
    );
    check(
        &[(0, 1, 1, 0, 0), (1, 2, 20, 0, 0)],
        [[1, 3], [1, 2], [2, 3]],
    );
    // Three games are too few, whatever they brought; seven tell two of three players apart.
    check(&[(0, 1, 3, 0, 0)], [[1, 3]; 3]);
    check(&[(0, 1, 7, 0, 0)], [[1, 2], [2, 3], [1, 3]]);
    // In a circle nobody is first.
    check(
        &[(0, 1, 30, 0, 0), (1, 2, 30, 0, 0), (0, 2, 0, 0, 30)],
        [[1, 3]; 3],
    );
    // Who is better than a better one is better, too.
    let chain = field(4, &[(0, 1, 30, 0, 9), (1, 2, 30, 0, 9), (2, 3, 30, 0, 9)]);
    assert_eq!(
        chain.place_intervals(0.95),
        [[1, 1], [2, 2], [3, 3], [4, 4]]
    );
}

/// A field in which players meet others of about their strength, as on a ladder; one of them
/// loses every game.
fn ladder_field(players: usize, games: usize, seed: u64) -> Results {
    let mut state = seed;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut field = Results::new(players);
    for _ in 0..games {
        let one = (random() * players as f64) as usize;
        let other = (one + 1 + (random() * 20.0) as usize) % players;
        let at = random() * 100.0 + (one as f64 - other as f64);
        let score = match at {
            _ if one == 0 => GameScore::Loss,
            _ if other == 0 => GameScore::Win,
            at if at > 60.0 => GameScore::Win,
            at if at > 50.0 => GameScore::Draw,
            _ => GameScore::Loss,
        };
        field.add_game(one, other, score);
    }
    field
}

/// Every player has the points that its rating stands for, but for the prior, and errors solve
/// the equations that they are said to solve.
#[track_caller]
fn check_fit(field: &Results) {
    let (fit, players) = (field.fit_ratings(), field.player_count());
    let (expected, legs) = (
        |one, other| fit.expected_points(one, other),
        |one, other| field.meeting_between(one, other).legs,
    );
    assert!(fit.point.iter().sum::<f64>().abs() < 1e-6 * players as f64);
    let mut contrast = vec![0.0; players];
    (contrast[0], contrast[players - 1]) = (1.0, -1.0);
    let solved = fit
        .curvature
        .solve_system(&fit.pairs, &contrast, SOLVED / 100.0);
    for one in 0..players {
        let (mut gap, mut bent) = (-ridge_weight() * fit.point[one], 0.0);
        let mut games = 1.0;
        for other in (0..players).filter(|other| *other != one) {
            let (met, share) = (legs(one, other), expected(one, other));
            let count = f64::from(met.game_count());
            games += count;
            gap += met.points() - count * share;
            bent += count * share * (1.0 - share) * (solved[one] - solved[other]);
        }
        assert!(gap.abs() < 1e-6 * games, "{one}: {gap} points of {games}");
        let bent = bent + ridge_weight() * solved[one] - contrast[one];
        assert!(bent.abs() < 1e-5, "{one}: {bent}");
    }
}

#[test]
fn ratings_of_big_fields_fit_their_points() {
    for (players, games) in [(2, 7), (40, 300), (300, 20_000), (1000, 9_000)] {
        check_fit(&ladder_field(players, games, 1));
    }
}

#[test]
fn many_games_of_few_players_do_not_overflow() {
    let games = (0, 1, 2_000_000_000, 1_000_000_000, 1_000_000_000);
    check_fit(&field(3, &[games, (1, 2, 900_000, 0, 1)]));
    check_fit(&field(2, &[(0, 1, 0, 100_000, 0)]));
    check_fit(&field(2, &[(0, 1, 4_000_000, 0, 0)]));
}

fn any_games() -> impl Strategy<Value = Vec<(usize, usize, u32, u32, u32)>> {
    proptest::collection::vec((0..6usize, 0..6usize, 0..9u32, 0..4u32, 0..9u32), 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn ratings_fit_the_points(games in any_games()) {
        check_fit(&field(6, &games));
    }

    #[test]
    fn the_order_of_games_does_not_matter(games in any_games(), turn in 0..30usize) {
        let one = field(6, &games).fit_ratings();
        let mut other = games.clone();
        other.reverse();
        other.rotate_left(turn % games.len().max(1));
        let turned: Vec<_> = other.into_iter().map(|(a, b, w, d, l)| (b, a, l, d, w)).collect();
        prop_assert_eq!(one.point, field(6, &turned).fit_ratings().point);
    }

    #[test]
    fn renaming_the_players_renames_the_ratings(games in any_games()) {
        let fit = field(6, &games).fit_ratings();
        let renamed: Vec<_> = games.iter().map(|&(a, b, w, d, l)| (5 - a, 5 - b, w, d, l)).collect();
        let other = field(6, &renamed).fit_ratings();
        for player in 0..6 {
            prop_assert!((fit.point[player] - other.point[5 - player]).abs() < 1e-5);
        }
    }
}
