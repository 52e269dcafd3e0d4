//! Tests of `forecast`.

use leitai_contest::dry_run::Chance;
use leitai_contest::file::StageFormat;
use leitai_contest::file::StageRules;
use leitai_contest::forecast::*;
use leitai_contest::problem::both;
use leitai_contest::progress::derive_stage;
use leitai_contest::progress::{MatchPlace, MatchPoints};
use leitai_ladder::elo::expected_score;
use std::collections::BTreeMap;

fn stage(format: StageFormat, matches: u32, take: Option<u32>) -> StageRules {
    StageRules {
        name: both("x", "x"),
        format,
        matches,
        take,
        starts: None,
        tie_breaks: Vec::new(),
    }
}

const EVERYBODY: StageFormat = StageFormat::RoundRobin { rounds: 1 };

/// Plays so many matches of the stage, the better seed winning.
fn play(rules: &StageRules, players: usize, most: usize) -> BTreeMap<MatchPlace, Vec<MatchPoints>> {
    let mut results = BTreeMap::new();
    for _ in 0..most {
        let progress = derive_stage(rules, players, &[], &results);
        let Some(next) = progress.matches.iter().min_by_key(|next| next.place.1) else {
            break;
        };
        let won = next.pair[0] < next.pair[1];
        let points = if won { [1.0, 0.0] } else { [0.0, 1.0] };
        let pair = next.pair;
        results.insert(next.place, vec![MatchPoints { pair, points }]);
    }
    results
}

fn forecast(
    stages: &[StageRules],
    players: usize,
    absent: &[bool],
    results: &BTreeMap<MatchPlace, Vec<MatchPoints>>,
) -> Forecast {
    let running = RunningStage {
        stages,
        players,
        absent,
        results,
        earlier: &[],
    };
    let forecast = forecast_contest(&running, 5).expect("a small field");
    assert_eq!(forecast_contest(&running, 5).as_ref(), Some(&forecast));
    let sum: f64 = forecast.players.iter().map(|one| one.win).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    forecast
}

#[test]
fn nothing_is_known_before_the_first_match_and_all_after_the_last() {
    // Many matches: between equal points the better seed is first.
    let stages = [stage(EVERYBODY, 25, None)];
    let before = forecast(&stages, 4, &[], &BTreeMap::new());
    for one in &before.players {
        assert!((one.first - 0.25).abs() < 0.07, "{before:?}");
        assert_eq!(one.places, [1, 4]);
    }
    let after = forecast(&stages, 4, &[], &play(&stages[0], 4, usize::MAX));
    for (seed, one) in after.players.iter().enumerate() {
        let first = f64::from(u8::from(seed == 0));
        assert_eq!((one.first, one.win), (first, first));
        assert_eq!(one.places, [seed + 1, seed + 1]);
    }
}

#[test]
fn results_and_absence_change_the_chances() {
    let stages = [stage(EVERYBODY, 10, None)];
    let half = play(&stages[0], 4, 30);
    let chances = forecast(&stages, 4, &[], &half);
    assert!(chances.players[0].first > 0.6, "{chances:?}");
    assert!(chances.players[3].first < 0.05, "{chances:?}");
    let absent = forecast(&stages, 4, &[true, false, false, false], &half);
    assert!(absent.players[0].first < chances.players[0].first);
}

#[test]
fn two_who_drew_before_may_draw_again() {
    let stages = [stage(EVERYBODY, 1, None)];
    let (pair, points) = ([0, 1], [0.5, 0.5]);
    let running = RunningStage {
        stages: &stages,
        players: 2,
        absent: &[],
        results: &BTreeMap::new(),
        earlier: &[MatchPoints { pair, points }; 10],
    };
    let players = forecast_contest(&running, 5).expect("two").players;
    // A quarter of the matches is won by the second; a draw is for the better seed.
    assert!((players[1].first - 0.25).abs() < 0.1, "{players:?}");
}

#[test]
fn a_final_among_few_is_played_on() {
    // After the first stage the last of four is out; the best of three has not won yet.
    let stages = [
        stage(EVERYBODY, 2, None),
        stage(StageFormat::Single, 1, Some(2)),
    ];
    let results = play(&stages[0], 4, usize::MAX);
    let chances = forecast(&stages, 4, &[], &results);
    assert_eq!(chances.players[0].first, 1.0);
    assert!(chances.players[0].win < 1.0 && chances.players[1].win > 0.0);
    assert_eq!([chances.players[2].win, chances.players[3].win], [0.0, 0.0]);
    // Who withdraws before the final does not play it.
    let chances = forecast(&stages, 4, &[false, true, false, false], &results);
    assert_eq!(chances.players[1].win, 0.0);
    assert!(chances.players[2].win > 0.0);
}

#[test]
fn chances_are_calibrated() {
    // Contests of known strengths: of those said to win with p, about p win.
    let rules = [stage(EVERYBODY, 1, None)];
    let mut chance = Chance::new(11);
    let (mut said, mut variance, mut won) = (0.0, 0.0, 0.0);
    for contest in 0..60_u64 {
        let strengths: Vec<f64> = (0..5).map(|_| SPREAD * chance.normal()).collect();
        let mut results = BTreeMap::new();
        let mut half = None;
        let winner = loop {
            let progress = derive_stage(&rules[0], 5, &[], &results);
            if results.len() == 5 && half.is_none() {
                half = Some(results.clone());
            }
            let Some(next) = progress.matches.first() else {
                break progress.standings[0].player;
            };
            let share = expected_score(strengths[next.pair[0]] - strengths[next.pair[1]]);
            let first = f64::from(u8::from(chance.share() < share));
            let (pair, points) = (next.pair, [first, 1.0 - first]);
            results.insert(next.place, vec![MatchPoints { pair, points }]);
        };
        let half = half.expect("ten matches are played");
        let running = RunningStage {
            stages: &rules,
            players: 5,
            absent: &[],
            results: &half,
            earlier: &[],
        };
        let forecast = forecast_contest(&running, contest).expect("a small field");
        let players = &forecast.players;
        let favourite = (0..5).max_by(|a, b| players[*a].win.total_cmp(&players[*b].win));
        let favourite = favourite.expect("five players");
        said += players[favourite].win;
        variance += players[favourite].win * (1.0 - players[favourite].win);
        won += f64::from(u8::from(favourite == winner));
    }
    assert!(
        (said - won).abs() < 2.6 * f64::sqrt(variance),
        "{won} of {said} favourites won"
    );
}

#[test]
fn a_field_that_is_too_large_has_no_forecast() {
    // Only four go on, so that the second stage is small.
    let stages = [
        stage(StageFormat::Swiss { rounds: Some(10) }, 1, None),
        stage(EVERYBODY, 1, Some(4)),
    ];
    let results = BTreeMap::new();
    let ask = |players| {
        let running = RunningStage {
            stages: &stages,
            players,
            absent: &[],
            results: &results,
            earlier: &[],
        };
        forecast_contest(&running, 1).is_some()
    };
    assert_eq!(
        [0, 1, 2, 100, 5000].map(ask),
        [false, false, true, true, false]
    );
}
