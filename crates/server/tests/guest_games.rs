//! Games from game files in an arena: what people see of them, and what their rules may do wrong.

use crate::kit::{Person, says};
use crate::worker_kit::{By, WorkerKit};

use std::sync::Arc;

use axum::http::StatusCode;
use leitai_game::replay::Replay;
use leitai_game::{GameHandle, GameSet, Lang};
use leitai_guest::file::parts::Parts;
use leitai_guest::{GameFile, Limits};
use leitai_server::messages;
use leitai_store::{Match, MatchKind, MatchState};
use serde_json::{Value, json};

/// A whole game in WebAssembly's text, with marks where its rules can be broken.
const RULES: &str = include_str!("../../guest/tests/data/say_a.wat");

/// Nine stones; whoever takes the last one wins.
const NIM: &str = include_str!("../../guest/tests/data/nim.wat");

/// A game file whose rules have this code in place of a mark.
fn game(id: &str, mark: &str, code: &str, open: bool) -> GameHandle {
    game_of(RULES, id, mark, code, open)
}

fn game_of(rules: &str, id: &str, mark: &str, code: &str, open: bool) -> GameHandle {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = wat::parse_str(rules.replace(mark, code)).expect("sound text");
    let about = format!(
        "interface = \"leitai-game/1\"\nid = \"{id}\"\nrules = \"{id}/1\"\nname = \"{id}\"\n\
         about = {{ en = \"say <b>a</b>\", zh = \"说 a\" }}\nopen = {open}\nauthors = [\"A\"]\nlicence = \"MIT\"\n"
    );
    let guide = "# Say a\n\n<script>alert(1)</script>\n\n```position\n{\"seed\": 1}\n```\n";
    for (name, bytes) in [
        ("rules.wasm", &*rules),
        ("game.toml", about.as_bytes()),
        ("guide.md", guide.as_bytes()),
    ] {
        std::fs::write(folder.path().join(name), bytes).expect("own folder");
    }
    let limits = Limits {
        fuel: 2_000_000,
        ..Limits::default()
    };
    let parts = Parts::read(folder.path()).unwrap_or_else(|why| panic!("{why}"));
    let file = GameFile::load(parts, limits).unwrap_or_else(|why| panic!("{why:?}"));
    Arc::new(file.game).into()
}

/// An arena with King of Bots and these games.
fn arena(games: Vec<GameHandle>) -> WorkerKit {
    let kob = leitai_games::find_game("kob").expect("it is one of ours");
    WorkerKit::of_games(GameSet::new([kob.into()].into_iter().chain(games)))
}

fn guest(arena: &WorkerKit) -> Person {
    Person {
        router: leitai_server::build_router(arena.app.clone()),
        session: None,
        csrf: None,
        token: None,
        id: None,
    }
}

/// A match of the built-in bots of a game, after it was played.
fn play(arena: &WorkerKit, game: &str) -> Match {
    let made = arena.make(MatchKind::Friendly, game, "random", "random");
    arena.work_until(By::Process, || arena.is_over(made.id));
    arena.read(made.id)
}

#[track_caller]
fn get(arena: &WorkerKit, path: &str, status: StatusCode) -> Value {
    let answer = arena.wait_for(guest(arena).get(path));
    let body = String::from_utf8_lossy(&answer.bytes).into_owned();
    assert_eq!(answer.status, status, "{path}: {body}");
    serde_json::from_slice(&answer.bytes).unwrap_or_else(|why| panic!("{path}: {why}: {body}"))
}

#[test]
fn a_game_file_is_a_game_of_the_arena() {
    let arena = arena(vec![game("say-a", "none", "none", true)]);
    let list = get(&arena, "/api/games", StatusCode::OK);
    assert_eq!(list[1]["id"], "say-a");
    let page = get(&arena, "/api/games/say-a", StatusCode::OK);
    // Markdown is made harmless by the page; a position of the guide is not played here.
    let guide = page["guide"]["en"].as_str().expect("a text");
    assert!(guide.contains("\"seed\": 1"), "{guide}");
    assert_eq!(page["bots"][0]["name"], "random");
    let played = play(&arena, "say-a");
    assert_eq!(played.state, MatchState::Finished, "{played:?}");
    assert!(arena.replay(&played).legs[0].replies.contains('a'));
    let frames = get(
        &arena,
        &format!("/api/matches/{}/frames", played.id),
        StatusCode::OK,
    );
    assert_eq!(frames["frames"][1]["outcome"]["winner"], "first");
    let ladder = get(&arena, "/api/games/say-a/ladder", StatusCode::OK);
    assert_eq!(ladder["items"].as_array().map(Vec::len), Some(1));
}

