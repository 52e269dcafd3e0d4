//! Tags of matches: who gives them, and who finds matches by them.

use crate::contests::{FILE, advance, at, with_entrants_of};
use crate::kit::{Kit, Person};

use leitai_store::{MatchKind, Timestamp};
use serde_json::{Value, json};

/// The ids of the matches that a person finds, newest first.
async fn found(person: &Person, query: &str) -> Vec<Value> {
    let list = person.get(&format!("/api/matches?{query}")).await.ok();
    let items = list["items"].as_array().expect("a list");
    items.iter().map(|own| own["id"].clone()).collect()
}

async fn tag(person: &Person, id: &Value, tags: Value) -> crate::kit::Answer {
    let path = format!("/api/matches/{id}/tags");
    person.put(&path, json!({"tags": tags})).await
}

#[tokio::test]
async fn who_asked_for_a_friendly_match_gives_it_tags() {
    let kit = Kit::new().await;
    let (ada, bob) = (kit.person("ada").await, kit.person("bob").await);
    let [one, two] = kit.ready_bots([(&ada, "one"), (&bob, "two")]).await;
    let ask = async |tags: Value| {
        let (a, b) = (json!({"bot": one.id}), json!({"bot": two.id}));
        let body = json!({"game": "kob", "a": a, "b": b, "tags": tags});
        ada.post("/api/matches", body).await
    };
    let made = ask(json!(["#Opening Test", "v1"])).await.ok();
    assert_eq!(made["tags"], json!(["opening-test", "v1"]));
    let id = &made["id"];
    let plain = ask(json!([])).await.ok();
    // Its clock may be another one, with no turn longer than the game's.
    let (a, b) = (json!({"bot": one.id}), json!({"bot": two.id}));
    let timed = json!({"game": "kob", "a": a, "b": b, "bank_ms": 60_000, "increment_ms": 500});
    let timed = ada.post("/api/matches", timed).await.ok()["id"].clone();
    let shown = ada.get(&format!("/api/matches/{timed}")).await.ok();
    has!(shown["limits"], {"bank_ms": 60_000, "increment_ms": 500, "period_ms": 5000});
    let wrong = json!({"game": "kob", "a": a, "b": b, "increment_ms": 500});
    refused!(ada.post("/api/matches", wrong) => 422, "bad-limit");
    assert_eq!(
        found(&kit.guest(), "tag=Opening%20test").await,
        std::slice::from_ref(id)
    );
    assert_eq!(
        found(&kit.guest(), "tag=v1&kind=friendly").await,
        std::slice::from_ref(id)
    );
    assert!(found(&kit.guest(), "tag=v2").await.is_empty());
    let both = found(&kit.guest(), "kind=friendly").await;
    assert_eq!(both, [timed, plain["id"].clone(), id.clone()]);
    let path = format!("/api/matches/{id}");
    for (person, may) in [(&kit.guest(), false), (&bob, false), (&ada, true)] {
        let shown = person.get(&path).await.ok();
        has!(shown, {"tags": made["tags"], "may_tag": may});
    }
    refused!(tag(&kit.guest(), id, json!(["mine"])) => 401, "login");
    refused!(tag(&bob, id, json!(["mine"])) => 403, "not-yours");
    for wrong in [
        json!([""]),
        json!(["a,b"]),
        json!(["a\u{202e}b"]),
        json!(["a".repeat(25)]),
        json!(["1", "2", "3", "4", "5", "6", "7", "8", "9"]),
    ] {
        tag(&ada, id, wrong.clone()).await.refused(422, "bad-tag");
        ask(wrong).await.refused(422, "bad-tag");
    }
    refused!(kit.guest().get("/api/matches?tag=a,b") => 422, "bad-tag");
    let set = tag(&ada, id, json!(["final", "FINAL"])).await.ok();
    assert_eq!(set["tags"], json!(["final"]));
    assert!(found(&kit.guest(), "tag=v1").await.is_empty());
    assert_eq!(
        found(&kit.guest(), "tag=final&person=ada").await,
        [] as [Value; 0]
    );
    let of_bot = format!("/api/bots/{}/matches", two.id);
    let of_bot = kit.guest().get(&of_bot).await.ok();
    assert_eq!(of_bot["items"][2]["tags"], json!(["final"]));
    // What is the asker's own business is in no log; what an administrator does is.
    let root = kit.admin().await;
    let log = root.get("/api/admin/audit").await.text();
    assert!(!log.contains("match.tag"), "{log}");
    tag(&root, id, json!([])).await.ok();
    let log = root.get("/api/admin/audit").await.ok();
    let line = &log["items"][0];
    has!(line, {"what": "match.tag", "about": format!("match {id}")});
    assert_eq!(line["detail"], json!({"from": ["final"], "to": []}));
    refused!(tag(&root, &json!(999), json!([])) => 404, "not-found");
    // Nobody asked for a ladder match.
    let ladder = kit.queued(MatchKind::Ladder, [&one, &two]).await;
    refused!(tag(&ada, &json!(ladder.id.0), json!(["mine"])) => 403, "not-yours");
}

#[tokio::test]
async fn organisers_give_tags_to_the_matches_of_their_contest() {
    let kit = Kit::new().await;
    let (teacher, other) = (kit.person("teacher").await, kit.person("other").await);
    let file = FILE.replace(
        "id = \"spring\"",
        "id = \"spring\"\norganisers = [\"teacher\"]",
    );
    let people = with_entrants_of(&kit, &file).await;
    advance(&kit, at(0)).await;
    let contest = teacher.get("/api/contests/spring").await.ok();
    let id = &contest["stages"][0]["encounters"][0]["matches"][0]["id"];
    let set = tag(&teacher, id, json!(["Round 1"])).await.ok();
    assert_eq!(set["tags"], json!(["round-1"]));
    for person in [&other, &people[0]] {
        refused!(tag(person, id, json!([])) => 403, "contest-hidden");
    }
    // The contest hides its matches, with and without a tag.
    for person in [&kit.guest(), &other] {
        assert!(found(person, "tag=round-1").await.is_empty());
    }
    let shown = teacher.get(&format!("/api/matches/{id}")).await.ok();
    has!(shown, {"may_tag": true, "tags": set["tags"]});
    let log = kit.app.store.list_audit(&Default::default()).await;
    let log = log.expect("the log");
    assert_eq!(log.items[0].action, "match.tag");
    assert!(log.items[0].at <= Timestamp::now());
    // A ladder match is none of the organiser's.
    let [one, two] = kit.ready_bots([(&other, "one"), (&other, "two")]).await;
    let ladder = kit.queued(MatchKind::Ladder, [&one, &two]).await;
    refused!(tag(&teacher, &json!(ladder.id.0), json!([])) => 403, "not-yours");
}
