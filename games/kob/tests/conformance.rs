//! King of Bots passes the conformance kit (`leitai_game::conformance`).

use leitai_game::Erased;
use leitai_game::conformance::{ConformanceOptions, check_encoded_game, check_guide};
use leitai_kob::Position;
use serde_json::{Value, json};

#[track_caller]
fn keeps_the_contract(config: Value, options: ConformanceOptions) {
    let report = check_encoded_game::<Position>(&ConformanceOptions { config, ..options });
    println!("{}", report.unwrap_or_else(|failure| panic!("{failure}")));
}

#[test]
fn on_the_standard_board() {
    keeps_the_contract(
        Value::Null,
        ConformanceOptions {
            bot_legs: 0,
            ..ConformanceOptions::default()
        },
    );
}

/// A small board, on which the built-in bots play, too.
#[test]
fn on_a_small_board() {
    let config = json!({"rows": 7, "cols": 8, "inner_pairs": 2});
    keeps_the_contract(
        config,
        ConformanceOptions {
            seed: 2,
            ..ConformanceOptions::default()
        },
    );
}

/// The largest boards of the sites, and the largest at all: the edge is in row or column 15.
#[test]
fn on_the_largest_boards() {
    for (rows, cols) in [(15, 16), (16, 16)] {
        keeps_the_contract(
            json!({"rows": rows, "cols": cols}),
            ConformanceOptions {
                seed: 3,
                legs: 4,
                bot_legs: 1,
                ..ConformanceOptions::default()
            },
        );
    }
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
