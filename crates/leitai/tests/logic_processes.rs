//! Games whose judge is a program that exists already, as a user brings them: a folder with `logic`.

use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

use crate::place::{self, cells, leitai_in, split_words};

/// The example, with its two bots.
fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/games/pig")
}

/// A folder with the example in `pig`; `change` gets the text of its judge program.
fn place(change: impl Fn(String) -> String) -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    let pig = place.path().join("pig");
    for folder in ["logic", "bots"] {
        fs::create_dir_all(pig.join(folder)).expect("own folder");
    }
    let files = [
        "game.toml",
        "guide.md",
        "guide.zh.md",
        "bots/hold20.py",
        "bots/careful.py",
    ];
    for file in files {
        fs::copy(example().join(file), pig.join(file)).expect("a part of the example");
    }
    let logic = fs::read_to_string(example().join("logic/main.py")).expect("its program");
    fs::write(pig.join("logic/main.py"), change(logic)).expect("own folder");
    place
}

/// Runs a command that has to end with this status and print these parts.
#[track_caller]
fn check(place: &TempDir, lang: &str, line: &str, status: i32, parts: &[&str]) {
    let mut command = leitai_in(place, &split_words(line));
    place::ends(command.env("LC_ALL", lang), status, parts);
}

/// The same of rows: `C 0 | command | part | part`.
#[track_caller]
fn check_rows(place: &TempDir, rows: &str) {
    for row in cells(rows) {
        let [how, line, parts @ ..] = &row[..] else {
            panic!("a language, a status and a command: {row:?}")
        };
        let (lang, status) = how.split_once(' ').expect("a language and a status");
        check(place, lang, line, status.parse().expect("a status"), parts);
    }
}

const MATCH: &str = "match ./pig pig/bots/hold20.py pig/bots/careful.py --seed 3 --replay one.json";

#[test]
fn a_judge_program_leads_a_match_that_can_be_verified() {
    let place = place(|logic| logic);
    check(&place, "C", MATCH, 0, &["wins", "--game ./pig"]);
    check_rows(
        &place,
        "
C 0 | replay verify one.json --game ./pig | agrees: 2 legs
zh_CN.UTF-8 0 | replay verify one.json --game ./pig | 一致
",
    );
    fs::create_dir(place.path().join("pig/golden")).expect("own folder");
    fs::rename(
        place.path().join("one.json"),
        place.path().join("pig/golden/one.json"),
    )
    .expect("own folder");
    check_rows(
        &place,
        "
C 0 | game check ./pig | pig passes, with 1 recorded matches
C 2 | game pack ./pig | a logic process leads this game
C 2 | match ./pig pig/bots/hold20.py random | random
",
    );
}

/// A program of a player, and what the match says of it: the first one is a fault in the opinion of the
/// judge program alone.
#[test]
fn faults_of_players_are_told_to_the_judge_program() {
    let place = place(|logic| logic);
    let say = |word: &str| {
        format!(
            "import sys\nsys.stdin.readline()\nsys.stdout.buffer.write(len(b'{word}').to_bytes(4, 'big') + b'{word}')\nsys.stdout.buffer.flush()\nsys.stdin.read()\n"
        )
    };
    for (bot, code) in [
        (say("jump"), "by a fault of the opponent"),
        (
            say("a word that is longer than the judge program allows"),
            "IA",
        ),
        ("import sys\nsys.exit(3)\n".into(), "RE"),
        ("while True: pass\n".into(), "TLE"),
    ] {
        fs::write(place.path().join("bot.py"), bot).expect("own folder");
        let line = "match ./pig bot.py pig/bots/careful.py --legs 1 --no-replay";
        check(&place, "C", line, 0, &[code, "careful wins"]);
    }
}

/// What a judge program does wrong, and what is said; nobody loses by it.
#[test]
fn a_judge_program_that_fails_ends_the_match_without_blame() {
    let turn = "        if word == \"roll\":";
    for (code, words) in [
        (
            "        raise SystemExit(7)",
            "ended before the game was over",
        ),
        ("        send(5, 'x')", "sent a message to player 5"),
        ("        order(state='x')", "which has no state"),
        (
            "        order(state=turn, listen=[])\n        listen()",
            "it listens to nobody",
        ),
    ] {
        let place = place(|logic| logic.replace(turn, &format!("{code}\n{turn}")));
        check(&place, "C", MATCH, 1, &["the rules of pig failed", words]);
        assert!(!place.path().join("one.json").exists(), "{code}");
    }
}

#[test]
fn a_judge_program_that_draws_anew_each_time_is_not_repeatable() {
    let place =
        place(|logic| logic.replace("random.Random(config[\"random_seed\"])", "random.Random()"));
    check(&place, "C", MATCH, 0, &["leg 2 of 2"]);
    fs::create_dir(place.path().join("pig/golden")).expect("own folder");
    fs::copy(
        place.path().join("one.json"),
        place.path().join("pig/golden/one.json"),
    )
    .expect("own folder");
    check(&place, "C", "game check ./pig", 0, &["not repeatable"]);
}
