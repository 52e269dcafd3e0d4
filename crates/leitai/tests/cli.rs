//! The binary as a user runs it: lists, matches of built-in bots, replays, parity, and everything that must be
//! refused with a clear message.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/snakego/golden/games.jsonl");

fn place() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn leitai(place: &TempDir, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_leitai"));
    command.args(words).current_dir(place.path()).env("LC_ALL", "C").stdin(Stdio::null());
    command.output().expect("the binary starts")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn write(place: &TempDir, name: &str, text: impl AsRef<[u8]>) {
    fs::write(place.path().join(name), text).expect("own folder");
}

fn read(place: &TempDir, name: &str) -> String {
    fs::read_to_string(place.path().join(name)).expect("it was written")
}

/// A short match of built-in bots, its replay in `game.json`.
fn play(place: &TempDir) -> Output {
    let words = ["match", "snakego", "greedy", "random", "--seed", "7", "--replay", "game.json"];
    let output = leitai(place, &[&words[..], &["--config", "max_round=60"]].concat());
    assert!(output.status.success(), "{}", err(&output));
    output
}

#[track_caller]
fn succeeds(place: &TempDir, words: &[&str], parts: &[&str]) -> String {
    let output = leitai(place, words);
    assert!(output.status.success(), "{words:?}: {}{}", out(&output), err(&output));
    let text = out(&output);
    parts.iter().for_each(|part| assert!(text.contains(part), "{words:?} lacks {part:?}:\n{text}"));
    text
}

#[track_caller]
fn fails(place: &TempDir, words: &[&str], code: i32, parts: &[&str]) {
    let output = leitai(place, words);
    let text = out(&output) + &err(&output);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {text}");
    parts.iter().for_each(|part| assert!(text.contains(part), "{words:?} lacks {part:?}:\n{text}"));
    assert!(!text.contains("panicked"), "{text}");
}

#[test]
fn lists() {
    let place = place();
    succeeds(&place, &["games"], &["snakego", "SnakeGo", "3 s"]);
    succeeds(&place, &["bots", "snakego"], &["random", "greedy", "territory", "saiblo", "json-lines"]);
    succeeds(&place, &["--lang", "zh", "games"], &["游戏", "贪吃蛇"]);
    succeeds(&place, &["completions", "bash"], &["_leitai"]);
    succeeds(&place, &["man", "pages"], &["leitai.1"]);
    assert!(read(&place, "pages/leitai-match.1").contains("leitai"));
    succeeds(&place, &["match", "--help"], &["Examples:", "Exit status"]);
}

#[test]
fn a_match_says_who_won_by_what_rule_and_what_to_do_next() {
    let place = place();
    let output = play(&place);
    let (said, told) = (out(&output), err(&output));
    assert!(said.contains("greedy wins   by legs won; leg 1 was "), "{said}");
    assert!(said.contains("leitai replay show game.json"), "{said}");
    assert!(told.contains("leg 1 of 2") && told.contains("leg 2 of 2"), "{told}");
    assert!(!told.contains('\x1b') && !said.contains('\x1b'), "no colour into a pipe");
}

#[test]
fn replays_are_kept_under_matches_by_default() {
    let place = place();
    for _ in 0..2 {
        let words = ["match", "snakego", "random", "random", "--seed", "3", "--legs", "1", "--json"];
        let result: Value = serde_json::from_str(&succeeds(&place, &words, &[])).expect("JSON");
        let path = result["replay"].as_str().expect("it was written");
        assert!(path.starts_with("matches/") && path.contains("-snakego-3"), "{path}");
        assert!(place.path().join(path).is_file());
    }
    let kept = fs::read_dir(place.path().join("matches")).expect("a folder").count();
    assert_eq!(kept, 2, "nothing is overwritten");
}

#[test]
fn real_replays_fit_the_schema() {
    let place = place();
    play(&place);
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/replay.schema.json");
    let schema: Value =
        serde_json::from_str(&fs::read_to_string(schema).expect("in the docs")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a sound schema");
    let mut replay: Value = serde_json::from_str(&read(&place, "game.json")).expect("JSON");
    let errors: Vec<String> = validator.iter_errors(&replay).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    replay["legs"][0]["hashes"] = "xyz".into();
    assert!(!validator.is_valid(&replay), "the schema can refuse");
}

#[test]
fn the_example_in_the_docs_fits_the_schema() {
    let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let text = fs::read_to_string(Path::new(docs).join("replay-format.md")).expect("in the docs");
    let example = text.split("```json").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let example: Value = serde_json::from_str(example).expect("JSON");
    let schema = fs::read_to_string(Path::new(docs).join("replay.schema.json")).expect("in the docs");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let errors: Vec<String> = jsonschema::validator_for(&schema)
        .expect("a sound schema")
        .iter_errors(&example)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn a_replay_is_verified_and_a_changed_one_is_caught() {
    let place = place();
    play(&place);
    succeeds(&place, &["replay", "verify", "game.json"], &["agrees: 2 legs", "240 state hashes"]);
    let replay: Value = serde_json::from_str(&read(&place, "game.json")).expect("JSON");
    let check = |change: &dyn Fn(&mut Value), part: &str| {
        let mut changed = replay.clone();
        change(&mut changed);
        write(&place, "changed.json", changed.to_string());
        fails(&place, &["replay", "verify", "game.json", "changed.json"], 1, &["changed.json: ", part]);
    };
    check(&|r| r["legs"][1]["hashes"] = r["legs"][0]["hashes"].clone(), "leg 2, round");
    check(
        &|r| r["legs"][0]["final_hash"] = "0".repeat(16).into(),
        "DIFFERS: leg 1, round 60, the final state hash",
    );
    check(&|r| r["legs"][0]["outcome"]["scores"][0] = 999.into(), "recorded outcome");
    check(&|r| r["verdict"]["winner"] = "B".into(), "recorded verdict");
    check(&|r| r["seed"] = 8.into(), "seed 8 deals");
    check(&|r| r["rules"] = "snakego/0".into(), "snakego/0");
    check(&|r| r["legs"][0]["replies"] = "9".into(), "there is no action \"9\"");
    check(&|r| r["format"] = "leitai-replay/2".into(), "this version reads");
    check(&|r| r["game"] = "chess".into(), "there is no game \"chess\"");
    check(&|r| r["setup"]["max_round"] = 0.into(), "max_round is 0");
}

#[test]
fn a_leg_survives_the_official_format() {
    let place = place();
    play(&place);
    for leg in ["1", "2"] {
        let export =
            ["replay", "export", "game.json", "--to", "official", "--leg", leg, "-o", "official.json"];
        succeeds(&place, &export, &[]);
        succeeds(
            &place,
            &["replay", "import", "official.json", "--from", "official", "-o", "back.json"],
            &[],
        );
        succeeds(&place, &["replay", "verify", "back.json"], &["agrees: 1 legs"]);
        let again = succeeds(&place, &["replay", "export", "back.json", "--to", "official"], &[]);
        let value = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        assert_eq!(value(&again), value(&read(&place, "official.json")));
    }
    fails(&place, &["replay", "export", "game.json", "--to", "official"], 1, &["2 legs", "add --leg N"]);
    fails(
        &place,
        &["replay", "export", "game.json", "--to", "offical", "--leg", "1"],
        1,
        &["did you mean official?"],
    );
    fails(
        &place,
        &["replay", "export", "game.json", "--to", "official", "--leg", "3"],
        1,
        &["there is no leg 3"],
    );
    fails(&place, &["replay", "import", "game.json", "--from", "official"], 1, &["game.json"]);
}

#[test]
fn a_trace_prints_every_turn() {
    let place = place();
    play(&place);
    let text = succeeds(&place, &["replay", "trace", "game.json", "--leg", "2"], &["T 1 0\n", "T 60 1\n"]);
    assert_eq!(text.matches("\nP ").count(), 120, "two turns a round");
    succeeds(&place, &["replay", "trace", "game.json"], &["# leg 1 of 2\nT 1 0", "# leg 2 of 2\nT 1 0"]);
}

#[test]
fn show_prints_plain_text_into_a_pipe() {
    let place = place();
    play(&place);
    let text =
        succeeds(&place, &["replay", "show", "game.json", "--round", "20"], &["20", "greedy", "random"]);
    assert!(!text.contains('\x1b'), "no colour into a pipe");
    fails(&place, &["replay", "show", "game.json", "--leg", "3"], 1, &["there is no leg 3"]);
    fails(&place, &["play", "snakego"], 1, &["terminal"]);
}

#[test]
fn parity_counts_and_a_broken_corpus_fails() {
    let place = place();
    let all = succeeds(&place, &["parity", "snakego", CORPUS], &[]);
    let games = fs::read_to_string(CORPUS).expect("a fixture").lines().count();
    assert_eq!(all, format!("{games} games, {games} agree\n"));
    let text = fs::read_to_string(CORPUS).expect("a fixture");
    let broken = text.replacen("\"winner\":0", "\"winner\":1", 1);
    assert_ne!(broken, text);
    write(&place, "broken.jsonl", &broken);
    let summary = format!("{games} games, {} agree", games - 1);
    fails(&place, &["parity", "snakego", "broken.jsonl"], 1, &["winner: recorded Some(1)", &summary]);
    write(&place, "empty.jsonl", "\n");
    fails(&place, &["parity", "snakego", "empty.jsonl"], 1, &["0 games, 0 agree"]);
    write(&place, "garbage.jsonl", "{\"seed\": -1}\nnot json\n");
    fails(&place, &["parity", "snakego", "garbage.jsonl"], 1, &["line 1", "line 2", "2 games, 0 agree"]);
}

#[test]
fn words_that_name_nothing_get_the_nearest_names() {
    let place = place();
    fails(
        &place,
        &["match", "snakegoo", "greedy", "random"],
        1,
        &["no game \"snakegoo\"", "did you mean snakego?"],
    );
    fails(
        &place,
        &["match", "snakego", "gredy", "random"],
        1,
        &["did you mean greedy?", "source file", "main.py"],
    );
    fails(&place, &["match", "snakego", "./nothing.py", "random"], 1, &["neither a built-in bot nor a path"]);
    write(&place, "notes.txt", "hello");
    fails(&place, &["match", "snakego", "./notes.txt", "random"], 1, &["notes.txt", ".py"]);
    write(&place, "bot.py", "");
    fails(&place, &["match", "snakego", "json-line:./bot.py", "random"], 1, &["did you mean json-lines?"]);
    fails(&place, &["bots", "tank"], 1, &["no game \"tank\""]);
}

#[test]
fn values_out_of_range_are_named() {
    let place = place();
    let check = |words: &[&str], code: i32, part: &str| {
        fails(&place, &[&["match", "snakego", "random", "random"][..], words].concat(), code, &[part]);
    };
    check(&["--config", "max_round=513"], 1, "max_round is 513; 1 to 512");
    check(&["--config", "rounds=5"], 1, "rounds");
    check(&["--config", "max_round"], 1, "KEY=VALUE");
    check(&["--config", "items=[[16,0,1,0,1]]"], 1, "items must be");
    check(&["--config", "items=@nothing.json"], 1, "nothing.json");
    check(&["--legs", "0"], 2, "0 is not in 1..=64");
    check(&["--limit", "soon"], 2, "\"soon\" is no time");
    check(&["--seed", "-1"], 2, "-1");
    check(&["--replay", "/proc/nowhere/game.json"], 1, "/proc/nowhere");
}

#[test]
fn files_that_are_no_replays_are_refused() {
    let place = place();
    let check = |name: &str, part: &str| fails(&place, &["replay", "verify", name], 1, &[name, part]);
    check("missing.json", "No such file");
    check("/dev/zero", "not a regular file");
    write(&place, "deep.json", format!("{{\"config\":{}", "[".repeat(1 << 20)));
    check("deep.json", "recursion limit");
    write(&place, "binary.json", [0xff, 0xfe, 0x00]);
    check("binary.json", "not UTF-8");
    write(&place, "half.json", "{\"format\":");
    check("half.json", "EOF");
    let big = fs::File::create(place.path().join("big.json")).expect("own folder");
    big.set_len(1 << 30).expect("a sparse file");
    check("big.json", "1073741824 bytes");
}

#[test]
fn a_map_file_can_be_given_and_is_checked() {
    let place = place();
    let keep = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/tankcraft/maps/keep.txt");
    let text = fs::read_to_string(keep).expect("a map of the house");
    write(&place, "map.txt", &text);
    write(&place, "walled.txt", text.replacen("..2......D", "##2......D", 1));
    let words =
        ["match", "tankcraft", "random", "random", "--seed", "1", "--no-replay", "--config", "rounds=5"];
    for choice in ["map=map.txt", "map=@map.txt", "map=./map.txt"] {
        succeeds(&place, &[&words[..], &["--config", choice]].concat(), &["leg 2 was"]);
    }
    // Every violation is named: the half turn is broken twice.
    let parts = ["'#' at (2,1) does not match", "'#' at (2,2) does not match"];
    fails(&place, &[&words[..], &["--config", "map=walled.txt"]].concat(), 1, &parts);
    fails(&place, &[&words[..], &["--config", "map=nowhere.txt"]].concat(), 1, &["map must be"]);
}
