//! The engine in the page, run natively. The browser test (`web/tests/browser/engine.test.mjs`)
//! runs the same in WebAssembly.

#![allow(
    clippy::disallowed_methods,
    reason = "the test reads the corpora of the games"
)]

use leitai_wasm::answer_request;
use leitai_wasm::request::write_request;
use serde_json::{Value, json};

/// The answer to a call.
#[track_caller]
fn ask(call: Value, file: &[u8]) -> Value {
    let request = write_request(&call.to_string(), file);
    let answer = answer_request(&request, &mut |_| {});
    serde_json::from_slice(&answer).expect("answers are JSON")
}

#[track_caller]
fn ok(call: Value, file: &[u8]) -> Value {
    let mut answer = ask(call.clone(), file);
    assert!(answer["error"].is_null(), "{call}: {}", answer["error"]);
    answer["ok"].take()
}

/// The code of the error; its message is in both languages.
#[track_caller]
fn refused(call: Value, file: &[u8]) -> (String, String) {
    let error = ask(call, file)["error"].take();
    let text = |name: &str| error["message"][name].as_str().expect("a text").to_owned();
    let zh = text("zh");
    assert!(
        !zh.is_ascii() && zh != text("en"),
        "not translated: {error}"
    );
    (
        error["code"].as_str().expect("a code").to_owned(),
        text("en"),
    )
}

/// A leg between two bots, played to its end: the replies, and the replay file.
fn play_leg(game: &str, bots: [&str; 2], seed: u64) -> (String, Vec<u8>) {
    let mut call = json!({"call": "play", "game": game, "seed": seed, "leg": 1, "players": bots,
        "perspective": "all", "limit": 4096});
    let mut answer = ok(call.clone(), b"");
    while answer["is_over"] == false {
        call["replies"] = answer["replies"].take();
        call["frames_from"] = json!(answer["step"].as_u64().expect("a number") + 1);
        answer = ok(call.clone(), b"");
    }
    let replies = answer["replies"].as_str().expect("a text").to_owned();
    let entrant = |name: &str| json!({"name": name, "kind": "built-in"});
    let saved = ok(
        json!({"call": "save", "game": game, "seed": seed, "leg": 1, "legs": [replies],
            "entrants": [entrant(bots[0]), entrant(bots[1])], "match_legs": 1}),
        b"",
    );
    assert_eq!(saved["complete"], true);
    let file = saved["replay"]
        .as_str()
        .expect("a text")
        .as_bytes()
        .to_vec();
    (replies, file)
}

const GAMES: [(&str, [&str; 2]); 3] = [
    ("snakego", ["greedy", "random"]),
    ("kob", ["space", "safe"]),
    ("tankcraft", ["miner", "random"]),
];

#[test]
fn what_is_played_and_saved_verifies() {
    for (game, bots) in GAMES {
        let (replies, file) = play_leg(game, bots, 7);
        let found = ok(json!({"call": "verify"}), &file);
        assert_eq!(found["verified"], true, "{game}: {found}");
        assert_eq!(found["counts"]["replies"], replies.split(' ').count());
        let words = found["words"]["en"].as_str().expect("a text");
        assert!(words.starts_with("agrees: 1 leg, "), "{words}");
        assert!(words.contains("; unsigned: names"), "{words}");
        assert!(!found["words"]["zh"].as_str().expect("a text").is_ascii());
        let hashes = ok(json!({"call": "checkpoints"}), &file);
        let all = hashes["legs"][0].as_array().expect("a list").len();
        assert_eq!(found["counts"]["hashes"], all, "{game}");
    }
}

#[test]
fn frames_of_a_file_are_verified_and_complete() {
    for (game, bots) in GAMES {
        let (replies, file) = play_leg(game, bots, 8);
        for perspective in ["all", "first", "second"] {
            let call = json!({"call": "frames", "leg": 1, "perspective": perspective});
            let legs = ok(call, &file);
            assert_eq!(legs["verified"], true);
            let frames = legs["frames"].as_array().expect("a list");
            assert_eq!(
                frames.len(),
                replies.split(' ').count() + 1,
                "{game} {perspective}"
            );
        }
    }
}

#[test]
fn frames_of_steps_that_are_played_one_by_one_are_the_same() {
    for (game, bots) in GAMES {
        let (_, file) = play_leg(game, bots, 9);
        let whole = ok(
            json!({"call": "frames", "leg": 1, "perspective": "all"}),
            &file,
        );
        let mut call = json!({"call": "play", "game": game, "seed": 9, "leg": 1, "players": bots,
            "perspective": "all", "limit": 3});
        let mut frames = Vec::new();
        loop {
            let mut answer = ok(call.clone(), b"");
            let new = answer["leg_frames"]["frames"].as_array().expect("a list");
            frames.extend(new.iter().cloned());
            if answer["is_over"] == true {
                break;
            }
            call["replies"] = answer["replies"].take();
            call["frames_from"] = json!(frames.len());
        }
        assert_eq!(Value::from(frames), whole["frames"], "{game}");
    }
}

