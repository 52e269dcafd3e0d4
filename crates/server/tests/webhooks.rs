//! Webhooks, against a real HTTP receiver.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use leitai_server::ServerOptions;
use leitai_server::webhooks::routes::delivery::deliver_due;
use leitai_server::webhooks::signature::sign_body;
use leitai_store::{MatchTags, Timestamp, WebhookId};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::contests::{advance, at, play_next, with_entrants};
use crate::kit::{self, Kit, Person};

/// What a receiver got: the headers and the body.
type Received = (HeaderMap, Vec<u8>);

/// A receiver on this machine, which answers with the next of these statuses, at last with 204.
struct Receiver {
    address: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    async fn start(statuses: &[u16]) -> Receiver {
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let left: Arc<Mutex<Vec<u16>>> =
            Arc::new(Mutex::new(statuses.iter().rev().copied().collect()));
        let (kept, answers) = (received.clone(), left.clone());
        let answer = move |headers: HeaderMap, body: Bytes| async move {
            kept.lock()
                .expect("unpoisoned")
                .push((headers, body.to_vec()));
            let status = answers.lock().expect("unpoisoned").pop().unwrap_or(204);
            let status = StatusCode::from_u16(status).expect("a status");
            (status, [(header::LOCATION, "/elsewhere")]).into_response()
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let router = Router::new().fallback(answer);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Receiver { address, received }
    }

    fn url(&self) -> String {
        format!("http://{}/hook?x=1", self.address)
    }

    /// Takes what was received since the last time.
    fn take(&self) -> Vec<Received> {
        std::mem::take(&mut *self.received.lock().expect("unpoisoned"))
    }

    /// Takes the bodies of what was received.
    fn events(&self) -> Vec<Value> {
        let bodies = self.take().into_iter();
        bodies
            .map(|(_, body)| serde_json::from_slice(&body).expect("JSON"))
            .collect()
    }
}

async fn open_kit() -> Kit {
    let options = ServerOptions {
        private_webhooks: true,
        public_url: Some("http://arena.test".to_owned()),
        ..kit::options()
    };
    Kit::with(options).await
}

/// Makes a webhook and returns its id and its secret.
async fn make(person: &Person, path: &str, url: &str, events: &[&str]) -> (WebhookId, String) {
    let made = created!(person.post(path, json!({"url": url, "events": events})));
    assert_eq!(made["once"], true);
    let secret = made["secret"].as_str().expect("a secret").to_owned();
    assert!(secret.starts_with("leitai_hook_"), "{secret}");
    (WebhookId(made["id"].as_i64().expect("an id")), secret)
}

async fn deliver(kit: &Kit, id: WebhookId, now: Timestamp) -> usize {
    let done = deliver_due(&kit.app, id, || now).await;
    done.expect("the database answers")
}

async fn deliveries(person: &Person, id: WebhookId) -> Vec<Value> {
    let list = person.get(&format!("/api/webhooks/{id}/deliveries")).await;
    assert_eq!(list.status, 200, "{}", list.text());
    list.json()["items"].as_array().expect("a list").clone()
}

/// A person with a webhook for matches and uploads.
async fn with_webhook(kit: &Kit, url: &str) -> (Person, WebhookId, String) {
    let ann = kit.person("ann").await;
    let events = ["version.checked", "match.finished"];
    let (id, secret) = make(&ann, "/api/me/webhooks", url, &events).await;
    (ann, id, secret)
}

#[tokio::test]
async fn events_are_signed_and_told_once() {
    let kit = open_kit().await;
    let receiver = Receiver::start(&[]).await;
    let (ann, id, secret) = with_webhook(&kit, &receiver.url()).await;
    let bob = kit.person("bob").await;
    let (one, version) = kit.ready_bot(&ann, "viper").await;
    let (other, _) = kit.ready_bot(&bob, "hydra").await;
    let played = kit.ladder_match([&one, &other]).await;
    let now = Timestamp::now();
    let tags = MatchTags::parse(["late game"]).expect("a tag");
    let store = &kit.app.store;
    ok!(store.set_match_tags(played.id, &tags, None, now));
    assert_eq!(deliver(&kit, id, now).await, 2);
    assert_eq!(deliver(&kit, id, now).await, 0, "nothing is told twice");
    let received = receiver.take();
    assert_eq!(received.len(), 2, "of her own bots, and not of his upload");
    for (headers, body) in &received {
        let header = |name: &str| headers[name].to_str().expect("text").to_owned();
        let body: &[u8] = body;
        let seconds: i64 = header("leitai-timestamp").parse().expect("a number");
        assert_eq!(seconds, now.0 / 1000);
        let expected = sign_body(&secret, seconds, body);
        assert_eq!(header("leitai-signature"), expected);
        assert_eq!(header("content-type"), "application/json");
        let told: Value = serde_json::from_slice(body).expect("JSON");
        assert_eq!(
            header("leitai-event"),
            told["event"].as_str().expect("text")
        );
        assert_eq!(header("leitai-delivery"), told["id"].to_string());
    }
    let told =
        |index: usize| -> Value { serde_json::from_slice(&received[index].1).expect("JSON") };
    assert_eq!(told(0)["event"], "version.checked");
    assert_eq!(told(0)["version"]["id"], version.id.0);
    assert_eq!(told(0)["version"]["state"], "ready");
    assert_eq!(told(0)["bot"]["name"], "viper");
    assert_eq!(told(1)["event"], "match.finished");
    let own = ann.get(&format!("/api/matches/{}", played.id)).await.json();
    for key in [
        "id", "game", "kind", "ladder", "state", "a", "b", "winner", "reason", "faults", "tags",
    ] {
        assert_eq!(told(1)["match"][key], own[key], "{key}");
    }
    assert_eq!(told(1)["match"]["ladder"], "standard");
    assert_eq!(told(1)["match"]["tags"], json!(["late-game"]));
    let address = format!("http://arena.test/matches/{}", played.id);
    assert_eq!(told(1)["url"], address);
    let listed = deliveries(&ann, id).await;
    assert_eq!(listed.len(), 2);
    has!(listed, {"/0/state": "delivered", "/0/status": 204, "/0/next": null});
    let list = ann.get("/api/me/webhooks").await.json();
    assert_eq!(list["items"][0]["on"], true);
    assert!(!list.to_string().contains(&secret), "it is shown once");
}

#[tokio::test]
async fn what_fails_is_tried_again_and_at_last_given_up() {
    let kit = open_kit().await;
    let receiver = Receiver::start(&[500, 301, 200]).await;
    let (ann, id, _) = with_webhook(&kit, &receiver.url()).await;
    kit.ready_bot(&ann, "viper").await;
    let now = Timestamp::now();
    let row = [("status", 500, 10), ("redirect", 301, 70)];
    let mut due = now;
    for (problem, status, wait) in row {
        assert_eq!(deliver(&kit, id, due).await, 1);
        let told = &deliveries(&ann, id).await[0];
        has!(told, {"state": "waiting", "problem": problem, "status": status});
        assert_eq!(deliver(&kit, id, due).await, 0, "it is not due yet");
        due = now.after(Duration::from_secs(wait));
    }
    assert_eq!(deliver(&kit, id, due).await, 1);
    let told = &deliveries(&ann, id).await[0];
    has!(told, {"state": "delivered", "attempts": 3});
    let bodies = receiver.take();
    assert_eq!(bodies.len(), 3, "the redirect was not followed");
    assert_eq!(bodies[0].1, bodies[2].1);

    // Nobody listens there any more.
    let url = format!("http://127.0.0.1:{}/", crate::ports::find_port());
    let events = ["version.checked"];
    let (id, _) = make(&ann, "/api/me/webhooks", &url, &events).await;
    for number in 0..5 {
        kit.ready_bot(&ann, &format!("viper{number}")).await;
    }
    let mut later = Timestamp::now();
    for _ in 0..8 * 5 {
        assert_eq!(deliver(&kit, id, later).await, 1);
        later = later.after(Duration::from_secs(24 * 3600));
    }
    for told in deliveries(&ann, id).await {
        has!(told, {"state": "given-up", "problem": "connect", "attempts": 8});
    }
    let list = ann.get("/api/me/webhooks").await.json();
    assert_eq!(list["items"][1]["on"], false, "five in a row were given up");
    kit.ready_bot(&ann, "viper9").await;
    assert_eq!(deliveries(&ann, id).await.len(), 5);
    shows!(ann.post(&format!("/api/webhooks/{id}/on"), json!({})) => {"on": true});
    kit.ready_bot(&ann, "viper10").await;
    assert_eq!(deliveries(&ann, id).await.len(), 6);
}

#[tokio::test]
async fn a_server_that_was_killed_while_it_sent_loses_nothing() {
    let kit = open_kit().await;
    let receiver = Receiver::start(&[]).await;
    let (ann, id, _) = with_webhook(&kit, &receiver.url()).await;
    kit.ready_bot(&ann, "viper").await;
    let now = Timestamp::now();
    let hold = Duration::from_secs(60);
    let claimed = kit.app.store.claim_delivery(id, now, hold).await;
    let (_, claimed) = claimed.expect("the database answers").expect("it is due");
    let folder = kit.kill();
    let options = ServerOptions {
        private_webhooks: true,
        ..kit::options()
    };
    let kit = Kit::at(folder, options).await;
    assert_eq!(
        deliver(&kit, id, now).await,
        0,
        "another server may be at it"
    );
    assert_eq!(deliver(&kit, id, now.after(hold)).await, 1);
    let events = receiver.events();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["id"], claimed.id.0);
}

