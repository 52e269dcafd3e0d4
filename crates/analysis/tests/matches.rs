//! Whole matches, analysed.

use std::ops::ControlFlow;

use leitai_analysis::{AnalysisError, AnalysisOptions, MatchAnalysis, analyze_replay};
use leitai_game::{AnyGame, Entrant, Replay};
use leitai_games::find_game;

use crate::kit::play;

fn game(id: &str) -> &'static dyn AnyGame {
    find_game(id).expect("a listed game")
}

fn analyze(replay: &Replay, options: AnalysisOptions) -> MatchAnalysis {
    let game = game(&replay.game);
    analyze_replay(game, replay, options, &mut |_| ControlFlow::Continue(()))
        .expect("a sound replay")
}

const QUICK: AnalysisOptions = AnalysisOptions {
    budget: Some(40),
    leg: None,
    entrant: None,
};

#[test]
fn every_decision_of_both_seats_is_judged_in_every_game() {
    let cases = [
        ("kob", ["random", "space"], serde_json::Value::Null),
        (
            "snakego",
            ["random", "greedy"],
            serde_json::json!({"max_round": 20}),
        ),
        (
            "tankcraft",
            ["random", "miner"],
            serde_json::json!({"rounds": 12}),
        ),
    ];
    for (id, names, config) in cases {
        let replay = play(game(id), names, &config, 5, 2);
        let found = analyze(&replay, QUICK);
        assert_eq!(found.legs.len(), 2, "{id}");
        for (leg, record) in found.legs.iter().zip(&replay.legs) {
            let tokens = record.replies.split_ascii_whitespace();
            let replies: usize = tokens.map(|token| token.split('/').count()).sum();
            assert_eq!(leg.decisions.len(), replies, "{id} {leg:?}");
            for one in &leg.decisions {
                assert!((0.0..=1.0).contains(&one.before), "{id} {one:?}");
                assert!((0.0..=1.0).contains(&one.after), "{id} {one:?}");
                assert!(one.loss >= 0.0 && !one.best.is_empty(), "{id} {one:?}");
                assert_eq!(
                    one.truth.is_some(),
                    id == "tankcraft" && one.step > 0,
                    "{one:?}"
                );
            }
        }
        assert_eq!(analyze(&replay, QUICK), found, "{id}: the same again");
    }
}

#[test]
fn a_leg_and_an_entrant_may_be_chosen() {
    let replay = play(
        game("kob"),
        ["random", "space"],
        &serde_json::Value::Null,
        5,
        2,
    );
    let options = AnalysisOptions {
        leg: Some(2),
        entrant: Some(Entrant::A),
        ..QUICK
    };
    let found = analyze(&replay, options);
    assert_eq!(found.legs.len(), 1);
    let leg = &found.legs[0];
    assert_eq!(leg.leg, 2);
    assert!(leg.decisions.iter().all(|one| one.entrant == Entrant::A));
    assert!(leg.side_of(Entrant::A).is_some() && leg.side_of(Entrant::B).is_none());
}

#[test]
fn a_changed_replay_and_a_missing_leg_are_refused() {
    let mut replay = play(
        game("kob"),
        ["random", "space"],
        &serde_json::Value::Null,
        5,
        1,
    );
    let ask = |replay: &Replay, leg| {
        let options = AnalysisOptions { leg, ..QUICK };
        analyze_replay(game("kob"), replay, options, &mut |_| {
            ControlFlow::Continue(())
        })
    };
    assert_eq!(
        ask(&replay, Some(3)),
        Err(AnalysisError::NoLeg { leg: 3, legs: 1 })
    );
    replay.legs[0].final_hash = Some("0123456789abcdef".to_owned());
    assert!(matches!(ask(&replay, None), Err(AnalysisError::Differs(_))));
}
