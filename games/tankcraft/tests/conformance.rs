//! TankCraft keeps the contract of a game (`leitai_game::conformance`).

use leitai_game::conformance::{Options, check};
use leitai_tankcraft::Position;
use serde_json::{Value, json};

#[track_caller]
fn keeps_the_contract(config: Value, options: Options) {
    let report = check::<Position>(&Options { config, partial_legal: true, ..options });
    println!("{}", report.unwrap_or_else(|failure| panic!("{failure}")));
}

#[test]
fn on_generated_maps() {
    keeps_the_contract(Value::Null, Options { bot_legs: 0, legs: 4, ..Options::default() });
}

/// Short legs, in which the built-in bots play too.
#[test]
fn in_short_legs_with_the_fog_of_2010() {
    let config = json!({"map": "corners", "fog": "sdk", "goal": 60, "rounds": 12});
    keeps_the_contract(config, Options { seed: 2, ..Options::default() });
}