#[tokio::test]
async fn private_addresses_are_not_reached() {
    let kit = Kit::new().await;
    let receiver = Receiver::start(&[]).await;
    let ann = kit.person("ann").await;
    let events = json!(["version.checked"]);
    for (url, code) in [
        (receiver.url().as_str(), "private-url"),
        ("http://[::1]:9/", "private-url"),
        ("http://169.254.169.254/latest/meta-data", "private-url"),
        ("ftp://example.org/", "bad-url"),
        ("https://a:b@example.org/", "bad-url"),
    ] {
        let body = json!({"url": url, "events": events});
        let refused = ann.post("/api/me/webhooks", body).await;
        assert_eq!(refused.status, 422, "{url}");
        assert_eq!(refused.code(), code, "{url}");
    }
    // A name is looked up when something is sent; this one means this machine.
    let url = receiver.url().replace("127.0.0.1", "localhost");
    let (id, _) = make(&ann, "/api/me/webhooks", &url, &["version.checked"]).await;
    let path = format!("/api/webhooks/{id}/test");
    let told = ann.post(&path, json!({})).await.json();
    has!(told, {"state": "given-up", "problem": "private"});
    assert!(receiver.take().is_empty());
    // The same where the operator allows it.
    let options = ServerOptions {
        private_webhooks: true,
        ..kit::options()
    };
    let kit = Kit::at(kit.kill(), options).await;
    let ann = Person {
        router: kit.guest().router,
        ..ann
    };
    let told = ann.post(&path, json!({})).await.json();
    assert_eq!(told["state"], "delivered", "{told}");
    assert_eq!(receiver.events()[0]["event"], "test");
}

