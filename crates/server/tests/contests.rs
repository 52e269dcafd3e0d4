//! Contests from their publication to the final standings, in virtual time.

use crate::kit;
use crate::kit::each;
use crate::worker_kit::{By, FIRST_LEGAL, WorkerKit, kob};

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use kit::{Kit, Person, by_operator, plain_result, says, telling_replay};
use leitai_game::{AnySetup, ByEntrant};
use leitai_server::contests::advance::advance_contests;
use leitai_server::contests::rules::{publish_contest, read_new_rules};
use leitai_server::live::LiveMatchStart;
use leitai_server::recount::{RecountPace, recount_all};
use leitai_server::work::results::record_result;
use leitai_store::{
    JobKind, JobWork, Match, MatchId, MatchKind, MatchResult, MatchWinner, PerSide, RecordOutcome,
    Timestamp, WorkerOffer,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_tungstenite::{connect_async, tungstenite};

pub const FILE: &str = r#"
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
    ok!(advance_contests(&app.games, &app.store, now));
}

/// Six people with a bot each, who have joined. The bots' names say how strong they are.
pub async fn with_entrants(kit: &Kit) -> Vec<Person> {
    with_entrants_of(kit, FILE).await
}

/// The same of another file.
pub async fn with_entrants_of(kit: &Kit, file: &str) -> Vec<Person> {
    let by = by_operator(Timestamp::now());
    let rules = read_new_rules(&kit.app.games, file).expect("it is sound");
    ok!(publish_contest(
        &kit.app.store,
        &rules,
        (file.to_owned(), Vec::new()),
        Some(7),
        by
    ));
    let mut people = Vec::new();
    for number in 0..6 {
        let person = kit.person(&format!("p{number}")).await;
        let (bot, _) = kit.ready_bot(&person, &format!("bot{number}")).await;
        let body = json!({"bot": bot.id, "code": "plum-blossom"});
        answers!(person.post("/api/contests/spring/join", body) => 201);
        people.push(person);
    }
    people
}

/// Plays one queued match: the bot with the smaller name wins. False if none is queued.
pub async fn play_next(kit: &Kit) -> bool {
    let reason = json!({"id": "leg-wins", "en": "by games won", "zh": "胜局数"});
    play_told(kit, reason, json!([])).await.is_some()
}

/// Plays one queued match with this reason and these faults.
async fn play_told(kit: &Kit, reason: Value, faults: Value) -> Option<MatchId> {
    let offer: WorkerOffer = serde_json::from_value(json!({
        "worker": "test", "kinds": ["match"], "games": [], "programs": true, "wire": 9,
    }))
    .expect("an offer");
    let (store, lease) = (&kit.app.store, Duration::from_secs(60));
    let taken = store.lease_job(&offer, Timestamp::now(), lease).await;
    let taken = taken.expect("the database answers")?;
    let JobWork::Match(own) = &taken.work else {
        panic!("only matches are queued");
    };
    assert_eq!(own.kind, MatchKind::Contest);
    let name = |entrant: &Option<leitai_store::MatchEntrant>| entrant.clone().map(|one| one.name);
    let winner = match name(&own.a) < name(&own.b) {
        true => MatchWinner::A,
        false => MatchWinner::B,
    };
    let (id, replay) = (own.id, telling_replay().to_text());
    let result = MatchResult {
        reason,
        scores: json!([[1, 0], [1, 0]]),
        fault_counts: PerSide {
            a: 0,
            b: faults.as_array().map_or(0, Vec::len) as i32,
        },
        faults,
        ..plain_result(winner)
    };
    let blobs = &kit.app.blobs;
    let done = record_result(store, blobs, &taken.lease, id, replay, result).await;
    fits!(done => Ok(RecordOutcome::Recorded { .. }));
    Some(id)
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
    has!(killed, {"/stages/0/standings": stages[0]["standings"],
        "/stages/1/standings": stages[1]["standings"], "entries": once["entries"]});
}

