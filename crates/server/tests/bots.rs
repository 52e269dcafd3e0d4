//! Games, ladders, bots, versions and uploads.

use crate::kit;
use crate::kit::each;

use std::io::{Read, Write};
use std::time::Duration;

use http_body_util::BodyExt;
use kit::{Kit, Person, says, says_but_not};
use leitai_store::{BlobKey, JobKind, Quota, Timestamp, VersionOutcome};
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

#[tokio::test]
async fn games_are_listed_with_their_rules() {
    let kit = Kit::new().await;
    let all = kit.guest().get("/api/games").await.ok();
    let ids = ["snakego", "kob", "tankcraft"];
    assert_eq!(each(&all, "id"), ids);
    for id in ids {
        let game = kit.guest().get(&format!("/api/games/{id}")).await.ok();
        for language in ["en", "zh"] {
            let guide = game["guide"][language].as_str().unwrap_or_default();
            assert!(guide.starts_with("# "), "{id}");
        }
        assert!(!each(&game["bots"], "name").is_empty(), "{id}");
        assert!(game["config"].is_object(), "{id}");
        let templates = kit.guest().get(&format!("/api/templates/{id}")).await.ok();
        let files = each(&templates, "file_name");
        assert_eq!(files[..2], ["main.py", "main.cpp"], "{files:?}");
    }
    let paths = "/api/games/chess /api/games/chess/ladder /api/templates/chess /api/games/%00";
    for path in paths.split_whitespace() {
        kit.guest().get(path).await.refused(404, "not-found");
    }
}

#[tokio::test]
async fn the_status_counts_running_matches_and_jobs() {
    let kit = Kit::new().await;
    let status = kit.guest().get("/api/status").await.ok();
    assert_eq!(status["games"], json!(["snakego", "kob", "tankcraft"]));
    has!(status, {"live": [], "queue": 0, "workers": 0});
}

#[tokio::test]
async fn bots_are_made_and_changed_by_their_authors() {
    let kit = Kit::new().await;
    let (ada, bob) = (kit.person("ada").await, kit.person("bob").await);
    let request = json!({"game": "kob", "name": "viper", "about": " bites "});
    refused!(kit.guest().post("/api/bots", request.clone()) => 401, "login");
    let bot = ada.post("/api/bots", request.clone()).await;
    assert_eq!(bot.status.as_u16(), 201);
    let bot = bot.ok();
    has!(bot, {"about": "bites", "owner": "ada", "yours": true});
    has!(bot, {"active": null, "versions": []});
    refused!(bob.post("/api/bots", json!({"game": "kob", "name": "VIPER"})) => 409, "taken");
    post!(bob, "/api/bots", {"game": "snakego", "name": "viper"});
    for (request, status, code) in [
        (json!({"game": "chess", "name": "viper"}), 404, "not-found"),
        (json!({"game": "kob", "name": "random"}), 409, "taken"),
        (json!({"game": "kob", "name": "<script>"}), 422, "bad-name"),
        (
            json!({"game": "kob", "name": "long", "about": "x".repeat(501)}),
            422,
            "too-long",
        ),
        (
            json!({"game": "kob", "name": "odd", "about": "a\u{7}b"}),
            422,
            "bad-text",
        ),
        (json!({"game": "kob"}), 422, "bad-field"),
    ] {
        ada.post("/api/bots", request).await.refused(status, code);
    }
    let path = format!("/api/bots/{}", bot["id"]);
    assert_eq!(kit.guest().get(&path).await.ok()["yours"], false);
    refused!(bob.patch(&path, json!({"about": "mine"})) => 403, "not-yours");
    refused!(kit.guest().patch(&path, json!({"about": "mine"})) => 401, "login");
    refused!(ada.patch(&path, json!({"active": 1})) => 404, "not-found");
    let changed = ada
        .patch(&path, json!({"about": "", "retired": true}))
        .await
        .ok();
    has!(changed, {"about": "", "retired": true});
    assert_eq!(changed["by_agent"], Value::Null);
    for (said, shown) in [(true, json!(true)), (false, Value::Null)] {
        let request = Some(json!({"by_agent": said}));
        refused!(bob.send("PATCH", &path, request.clone()) => 403, "not-yours");
        ada.send("PATCH", &path, request).await.ok();
        assert_eq!(kit.guest().get(&path).await.ok()["by_agent"], shown);
    }
    shows!(ada.get("/api/me/bots") => {"/items/#": 1});
    kit.guest().get("/api/me/bots").await.refused(401, "login");
    let paths = "/api/bots/99 /api/bots/viper /api/bots/99/matches /api/bots/99/opponents
        /api/bots/99/ratings /api/bots/99/faults";
    for path in paths.split_whitespace() {
        kit.guest().get(path).await.refused(404, "not-found");
    }
}

