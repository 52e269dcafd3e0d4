//! Regression as an author uses it: pin a mistake in a round of a lost game, then ask the old
//! version and the new one.

use crate::place::{self, FIRST_LEGAL, fill_words, open_leitai_in};
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
fn ends(place: &TempDir, words: &[&str], code: i32, parts: &[&str]) -> String {
    place::ends(&mut open_leitai_in(place, words), code, parts)
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
        "0 | match kob v7.py space --seed 3 --replay lost.json",
    );
    let add = |more: &[&str], parts: &[&str], code| {
        ends(
            &place,
            &[&["regress", "add", "lost.json"], more].concat(),
            code,
            parts,
        );
    };
    add(
        &["--leg", "1", "--round", "4", "into the wall"],
        &["pinned regress/kob-3-1-4-A.json", "v7 played"],
        0,
    );
    add(
        &["--leg", "1", "--round", "4", "twice"],
        &["is pinned already: regress/kob-3-1-4-A.json"],
        0,
    );
    add(
        &["--leg", "1", "--round", "99"],
        &[
            "did not move in round 99",
            "its last move there was in round 4",
        ],
        2,
    );
    add(
        &["--leg", "3", "--round", "1"],
        &["there is no leg 3; the replay has 2"],
        2,
    );
    add(&["--round", "1"], &["--leg"], 2);
    add(
        &["--leg", "1", "--round", "1", "--entrant", "hydra"],
        &["\"hydra\" did not play", "B (space)"],
        2,
    );
    rows(
        &place,
        r#"
0 | regress list | leg 1, round 4, v7 played | "into the wall"
3 | regress run v7.py | still made | 1 pinned, 1 still made
"#,
    );
    let new = ends(
        &place,
        &["regress", "run", "v8.py"],
        0,
        &["1 pinned, 0 still made"],
    );
    assert!(
        new.contains("would not have come here: round 1"),
        "the divergence is printed: {new}"
    );
    assert!(
        !ends(&place, &["regress", "run", "v7.py"], 3, &[]).contains("would not"),
        "the bot would reach this position again"
    );
    // A file that is no pin is told, and the others are asked and listed.
    fs::write(place.path().join("regress/a.json"), "{}").expect("own folder");
    let told = [
        "regress/a.json: missing field",
        "2 pinned, 0 still made, 1 could not be asked",
    ];
    ends(&place, &["regress", "run", "v8.py"], 1, &told);
    rows(&place, "3 | regress run v7.py | 2 pinned, 1 still made");
    ends(
        &place,
        &["regress", "list"],
        1,
        &[told[0], "\"into the wall\""],
    );
    rows(
        &place,
        "2 | regress run v8.py --folder empty | no pinned positions",
    );
}

/// Both seats, a game with turns and many actions a round, and a game in which both seats move at
/// once: a deterministic bot of ours, asked again, repeats its recorded actions.
#[test]
fn a_bot_sees_the_same_input_as_in_the_recorded_match() {
    let place = place();
    let check = |game: &str, a: &str, b: &str, more: &[&str], rounds: &[&str]| {
        let (file, folder) = (format!("{game}-{b}.json"), format!("{game}-{b}"));
        ends(
            &place,
            &[
                &["match", game, a, b, "--seed", "5", "--replay", &file],
                more,
            ]
            .concat(),
            0,
            &[],
        );
        for leg in ["1", "2"] {
            for round in rounds {
                let words = fill_words(
                    "regress add {} --leg {} --round {} --entrant A --folder {}",
                    &[&file, leg, round, &folder],
                );
                ends(&place, &words, 0, &[]);
            }
        }
        let said = ends(
            &place,
            &["regress", "run", a, "--folder", &folder, "--json"],
            3,
            &[],
        );
        let said: Value = serde_json::from_str(&said).expect("JSON and nothing else");
        let pins = said["positions"].as_array().expect("positions");
        assert_eq!(pins.len(), 2 * rounds.len());
        for pin in pins {
            has!(pin, {"verdict": "still-made", "answers": pin["played"]});
        }
    };
    check(
        "snakego",
        "greedy",
        "random",
        &["--config", "max_round=60"],
        &["1", "9", "40"],
    );
    check("kob", "space", "safe", &[], &["1", "3"]);
    check(
        "tankcraft",
        "miner",
        "random",
        &["--config", "rounds=40"],
        &["2", "20"],
    );
    // The opponent has as many turns before the pinned one as after it, and its replies depend on
    // each other.
    let rounds = ["1", "2", "3", "7", "13", "21", "30", "37"];
    check(
        "snakego",
        "greedy",
        "territory",
        &["--config", "max_round=40"],
        &rounds,
    );
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
    let legs = [("1", "A"), ("2", "A")];
    rows(
        &place,
        "0 | match snakego v7.py greedy --seed 3 --replay lost.json",
    );
    for (leg, entrant) in legs {
        let words = fill_words(
            "regress add lost.json --leg {} --round 1 --entrant {}",
            &[leg, entrant],
        );
        ends(&place, &words, 0, &[]);
    }
    broken(&place, "crashes.py", "raise ValueError('a bug')");
    broken(&place, "leaves.py", "sys.exit(0)");
    broken(&place, "babbles.py", "print('hm', flush=True); continue");
    broken(&place, "ponders.py", "while True: pass");
    fs::write(place.path().join("syntax.cpp"), "int main( { return 0; }\n").expect("own folder");
    let fails = |bot: &str, more: &[&str], parts: &[&str]| {
        let said = ends(
            &place,
            &[&["regress", "run", bot][..], more].concat(),
            4,
            parts,
        );
        let json = ends(
            &place,
            &[&["regress", "run", bot, "--json"][..], more].concat(),
            4,
            &[],
        );
        serde_json::from_str::<Value>(&json).expect("JSON and nothing else");
        said
    };
    fails(
        "crashes.py",
        &[],
        &[
            "it failed [RE]",
            "a bug",
            "2 pinned, 0 still made, 2 failed",
        ],
    );
    fails("leaves.py", &[], &["it failed [EXIT]", "2 failed"]);
    fails("babbles.py", &[], &["it failed [PE]", "2 failed"]);
    fails(
        "syntax.cpp",
        &[],
        &["syntax could not be built", "no position was tested"],
    );
    fails(
        "ponders.py",
        &["--limit", "50ms", "--start-limit", "0"],
        &["it failed [TLE]", "2 failed"],
    );
}