#[tokio::test]
async fn webhooks_belong_to_somebody() {
    let kit = open_kit().await;
    let receiver = Receiver::start(&[]).await;
    let (ann, id, _) = with_webhook(&kit, &receiver.url()).await;
    let (bob, admin) = (kit.person("bob").await, kit.admin().await);
    let body = json!({"url": receiver.url(), "events": ["match.finished"]});
    let team = ann.post("/api/teams", json!({"name": "red"})).await.json();
    let path = format!("/api/teams/{}/webhooks", team["id"]);
    let (guest, own) = (kit.guest(), format!("/api/webhooks/{id}"));
    let (deliveries, test) = (format!("{own}/deliveries"), format!("{own}/test"));
    let (empty, hook) = (Some(json!({})), Some(body.clone()));
    for (who, method, path, body, status) in [
        (&bob, "GET", &*deliveries, &None, 404),
        (&bob, "POST", &test, &empty, 404),
        (&bob, "DELETE", &own, &None, 404),
        (&bob, "GET", &path, &None, 403),
        (&bob, "POST", &path, &hook, 403),
        (&guest, "GET", "/api/me/webhooks", &None, 401),
        (&guest, "POST", "/api/me/webhooks", &hook, 401),
        (&admin, "GET", &deliveries, &None, 200),
    ] {
        let answer = who.send(method, path, body.clone()).await;
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
    }
    let wrong = json!({"url": receiver.url(), "events": ["contest.begun"]});
    assert_eq!(
        ann.post("/api/me/webhooks", wrong).await.code(),
        "bad-events"
    );
    // A token that leaks does not redirect events.
    let scopes = json!({"name": "ci", "scopes": ["submit"]});
    let token = ann.post("/api/me/tokens", scopes).await.json()["token"].clone();
    let ci = Person {
        token: token.as_str().map(str::to_owned),
        ..kit.guest()
    };
    for (answer, status) in [
        (ci.post("/api/me/webhooks", body.clone()).await, 403),
        (ci.post(&path, body.clone()).await, 403),
        (ci.get(&path).await, 403),
        (ci.get("/api/me/webhooks").await, 403),
    ] {
        assert_eq!(answer.status, status, "{}", answer.text());
    }
    // A team's webhook goes with the member who made it.
    let code = json!({"code": team["code"]});
    assert_eq!(bob.post("/api/teams/join", code).await.status, 200);
    let (shared, _) = make(&bob, &path, &receiver.url(), &["version.checked"]).await;
    assert_eq!(ann.get(&path).await.json()["items"][0]["id"], shared.0);
    let member = format!(
        "/api/teams/{}/members/{}",
        team["id"],
        bob.id.expect("an id")
    );
    assert_eq!(bob.delete(&member).await.status, 204);
    assert_eq!(ann.get(&path).await.json()["items"], json!([]));
    // So does what an account had.
    answers!(ann.delete(&format!("/api/webhooks/{id}")) => 204);
    assert_eq!(ann.get("/api/me/webhooks").await.json()["items"], json!([]));
    for _ in 0..10 {
        make(
            &ann,
            "/api/me/webhooks",
            &receiver.url(),
            &["match.finished"],
        )
        .await;
    }
    assert_eq!(ann.post("/api/me/webhooks", body).await.code(), "too-many");
}

