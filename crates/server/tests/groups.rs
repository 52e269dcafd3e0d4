//! Groups, teams, lists of members, one-time passwords.

use serde_json::{Value, json};

use crate::kit::each;
use crate::kit::{Kit, PASSWORD, Person, says};

/// A group of `ada`, made by an administrator.
async fn group_of_ada(kit: &Kit, team_size: i32) -> (Person, Person, i64) {
    let (root, ada) = (kit.admin().await, kit.person("ada").await);
    let new = json!({"name": "AI 2026", "team_size": team_size, "organiser": "ADA"});
    let made = root.post("/api/groups", new).await;
    assert_eq!(made.status.as_u16(), 201, "{}", made.text());
    (root, ada, made.ok()["id"].as_i64().expect("a number"))
}

/// Logs in with a password.
async fn log_in(kit: &Kit, name: &str, password: &str) -> Person {
    let answer = kit
        .guest()
        .post("/api/login", json!({"name": name, "password": password}))
        .await;
    let me = answer.ok();
    let cookie = answer.header("set-cookie");
    let session = cookie.split([';', '=']).nth(1).map(str::to_owned);
    Person {
        session,
        csrf: me["csrf"].as_str().map(str::to_owned),
        ..kit.guest()
    }
}

/// Names that look the same are the same.
#[tokio::test]
async fn the_name_of_a_group_has_letters_with_accents_in_one_way() {
    let kit = Kit::new().await;
    let (root, _) = (kit.admin().await, kit.person("ada").await);
    let new = json!({"name": "Cafe\u{301}", "team_size": 2, "organiser": "ada"});
    let made = root.post("/api/groups", new).await.ok();
    assert_eq!(made["name"], "Caf\u{e9}");
}

#[tokio::test]
async fn an_organiser_imports_a_list_and_its_people_choose_passwords() {
    let kit = Kit::new().await;
    let (_, ada, id) = group_of_ada(&kit, 2).await;
    let bob = kit.person("bob").await;
    let path = format!("/api/groups/{id}/members");
    let csv = "name,team\ncara,red\n王小明,red\nbob\n";
    let checked = post!(ada, &path, {"csv": csv, "check": true});
    assert_eq!(checked["imported"], false);
    assert!(ok!(kit.app.store.user_by_name("cara")).is_none());
    let answer = ada.post(&path, json!({"csv": csv})).await;
    assert_eq!(answer.header("cache-control"), "no-store");
    let done = answer.ok();
    let created = each(&done["members"], "created");
    assert_eq!(created, [true, true, false]);
    assert_eq!(done["members"][2]["password"], Value::Null);
    let asked = format!("/api/me/invitations/{id}");
    bob.post(&asked, json!({})).await.ok();
    let password = done["members"][0]["password"].as_str().expect("a password");

    // The first login allows nothing but a password of one's own.
    let cara = log_in(&kit, "cara", password).await;
    shows!(cara.get("/api/me") => {"/user/must_change_password": true});
    refused!(cara.get("/api/me/bots") => 403, "change-password");
    refused!(cara.post("/api/teams", json!({"name": "mine"})) => 403, "change-password");
    refused!(cara.post("/api/me/tokens", json!({"name": "x"})) => 403, "change-password");
    let change = json!({"old": password, "new": PASSWORD});
    cara.post("/api/me/password", change).await.ok();
    shows!(cara.get("/api/me") => {"/user/must_change_password": false});
    let teams = cara.get("/api/me/teams").await.ok();
    assert_eq!(teams["items"][0]["name"], "red");
    assert_eq!(
        teams["items"][0]["captain"], true,
        "the first of a team is its captain"
    );
    assert_eq!(teams["items"][0]["group"]["name"], "AI 2026");

    // Members see the group, and not who has a one-time password; others see nothing.
    let own = format!("/api/groups/{id}");
    let seen = cara.get(&own).await.ok();
    assert_eq!(
        (&seen["manages"], seen["members"].as_array().map(Vec::len)),
        (&json!(false), Some(4))
    );
    assert!(
        !seen.to_string().contains("\"password_temporary\":true"),
        "{seen}"
    );
    let managed = ada.get(&own).await.ok();
    assert!(
        managed.to_string().contains("\"password_temporary\":true"),
        "{managed}"
    );
    refused!(kit.person("eve").await.get(&own) => 403, "not-member");
    kit.guest().get(&own).await.refused(401, "login");
}

