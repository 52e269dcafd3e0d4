//! Rights hang on keys, never on names; accounts that others made, sessions, tokens and codes.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, header};
use leitai_store::Timestamp;
use serde_json::{Value, json};

use crate::kit::each;
use crate::kit::{Kit, PASSWORD, Person, deletion_by, says};

/// A contest for members of a group, which names an organiser.
pub(crate) const FILE: &str = r#"
id = "class-cup"
game = "kob"
time-zone = "UTC"
title = "Class cup"
organisers = ["dave"] # beside the teacher

[entry]
who = "group"
group = "AI 2026"
most = 9

[dates]
opens = 2025-01-01T00:00:00
freezes = 2035-01-01T00:00:00

[visibility]
contest = "invited"

[[stage]]
name = "All"
format = "round-robin"
"#;

pub(crate) const CONTEST: &str = "/api/contests/class-cup";

/// An arena where names that were given up may be taken at once, as after half a year.
async fn with_free_names() -> Kit {
    Kit::changed(|to| to.freed_name_days = 0).await
}

async fn delete(kit: &Kit, person: &Person) {
    let deletion = deletion_by(None, Timestamp::now());
    let user = person.id.expect("an account");
    ok!(kit.app.store.delete_user(user, deletion));
}

async fn make_group(root: &Person, name: &str, organiser: &str) -> Value {
    let new = json!({"name": name, "organiser": organiser});
    root.post("/api/groups", new).await.ok()["id"].clone()
}

