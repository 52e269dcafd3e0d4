//! `leitai analyze` as an author uses it: one lost match, and a folder of them.

use crate::place::{self, cells, open_leitai_in, split_words};
use std::fs;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

#[track_caller]
fn ends(place: &TempDir, words: &[&str], code: i32, parts: &[&str]) -> String {
    place::ends(&mut open_leitai_in(place, words), code, parts)
}

/// A folder with lost matches.
fn place(matches: &[(&str, &str)]) -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    for (file, seed) in matches {
        let words = [
            "match", "kob", "random", "space", "--seed", seed, "--replay", file,
        ];
        ends(&place, &words, 0, &[]);
    }
    place
}

#[track_caller]
fn read_json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn a_lost_match_is_told_in_words_and_repeats_exactly() {
    let place = place(&[("lost.json", "3")]);
    let ask = |more: &[&str]| ends(&place, &[&["analyze", "lost.json"], more].concat(), 0, &[]);
    let digest = ask(&["--budget", "200"]);
    assert!(digest.lines().count() <= 30, "{digest}");
    for part in [
        "space won the match",
        "accuracy",
        // Actions are named as people read them.
        "played down (",
        "pin it: leitai regress add lost.json",
    ] {
        assert!(digest.contains(part), "lacks {part:?}:\n{digest}");
    }
    assert_eq!(ask(&["--budget", "200"]), digest);
    let chinese = ask(&["--budget", "200", "--lang", "zh"]);
    for part in ["space 赢得比赛", "准确率"] {
        assert!(chinese.contains(part), "lacks {part:?}:\n{chinese}");
    }
    let json = ask(&["--budget", "200", "--json"]);
    assert_eq!(ask(&["--budget", "200", "--json"]), json);
    let value = read_json(&json);
    has!(value, {"budget": 200, "/legs/#": 2});
    let one = ask(&split_words("--budget 50 --json --leg 2 --entrant random"));
    let one = read_json(&one);
    assert_eq!(one["legs"][0]["leg"], 2);
    let decisions = one["legs"][0]["decisions"].as_array().expect("a list");
    assert!(decisions.iter().all(|one| one["entrant"] == "A"), "{one}");
    let list = ask(&["--budget", "50", "--decisions"]);
    let count = |json: &Value| {
        let legs = json["legs"].as_array().expect("a list").iter();
        legs.map(|leg| leg["decisions"].as_array().map_or(0, Vec::len) + 1)
            .sum::<usize>()
    };
    assert_eq!(list.lines().count(), count(&value), "{list}");
}

#[test]
fn a_folder_shows_typical_ways_of_losing_and_pins_that_run() {
    let place = place(&[("games/one.json", "3"), ("games/two.json", "4")]);
    let ask = ["analyze", "games", "--entrant", "random", "--budget", "50"];
    let text = ends(&place, &ask, 0, &["random: matches 2", "of the lost legs"]);
    let json = ends(&place, &[&ask[..], &["--json"]].concat(), 0, &[]);
    let value = read_json(&json);
    has!(value, {"matches": 2, "lost": 4});
    // A file that is named twice counts once, and what a seat did is worth the same by itself.
    let twice = [&ask[..], &["games/one.json", "./games/two.json", "--json"]].concat();
    assert_eq!(ends(&place, &twice, 0, &[]), json);
    let decisions = |more: &[&str]| {
        let words = ["analyze", "games/one.json", "--budget", "50", "--json"];
        let json = read_json(&ends(&place, &[&words, more].concat(), 0, &[]));
        let legs = json["legs"].as_array().expect("a list").clone();
        let all = legs
            .into_iter()
            .flat_map(|leg| leg["decisions"].as_array().cloned());
        let all = all.flatten().filter(|one| one["entrant"] == "A");
        all.collect::<Vec<Value>>()
    };
    assert_eq!(decisions(&[]), decisions(&["--entrant", "A"]));
    let pins = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("leitai "));
    let pins: Vec<&str> = pins.collect();
    assert!(!pins.is_empty(), "{text}");
    for pin in pins {
        // As a shell reads it.
        let line = format!("'{}' {pin}", env!("CARGO_BIN_EXE_leitai"));
        let mut command = Command::new("sh");
        let command = command.args(["-c", &line]).current_dir(&place);
        let output = command
            .env("LEITAI_ISOLATION", "none")
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && said.contains("pinned"),
            "{line}: {output:?}"
        );
    }
}