#[tokio::test]
async fn every_wrong_line_is_named_and_nothing_is_imported() {
    let kit = Kit::new().await;
    let (_, ada, id) = group_of_ada(&kit, 1).await;
    let path = format!("/api/groups/{id}/members");
    let csv = "cara,red\ndora,red\nb b\ncara\nadmin\nella\n";
    let answer = ada.post(&path, json!({"csv": csv})).await;
    answer.refused(422, "wrong-lines");
    let error = &answer.json()["error"];
    let lines = each(&error["problems"], "line");
    assert_eq!(lines, [2, 3, 4, 5]);
    let chinese = error["problems"][0]["zh"].as_str().expect("a text");
    assert!(chinese.contains("最多 1 人"), "{chinese}");
    says(&error["message"].to_string(), &["lines 2, 3, 4, 5"]);
    let cara = error["problems"][2]["en"].as_str().expect("a text");
    assert!(cara.contains("`cara` is on line 1"), "{cara}");
    let members = ada.get(&format!("/api/groups/{id}")).await.ok();
    assert_eq!(members["members"].as_array().map(Vec::len), Some(1));
    assert!(ok!(kit.app.store.user_by_name("ella")).is_none());
}

#[tokio::test]
async fn only_organisers_manage_and_every_action_is_logged() {
    let kit = Kit::new().await;
    let (root, ada, id) = group_of_ada(&kit, 2).await;
    let (bob, path) = (kit.person("bob").await, format!("/api/groups/{id}"));
    refused!(bob.post("/api/groups", json!({"name": "mine"})) => 403, "not-admin");
    let change = json!({"about": "Mondays", "team_size": 3});
    refused!(bob.send("PATCH", &path, Some(change.clone())) => 403, "not-organiser");
    refused!(bob.post(&format!("{path}/members"), json!({"csv": "x1"})) => 403, "not-organiser");
    shows!(ada.patch(&path, change) => {"team_size": 3});
    let organisers = format!("{path}/organisers");
    refused!(ada.post(&organisers, json!({"name": "nobody-here"})) => 404, "not-found");
    ada.post(&organisers, json!({"name": "bob"})).await.ok();
    shows!(bob.get("/api/groups") => {"/items/0/role": "organiser"});
    let of_ada = format!("{path}/members/{}", ada.id.expect("an account"));
    bob.patch(&of_ada, json!({"organiser": false})).await.ok();
    let of_bob = format!("{path}/members/{}", bob.id.expect("an account"));
    refused!(bob.delete(&of_bob) => 409, "refused");
    let done = post!(bob, &format!("{path}/members"), {"csv": "cara"});
    assert_eq!(done["imported"], true);
    let cara = ok!(kit.app.store.user_by_name("cara")).expect("made");
    let again = format!("{path}/members/{}/password", cara.id);
    refused!(ada.post(&again, json!({})) => 403, "not-organiser");
    let issued = bob.post(&again, json!({})).await.ok();
    log_in(
        &kit,
        "cara",
        issued["password"].as_str().expect("a password"),
    )
    .await;
    let of_root = format!("{path}/members/{}/password", ada.id.expect("an account"));
    bob.post(&of_root, json!({})).await.refused(409, "refused");
    bob.delete(&path).await.ok();
    bob.get(&path).await.refused(404, "not-found");
    let log = root.get("/api/admin/audit?limit=100").await.ok();
    let lines: Vec<(String, String)> = log["items"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|line| {
            (
                line["who"].as_str().unwrap_or_default().to_owned(),
                line["what"].as_str().unwrap_or_default().to_owned(),
            )
        })
        .collect();
    for (who, what) in [
        ("root", "group.create"),
        ("ada", "group.change"),
        ("ada", "group.organiser.add"),
        ("bob", "group.organiser.remove"),
        ("bob", "group.import"),
        ("bob", "group.password"),
        ("bob", "group.delete"),
    ] {
        assert!(
            lines.iter().any(|line| line.0 == who && line.1 == what),
            "{who} {what}: {lines:?}"
        );
    }
}

#[tokio::test]
async fn a_token_manages_groups_only_with_its_scope() {
    let kit = Kit::new().await;
    let (_, ada, id) = group_of_ada(&kit, 0).await;
    let path = format!("/api/groups/{id}/members");
    for (scope, may) in [("submit", false), ("organise", true)] {
        let new = json!({"name": scope, "scopes": [scope]});
        let token = ada.post("/api/me/tokens", new).await.ok()["token"]
            .as_str()
            .map(str::to_owned);
        let program = Person {
            token,
            ..kit.guest()
        };
        let answer = program.post(&path, json!({"csv": "cara"})).await;
        if may {
            answer.ok();
            // New passwords are given on the page alone.
            let shown = ada.get(&format!("/api/groups/{id}")).await.ok();
            let members = shown["members"].as_array().expect("a list").iter();
            let cara = members.rev().find(|one| one["name"] == "cara");
            let member = &cara.expect("imported")["id"];
            let password = format!("{path}/{member}/password");
            refused!(program.post(&password, json!({})) => 403, "session-only");
            ada.post(&password, json!({})).await.ok();
        } else {
            answer.refused(403, "scope");
        }
    }
}

