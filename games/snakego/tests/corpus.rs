//! Parity with our own recorded games (`golden/games.jsonl`), and proof that the comparison finds
//! every difference.

use leitai_game::GamePackage;
use leitai_snakego::Position;
use serde_json::{Value, json};

const OWN: &str = include_str!("../golden/games.jsonl");

fn differences(text: &str) -> Vec<Option<String>> {
    let mut found = Vec::new();
    Position::compare_corpus(text, &mut |case| found.push(case.result.err()));
    found
}

#[test]
fn our_own_games_agree() {
    let found = differences(OWN);
    let first = found.iter().flatten().next();
    assert_eq!(first, None);
    assert!(found.len() >= 12, "{} games were read", found.len());
    assert!(OWN.len() < 200_000, "{} bytes", OWN.len());
}

/// Asserts that every game differs after this change, with a message that names the difference;
/// skips games to which the change does not apply.
fn every_game_differs(what: &str, change: impl Fn(&mut Value) -> bool) {
    let mut changed = 0;
    for line in OWN.lines() {
        let mut game: Value = serde_json::from_str(line).expect("own lines are JSON");
        if change(&mut game) {
            changed += 1;
            let found = differences(&game.to_string());
            let why = found[0]
                .as_deref()
                .unwrap_or_else(|| panic!("{what} of {} is not found", game["id"]));
            assert!(why.contains(what), "{}: {why}", game["id"]);
        }
    }
    assert!(changed >= 3, "{what}: only {changed} games were changed");
}

/// Changes one character of a text field, at a place that depends on its length.
fn flip(
    game: &mut Value,
    field: &str,
    place: impl Fn(usize) -> Option<usize>,
    other: impl Fn(u8) -> u8,
) -> bool {
    let mut text = game[field].as_str().unwrap_or_default().as_bytes().to_vec();
    let Some(byte) = place(text.len()).and_then(|place| text.get_mut(place)) else {
        return false;
    };
    *byte = other(*byte);
    game[field] = json!(String::from_utf8(text).expect("ASCII"));
    true
}

fn hex(byte: u8) -> u8 {
    if byte == b'0' { b'1' } else { b'0' }
}

#[test]
fn a_changed_op_is_found() {
    // Another direction in the middle of the game changes the hash of the turn, or the end.
    let middle = |length: usize| (length > 8).then_some(length / 2);
    let other = |op| if op == b'1' { b'2' } else { b'1' };
    every_game_differs("", |game| flip(game, "ops", middle, other));
    every_game_differs("", |game| flip(game, "ops", middle, |_| b'9'));
    let last = |length: usize| length.checked_sub(1);
    every_game_differs("", |game| {
        flip(game, "ops", last, |op| if op == b'7' { b'1' } else { b'0' })
    });
}

#[test]
fn a_missing_or_surplus_op_is_found() {
    every_game_differs("", |game| {
        let ops = game["ops"].as_str().unwrap_or_default();
        game["ops"] = json!(ops[..ops.len() - 1]);
        true
    });
    every_game_differs("is over before op", |game| {
        game["ops"] = json!(format!("{}1", game["ops"].as_str().unwrap_or_default()));
        true
    });
}

#[test]
fn a_changed_turn_hash_is_found() {
    for part in [0, 1, 2, 3] {
        let place = |length: usize| (length > 0).then(|| (length - 1) * part / 3);
        every_game_differs("turn hash recorded", |game| flip(game, "turns", place, hex));
    }
    every_game_differs("final hash", |game| {
        flip(game, "final", |length| length.checked_sub(1), hex)
    });
    every_game_differs("turns are recorded", |game| {
        game["turns"] = json!(format!(
            "{}0000",
            game["turns"].as_str().unwrap_or_default()
        ));
        true
    });
}

#[test]
fn a_changed_score_is_found() {
    for player in [0, 1] {
        every_game_differs("scores", |game| {
            game["scores"][player] = json!(game["scores"][player].as_i64().unwrap_or(0) + 1);
            true
        });
    }
}

#[test]
fn a_changed_item_is_found() {
    for field in 0..5 {
        every_game_differs("item 3 is recorded", |game| {
            let number = game["items"][3][field].as_i64().unwrap_or(0);
            game["items"][3][field] = json!(number ^ 1);
            true
        });
    }
    every_game_differs("items are recorded", |game| {
        game["items"]
            .as_array_mut()
            .is_some_and(|items| items.pop().is_some())
    });
}

#[test]
fn a_changed_end_is_found() {
    every_game_differs("end type", |game| {
        let normal = game["end"]["type"] == "NORMAL";
        game["end"]["type"] = json!(if normal { "PLAYER_ERROR" } else { "NORMAL" });
        true
    });
    every_game_differs("winner", |game| {
        game["end"]["winner"] = json!(1 - game["end"]["winner"].as_i64().unwrap_or(0));
        true
    });
    every_game_differs("error", |game| {
        game["end"]["err"] = json!("something else");
        true
    });
    every_game_differs("first items", |game| {
        let round = game["first"][0][0].as_i64();
        game["first"][0] = json!(round.map(|round| [round + 1, 1, 0]));
        round.is_some()
    });
}

#[test]
fn a_line_that_is_no_game_is_named_by_its_place() {
    let mut ids = Vec::new();
    Position::compare_corpus("\n{}\n", &mut |case| {
        ids.push((case.id, case.result.is_err()))
    });
    assert_eq!(ids, [("line 2".to_owned(), true)]);
}