#[tokio::test]
async fn handicaps_are_limits_of_those_whom_the_file_means() {
    let kit = Kit::new().await;
    let champion = kit.person("champion").await;
    let file = FILE.replace(
        "[dates]",
        "[[matches.handicaps]]\naccounts = [\"Champion\"]\ntime-limit = \"20ms\"\n\
         [[matches.handicaps]]\nlanguages = [\"python\", \"rust\"]\ntime-limit = \"500ms\"\nmemory = \"128MiB\"\n\
         [[matches.handicaps]]\nlanguages = [\"cpp\"]\ntime-limit = \"10ms\"\n[dates]",
    );
    with_entrants_of(&kit, &file).await;
    let (bot, _) = kit.ready_bot(&champion, "best").await;
    let body = json!({"bot": bot.id, "code": "plum-blossom"});
    answers!(champion.post("/api/contests/spring/join", body) => 201);
    advance(&kit, at(0)).await;
    let mut seen = BTreeSet::new();
    for id in 1..=6 {
        let own = ok!(kit.app.store.match_by_id(MatchId(id)));
        for side in [own.a, own.b].into_iter().flatten() {
            let least = match side.name == "best" {
                true => "@limit=20ms @memory=128MiB",
                false => "@limit=500ms @memory=128MiB",
            };
            assert_eq!(side.settings.as_deref(), Some(least), "{side:?}");
            seen.insert(side.name);
        }
    }
    // One of seven has a bye.
    assert!(seen.contains("best") && seen.len() == 6, "{seen:?}");
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
    assert_eq!(list["items"], json!([]), "who meets whom tells who won");
    let first = &shown(&admin).await["stages"][0]["encounters"][0]["matches"][0]["id"];
    let path = format!("/api/matches/{first}");
    refused!(kit.guest().get(&path) => 403, "contest-hidden");
    assert!(admin.get(&path).await.ok()["winner"].is_string());
    for person in [&kit.guest(), &admin] {
        let found = person.get(&format!("/api/search?q={first}")).await.ok();
        assert_eq!(found["match"], Value::Null, "a search is the same for all");
    }
    for part in ["replay", "frames", "logs", "picture"] {
        refused!(kit.guest().get(&format!("{path}/{part}")) => 403, "contest-hidden");
    }
    let guest = shown(&kit.guest()).await;
    has!(guest, {"standings_shown": false, "/stages/0/standings": null,
        "/stages/0/encounters": null});
    assert!(!guest.to_string().contains("plum-blossom"));
    assert!(shown(&admin).await["stages"][0]["standings"].is_array());
    let entry = guest["entries"][0]["id"].clone();
    let body = json!({"entry": entry, "why": "a copy of another"});
    answers!(admin.post("/api/contests/spring/disqualify", body) => 204);
    let guest = shown(&kit.guest()).await;
    assert_eq!(guest["entries"][0]["left"], "disqualified");
}

#[tokio::test]
async fn chances_to_win_are_shown_while_a_stage_runs() {
    let kit = Kit::new().await;
    with_entrants(&kit).await;
    let admin = kit.admin().await;
    advance(&kit, at(0)).await;
    for _ in 0..6 {
        assert!(play_next(&kit).await);
        advance(&kit, at(0)).await;
    }
    let running = shown(&admin).await;
    let rows = running["stages"][0]["standings"].as_array();
    let rows = rows.expect("an administrator sees them").iter();
    let chances: Vec<[f64; 2]> = rows
        .map(|row| {
            let chances = &row["chances"];
            let places = chances["places"].as_array().expect("two places");
            let [best, worst] = [0, 1].map(|at| places[at].as_u64().expect("a place"));
            assert!((1..=6).contains(&best) && best <= worst && worst <= 6);
            ["first", "win"].map(|key| chances[key].as_f64().expect("a chance"))
        })
        .collect();
    for kind in [0, 1] {
        let sum: f64 = chances.iter().map(|row| row[kind]).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{chances:?}");
        // Three encounters are over: the first three of the standings have won theirs.
        assert!(chances[0][kind] > chances[5][kind], "{chances:?}");
    }
    // The final among four is still to come.
    assert!(chances[0][1] < 1.0, "{chances:?}");
    let again = shown(&admin).await;
    has!(again, {"/stages/0/standings": running["stages"][0]["standings"]});
    let mut day = 0;
    while shown(&admin).await["state"] != "finished" {
        if !play_next(&kit).await {
            day += 1;
        }
        advance(&kit, at(day)).await;
    }
    let over = shown(&kit.guest()).await;
    for stage in over["stages"].as_array().expect("a list") {
        for row in stage["standings"].as_array().expect("they are shown now") {
            assert_eq!(row["chances"], Value::Null);
        }
    }
}