#[test]
fn what_covers_a_setup_covers_it_in_frames_too() {
    for (open, hidden) in [(true, false), (false, true)] {
        let arena = arena(vec![game("say-a", "none", "none", open)]);
        let played = play(&arena, "say-a");
        for (perspective, is_null) in [("all", false), ("first", hidden), ("second", hidden)] {
            let id = played.id;
            let path = format!("/api/matches/{id}/frames?perspective={perspective}");
            let frames = get(&arena, &path, StatusCode::OK);
            assert_eq!(frames["setup"].is_null(), is_null, "{open} {perspective}");
        }
    }
}

#[test]
fn rules_that_fail_stop_nothing_else() {
    const LOOP: &str = "(loop $on (br $on))";
    let broken = vec![
        game("step-traps", ";;STEP", "(unreachable)", true),
        game("step-loops", ";;STEP", LOOP, true),
        game("legal-loops", ";;LEGAL", LOOP, true),
        game("view-traps", ";;VIEW", "(unreachable)", true),
        game("sound", "none", "none", true),
    ];
    let arena = arena(broken);
    for id in ["step-traps", "step-loops", "legal-loops"] {
        let played = play(&arena, id);
        assert_eq!(played.state, MatchState::Void, "{id}: {played:?}");
        assert_eq!(played.winner, None, "{id}: {played:?}");
        let shown = get(
            &arena,
            &format!("/api/matches/{}", played.id),
            StatusCode::OK,
        );
        assert_eq!(shown["faults"], json!([]), "{id}: {shown}");
        // Administrators read it on the match's page.
        let why = played.note.unwrap_or_default();
        let chinese = messages::catalogue(arena.app.games.list().iter().map(|game| &**game))
            .say(Lang::Zh, &why);
        assert!(why.contains(&format!("the rules of {id} failed")), "{why}");
        assert!(chinese.contains(&format!("{id} 的规则出错")), "{chinese}");
    }
    for path in "/api/games /api/games/step-loops /api/matches /api/status".split_whitespace() {
        get(&arena, path, StatusCode::OK);
    }
    assert_eq!(play(&arena, "kob").state, MatchState::Finished);
    let sound = play(&arena, "sound");
    assert_eq!(sound.state, MatchState::Finished);
    replays_of_failing_rules_say_so(&arena, &arena.replay(&sound));
    // A built-in bot does not look: the match is played, and its frames cannot be made.
    let unseen = play(&arena, "view-traps");
    let path = format!("/api/matches/{}/frames", unseen.id);
    let refused = get(&arena, &path, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        refused
            .to_string()
            .contains("the rules of view-traps failed"),
        "{refused}"
    );
}

/// The replay of a sound match, sent as one of games whose rules fail.
fn replays_of_failing_rules_say_so(arena: &WorkerKit, sound: &Replay) {
    for (id, status) in [
        ("sound", StatusCode::OK),
        ("step-traps", StatusCode::UNPROCESSABLE_ENTITY),
        ("step-loops", StatusCode::UNPROCESSABLE_ENTITY),
        ("view-traps", StatusCode::UNPROCESSABLE_ENTITY),
    ] {
        let file = Replay {
            game: id.into(),
            rules: format!("{id}/1"),
            ..sound.clone()
        };
        let body = json!(file);
        let answer = arena.wait_for(guest(arena).post("/api/replays/frames", body));
        let text = String::from_utf8_lossy(&answer.bytes);
        assert_eq!(answer.status, status, "{id}: {text}");
        let tells = text.contains(&format!("the rules of {id} failed"));
        assert_eq!(tells, status != StatusCode::OK, "{id}: {text}");
    }
    // A replay that says what did not happen differs, whatever failed before.
    let mut lie = sound.clone();
    lie.legs[0].final_hash = Some("0123456789abcdef".into());
    let answer = arena.wait_for(guest(arena).post("/api/replays/frames", json!(lie)));
    let text = String::from_utf8_lossy(&answer.bytes);
    assert_eq!(answer.status, StatusCode::OK, "{text}");
    assert!(text.contains("final state hash"), "{text}");
}