/// How the next event of each of these webhooks ends: its state, and why.
async fn course(kit: &Kit, hooks: &[WebhookId]) -> Vec<(String, Value)> {
    let mut told = Vec::new();
    for hook in hooks {
        deliver(kit, *hook, at(4)).await;
        let last = kit.app.store.deliveries_of(*hook, 1).await;
        let last = last.expect("the database answers").pop().expect("an event");
        let state = serde_json::to_value(last.state).expect("a word");
        told.push((state.as_str().expect("a word").to_owned(), json!(last.note)));
    }
    told
}

#[tokio::test]
async fn who_lost_the_right_is_told_nothing() {
    let kit = open_kit().await;
    let receiver = Receiver::start(&[]).await;
    let (root, teacher) = (kit.admin().await, kit.person("teacher").await);
    let [deputy, dave, locked] = kit.people(["deputy", "dave", "locked"]).await;
    let group = json!({"name": "AI 2026", "organiser": "teacher"});
    let group = root.post("/api/groups", group).await.ok()["id"].clone();
    let path = format!("/api/groups/{group}");
    let list = json!({"csv": "deputy\nlocked"});
    teacher.post(&format!("{path}/members"), list).await.ok();
    let mut members = Vec::new();
    for person in [&deputy, &locked] {
        let joined = format!("/api/me/invitations/{group}");
        person.post(&joined, json!({})).await.ok();
        members.push(format!("{path}/members/{}", person.id.expect("an id")));
    }
    for member in &members {
        let role = json!({"organiser": true});
        teacher.patch(member, role).await.ok();
    }
    let file = crate::rights::FILE;
    let new = json!({"file": file});
    assert_eq!(teacher.post("/api/contests", new).await.status, 201);
    let mut hooks = Vec::new();
    for person in [&teacher, &root, &deputy, &dave, &locked] {
        let contest = format!("{}/webhooks", crate::rights::CONTEST);
        hooks.push(
            make(person, &contest, &receiver.url(), &["contest.ended"])
                .await
                .0,
        );
    }
    // An organiser is a member again, another is taken out of the file, the third is locked.
    let role = json!({"organiser": false});
    teacher.patch(&members[0], role).await.ok();
    let without = json!({"file": file.replace("\"dave\"", "")});
    let update = format!("{}/update", crate::rights::CONTEST);
    teacher.post(&update, without).await.ok();
    let user = format!("/api/admin/users/{}", locked.id.expect("an id"));
    root.post(&user, json!({"disabled": true})).await.ok();
    let annul = format!("{}/annul", crate::rights::CONTEST);
    let why = json!({"why": "the rules were unclear"});
    assert_eq!(teacher.post(&annul, why).await.status, 204);
    let (told, lost) = (("delivered", Value::Null), ("given-up", json!("no-right")));
    let expected = [&told, &told, &lost, &lost, &lost];
    let expected = expected.map(|(state, why)| ((*state).to_owned(), why.clone()));
    assert_eq!(course(&kit, &hooks).await, expected);
    assert_eq!(receiver.take().len(), 2);
    // The others see why.
    let seen = deliveries(&teacher, hooks[2]).await;
    assert_eq!(seen[0]["problem"], "no-right");
}