/// A word of the reason, and a code of the fault, of the match that is hidden.
const MARKS: [&str; 4] = [
    "reason-mark",
    "fault-mark",
    "\"winner\":\"a\"",
    "\"winner\":\"b\"",
];

/// Every address of the API that can be read, for this match and this bot, and the pages whose
/// previews speak of them. Streams are not among them.
pub fn readable_addresses(own: &Match, contest: &str) -> Vec<String> {
    let api = include_str!("../../../docs/openapi.json");
    let api: Value = serde_json::from_str(api).expect("JSON");
    let bot = own.b_bot.expect("a bot");
    let version = own.b.as_ref().and_then(|one| one.version);
    let version = version.expect("a version");
    let ids = [
        ("/api/matches/", own.id.to_string()),
        ("/api/bots/", bot.to_string()),
        ("/api/versions/", version.to_string()),
        ("/api/contests/", contest.to_owned()),
    ];
    let paths = api["paths"].as_object().expect("an object").iter();
    let paths = paths.filter(|(path, ways)| ways["get"].is_object() && !path.ends_with("/live"));
    let mut all: Vec<String> = paths
        .map(|(path, _)| {
            let id = ids.iter().find(|(start, _)| path.starts_with(start));
            path.replace("{id}", id.map_or("1", |(_, id)| id))
                .replace("{game}", "kob")
                .replace("{name}", "p0")
                .replace("{code}", "none")
        })
        .collect();
    let id = own.id;
    all.extend([
        format!("/api/search?q={id}"),
        format!("/api/search?q=%23{id}"),
        format!("/api/oembed?url=http://arena.test/matches/{id}"),
        format!("/api/feeds/results?bot={bot}"),
        "/api/feeds/results?game=kob".to_owned(),
        format!("/api/matches?bot={bot}"),
        "/api/matches?kind=contest&state=finished".to_owned(),
        format!("/matches/{id}"),
        format!("/embed/matches/{id}"),
        format!("/bots/{bot}"),
    ]);
    all
}

/// The addresses whose answers tell how the match went, or that these two met.
pub async fn telling_addresses(person: &Person, own: &Match, all: &[String]) -> Vec<String> {
    let summary = format!("\"id\":{},\"game\":\"kob\",\"kind\"", own.id);
    let mut telling = Vec::new();
    for path in all {
        let text = person.get(path).await.text();
        if MARKS.iter().any(|mark| text.contains(mark)) || text.contains(&summary) {
            telling.push(path.clone());
        }
    }
    telling
}

