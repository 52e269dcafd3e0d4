//! Game files that an administrator brings to a running arena: uploaded, checked, played, replaced by a
//! newer version, retired.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use leitai_game::GameSet;
use leitai_game::replay::{Replay, verify_replay};
use leitai_guest::Limits;
use leitai_judge::Sandbox;
use leitai_server::contests::advance::advance_contests;
use leitai_server::dataset::{DatasetRequest, write_dataset};
use leitai_server::game_files::bounds::hash_of;
use leitai_server::game_files::check::CheckBounds;
use leitai_server::game_files::{ArenaGames, check_next, load_games};
use leitai_server::work::http_source::HttpJobSource;
use leitai_server::work::worker::{WorkerOptions, make_program_cache, start_worker};
use leitai_store::{
    Contest, ContestActor, ContestState, GameFileState, MatchKind, MatchState, NewUser, Timestamp,
    TokenHash,
};
use serde_json::{Value, json};

use crate::kit::Person;
use crate::worker_kit::{By, WorkerKit, options};

/// A whole game in WebAssembly's text, with marks where its rules can be broken.
const RULES: &str = include_str!("../../guest/tests/data/say_a.wat");
const BYTES: Option<&str> = Some("application/octet-stream");

fn pack(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(*name, options).expect("it is packed");
        archive.write_all(bytes).expect("it is packed");
    }
    archive.finish().expect("it is packed").into_inner()
}

fn about(id: &str, version: u32) -> String {
    format!(
        "interface = \"leitai-game/1\"\nid = \"{id}\"\nrules = \"{id}/{version}\"\nname = \"{id}\"\n\
         about = \"say a\"\nopen = true\nauthors = [\"A\"]\nlicence = \"MIT\"\n"
    )
}

/// A file of the small game whose rules have this code in place of a mark.
pub fn small(id: &str, version: u32, mark: &str, code: &str) -> Vec<u8> {
    let rules = wat::parse_str(RULES.replace(mark, code)).expect("sound text");
    let (about, guide) = (about(id, version), format!("# Say a, {version}\n"));
    pack(&[
        ("game.toml", about.as_bytes()),
        ("rules.wasm", &rules),
        ("guide.md", guide.as_bytes()),
        ("viewer.js", viewer(version).as_bytes()),
        ("emblem.svg", emblem(version).as_bytes()),
    ])
}

fn emblem(version: u32) -> String {
    format!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 {version}'/>")
}

fn viewer(version: u32) -> String {
    format!("function draw() {{}} // {version}")
}

/// Goofspiel of `examples/games`, compiled as its author does.
fn goofspiel() -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (folder, place) = (
        root.join("examples/games/goofspiel"),
        tempfile::tempdir().expect("a folder"),
    );
    let output = place.path().join("rules.wasm");
    let arguments = "--target=wasm32 -std=c++20 -O2 -mbulk-memory -ffreestanding -fno-exceptions -fno-rtti \
        -fno-threadsafe-statics -fvisibility=hidden -nostdlib -Wl,--no-entry -Wl,--stack-first \
        -Wl,-zstack-size=32768 -Wl,--strip-all";
    let made = Command::new("clang++")
        .args(arguments.split_whitespace())
        .arg("-I")
        .arg(root.join("sdk/cpp"))
        .arg(folder.join("rules.cpp"))
        .arg("-o")
        .arg(&output)
        .status();
    assert!(made.is_ok_and(|status| status.success()), "clang++");
    let read = |name: &str| std::fs::read(folder.join(name)).expect("it is there");
    let golden = std::fs::read_dir(folder.join("golden")).expect("recorded matches");
    let golden = golden.map(|entry| entry.expect("an entry").path()).next();
    let golden = std::fs::read(golden.expect("a match")).expect("it is there");
    pack(&[
        ("game.toml", &read("game.toml")),
        ("rules.wasm", &std::fs::read(&output).expect("it was made")),
        ("guide.md", &read("guide.md")),
        ("golden/1.json", &golden),
        ("bots/match-prize.py", &read("bots/match-prize.py")),
        ("bots/one-more.py", &read("bots/one-more.py")),
    ])
}