#[tokio::test]
async fn who_takes_a_name_takes_no_contest() {
    let kit = with_free_names().await;
    let [teacher, other] = kit.people(["teacher", "other"]).await;
    let root = kit.admin().await;
    let (dave, pupil) = (kit.person("dave").await, kit.person("pupil").await);
    let class = make_group(&root, "AI 2026", "teacher").await;
    let chess = make_group(&root, "Chess", "other").await;
    let path = format!("/api/groups/{class}");
    let list = json!({"csv": "pupil"});
    teacher.post(&format!("{path}/members"), list).await.ok();
    let asked = format!("/api/me/invitations/{class}");
    pupil.post(&asked, json!({})).await.ok();
    answers!(teacher.post("/api/contests", json!({"file": FILE})) => 201);
    assert_eq!(dave.get(CONTEST).await.ok()["organises"], true);

    // The group takes another name, the other group the old one, and a stranger dave's.
    let renamed = json!({"name": "AI \"2027\""});
    teacher.patch(&path, renamed).await.ok();
    let taken = json!({"name": "AI 2026"});
    let chess = format!("/api/groups/{chess}");
    other.patch(&chess, taken).await.ok();
    delete(&kit, &dave).await;
    let dave = kit.person("dave").await;
    for stranger in [&other, &dave] {
        for path in [CONTEST.to_owned(), format!("{CONTEST}/export")] {
            stranger.get(&path).await.refused(404, "not-found");
        }
        let annul = json!({"why": "mine"});
        refused!(stranger.post(&format!("{CONTEST}/annul"), annul) => 404, "not-found");
    }
    let seen = pupil.get(CONTEST).await.ok();
    has!(seen, {"/rules/entry/who/group": "AI \"2027\"", "/rules/organisers": []});

    // The file has today's name, and can be sent back with another title.
    let told = teacher.get(CONTEST).await.ok();
    assert_eq!(told["organises"], true);
    let shown = told["file"].as_str().expect("for its organisers");
    let expected = FILE.replace("\"AI 2026\"", r#""AI \"2027\"""#);
    assert_eq!(shown, expected);
    let update = format!("{CONTEST}/update");
    for file in [FILE, expected.as_str()] {
        let titled = json!({"file": file.replace("= \"Class cup\"", "= \"Cup\"")});
        teacher.post(&update, titled).await.ok();
        other.get(CONTEST).await.refused(404, "not-found");
        assert_eq!(pupil.get(CONTEST).await.status, 200);
    }
    // Who is new in it must be there, and an organiser opens it to no other group.
    let nobody = json!({"file": FILE.replace("\"dave\"", "\"dave\", \"nobody\"")});
    let refused = teacher.post(&update, nobody).await;
    says(&refused.text(), &["no account \\\"nobody\\\""]);
    let group = make_group(&root, "Go", "teacher").await;
    assert!(group.is_number());
    let moved = json!({"file": FILE.replace("AI 2026", "Go")});
    teacher.post(&update, moved).await.refused(403, "not-admin");
}

#[tokio::test]
async fn entry_lists_mean_the_accounts_of_their_day() {
    let kit = with_free_names().await;
    let (root, carol) = (kit.admin().await, kit.person("carol").await);
    kit.person("dave").await;
    let file = FILE.replace(
        "who = \"group\"\ngroup = \"AI 2026\"",
        "who = \"accounts\"\naccounts = [\"carol\", \"later\"]",
    );
    let early = root.post("/api/contests", json!({"file": file})).await;
    says(&early.text(), &["no account \\\"later\\\""]);
    let file = file.replace(", \"later\"", "");
    answers!(root.post("/api/contests", json!({"file": file})) => 201);
    assert_eq!(carol.get(CONTEST).await.status, 200);
    delete(&kit, &carol).await;
    let stranger = kit.person("carol").await;
    stranger.get(CONTEST).await.refused(404, "not-found");
    let (bot, _) = kit.ready_bot(&stranger, "viper").await;
    let joined = json!({"bot": bot.id});
    refused!(stranger.post(&format!("{CONTEST}/join"), joined) => 404, "not-found");
}

#[tokio::test]
async fn names_that_were_given_up_cannot_be_taken() {
    let kit = Kit::new().await;
    let (root, teacher) = (kit.admin().await, kit.person("teacher").await);
    let carol = kit.person("carol").await;
    let class = make_group(&root, "AI 2026", "teacher").await;
    let path = format!("/api/groups/{class}");
    let renamed = json!({"name": "AI 2027"});
    teacher.patch(&path, renamed).await.ok();
    delete(&kit, &carol).await;
    let new = json!({"name": "Carol", "password": PASSWORD});
    refused!(kit.guest().post("/api/register", new) => 409, "name-freed");
    let new = json!({"name": "ai 2026"});
    refused!(root.post("/api/groups", new) => 409, "name-freed");
    // Nor a name that only looks like it.
    for (name, code) in [
        ("AI\u{a0}2026", "name-freed"),
        ("AI  2026", "name-freed"),
        ("ＡＩ　２０２６", "name-freed"),
        ("AI 20\u{200b}26", "bad-group-name"),
        ("\u{202e}6202 IA", "bad-group-name"),
        ("АI 2026", "bad-group-name"), // a Cyrillic A
        ("AI\n2026", "bad-group-name"),
    ] {
        let refused = root.post("/api/groups", json!({"name": name})).await;
        assert_eq!(refused.code(), code, "{name:?}: {}", refused.text());
        let renamed = teacher.patch(&path, json!({"name": name})).await;
        // The group itself may have its old name again.
        match code {
            "name-freed" => assert_eq!(renamed.ok()["name"], "AI 2026", "{name:?}"),
            _ => assert_eq!(renamed.code(), code, "{name:?}"),
        }
    }
    let list = json!({"csv": "carol"});
    let refused = teacher.post(&format!("{path}/members"), list).await;
    refused.refused(422, "wrong-lines");
    let problem = &refused.json()["error"]["problems"][0];
    for (lang, part) in [("en", "nobody may take it until"), ("zh", "刚被放弃")] {
        says(&problem[lang].to_string(), &[part]);
    }
}

#[tokio::test]
async fn an_account_that_was_there_joins_a_class_when_its_holder_says_so() {
    let kit = Kit::new().await;
    let (root, teacher) = (kit.admin().await, kit.person("teacher").await);
    let squatter = kit.person("王小明").await;
    let class = make_group(&root, "AI 2026", "teacher").await;
    let path = format!("/api/groups/{class}");
    let members = format!("{path}/members");
    for check in [true, false] {
        let list = json!({"csv": "王小明\ncara\n", "check": check});
        let done = teacher.post(&members, list).await.ok();
        assert!(done["members"][0]["invited"].is_string(), "{done}");
        assert_eq!(done["members"][1]["invited"], Value::Null);
    }
    squatter.get(&path).await.refused(403, "not-member");
    let told = squatter.get("/api/me/notifications").await.ok();
    let first = &told["items"][0];
    has!(first, {"kind": "group-invited", "/group/name": "AI 2026"});
    let own = squatter.get("/api/me/invitations").await.ok();
    has!(own["items"][0], {"name": "AI 2026", "by": "teacher"});
    let seen = teacher.get(&path).await.ok();
    assert_eq!(seen["members"].as_array().map(Vec::len), Some(2));
    let invited = &seen["invited"][0];
    assert!(invited["account_since"].is_string(), "{seen}");
    // The organiser takes it back, asks again; the holder declines, and at last accepts.
    let asked = format!("/api/me/invitations/{class}");
    let ask = json!({"csv": "王小明"});
    let taken_back = format!("{members}/{}", invited["id"]);
    teacher.delete(&taken_back).await.ok();
    refused!(squatter.post(&asked, json!({})) => 404, "not-found");
    teacher.post(&members, ask.clone()).await.ok();
    squatter.delete(&asked).await.ok();
    refused!(squatter.post(&asked, json!({})) => 404, "not-found");
    teacher.post(&members, ask).await.ok();
    squatter.post(&asked, json!({})).await.ok();
    assert_eq!(squatter.get(&path).await.status, 200);
}

#[tokio::test]
async fn a_group_takes_no_account_over() {
    let kit = Kit::new().await;
    let (root, teacher) = (kit.admin().await, kit.person("teacher").await);
    let class = make_group(&root, "AI 2026", "teacher").await;
    let path = format!("/api/groups/{class}");
    let list = json!({"csv": "ta1"});
    let made = teacher.post(&format!("{path}/members"), list).await.ok();
    assert_eq!(made["members"][0]["created"], true);
    let found = kit.app.store.user_by_name("ta1").await.expect("asked");
    let id = found.expect("it was made").id;
    let password = format!("{path}/members/{id}/password");
    teacher.post(&password, json!({})).await.ok();
    make_group(&root, "Other", "ta1").await;
    let refused = teacher.post(&password, json!({})).await;
    refused.refused(409, "refused");
    says(&refused.text(), &["another group"]);
}

/// The person's sessions, and tokens.
async fn open_doors(person: &Person) -> [usize; 2] {
    let count = async |path| {
        person.get(path).await.ok()["items"]
            .as_array()
            .map_or(0, Vec::len)
    };
    [
        count("/api/me/sessions").await,
        count("/api/me/tokens").await,
    ]
}

#[tokio::test]
async fn sessions_and_tokens_are_listed_and_ended() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let log_in = async || {
        let who = json!({"name": "ada", "password": PASSWORD});
        kit.guest().post("/api/login", who).await.ok();
    };
    let make_token = async || {
        let new = json!({"name": "laptop"});
        ada.post("/api/me/tokens", new).await.ok();
    };
    log_in().await;
    log_in().await;
    make_token().await;
    assert_eq!(open_doors(&ada).await, [3, 1]);
    let sessions = ada.get("/api/me/sessions").await.ok()["items"].clone();
    has!(sessions, {"/0/own": false, "/2/own": true});
    let one = format!("/api/me/sessions/{}", sessions[0]["id"]);
    let bob = kit.person("bob").await;
    refused!(bob.delete(&one) => 404, "not-found");
    ada.delete(&one).await.ok();
    assert_eq!(open_doors(&ada).await, [2, 1]);
    ada.delete("/api/me/sessions").await.ok();
    ada.delete("/api/me/tokens").await.ok();
    assert_eq!(open_doors(&ada).await, [1, 0]);
    // With a new password tokens go if they are to.
    for (revoke, left) in [(false, 1), (true, 0)] {
        make_token().await;
        log_in().await;
        let change = json!({"old": PASSWORD, "new": PASSWORD, "revoke_tokens": revoke});
        ada.post("/api/me/password", change).await.ok();
        assert_eq!(open_doors(&ada).await, [1, left]);
    }
}