/// An archive of these entries.
fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        archive
            .start_file(*name, SimpleFileOptions::default())
            .expect("memory takes it");
        archive.write_all(bytes).expect("memory takes it");
    }
    archive.finish().expect("memory takes it").into_inner()
}

fn with_link() -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive
        .add_symlink("main.py", "/etc/passwd", SimpleFileOptions::default())
        .expect("memory takes it");
    archive.finish().expect("memory takes it").into_inner()
}

/// 80 MiB of zeros.
fn bomb() -> Vec<u8> {
    let zeros = vec![0; 8 << 20];
    let names: Vec<String> = (0..10).map(|number| format!("{number}.bin")).collect();
    zipped(
        &names
            .iter()
            .map(|name| (name.as_str(), &zeros[..]))
            .collect::<Vec<_>>(),
    )
}

fn many() -> Vec<u8> {
    let names: Vec<String> = (0..10_001).map(|number| number.to_string()).collect();
    zipped(
        &names
            .iter()
            .map(|name| (name.as_str(), &b""[..]))
            .collect::<Vec<_>>(),
    )
}

fn evil(names: &[&str]) -> Vec<u8> {
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, &b"x"[..])).collect();
    zipped(&files)
}

fn deep() -> Vec<u8> {
    zipped(&[(format!("{}main.py", "a/".repeat(40)).as_str(), b"")])
}

#[tokio::test]
async fn uploads_that_are_no_program_are_refused_before_they_are_stored() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let bot = kit.bot(&ada, "viper").await;
    let path = format!("/api/bots/{}/versions", bot.id);
    for (name, bytes, status, code) in [
        ("bot.py", Vec::new(), 422, "empty"),
        ("bot.txt", b"hello".to_vec(), 422, "wrong-type"),
        ("picture.png", b"\x89PNG\r\n".to_vec(), 422, "wrong-type"),
        ("..", b"print(0)".to_vec(), 422, "bad-file-name"),
        (".bashrc", b"#!/bin/sh".to_vec(), 422, "bad-file-name"),
        ("bot.py", vec![b' '; (16 << 20) + 1], 413, "too-large"),
        ("bot.zip", b"no archive".to_vec(), 422, "bad-zip"),
        ("bot.zip", evil(&["../evil.py"]), 422, "bad-zip"),
        ("bot.zip", evil(&["a/../../evil.py"]), 422, "bad-zip"),
        ("bot.zip", evil(&["/etc/cron.d/evil"]), 422, "bad-zip"),
        ("bot.zip", evil(&["C:\\evil.py"]), 422, "bad-zip"),
        (
            "bot.zip",
            evil(&["main.py", "main.py/evil"]),
            422,
            "bad-zip",
        ),
        ("bot.zip", with_link(), 422, "bad-zip"),
        ("bot", with_link(), 422, "bad-zip"),
        ("bot.zip", bomb(), 413, "too-large"),
        ("bot.zip", many(), 413, "too-large"),
        ("bot.zip", deep(), 413, "too-large"),
    ] {
        refused!(ada.upload(&path, name, &bytes) => status, code);
    }
    // The sentences of the command line, about these files.
    for (name, bytes, part) in [
        (
            "bot.tar.gz",
            b"\x1f\x8b\x08".to_vec(),
            "is an archive, but not a zip: unpack it",
        ),
        ("bot.exe", b"MZ".to_vec(), "is a Windows program"),
        (
            "bot.txt",
            b"hello".to_vec(),
            "is neither a program nor source: give",
        ),
    ] {
        let refused = ada.upload(&path, name, &bytes).await.text();
        assert!(refused.contains(&format!("{name} {part}")), "{refused}");
    }
    assert_eq!(ok!(kit.app.store.versions_of(bot.id)), []);
    refused!(ada.raw("POST", &path, Some("text/plain"), b"print(0)".to_vec()) => 415, "wrong-type");
    refused!(ada.raw("POST", &path, Some("multipart/form-data"), b"x".to_vec()) => 400, "malformed");
    refused!(ada.post(&path, json!({"code": "print(0)"})) => 422, "bad-field");
    ada.post(
        &path,
        json!({"file_name": "bot.py", "code": "x", "notes": "n".repeat(2001)}),
    )
    .await
    .refused(422, "too-long");
}

