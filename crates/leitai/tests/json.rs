//! The fields of JSON outputs are those that docs/command-line.md lists, in both languages; an error
//! is an object, too.

use crate::place::{has, split_words};
use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Stdout as JSON, and stderr, of a command that ends with this status.
#[track_caller]
fn ask(place: &TempDir, words: &[&str], code: i32) -> (Value, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_leitai"))
        .args(words)
        .current_dir(place.path())
        .env("LC_ALL", "C")
        .env("LEITAI_ISOLATION", "none")
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
    let json = serde_json::from_slice(&output.stdout);
    let json = json.unwrap_or_else(|why| panic!("{words:?}: {why}: {:?}", output.stdout));
    (json, said)
}

/// The names in backquotes in the second column of a row.
fn documented(document: &str, row: &str) -> BTreeSet<String> {
    let line = document.lines().find(|line| line.starts_with(row));
    let line = line.unwrap_or_else(|| panic!("no row {row}"));
    let fields = line.rsplit_once(" | ").expect("two columns").1;
    let named = fields.split('`').skip(1).step_by(2);
    named.map(str::to_owned).collect()
}

#[test]
fn json_has_the_documented_fields() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let asked = |words: &[&str], code| ask(&place, words, code).0;
    std::fs::create_dir(place.path().join("bots")).expect("own folder");
    let compare = asked(
        &["compare", "kob", "safe", "random", "--max", "2", "--json"],
        4,
    );
    let lines = Command::new(env!("CARGO_BIN_EXE_leitai"))
        .args(split_words(
            "compare kob safe random --max 2 --json-lines -q",
        ))
        .output()
        .expect("the binary starts");
    assert!(lines.stderr.is_empty(), "-q says nothing");
    let lines = String::from_utf8(lines.stdout).expect("UTF-8");
    let lines: Vec<Value> = (lines.lines())
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    let [first, second, result] = &lines[..] else {
        panic!("two pairs and the result: {lines:?}");
    };
    assert_eq!((&first["pair"], &second["pair"]), (&0.into(), &1.into()));
    assert_eq!(second["seed"], 2);
    assert_eq!(
        (&second["llr"], &result["llr"]),
        (&compare["llr"], &compare["llr"])
    );
    assert_eq!(
        second["games"].as_array().map(Vec::len),
        Some(1),
        "{second}"
    );
    let rate = asked(&["rate", "kob", "random", "--max", "2", "--json"], 4);
    let words = ["tournament", "kob", "safe", "random", "--output", "json"];
    let tournament = asked(&words, 0);
    let words = [
        "ladder", "kob", "bots", "--with", "safe", "--with", "random", "--max", "2", "--json",
    ];
    let ladder = asked(&words, 4);
    let doctor = asked(&["doctor", "--json"], 0);
    asked(
        &[
            "match", "kob", "space", "random", "--seed", "3", "--replay", "x.json", "--json",
        ],
        0,
    );
    let words = ["regress", "add", "x.json", "--leg", "1", "--round", "2"];
    let added = Command::new(env!("CARGO_BIN_EXE_leitai"))
        .args(words)
        .current_dir(place.path())
        .output();
    assert!(added.is_ok_and(|output| output.status.success()));
    let regress = asked(&["regress", "run", "random", "--json"], 3);
    let (error, said) = ask(&place, &["compare", "kob", "safe", "randon", "--json"], 2);
    assert!(
        said.contains(error["error"].as_str().expect("a sentence")),
        "{said}"
    );

    let documents = [
        include_str!("../../../docs/command-line.md"),
        include_str!("../../../docs/command-line.zh.md"),
    ];
    let check = |row: &str, found: &Value| {
        let found = found
            .as_object()
            .unwrap_or_else(|| panic!("{row}: {found}"));
        let found: BTreeSet<String> = found.keys().cloned().collect();
        for document in documents {
            assert_eq!(documented(document, row), found, "{row}");
        }
    };
    check("| `compare` |", &compare);
    check("| `compare --json-lines` |", first);
    let new = asked(&["new", "kob", "cpp", "--json"], 0);
    has(
        &new,
        json!({"program": "kob-bot/main.cpp", "language": "cpp"}),
    );
    check("| `new` |", &new);
    check("| `rate` |", &rate);
    for document in documents {
        let row = document
            .lines()
            .find(|line| line.starts_with("| `rate` ") && line.contains("`levels[]`"));
        let row = row.expect("a row").split(" | ").next().expect("a column");
        let found = rate["levels"][0]
            .as_object()
            .expect("an object")
            .keys()
            .cloned();
        assert_eq!(documented(document, row), found.collect(), "levels");
    }
    check("| `tournament` |", &tournament);
    check("| `ladder` |", &ladder);
    for standings in [&tournament["standings"], &ladder["standings"]] {
        check("| `standings` |", standings);
        check("| `standings.rows[]` |", &standings["rows"][0]);
    }
    check("| `regress run` |", &regress);
    check("| `doctor` |", &doctor);
    let pins = asked(&["regress", "list", "--json"], 0);
    assert_eq!(
        pins["positions"].as_array().map(Vec::len),
        Some(1),
        "{pins}"
    );
    check("| `regress list` |", &pins);
    let games = asked(&["games", "--json"], 0);
    assert_eq!(games["games"].as_array().map(Vec::len), Some(3), "{games}");
    check("| `games` |", &games);
    check("| `bots` |", &asked(&["bots", "kob", "--json"], 0));
    check(
        "| `replay verify` |",
        &asked(&["replay", "verify", "x.json", "--json"], 0),
    );
    std::fs::write(place.path().join("empty.jsonl"), "").expect("own folder");
    check(
        "| `parity` |",
        &asked(&["parity", "kob", "empty.jsonl", "--json"], 1),
    );
}

#[test]
fn an_error_is_an_object_where_json_is_asked_for() {
    let place = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(place.path().join("x.json"), "{}").expect("own folder");
    let check = |words: &[&str], code: i32, part: &str| {
        let (error, said) = ask(&place, words, code);
        let why = error["error"].as_str().expect("a sentence");
        assert!(
            why.contains(part) && !said.is_empty(),
            "{words:?}: {error} {said}"
        );
    };
    check(
        &["match", "kab", "safe", "safe", "--json"],
        2,
        "did you mean kob?",
    );
    check(&["match", "--json"], 2, "<GAME> <A> <B>");
    check(
        &["match", "kob", "a", "b", "--json", "--lgs", "1"],
        2,
        "--lgs",
    );
    check(&["analyze", "x.json", "--json"], 2, "x.json");
    let words = split_words("--lang zh tournament kob safe --output json");
    check(&words, 2, "至少需要两个参赛方");
    check(
        &["tournament", "kob", "safe", "--output=json"],
        2,
        "two or more entrants",
    );
}
