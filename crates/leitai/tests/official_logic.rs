//! SnakeGo's official judge program, unmodified, as a game of somebody else: public bots play legs
//! that it leads, and the engine of the house says the same bytes to the same replies.
//!
//! The program and the bots stay outside this repository. `LEITAI_SNAKEGO_LOGIC` is the folder of
//! its main.py (ADu2021/SnakeGo, Res/logic-src/logic-src), `LEITAI_SNAKEGO_BOTS` names bots of the
//! official protocol, separated by colons; `LEITAI_SNAKEGO_MATCHES` says how many matches of two
//! legs are played (30), and `LEITAI_SNAKEGO_REPLAYS` is a folder that keeps their replays: those that
//! are there are not played again.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use leitai_game::erased::{AnyGame, AnyLeg, AnyProtocol, TextReplies};
use leitai_game::replay::{LegRecord, Replay, parse_token};
use leitai_game::{BySeat, Fault, Reply, Seat, ToMove};
use serde_json::{Value, json};

use crate::place::{self, leitai_in};

const MANIFEST: &str = r#"interface = "leitai-game/1"
id = "snakego-official"
rules = "snakego-official/1"
name = "SnakeGo, official logic"
about = "the judge program of 2022"
legs = 2
open = true
rounds = 1024
authors = ["THUAC"]
licence = "its authors'"
logic = "./logic"
"#;

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("own folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => copy_folder(&path, &target),
            false => drop(fs::copy(&path, &target).expect("a file")),
        }
    }
}

/// Runs `leitai` in the place and returns what it prints.
fn leitai(place: &Path, words: &[&str]) -> String {
    place::ends(&mut leitai_in(place, words), 0, &[])
}

/// Takes over the change of a frame: a list of one value replaces, an object goes further in.
fn apply(change: &Value, to: &mut Value) {
    match change {
        Value::Array(values) => *to = values.first().cloned().unwrap_or_default(),
        Value::Object(members) => {
            for (name, change) in members {
                apply(change, &mut to[name]);
            }
        }
        _ => {}
    }
}