#[tokio::test]
async fn nothing_that_can_be_read_tells_a_hidden_result() {
    let kit = Kit::new().await;
    let people = with_entrants(&kit).await;
    advance(&kit, at(0)).await;
    let reason = json!({"id": "reason-mark", "en": "by reason-mark", "zh": "reason-mark"});
    let fault = json!([{"entrant": "b", "code": "fault-mark", "leg": 1, "round": 1, "step": 0}]);
    let id = play_told(&kit, reason, fault).await.expect("one is queued");
    let own = kit.app.store.match_by_id(id).await.expect("it is there");
    let all = readable_addresses(&own, "spring");
    for person in people.iter().chain([&kit.guest()]) {
        let telling = telling_addresses(person, &own, &all).await;
        assert_eq!(telling, Vec::<String>::new());
        let path = format!("/api/matches/{id}/replay");
        person.get(&path).await.refused(403, "contest-hidden");
        let path = format!("/api/matches/{id}/picture");
        person.get(&path).await.refused(403, "contest-hidden");
    }
    let page = format!("/bots/{}", own.b_bot.expect("a bot"));
    let page = kit.guest().get(&page).await.text();
    assert!(!page.contains("/picture"), "it cannot be seen");
    running_contest_match_is_hidden(&kit).await;

    // The same addresses tell it once the contest is over.
    let admin = kit.admin().await;
    let path = format!("/api/matches/{id}");
    assert!(admin.get(&path).await.text().contains("reason-mark"));
    let body = json!({"why": "no hall"});
    answers!(admin.post("/api/contests/spring/annul", body) => 204);
    let telling = telling_addresses(&kit.guest(), &own, &all).await;
    let bot = own.b_bot.expect("a bot");
    for path in [
        path,
        "/api/matches".to_owned(),
        format!("/api/bots/{bot}/matches"),
        format!("/api/bots/{bot}/faults"),
        format!("/api/search?q={id}"),
        format!("/api/feeds/results?bot={bot}"),
        "/api/contests/spring".to_owned(),
    ] {
        assert!(telling.contains(&path), "{path} is not among {telling:?}");
    }
    let path = format!("/api/matches/{id}/replay");
    assert_eq!(kit.guest().get(&path).await.status, 200);
}

/// A match that is played and shown live: nobody sees how far it is, and nobody watches it.
async fn running_contest_match_is_hidden(kit: &Kit) {
    let taken = kit.take(JobKind::Match).await;
    let JobWork::Match(own) = &taken.work else {
        panic!("only matches are queued");
    };
    let game = kit.app.find_game("kob").expect("a built-in game");
    let setup: Arc<dyn AnySetup> = game.deal_setup(&Value::Null, 7).expect("the default");
    let (id, live) = (own.id.0, &kit.app.arena.live);
    live.begin_match(LiveMatchStart {
        id,
        game,
        setup,
        legs: 2,
        entrants: ByEntrant::new("one".into(), "two".into()),
        has_people: false,
    });
    live.begin_leg(id, 0);
    assert!(live.match_state(id).is_some(), "it is shown live");
    let status = kit.guest().get("/api/status").await.ok();
    assert_eq!(status["live"], json!([]));
    refused!(kit.guest().get(&format!("/api/matches/{id}")) => 403, "contest-hidden");

    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let router = leitai_server::build_router(kit.app.clone());
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    let served = tokio::spawn(async move { axum::serve(listener, service).await });
    let watched = connect_async(format!("ws://{address}/api/matches/{id}/live")).await;
    let Err(tungstenite::Error::Http(refused)) = watched else {
        panic!("a hidden match is watched");
    };
    assert_eq!(refused.status(), 403);
    served.abort();
    live.end_match(id);
}

#[tokio::test]
async fn a_contest_is_published_by_administrators_with_a_sound_file() {
    let kit = Kit::new().await;
    let (ada, root) = (kit.person("ada").await, kit.admin().await);
    let body = json!({"file": FILE});
    refused!(ada.post("/api/contests", body.clone()) => 403, "not-organiser");
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
    refused!(ada.post(path, join("plum")) => 403, "contest-code");
    assert_eq!(ada.post(path, join("plum-blossom")).await.status, 201);
    refused!(ada.post(path, join("plum-blossom")) => 409, "refused");
    advance(&kit, at(0)).await;
    let over = shown(&ada).await;
    assert_eq!(over["state"], "annulled", "one entrant is too few");
    let list = kit.guest().get("/api/contests").await.ok();
    assert_eq!(list["items"][0]["id"], "spring");
}

