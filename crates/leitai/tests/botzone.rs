//! Programs that speak Botzone's JSON play every game as they stand, in both seats, started anew every
//! turn or kept running; what they do wrong is said with what to do.

use crate::place::{Place, split_words, table, text};

const KEPT: &str = include_str!("../../../docs/examples/botzone.py");
const ANEW: &str = include_str!("../../../docs/examples/botzone.cpp");

/// Counts its turns in `data`, and says on stderr what it was given.
const STORES: &str = r#"
import json
given = json.loads(input())
turn = given.get("data", 0)
assert turn == len(given["responses"]) == len(given["requests"]) - 1, given
assert given["requests"][0]["seat"] in ("first", "second") and "setup" in given["requests"][0]
print(json.dumps({"response": int(given["requests"][-1]["legal"][0]), "data": turn + 1, "debug": f"turn {turn}"}))
"#;

fn run(place: &Place, words: &[&str], code: i32) -> String {
    let output = place.leitai(words).output().expect("the binary starts");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
    said
}

#[test]
fn programs_of_both_kinds_play_every_game_in_both_seats() {
    let place = Place::new();
    place.write("kept.py", KEPT);
    place.write("anew.cpp", ANEW);
    for (game, config) in [
        ("kob", ""),
        ("snakego", "--config max_round=12"),
        ("tankcraft", ""),
    ] {
        let bots = "botzone:kept.py botzone:anew.cpp";
        let line = format!("match {game} {bots} --seed 3 --replay x.json {config}");
        let said = run(&place, &split_words(line.trim_end()), 0);
        assert!(
            said.contains("leg 2 of 2") && !said.contains('✗'),
            "{game}: {said}"
        );
        assert!(run(&place, &["replay", "verify", "x.json"], 0).contains("x.json"));
    }
}

#[test]
fn a_program_gets_back_what_it_stored_and_its_whole_history() {
    let place = Place::new();
    place.write("stores.py", format!("# leitai: protocol=botzone\n{STORES}"));
    let words = split_words("match kob stores.py space --seed 1 --replay x.json");
    let said = run(&place, &words, 0);
    assert!(!said.contains('✗'), "{said}");
    let log = place.replay("x.json").to_string();
    assert!(log.contains("turn 0") && log.contains("turn 3"), "{log}");
}

#[test]
fn what_a_program_does_wrong_is_said_with_what_to_do() {
    let place = Place::new();
    for [line, fault, why] in table(
        r#"
print('up') | [PE] | is not JSON
print('{}') | [PE] | has no action as its "response"; send {"response":"…"}
print('{"response":[1]}') | [PE] | such as
print('{"response":"up"}') | [PE] | unknown action "up"
print('['*5000) | [OLE] | within 1024 bytes
print('x'*100000) | [RE] | more than 65536 bytes
print() | [RE] | printed nothing (exit status: 0); print {"response":…}
print('>>>BOTZONE_REQUEST_KEEP_RUNNING<<<') | [RE] | asked to keep running before it answered
"#,
    ) {
        place.write("wrong.py", format!("input()\n{line}\n"));
        let words = split_words("match kob botzone:wrong.py space --legs 1 --no-replay");
        let said = run(&place, &words, 0);
        for part in [fault, why] {
            assert!(said.contains(part), "{line} lacks {part:?}:\n{said}");
        }
    }
}
