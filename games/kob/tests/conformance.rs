//! King of Bots passes the conformance kit (`leitai_game::conformance`).

use leitai_kob::Position;
use serde_json::{Value, json};

mod contract;
use contract::keeps_the_contract;

#[test]
fn on_the_standard_board() {
    keeps_the_contract(Value::Null, |options| options.bot_legs = 0);
}

/// A small board, on which the built-in bots play, too.
#[test]
fn on_a_small_board() {
    let config = json!({"rows": 7, "cols": 8, "inner_pairs": 2});
    keeps_the_contract(config, |options| options.seed = 2);
}

/// The largest boards of the sites, and the largest at all: the edge is in row or column 15.
#[test]
fn on_the_largest_boards() {
    for (rows, cols) in [(15, 16), (16, 16)] {
        keeps_the_contract(json!({"rows": rows, "cols": cols}), |options| {
            options.seed = 3;
            options.legs = 4;
            options.bot_legs = 1;
        });
    }
}