/// A bot of a starter kit, sent as one file, is kept with the SDK that it names; other sources stay
/// as they are.
#[tokio::test]
async fn an_upload_of_one_file_gets_the_sdk_that_it_names() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let bot = kit.bot(&ada, "viper").await;
    let path = format!("/api/bots/{}/versions", bot.id);
    let games = leitai_games::ALL.iter();
    let given = games.flat_map(|game| game.list_templates());
    for own in given {
        let ending = own.file_name.rsplit_once('.').expect("an ending").1;
        // Outside Java a bot may have any name; the build finds the one called main.
        let sent = match ending {
            "java" => own.file_name.to_owned(),
            _ => format!("viper.{ending}"),
        };
        let version = ada.upload(&path, &sent, own.code.as_bytes()).await.ok();
        assert_eq!(version["file_name"], format!("{sent}.zip"));
        let path = format!("/api/versions/{}/source", version["id"]);
        let code = ada.get(&format!("{path}?code=true")).await;
        assert_eq!(code.text(), own.code, "the code alone");
        let source = ada.get(&path).await.bytes;
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(source)).expect("a zip");
        let sdk = own.files.iter().map(|file| (file.name, file.text));
        let expected: Vec<_> = sdk.chain([(own.file_name, own.code)]).collect();
        assert_eq!(zip.len(), expected.len(), "{sent}");
        for (name, text) in expected {
            let mut file = zip.by_name(name).expect(name);
            let mut kept = String::new();
            file.read_to_string(&mut kept).expect("text");
            assert_eq!(kept, text, "{name}");
        }
    }
    for (name, text) in [
        ("main.py", "import leitai_chess\n"),
        ("leitai_kob.py", "import json\n"),
        ("LeitaiKob.java", "class LeitaiKob {}\n"),
    ] {
        let version = ada.upload(&path, name, text.as_bytes()).await.ok();
        assert_eq!(version["file_name"], name);
    }
}

#[tokio::test]
async fn versions_are_uploaded_by_their_authors_alone() {
    let kit = Kit::new().await;
    let (ada, bob) = (kit.person("ada").await, kit.person("bob").await);
    let bot = kit.bot(&ada, "viper").await;
    let path = format!("/api/bots/{}/versions", bot.id);
    refused!(bob.upload(&path, "bot.py", b"print(0)") => 403, "not-yours");
    refused!(kit.guest().upload(&path, "bot.py", b"print(0)") => 401, "login");
    Person {
        csrf: None,
        ..ada.clone()
    }
    .upload(&path, "bot.py", b"print(0)")
    .await
    .refused(403, "csrf");
    refused!(ada.upload("/api/bots/99/versions", "bot.py", b"print(0)") => 404, "not-found");

    let first = ada
        .upload(&path, "C:\\my bots\\my bot.py", b"print(0)")
        .await;
    assert_eq!(first.status.as_u16(), 201, "{}", first.text());
    let first = first.ok();
    for (key, expected) in [
        ("number", json!(1)),
        ("state", json!("queued")),
        ("file_name", json!("my_bot.py")),
        ("bytes", json!(8)),
        ("notes", json!("first")),
        ("source_public", json!(false)),
        ("yours", json!(true)),
    ] {
        assert_eq!(first[key], expected, "{key}");
    }
    let zip = ada
        .upload(&path, "bot.zip", &zipped(&[("bot/main.py", b"print(0)")]))
        .await
        .ok();
    assert_eq!(zip["number"], 2);
    let typed =
        post!(ada, &path, {"file_name": "bot.cpp", "code": "int main() {}", "notes": "typed"});
    has!(typed, {"number": 3, "notes": "typed"});
    let taken = kit.take(JobKind::Version).await;
    assert!(
        matches!(taken.work, leitai_store::JobWork::Version(_)),
        "an upload creates a job"
    );

    ok!(kit.app.store.set_bot_disabled(bot.id, true));
    refused!(ada.upload(&path, "bot.py", b"print(0)") => 403, "disabled");
}