/// The contest's file with other words.
fn changed(words: &[(&str, &str)]) -> Value {
    let mut file = FILE.to_owned();
    for (from, to) in words {
        assert!(file.contains(from), "{from}");
        file = file.replace(from, to);
    }
    json!({"file": file})
}

#[tokio::test]
async fn an_organiser_moves_what_has_not_happened() {
    let kit = Kit::new().await;
    let people = with_entrants(&kit).await;
    let (admin, path) = (kit.admin().await, "/api/contests/spring/update");
    let later = ("freezes = 2035-01-01", "freezes = 2035-01-02");
    refused!(people[0].post(path, changed(&[later])) => 403, "not-organiser");
    let fixed = [
        ("id = \"spring\"", "id = \"autumn\""),
        ("opens = 2025-01-01", "opens = 2025-01-02"),
        ("freezes = 2035-01-01", "freezes = 2026-01-01"),
    ];
    for words in fixed {
        refused!(admin.post(path, changed(&[words])) => 409, "fixed-part");
    }
    answers!(admin.post(path, changed(&[("swiss", "swis")])) => 422);
    answers!(admin.post(path, changed(&[later, ("\"Spring\"", "\"Spring Cup\"")])) => 200);
    advance(&kit, at(0)).await;
    let shown_now = shown(&kit.guest()).await;
    assert_eq!(shown_now["state"], "open", "the freeze has moved");
    assert_eq!(shown_now["title"]["en"], "Spring Cup");
    assert_eq!(
        shown_now["file"],
        Value::Null,
        "only organisers read the code in it"
    );
    let change = &shown_now["changes"][0];
    has!(change, {"action": "update", "by": "root"});
    let keys = each(&change["detail"]["changes"], "key");
    assert_eq!(keys, ["title", "dates.freezes"]);

    advance(&kit, at(2)).await;
    assert_eq!(shown(&admin).await["state"], "running");
    let stage = ("rounds = 3", "rounds = 4");
    for words in [
        ("freezes = 2035-01-02T00", "freezes = 2035-01-02T09"),
        stage,
    ] {
        let refused = admin.post(path, changed(&[later, words])).await;
        says(&refused.text(), &["cannot change any more"]);
    }
    let file = changed(&[later, ("starts = 2035-01-03", "starts = 2035-02-03")]);
    assert_eq!(admin.post(path, file).await.status, 200);
    let rules = &shown(&admin).await["rules"];
    assert_eq!(rules["stages"][1]["starts"], at(33).0 / 1000);
}

/// Plays until the contest has this state, from this day on.
async fn play_until(kit: &Kit, admin: &Person, state: &str, mut day: i64) -> i64 {
    loop {
        advance(kit, at(day)).await;
        if shown(admin).await["state"] == state {
            return day;
        }
        assert!(day < 40, "it ends");
        if !play_next(kit).await {
            day += 1;
        }
    }
}

