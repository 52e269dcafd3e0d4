//! `leitai tune` with a program that lives as long as its argument says.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::benchmark::check_schema;
use crate::entrant_settings::{ends, place};
use crate::place::{cells, words};
use crate::series::lines;

/// The program crashes in this turn: the larger value loses to none that is smaller.
const TUNE: &str = "tune kob './bot.py kob' --param crash-at=1..8:2 --pairs 24 --proof 30 --elo1 200 -j 2 --folder f";

#[test]
fn a_real_program_is_tuned_and_the_values_are_tested() {
    let place = place();
    let json = format!("{TUNE} --json");
    let journal = place.path().join("f/journal.jsonl");
    let mut child = place
        .leitai(&words(&json))
        .env("LEITAI_ISOLATION", "none")
        .stdout(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let begun = Instant::now();
    while lines(&journal) < 8 && child.try_wait().expect("it is ours").is_none() {
        assert!(begun.elapsed() < Duration::from_secs(600), "no seven pairs");
        std::thread::park_timeout(Duration::from_millis(10));
    }
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
    assert!(lines(&journal) >= 8, "it was killed on its way");

    let found = ends(&place, &json, 0, &[]);
    place.write("found.json", &found);
    check_schema(&place, "found.json", "tune.schema.json");
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let one = &found["parameters"][0];
    has!(one, {"start": 2, "low": 1, "high": 8});
    let best = one["best"].as_u64().expect("a whole number");
    assert!(best > 2, "{found}");
    has!(found, {"tuned": format!("./bot.py kob --crash-at {best}"), "/test/decision": "accepted"});
    assert_eq!(found["test"]["seed"], 25, "on seeds of its own");
    let numbers = |journal: &str| -> Vec<u64> {
        let text = fs::read_to_string(place.path().join(journal)).expect("it is there");
        let entry =
            |line: &str| -> Value { serde_json::from_str(line).expect("every line is whole") };
        let mut all: Vec<u64> = text
            .lines()
            .skip(1)
            .filter_map(|line| entry(line)["number"].as_u64())
            .collect();
        all.sort_unstable();
        all
    };
    assert_eq!(
        numbers("f/journal.jsonl"),
        (0..24).collect::<Vec<u64>>(),
        "each pair once"
    );
    let tested = numbers("f/proof/journal.jsonl");
    for seed in 1..=24 {
        let replay = place.replay(&format!("f/replays/{seed}.json"));
        let [one, other] = [0, 1].map(|index| replay["entrants"][index]["settings"].clone());
        assert_ne!(one, other, "each pair is played by two values");
    }

    // Once more: nothing is played, and the same is said, to people too.
    let again: Value = serde_json::from_str(&ends(&place, &json, 0, &[])).expect("JSON");
    assert_eq!(again, found);
    assert_eq!(numbers("f/proof/journal.jsonl"), tested);
    let use_them = format!("use them: './bot.py kob --crash-at {best}'");
    let accepted = "accepted: tuned is better than start";
    let parts = ["24 of 24", "crash-at ", "its way ", accepted, &use_them];
    ends(&place, TUNE, 0, &parts);
    let parts = ["使用方法", "经过", "接受"];
    ends(&place, &format!("{TUNE} --lang zh"), 0, &parts);
}

#[test]
fn what_is_wrong_with_parameters_is_said_at_once() {
    let place = place();
    let rows = "
2 | './bot.py kob' | --param
2 | './bot.py kob' --param at=9..1 | 1 must be greater than 9
2 | './bot.py kob {art}' --param at=1..9 | add --param art=LOW..HIGH
2 | space --param at=1..9 | built-in bot, which takes @limit
2 | ./bto.py --param at=1..9 | ./bto.py
2 | './bot.py kob' --param at=1..9:0 --lang zh | 起始值 0 不在 1..9 之内
4 | './bot.py kob' --param at=3..4:3 --pairs 1 --proof 0 | 1 of 1 | these pairs do not tell
";
    for row in cells(rows) {
        let code = row[0].parse().expect("a status");
        ends(&place, &format!("tune kob {}", row[1]), code, &row[2..]);
    }
}
