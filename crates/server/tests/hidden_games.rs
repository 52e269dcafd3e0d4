//! A game that is hidden until a date: before it, every route answers as if there were none.

use axum::http::StatusCode;
use leitai_server::game_files::load_games;
use leitai_store::{GameActor, Timestamp};
use serde_json::{Value, json};

use crate::game_files::{checked, guest, person, send, small};
use crate::kit::{Answer, Person, says, table};
use crate::worker_kit::WorkerKit;

/// The game that is hidden, and one of the same length that does not exist.
const NAMES: [&str; 2] = ["moonfish", "sunfishy"];

const CONTEST: &str = r#"
id = "eclipse"
game = "moonfish"
time-zone = "UTC"
title = { en = "Eclipse", zh = "日食" }
organisers = ["otto"]

[entry]
who = "accounts"
accounts = ["ida"]

[dates]
opens = 2025-01-01T00:00:00
freezes = 2035-01-01T00:00:00

[visibility]
contest = "invited"

[[stage]]
name = "First"
format = "round-robin"
"#;

/// What is asked beside every GET of the API's document: method, path, and body; GAME is the game.
const ASKED: &str = r#"
GET | /games/GAME |
GET | /games/GAME/ladder |
GET | /play/GAME |
GET | /llms.txt |
GET | /games.md |
GET | /protocols.md |
GET | /rules/GAME.md |
GET | /rules/GAME.zh.md |
GET | /guides/GAME.md |
GET | /templates/GAME/bot.py |
GET | /sitemap.xml |
GET | /api/games/GAME/viewer?rules=GAME/1 |
GET | /api/search?q=GAME |
GET | /api/contests/eclipse |
GET | /contests/eclipse |
POST | /api/bots | {"game":"GAME","name":"mole"}
POST | /api/matches/friendly | {"game":"GAME","a":1,"b":2}
POST | /api/play | {"game":"GAME","opponent":"random"}
POST | /api/human-matches | {"game":"GAME","opponent":{"kind":"anybody"}}
POST | /api/contests/eclipse/join | {"bot":1}
POST | /api/contests | {"file":"id = \"spy\"\ngame = \"GAME\"\n"}
POST | /api/contest-checks | {"file":"id = \"spy\"\ngame = \"GAME\"\n"}
POST | /api/replays/frames | {"format":"leitai-replay/1","game":"GAME","rules":"GAME/1"}
POST | /api/mcp | {"jsonrpc":"2.0","id":1,"method":"resources/list"}
POST | /api/mcp | {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"leitai://rules/GAME"}}
POST | /mcp | {"jsonrpc":"2.0","id":1,"method":"resources/list"}
POST | /api/admin/games/GAME/hidden | {"hidden_until":null}
DELETE | /api/admin/games/GAME |
"#;

/// Every GET of the API's document, with the game in each place where a game may stand.
fn documented(arena: &WorkerKit) -> Vec<(String, String, String)> {
    let document = arena.wait_for(guest(arena).get("/api/openapi.json"));
    let document: Value = serde_json::from_slice(&document.bytes).expect("JSON");
    let paths = document["paths"].as_object().expect("paths");
    let mut asked = Vec::new();
    for (path, methods) in paths
        .iter()
        .filter(|(_, methods)| methods.get("get").is_some())
    {
        // Its answer comes when there is news.
        if path.ends_with("/live") || path.ends_with("/events") {
            continue;
        }
        let path = path.replace("{game}", "GAME").replace("{id}", "1");
        let parts = path.split('/').map(|part| match part.starts_with('{') {
            true => "GAME",
            false => part,
        });
        let path = parts.collect::<Vec<_>>().join("/");
        let takes_game = methods["get"]["parameters"]
            .as_array()
            .into_iter()
            .flatten();
        let takes_game = takes_game
            .filter(|one| one["in"] == "query")
            .find_map(|one| {
                let name = one["name"].as_str()?;
                ["game", "games", "q"]
                    .contains(&name)
                    .then(|| format!("{path}?{name}=GAME"))
            });
        asked.extend(takes_game.map(|path| ("GET".to_owned(), path, String::new())));
        asked.push(("GET".to_owned(), path, String::new()));
    }
    assert!(asked.len() > 60, "{}", asked.len());
    asked
}

fn ask(
    arena: &WorkerKit,
    who: &Person,
    (method, path, body): &(String, String, String),
    game: &str,
) -> Answer {
    let (path, body) = (path.replace("GAME", game), body.replace("GAME", game));
    let kind = (!body.is_empty()).then_some("application/json");
    arena.wait_for(who.raw(method, &path, kind, body.into_bytes()))
}