#[tokio::test]
async fn codes_of_contests_are_not_guessed() {
    let kit = Kit::new().await;
    let root = kit.admin().await;
    kit.person("dave").await;
    let file = FILE
        .replace(
            "who = \"group\"\ngroup = \"AI 2026\"",
            "who = \"code\"\ncode = \"4711\"",
        )
        .replace("contest = \"invited\"", "standings = \"end\"");
    answers!(root.post("/api/contests", json!({"file": file})) => 201);
    let eve = kit.person("eve").await;
    let join = async |person: &Person, code: &str| {
        let asked = json!({"bot": 1, "code": code});
        person.post(&format!("{CONTEST}/join"), asked).await
    };
    let mut tried = 0;
    while join(&eve, "0000").await.code() == "contest-code" {
        tried += 1;
    }
    // On a slow machine there may be a few more.
    assert!((10..20).contains(&tried), "{tried}");
    join(&eve, "4711").await.refused(429, "too-often");
    let ann = kit.person("ann").await;
    join(&ann, "4711").await.refused(404, "not-found");
}

/// A refusal in the language of the reader, of a name that looks like another.
async fn says_alike(person: &Person, (method, path): (&str, &str), body: &Value, field: &str) {
    for (language, part) in [("en", "looks like `"), ("zh-CN", "看起来与")] {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT_LANGUAGE, language);
        if let (Some(session), Some(csrf)) = (&person.session, &person.csrf) {
            request = request
                .header(header::COOKIE, format!("leitai={session}"))
                .header("x-leitai-csrf", csrf);
        }
        let request = request.body(Body::from(body.to_string()));
        let refused = person.request(request.expect("sound")).await;
        let said = refused.text();
        assert_eq!(refused.status, 409, "{path}: {said}");
        let error = &refused.json()["error"];
        has!(error, {"code": "name-alike", "field": field});
        let message = error["message"].as_str().expect("text");
        assert!(message.contains(part), "{message}");
    }
}