#[tokio::test]
async fn a_group_has_the_part_of_each_ladder_that_its_bots_make_up() {
    let kit = Kit::new().await;
    let (root, ada, id) = group_of_ada(&kit, 2).await;
    let (bob, eve) = (kit.person("bob").await, kit.person("eve").await);
    let members = format!("/api/groups/{id}/members");
    ada.post(&members, json!({"csv": "bob,red"})).await.ok();
    let asked = format!("/api/me/invitations/{id}");
    let joined = bob.post(&asked, json!({})).await.ok();
    assert_eq!(joined["in_team"], true);
    let [viper, asp, boa] = kit
        .ready_bots([(&ada, "viper"), (&bob, "asp"), (&eve, "boa")])
        .await;
    kit.ladder_match([&boa, &viper]).await;
    kit.ladder_match([&asp, &boa]).await;
    let path = format!("/api/groups/{id}/ladder/kob");
    let whole = kit.guest().get("/api/games/kob/ladder").await.ok();
    let rows = |answer: &Value| answer["items"].as_array().cloned().expect("a list");
    let ours: Vec<Value> = rows(&whole)
        .into_iter()
        .filter(|row| row["bot"]["name"] != "boa" && row["bot"]["built_in"] == false)
        .collect();
    assert_eq!(ours.len(), 2);
    for who in [&ada, &bob, &root] {
        assert_eq!(rows(&who.get(&path).await.ok()), ours);
    }
    let first = bob.get(&format!("{path}?limit=1")).await.ok();
    let next = first["next"].as_str().expect("there is more");
    let second = bob.get(&format!("{path}?limit=1&before={next}")).await.ok();
    assert_eq!([rows(&first), rows(&second)].concat(), ours);
    assert_eq!(second["next"], Value::Null);
    eve.get(&path).await.refused(403, "not-member");
    kit.guest().get(&path).await.refused(401, "login");
    refused!(bob.get(&format!("/api/groups/{id}/ladder/chess")) => 404, "not-found");
    assert_eq!(
        rows(
            &bob.get(&format!("/api/groups/{id}/ladder/snakego"))
                .await
                .ok()
        ),
        Vec::<Value>::new()
    );
    // The bots of who left go, too.
    let leaves = format!("{members}/{}", bob.id.expect("an account"));
    bob.delete(&leaves).await.ok();
    let left = rows(&ada.get(&path).await.ok());
    assert_eq!((left.len(), &left[0]["bot"]["name"]), (1, &json!("viper")));
}

#[tokio::test]
async fn all_members_of_a_team_upload_and_read_its_logs() {
    let kit = Kit::new().await;
    let [ada, bob, eve] = kit.people(["ada", "bob", "eve"]).await;
    let team = post!(ada, "/api/teams", {"name": "red", "size": 2});
    let code = team["code"].as_str().expect("a code").to_uppercase();
    refused!(bob.post("/api/teams/join", json!({"code": "0000"})) => 404, "not-found");
    post!(bob, "/api/teams/join", {"code": code});
    refused!(eve.post("/api/teams/join", json!({"code": code})) => 409, "refused");
    let path = format!("/api/teams/{}", team["id"]);
    assert_eq!(kit.guest().get(&path).await.ok()["code"], Value::Null);

    let [viper, rival] = kit.ready_bots([(&ada, "viper"), (&eve, "rival")]).await;
    let bot = format!("/api/bots/{}", viper.id);
    let upload = format!("{bot}/versions");
    refused!(bob.upload(&upload, "bot.py", b"print(0)") => 403, "not-yours");
    let played = kit.ladder_match([&viper, &rival]).await;
    let logs = format!("/api/matches/{}/logs", played.id);
    assert_eq!(bob.get(&logs).await.ok(), json!([]));
    let to_team = json!({"team": team["id"]});
    refused!(bob.post(&format!("{bot}/team"), to_team.clone()) => 409, "refused");
    let given = ada.post(&format!("{bot}/team"), to_team).await.ok();
    assert_eq!(given["team"]["name"], "red");
    bob.upload(&upload, "bot.py", b"print(0)").await.ok();
    assert_eq!(bob.get(&bot).await.ok()["yours"], true);
    shows!(bob.get("/api/me/bots") => {"/items/0/name": "viper"});
    assert_eq!(bob.get(&logs).await.ok()[0]["text"], "secret of a");
    refused!(eve.upload(&upload, "bot.py", b"print(0)") => 403, "not-yours");

    // The captain hands over and leaves; then bob owns the bot, and ada nothing.
    let own = format!("{path}/members/{}", ada.id.expect("an account"));
    ada.delete(&own).await.refused(409, "refused");
    refused!(bob.post(&format!("{path}/captain"), json!({"user": bob.id})) => 403, "not-captain");
    post!(ada, &format!("{path}/captain"), {"user": bob.id});
    ada.delete(&own).await.ok();
    refused!(ada.upload(&upload, "bot.py", b"print(0)") => 403, "not-yours");
    assert_eq!(bob.get(&bot).await.ok()["owner"], "bob");
    let renewed = bob.post(&format!("{path}/code"), json!({})).await.ok();
    assert_ne!(renewed["code"], team["code"]);
    refused!(eve.post("/api/teams/join", json!({"code": team["code"]})) => 404, "not-found");
}