#[tokio::test]
async fn what_plays_is_fetched_while_its_author_agrees() {
    let kit = Kit::new().await;
    let (ada, bob) = (kit.person("ada").await, kit.person("bob").await);
    let (bot, first) = kit.ready_bot(&ada, "viper").await;
    let page = format!("/api/bots/{}", bot.id);
    let program = |version: &leitai_store::Version| format!("/api/versions/{}/program", version.id);
    let list = "/api/games/kob/fetchable";
    let agree = async |said: bool| {
        let request = Some(json!({"fetchable": said}));
        ada.send("PATCH", &page, request).await.ok();
    };
    refused!(bob.patch(&page, json!({"fetchable": true})) => 403, "not-yours");
    assert_eq!(kit.guest().get(list).await.ok()["items"], json!([]));
    refused!(bob.get(&program(&first)) => 403, "not-fetchable");
    agree(true).await;
    assert_eq!(kit.guest().get(&page).await.ok()["fetchable"], true);
    let listed = kit.guest().get(list).await;
    assert!(!listed.text().contains("secret"), "{}", listed.text());
    let listed = &listed.ok()["items"][0];
    has!(listed, {"version": first.id.0, "number": 1, "file_name": "bot.py", "protocol": "line",
        "bytes": 19});
    has!(listed["bot"], {"name": "viper", "owner": "ada"});
    refused!(kit.guest().get(&program(&first)) => 401, "login");
    let fetched = bob.get(&program(&first)).await;
    assert_eq!(fetched.text(), "print(0) # a secret");
    assert_eq!(
        fetched.header("repr-digest"),
        "sha-256=:KSLKFdaXhCOrDzUtM9ABADsSAbpkL4noSCMLUhPeF64=:"
    );
    assert_eq!(fetched.header("cache-control"), "private, no-store");
    // It lets others fetch it, and shows it to nobody on the page.
    refused!(bob.get(&format!("/api/versions/{}/source", first.id)) => 403, "not-yours");
    let second = kit.ready_version(&bot).await;
    refused!(bob.get(&program(&first)) => 403, "not-fetchable");
    assert_eq!(bob.get(&program(&second)).await.status, 200);
    agree(false).await;
    refused!(bob.get(&program(&second)) => 403, "not-fetchable");
    agree(true).await;
    refused!(bob.get("/api/versions/99/program") => 403, "not-fetchable");
    refused!(kit.guest().get("/api/games/chess/fetchable") => 404, "not-found");
    let mut refused = 0;
    for _ in 0..100 {
        refused += u32::from(bob.get(&program(&second)).await.status == 429);
    }
    assert!(refused > 0, "a hundred at once, and no more");
}

#[tokio::test]
async fn sources_logs_and_findings_are_private() {
    let kit = Kit::new().await;
    let [ada, bob] = kit.people(["ada", "bob"]).await;
    let root = kit.admin().await;
    let bot = kit.bot(&ada, "viper").await;
    let made = ada
        .upload(
            &format!("/api/bots/{}/versions", bot.id),
            "bot.py",
            b"secret source",
        )
        .await
        .ok();
    let (store, path) = (&kit.app.store, format!("/api/versions/{}", made["id"]));
    let taken = kit.take(JobKind::Version).await;
    ok!(store.append_log(&taken.lease, "secret log"));
    let finding = |step: &str, command: &str| {
        json!({
            "step": step, "mark": "failed", "seen": {"en": "secret", "zh": "secret"},
            "must_pass": true, "command": command,
        })
    };
    let commands = [
        "leitai check kob bot.py",
        "leitai match kob random bot.py --seed 3 --legs 1",
    ];
    for step in [
        finding("builds", commands[0]),
        finding("first", commands[1]),
    ] {
        ok!(store.append_step(&taken.lease, step));
    }
    let failure = json!({"en": "secret", "zh": "secret"});
    let outcome = leitai_store::VersionOutcome::Failed {
        how: None,
        failure,
        report: None,
    };
    ok!(store.finish_version(&taken.lease, outcome, leitai_store::Timestamp::now()));

    for stranger in [&kit.guest(), &bob] {
        for path in [path.clone(), format!("/api/bots/{}", bot.id)] {
            let text = stranger.get(&path).await.text();
            assert!(!text.contains("secret"), "{path}: {text}");
        }
        refused!(stranger.get(&format!("{path}/source")) => 403, "not-yours");
    }
    for reader in [&ada, &root] {
        let version = reader.get(&path).await.ok();
        has!(version, {"log": "secret log", "state": "failed"});
        let steps = version["steps"].as_array().expect("a list").iter();
        let told: Vec<&Value> = steps.map(|step| &step["command"]).collect();
        assert_eq!(told, commands);
        assert_eq!(version["steps"][0]["must_pass"], true);
        let source = reader.get(&format!("{path}/source")).await;
        fields!(source, {text().as_str(): "secret source", status.as_u16(): 200});
        assert!(
            source
                .header("content-disposition")
                .starts_with("attachment; filename=\"bot.py\"")
        );
    }
    refused!(bob.patch(&path, json!({"source_public": true})) => 403, "not-yours");
    ada.patch(&path, json!({"source_public": true})).await.ok();
    assert_eq!(
        kit.guest().get(&format!("{path}/source")).await.text(),
        "secret source"
    );
    let paths = "/api/versions/99 /api/versions/99/source /api/versions/99/live /api/versions/x";
    for path in paths.split_whitespace() {
        kit.guest().get(path).await.refused(404, "not-found");
    }
}

