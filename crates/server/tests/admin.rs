//! Administration.

use crate::kit;

use kit::{Kit, Person, says, says_but_not};
use leitai_store::{MatchEntrant, MatchKind, MatchState, NewMatch, Timestamp};
use serde_json::json;

#[tokio::test]
async fn only_administrators_administrate() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    for (method, path) in [
        ("GET", "/api/admin/users"),
        ("GET", "/api/admin/queue"),
        ("GET", "/api/admin/workers"),
        ("GET", "/api/admin/matches"),
        ("GET", "/api/admin/audit"),
        ("GET", "/api/admin/worker-tokens"),
        ("POST", "/api/admin/users/1"),
        ("POST", "/api/admin/bots/1"),
        ("POST", "/api/admin/matches/1/rerun"),
        ("POST", "/api/admin/matches/1/result"),
        ("POST", "/api/admin/worker-tokens"),
        ("DELETE", "/api/admin/worker-tokens/1"),
        ("DELETE", "/api/admin/users/1"),
    ] {
        let takes_none = method != "POST" || path.ends_with("/rerun");
        let body = (!takes_none).then(|| json!({"disabled": true, "name": "x"}));
        refused!(kit.guest().send(method, path, body.clone()) => 401, "login");
        ada.send(method, path, body).await.refused(403, "not-admin");
    }
}

#[tokio::test]
async fn accounts_are_locked_and_let_in_again() {
    let kit = Kit::new().await;
    let (root, ada) = (kit.admin().await, kit.person("ada").await);
    let listed = root.get("/api/admin/users").await;
    assert_eq!(listed.ok()["items"][0]["name"], "ada");
    assert!(!listed.text().contains("argon2"), "{}", listed.text());
    let path = format!("/api/admin/users/{}", ada.id.expect("an account"));
    shows!(root.post(&path, json!({"disabled": true})) => {"disabled": true});
    ada.get("/api/me/bots").await.refused(401, "login");
    shows!(root.post(&path, json!({"disabled": false})) => {"disabled": false});
    let own = format!("/api/admin/users/{}", root.id.expect("an account"));
    refused!(root.post(&own, json!({"disabled": true})) => 409, "refused");
    refused!(root.post("/api/admin/users/99", json!({"disabled": true})) => 404, "not-found");
    let audit = root.get("/api/admin/audit").await.ok();
    let line = &audit["items"][0];
    has!(line, {"who": "root", "what": "user.enable"});
    says(&line["about"].to_string(), &["ada"]);
}

#[tokio::test]
async fn bots_are_taken_off_their_ladder() {
    let kit = Kit::new().await;
    let (root, ada) = (kit.admin().await, kit.person("ada").await);
    let (bot, _) = kit.ready_bot(&ada, "viper").await;
    let path = format!("/api/admin/bots/{}", bot.id);
    root.post(&path, json!({"disabled": true})).await.ok();
    shows!(kit.guest().get("/api/games/kob/ladder") => {"items": []});
    root.post(&path, json!({"disabled": false})).await.ok();
    shows!(kit.guest().get("/api/games/kob/ladder") => {"/items/#": 1});
    refused!(root.post("/api/admin/bots/99", json!({"disabled": true})) => 404, "not-found");
}

#[tokio::test]
async fn matches_are_played_again() {
    let kit = Kit::new().await;
    let (root, ada) = (kit.admin().await, kit.person("ada").await);
    let [one, two] = kit.ready_bots([(&ada, "one"), (&ada, "two")]).await;
    let done = kit.ladder_match([&one, &two]).await;
    let again = root
        .post(&format!("/api/admin/matches/{}/rerun", done.id), json!({}))
        .await;
    assert_eq!(
        (again.status.as_u16(), &again.ok()["state"]),
        (201, &json!("queued"))
    );
    let path = format!("/api/admin/matches/{}/rerun", again.ok()["id"]);
    root.post(&path, json!({})).await.refused(409, "refused");
    refused!(root.post("/api/admin/matches/99/rerun", json!({})) => 404, "not-found");
    let queue = root.get("/api/admin/queue").await.ok();
    has!(queue, {"/items/0/match": again.ok()["id"], "/items/0/kind": "match"});
    shows!(root.get("/api/admin/matches") => {"/items/#": 2});
}