/// Who beats whom in a group: its bots alone, those of agents or of people, and nothing for others.
#[tokio::test]
async fn a_group_says_who_beats_whom_among_its_bots() {
    let kit = Kit::new().await;
    let (_, ada, id) = group_of_ada(&kit, 1).await;
    let other = kit.person("other").await;
    let [one, two, away] = kit
        .ready_bots([(&ada, "one"), (&ada, "two"), (&other, "away")])
        .await;
    ada.send(
        "PATCH",
        &format!("/api/bots/{}", two.id),
        Some(json!({"by_agent": true})),
    )
    .await
    .ok();
    for pair in [[&one, &two], [&away, &one]] {
        kit.ladder_match(pair).await;
    }
    let path = format!("/api/groups/{id}/ladder/kob");
    let count = async |query: &str| {
        let payoffs = ada.get(&format!("{path}/payoffs{query}")).await.ok();
        let rows = ada.get(&format!("{path}{query}")).await.ok();
        let rows = rows["items"].as_array().expect("a list").len();
        (payoffs["bots"].clone(), rows)
    };
    assert_eq!(count("").await, (json!(2), 2));
    assert_eq!(count("?by_agent=true").await, (json!(1), 1));
    let lines = get!(ada, "{path}/payoffs/lines?bot={}", two.id);
    assert_eq!(
        lines["lines"].as_array().expect("a list").len(),
        1,
        "{lines}"
    );
    let line = &lines["lines"][0];
    has!(line, {"/bot/name": "one", "/cell/losses": 1});
    // One more match narrows the interval.
    let cell = &line["cell"];
    let bound = |at: usize| cell["interval"][at].as_f64().expect("a bound");
    let then = cell["one_more"].as_f64().expect("a width");
    assert!(then < bound(1) - bound(0) && then > 0.0, "{cell}");
    let all = kit.guest().get("/api/games/kob/payoffs").await.ok();
    assert_eq!(all["bots"], json!(3), "the whole ladder");
    // By who wrote them: the two of people together, and a bot's opponents among them alone.
    let ask = async |query: &str| {
        let path = format!("/api/games/kob/payoffs{query}by=authors");
        kit.guest().get(&path).await.ok()
    };
    let classes = ask("?").await;
    let class = |at: usize| {
        (
            &classes["groups"][at]["class"],
            &classes["groups"][at]["bots"],
        )
    };
    assert_eq!(
        [class(0), class(1), class(2)],
        [
            (&json!("people"), &json!(2)),
            (&json!("agents"), &json!(1)),
            (&Value::Null, &Value::Null)
        ],
        "{classes}"
    );
    assert_eq!(classes["cells"][0][1]["wins"], json!(1), "{classes}");
    let names = async |query: &str| {
        let found = ask(query).await;
        let lines = found["lines"].as_array().expect("a list").iter();
        lines
            .map(|line| line["bot"]["name"].clone())
            .collect::<Vec<_>>()
    };
    let of_one = format!("/lines?bot={}&column=", one.id);
    assert_eq!(names(&format!("{of_one}0&")).await, [json!("away")]);
    assert_eq!(names(&format!("{of_one}1&")).await, [json!("two")]);
    // Within a class.
    let inside = names("/lines?row=0&column=0&").await;
    assert_eq!(inside.len(), 2, "{inside:?}");
    refused!(kit.guest().get("/api/games/kob/payoffs?by=colour") => 400, "bad-query");
    for part in ["payoffs", "payoffs/lines"] {
        let path = format!("{path}/{part}");
        other.get(&path).await.refused(403, "not-member");
        kit.guest().get(&path).await.refused(401, "login");
    }
}