#[test]
fn a_broken_file_is_reported_and_the_others_are_analysed() {
    let place = place(&[("games/one.json", "3")]);
    fs::write(place.path().join("games/broken.json"), "{\"format\":").expect("own folder");
    let whole = fs::read_to_string(place.path().join("games/one.json")).expect("own file");
    let changed = whole.replacen("\"final_hash\":\"", "\"final_hash\":\"f", 1);
    let changed = match changed.find("\"final_hash\":\"f") {
        Some(at) => format!("{}{}", &changed[..at + 29], &changed[at + 30..]),
        None => changed,
    };
    fs::write(place.path().join("games/changed.json"), changed).expect("own folder");
    let ask = ["analyze", "games", "--entrant", "random", "--budget", "20"];
    let parts = [
        "broken.json: not a replay",
        "changed.json: this replay does not follow the rules",
        "random: matches 1",
        "2 of the files could not be analysed",
    ];
    ends(&place, &ask, 1, &parts);
    let json = ends(&place, &[&ask[..], &["--json"]].concat(), 1, &[]);
    assert_eq!(read_json(&json)["failed"].as_array().map(Vec::len), Some(2));
}

/// A bot that could not be built took no time, in the first round.
#[test]
fn no_reply_is_in_round_0() {
    let place = place(&[]);
    fs::write(place.path().join("bad.c"), "int main( {").expect("own folder");
    let words = split_words("match kob ./bad.c random --seed 3 --replay bad.json");
    ends(&place, &words, 0, &["bad"]);
    let part = "bad: 0 µs of time, the longest reply 0 µs (round 1)";
    ends(
        &place,
        &split_words("analyze bad.json --budget 20"),
        0,
        &[part],
    );
}

#[test]
fn what_cannot_be_analysed_is_said_with_the_next_step() {
    let place = place(&[("games/one.json", "3")]);
    fs::create_dir(place.path().join("empty")).expect("own folder");
    fs::write(place.path().join("foreign.json"), "[1, 2]").expect("own folder");
    let rows = r#"
games --entrant hydra | "hydra" played in none | random, space
games | whose losses? add --entrant NAME | random, space
games/one.json --entrant hydra | "hydra" did not play | B (space)
games/one.json --leg 3 | there is no leg 3; the replay has 2
games/one.json --budget 0 | --budget 0 | at least 1 node
empty | empty has no replays | leitai match
foreign.json | foreign.json: not a replay
missing.json | cannot read missing.json
"#;
    for row in cells(rows) {
        ends(
            &place,
            &split_words(&format!("analyze {}", row[0])),
            2,
            &row[1..],
        );
    }
}

/// What is to be pinned is the author's decision, not a built-in bot's; `-q` says nothing beside the result.
#[test]
fn the_bots_own_mistake_is_offered() {
    let place = place(&[]);
    fs::write(place.path().join("own.py"), place::FIRST_LEGAL).expect("own folder");
    for (pair, entrant) in [("own.py space", "A"), ("space own.py", "B")] {
        let line = format!("match kob {pair} --seed 3 --replay own.json -q");
        let mut played = open_leitai_in(&place, &split_words(&line));
        let said = played.output().expect("it starts").stderr;
        assert_eq!(String::from_utf8_lossy(&said), "");
        let pin =
            format!("pin it: leitai regress add own.json --leg 1 --round N --entrant {entrant}");
        let told = ends(&place, &["analyze", "own.json", "--budget", "50"], 0, &[]);
        let told = told.lines().last().unwrap_or_default();
        let words: Vec<&str> = told.split(' ').collect();
        let is_it = words.len() == 12 && words[11] == entrant;
        assert!(is_it, "{told}\n{pin}");
    }
}
