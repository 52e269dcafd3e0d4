//! Who may add games beside administrators: the right, what it reaches, its quotas, the match before
//! publication, and reports.

use axum::http::StatusCode;
use leitai_store::{NewToken, Timestamp, TokenHash, TokenKind, TokenScope, TokenScopes};
use serde_json::{Value, json};

use crate::game_files::{checked, guest, person, send, small};
use crate::kit::{Answer, Person, deletion_by, says};
use crate::worker_kit::WorkerKit;

/// A sound file of a game.
fn file(game: &str, version: u32) -> Vec<u8> {
    small(game, version, "none", "none")
}

fn ask(arena: &WorkerKit, who: &Person, method: &str, path: &str, body: Option<Value>) -> Answer {
    arena.wait_for(who.send(method, path, body))
}

#[track_caller]
fn json_of(answer: &Answer) -> Value {
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    serde_json::from_slice(&answer.bytes).expect("JSON")
}

/// Gives the right, or takes it.
fn allow(arena: &WorkerKit, admin: &Person, who: &Person, may: bool) {
    let id = who.id.expect("an account");
    let path = format!("/api/admin/users/{id}/game-right");
    let set = ask(arena, admin, "PUT", &path, Some(json!({"adds_games": may})));
    assert_eq!(json_of(&set)["adds_games"], may);
}

/// A client with a token of this account.
fn with_token(arena: &WorkerKit, who: &Person, scopes: &[TokenScope]) -> Person {
    let token = leitai_server::accounts::secret::make_token("");
    let new = NewToken {
        user: who.id,
        kind: TokenKind::Author,
        name: "t".to_owned(),
        hash: TokenHash::from_token(&token),
        scopes: TokenScopes::from_scopes(scopes),
        until: None,
    };
    let made = arena.app.store.create_token(new, Timestamp::now());
    arena.ok(made);
    Person {
        token: Some(token),
        ..guest(arena)
    }
}

/// Every way to change a game, and what each kind of caller is answered; the game is the holder's.
#[test]
fn the_right_reaches_own_games_alone() {
    let arena = WorkerKit::new();
    let root = person(&arena, "root", true);
    let [ada, bob, eve, dan] = ["ada", "bob", "eve", "dan"].map(|name| person(&arena, name, false));
    for one in [&ada, &bob, &eve] {
        allow(&arena, &root, one, true);
    }
    send(&arena, &ada, file("say-a", 1), StatusCode::ACCEPTED);
    assert_eq!(checked(&arena, &root)["owner"], "ada");
    let all = json_of(&ask(&arena, &ada, "GET", "/api/admin/games", None));
    let id = all["items"][0]["id"].clone();
    // What eve had in her hands when the right was taken.
    send(&arena, &eve, file("say-e", 1), StatusCode::ACCEPTED);
    checked(&arena, &root);
    allow(&arena, &root, &eve, false);

    let preview = format!("/api/admin/game-versions/{id}/preview");
    let refused = format!("/api/admin/game-versions/{id}");
    let (hide, owner) = (
        "/api/admin/games/say-a/hidden",
        "/api/admin/games/say-a/owner",
    );
    let games = "/api/admin/games/say-a";
    let right = format!(
        "/api/admin/users/{}/game-right",
        bob.id.expect("an account")
    );
    let hidden = || Some(json!({"hidden_until": null}));
    let play = with_token(&arena, &ada, &[TokenScope::Submit, TokenScope::Play]);
    let token = with_token(&arena, &ada, &[TokenScope::Games]);
    let of_dan = with_token(&arena, &dan, &[TokenScope::Games]);
    let of_root = with_token(&arena, &root, &[TokenScope::Games]);
    // guest, stranger, former holder, another holder, and tokens: of the holder without and with the
    // scope, of a stranger and of an administrator with it.
    let who = [
        &guest(&arena),
        &dan,
        &eve,
        &bob,
        &play,
        &token,
        &of_dan,
        &of_root,
    ];
    let nobody = [403; 3];
    for (method, path, body, [holder, play, scope]) in [
        ("GET", "/api/admin/games", None, [200; 3]),
        ("GET", &preview, None, [404, 200, 200]),
        ("DELETE", &refused, None, [404, 403, 404]),
        ("POST", hide, hidden(), [404, 403, 404]),
        ("PUT", owner, Some(json!({"owner": "bob"})), nobody),
        ("PUT", &right, Some(json!({"adds_games": true})), nobody),
        ("GET", "/api/admin/game-reports", None, nobody),
        ("DELETE", "/api/admin/game-reports/1", None, nobody),
        ("GET", "/api/admin/users", None, nobody),
        // The last one, as it works for the token with the scope.
        ("DELETE", games, None, [404, 403, 204]),
    ] {
        let expected = [401, 403, 403, holder, play, scope, 403, 403];
        for (place, (who, expected)) in who.iter().zip(expected).enumerate() {
            let answer = ask(&arena, who, method, path, body.clone());
            assert_eq!(
                answer.status,
                expected,
                "{method} {path} by {place}: {}",
                answer.text()
            );
        }
    }
    // Another holder learns nothing of it in the list, and takes no id that is taken: not of the
    // house, of a game that was retired, or of somebody whose right was taken.
    let of_bob = json_of(&ask(&arena, &bob, "GET", "/api/admin/games", None));
    assert_eq!(of_bob["items"], json!([]));
    for (game, status) in [("kob", 422), ("say-a", 409), ("say-e", 409)] {
        let status = StatusCode::from_u16(status).expect("a status");
        send(&arena, &bob, file(game, 7), status);
    }
    send(&arena, &eve, file("say-e", 2), StatusCode::FORBIDDEN);
    // The preview has frames of both bots.
    let frames = json_of(&ask(&arena, &ada, "GET", &preview, None));
    assert!(
        frames["frames"].as_array().is_some_and(|all| all.len() > 1),
        "{frames}"
    );

    // An account that is deleted leaves its games to the administrators.
    let deletion = deletion_by(None, Timestamp::now());
    let deleted = arena
        .app
        .store
        .delete_user(ada.id.expect("an account"), deletion);
    arena.ok(deleted);
    send(&arena, &bob, file("say-a", 8), StatusCode::CONFLICT);
    send(&arena, &root, file("say-a", 8), StatusCode::ACCEPTED);
    assert_eq!(checked(&arena, &root)["owner"], Value::Null);
    let given = ask(&arena, &root, "PUT", owner, Some(json!({"owner": "bob"})));
    assert_eq!(given.status, StatusCode::NO_CONTENT, "{}", given.text());
    send(&arena, &bob, file("say-a", 9), StatusCode::ACCEPTED);
}