#[tokio::test]
async fn a_contest_tells_its_course_and_no_result_that_it_hides() {
    let kit = open_kit().await;
    let people = with_entrants(&kit).await;
    let admin = kit.admin().await;
    let (of_author, of_contest) = (Receiver::start(&[]).await, Receiver::start(&[]).await);
    let ann = &people[0];
    let events = ["match.finished"];
    let (own, _) = make(ann, "/api/me/webhooks", &of_author.url(), &events).await;
    let path = "/api/contests/spring/webhooks";
    let body = json!({"url": of_contest.url(), "events": events});
    assert_eq!(ann.post(path, body).await.status, 403);
    let events = [
        "match.finished",
        "match.corrected",
        "contest.begun",
        "contest.stage-ended",
        "contest.ended",
    ];
    let (course, _) = make(&admin, path, &of_contest.url(), &events).await;
    let names = |events: Vec<Value>| -> Vec<String> {
        let names = events.iter().map(|event| event["event"].as_str());
        names.map(|name| name.expect("text").to_owned()).collect()
    };
    // The first stage, whose results are hidden until the end.
    advance(&kit, at(0)).await;
    while play_next(&kit).await {
        advance(&kit, at(0)).await;
    }
    advance(&kit, at(1)).await;
    for hook in [own, course] {
        deliver(&kit, hook, at(2)).await;
    }
    assert!(of_author.take().is_empty());
    let told = of_contest.events();
    assert_eq!(told[0]["contest"]["title"]["zh"], "春季赛");
    let stage = &told[1]["contest"]["stage"];
    has!(stage, {"number": 1, "/name/en": "Swiss"});
    assert_eq!(names(told), ["contest.begun", "contest.stage-ended"]);
    let held = deliveries(ann, own).await;
    assert_eq!(held.len(), 6);
    assert!(
        held.iter()
            .all(|one| one["state"] == "waiting" && one["attempts"] == 0)
    );
    // The end shows them at once.
    advance(&kit, at(3)).await;
    while play_next(&kit).await {
        advance(&kit, at(3)).await;
    }
    let shown = admin.get("/api/contests/spring").await.json();
    assert_eq!(shown["state"], "finished");
    for hook in [own, course] {
        deliver(&kit, hook, at(3)).await;
    }
    let told = of_author.events();
    assert_eq!(
        told.len(),
        10,
        "three rounds, a semi-final and a final of two matches"
    );
    assert!(
        told.iter()
            .all(|event| event["match"]["winner"] != Value::Null)
    );
    assert!(
        told.iter()
            .all(|event| event["match"]["contest"] == "spring")
    );
    let told = names(of_contest.events());
    let count = |name: &str| told.iter().filter(|told| *told == name).count();
    assert_eq!(count("match.finished"), 24);
    assert_eq!(count("contest.stage-ended"), 1);
    assert_eq!(count("contest.ended"), 1);
    // The final is taken back: what was told of it holds no longer.
    let last = shown["stages"][1]["encounters"].as_array().expect("a list");
    let last = &last.last().expect("the final")["matches"][0]["id"];
    let body = json!({"match": last, "why": "wrong map"});
    answers!(admin.post("/api/contests/spring/take-back-match", body) => 204);
    // The contest goes on, so its results are hidden again until its end.
    deliver(&kit, course, at(4)).await;
    assert_eq!(of_contest.events(), Vec::<Value>::new());
    while shown_state(&admin).await != "finished" {
        advance(&kit, at(4)).await;
        play_next(&kit).await;
    }
    deliver(&kit, course, at(4)).await;
    let told = of_contest.events();
    let corrected = told.iter().find(|one| one["event"] == "match.corrected");
    let corrected = &corrected.expect("it is told")["match"];
    assert_eq!(&corrected["id"], last);
    assert!(corrected["taken_back"].is_string());
}