#[tokio::test]
async fn a_result_is_corrected_and_its_ratings_follow() {
    let kit = Kit::new().await;
    let (root, ada) = (kit.admin().await, kit.person("ada").await);
    let [one, two] = kit.ready_bots([(&ada, "one"), (&ada, "two")]).await;
    let done = kit.ladder_match([&one, &two]).await;
    let path = format!("/api/admin/matches/{}/result", done.id);
    let rating = async |bot: &leitai_store::Bot| {
        let bot = kit.guest().get(&format!("/api/bots/{}", bot.id)).await.ok();
        (
            bot["wins"].as_i64(),
            bot["rating"]["value"].as_f64().expect("it is rated") > 1500.0,
        )
    };
    assert_eq!(
        (rating(&one).await, rating(&two).await),
        ((Some(1), true), (Some(0), false))
    );
    let corrected = post!(root, &path, {"result": "b", "why": "the judge was wrong"});
    has!(corrected, {"winner": "b", "/reason/id": "corrected"});
    assert_eq!(
        (rating(&one).await, rating(&two).await),
        ((Some(0), false), (Some(1), true))
    );
    let shown = get!(kit.guest(), "/api/matches/{}", done.id);
    let trace = &shown["corrections"][0];
    has!(trace, {"before": "a", "after": "b"});
    has!(trace, {"why": "the judge was wrong", "/reason_before/id": "leg-wins"});
    let audit = root.get("/api/admin/audit").await.ok();
    let line = &audit["items"][0];
    has!(line, {"who": "root", "what": "match.correct"});
    has!(line, {"detail": {"before": "a", "after": "b", "why": "the judge was wrong"}});

    refused!(root.post(&path, json!({"result": "b", "why": "again"})) => 409, "refused");
    refused!(root.post(&path, json!({"result": "b", "why": ""})) => 409, "refused");
    refused!(root.post(&path, json!({"result": "c", "why": "x"})) => 422, "bad-field");
    root.post(
        "/api/admin/matches/99/result",
        json!({"result": "b", "why": "x"}),
    )
    .await
    .refused(404, "not-found");
    // While the result counts, the rerun is a friendly match; after a withdrawal it counts in place
    // of the result.
    let again = format!("/api/admin/matches/{}/rerun", done.id);
    assert_eq!(root.post(&again, json!({})).await.ok()["kind"], "friendly");
    post!(root, &path, {"result": "void", "why": "a broken machine"});
    assert_eq!(
        (rating(&one).await.0, rating(&two).await.0),
        (Some(0), Some(0))
    );
    assert_eq!(root.post(&again, json!({})).await.ok()["kind"], "ladder");
}

#[tokio::test]
async fn worker_tokens_give_no_other_access() {
    let kit = Kit::new().await;
    let root = kit.admin().await;
    let made = post!(root, "/api/admin/worker-tokens", {"name": "rack 7"});
    let token = made["token"].as_str().expect("it is shown").to_owned();
    assert!(token.starts_with("leitai_worker_"), "{token}");
    let listed = root.get("/api/admin/worker-tokens").await;
    assert!(listed.text().contains("rack 7") && !listed.text().contains(&token));
    let worker = Person {
        token: Some(token),
        ..kit.guest()
    };
    worker.get("/api/me/bots").await.refused(401, "login");
    worker.get("/api/admin/users").await.refused(401, "login");
    root.send(
        "DELETE",
        &format!("/api/admin/worker-tokens/{}", made["id"]),
        None,
    )
    .await
    .ok();
    shows!(root.get("/api/admin/worker-tokens") => {"items": []});
    shows!(root.get("/api/admin/workers") => {"items": []});
}

