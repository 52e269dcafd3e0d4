//! Situations on the command line: mined from a lost match, asked by `check` and by `regress`.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A bot that plays the legal action with this index.
const BOT: &str = r#"# leitai: protocol=json-lines
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        print(json.dumps({"action": message["legal"][INDEX]}), flush=True)
"#;

#[track_caller]
fn ends(place: &TempDir, words: &str, code: i32, parts: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_leitai"))
        .args(words.split(' '))
        .current_dir(place.path())
        .env("LC_ALL", "C")
        .env("COLUMNS", "80")
        .env("LEITAI_ISOLATION", "none")
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let all = format!("{text}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{words}: {all}");
    for part in parts {
        assert!(all.contains(part), "{words} lacks {part:?}:\n{all}");
    }
    text
}

#[test]
fn mistakes_become_a_pack_that_the_next_version_is_asked() {
    let place = tempfile::tempdir().expect("a temporary folder");
    for (name, index) in [("v7.py", "0"), ("v8.py", "-1")] {
        fs::write(place.path().join(name), BOT.replace("INDEX", index)).expect("own folder");
    }
    ends(
        &place,
        "match kob v7.py space --seed 3 --replay lost.json",
        0,
        &[],
    );
    let mine = "situations mine lost.json --most 2 --output mine.jsonl";
    ends(&place, mine, 0, &["wrote mine.jsonl: 2 moments"]);
    ends(
        &place,
        "situations check mine.jsonl",
        0,
        &["Mistakes of v7: 2 moments of kob"],
    );
    let checked = ends(&place, "situations check mine.jsonl --json", 0, &[]);
    let checked: Value = serde_json::from_str(&checked).expect("JSON");
    assert_eq!(checked["format"], "leitai-situations-check/1");
    assert_eq!(
        (&checked["game"], &checked["moments"]),
        (&"kob".into(), &2.into())
    );
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
    ends(
        &place,
        "check kob v8.py --situations mine.jsonl",
        0,
        &["2 of 2 passed"],
    );
    // The same moments, the same checker.
    ends(
        &place,
        "regress run v7.py --folder mine.jsonl",
        3,
        &["2 pinned, 2 still made"],
    );
    let json = ends(&place, &format!("{asked} --json"), 3, &[]);
    let json: Value = serde_json::from_str(&json).expect("JSON and nothing else");
    let own = &json["situations"][0];
    assert_eq!(
        (&own["asked"], &own["passed"]),
        (&2.into(), &0.into()),
        "{own}"
    );
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
    ends(
        &place,
        "check kob v8.py --situations --json",
        3,
        &["King of Bots: turns that lost"],
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