async fn shown_state(person: &Person) -> Value {
    person.get("/api/contests/spring").await.json()["state"].clone()
}

#[tokio::test]
async fn corrected_results_are_told() {
    let kit = open_kit().await;
    let (receiver, of_others) = (Receiver::start(&[]).await, Receiver::start(&[]).await);
    let [ann, bob] = kit.people(["ann", "bob"]).await;
    let root = kit.admin().await;
    let path = "/api/me/webhooks";
    let (own, _) = make(&ann, path, &receiver.url(), &["match.corrected"]).await;
    let (other, _) = make(&bob, path, &of_others.url(), &["match.finished"]).await;
    let [one, two] = kit.ready_bots([(&ann, "viper"), (&bob, "hydra")]).await;
    let played = kit.ladder_match([&one, &two]).await;
    let correct = format!("/api/admin/matches/{}/result", played.id);
    for (winner, state) in [(json!("b"), "finished"), (json!("void"), "void")] {
        let asked = json!({"result": winner, "why": "the disk was full"});
        root.post(&correct, asked).await.ok();
        let now = Timestamp::now();
        assert_eq!(deliver(&kit, own, now).await, 1, "not of the match's end");
        let told = receiver.events().pop().expect("one");
        assert_eq!(told["event"], "match.corrected");
        let told = &told["match"];
        has!(told, {"id": played.id, "state": state});
        assert_eq!(told["winner"] == "b", state == "finished");
        assert_eq!(told["taken_back"], Value::Null);
    }
    assert_eq!(deliver(&kit, other, Timestamp::now()).await, 1);
    assert_eq!(of_others.events()[0]["event"], "match.finished");
    // A reader of the feed sees that the entry is another one.
    let feed = kit.guest().get("/api/feeds/results").await.text();
    assert!(!feed.contains(&format!("/matches/{}<", played.id)), "void");
    post!(root, &correct, {"result": "draw", "why": "it was not"});
    let last = ok!(kit.app.store.list_corrections(played.id))
        .pop()
        .expect("three")
        .at;
    let feed = kit.guest().get("/api/feeds/results").await.text();
    let updated = format!("<updated>{last}</updated>");
    assert_eq!(feed.matches(&updated).count(), 2, "{feed}");
}

/// The first Python program of the document.
fn documented_receiver() -> String {
    let text = include_str!("../../../docs/webhooks.md");
    let begin = text.find("```python\n").expect("a program") + "```python\n".len();
    let end = text[begin..].find("```").expect("its end");
    text[begin..begin + end].to_owned()
}

/// A process that ends with the test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn the_documented_receiver_takes_what_is_signed() {
    let kit = open_kit().await;
    let ann = kit.person("ann").await;
    for (right, state, status) in [(true, "delivered", 204), (false, "given-up", 403)] {
        // In place of the document's.
        let port = crate::ports::find_port();
        let url = format!("http://127.0.0.1:{port}/");
        let (id, secret) = make(&ann, "/api/me/webhooks", &url, &["match.finished"]).await;
        let mut receiver = std::process::Command::new("python3")
            .args(["-u", "-c"])
            .arg(documented_receiver().replace("8000", &port.to_string()))
            .env("LEITAI_SECRET", if right { &secret } else { "another" })
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 runs");
        let output = receiver.stdout.take().expect("a pipe");
        let _killed = Killed(receiver);
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        assert_eq!(lines.next().as_deref(), Some("waiting for events"));
        let told = ann
            .post(&format!("/api/webhooks/{id}/test"), json!({}))
            .await;
        let told = told.json();
        has!(told, {"state": state, "status": status});
        if right {
            assert_eq!(lines.next().as_deref(), Some("test"));
        }
    }
}
