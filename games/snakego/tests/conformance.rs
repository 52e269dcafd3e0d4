//! SnakeGo passes the conformance kit (`leitai_game::conformance`).

use leitai_snakego::Position;
use serde_json::{Value, json};

#[path = "../../kob/tests/conformance/contract.rs"]
mod contract;
use contract::keeps_the_contract;

/// Verdict reasons that depend on leg 1 alone.
const LEG_1: &[&str] = &["first-item", "second-in-first-leg"];

#[test]
fn with_the_official_items() {
    keeps_the_contract(Value::Null, |options| {
        options.ordered_reasons = LEG_1;
        options.bot_legs = 0;
    });
}

/// Short legs, in which the built-in bots play, too.
#[test]
fn in_short_legs_with_items_of_the_first_edition() {
    let config = json!({"max_round": 40, "items": "first-edition", "fault_scope": "match"});
    keeps_the_contract(config, |options| {
        options.ordered_reasons = LEG_1;
        options.seed = 2;
    });
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
    keeps_the_contract(json!({"max_round": 60, "items": items}), |options| {
        options.ordered_reasons = LEG_1;
        options.seed = 3;
        options.legs = 16;
        options.bot_legs = 0;
    });
}