/// What somebody reads, without what differs between two equal questions.
fn read(answer: &Answer, game: &str) -> (StatusCode, String) {
    let text = String::from_utf8_lossy(&answer.bytes);
    let text = text.replace(game, "§");
    // A number is one 0: times and counters of two equal questions can differ in length, too.
    let mut read = String::with_capacity(text.len());
    let mut is_in_number = false;
    for c in text.chars() {
        let is_digit = c.is_ascii_digit();
        if !is_digit || !is_in_number {
            read.push(if is_digit { '0' } else { c });
        }
        is_in_number = is_digit;
    }
    (answer.status, read.replace("0.0", "0"))
}

/// The questions whose answer tells of the hidden game.
fn tell_tales(arena: &WorkerKit, who: &Person) -> Vec<String> {
    let given = table(ASKED).map(|row: [&str; 3]| row.map(str::to_owned).into());
    let mut tales = Vec::new();
    for asked in documented(arena).into_iter().chain(given) {
        let [hidden, absent] = NAMES.map(|game| read(&ask(arena, who, &asked, game), game));
        let names_it =
            !asked.1.contains("GAME") && !asked.2.contains("GAME") && hidden.1.contains('§');
        if hidden != absent || names_it || hidden.1.contains("Eclipse") {
            tales.push(format!(
                "{} {}: {hidden:?}, not {absent:?}",
                asked.0, asked.1
            ));
        }
    }
    tales
}

fn bring_hidden(arena: &WorkerKit, admin: &Person, until: &str) {
    let path = format!("/api/admin/games?hidden_until={until}");
    let file = small(NAMES[0], 1, "none", "none");
    let kind = Some("application/octet-stream");
    let sent = arena.wait_for(admin.raw("POST", &path, kind, file));
    assert_eq!(sent.status, StatusCode::ACCEPTED, "{}", sent.text());
    let row = checked(arena, admin);
    has!(row, {"state": "published", "hidden_until": until});
}

fn hide(arena: &WorkerKit, admin: &Person, until: Value) -> StatusCode {
    let body = json!({"hidden_until": until});
    let path = format!("/api/admin/games/{}/hidden", NAMES[0]);
    arena.wait_for(admin.post(&path, body)).status
}

#[test]
fn nobody_learns_of_a_hidden_game_before_its_date() {
    let arena = WorkerKit::new();
    let admin = person(&arena, "root", true);
    let [ida, otto] = ["ida", "otto"].map(|name| person(&arena, name, false));
    bring_hidden(&arena, &admin, "2035-01-01T00:00:00Z");
    // Whoever sees a contest learns its game.
    let open = CONTEST.replace("contest = \"invited\"", "contest = \"everybody\"");
    let refused = arena.wait_for(admin.post("/api/contests", json!({"file": open})));
    says(&refused.text(), &["hidden until"]);
    let made = arena.wait_for(admin.post("/api/contests", json!({"file": CONTEST})));
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text());
    let shown = |who: &Person| arena.wait_for(who.get("/api/contests/eclipse")).status;
    assert_eq!(
        [&admin, &otto, &ida].map(shown),
        [StatusCode::OK, StatusCode::OK, StatusCode::NOT_FOUND]
    );
    for who in [guest(&arena), ida.clone()] {
        let tales = tell_tales(&arena, &who);
        assert!(tales.is_empty(), "{}", tales.join("\n"));
    }
    // Its next version is no less a secret.
    send(
        &arena,
        &admin,
        small(NAMES[0], 2, "none", "none"),
        StatusCode::ACCEPTED,
    );
    assert_eq!(
        checked(&arena, &admin)["hidden_until"],
        "2035-01-01T00:00:00Z"
    );
    assert!(arena.app.games.find(NAMES[0]).is_none());
    let later = json!("2034-01-01T00:00:00Z");
    assert_eq!(hide(&arena, &admin, later), StatusCode::NO_CONTENT);
    assert!(arena.app.games.find(NAMES[0]).is_none());
    // Its date is over: it appears when the server looks, and nobody asks for it.
    let (by, now) = (admin.id.expect("an account"), Timestamp::now());
    let store = &arena.app.store;
    let passed = store.hide_game(NAMES[0], Some(now), GameActor::Admin(by), now);
    arena.ok(passed);
    assert!(arena.app.games.find(NAMES[0]).is_none());
    arena.ok(load_games(&arena.app.arena_games()));
    assert!(arena.app.games.find(NAMES[0]).is_some());
    assert!(
        !tell_tales(&arena, &guest(&arena)).is_empty(),
        "the questions find it now"
    );
    assert_eq!(shown(&ida), StatusCode::OK);
    // What everybody has seen is not hidden again.
    assert_eq!(
        hide(&arena, &admin, json!("2035-01-01T00:00:00Z")),
        StatusCode::NOT_FOUND
    );
}