#[tokio::test]
async fn the_event_stream_of_a_version_ends_when_it_is_ready() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let (bot, version) = kit.ready_bot(&ada, "viper").await;
    assert_eq!(bot.active, Some(version.id));
    // The version is ready: one event, and the stream ends.
    let reported = ada.get(&format!("/api/versions/{}/live", version.id)).await;
    assert_eq!(reported.header("content-type"), "text/event-stream");
    let text = reported.text();
    assert!(
        text.starts_with("event: version\ndata: {") && text.matches("event:").count() == 1,
        "{text}"
    );
    assert!(text.contains("\"state\":\"ready\""), "{text}");

    let made = ada
        .upload(
            &format!("/api/bots/{}/versions", bot.id),
            "bot.py",
            b"print(0)",
        )
        .await
        .ok();
    let path = format!("/api/versions/{}/live", made["id"]);
    let mut reported = ada.follow(&path).await;
    let first = ok!(reported.frame()).expect("the stream is sound");
    let first = String::from_utf8_lossy(first.data_ref().expect("data")).into_owned();
    assert!(first.contains("\"state\":\"queued\""), "{first}");

    let taken = kit.take(JobKind::Version).await;
    ok!(kit.app.store.append_log(&taken.lease, "g++"));
    let failure = json!({"en": "no", "zh": "不"});
    let outcome = leitai_store::VersionOutcome::Failed {
        how: None,
        failure,
        report: None,
    };
    let at = leitai_store::Timestamp::now();
    ok!(kit.app.store.finish_version(&taken.lease, outcome, at));
    let rest = ok!(reported.collect()).to_bytes();
    let rest = String::from_utf8_lossy(&rest);
    says(&rest, &["\"state\":\"failed\"", "\"log\":\"g++\""]);
}

#[tokio::test]
async fn the_ladder_lists_the_bots_that_play() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    kit.bot(&ada, "unready").await;
    let [one, two] = kit.ready_bots([(&ada, "one"), (&ada, "two")]).await;
    kit.ladder_match([&one, &two]).await;
    let ladder = kit.guest().get("/api/games/kob/ladder").await.ok();
    let names = each(&ladder["items"], "/bot/name");
    assert_eq!(names, ["one", "two"]);
    has!(ladder["items"], {"/0/wins": 1, "/1/faults": 1});
    let first = kit.guest().get("/api/games/kob/ladder?limit=1").await.ok();
    let next = first["next"].as_str().expect("there is more").to_owned();
    let second = get!(kit.guest(), "/api/games/kob/ladder?limit=1&before={next}");
    has!(second, {"/items/0/bot/name": "two", "next": null});

    let path = format!("/api/bots/{}", one.id);
    let bot = kit.guest().get(&path).await.ok();
    has!(bot, {"wins": 1, "games": 1, "longest_us": 1000});
    let rival = &kit.guest().get(&format!("{path}/opponents")).await.ok()["items"][0];
    has!(rival, {"/bot/name": "two", "wins": 1});
    let ratings = kit.guest().get(&format!("{path}/ratings")).await.ok();
    assert!(
        ratings["items"]
            .as_array()
            .is_some_and(|points| !points.is_empty()),
        "{ratings}"
    );
    let faults = get!(kit.guest(), "/api/bots/{}/faults", two.id);
    assert_eq!(faults["items"][0]["code"], "RE");
    shows!(kit.guest().get(&format!("{path}/faults")) => {"items": []});
    shows!(kit.guest().get(&format!("{path}/matches")) => {"/items/#": 1});
}

#[tokio::test]
async fn bad_cursors_are_refused_everywhere() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let (bot, _) = kit.ready_bot(&ada, "viper").await;
    let root = kit.admin().await;
    let own = [
        format!("/api/bots/{}/matches", bot.id),
        format!("/api/bots/{}/faults", bot.id),
    ];
    let others = "/api/games/kob/ladder /api/matches /api/admin/users /api/admin/queue
        /api/admin/matches /api/admin/audit";
    let others = others.split_whitespace();
    for path in own.iter().map(String::as_str).chain(others) {
        for query in [
            "before=nonsense",
            "before=%27%3B--",
            "limit=0",
            "limit=101",
            &format!("before={}", "1".repeat(200)),
        ] {
            let answer = root.get(&format!("{path}?{query}")).await;
            assert_eq!(
                (answer.status.as_u16(), answer.code().as_str()),
                (400, "bad-cursor"),
                "{path}?{query}"
            );
        }
        refused!(root.get(&format!("{path}?limit=many")) => 400, "bad-query");
    }
}