#[tokio::test]
async fn names_that_look_alike_are_refused() {
    let kit = Kit::new().await;
    let (root, ivan) = (kit.admin().await, kit.person("Ivan1").await);
    let class = make_group(&root, "coop", "Ivan1").await;
    let other = make_group(&root, "other", "Ivan1").await;
    let path = format!("/api/groups/{other}");
    let file = FILE
        .replace("AI 2026", "coop")
        .replace("organisers = [\"dave\"]", "");
    answers!(ivan.post("/api/contests", json!({"file": file})) => 201);
    ivan.post("/api/teams", json!({"name": "red0"})).await.ok();
    let alike = file.replace("class-cup", "c1ass-cup");
    for (person, method, path, body, field) in [
        (
            &kit.guest(),
            "POST",
            "/api/register",
            json!({"name": "lvanI", "password": PASSWORD}),
            "name",
        ),
        (
            &root,
            "POST",
            "/api/groups",
            json!({"name": "соор"}),
            "name",
        ),
        (&ivan, "PATCH", &*path, json!({"name": "соор"}), "name"),
        (&ivan, "POST", "/api/teams", json!({"name": "redO"}), "name"),
        (&ivan, "POST", "/api/contests", json!({"file": alike}), "id"),
    ] {
        says_alike(person, (method, path), &body, field).await;
    }
    // A group's description is changed beside its name, which its organisers make nothing official.
    let same = json!({"name": "other", "about": "changed"});
    ivan.patch(&path, same).await.ok();
    for name in ["Leitai", "0fficial", "管理员"] {
        refused!(ivan.patch(&path, json!({"name": name})) => 422, "reserved-name");
    }
    // A list names its wrong lines, and what an account has is its own.
    let list = json!({"csv": "Ivan1\nlvanI\ntom\ntorn\nadrnin\nzoe\n"});
    let members = format!("/api/groups/{class}/members");
    let refused = ivan.post(&members, list).await;
    refused.refused(422, "wrong-lines");
    let problems = refused.json()["error"]["problems"].clone();
    let lines = each(&problems, "line");
    assert_eq!(lines, [2, 4, 5], "{problems}");
    // Nor what somebody gave up a moment ago.
    delete(&kit, &ivan).await;
    for name in ["lvanI", "IVAN1"] {
        let new = json!({"name": name, "password": PASSWORD});
        refused!(kit.guest().post("/api/register", new) => 409, "name-freed");
    }
}

#[tokio::test]
async fn a_worker_has_the_name_of_its_token() {
    let kit = Kit::new().await;
    let root = kit.admin().await;
    // Nobody's token is named like a worker behind another one.
    let ambiguous = json!({"name": "hall-2/hall-1"});
    refused!(root.post("/api/admin/worker-tokens", ambiguous) => 422, "bad-name");
    let new = json!({"name": "hall-2"});
    let made = root.post("/api/admin/worker-tokens", new).await.ok();
    let worker = Person {
        token: made["token"].as_str().map(str::to_owned),
        ..kit.guest()
    };
    for name in ["hall-2", "hall-1"] {
        let report = json!({"name": name, "version": "1", "isolation": "b", "slots": 1, "busy": 0,
            "remote": true, "exhibitions": 0});
        worker.post("/api/worker/report", report).await.ok();
    }
    let now = Timestamp::now();
    let known = kit
        .app
        .store
        .list_workers(now.before(Duration::from_secs(60)));
    let mut names: Vec<String> = ok!(known).into_iter().map(|own| own.name).collect();
    names.sort();
    assert_eq!(names, ["hall-2", "hall-2/hall-1"]);
}