/// The analysis of a match once it is made; it takes moments.
fn analysis_of(arena: &WorkerKit, reader: &Person, played: &Match) -> Value {
    let path = format!("/api/matches/{}/analysis", played.id);
    let asked = arena.wait_for(reader.post(&path, json!({})));
    if asked.status != StatusCode::ACCEPTED {
        return asked.json();
    }
    let mut told = Value::Null;
    arena.until(|| {
        told = arena.wait_for(reader.get(&path)).json();
        told["state"] != "waiting" && told["state"] != "running"
    });
    told
}

/// The arena searches the rules of an open game, within what the operator allows; what it cannot
/// search, it says.
#[test]
fn matches_of_a_game_file_are_analysed_and_levels_play_it() {
    let arena = arena(vec![
        game_of(NIM, "nim", "none", "none", true),
        game_of(NIM, "nim-hides", "none", "none", false),
        game_of(NIM, "nim-fails", ";;STEP", THREE_FIRST, true),
    ]);
    let eve = crate::game_files::person(&arena, "eve", false);
    let page = get(&arena, "/api/games/nim", StatusCode::OK);
    let names = page["bots"].as_array().expect("a list").iter();
    let names: Vec<&str> = names.filter_map(|bot| bot["name"].as_str()).collect();
    assert!(
        names.contains(&"level1") && names.contains(&"level6"),
        "{names:?}"
    );
    let made = arena.make(MatchKind::Friendly, "nim", "level3", "random");
    arena.work_until(By::Process, || arena.is_over(made.id));
    let told = analysis_of(&arena, &eve, &arena.read(made.id));
    assert_eq!(told["state"], "done", "{told}");
    let decision = &told["legs"][0]["legs"][0]["decisions"][0];
    assert!(decision["spread"]["before"].is_number(), "{decision}");
    let digest = &told["legs"][0]["digest"];
    says(&digest["zh"].to_string(), &["局"]);
    let hidden = play(&arena, "nim-hides");
    let refused = analysis_of(&arena, &eve, &hidden);
    assert_eq!(refused["error"]["code"], "hides", "{refused}");
    let page = get(&arena, "/api/games/nim-hides", StatusCode::OK);
    assert_eq!(page["bots"].as_array().map(Vec::len), Some(1));
    let mut failing = (0..40).map(|_| play(&arena, "nim-fails"));
    let sound = failing.find(|played| played.state == MatchState::Finished);
    let sound = sound.expect("one in which nobody began with three stones");
    let told = analysis_of(&arena, &eve, &sound);
    assert_eq!(told["state"], "failed", "{told}");
    other_parts_show_a_strange_game(&arena, made.id);
}

/// Rules that fail for whoever begins with three stones, and for a search that looks at it.
const THREE_FIRST: &str = "(if (i32.and
    (i32.eq (local.get $take) (i32.const 3))
    (i32.eq (call $stones) (i32.const 9))) (then (unreachable)))";

/// What other parts of the arena show of a match of a game file.
fn other_parts_show_a_strange_game(arena: &WorkerKit, id: leitai_store::MatchId) {
    for (path, kind) in [
        (format!("/api/matches/{id}/picture"), "image/png"),
        (format!("/api/matches/{id}/replay"), ""),
        (format!("/api/matches/{id}/frames"), "json"),
        (
            format!("/api/oembed?url=http://arena.test/matches/{id}"),
            "json",
        ),
        ("/api/search?q=nim".to_owned(), "json"),
        ("/api/games/nim/ladder".to_owned(), "json"),
        ("/api/matches?game=nim".to_owned(), "json"),
        ("/api/feeds/results?game=nim".to_owned(), "xml"),
    ] {
        let answer = arena.wait_for(guest(arena).get(&path));
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.text());
        let told = answer.headers.get("content-type");
        let told = told.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        assert!(told.contains(kind), "{path}: {told}");
    }
}
