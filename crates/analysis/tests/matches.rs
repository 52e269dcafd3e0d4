//! Whole matches, analysed.

use std::ops::ControlFlow;

use leitai_analysis::{AnalysisError, AnalysisOptions, MatchAnalysis, analyze_replay};
use leitai_game::{AnyGame, Entrant, Replay};
use leitai_games::find_game;

mod kit {
    //! Matches between built-in bots, without the judge.

    use leitai_game::replay::{
        EntrantKind, EntrantRecord, FORMAT, MatchStatus, Recorder, VerdictRecord,
    };
    use leitai_game::{AnyGame, ByEntrant, BySeat, Entrant, Replay, Reply, Seat, Untimed};
    use serde_json::Value;

    /// A match of some legs between two built-in bots.
    pub fn play(
        game: &'static dyn AnyGame,
        names: [&str; 2],
        config: &Value,
        seed: u64,
        legs: usize,
    ) -> Replay {
        let config = game.read_config(config).expect("a valid config");
        let setup = game.deal_setup(&config, seed).expect("a valid config");
        let (mut records, mut ends) = (Vec::new(), Vec::new());
        for number in 0..legs {
            let mut bots = BySeat::from_fn(|seat: Seat| {
                let entrant = seat.entrant_in_leg(number);
                let bot = game.make_bot(names[entrant.index()], seed + entrant.index() as u64);
                bot.expect("a built-in bot")
            });
            let (mut leg, mut recorder) = (setup.start_leg(), Recorder::default());
            while leg.outcome().is_none() {
                let to_move = leg.to_move();
                let mut chosen = BySeat::new(None, None);
                for (seat, bot) in bots.iter_mut() {
                    if to_move.asks_seat(seat) {
                        chosen[seat] = Some(bot.choose_action(&*leg, seat, &Untimed));
                    }
                }
                let replies = chosen
                    .each_ref()
                    .map_values(|action| action.as_deref().map(Reply::Action));
                recorder.record_replies(&replies);
                leg.step(replies, &mut recorder);
            }
            records.push(recorder.finish_leg(leg.outcome()));
            ends.push(leg);
        }
        let verdict = setup.decide_match(&ends);
        Replay {
            format: FORMAT.to_owned(),
            game: game.meta().id.to_owned(),
            rules: game.meta().rules.to_owned(),
            engine: "a test".to_owned(),
            recorded: None,
            seed: Some(seed),
            config,
            setup: setup.to_json(),
            entrants: ByEntrant::from_fn(|entrant: Entrant| EntrantRecord {
                name: names[entrant.index()].to_owned(),
                kind: EntrantKind::BuiltIn,
                protocol: None,
            }),
            limits: None,
            status: MatchStatus::Complete,
            forced: None,
            legs: records,
            verdict: Some(VerdictRecord::from(&verdict)),
            origin: None,
        }
    }
}

pub use kit::play;

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