#[tokio::test]
async fn results_are_taken_back_and_played_again() {
    let kit = Kit::new().await;
    with_entrants(&kit).await;
    let admin = kit.admin().await;
    let post = async |action: &str, body: Value| {
        admin
            .post(&format!("/api/contests/spring/{action}"), body)
            .await
    };
    let day = play_until(&kit, &admin, "finished", 0).await;
    let before = shown(&admin).await;
    assert_eq!(before["copies"], Value::Null, "not counted yet");
    recount(&kit).await;
    // Every match has the same replay of two legs; who meets in both stages plays copies.
    let counted = shown(&kit.guest()).await;
    assert_eq!(counted["copies"], json!({"games": 48, "copies": 12}));
    assert_eq!(counted["stages"], before["stages"], "the results stand");
    let first = before["stages"][0]["encounters"][0]["matches"][0]["id"].clone();
    let why = "the worker had no memory";
    let replay = json!({"match": first, "why": why});
    let refused = post("take-back-match", replay.clone()).await;
    refused.refused(409, "refused");
    says(&refused.text(), &["take that stage back first"]);
    refused!(post("take-back-match", json!({"match": first, "why": " "})) => 422, "bad-field");
    let refused = post("take-back-stage", json!({"stage": 1, "why": why})).await;
    says(&refused.text(), &["take that stage back first"]);
    let refused = post("take-back-stage", json!({"stage": 3, "why": why})).await;
    says(&refused.text(), &["has not begun"]);

    // The final match alone: the contest that had ended goes on, and ends again.
    let finals = before["stages"][1]["encounters"]
        .as_array()
        .expect("a list");
    let last = finals[2]["matches"][1]["id"].clone();
    answers!(post("take-back-match", json!({"match": last, "why": why})) => 204);
    let guest = shown(&kit.guest()).await;
    assert_eq!(guest["state"], "running");
    assert_eq!(shown(&admin).await["copies"], Value::Null);
    assert_eq!(
        guest["changes"][0]["detail"]["was"],
        Value::Null,
        "results are hidden again"
    );
    assert_eq!(shown(&admin).await["changes"][0]["detail"]["was"], "b");
    play_until(&kit, &admin, "finished", day).await;
    let again = shown(&admin).await;
    let matches = again["stages"][1]["encounters"][2]["matches"]
        .as_array()
        .expect("a list");
    let taken = matches.iter().filter(|one| one["taken_back"].is_string());
    assert_eq!(
        (matches.len(), taken.count()),
        (3, 1),
        "the old result stays visible"
    );
    has!(again, {"/stages/1/standings": before["stages"][1]["standings"]});
    refused!(post("take-back-match", json!({"match": last, "why": why})) => 409, "refused");

    // The whole final, then a match of the stage before it.
    answers!(post("take-back-stage", json!({"stage": 2, "why": why})) => 204);
    assert_eq!(
        shown(&admin).await["stages"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(post("take-back-match", replay).await.status, 204);
    play_until(&kit, &admin, "finished", day).await;
    let again = shown(&admin).await;
    for stage in [0, 1] {
        has!(again["stages"][stage], {"standings": before["stages"][stage]["standings"]});
    }
    let actions = "finish replay-match take-back-stage finish replay-match finish freeze publish";
    let actions: Vec<&str> = actions.split(' ').collect();
    assert_eq!(each(&again["changes"], "action"), actions);
    annulled_contests_stay(&kit, &admin).await;
    exported(&kit, &admin).await;
}

async fn recount(kit: &Kit) {
    ok!(recount_all(
        &kit.app.storage(),
        RecountPace::AtOnce,
        |_, _| ()
    ));
}

async fn annulled_contests_stay(kit: &Kit, admin: &Person) {
    let file = FILE.replace("\"spring\"", "\"void-cup\"");
    answers!(admin.post("/api/contests", json!({"file": file})) => 201);
    let why = json!({"why": "no hall"});
    answers!(admin.post("/api/contests/void-cup/annul", why) => 204);
    let body = json!({"stage": 1, "why": "x"});
    refused!(admin.post("/api/contests/void-cup/take-back-stage", body) => 409, "refused");
    advance(kit, at(5)).await;
}

/// The ZIP of the contest that is over.
async fn exported(kit: &Kit, admin: &Person) {
    let path = "/api/contests/spring/export";
    kit.guest().get(path).await.refused(401, "login");
    let answer = admin.get(path).await;
    assert_eq!(answer.status, 200);
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(answer.bytes)).expect("a zip");
    let mut read = |name: &str| {
        let mut text = String::new();
        let mut file = zip.by_name(name).expect(name);
        std::io::Read::read_to_string(&mut file, &mut text).expect("UTF-8");
        text
    };
    let standings = read("standings.csv");
    assert_eq!(standings.lines().count(), 1 + 6 + 4, "{standings}");
    assert!(standings.contains("2,1,bot0,p0,1,"), "{standings}");
    let rows: Value = serde_json::from_str(&read("matches.json")).expect("JSON");
    let rows = rows.as_array().expect("a list");
    let taken = rows
        .iter()
        .filter(|row| row["taken-back"].is_string())
        .count();
    // One match of the first stage, one of the final, and then the six that the final has, of which
    // one was taken back before.
    assert_eq!((rows.len(), taken), (18 + 1 + 6 + 1 + 6, 1 + 7), "{taken}");
    assert_eq!(read("matches.csv").lines().count(), 1 + rows.len());
    for row in rows {
        let replay = read(row["replay"].as_str().expect("each has its replay"));
        assert!(!replay.contains("secret"));
        leitai_game::Replay::parse(&replay).expect("a replay");
    }
    let report = read("report.html");
    says(&report, &["春季赛", "<td>bot0</td>"]);
    assert!(read("contest.toml").contains("plum-blossom"));
}

/// A bot of a new team with this person as its captain; returns the bot and the team's code.
async fn team_of(
    kit: &Kit,
    captain: &Person,
    name: &str,
    size: i32,
) -> (leitai_store::Bot, String) {
    let new = json!({"name": name, "size": size});
    let team = captain.post("/api/teams", new).await.ok();
    let (bot, _) = kit.ready_bot(captain, &format!("{name}-bot")).await;
    let path = format!("/api/bots/{}/team", bot.id);
    captain.post(&path, json!({"team": team["id"]})).await.ok();
    (bot, team["code"].as_str().expect("a code").to_owned())
}

#[tokio::test]
async fn teams_enter_and_everybody_plays_for_one_of_them() {
    let kit = Kit::new().await;
    let admin = kit.admin().await;
    let file = changed(&[("least = 2", "least = 2\nteam-size = 2")]);
    assert_eq!(admin.post("/api/contests", file).await.status, 201);
    let mut people = Vec::new();
    for name in ["ann", "bob", "cara", "dan", "eve"] {
        people.push(kit.person(name).await);
    }
    let [ann, bob, cara, dan, eve] = &people[..] else {
        unreachable!("five people")
    };
    let (red, red_code) = team_of(&kit, ann, "red", 2).await;
    post!(bob, "/api/teams/join", {"code": red_code});
    let (blue, blue_code) = team_of(&kit, dan, "blue", 3).await;
    post!(eve, "/api/teams/join", {"code": blue_code});
    let join = async |person: &Person, bot: &leitai_store::Bot| {
        let body = json!({"bot": bot.id, "code": "plum-blossom"});
        person.post("/api/contests/spring/join", body).await
    };
    refused!(cara.post("/api/teams/join", json!({"code": "0000"})) => 404, "not-found");
    join(cara, &red).await.refused(403, "not-yours");
    // Every member enters the bot of the team.
    let entered = join(bob, &red).await;
    assert_eq!(entered.status, 201, "{}", entered.text());
    assert_eq!(entered.ok()["team"], "red");
    let (own, _) = kit.ready_bot(ann, "ann-bot").await;
    let twice = join(ann, &own).await;
    twice.refused(409, "refused");
    says(
        &twice.text(),
        &["ann is in contest spring with red-bot already"],
    );
    let (single, _) = kit.ready_bot(cara, "cara-bot").await;
    assert_eq!(join(cara, &single).await.status, 201);
    assert_eq!(join(dan, &blue).await.status, 201);
    let (fourth, _) = kit.ready_bot(&kit.person("fay").await, "fay-bot").await;
    assert_eq!(join(&admin, &fourth).await.status, 201);

    // A team that grows, and somebody who joins a second team, are found at the freeze.
    post!(bob, "/api/teams/join", {"code": blue_code});
    refused!(join(dan, &blue) => 409, "refused");
    advance(&kit, at(0)).await;
    let shown = shown(&admin).await;
    let entries = shown["entries"].as_array().expect("a list");
    let left: Vec<(&str, &Value)> = entries
        .iter()
        .map(|entry| (entry["name"].as_str().unwrap_or_default(), &entry["left"]))
        .collect();
    let null = &Value::Null;
    let withdrawn = &json!("withdrawn");
    assert_eq!(
        left,
        [
            ("red-bot", null),
            ("cara-bot", null),
            ("blue-bot", withdrawn),
            ("fay-bot", null)
        ]
    );
    has!(entries, {"/2/why/en": "its team has 3 members; in this contest teams have at most 2"});
    assert_ne!(entries[2]["why"]["zh"], entries[2]["why"]["en"]);
}

#[tokio::test]
async fn a_contest_of_a_group_is_for_its_members() {
    let kit = Kit::new().await;
    let [ann, bob] = kit.people(["ann", "bob"]).await;
    let admin = kit.admin().await;
    let file = changed(&[("who = \"code\"", "who = \"group\"\ngroup = \"AI 2026\"")]);
    let refused = admin.post("/api/contests", file.clone()).await;
    assert_eq!(refused.status, 422);
    let text = refused.text();
    says(&text, &["the arena has no group", "\"line\":9"]);
    let group = json!({"name": "AI 2026", "team_size": 1, "organiser": "ann"});
    assert_eq!(admin.post("/api/groups", group).await.status.as_u16(), 201);
    answers!(admin.post("/api/contests", file) => 201);
    for (person, name, status) in [(&ann, "one", 201), (&bob, "two", 403)] {
        let (bot, _) = kit.ready_bot(person, name).await;
        let joined = person
            .post("/api/contests/spring/join", json!({"bot": bot.id}))
            .await;
        assert_eq!(joined.status, status, "{}", joined.text());
    }
}

/// Clocks, kept files and a handicap of a contest's file stand in the replays that real workers make.
#[test]
fn clocks_and_handicaps_of_a_contest_are_in_its_replays() {
    let worker_kit = WorkerKit::of_games(kob());
    let store = &worker_kit.app.store;
    let (bot, version) = worker_kit.upload("kob", "climber", "bot.py", FIRST_LEGAL);
    worker_kit.work_until(By::Process, || worker_kit.is_checked(&version));
    let file = FILE.replace(
        "[dates]",
        "[matches]\nlegs = 1\ntime-limit = \"2s\"\nbank = \"60s\"\nincrement = \"500ms\"\ngrace = \"200ms\"\n\
         strikes = 3\nkeep = \"match\"\n[[matches.handicaps]]\nlanguages = [\"python\"]\ntime-limit = \"900ms\"\n[dates]",
    );
    let by = by_operator(Timestamp::now());
    let rules = read_new_rules(&worker_kit.app.games, &file).expect("it is sound");
    let safe = worker_kit.bot("kob", "safe");
    worker_kit.wait_for(async {
        let file = (file.clone(), Vec::new());
        let contest = publish_contest(store, &rules, file, Some(7), by).await;
        let contest = contest.expect("it is published").id;
        for bot in [&bot, &safe] {
            ok!(store.join_contest(contest, bot.id, (8, 1), by));
        }
        ok!(advance_contests(&worker_kit.app.games, store, at(0)));
    });
    let first = store.contest_matches(leitai_store::ContestId(1), Some(0));
    let first = worker_kit.ok(first)[0].match_id;
    worker_kit.work_until(By::Process, || worker_kit.is_over(first));
    let replay = json!(worker_kit.replay(&worker_kit.read(first)));
    has!(replay["limits"], {"period_ms": 2000, "bank_ms": 60_000, "increment_ms": 500, "grace_ms": 200,
        "strikes": 3, "keeps": true});
    let text = replay.to_string();
    assert!(text.contains("@limit=900ms"), "{text}");
}