#[tokio::test]
async fn a_bot_is_made_with_its_first_version_or_not_at_all() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let form = |name: &str, file: &str, code: &str| {
        let text = |field: &str, text: &str| {
            format!("--limit\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n{text}\r\n")
        };
        let (game, name) = (text("game", "kob"), text("name", name));
        let head = format!(
            "--limit\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{file}\"\r\n\r\n"
        );
        format!("{game}{name}{head}{code}\r\n--limit--\r\n").into_bytes()
    };
    let kind = Some("multipart/form-data; boundary=limit");
    // A refused upload leaves no bot: an unknown kind of file, a broken archive, an empty file.
    for (file, code, refusal) in [
        ("notes.txt", "hello", "wrong-type"),
        ("bot.zip", "PK\u{3}\u{4} no archive", "bad-zip"),
        ("bot.py", "", "empty"),
    ] {
        refused!(ada.raw("POST", "/api/bots", kind, form("viper", file, code)) => 422, refusal);
        assert_eq!(
            ada.get("/api/me/bots").await.ok()["items"],
            json!([]),
            "{file}"
        );
    }
    let made = ada
        .raw(
            "POST",
            "/api/bots",
            kind,
            form("viper", "bot.py", "print(0)"),
        )
        .await
        .ok();
    has!(made, {"name": "viper", "/versions/0/number": 1});
    // The same as JSON.
    let request = json!({"game": "kob", "name": "asp", "file_name": "bot.py", "code": ""});
    ada.post("/api/bots", request).await.refused(422, "empty");
    let request = json!({"game": "kob", "name": "asp", "file_name": "bot.py"});
    refused!(ada.post("/api/bots", request) => 422, "bad-field");
    let request = json!({"game": "kob", "name": "asp", "file_name": "bot.py", "code": "print(0)"});
    let made = ada.post("/api/bots", request).await.ok();
    has!(made, {"/versions/0/file_name": "bot.py", "/versions/0/bytes": 8});
    let taken = json!({"game": "kob", "name": "ASP", "file_name": "bot.py", "code": "print(0)"});
    ada.post("/api/bots", taken).await.refused(409, "taken");
    shows!(ada.get("/api/me/bots") => {"/items/#": 2});
    // Refused uploads leave no blob either.
    let later = Timestamp::now().after(Duration::from_secs(2 * 3600));
    assert_eq!(ok!(kit.app.store.claim_discards(later)).len(), 1);
}

#[tokio::test]
async fn an_account_stores_bytes_up_to_its_quota() {
    let quota = Quota {
        bytes: 1_000,
        bots: 2,
        versions: 2,
        ..Quota::UNLIMITED
    };
    let kit = Kit::changed(|to| to.quota = quota).await;
    let ada = kit.person("ada").await;
    let bot = kit.bot(&ada, "viper").await;
    let path = format!("/api/bots/{}/versions", bot.id);
    let refused = ada.upload(&path, "bot.py", &[b'#'; 1_001]).await;
    refused.refused(409, "quota-bytes");
    says(&refused.text(), &["1001 B", "1000 B"]);
    for _ in 0..2 {
        ada.upload(&path, "bot.py", &[b'#'; 500]).await.ok();
    }
    refused!(ada.upload(&path, "bot.py", b"#") => 409, "quota-versions");
    let used = ada.get("/api/me/usage").await.ok();
    assert_eq!(used["bytes"], json!({"used": 1_000, "allowed": 1_000}));
    has!(used, {"/bots/used": 1, "versions": 2});
    has!(used, {"/replays/ladder": 30, "versions_of_a_bot": 2});
    kit.bot(&ada, "asp").await;
    refused!(ada.post("/api/bots", json!({"game": "kob", "name": "adder"})) => 409, "quota-bots");
    // Deletion frees quota.
    let versions = ada.get(&format!("/api/bots/{}", bot.id)).await.ok()["versions"].clone();
    for version in versions.as_array().expect("a list") {
        ada.delete(&format!("/api/versions/{}", version["id"]))
            .await
            .ok();
    }
    assert_eq!(ada.get("/api/me/usage").await.ok()["bytes"]["used"], 0);
    ada.upload(&path, "bot.py", &[b'#'; 1_000]).await.ok();
    kit.guest().get("/api/me/usage").await.refused(401, "login");
}

#[tokio::test]
async fn a_person_takes_home_what_the_arena_keeps() {
    let kit = Kit::new().await;
    let (ada, bob) = (kit.person("ada").await, kit.person("bob").await);
    let (bot, version) = kit.ready_bot(&ada, "viper").await;
    let (rival, _) = kit.ready_bot(&bob, "asp").await;
    let played = kit.ladder_match([&bot, &rival]).await;
    kit.guest().get("/api/me/data").await.refused(401, "login");
    let answer = ada.get("/api/me/data").await;
    assert_eq!(answer.status, 200);
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(answer.bytes)).expect("a zip");
    let mut read = |name: &str| {
        let mut text = String::new();
        let mut file = zip.by_name(name).expect(name);
        file.read_to_string(&mut text).expect("UTF-8");
        text
    };
    let bots: Value = serde_json::from_str(&read("data/bots.json")).expect("JSON");
    assert_eq!(
        (&bots[0]["name"], bots[1].is_null()),
        (&json!("viper"), true)
    );
    let line: Value = serde_json::from_str(&read("matches.ndjson")).expect("one match");
    assert_eq!(line["id"], played.id.0);
    let source = format!(
        "sources/{}/{}/{}",
        bot.id, version.number, version.file_name
    );
    let path = format!("/api/versions/{}/source", version.id);
    assert_eq!(read(&source), ada.get(&path).await.text());
    let of_others = (0..zip.len()).filter(|&number| {
        let file = zip.by_index(number).expect("a file");
        file.name().is_ok_and(|name| name.starts_with("sources/"))
    });
    assert_eq!(of_others.count(), 1);
}

