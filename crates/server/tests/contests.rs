//! Contests from their publication to the final standings, in virtual time.

use crate::kit;

use std::time::Duration;

use kit::{Kit, Person};
use leitai_server::contests::{advance_contests, publish_contest, read_new_rules};
use leitai_store::{
    ContestActor, JobWork, MatchKind, MatchResult, MatchWinner, PerSide, Timestamp, WorkerOffer,
};
use serde_json::{Value, json};

const FILE: &str = r#"
id = "spring"
game = "kob"
time-zone = "UTC"
title = { en = "Spring", zh = "春季赛" }

[entry]
who = "code"
code = "plum-blossom"
least = 2
most = 8

[dates]
opens = 2025-01-01T00:00:00
freezes = 2035-01-01T00:00:00

[visibility]
standings = "end"

[[stage]]
name = "Swiss"
format = "swiss"
rounds = 3
matches = 2

[[stage]]
name = "Final"
format = "single"
take = 4
matches = 2
starts = 2035-01-03T00:00:00
"#;

/// A second of the year 2035.
pub fn at(days: i64) -> Timestamp {
    Timestamp((2_051_222_400 + days * 86_400) * 1000)
}

pub async fn advance(kit: &Kit, now: Timestamp) {
    let app = &kit.app;
    let done = advance_contests(app.games, &app.store, now).await;
    done.expect("the database answers");
}

/// Six people with a bot each, who have joined. The bots' names say how strong they are.
async fn with_entrants(kit: &Kit) -> Vec<Person> {
    let by = ContestActor {
        user: None,
        at: Timestamp::now(),
    };
    let rules = read_new_rules(kit.app.games, FILE).expect("it is sound");
    let published = publish_contest(&kit.app.store, &rules, FILE.to_owned(), Some(7), by).await;
    published.expect("it is published");
    let mut people = Vec::new();
    for number in 0..6 {
        let person = kit.person(&format!("p{number}")).await;
        let (bot, _) = kit.ready_bot(&person, &format!("bot{number}")).await;
        let body = json!({"bot": bot.id, "code": "plum-blossom"});
        let joined = person.post("/api/contests/spring/join", body).await;
        assert_eq!(joined.status, 201, "{}", joined.text());
        people.push(person);
    }
    people
}

/// Plays one queued match: the bot with the smaller name wins. False if none is queued.
pub async fn play_next(kit: &Kit) -> bool {
    let offer: WorkerOffer = serde_json::from_value(json!({
        "worker": "test", "kinds": ["match"], "games": [], "programs": true,
    }))
    .expect("an offer");
    let (store, lease) = (&kit.app.store, Duration::from_secs(60));
    let taken = store.lease_job(&offer, Timestamp::now(), lease).await;
    let Some(taken) = taken.expect("the database answers") else {
        return false;
    };
    let JobWork::Match(own) = &taken.work else {
        panic!("only matches are queued");
    };
    assert_eq!(own.kind, MatchKind::Contest);
    let name = |entrant: &Option<leitai_store::MatchEntrant>| entrant.clone().map(|one| one.name);
    let winner = match name(&own.a) < name(&own.b) {
        true => MatchWinner::A,
        false => MatchWinner::B,
    };
    let result = MatchResult {
        winner,
        reason: json!({"id": "leg-wins", "en": "by games won", "zh": "胜局数"}),
        scores: json!([[1, 0], [1, 0]]),
        leg_outcomes: json!([]),
        faults: json!([]),
        fault_counts: PerSide { a: 0, b: 0 },
        longest_us: PerSide { a: None, b: None },
        replay: None,
    };
    let done = store.finish_match(&taken.lease, result, Timestamp::now());
    done.await.expect("it is recorded");
    true
}

/// What a contest shows, without the times.
async fn shown(person: &Person) -> Value {
    let mut shown = person.get("/api/contests/spring").await.ok();
    for entry in shown["entries"].as_array_mut().expect("a list") {
        entry["joined"] = Value::Null;
    }
    shown
}

/// Plays the contest to its end; the server is started again after so many matches.
async fn play_contest(reopen_after: usize) -> Value {
    let mut kit = Kit::new().await;
    with_entrants(&kit).await;
    let mut admin = kit.admin().await;
    let (mut played, mut day) = (0, -1);
    while shown(&admin).await["state"] != "finished" {
        assert!(day < 20, "it ends");
        advance(&kit, at(day)).await;
        // Twice at the same time: nothing is done twice.
        advance(&kit, at(day)).await;
        if !play_next(&kit).await {
            day += 1;
            continue;
        }
        played += 1;
        if played % reopen_after == 0 {
            let folder = kit.kill();
            kit = Kit::at(folder, kit::options()).await;
            admin = Person {
                router: kit.guest().router,
                ..admin
            };
        }
    }
    // Three rounds of three encounters, two semi-finals and the final, of two matches each.
    assert_eq!(played, 2 * (9 + 3));
    shown(&admin).await
}

