//! What the conformance tests of all three games share; the module above names the position of its game.

use leitai_game::Erased;
use leitai_game::conformance::{ConformanceOptions, check_encoded_game, check_guide};
use serde_json::Value;

use super::Position;

/// The game keeps the contract with this config, under options that are changed so.
#[track_caller]
pub fn keeps_the_contract(config: Value, change: impl FnOnce(&mut ConformanceOptions)) {
    let mut options = ConformanceOptions {
        config,
        ..ConformanceOptions::default()
    };
    change(&mut options);
    let report = check_encoded_game::<Position>(&options);
    println!("{}", report.unwrap_or_else(|failure| panic!("{failure}")));
}

/// Every picture of the guide is a position of the game, every byte example what a protocol says.
#[test]
fn the_guide_is_true() {
    let count = check_guide(&Erased::<Position>::new());
    let count = count.unwrap_or_else(|why| panic!("{why}"));
    assert!(count >= 3, "too few pictures");
}
