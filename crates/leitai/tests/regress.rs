//! Regression as an author uses it: pin a mistake in a round of a lost game, then ask the old
//! version and the new one.

use crate::place::{self, FIRST_LEGAL, cells, open_leitai_in, says, says_but_not, table, words};
use std::fs;

use serde_json::Value;
use tempfile::TempDir;

fn place() -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    for (name, index) in [("v7.py", "0"), ("v8.py", "-1")] {
        fs::write(
            place.path().join(name),
            FIRST_LEGAL.replace("[0]", &format!("[{index}]")),
        )
        .expect("own folder");
    }
    place
}

#[track_caller]
fn ends(place: &TempDir, line: &str, code: i32, parts: &[&str]) -> String {
    place::ends(&mut open_leitai_in(place, &words(line)), code, parts)
}

/// Commands, how they end and what they say.
#[track_caller]
fn rows(place: &TempDir, rows: &str) {
    place::check_rows(|words| open_leitai_in(place, words), rows);
}

#[test]
fn a_pinned_mistake_is_still_made_or_not() {
    let place = place();
    rows(
        &place,
        r#"
0 | match kob v7.py space --seed 3 --replay lost.json
0 | regress add lost.json --leg 1 --round 4 'into the wall' | pinned regress/kob-3-1-4-A.json | v7 played
0 | regress add lost.json --leg 1 --round 4 twice | is pinned already: regress/kob-3-1-4-A.json
2 | regress add lost.json --leg 1 --round 99 | did not move in round 99 | its last move there was in round 4
2 | regress add lost.json --leg 3 --round 1 | there is no leg 3; the replay has 2
2 | regress add lost.json --round 1 | --leg
2 | regress add lost.json --leg 1 --round 1 --entrant hydra | "hydra" did not play | B (space)
0 | regress list | leg 1, round 4, v7 played | "into the wall"
3 | regress run v7.py | still made | 1 pinned, 1 still made
"#,
    );
    let new = ends(&place, "regress run v8.py", 0, &["1 pinned, 0 still made"]);
    let apart = "would not have come here: round 1";
    says(&new, &[apart]);
    let old = ends(&place, "regress run v7.py", 3, &[]);
    says_but_not(&old, &[], &["would not"]);
    // A file that is no pin is told, and the others are asked and listed.
    fs::write(place.path().join("regress/a.json"), "{}").expect("own folder");
    rows(
        &place,
        r#"
1 | regress run v8.py | regress/a.json: missing field | 2 pinned, 0 still made, 1 could not be asked
3 | regress run v7.py | 2 pinned, 1 still made
1 | regress list | regress/a.json: missing field | "into the wall"
2 | regress run v8.py --folder empty | no pinned positions
"#,
    );
}

/// Both seats, a game with turns and many actions a round, and a game in which both seats move at
/// once: a deterministic bot of ours, asked again, repeats its recorded actions.
#[test]
fn a_bot_sees_the_same_input_as_in_the_recorded_match() {
    let place = place();
    // The last row's opponent has as many turns before the pinned one as after it, and its replies depend
    // on each other.
    let games = "
snakego | greedy | random | --config max_round=60 | 1 9 40
kob | space | safe | | 1 3
tankcraft | miner | random | --config rounds=40 | 2 20
snakego | greedy | territory | --config max_round=40 | 1 2 3 7 13 21 30 37
";
    for [game, a, b, more, rounds] in table(games) {
        let (file, folder) = (format!("{game}-{b}.json"), format!("{game}-{b}"));
        let played = format!("match {game} {a} {b} --seed 5 --replay {file} {more}");
        ends(&place, &played, 0, &[]);
        let rounds: Vec<&str> = rounds.split(' ').collect();
        for leg in [1, 2] {
            for round in &rounds {
                let add = format!("regress add {file} --leg {leg} --round {round} --entrant A");
                ends(&place, &format!("{add} --folder {folder}"), 0, &[]);
            }
        }
        let run = format!("regress run {a} --folder {folder} --json");
        let said = ends(&place, &run, 3, &[]);
        let said: Value = serde_json::from_str(&said).expect("JSON and nothing else");
        let pins = said["positions"].as_array().expect("positions");
        assert_eq!(pins.len(), 2 * rounds.len());
        for pin in pins {
            has!(pin, {"verdict": "still-made", "answers": pin["played"]});
        }
    }
}

/// A bot whose turn contains this faulty line.
fn broken(place: &TempDir, name: &str, line: &str) {
    let text = FIRST_LEGAL
        .replace("        print(", &format!("        {line}\n        print("))
        .replace("[0]", "[-1]");
    fs::write(place.path().join(name), text).expect("own folder");
}

#[test]
fn a_bot_that_fails_has_not_passed() {
    let place = place();
    rows(
        &place,
        "
0 | match snakego v7.py greedy --seed 3 --replay lost.json
0 | regress add lost.json --leg 1 --round 1 --entrant A
0 | regress add lost.json --leg 2 --round 1 --entrant A
",
    );
    broken(&place, "crashes.py", "raise ValueError('a bug')");
    broken(&place, "leaves.py", "sys.exit(0)");
    broken(&place, "babbles.py", "print('hm', flush=True); continue");
    broken(&place, "ponders.py", "while True: pass");
    fs::write(place.path().join("syntax.cpp"), "int main( { return 0; }\n").expect("own folder");
    let failing = "
crashes.py | it failed [RE] | a bug | 2 pinned, 0 still made, 2 failed
leaves.py | it failed [EXIT] | 2 failed
babbles.py | it failed [PE] | 2 failed
syntax.cpp | syntax could not be built | no position was tested
ponders.py --limit 50ms --start-limit 0 | it failed [TLE] | 2 failed
";
    for row in cells(failing) {
        let run = format!("regress run {}", row[0]);
        ends(&place, &run, 4, &row[1..]);
        let json = ends(&place, &format!("{run} --json"), 4, &[]);
        serde_json::from_str::<Value>(&json).expect("JSON and nothing else");
    }
}