#[test]
fn a_branch_keeps_the_prefix_asks_people_and_can_be_saved() {
    for (game, bots) in GAMES {
        let (replies, file) = play_leg(game, bots, 10);
        let step = replies.split(' ').count() / 2;
        let mut call = json!({"call": "play", "leg": 1, "step": step, "players": [null, null],
            "perspective": "all", "limit": 0});
        let asked = ok(call.clone(), &file);
        assert_eq!(asked["step"], step);
        assert_eq!(
            asked["leg_frames"]["frames"]
                .as_array()
                .expect("a list")
                .len(),
            step + 1
        );
        let questions = asked["questions"].as_array().expect("a list");
        assert!(
            questions.iter().any(|question| !question.is_null()),
            "{game}"
        );
        // Bots take over both seats.
        (call["players"], call["limit"]) = (json!(bots), json!(5));
        let branch = ok(call, &file);
        let save = json!({"call": "save", "leg": 1, "step": step, "legs": [branch["replies"]]});
        let saved = ok(save, &file);
        let saved = saved["replay"].as_str().expect("a text");
        assert!(saved.contains("\"forced\":{\"leg\":1,"), "{game}");
        let found = ok(json!({"call": "verify"}), saved.as_bytes());
        assert_eq!(found["verified"], true, "{game}: {found}");
    }
}

#[test]
fn an_illegal_action_is_refused_and_nothing_is_played() {
    let call = |action: &str| {
        json!({"call": "play", "game": "snakego", "seed": 1, "leg": 1, "players": [null, "random"],
            "perspective": "first", "actions": [action, null]})
    };
    // The ray is not there at the beginning.
    assert_eq!(refused(call("5"), b"").0, "refused");
    assert_eq!(refused(call("jump"), b"").0, "refused");
    let played = ok(call("1"), b"");
    assert!(played["replies"].as_str().expect("a text").starts_with('1'));
}

#[test]
fn a_game_is_described_by_its_id_and_by_a_replay() {
    for (game, bots) in GAMES {
        let (_, file) = play_leg(game, bots, 16);
        let named = ok(json!({"call": "about", "game": game}), b"");
        assert_eq!(named["id"], game);
        assert!(named["bots"].as_array().is_some_and(|bots| bots.len() > 3));
        assert_eq!(ok(json!({"call": "about"}), &file), named);
    }
    assert_eq!(
        refused(json!({"call": "about", "game": "chess"}), b"").0,
        "unknown-game"
    );
}

#[test]
fn files_are_refused_with_the_reason() {
    let (_, file) = play_leg("kob", ["space", "safe"], 11);
    let text = String::from_utf8(file).expect("it is text");
    let verify = || json!({"call": "verify"});
    let code = |file: &[u8]| refused(verify(), file).0;
    assert_eq!(code(b"\xff\xfe"), "not-a-replay");
    assert_eq!(code(b"{}"), "not-a-replay");
    assert_eq!(code(&text.as_bytes()[..text.len() / 2]), "not-a-replay");
    let other = text.replace("\"game\":\"kob\"", "\"game\":\"chess\"");
    assert_eq!(code(other.as_bytes()), "unknown-game");
    let rules = text.replace("\"rules\":\"kob/1\"", "\"rules\":\"kob/0\"");
    assert_eq!(code(rules.as_bytes()), "not-playable");
    let frames = json!({"call": "frames", "leg": 2, "perspective": "all"});
    assert_eq!(refused(frames, text.as_bytes()).0, "not-found");
    // A changed reply differs from the hashes.
    let changed = text.replacen("\"replies\":\"", "\"replies\":\"!TLE/!TLE ", 1);
    let found = ok(verify(), changed.as_bytes());
    assert_eq!(found["verified"]["leg"], 1, "{found}");
    assert!(
        found["words"]["en"]
            .as_str()
            .expect("a text")
            .starts_with("DIFFERS: leg 1")
    );
}

#[test]
fn calls_that_make_no_sense_are_refused() {
    let call = |more: Value| {
        let mut call = json!({"call": "play", "leg": 1, "players": [null, null],
            "perspective": "all"});
        let members = more.as_object().expect("an object").clone();
        call.as_object_mut().expect("an object").extend(members);
        call
    };
    let code = |more: Value| refused(call(more), b"").0;
    assert_eq!(code(json!({"game": "chess"})), "unknown-game");
    assert_eq!(
        code(json!({"game": "kob", "players": ["none", null]})),
        "unknown-bot"
    );
    // A new match has no replay.
    for wrong in [
        call(json!({"game": "kob", "replies": "9/9"})),
        json!({"call": "save", "game": "kob", "leg": 1, "legs": ["9/9"]}),
    ] {
        let (code, why) = refused(wrong, b"");
        assert_eq!(code, "not-playable");
        assert!(why.starts_with("the match cannot be played: "), "{why}");
    }
    assert_eq!(refused(json!({"call": "dance"}), b"").0, "bad-request");
    assert!(answer_request(b"\x09", &mut |_| {}).starts_with(b"{\"error\""));
}

