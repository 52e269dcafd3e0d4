//! Tests of `work::source`.

use leitai_server::live::ReportedSteps;
use leitai_server::work::source::*;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

fn hand(wire: u32, engine: &str, rules: &[(&str, &str)]) -> Handshake {
    Handshake {
        engine: engine.to_owned(),
        wire,
        rules: rules
            .iter()
            .map(|(game, rules)| ((*game).to_owned(), (*rules).to_owned()))
            .collect(),
        limits: BTreeMap::new(),
        fetched: BTreeSet::new(),
    }
}

#[test]
fn workers_of_neighbouring_versions_get_the_games_that_both_play() {
    let server = hand(WIRE, "1.1", &[("a", "a/1"), ("b", "b/2")]);
    let check = |worker: Handshake, games: &[&str]| {
        let common = server.find_common_games(&worker);
        let games = games.iter().map(|game| (*game).to_owned()).collect();
        assert_eq!(common, Ok(games), "{worker:?}");
    };
    check(server.clone(), &["a", "b"]);
    // What came from the arena is fetched anew; anything else is another version of Leitai.
    let behind = hand(WIRE, "1.1", &[("a", "a/0"), ("b", "b/2")]);
    assert!(server.find_common_games(&behind).is_err());
    let fetched = BTreeSet::from(["a".to_owned()]);
    check(Handshake { fetched, ..behind }, &["b"]);
    let older = [("a", "a/1"), ("b", "b/2")];
    check(hand(OLDEST_WIRE, "1.0", &older), &["a", "b"]);
    check(hand(WIRE, "1.0", &[("a", "a/1")]), &["a"]);
    let more = [("a", "a/1"), ("b", "b/2"), ("c", "c/1")];
    check(hand(WIRE, "1.2", &more), &["a", "b"]);
}

#[test]
fn a_refusal_names_the_difference() {
    let server = hand(WIRE, "1.1", &[("a", "a/1"), ("b", "b/2")]);
    let check = |worker: Handshake, expected: &str| {
        let said = server.find_common_games(&worker).expect_err(expected);
        assert!(said.contains(expected), "{expected:?}: {said}");
    };
    let with_wire = |wire| Handshake {
        wire,
        ..server.clone()
    };
    check(with_wire(OLDEST_WIRE - 1), "update the worker");
    check(with_wire(WIRE + 1), "update the servers first");
    check(
        hand(WIRE, "1.1", &[("a", "a/1"), ("b", "b/3")]),
        "by the rules b/2, the worker by b/3",
    );
    check(hand(WIRE, "0.9", &[("c", "c/1")]), "knows no game");
    let mut other = server.clone();
    other.limits.insert("b".to_owned(), json!({"period_ms": 1}));
    check(other, "plays b with other limits");
}

#[test]
fn reports_that_were_not_delivered_become_one() {
    let steps = |tokens: &str, times_us: &[u64], after: usize| JobProgress::Steps {
        index: 1,
        tokens: tokens.to_owned(),
        times_us: times_us.to_vec(),
        after: Some(ReportedSteps {
            steps: after,
            times: after,
        }),
    };
    let mut undelivered = Vec::new();
    for report in [
        JobProgress::Leg(1),
        steps("0 1", &[5, 6], 0),
        steps("2", &[7], 2),
        JobProgress::Again(1),
        steps("3", &[8], 0),
    ] {
        report.add_to(&mut undelivered);
    }
    let expected = [
        JobProgress::Leg(1),
        steps("0 1 2", &[5, 6, 7], 0),
        JobProgress::Again(1),
        steps("3", &[8], 0),
    ];
    assert_eq!(undelivered, expected);
}

#[test]
fn a_handshake_has_the_limits_of_every_game() {
    let own = Handshake::from_games(leitai_games::ALL);
    assert!(own.limits.keys().eq(own.rules.keys()));
    assert!(
        own.limits
            .values()
            .all(|limits| limits["period_ms"].is_u64())
    );
}