pub fn guest(arena: &WorkerKit) -> Person {
    Person {
        router: leitai_server::build_router(arena.app.clone()),
        session: None,
        csrf: None,
        token: None,
        id: None,
    }
}

pub fn person(arena: &WorkerKit, name: &str, admin: bool) -> Person {
    let (store, now) = (&arena.app.store, Timestamp::now());
    let new = NewUser {
        name: name.to_owned(),
        password: "none".to_owned(),
        admin,
    };
    let user = arena.ok(store.create_user(new, now));
    let token = leitai_server::accounts::secret::make_token("");
    let until = Timestamp(now.0 + 3_600_000);
    let session = store.create_session(user.id, TokenHash::from_token(&token), now, until);
    arena.ok(session);
    Person {
        csrf: Some(leitai_server::accounts::secret::csrf_token(&token)),
        session: Some(token),
        id: Some(user.id),
        ..guest(arena)
    }
}

#[track_caller]
pub fn send(arena: &WorkerKit, who: &Person, file: Vec<u8>, status: StatusCode) -> Value {
    let answer = arena.wait_for(who.raw("POST", "/api/admin/games", BYTES, file));
    let text = String::from_utf8_lossy(&answer.bytes).into_owned();
    assert_eq!(answer.status, status, "{text}");
    serde_json::from_str(&text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

/// The newest file, after everything that waits was checked.
pub fn checked(arena: &WorkerKit, admin: &Person) -> Value {
    checked_within(200_000_000, arena, admin)
}

/// The same, where all calls of a check together may take so much fuel.
fn checked_within(total_fuel: u64, arena: &WorkerKit, admin: &Person) -> Value {
    let bounds = CheckBounds {
        limits: Limits {
            fuel: 2_000_000,
            total_fuel,
            ..CheckBounds::ARENA.limits
        },
        legs: 1,
        patience: Duration::ZERO,
    };
    while arena.ok(check_next(&arena.app.arena_games(), bounds)) {}
    let answer = arena.wait_for(admin.get("/api/admin/games"));
    let list: Value = serde_json::from_slice(&answer.bytes).expect("JSON");
    list["items"][0].clone()
}

fn ids(arena: &WorkerKit) -> Vec<String> {
    let listed = arena.app.games.list();
    listed
        .iter()
        .map(|game| game.meta().id.to_owned())
        .collect()
}

fn open(arena: &WorkerKit) {
    arena.ok(arena.scheduler().open_ladders(Timestamp::now()));
}

fn play(arena: &WorkerKit, game: &str) -> leitai_store::Match {
    let made = arena.make(MatchKind::Friendly, game, "random", "random");
    arena.work_until(By::Process, || arena.is_over(made.id));
    let played = arena.read(made.id);
    assert_eq!(played.state, MatchState::Finished, "{played:?}");
    played
}

#[test]
fn a_file_is_brought_checked_played_and_replaced() {
    let arena = WorkerKit::new();
    let admin = person(&arena, "root", true);
    send(
        &arena,
        &person(&arena, "ada", false),
        goofspiel(),
        StatusCode::FORBIDDEN,
    );
    let file = goofspiel();
    let sent = send(&arena, &admin, file.clone(), StatusCode::ACCEPTED);
    has!(sent, {"state": "checking", "game": "goofspiel"});
    assert_eq!(sent["hash"], hash_of(&file));
    assert!(
        !ids(&arena).contains(&"goofspiel".to_owned()),
        "it is not checked"
    );
    let row = checked(&arena, &admin);
    assert_eq!(row["state"], "published", "{row}");
    assert!(row["said"]["preview"]["steps"].as_u64() > Some(0), "{row}");
    open(&arena);
    let page = arena.wait_for(guest(&arena).get("/api/games/goofspiel"));
    assert_eq!(page.status, StatusCode::OK);
    play(&arena, "goofspiel");
    send(&arena, &admin, file, StatusCode::CONFLICT);
}

/// The dataset is written by a process that has the games of the house, and loads the files itself.
#[test]
fn the_dataset_has_matches_of_game_files_and_none_of_secret_ones() {
    let arena = WorkerKit::new();
    let admin = person(&arena, "root", true);
    let file = small("say-a", 1, "none", "none");
    send(&arena, &admin, file, StatusCode::ACCEPTED);
    assert_eq!(checked(&arena, &admin)["state"], "published");
    open(&arena);
    let played = play(&arena, "say-a");
    let games = GameSet::from(leitai_games::ALL);
    let own = ArenaGames {
        games: games.clone(),
        ..arena.app.arena_games()
    };
    assert_eq!(arena.wait_for(load_games(&own)).ok(), Some(0));
    let write = |game: Option<&str>| {
        let folder = tempfile::tempdir().expect("a folder");
        let request = DatasetRequest {
            folder: folder.path().to_owned(),
            game: game.map(str::to_owned),
            again: false,
            today: true,
            now: Timestamp::now(),
        };
        let storage = arena.app.storage();
        let written = write_dataset(&storage, &games, &request, |_, _| ());
        let index = arena.ok(written);
        (folder, index.days.into_values().next_back().expect("today"))
    };
    for game in [None, Some("say-a")] {
        let (folder, day) = write(game);
        assert_eq!((day.matches, day.replays, day.withheld), (1, 1, 0));
        let archive = folder.path().join(day.file.expect("an archive"));
        let archive = std::fs::File::open(archive).expect("it is there");
        let mut archive = zip::ZipArchive::new(archive).expect("a zip");
        let name = format!("replays/{}.json", played.id);
        let replay = std::io::read_to_string(archive.by_name(&name).expect("a replay"));
        let replay = Replay::parse(&replay.expect("UTF-8")).expect("a replay");
        let game = games.find("say-a").expect("it was loaded");
        assert!(matches!(verify_replay(&*game, &replay), Ok(Ok(_))));
    }
    games.hide_only(games.find("say-a").into_iter().collect());
    let (_folder, day) = write(None);
    assert_eq!((day.matches, day.withheld, day.file), (0, 1, None));
}

#[test]
fn an_old_replay_keeps_its_rules() {
    let arena = WorkerKit::new();
    let admin = person(&arena, "root", true);
    send(
        &arena,
        &admin,
        small("say-a", 1, "none", "none"),
        StatusCode::ACCEPTED,
    );
    assert_eq!(checked(&arena, &admin)["state"], "published");
    open(&arena);
    let first = play(&arena, "say-a");
    // Other bytes under the same rules would verify old replays by rules that they were not played by.
    let same = small("say-a", 1, "write {}", "write []");
    let refused = send(&arena, &admin, same, StatusCode::CONFLICT);
    assert!(refused.to_string().contains("count rules up"), "{refused}");
    send(
        &arena,
        &admin,
        small("say-a", 2, "none", "none"),
        StatusCode::ACCEPTED,
    );
    assert_eq!(checked(&arena, &admin)["state"], "published");
    let second = play(&arena, "say-a");
    for (played, rules) in [(&first, "say-a/1"), (&second, "say-a/2")] {
        let replay = arena.replay(played);
        assert_eq!(replay.rules, rules);
        let game = arena
            .app
            .games
            .find_rules("say-a", rules)
            .expect("it is kept");
        let verified = verify_replay(&*game, &replay).expect("its rules");
        assert!(verified.is_ok(), "{rules}: {verified:?}");
        let path = format!("/api/matches/{}/frames", played.id);
        let frames = arena.wait_for(guest(&arena).get(&path));
        let frames: Value = serde_json::from_slice(&frames.bytes).expect("JSON");
        assert_eq!(frames["rules"], rules, "{frames}");
    }
    check_viewers(&arena);
    let path = "/api/admin/games/say-a?why=";
    let long = arena.wait_for(admin.delete(&format!("{path}{}", "x".repeat(501))));
    assert_eq!(long.status, StatusCode::UNPROCESSABLE_ENTITY);
    let gone = arena.wait_for(admin.delete(&format!("{path}it%20copies")));
    assert_eq!(gone.status, StatusCode::NO_CONTENT);
    assert!(!ids(&arena).contains(&"say-a".to_owned()));
    let looked = arena.wait_for(guest(&arena).get("/api/games/say-a"));
    let said = String::from_utf8_lossy(&looked.bytes).into_owned();
    assert_eq!(looked.status, StatusCode::NOT_FOUND);
    assert!(said.contains("was taken down: it copies"), "{said}");
    let path = format!("/api/matches/{}/frames", first.id);
    assert_eq!(
        arena.wait_for(guest(&arena).get(&path)).status,
        StatusCode::OK
    );
    let audit = arena.wait_for(admin.get("/api/admin/audit"));
    let audit = String::from_utf8_lossy(&audit.bytes).into_owned();
    for action in ["game.add", "game.publish", "game.retire", "it copies"] {
        assert!(audit.contains(action), "{action}: {audit}");
    }
}

/// Each version has its board, as data: no page takes it for a script of the arena. The page in which
/// it runs is of no origin and reaches nothing.
fn check_viewers(arena: &WorkerKit) {
    let file = |query: &str| {
        let path = format!("/api/games/say-a/file{query}");
        arena.wait_for(guest(arena).get(&path))
    };
    let (newest, older) = (file(""), file("?rules=say-a/1"));
    assert!(newest.status.is_success() && older.status.is_success());
    assert_eq!(newest.headers["content-type"], "application/zip");
    assert_ne!(newest.bytes, older.bytes);
    assert_eq!(file("?rules=none/1").status, StatusCode::NOT_FOUND);
    for (query, rules) in [("", "say-a/2"), ("?rules=say-a/1", "say-a/1")] {
        let path = format!("/api/games/say-a/page-rules{query}");
        let answer = arena.wait_for(guest(arena).get(&path));
        let (length, rest) = answer.bytes.split_first_chunk::<4>().expect("a length");
        let (text, module) = rest.split_at(u32::from_le_bytes(*length) as usize);
        let said: Value = serde_json::from_slice(text).expect("JSON");
        assert_eq!(said["rules"], rules);
        assert!(module.starts_with(b"\0asm"), "{path}");
        let etag = answer.headers["etag"].to_str().expect("text").to_owned();
        for (known, status) in [
            (etag.clone(), StatusCode::NOT_MODIFIED),
            (format!("\"other\", W/{etag}"), StatusCode::NOT_MODIFIED),
            ("\"other\"".to_owned(), StatusCode::OK),
        ] {
            let request = axum::http::Request::get(&path).header("if-none-match", &known);
            let request = request.body(axum::body::Body::empty()).expect("a request");
            let again = arena.wait_for(guest(arena).request(request));
            assert_eq!(again.status, status, "{known}");
        }
    }
    for (query, version) in [
        ("", Some(2)),
        ("?rules=say-a/1", Some(1)),
        ("?rules=none/1", Some(2)),
    ] {
        let path = format!("/api/games/say-a/viewer{query}");
        let answer = arena.wait_for(guest(arena).get(&path));
        let script: Value = serde_json::from_slice(&answer.bytes).expect("JSON");
        assert_eq!(script["script"], json!(version.map(viewer)), "{path}");
        assert_eq!(answer.headers["content-type"], "application/json");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    }
    let house = arena.wait_for(guest(arena).get("/api/games/snakego/viewer"));
    assert_eq!(&house.bytes[..], br#"{"script":null}"#);
    let brief = arena.wait_for(guest(arena).get("/api/games/say-a"));
    let brief: Value = serde_json::from_slice(&brief.bytes).expect("JSON");
    assert_eq!(brief["page_rules"], true);
    let named = brief["emblem"].as_str().expect("an address");
    for (path, keep) in [
        (named, "private, max-age=31536000, immutable"),
        ("/api/games/say-a/emblem", "no-cache"),
        ("/api/games/say-a/emblem?version=older", "no-cache"),
    ] {
        let answer = arena.wait_for(guest(arena).get(path));
        assert_eq!(&answer.bytes[..], emblem(2).as_bytes(), "{path}");
        for (name, value) in [
            ("content-type", "image/svg+xml; charset=utf-8"),
            (
                "content-security-policy",
                "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
            ),
            ("x-content-type-options", "nosniff"),
            ("cross-origin-resource-policy", "same-origin"),
            ("cache-control", keep),
        ] {
            assert_eq!(answer.headers[name], value, "{path}");
        }
    }
    for house in ["/api/games/snakego/emblem", "/api/games/none/emblem"] {
        let none = arena.wait_for(guest(arena).get(house));
        assert_eq!(none.status, StatusCode::NOT_FOUND);
    }
    let frame = arena.wait_for(guest(arena).get("/assets/viewer-frame-0.html"));
    let policy = frame.headers["content-security-policy"].to_str();
    let policy = policy.expect("text");
    for part in ["default-src 'none'", "sandbox allow-scripts;"] {
        assert!(policy.contains(part), "{policy}");
    }
    for other in ["connect-src", "allow-same-origin"] {
        assert!(!policy.contains(other), "{policy}");
    }
}

/// Another server of the arena loads what was published, and trusts no bytes.
#[test]
fn every_server_loads_a_file_by_its_hash() {
    let arena = WorkerKit::new();
    let admin = person(&arena, "root", true);
    let sent = send(
        &arena,
        &admin,
        small("say-a", 1, "none", "none"),
        StatusCode::ACCEPTED,
    );
    assert_eq!(checked(&arena, &admin)["state"], "published");
    let other = |arena: &WorkerKit| {
        let mut app = arena.app.clone();
        app.games = leitai_games::ALL.into();
        arena.ok(load_games(&app.arena_games()));
        app.games.find("say-a").is_some()
    };
    assert!(other(&arena));
    let hash = sent["hash"].as_str().expect("a hash");
    let key = leitai_store::BlobKey::of_game_file(hash);
    let forged = small("say-a", 1, "write {}", "write []");
    arena.ok(arena.app.blobs.put_blob(&key, forged));
    assert!(!other(&arena), "another file under this hash");
}

/// The small game with a program among its bots.
pub fn with_bot() -> Vec<u8> {
    let rules = wat::parse_str(RULES).expect("sound text");
    let bots = "\n[[bots]]\nname = \"answers\"\nabout = \"says a\"\n";
    let about = about("say-a", 1) + bots;
    pack(&[
        ("game.toml", about.as_bytes()),
        ("rules.wasm", &rules),
        ("guide.md", b"# Say a\n"),
        ("bots/answers.py", BOT.as_bytes()),
        ("templates/python/main.py", BOT.as_bytes()),
    ])
}

/// A bot that is packed with its game plays on request, on workers of this process and of other
/// machines, in the sandbox and never without one.
#[test]
fn a_packed_bot_plays_where_programs_are_isolated() {
    let arena = WorkerKit::new();
    let admin = person(&arena, "root", true);
    send(&arena, &admin, with_bot(), StatusCode::ACCEPTED);
    let row = checked(&arena, &admin);
    assert_eq!(row["state"], "published", "{row}");
    open(&arena);
    let page = arena.wait_for(guest(&arena).get("/api/games/say-a"));
    let page: Value = serde_json::from_slice(&page.bytes).expect("JSON");
    let bots = page["bots"].as_array().expect("its bots").iter();
    let bots: Vec<&Value> = bots.map(|bot| &bot["name"]).collect();
    assert_eq!(
        (bots[0], bots[bots.len() - 1]),
        (&json!("random"), &json!("answers"))
    );
    let made = arena.make(MatchKind::Friendly, "say-a", "answers", "random");
    arena.work_until(By::Process, || arena.is_over(made.id));
    let played = arena.read(made.id);
    assert_eq!(played.state, MatchState::Finished, "{played:?}");

    let games = GameSet::from(leitai_games::ALL);
    let (url, token) = (arena.listen(), arena.worker_token());
    let caches = [Some(Sandbox::without_isolation()), None].map(make_program_cache);
    for (cache, state) in caches
        .into_iter()
        .zip([MatchState::Finished, MatchState::Void])
    {
        let source = HttpJobSource::new(std::slice::from_ref(&url), &token, "hall", &games);
        let options = WorkerOptions {
            remote: true,
            ..options("hall")
        };
        let worker = start_worker(Arc::new(source), &games, cache, options);
        let made = arena.make(MatchKind::Friendly, "say-a", "random", "answers");
        arena.until(|| arena.is_over(made.id));
        let played = arena.read(made.id);
        assert_eq!(played.state, state, "{played:?}");
        worker.stop_worker();
        worker.join_threads().expect("it ends");
    }
}

/// The arena offers the templates of a game file, and general ones for other languages.
#[test]
fn templates_of_a_file_are_offered() {
    let arena = WorkerKit::new();
    let admin = person(&arena, "root", true);
    send(&arena, &admin, with_bot(), StatusCode::ACCEPTED);
    assert_eq!(checked(&arena, &admin)["state"], "published");
    let read = |path: &str| {
        let answer = arena.wait_for(guest(&arena).get(path));
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        String::from_utf8_lossy(&answer.bytes).into_owned()
    };
    let all: Value = serde_json::from_str(&read("/api/templates/say-a")).expect("JSON");
    let all = all.as_array().expect("a list");
    let languages: Vec<&Value> = all.iter().map(|one| &one["language"]).collect();
    let all_nine = "python cpp java javascript rust typescript go csharp kotlin";
    assert!(
        languages
            .iter()
            .map(|one| one.as_str())
            .eq(all_nine.split(' ').map(Some)),
        "{languages:?}"
    );
    assert_eq!(all[0]["code"], BOT);
    assert_eq!(read("/templates/say-a/main.py"), BOT);
    assert!(read("/templates/say-a/leitai_lines.rs").contains("answer_all"));
    assert!(read("/llms.txt").contains("/templates/say-a/main.py"));
}

/// A worker on another machine has Leitai's games, and gets the arena's by their hash: the newest
/// version of each, until it is retired.
#[test]
fn workers_on_other_machines_fetch_the_files() {
    let arena = WorkerKit::new();
    let admin = person(&arena, "root", true);
    let games = GameSet::from(leitai_games::ALL);
    let (url, token) = (arena.listen(), arena.worker_token());
    let source = HttpJobSource::new(std::slice::from_ref(&url), &token, "hall", &games);
    let worker = start_worker(
        Arc::new(source),
        &games,
        make_program_cache(None),
        WorkerOptions {
            remote: true,
            ..options("hall")
        },
    );
    for version in [1, 2] {
        let file = small("say-a", version, "none", "none");
        send(&arena, &admin, file, StatusCode::ACCEPTED);
        checked(&arena, &admin);
        open(&arena);
        let made = arena.make(MatchKind::Friendly, "say-a", "random", "random");
        arena.until(|| arena.is_over(made.id));
        let played = arena.read(made.id);
        assert_eq!(played.state, MatchState::Finished, "{played:?}");
        let rules = format!("say-a/{version}");
        assert!(games.find_exact("say-a", &rules).is_some(), "it has them");
        assert_eq!(
            games.find("say-a").map(|game| game.meta().rules.to_owned()),
            Some(rules)
        );
    }
    let gone = arena.wait_for(admin.delete("/api/admin/games/say-a"));
    assert_eq!(gone.status, StatusCode::NO_CONTENT);
    arena.until(|| games.find("say-a").is_none());
    worker.stop_worker();
    worker.join_threads().expect("it ends");
    // Who is no worker gets nothing.
    for path in ["/api/worker/games", "/api/worker/games/0000"] {
        let refused = arena.wait_for(guest(&arena).get(path));
        assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{path}");
    }
}

const CONTEST: &str = r#"
id = "secret"
game = "say-a"
time-zone = "UTC"
title = { en = "Say", zh = "说" }

[entry]
who = "everybody"
least = 2
most = 4

[dates]
opens = 2025-01-01T00:00:00
freezes = 2035-01-01T00:00:00

[[stage]]
name = "First"
format = "round-robin"

[[stage]]
name = "Second"
format = "single"
starts = 2035-01-03T00:00:00
"#;

const BOT: &str = "import sys, json
for line in sys.stdin:
    if json.loads(line)['type'] == 'turn':
        print(json.dumps({'action': 'a'}), flush=True)
";

/// Publishes the contest for two programs, which are checked first.
fn publish_for_two(arena: &WorkerKit, admin: &Person) {
    let made = arena.wait_for(admin.post("/api/contests", json!({"file": CONTEST})));
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text());
    let versions = ["one", "two"].map(|name| arena.upload("say-a", name, "bot.py", BOT).1);
    arena.work_until(By::Process, || {
        versions.iter().all(|version| arena.is_checked(version))
    });
    let (store, at) = (&arena.app.store, Timestamp::now());
    let contest = arena.ok(store.contest_by_name("secret")).id;
    for version in versions {
        let (bot, by) = (version.bot, ContestActor { user: None, at });
        arena.ok(store.join_contest(contest, bot, (4, 1), by));
    }
}

/// What is due in contests at midnight of a day of January 2035.
fn advance(arena: &WorkerKit, day: i64) {
    let at = Timestamp((2_051_222_400 + (day - 1) * 86_400) * 1000);
    arena.ok(advance_contests(&arena.app.games, &arena.app.store, at));
}

fn contest_matches(arena: &WorkerKit) -> (Contest, Vec<leitai_store::Match>) {
    let store = &arena.app.store;
    let contest = arena.ok(store.contest_by_name("secret"));
    let played = arena.ok(store.contest_matches(contest.id, None));
    let matches = played.iter().map(|row| arena.read(row.match_id));
    (contest, matches.collect())
}

/// The first stage is played by this server, the second one, after a new version came, by a worker
/// elsewhere that never had the old one.
#[test]
fn a_contest_keeps_the_version_with_which_it_began() {
    let arena = WorkerKit::new();
    let admin = person(&arena, "root", true);
    let bring = |version| {
        let file = small("say-a", version, "none", "none");
        send(&arena, &admin, file, StatusCode::ACCEPTED);
        assert_eq!(checked(&arena, &admin)["state"], "published");
    };
    bring(1);
    publish_for_two(&arena, &admin);
    bring(2); // Before the freeze a better version is welcome.
    advance(&arena, 1);
    let is_played = || {
        let (_, matches) = contest_matches(&arena);
        !matches.is_empty() && matches.iter().all(|own| own.state.is_over())
    };
    arena.work_until(By::Process, is_played);
    bring(3);
    advance(&arena, 3);
    assert!(!is_played(), "the second stage is queued");
    let (url, token) = (arena.listen(), arena.worker_token());
    let games = GameSet::from(leitai_games::ALL);
    let source = HttpJobSource::new(std::slice::from_ref(&url), &token, "hall", &games);
    let programs = make_program_cache(Some(Sandbox::without_isolation()));
    let worker = start_worker(Arc::new(source), &games, programs, options("hall"));
    arena.until(is_played);
    worker.stop_worker();
    worker.join_threads().expect("it ends");
    advance(&arena, 4);
    let (contest, matches) = contest_matches(&arena);
    assert_eq!(contest.state, ContestState::Finished, "{contest:?}");
    assert_eq!(matches.len(), 2, "{matches:?}");
    for own in &matches {
        assert_eq!(own.state, MatchState::Finished, "{own:?}");
        assert_eq!(arena.replay(own).rules, "say-a/2");
    }
    assert_eq!(
        arena
            .app
            .games
            .find("say-a")
            .map(|game| game.meta().rules.to_owned()),
        Some("say-a/3".to_owned())
    );
    let gone = arena.wait_for(admin.delete("/api/admin/games/say-a"));
    assert_eq!(gone.status, StatusCode::NO_CONTENT);
    let page = arena.wait_for(guest(&arena).get("/api/contests/secret"));
    assert_eq!(page.status, StatusCode::OK, "{}", page.text());
}

#[test]
fn what_is_wrong_is_refused_and_leaves_nothing() {
    let arena = WorkerKit::new();
    let admin = person(&arena, "root", true);
    let rules = wat::parse_str(RULES).expect("sound text");
    let bomb = vec![0; 40 << 20];
    let mistaken = about("say-a", 1).replace("open = true", "open = 7");
    for (what, file, part) in [
        ("no archive", b"not a zip".to_vec(), "zip"),
        (
            "a path outside",
            pack(&[("../game.toml", about("say-a", 1).as_bytes())]),
            "..",
        ),
        (
            "a zip bomb",
            pack(&[
                ("game.toml", about("say-a", 1).as_bytes()),
                ("rules.wasm", &bomb),
            ]),
            "too large",
        ),
        (
            "a mistake",
            pack(&[
                ("game.toml", mistaken.as_bytes()),
                ("rules.wasm", &rules),
                ("guide.md", b"#"),
            ]),
            "game.toml:6",
        ),
        (
            "the id of another",
            small("kob", 1, "none", "none"),
            "belongs to a game",
        ),
    ] {
        let refused = send(&arena, &admin, file, StatusCode::UNPROCESSABLE_ENTITY);
        let said = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(said.contains(part), "{what}: {refused}");
    }
    let listed = arena.wait_for(admin.get("/api/admin/games"));
    let listed: Value = serde_json::from_slice(&listed.bytes).expect("JSON");
    assert_eq!(listed["items"], json!([]));
}

/// Rules that never end cost a bounded time, and are published nowhere.
#[test]
fn rules_that_fail_are_not_published() {
    const LOOP: &str = "(loop $on (br $on))";
    /// That of some calls that do not end.
    const FUEL: u64 = 10_000_000;
    let arena = WorkerKit::new();
    let admin = person(&arena, "root", true);
    for (id, mark, code, part) in [
        (
            "deal-loops",
            "(call $answer (i32.const 100) (i32.const 7))",
            "(loop $on (br $on)) (unreachable)",
            "deal",
        ),
        ("step-traps", ";;STEP", "(unreachable)", "step"),
        ("view-loops", ";;VIEW", LOOP, "view"),
    ] {
        send(
            &arena,
            &admin,
            small(id, 1, mark, code),
            StatusCode::ACCEPTED,
        );
        let row = checked_within(FUEL, &arena, &admin);
        assert_eq!(row["state"], "refused", "{row}");
        let problems = row["said"]["problems"].to_string();
        assert!(problems.contains(part), "{row}");
        assert!(!ids(&arena).contains(&id.to_owned()));
    }
}

/// A sound game whose check costs more than an arena gives: what its calls cost is told, and no call is
/// blamed.
#[test]
fn a_check_that_costs_too_much_says_what_calls_cost() {
    let arena = WorkerKit::new();
    let admin = person(&arena, "root", true);
    send(&arena, &admin, goofspiel(), StatusCode::ACCEPTED);
    let row = checked_within(300_000, &arena, &admin);
    assert_eq!(row["state"], "refused", "{row}");
    let problem = &row["said"]["problems"][0];
    let what = problem["what"]["en"].as_str().unwrap_or_default();
    assert!(
        what.starts_with("the check used up its 300000 units of fuel during ")
            && what.contains("; dearest calls: "),
        "{row}"
    );
    assert!(!problem.to_string().contains("request"), "{row}");
}

#[test]
fn a_judge_program_waits_for_a_worker_and_is_refused_where_none_runs_programs() {
    let arena = WorkerKit::new();
    let admin = person(&arena, "root", true);
    let about = format!("{}logic = \"main.py\"\n", about("led", 1));
    let file = pack(&[
        ("game.toml", about.as_bytes()),
        ("guide.md", b"# Led\n"),
        ("main.py", b"print()\n"),
    ]);
    send(&arena, &admin, file, StatusCode::ACCEPTED);
    let games = arena.app.arena_games();
    let look = |patience: Duration| {
        let bounds = CheckBounds {
            patience,
            ..CheckBounds::ARENA
        };
        let checked = arena.ok(check_next(&games, bounds));
        let rows = arena.ok(games.store.game_files());
        (checked, rows[0].state, rows[0].check_attempts)
    };
    let waits = (false, GameFileState::Checking, 0);
    assert_eq!(look(Duration::ZERO), waits);
    let patience = Duration::from_millis(500);
    assert_eq!(look(patience), waits);
    let heard = |isolation: &str| {
        let report = leitai_store::WorkerReport {
            name: "hall".to_owned(),
            version: String::new(),
            isolation: isolation.to_owned(),
            slots: 1,
            busy: 0,
            remote: true,
            exhibitions: 0,
        };
        let noted = games.store.record_heartbeat(report, Timestamp::now());
        arena.ok(noted);
    };
    heard("tier A");
    std::thread::sleep(patience);
    assert_eq!(look(Duration::ZERO), waits, "a worker runs programs");
    heard(leitai_store::NO_PROGRAMS);
    assert_eq!(look(Duration::ZERO), (true, GameFileState::Refused, 1));
    let said = arena.wait_for(admin.get("/api/admin/games"));
    let said = String::from_utf8_lossy(&said.bytes).into_owned();
    assert!(said.contains("slots or workers with isolation"), "{said}");
}