#[test]
fn an_analysis_reports_its_decisions_while_it_goes_on() {
    let (_, file) = play_leg("kob", ["space", "safe"], 12);
    let request = write_request(r#"{"call":"analyze","budget":50}"#, &file);
    let mut reported = Vec::new();
    let answer = answer_request(&request, &mut |text| {
        let progress: Value = serde_json::from_str(text).expect("progress is JSON");
        reported.extend(progress["decisions"].as_array().expect("a list").clone());
    });
    let answer: Value = serde_json::from_slice(&answer).expect("answers are JSON");
    assert_eq!(answer["ok"]["legs"][0]["decisions"], Value::from(reported));
}

#[test]
fn the_recorded_games_of_every_game_agree() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/");
    for (game, file) in [
        ("snakego", "snakego/golden/games.jsonl"),
        ("kob", "kob/golden/own.jsonl"),
        ("tankcraft", "tankcraft/golden/games.json"),
    ] {
        let corpus = std::fs::read(format!("{root}{file}")).expect("it is in the repository");
        let found = ok(json!({"call": "corpus", "game": game}), &corpus);
        assert_eq!(found["differences"], json!([]), "{game}");
        assert!(found["cases"].as_u64() > Some(0), "{game}");
    }
}

#[test]
fn a_position_is_assessed_for_every_seat_that_is_asked() {
    for (game, bots) in GAMES {
        let (replies, file) = play_leg(game, bots, 13);
        let step = replies.split(' ').count() / 2;
        let call = |step: usize| json!({"call": "assess", "leg": 1, "step": step, "budget": 40});
        let found = ok(call(step), &file);
        let seats = ["first", "second"].map(|seat| &found["seats"][seat]);
        let asked = seats.iter().filter(|seat| !seat.is_null()).count();
        assert_eq!(asked, if game == "snakego" { 1 } else { 2 }, "{game}");
        for seat in seats.iter().filter(|seat| !seat.is_null()) {
            let win = seat["win"].as_f64().expect("a number");
            assert!((0.0..=1.0).contains(&win), "{game}: {win}");
        }
        let (code, why) = refused(call(1_000_000), &file);
        assert_eq!(code, "not-found");
        assert!(why.starts_with("there is no step 1000000"), "{why}");
    }
}

#[test]
fn a_sketch_looks_at_positions_spread_over_a_leg() {
    for (game, bots) in GAMES {
        let (replies, file) = play_leg(game, bots, 13);
        let steps = replies.split(' ').count();
        let call = |leg: usize| json!({"call": "sketch", "leg": leg, "points": 4});
        let found = ok(call(1), &file);
        let points = found.as_array().expect("a list");
        let at: Vec<usize> = points
            .iter()
            .filter_map(|one| one["step"].as_u64())
            .map(|at| at as usize)
            .collect();
        assert_eq!(at, [0, steps / 4, steps / 2, 3 * steps / 4], "{game}");
        let values = points.iter().filter_map(|one| one["value"].as_f64());
        assert!(
            values.clone().count() == 4 && values.clone().all(|value| (0.0..=1.0).contains(&value))
        );
        assert_eq!(refused(call(9), &file).0, "not-found");
    }
}

#[test]
fn a_line_of_turns_has_a_view_for_every_action() {
    let (replies, file) = play_leg("snakego", ["greedy", "random"], 14);
    let actions: Vec<&str> = replies.split(' ').take(4).collect();
    let call = |actions: Value| json!({"call": "line", "leg": 1, "step": 0, "actions": actions});
    let views = ok(call(json!(actions)), &file);
    assert_eq!(views.as_array().expect("a list").len(), 4);
    let cut = ok(call(json!(["1", "jump", "1"])), &file);
    assert_eq!(cut.as_array().expect("a list").len(), 1);
}

#[test]
fn an_analysis_has_the_digest_in_both_languages() {
    let (_, file) = play_leg("kob", ["space", "safe"], 15);
    let found = ok(json!({"call": "analyze", "budget": 50}), &file);
    let text = |name: &str| found["digest"][name].as_str().expect("a text").to_owned();
    assert!(text("en").contains("accuracy"), "{}", text("en"));
    assert!(text("zh").contains("准确率"), "{}", text("zh"));
}
