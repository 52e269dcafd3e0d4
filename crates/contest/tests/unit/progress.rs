//! Tests of `progress`.

use leitai_contest::file::StageFormat;
use leitai_contest::file::{SeedRules, StageRules};
use leitai_contest::problem::both;
use leitai_contest::progress::*;
use leitai_ladder::tournament::EncounterKey;
use std::collections::BTreeMap;

fn stage(format: StageFormat, matches: u32) -> StageRules {
    StageRules {
        name: both("x", "x"),
        format,
        matches,
        take: None,
        starts: None,
        tie_breaks: Vec::new(),
    }
}

/// Plays the stage to its end, the better seed winning; returns the standings' players.
fn play(rules: &StageRules, players: usize, absent: &[bool]) -> (Vec<usize>, usize) {
    let (mut results, mut played) = (BTreeMap::new(), 0);
    loop {
        let progress = derive_stage(rules, players, absent, &results);
        let Some(next) = progress.matches.first() else {
            assert!(progress.is_over);
            let order = progress.standings.iter().map(|row| row.player);
            return (order.collect(), played);
        };
        let points = if next.pair[0] < next.pair[1] {
            [1.0, 0.0]
        } else {
            [0.0, 1.0]
        };
        let pair = next.pair;
        results.insert(next.place, vec![MatchPoints { pair, points }]);
        played += 1;
    }
}

#[test]
fn every_format_ends_in_the_order_of_strength() {
    let check = |format: StageFormat, players: usize, matches: usize| {
        let (order, played) = play(&stage(format, 2), players, &vec![false; players]);
        assert_eq!(order[0], 0, "{format:?} {players}");
        assert_eq!(played, matches, "{format:?} {players}");
    };
    check(StageFormat::RoundRobin { rounds: 1 }, 5, 20);
    check(StageFormat::Swiss { rounds: Some(3) }, 9, 24);
    check(StageFormat::Swiss { rounds: None }, 8, 32);
    check(StageFormat::Single, 6, 10);
    check(StageFormat::Double, 4, 12);
    check(
        StageFormat::Gauntlet {
            heads: 1,
            rounds: 1,
        },
        4,
        6,
    );
    check(StageFormat::Single, 1, 0);
}

#[test]
fn the_absent_lose_what_they_have_not_played() {
    let rules = stage(StageFormat::RoundRobin { rounds: 1 }, 1);
    let (order, played) = play(&rules, 4, &[true, false, false, false]);
    assert_eq!((order, played), (vec![1, 2, 3, 0], 3));
    let (order, played) = play(&stage(StageFormat::Single, 1), 4, &[true; 4]);
    assert_eq!(
        (order[0], played),
        (0, 0),
        "nobody is left: the seeds decide"
    );
}

#[test]
fn after_a_correction_matches_of_other_pairs_do_not_count() {
    let rules = stage(StageFormat::Single, 1);
    let mut results = BTreeMap::new();
    for _ in 0..3 {
        let next = derive_stage(&rules, 4, &[], &results).matches[0];
        let points = MatchPoints {
            pair: next.pair,
            points: [1.0, 0.0],
        };
        results.insert(next.place, vec![points]);
    }
    assert!(derive_stage(&rules, 4, &[], &results).is_over);
    let first = *results.keys().next().expect("a match");
    results.get_mut(&first).expect("it is there")[0].points = [0.0, 1.0];
    let progress = derive_stage(&rules, 4, &[], &results);
    assert_eq!(
        progress.matches.len(),
        1,
        "the final is played again by the new pair"
    );
}

#[test]
fn places_are_texts_and_seeds_follow_from_them() {
    for text in ["r3.0", "w1.7", "l12.1", "final.0", "decider.0"] {
        let key = EncounterKey::from_text(text).expect("a place");
        assert_eq!(key.to_text(), text);
    }
    for text in ["", "r", "r3", "x1.0", "r3.x", "é1.0"] {
        assert_eq!(EncounterKey::from_text(text), None, "{text}");
    }
    let key = EncounterKey::from_text("r1.0").expect("a place");
    let seed = |number, attempt| match_seed(&SeedRules::Drawn, 7, 0, (key, number), attempt);
    assert_eq!(seed(0, 0), seed(0, 0));
    assert_ne!(seed(0, 0), seed(1, 0));
    assert_ne!(seed(0, 0), seed(0, 1));
    assert!(seed(0, 0) < 1 << 53);
    let conditions = [(0, 0), (0, 1), (1, 0), (1, 3), (2, 5)].map(|(table, number)| {
        let place = (EncounterKey { table, ..key }, number);
        let planned = PlannedMatch {
            place,
            pair: [0, 1],
        };
        (config_number(3, place), planned.is_swapped())
    });
    let expected = [(0, false), (1, true), (1, false), (1, true), (1, true)];
    assert_eq!(conditions, expected);
    let fixed = SeedRules::Fixed { seeds: vec![4, 5] };
    assert_eq!(match_seed(&fixed, 7, 0, (key, 3), 0), 5);
}
