//! `leitai book`: positions of recorded matches, and series that start from them.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::place::rows::check_row;
use crate::place::{Place, split_words, text as said};

/// The object that a command prints.
#[track_caller]
fn answer(place: &Place, line: &str, code: i32) -> Value {
    let output = place.run(&line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(
        output.status.code(),
        Some(code),
        "{line}: {}",
        said(&output)
    );
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[track_caller]
fn refused(place: &Place, line: &str, part: &str) {
    let output = place.run(&split_words(line));
    assert_eq!(output.status.code(), Some(2), "{line}: {}", said(&output));
    assert!(said(&output).contains(part), "{line}: {}", said(&output));
}

fn positions(book: &str) -> Vec<Value> {
    let lines = book.lines().skip(1);
    let lines = lines.map(|line| serde_json::from_str(line).expect("a position"));
    lines.collect()
}

#[test]
fn both_games_of_a_pair_start_from_the_same_position_of_a_book() {
    let place = Place::new();
    let played = "tournament kob space safe sample --rounds 2 --folder t --output json";
    answer(&place, played, 0);
    let make = "book make t/replays --rounds 3-5 --min-games 1 --json --output";
    let made = answer(&place, &format!("{make} one.book"), 0);
    check_row("book make", &made);
    answer(&place, &format!("{make} two.book"), 0);
    let read = |name: &str| fs::read_to_string(place.path().join(name)).expect("it is there");
    let book = read("one.book");
    assert_eq!(
        book,
        read("two.book"),
        "the same replays make the same book"
    );
    let listed = positions(&book);
    assert_eq!(made["positions"], listed.len());
    assert!(
        listed
            .iter()
            .all(|one| (3..=5).contains(&one["round"].as_u64().unwrap_or(0)))
    );
    let distinct: BTreeSet<String> = listed
        .iter()
        .map(|one| format!("{} {}", one["setup"], one["replies"]))
        .collect();
    assert_eq!(distinct.len(), listed.len(), "each once");
    check_row(
        "book check",
        &answer(&place, "book check kob one.book --json", 0),
    );

    let compare = "compare kob space safe --max 4 --folder c --json --book";
    let result = answer(&place, &format!("{compare} one.book"), 4);
    has!(result, {"/pairs/#": 5});
    let mut count = 0;
    for file in fs::read_dir(place.path().join("c/replays")).expect("a folder") {
        let text = fs::read_to_string(file.expect("a file").path()).expect("a replay");
        let replay: Value = serde_json::from_str(&text).expect("JSON");
        let own = listed.iter().find(|one| {
            one["setup"] == replay["setup"] && one["round"] == replay["forced"]["round"] && {
                let begun = one["replies"].as_str().expect("a text");
                let legs = replay["legs"].as_array().expect("legs");
                legs.iter().all(|leg| {
                    leg["replies"]
                        .as_str()
                        .is_some_and(|all| all.starts_with(begun))
                })
            }
        });
        assert!(own.is_some(), "{}", replay["forced"]);
        has!(replay["forced"], {"leg": 1, "each_leg": true});
        count += 1;
    }
    assert!(count >= 4, "{count}");
    let all = "replay verify c/replays/1.json c/replays/2.json";
    assert_eq!(
        place.run(&split_words(all)).status.code(),
        Some(0),
        "they verify"
    );

    // What was begun with a book goes on with it alone.
    refused_or_failed(
        &place,
        "compare kob space safe --max 5 --folder c --json",
        "book was",
    );
    let tournament = "tournament kob space safe --book one.book --folder u --output json";
    let report = answer(&place, tournament, 0);
    assert!(report["terms"]["book"].is_string(), "{}", report["terms"]);
    refused(
        &place,
        "rate kob space --book one.book",
        "measured from the game's beginning",
    );
    refused(
        &place,
        "compare kob space safe --book one.book --config map=x",
        "leave out --config",
    );
}

#[track_caller]
fn refused_or_failed(place: &Place, line: &str, part: &str) {
    let output = place.run(&split_words(line));
    assert_ne!(output.status.code(), Some(0), "{line}");
    assert!(said(&output).contains(part), "{line}: {}", said(&output));
}

#[test]
fn a_book_has_what_its_filters_let_through_and_no_unsound_position() {
    let place = Place::new();
    answer(
        &place,
        "tournament kob space safe --rounds 2 --folder t --output json",
        0,
    );
    let count = |more: &str| {
        let line = format!("book make t/replays --rounds 3-6 {more} --output b.book --json");
        let made = answer(&place, &line, 0);
        made["positions"].as_u64().expect("a number")
    };
    let all = count("");
    assert!(all > 4, "{all}");
    assert_eq!(count("--most 3"), 3);
    assert_eq!(count("--min-games 100"), 0);
    assert!(count("--balance 0 --balance-by results") < all);
    let near = count("--balance 0.001 --budget 50");
    assert!(near < all, "{near} of {all}");
    let book = fs::read_to_string(place.path().join("b.book")).unwrap_or_default();
    for one in positions(&book) {
        let value = one["value"].as_f64().expect("a chance");
        assert!((value - 0.5).abs() <= 0.001, "{value}");
    }

    count("--most 1");
    let book = fs::read_to_string(place.path().join("b.book")).expect("it is there");
    let (head, line) = book.split_once('\n').expect("two lines");
    let one: Value = serde_json::from_str(line).expect("a position");
    let with = |key: &str, value: Value| {
        let mut one = one.clone();
        one[key] = value;
        format!("{head}\n{one}\n")
    };
    for (text, part) in [
        (String::new(), "no head of a book"),
        (head.to_owned(), "has 0 positions"),
        (
            book.replace("leitai-book/1", "leitai-book/9"),
            "the format is",
        ),
        (book.replacen("kob", "nim", 1), "it is a book of \"nim\""),
        (
            with("weight", 0.into()),
            "position 1 of the book: its weight is 0",
        ),
        (with("round", 999.into()), "before round 999"),
        (with("round", 0.into()), "there is no round 0"),
        (with("replies", "?? ??".into()), "position 1"),
        (with("setup", json!({"map": 1})), "position 1"),
        (with("more", 1.into()), "unknown field"),
        (
            format!("{book}{line}"),
            "position 2 of the book: it is position 1 again",
        ),
    ] {
        place.write("bad.book", text);
        refused(&place, "book check kob bad.book", part);
    }
}