#[tokio::test]
async fn a_deleted_bot_is_gone_and_its_matches_stay() {
    let kit = Kit::new().await;
    let (ada, bob) = (kit.person("ada").await, kit.person("bob").await);
    let (bot, version) = kit.ready_bot(&ada, "viper").await;
    let (rival, _) = kit.ready_bot(&bob, "asp").await;
    let past = kit.ladder_match([&bot, &rival]).await;
    let queued = kit
        .queued(leitai_store::MatchKind::Ladder, [&rival, &bot])
        .await;
    let path = format!("/api/bots/{}", bot.id);
    let of_version = format!("/api/versions/{}", version.id);
    refused!(kit.guest().delete(&path) => 401, "login");
    refused!(bob.delete(&path) => 403, "not-yours");
    refused!(bob.delete(&of_version) => 403, "not-yours");
    refused!(ada.delete(&of_version) => 409, "refused");
    let rating = get!(kit.guest(), "/api/bots/{}", rival.id)["rating"].clone();

    assert_eq!(ada.delete(&path).await.status.as_u16(), 204);
    for gone in [
        &path,
        &of_version,
        &format!("{path}/matches"),
        &format!("{of_version}/source"),
    ] {
        kit.guest().get(gone).await.refused(404, "deleted");
    }
    refused!(ada.delete(&path) => 404, "deleted");
    let shown = get!(kit.guest(), "/api/matches/{}", past.id);
    has!(shown, {"winner": "a", "/a/deleted": true});
    has!(shown, {"/a/user": null, "/b/name": "asp"});
    let state = get!(kit.guest(), "/api/matches/{}", queued.id)["state"].clone();
    assert_eq!(state, "cancelled");
    shows!(kit.guest().get(&format!("/api/bots/{}", rival.id)) => {"rating": rating});
    let rivals = get!(kit.guest(), "/api/bots/{}/opponents", rival.id);
    assert_eq!(rivals["items"][0]["bot"]["deleted"], true);

    // Its name and its output disappear from the served replay at once, and from the blob as soon
    // as it is rewritten.
    let replay = format!("/api/matches/{}/replay", past.id);
    let reported = bob.get(&replay).await.text();
    says_but_not(&reported, &["secret of b"], &["viper", "secret of a"]);
    let files = [
        version.source.expect("it had one"),
        past.replay.expect("it had one"),
    ];
    ok!(leitai_server::removal::remove_due(
        &kit.app.storage(),
        &kit.app.options.retention,
        Timestamp::now()
    ));
    for file in files {
        let read = kit
            .app
            .blobs
            .read_blob(&BlobKey::parse(&file).expect("a key"))
            .await;
        assert!(
            matches!(read, Err(leitai_store::BlobStoreError::Missing(_))),
            "{file}"
        );
    }
    let own = kit.app.store.match_by_id(past.id).await.expect("kept");
    let key = BlobKey::parse(own.replay.as_deref().expect("rewritten")).expect("a key");
    let text = String::from_utf8(ok!(kit.app.blobs.read_blob(&key))).expect("text");
    says_but_not(&text, &["secret of b"], &["secret of a", "words of a"]);
    assert!(bob.get(&replay).await.text().contains("secret of b"));
    // The name can be taken again.
    post!(ada, "/api/bots", {"game": "kob", "name": "viper"});
}

#[tokio::test]
async fn a_replay_that_was_removed_says_when() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let [one, two] = kit.ready_bots([(&ada, "one"), (&ada, "two")]).await;
    let past = kit.ladder_match([&one, &two]).await;
    let path = format!("/api/matches/{}", past.id);
    ok!(leitai_server::removal::remove_due(
        &kit.app.storage(),
        &kit.app.options.retention,
        Timestamp::now()
    ));
    assert!(kit.guest().get(&path).await.ok()["files"]["replay"].is_string());
    assert!(
        ok!(kit.app.store.replay_bytes()) > 0,
        "the bytes of replays are counted"
    );
    let later = Timestamp::now().after(leitai_server::config::days(31));
    ok!(leitai_server::removal::remove_due(
        &kit.app.storage(),
        &kit.app.options.retention,
        later
    ));
    let shown = kit.guest().get(&path).await.ok();
    has!(shown, {"/files/replay": null, "winner": "a"});
    assert_eq!(shown["files"]["replay_removed"], json!(later));
    let refused = kit.guest().get(&format!("{path}/replay")).await;
    refused.refused(404, "replay-removed");
    assert!(refused.text().contains(&later.day()), "{}", refused.text());
    let file = BlobKey::parse(past.replay.as_deref().expect("it had one")).expect("a key");
    assert!(kit.app.blobs.read_blob(&file).await.is_err());
}

