//! `leitai match --log-traffic FILE`: every byte that goes to and from a program, in its order.

use crate::place;

use place::{Place, fill_words, text};
use serde_json::Value;

const BOT: &str = "# leitai: protocol=json-lines
import json, sys
for row in sys.stdin:
    message = json.loads(row)
    if message['type'] == 'turn':
        sys.stderr.buffer.write(b'thinking \\xff\\n')
        sys.stderr.flush()
        print(json.dumps({'action': message['legal'][0]}), flush=True)
";

/// The bytes of one stream of A in one leg.
fn stream(rows: &[Value], leg: u64, stream: &str) -> Vec<u8> {
    let own = rows
        .iter()
        .filter(|row| row["leg"] == leg && row["stream"] == stream);
    let bytes = |row: &Value| match (row["text"].as_str(), row["hex"].as_str()) {
        (Some(text), None) => text.as_bytes().to_vec(),
        (None, Some(hex)) => (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits"))
            .collect(),
        _ => panic!("{row}"),
    };
    own.flat_map(bytes).collect()
}

#[test]
fn traffic_of_a_program_is_logged_in_its_order() {
    for isolation in ["none", "c", "b", "a"] {
        let place = Place::new();
        place.write("bot.py", BOT);
        let words = ["match", "kob", "./bot.py", "safe", "--seed", "1"];
        let more = fill_words(
            "--isolation {} --replay game.json --log-traffic new/log",
            &[isolation],
        );
        let output = place.run(&[&words[..], &more].concat());
        let shown = text(&output);
        if !output.status.success() && shown.contains("isolation") {
            println!("skipped: {shown}");
            continue;
        }
        assert!(output.status.success(), "{shown}");
        let log = std::fs::read_to_string(place.path().join("new/log")).expect("a log");
        let rows: Vec<Value> = log
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
            .collect();
        assert!(
            rows.iter().all(|row| row["entrant"] == "A"),
            "safe is no program"
        );
        let times: Vec<f64> = rows.iter().filter_map(|row| row["ms"].as_f64()).collect();
        assert!(times.len() == rows.len() && times.is_sorted(), "{log}");
        let replay = place.replay("game.json");
        for leg in 1..=replay["legs"].as_array().map_or(0, Vec::len) as u64 {
            let [asked, answered, said] =
                ["stdin", "stdout", "stderr"].map(|name| stream(&rows, leg, name));
            let turns = String::from_utf8(asked)
                .expect("questions are text")
                .lines()
                .map(|line| serde_json::from_str::<Value>(line).expect("a question"))
                .filter(|question| question["type"] == "turn")
                .count();
            assert!(turns > 0, "{log}");
            let answers = answered.iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(answers, turns, "{log}");
            assert_eq!(said, b"thinking \xff\n".repeat(turns), "{log}");
            let first = rows.iter().find(|row| row["leg"] == leg);
            assert_eq!(
                first.map(|row| &row["stream"]),
                Some(&"stdin".into()),
                "{log}"
            );
        }
    }
}

#[test]
fn a_log_that_cannot_be_written_is_told() {
    let place = Place::new();
    place.write("bot.py", BOT);
    // Before the match; a disk may be full only later, then the result is printed all the same.
    for (path, status, why, is_played) in [
        ("-", 2, "--log-traffic needs a file", false),
        (".", 1, "cannot write .", false),
        ("/dev/full", 1, "cannot write /dev/full", true),
    ] {
        let words = [
            "match", "kob", "./bot.py", "safe", "--seed", "1", "--legs", "1",
        ];
        let more = ["--isolation", "none", "--no-replay", "--log-traffic", path];
        let output = place.run(&[&words[..], &more].concat());
        let shown = text(&output);
        assert!(shown.contains(why), "{path}: {shown}");
        assert_eq!(output.status.code(), Some(status), "{path}: {shown}");
        assert_eq!(shown.contains("safe wins"), is_played, "{path}: {shown}");
    }
}
