//! Tests of `person_ratings`.

use std::borrow::Cow;

use leitai_game::RatedBot;
use serde_json::json;

use leitai_game::RatingScale;
use leitai_server::person_ratings::*;
use leitai_store::{Json, MatchId, MatchSide, MatchWinner, PersonOpponent, PersonResult, UserId};

const fn level(name: &'static str, rating: i32) -> RatedBot {
    RatedBot {
        name,
        rating,
        error: 0,
    }
}

const SCALE: RatingScale = RatingScale {
    name: Cow::Borrowed("test-1"),
    levels: Cow::Borrowed(&[
        level("level1", 1000),
        level("level2", 1200),
        level("level3", 1400),
        level("level4", 1600),
    ]),
    public_bots: &[],
    former: &[],
    ladder_bots: &[],
    earlier: &[],
};

fn result(opponent: &str, winner: MatchWinner) -> PersonResult {
    PersonResult {
        match_id: MatchId(1),
        side: MatchSide::A,
        opponent: PersonOpponent::BuiltIn(opponent.to_owned(), 1),
        winner,
        corrected: false,
        leg_outcomes: Some(json!([{"winner": winner}])),
        config: json!({}),
        limits: Json::Null,
    }
}

fn rate(results: &[PersonResult]) -> PersonRating {
    let found: Vec<_> = results
        .iter()
        .filter_map(|one| Some((one.match_id, rated_games(&SCALE, &KnownPeople::new(), one)?)))
        .collect();
    rate_results(&SCALE, &found)
}

#[test]
fn a_rating_is_shown_from_the_fifth_match_on() {
    let win = result("level2", MatchWinner::A);
    let few = rate(&vec![win.clone(); 3]);
    assert_eq!((few.value, few.matches, few.missing), (None, 3, 2));
    let enough = rate(&vec![win; 5]);
    let value = enough.value.expect("there is a rating");
    assert!(value > 1300.0 && value < 2000.0, "{enough:?}");
    let error = enough.error.expect("with its error");
    assert!(error > 150.0 && error < 400.0, "{enough:?}");
}

#[test]
fn who_wins_half_of_the_games_is_as_strong_as_the_level() {
    let mut half = vec![result("level3", MatchWinner::A); 40];
    half.extend(vec![result("level3", MatchWinner::B); 40]);
    let rating = rate(&half);
    let value = rating.value.expect("there is a rating");
    assert!((value - 1400.0).abs() < 5.0, "{rating:?}");
    assert!(rating.error.is_some_and(|error| error < 50.0), "{rating:?}");
}

#[test]
fn people_of_known_strength_count_with_their_error() {
    let (known, unknown, stranger) = (UserId(1), UserId(2), UserId(3));
    let strong = rate_by_levels(&SCALE, &vec![result("level4", MatchWinner::A); 8]);
    let few = rate_by_levels(&SCALE, &vec![result("level4", MatchWinner::A); 4]);
    assert_eq!(few, None);
    let people = KnownPeople::from([(known, strong), (unknown, few)]);
    let against = |other| {
        let mut won = result("", MatchWinner::A);
        won.opponent = PersonOpponent::Person(other);
        rated_games(&SCALE, &people, &won)
    };
    let strong = strong.expect("eight matches tell");
    let told = against(known).expect("it counts");
    assert_eq!((told.opponent, told.error), (strong.value, strong.error));
    assert!(strong.value > 1600.0 && strong.error > 100.0, "{strong:?}");
    assert_eq!((against(unknown), against(stranger)), (None, None));
    // Whom one met counts for nobody else: else two could lift each other.
    let mut met = vec![result("level1", MatchWinner::A); 4];
    let mut won = result("", MatchWinner::A);
    won.opponent = PersonOpponent::Person(known);
    met.push(won);
    assert_eq!(rate_by_levels(&SCALE, &met), None);
}

#[test]
fn only_whole_matches_against_levels_count() {
    let with = |change: fn(&mut PersonResult)| {
        let mut one = result("level1", MatchWinner::A);
        change(&mut one);
        rated_games(&SCALE, &KnownPeople::new(), &one).map(|rated| (rated.games, rated.points))
    };
    assert_eq!(with(|_| {}), Some((1.0, 1.0)));
    assert_eq!(with(|one| one.side = MatchSide::B), Some((1.0, 0.0)));
    assert_eq!(
        with(|one| one.opponent = PersonOpponent::BuiltIn("greedy".to_owned(), 1)),
        None
    );
    assert_eq!(
        with(|one| one.opponent = PersonOpponent::BuiltIn("champion".to_owned(), 1)),
        None
    );
    assert_eq!(
        with(|one| one.limits = json!({"from": {"match": 3, "leg": 1, "round": 9}})),
        None,
        "played on from a moment of another match"
    );
    assert_eq!(with(|one| one.config = json!({"max_round": 99})), None);
    assert_eq!(with(|one| one.config = json!({"rounds": 30})), None);
    assert_eq!(
        with(|one| one.config = json!({"max_round": 100})),
        Some((1.0, 1.0))
    );
    let legs = |one: &mut PersonResult| {
        one.leg_outcomes = Some(json!([{"winner": "a"}, {"winner": "draw"}]));
    };
    assert_eq!(with(legs), Some((2.0, 1.5)));
    let corrected = |one: &mut PersonResult| {
        one.leg_outcomes = Some(json!([{"winner": "a"}, {"winner": "a"}]));
        (one.winner, one.corrected) = (MatchWinner::B, true);
    };
    assert_eq!(
        with(corrected),
        Some((1.0, 0.0)),
        "the winner is what counts"
    );
}

#[test]
fn all_scales_of_the_games_have_a_prior() {
    for game in leitai_games::ALL {
        if let Some(scale) = game.rating_scale() {
            assert!(prior_of(scale).value >= 1000.0, "{}", scale.name);
        }
    }
}