/// The bytes that the program sent to each player in a leg, as hexadecimal numbers.
fn bytes_of_the_program(place: &Path, replay: &str, leg: &str) -> [String; 2] {
    let game = ["--game", "./official"];
    let words = [&["replay", "frames", replay, "--leg", leg][..], &game].concat();
    let (mut view, mut sent) = (Value::Null, [const { String::new() }; 2]);
    for line in leitai(place, &words).lines() {
        let frame: Value = serde_json::from_str(line).expect("a frame");
        match frame.get("view") {
            Some(whole) => view = whole.clone(),
            None => apply(&frame["change"], &mut view),
        }
        for (seat, sent) in ["first", "second"].into_iter().zip(&mut sent) {
            let now = view["sent"][seat].as_str().unwrap_or_default();
            sent.extend(now.split_whitespace());
        }
    }
    sent
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A message as the judge reads it, in the notation of replays of judge programs.
fn bytes_of(action: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = action;
    while let Some(first) = rest.chars().next() {
        let code = rest.get(1..3).filter(|_| first == '%');
        let read = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.extend(read.or_else(|| (first != '%').then_some(first as u8)));
        rest = &rest[if read.is_some() { 3 } else { 1 }..];
    }
    bytes
}

/// Plays the replies of a leg in the house's engine: the bytes to each player, and who won.
fn play_natively(game: &dyn AnyGame, seed: u64, record: &LegRecord) -> ([String; 2], Option<Seat>) {
    let setup = game.deal_setup(&json!({}), seed).expect("it deals");
    let mut leg = setup.start_leg();
    let protocol = || game.make_protocol("saiblo").expect("the official one");
    let mut writers = Seat::BOTH.map(|seat| (seat, protocol(), String::new()));
    for (seat, writer, told) in &mut writers {
        told.push_str(&hex(&writer.write_start(&*leg, *seat)));
    }
    for token in record.replies.split(' ') {
        assert_ne!(
            leg.to_move(),
            ToMove::Nobody,
            "the engine ends the leg before {token}"
        );
        let read = parse_token(token, leg.to_move()).expect("a reply for who is asked");
        let actions = BySeat::from_fn(|seat| read_reply(&mut *protocol(), &*leg, seat, &read));
        let replies = BySeat::from_fn(|seat: Seat| match &actions[seat] {
            Some(Ok(action)) => Some(Reply::Action(action.as_str())),
            Some(Err(fault)) => Some(Reply::Fault(*fault)),
            None => None,
        });
        leg.step(replies, &mut ());
        for (seat, writer, told) in &mut writers {
            told.push_str(&hex(&writer.write_step(&*leg, *seat, &replies)));
        }
    }
    for (seat, writer, told) in &mut writers {
        told.push_str(&hex(&writer.write_end(&*leg, *seat)));
    }
    let outcome = leg.outcome().expect("the engine ends the leg, too");
    (writers.map(|(_, _, told)| told), outcome.winner)
}

/// A reply as the engine takes it.
fn read_reply(
    protocol: &mut dyn AnyProtocol,
    leg: &dyn AnyLeg,
    seat: Seat,
    replies: &TextReplies<'_>,
) -> Option<Result<String, Fault>> {
    Some(match replies[seat].as_ref()? {
        Reply::Fault(fault) => Err(*fault),
        Reply::Action(action) => {
            let read = protocol.read(leg, seat, &bytes_of(action));
            read.map_err(|_| Fault::Malformed)
        }
    })
}

/// Compares the legs of a match; returns how many.
fn compare_match(place: &Path, file: &Path) -> usize {
    let text = fs::read_to_string(file).expect("the replay");
    let replay = Replay::parse(&text).expect("a replay");
    let seed = replay.setup["random_seed"].as_u64().expect("the seed");
    let game = leitai_games::find_game("snakego").expect("a game of the house");
    for (index, record) in replay.legs.iter().enumerate() {
        let (of, leg) = (file.display(), (index + 1).to_string());
        let (told, winner) = play_natively(game, seed, record);
        let end = record.outcome.as_ref().expect("the leg ended");
        // With equal points the protocol tells no winner; the bytes to the players name the official one.
        if end.winner.is_some() {
            assert_eq!(winner, end.winner, "{of}, leg {leg}: the winner");
        }
        let path = file.to_str().expect("a path as text");
        let theirs = bytes_of_the_program(place, path, &leg);
        assert_eq!(told, theirs, "{of}, leg {leg}: the bytes to both players");
        let (replies, scores) = (record.replies.split(' ').count(), end.scores.into_pair());
        eprintln!("{of}, leg {leg}: {replies} replies, {scores:?}: the same bytes and winner");
    }
    replay.legs.len()
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

#[test]
#[ignore = "long: needs the official logic and bots, which are outside of this repository"]
fn the_official_logic_and_our_engine_say_the_same() {
    let (logic, bots) = ("LEITAI_SNAKEGO_LOGIC", "LEITAI_SNAKEGO_BOTS");
    let (Some(logic), Some(bots)) = (variable(logic), variable(bots)) else {
        return eprintln!(
            "skipped: {logic} and {bots} do not name SnakeGo's official judge program and bots"
        );
    };
    let bots: Vec<&str> = bots.split(':').collect();
    let pairs: Vec<(&str, &str)> = (0..bots.len())
        .flat_map(|b| (0..b).map(move |a| (a, b)))
        .map(|(a, b)| (bots[a], bots[b]))
        .collect();
    assert!(!pairs.is_empty(), "two bots play a match: {bots:?}");
    let place = tempfile::tempdir().expect("a temporary folder");
    let official = place.path().join("official");
    copy_folder(Path::new(&logic), &official.join("logic"));
    fs::write(official.join("game.toml"), MANIFEST).expect("own folder");
    fs::write(official.join("guide.md"), "# SnakeGo\n").expect("own folder");
    let kept = variable("LEITAI_SNAKEGO_REPLAYS").map_or(place.path().into(), PathBuf::from);
    let matches = variable("LEITAI_SNAKEGO_MATCHES").map_or(30, |n| n.parse().expect("a number"));
    let mut legs = 0;
    for seed in 1..=matches {
        let file = kept.join(format!("{seed}.json"));
        if !file.exists() {
            let (a, b) = pairs[seed % pairs.len()];
            let (seed, path) = (seed.to_string(), file.to_str().expect("a path as text"));
            let who = ["match", "./official", a, b];
            leitai(
                place.path(),
                &[&who[..], &["--seed", &seed, "--replay", path]].concat(),
            );
        }
        legs += compare_match(place.path(), &file);
    }
    eprintln!("{legs} legs agree");
}
