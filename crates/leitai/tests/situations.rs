//! Situations on the command line: mined from a lost match, asked by `check` and by `regress`.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::place::{self, FIRST_LEGAL, open_leitai_in, split_words};

#[track_caller]
fn ends(place: &TempDir, line: &str, code: i32, parts: &[&str]) -> String {
    let mut command = open_leitai_in(place, &split_words(line));
    place::ends(command.env("COLUMNS", "80"), code, parts)
}

/// Commands, how they end and what they say.
#[track_caller]
fn rows(place: &TempDir, rows: &str) {
    let command = |words: &[&str]| {
        let mut command = open_leitai_in(place, words);
        command.env("COLUMNS", "80");
        command
    };
    place::check_rows(command, rows);
}

#[test]
fn mistakes_become_a_pack_that_the_next_version_is_asked() {
    let place = tempfile::tempdir().expect("a temporary folder");
    for (name, index) in [("v7.py", "0"), ("v8.py", "-1")] {
        fs::write(
            place.path().join(name),
            FIRST_LEGAL.replace("[0]", &format!("[{index}]")),
        )
        .expect("own folder");
    }
    rows(
        &place,
        "0 | match kob v7.py space --seed 3 --replay lost.json",
    );
    let mine = "situations mine lost.json --most 2 --output mine.jsonl";
    ends(&place, mine, 0, &["wrote mine.jsonl: 2 moments"]);
    rows(
        &place,
        "0 | situations check mine.jsonl | Mistakes of v7: 2 moments of kob",
    );
    let checked = ends(&place, "situations check mine.jsonl --json", 0, &[]);
    let checked: Value = serde_json::from_str(&checked).expect("JSON");
    assert_eq!(checked["format"], "leitai-situations-check/1");
    has!(checked, {"game": "kob", "moments": 2});
    let asked = "check kob v7.py --situations mine.jsonl";
    let said = ends(
        &place,
        asked,
        3,
        &["v7 is accepted", "✗ still made", "0 of 2 passed: "],
    );
    let long: Vec<&str> = said
        .lines()
        .filter(|line| line.chars().count() > 80)
        .collect();
    assert!(long.is_empty(), "{long:?}");
    rows(
        &place,
        "0 | check kob v8.py --situations mine.jsonl | 2 of 2 passed",
    );
    // The same moments, the same checker.
    rows(
        &place,
        "3 | regress run v7.py --folder mine.jsonl | 2 pinned, 2 still made",
    );
    let json = ends(&place, &format!("{asked} --json"), 3, &[]);
    let json: Value = serde_json::from_str(&json).expect("JSON and nothing else");
    let own = &json["situations"][0];
    has!(own, {"asked": 2, "passed": 0});
    assert_eq!(own["moments"][0]["verdict"], "still-made");
    let json = ends(&place, "check kob v7.py --json", 0, &[]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        json["situations"],
        Value::Array(Vec::new()),
        "nothing asked"
    );
    let own = ends(&place, "check kob space.py --situations", 2, &[]);
    assert!(own.is_empty(), "{own}");
    rows(
        &place,
        "3 | check kob v8.py --situations --json | King of Bots: turns that lost",
    );

    let pack = fs::read_to_string(place.path().join("mine.jsonl")).expect("written");
    for (from, to, part) in [
        ("\"round\":", "\"round\":9", "moment 1: "),
        ("\"kob\"}", "\"snakego\"}", "not of "),
        (
            "\"hashes\":\"",
            "\"hashes\":\"00",
            "another position than the replay",
        ),
    ] {
        fs::write(place.path().join("bad.jsonl"), pack.replacen(from, to, 1)).expect("own folder");
        ends(&place, "situations check bad.jsonl", 2, &[part]);
    }
}