#[tokio::test]
async fn accounts_are_deleted_by_their_owners_and_by_administrators() {
    let kit = Kit::new().await;
    let [ada, bob] = kit.people(["ada", "bob"]).await;
    let root = kit.admin().await;
    let [viper, asp] = kit.ready_bots([(&ada, "viper"), (&bob, "asp")]).await;
    let past = kit.ladder_match([&viper, &asp]).await;
    let made = post!(ada, "/api/me/tokens", {"name": "laptop"});
    let token = made["token"].as_str().expect("it is shown").to_owned();
    let program = Person {
        token: Some(token),
        session: None,
        csrf: None,
        ..ada.clone()
    };
    program.get("/api/me/bots").await.ok();

    let body = |password: &str| Some(json!({"password": password}));
    refused!(kit.guest().send("DELETE", "/api/me", body(kit::PASSWORD)) => 401, "login");
    refused!(program.send("DELETE", "/api/me", body(kit::PASSWORD)) => 403, "session-only");
    refused!(ada.send("DELETE", "/api/me", body("wrong")) => 422, "wrong-password");
    answers!(ada.send("DELETE", "/api/me", body(kit::PASSWORD)) => 204);
    // Sessions and tokens end at once.
    ada.get("/api/me/bots").await.refused(401, "login");
    program.get("/api/me/bots").await.refused(401, "token");
    refused!(kit.guest().get(&format!("/api/bots/{}", viper.id)) => 404, "deleted");
    let shown = kit.guest().get(&format!("/api/matches/{}", past.id)).await;
    says_but_not(&shown.text(), &[], &["ada", "viper"]);
    assert_eq!(shown.ok()["winner"], "a");

    let path = |person: &Person| format!("/api/admin/users/{}", person.id.expect("an account"));
    refused!(bob.delete(&path(&root)) => 403, "not-admin");
    refused!(root.delete(&path(&ada)) => 404, "not-found");
    refused!(root.delete(&path(&root)) => 409, "refused");
    // Not by somebody who finds the browser open an hour later.
    let begun = Timestamp::now().before(std::time::Duration::from_secs(3600));
    let late = kit.session_since(root.id.expect("an account"), begun).await;
    refused!(late.delete(&path(&bob)) => 403, "sign-in-again");
    answers!(root.delete(&path(&bob)) => 204);
    bob.get("/api/me/bots").await.refused(401, "login");
    let audit = root.get("/api/admin/audit").await;
    assert_eq!(audit.ok()["items"][0]["what"], "user.delete");
    assert!(!audit.text().contains("bob"), "{}", audit.text());
    // The last administrator stays.
    refused!(root.send("DELETE", "/api/me", body(kit::PASSWORD)) => 409, "refused");
    root.get("/api/admin/users").await.ok();
}

#[tokio::test]
async fn human_matches_that_nobody_joined_all_end() {
    let kit = Kit::new().await;
    let guest = || MatchEntrant::human_entrant("guest", None);
    let new = |a, b| {
        let pair = [Some(a), Some(b)].into();
        NewMatch::new("kob", MatchKind::Human, pair, 7.into(), 2)
    };
    let now = Timestamp::now();
    let an_hour_ago = now.before(std::time::Duration::from_secs(3600));
    let old = ok!(kit
        .app
        .store
        .create_match(new(guest(), guest()), an_hour_ago));
    // More than one page of matches that have not begun.
    let young = (0..120).map(|_| new(guest(), guest())).collect();
    ok!(kit.app.store.create_matches(young, now));
    let ended = ok!(leitai_server::play::resume::void_abandoned(
        &kit.app.play_context()
    ));
    let state = kit.app.store.match_by_id(old.id).await.expect("kept").state;
    assert_eq!((ended, state), (1, MatchState::Cancelled));
}