#[tokio::test]
async fn a_contest_is_played_to_its_end_and_kills_change_nothing() {
    let once = play_contest(usize::MAX).await;
    let stages = once["stages"].as_array().expect("a list");
    assert_eq!(stages.len(), 2);
    let best = &stages[1]["standings"][0];
    let winner = once["entries"].as_array().expect("a list").iter();
    let winner = winner.clone().find(|entry| entry["id"] == best["entry"]);
    assert_eq!(winner.expect("an entry")["name"], "bot0");
    assert_eq!(stages[0]["standings"][0]["points"], 6.0);
    let killed = play_contest(1).await;
    assert_eq!(killed["stages"][0]["standings"], stages[0]["standings"]);
    assert_eq!(killed["stages"][1]["standings"], stages[1]["standings"]);
    assert_eq!(killed["entries"], once["entries"]);
}

#[tokio::test]
async fn standings_and_results_are_hidden_until_the_end() {
    let kit = Kit::new().await;
    with_entrants(&kit).await;
    let admin = kit.admin().await;
    advance(&kit, at(0)).await;
    assert!(play_next(&kit).await);
    let list = kit
        .guest()
        .get("/api/matches?kind=contest&state=finished")
        .await
        .ok();
    let own = &list["items"][0];
    assert_eq!((&own["winner"], &own["scores"]), (&Value::Null, &json!([])));
    let path = format!("/api/matches/{}", own["id"]);
    assert_eq!(kit.guest().get(&path).await.ok()["winner"], Value::Null);
    assert!(admin.get(&path).await.ok()["winner"].is_string());
    let search = format!("/api/search?q={}", own["id"]);
    for person in [&kit.guest(), &admin] {
        let found = person.get(&search).await.ok();
        assert_eq!(found["match"]["id"], own["id"]);
        assert_eq!(found["match"]["winner"], Value::Null);
    }
    for part in ["replay", "frames", "logs", "picture"] {
        let answer = kit.guest().get(&format!("{path}/{part}")).await;
        answer.refused(403, "contest-hidden");
    }
    let guest = shown(&kit.guest()).await;
    assert_eq!(guest["standings_shown"], false);
    assert_eq!(guest["stages"][0]["standings"], Value::Null);
    assert_eq!(guest["stages"][0]["encounters"], Value::Null);
    assert!(!guest.to_string().contains("plum-blossom"));
    assert!(shown(&admin).await["stages"][0]["standings"].is_array());
    let entry = guest["entries"][0]["id"].clone();
    let body = json!({"entry": entry, "why": "a copy of another"});
    let out = admin.post("/api/contests/spring/disqualify", body).await;
    assert_eq!(out.status, 204, "{}", out.text());
    let guest = shown(&kit.guest()).await;
    assert_eq!(guest["entries"][0]["left"], "disqualified");
}

#[tokio::test]
async fn a_contest_is_published_by_administrators_with_a_sound_file() {
    let kit = Kit::new().await;
    let (ada, root) = (kit.person("ada").await, kit.admin().await);
    let body = json!({"file": FILE});
    let refused = ada.post("/api/contests", body.clone()).await;
    refused.refused(403, "not-admin");
    let nonsense = FILE.replace("swiss", "swis").replace("kob", "chess");
    let nonsense = nonsense.replace("least = 2", "least = 2\nteam-sise = 9");
    let answer = root.post("/api/contests", json!({"file": nonsense})).await;
    assert_eq!(answer.status, 422);
    let said: Value = serde_json::from_slice(&answer.bytes).expect("JSON");
    let problems = said["problems"].as_array().expect("a list");
    assert_eq!(problems.len(), 3, "{said}");
    assert!(
        problems
            .iter()
            .all(|one| one["line"].is_u64() && one["cure"]["zh"].is_string())
    );
    assert_eq!(root.post("/api/contests", body.clone()).await.status, 201);
    root.post("/api/contests", body).await.refused(409, "taken");
    let (bot, _) = kit.ready_bot(&ada, "one").await;
    let join = |code: &str| json!({"bot": bot.id, "code": code});
    let path = "/api/contests/spring/join";
    ada.post(path, join("plum"))
        .await
        .refused(403, "contest-code");
    assert_eq!(ada.post(path, join("plum-blossom")).await.status, 201);
    ada.post(path, join("plum-blossom"))
        .await
        .refused(409, "refused");
    advance(&kit, at(0)).await;
    let over = shown(&ada).await;
    assert_eq!(over["state"], "annulled", "one entrant is too few");
    let list = kit.guest().get("/api/contests").await.ok();
    assert_eq!(list["items"][0]["id"], "spring");
}