#[tokio::test]
async fn a_bot_that_fails_again_and_again_rests_until_a_check_passes() {
    let kit = Kit::changed(|to| to.rest_after = 2).await;
    let (ada, bob) = (kit.person("ada").await, kit.person("bob").await);
    let [rival, viper] = kit.ready_bots([(&bob, "rival"), (&ada, "viper")]).await;
    let (path, check) = (
        format!("/api/bots/{}", viper.id),
        format!("/api/bots/{}/check", viper.id),
    );
    kit.ladder_match([&rival, &viper]).await;
    assert_eq!(ada.get(&path).await.ok()["rest"], Value::Null);
    ada.post(&check, json!({})).await.refused(409, "refused");
    let last = kit.ladder_match([&rival, &viper]).await;
    let rest = ada.get(&path).await.ok()["rest"].clone();
    has!(rest, {"match": last.id, "codes": ["RE"], "failures": 2});
    let ladder = kit.guest().get("/api/games/kob/ladder").await.ok();
    assert_eq!(ladder["items"].as_array().map(Vec::len), Some(1));
    bob.post(&check, json!({})).await.refused(403, "not-yours");
    let asked = ada.post(&check, json!({})).await.ok();
    assert_eq!(asked["versions"][0]["state"], "queued");
    let taken = kit.take(JobKind::Version).await;
    let outcome = VersionOutcome::Ready {
        how: "python3".into(),
        protocol: "line".into(),
        report: json!({"passed": true, "steps": []}),
    };
    ok!(kit
        .app
        .store
        .finish_version(&taken.lease, outcome, Timestamp::now()));
    assert_eq!(ada.get(&path).await.ok()["rest"], Value::Null);
    let ladder = kit.guest().get("/api/games/kob/ladder").await.ok();
    assert_eq!(ladder["items"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn a_large_ladder_is_shown_by_divisions() {
    let kit = Kit::changed(|to| to.division_size = 2).await;
    let guest = kit.guest();
    let ada = kit.person("ada").await;
    let mut bots = Vec::new();
    for name in ["one", "two", "three"] {
        bots.push(kit.ready_bot(&ada, name).await.0);
    }
    let options = leitai_server::schedule::ScheduleOptions {
        exhibitions: false,
        ..leitai_server::schedule::ScheduleOptions::new("test", 1)
    };
    let (games, store) = (&kit.app.games, kit.app.store.clone());
    let mut scheduler = leitai_server::schedule::Scheduler::new(games, store, options);
    let mut schedule = async |seconds: u64| {
        let at = Timestamp::now().after(Duration::from_secs(seconds));
        scheduler.create_matches(at).await.expect("it schedules")
    };
    let list = async |query: &str| {
        let path = format!("/api/games/kob/ladder{query}");
        let shown = guest.get(&path).await.ok();
        shown["items"].as_array().expect("a list").clone()
    };
    schedule(0).await;
    let whole = list("").await;
    assert_eq!(whole.len(), 3);
    assert!(whole.iter().all(|row| row["division"].is_null()));
    assert_eq!(guest.get("/api/games/kob").await.ok()["divisions"], 0);
    assert!(list("?division=1").await.is_empty());
    bots.push(kit.ready_bot(&ada, "four").await.0);
    schedule(1).await;
    assert!(
        list("?division=1").await.is_empty(),
        "it looks now and then"
    );
    schedule(20).await;
    assert_eq!(guest.get("/api/games/kob").await.ok()["divisions"], 2);
    for (division, own) in [(1, &bots[..2]), (2, &bots[2..])] {
        let rows = list(&format!("?division={division}")).await;
        let ids: Vec<Value> = rows.iter().map(|row| row["bot"]["id"].clone()).collect();
        assert_eq!(json!(ids), json!([own[0].id, own[1].id]));
        assert!(rows.iter().all(|row| row["division"] == division));
        assert_eq!(rows[0]["tendency"], Value::Null, "nothing is known yet");
    }
    assert!(list("?division=3").await.is_empty());
    for bad in ["0", "x", "-1"] {
        let path = format!("/api/games/kob/ladder?division={bad}");
        let refused = guest.get(&path).await;
        assert!(matches!(refused.status.as_u16(), 400 | 422), "{bad}");
    }
}