/// What is over a quota is said by name and leaves no bytes; administrators have none.
#[test]
fn quotas_are_told_with_their_value() {
    let mut arena = WorkerKit::new();
    let mut options = leitai_server::ServerOptions::clone(&arena.app.options);
    options.games.games = 1;
    options.games.daily_checks = 3;
    arena.app.options = options.into();
    let root = person(&arena, "root", true);
    let ada = person(&arena, "ada", false);
    allow(&arena, &root, &ada, true);
    let refuse = |file: Vec<u8>, code: &str| {
        let said = send(&arena, &ada, file, StatusCode::CONFLICT);
        assert_eq!(said["error"]["code"], code, "{said}");
        said["error"]["message"].as_str().expect("text").to_owned()
    };
    send(&arena, &ada, file("one", 1), StatusCode::ACCEPTED);
    let said = refuse(file("one", 2), "quota-running-check");
    assert!(said.contains("one/1"), "{said}");
    checked(&arena, &root);
    let said = refuse(file("two", 1), "quota-games");
    assert!(said.contains("has 1 games, and may have 1"), "{said}");
    for version in [2, 3] {
        send(&arena, &ada, file("one", version), StatusCode::ACCEPTED);
        checked(&arena, &root);
    }
    let said = refuse(file("one", 4), "quota-game-checks");
    says(&said, &["3 checks", "the next one at"]);
    for game in ["two", "six"] {
        send(&arena, &root, file(game, 1), StatusCode::ACCEPTED);
    }
}

/// A game that is reported and taken down, and what its author and who reported it are told.
#[test]
fn a_game_is_reported_and_taken_down() {
    let arena = WorkerKit::new();
    let root = person(&arena, "root", true);
    let [ada, bob] = ["ada", "bob"].map(|name| person(&arena, name, false));
    allow(&arena, &root, &ada, true);
    send(&arena, &ada, file("say-a", 1), StatusCode::ACCEPTED);
    checked(&arena, &root);
    let report = |who: &Person, game: &str, body: Value| {
        let path = format!("/api/games/{game}/reports");
        ask(&arena, who, "POST", &path, Some(body)).status.as_u16()
    };
    let copied = || json!({"reason": "copied", "note": "mine\u{202e}"});
    for (who, game, body, expected) in [
        (&guest(&arena), "say-a", copied(), 401),
        (&bob, "none", copied(), 404),
        (&bob, "kob", copied(), 404),
        (&bob, "say-a", json!({"reason": "ugly"}), 422),
        (&bob, "say-a", json!({"reason": "other"}), 422),
        (
            &bob,
            "say-a",
            json!({"reason": "other", "note": "x".repeat(501)}),
            422,
        ),
        (&bob, "say-a", copied(), 204),
        (&bob, "say-a", copied(), 409),
    ] {
        assert_eq!(report(who, game, body.clone()), expected, "{game} {body}");
    }
    let open = json_of(&ask(&arena, &root, "GET", "/api/admin/game-reports", None));
    let one = &open["items"][0];
    has!(one, {"game": "say-a", "by": "bob", "reason": "copied"});
    assert!(!one["note"].to_string().contains('\u{202e}'), "{one}");
    let told = json_of(&ask(&arena, &root, "GET", "/api/me/notifications", None));
    assert_eq!(told["items"][0]["kind"], "game-reported", "{told}");
    let path = "/api/admin/games/say-a?why=it%20is%20copied";
    assert_eq!(
        ask(&arena, &root, "DELETE", path, None).status,
        StatusCode::NO_CONTENT
    );
    let open = json_of(&ask(&arena, &root, "GET", "/api/admin/game-reports", None));
    assert_eq!(open["items"], json!([]));
    let told = json_of(&ask(&arena, &ada, "GET", "/api/me/notifications", None));
    let one = &told["items"][0];
    has!(one, {"kind": "game-taken-down", "why": "it is copied"});
    send(&arena, &ada, file("say-a", 2), StatusCode::CONFLICT);
    // Nobody floods the administrators.
    let flood = (0..9).map(|_| report(&bob, "say-a", copied()));
    assert!(flood.collect::<Vec<_>>().contains(&429));
}
