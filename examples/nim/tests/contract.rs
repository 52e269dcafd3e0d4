//! Nim passes the conformance kit, and plays by its rules.

use leitai_game::conformance::{ConformanceOptions, check_game};
use leitai_game::{AnyGame, BySeat, Erased, Fault, GamePackage, Reply, Seat};
use leitai_nim::Nim;
use serde_json::json;

#[test]
fn nim_keeps_the_contract_of_a_game() {
    for config in [json!(null), json!({"most": 1}), json!({"most": 60})] {
        let report = check_game::<Nim>(&ConformanceOptions {
            config,
            ..ConformanceOptions::default()
        });
        println!("{}", report.unwrap_or_else(|failure| panic!("{failure}")));
    }
}

#[test]
fn legs_judged_by_hand_end_as_recorded() {
    let mut cases = 0;
    Nim::compare_corpus(include_str!("../golden/games.txt"), &mut |case| {
        cases += 1;
        assert_eq!(case.result, Ok(()), "{}", case.id);
    });
    assert_eq!(cases, 9);
}

#[test]
fn a_corpus_that_differs_is_noticed() {
    for line in [
        "4 1 3 first",
        "4 1 second",
        "1 1 1 first",
        "0 first",
        "4 4 second",
        "x first",
        "x",
    ] {
        let mut cases = 0;
        Nim::compare_corpus(line, &mut |case| {
            cases += 1;
            assert!(case.result.is_err(), "{line}");
        });
        assert_eq!(cases, 1, "{line}");
    }
}

/// Plays actions on a heap of five and compares the winner and the fault.
#[track_caller]
fn ends(actions: &[&str], winner: Option<Seat>, fault: Option<(Seat, Fault)>) {
    let setup = Erased::<Nim>::new()
        .read_setup(&json!({"heap": 5}))
        .expect("a sound setup");
    let mut leg = setup.start_leg();
    for action in actions {
        leg.step(BySeat::from_fn(|_| Some(Reply::Action(*action))), &mut ());
    }
    let outcome = leg.outcome();
    let faults = outcome.map(|end| end.faults).unwrap_or_default();
    let at_fault = faults
        .iter_pairs()
        .find_map(|(seat, fault)| Some((seat, (*fault)?)));
    assert_eq!(
        (outcome.and_then(|end| end.winner), at_fault),
        (winner, fault),
        "{actions:?}"
    );
}

#[test]
fn the_players_take_turns_while_coins_are_left() {
    ends(&["1", "3"], None, None);
}

#[test]
fn who_takes_the_last_coin_wins() {
    ends(&["1", "1", "3"], Some(Seat::First), None);
    ends(&["2", "3"], Some(Seat::Second), None);
}

#[test]
fn nothing_happens_after_the_end() {
    ends(&["2", "3", "1", "4"], Some(Seat::Second), None);
}

#[test]
fn taking_more_than_the_heap_has_loses() {
    ends(
        &["3", "3"],
        Some(Seat::First),
        Some((Seat::Second, Fault::Illegal)),
    );
}

#[test]
fn an_answer_that_is_not_1_2_or_3_loses() {
    for answer in ["0", "4", "", "11", "one", "-1", " 1"] {
        ends(
            &[answer],
            Some(Seat::Second),
            Some((Seat::First, Fault::Malformed)),
        );
    }
}
