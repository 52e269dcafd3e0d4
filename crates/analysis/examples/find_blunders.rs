//! Finds positions whose best action is proven by exhaustive search, with a mistake that is proven,
//! too, in games of built-in bots; prints one JSON object a line.
//!
//! `cargo run -p leitai-analysis --example find_blunders -- 40 > crates/analysis/tests/blunders.jsonl`

#[path = "../tests/kit/mod.rs"]
mod kit;

use kit::exhaustive::{ProvenPosition, list_last_orders, value_of_action, value_of_last_orders};
use leitai_game::replay::ReplayWalker;
use leitai_game::{AnyGame, AnyLeg, Seat};
use serde_json::{Value, json};

/// A depth that no leg at hand exceeds.
const TO_END: u32 = 64;

/// Where positions are looked for.
struct Quarry {
    game: &'static str,
    bots: [&'static str; 2],
    config: Value,
    /// How deep lines are played: in steps.
    depth: u32,
    /// Only so many steps before the end of a leg.
    last: usize,
    /// Positions of one leg.
    most: usize,
}

fn main() {
    let wanted: usize = std::env::args()
        .nth(1)
        .and_then(|word| word.parse().ok())
        .unwrap_or(40);
    let quarries = [
        Quarry {
            game: "kob",
            bots: ["level4", "space"],
            config: Value::Null,
            depth: 5,
            last: 10,
            most: 2,
        },
        Quarry {
            game: "snakego",
            bots: ["greedy", "level3"],
            config: json!({"max_round": 14}),
            depth: TO_END,
            last: 5,
            most: 1,
        },
        Quarry {
            game: "tankcraft",
            bots: ["miner", "miner"],
            config: json!({"rounds": 9}),
            depth: 1,
            last: 1,
            most: 2,
        },
    ];
    for quarry in quarries {
        let game = leitai_games::find_game(quarry.game).expect("a listed game");
        let mut found = 0;
        for seed in 1..4000 {
            for position in search_match(game, &quarry, seed) {
                println!("{}", serde_json::to_string(&position).expect("plain data"));
                found += 1;
            }
            if found >= wanted {
                break;
            }
        }
        eprintln!("{}: {found}", quarry.game);
    }
}

fn search_match(game: &'static dyn AnyGame, quarry: &Quarry, seed: u64) -> Vec<ProvenPosition> {
    let replay = kit::play(game, quarry.bots, &quarry.config, seed, 1);
    let setup = game.read_setup(&replay.setup).expect("an own setup");
    let record = &replay.legs[0];
    let tokens: Vec<&str> = record.replies.split_ascii_whitespace().collect();
    let mut walk = ReplayWalker::new(&*setup, record);
    let mut found = Vec::new();
    for step in 0..tokens.len() {
        if step + quarry.last >= tokens.len() {
            for seat in Seat::BOTH {
                if let Some((best, mistake)) =
                    prove_position(walk.current_leg(), seat, quarry.depth)
                    && found.len() < quarry.most
                {
                    found.push(ProvenPosition {
                        game: quarry.game.to_owned(),
                        config: quarry.config.clone(),
                        seed,
                        replies: tokens[..step].join(" "),
                        seat,
                        best,
                        mistake,
                    });
                }
            }
        }
        walk.next(&mut ()).expect("an own replay");
    }
    found
}

/// The best actions and a worse one, if both are proven: the best ones win (or draw) and the other
/// loses. The mistake is no action that ends the leg at once, if lines are deeper than that.
fn prove_position(leg: &dyn AnyLeg, seat: Seat, depth: u32) -> Option<(Vec<String>, String)> {
    if !leg.to_move().asks_seat(seat) {
        return None;
    }
    let is_last = depth == 1;
    let actions = match is_last {
        true => list_last_orders(leg, seat)?,
        false => leg.legal_actions(seat),
    };
    let value = |action: &str| match is_last {
        true => value_of_last_orders(leg, seat, action),
        false => value_of_action(leg, seat, action, depth),
    };
    let rate = |action: String| {
        let value = value(&action);
        (action, value)
    };
    let values: Vec<(String, i8)> = actions.into_iter().map(rate).collect();
    let best = values.iter().map(|(_, value)| *value).max()?;
    let is_best = |(_, value): &&(String, i8)| *value == best;
    let good: Vec<String> = values
        .iter()
        .filter(is_best)
        .map(|(a, _)| a.clone())
        .collect();
    // Within a depth 0 says that nothing is decided; to the end of a leg it is a draw.
    let is_to_end = is_last || depth >= TO_END;
    if best < 0 || best == 0 && !is_to_end {
        return None;
    }
    let is_worse = |value: i8| value < if is_last { best } else { 0 };
    let worse = values.iter().filter(|(_, value)| is_worse(*value));
    let mut worse = worse.map(|(action, _)| action);
    let found = match is_last {
        true => worse.next(),
        false => worse.rfind(|action| value_of_action(leg, seat, action, 1) == 0),
    };
    Some((good, found?.clone()))
}
