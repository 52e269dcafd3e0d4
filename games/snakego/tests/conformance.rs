//! SnakeGo passes the conformance kit (`leitai_game::conformance`).

use leitai_game::Erased;
use leitai_game::conformance::{ConformanceOptions, check_encoded_game, check_guide};
use leitai_snakego::Position;
use serde_json::{Value, json};

/// Verdict reasons that depend on leg 1 alone.
const LEG_1: &[&str] = &["first-item", "second-in-first-leg"];

fn keeps_the_contract(config: Value, options: ConformanceOptions) {
    let options = ConformanceOptions {
        config,
        ordered_reasons: LEG_1,
        ..options
    };
    let report =
        check_encoded_game::<Position>(&options).unwrap_or_else(|failure| panic!("{failure}"));
    println!("{report}");
}

#[test]
fn with_the_official_items() {
    keeps_the_contract(
        Value::Null,
        ConformanceOptions {
            bot_legs: 0,
            ..ConformanceOptions::default()
        },
    );
}

/// Short legs, in which the built-in bots play, too.
#[test]
fn in_short_legs_with_items_of_the_first_edition() {
    let config = json!({"max_round": 40, "items": "first-edition", "fault_scope": "match"});
    keeps_the_contract(
        config,
        ConformanceOptions {
            seed: 2,
            ..ConformanceOptions::default()
        },
    );
}

/// Items in every round around the corners where the players start, so that snakes grow long, hold
/// rays, split and solidify.
#[test]
fn with_items_under_the_snakes() {
    let item = |round: u16| {
        let near = round / 2 % 4;
        let (x, y) = if round.is_multiple_of(2) {
            (near, 15 - near % 2)
        } else {
            (15 - near, near % 2)
        };
        json!([x, y, round, if round % 7 < 3 { 2 } else { 0 }, 5])
    };
    let items: Vec<Value> = (1..=60).map(item).collect();
    keeps_the_contract(
        json!({"max_round": 60, "items": items}),
        ConformanceOptions {
            seed: 3,
            legs: 16,
            bot_legs: 0,
            ..ConformanceOptions::default()
        },
    );
}

/// Every picture of the guide is a position of the game, every byte example what a protocol says.
#[test]
fn the_guide_is_true() {
    let count = check_guide(&Erased::<Position>::new());
    assert!(
        count.clone().is_ok_and(|count| count >= 3),
        "{}",
        count.err().unwrap_or_else(|| "too few pictures".to_owned())
    );
}
