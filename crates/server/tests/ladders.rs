//! Further ladders of a game, over HTTP.

use std::time::Duration;

use leitai_game::ByEntrant;
use leitai_server::ladders::LadderOptions;
use leitai_server::ladders::file::read_ladders;
use leitai_server::schedule::{ScheduleOptions, Scheduler};
use leitai_server::work::match_result::match_result;
use leitai_server::work::results::record_result;
use leitai_store::{JobKind, LadderId, MatchKind, RecordOutcome, Timestamp};
use serde_json::{Value, json};

use crate::kit::{self, Kit, Person, says};
use crate::worker_kit::kob;

/// A ladder with boards and seeds of its own.
const LADDERS: &str = r#"
[[ladder]]
game = "kob"
name = "small"
title = "Small boards"
title_zh = "小棋盘"
configs = [{ rows = 9, cols = 8, inner_pairs = 4 }, { rows = 9, cols = 10, inner_pairs = 5 }]
seeds = [11, 12]
"#;

fn ladders() -> LadderOptions {
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("ladders.toml");
    std::fs::write(&file, LADDERS).expect("there is room");
    LadderOptions {
        further: read_ladders(&file, leitai_games::ALL).expect("it is sound"),
        ..LadderOptions::default()
    }
}

async fn arena() -> Kit {
    Kit::changed(|to| {
        to.ladders = ladders();
        to.rest_after = 0;
    })
    .await
}

/// The scheduler of King of Bots alone, without its built-in bots.
async fn scheduler(kit: &Kit) -> Scheduler {
    let options = ScheduleOptions {
        exhibitions: false,
        ladders: kit.app.options.ladders.clone(),
        ..ScheduleOptions::new("test", 1)
    };
    let small = [LadderId::new("kob", "small")];
    ok!(kit.app.store.open_ladders("kob", &small));
    Scheduler::new(kob(), kit.app.store.clone(), options)
}

fn rows(list: &Value) -> &Vec<Value> {
    list["items"].as_array().expect("a list")
}

fn names(list: &Value) -> Vec<&str> {
    let names = rows(list).iter().map(|row| row["bot"]["name"].as_str());
    names.map(|name| name.expect("a name")).collect()
}

#[tokio::test]
async fn each_ladder_is_fed_with_its_own_configs_and_seeds() {
    let kit = arena().await;
    let mut scheduler = scheduler(&kit).await;
    let ada = kit.person("ada").await;
    for name in ["one", "two"] {
        kit.ready_bot(&ada, name).await;
    }
    let about = kit.guest().get("/api/games/kob").await.ok();
    let [standard, small] = &about["ladders"].as_array().expect("a list")[..] else {
        panic!("{about}")
    };
    has!(standard, {"name": "standard", "configs": [about["ladder_config"]]});
    has!(small, {"name": "small", "/title/zh": "小棋盘", "seeds": [11, 12], "size": 2});
    let list = kit.guest().get("/api/games").await.ok();
    let games = list.as_array().expect("a list");
    for game in games.iter().filter(|game| game["id"] != "kob") {
        assert_eq!(game["ladders"].as_array().map(Vec::len), Some(1), "{game}");
    }
    let listed = games.iter().find(|game| game["id"] == "kob");
    let short = json!({"name": "small", "title": small["title"], "size": 2, "divisions": 0});
    assert_eq!(listed.expect("it is there")["ladders"][1], short);
    for at in 0..8 {
        let at = Timestamp::now().after(Duration::from_secs(at));
        scheduler.create_matches(at).await.expect("it schedules");
        let pending = kit.guest().get("/api/matches?state=queued").await.ok();
        for _ in rows(&pending) {
            kit.finish_next().await;
        }
    }
    let of = async |ladder: &str| {
        let path = format!("/api/matches?game=kob&limit=100&ladder={ladder}");
        let list = kit.guest().get(&path).await.ok();
        let mut played = Vec::new();
        for own in rows(&list) {
            has!(own, {"kind": "ladder", "ladder": ladder});
            played.push(get!(kit.guest(), "/api/matches/{}", own["id"]));
        }
        played
    };
    let standard = of("standard").await;
    assert!(!standard.is_empty());
    for own in &standard {
        assert_eq!(own["config"]["rows"], 13);
        assert!(own["seed"].as_u64().is_some_and(|seed| seed > 12));
    }
    let small = of("small").await;
    assert!(small.len() >= 8, "{}", small.len());
    for own in &small {
        assert_eq!(own["config"]["rows"], 9);
        let cols = own["config"]["cols"].as_u64().expect("a number");
        let pairs = own["config"]["inner_pairs"].as_u64().expect("a number");
        assert!(matches!((cols, pairs), (8, 4) | (10, 5)), "{cols} {pairs}");
        assert!(matches!(own["seed"].as_u64(), Some(11 | 12)));
    }
    for path in "/api/matches?ladder=small /api/matches?game=kob&ladder=huge".split_whitespace() {
        let refused = kit.guest().get(path).await;
        assert!(matches!(refused.status.as_u16(), 404 | 422), "{path}");
    }
}

/// Cells, Nash average and cycle of three bots that beat each other in a circle, twelve times each.
#[tokio::test]
async fn a_ladder_says_who_beats_whom() {
    let all = |list: &Value| list.as_array().expect("a list").clone();
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let mut bots = Vec::new();
    for name in ["rock", "paper", "scissors"] {
        bots.push(kit.ready_bot(&ada, name).await.0);
    }
    let path = "/api/games/kob/payoffs";
    assert_eq!(kit.guest().get(path).await.ok()["nash"], json!([]));
    for _ in 0..12 {
        for (winner, loser) in [(0, 2), (1, 0), (2, 1)] {
            kit.ladder_match([&bots[winner], &bots[loser]]).await;
        }
    }
    let own = kit.guest().get(path).await.ok();
    let groups = all(&own["groups"]);
    assert_eq!(groups.len(), 3, "{own}");
    let place = |name: &str| {
        let found = groups.iter().position(|group| group["name"] == name);
        found.expect("a group of one")
    };
    let cell = |one: &str, other: &str| &own["cells"][place(one)][place(other)];
    assert_eq!(cell("rock", "rock"), &Value::Null);
    for (winner, loser) in [
        ("rock", "scissors"),
        ("paper", "rock"),
        ("scissors", "paper"),
    ] {
        let (won, lost) = (cell(winner, loser), cell(loser, winner));
        assert_eq!(
            (&won["wins"], &won["share"], &lost["losses"]),
            (&json!(12), &json!(1.0), &json!(12))
        );
        // Wilson's interval of 12 of 12: 1 / (1 + z² / 12).
        let low = won["interval"][0].as_f64().expect("a bound");
        assert!(
            (low - 1.0 / (1.0 + 1.959_964_f64.powi(2) / 12.0)).abs() < 1e-6,
            "{low}"
        );
    }
    for one in all(&own["nash"]) {
        let share = one["share"].as_f64().expect("a share");
        assert!(
            (share - 1.0 / 3.0).abs() < 1e-6 && one["rating"].is_number(),
            "{one}"
        );
    }
    assert_eq!(all(&own["cycles"]).len(), 1, "{own}");
    let hard = get!(kit.guest(), "{path}/lines?bot={}", bots[0].id);
    let said: Vec<_> = all(&hard["lines"])
        .iter()
        .map(|line| (line["bot"]["name"].clone(), line["cannot_beat"].clone()))
        .collect();
    assert_eq!(
        said,
        [
            (json!("paper"), json!(true)),
            (json!("scissors"), json!(false))
        ]
    );
    let of = format!(
        "{path}/lines?row={}&column={}",
        place("rock"),
        place("paper")
    );
    let lines = kit.guest().get(&of).await.ok();
    has!(lines, {"/lines/0/cell/losses": 12, "next": null});
    refused!(kit.guest().get(&format!("{path}/lines?row=7")) => 404, "not-found");
}

/// Ends a match of this ladder that `a` wins.
async fn finish(kit: &Kit, ladder: &str, bots: [&leitai_store::Bot; 2]) {
    let [a, b] = bots.map(|bot| kit.app.store.bot_entrant(bot.id));
    let pair = [a.await.expect("ready"), b.await.expect("ready")].map(Some);
    let new = leitai_store::NewMatch {
        ladder: Some(LadderId::new("kob", ladder)),
        ..leitai_store::NewMatch::new("kob", MatchKind::Ladder, pair.into(), 7.into(), 2)
    };
    let store = &kit.app.store;
    ok!(store.create_match(new, Timestamp::now()));
    kit.finish_next().await;
}

#[tokio::test]
async fn a_bot_has_a_place_on_each_ladder_unless_it_opts_out() {
    let kit = arena().await;
    scheduler(&kit).await;
    let (ada, bob, guest) = (
        kit.person("ada").await,
        kit.person("bob").await,
        kit.guest(),
    );
    let [one, two] = kit.ready_bots([(&ada, "one"), (&bob, "two")]).await;
    finish(&kit, "standard", [&one, &two]).await;
    for _ in 0..2 {
        finish(&kit, "small", [&two, &one]).await;
    }
    let ladder = async |query: &str| {
        let path = format!("/api/games/kob/ladder{query}");
        guest.get(&path).await.ok()
    };
    for query in ["", "?ladder=standard"] {
        assert_eq!(names(&ladder(query).await), ["one", "two"]);
    }
    assert_eq!(names(&ladder("?ladder=small").await), ["two", "one"]);
    let refused = guest.get("/api/games/kob/ladder?ladder=huge").await;
    refused.refused(404, "not-found");
    says(&refused.text(), &["standard, small"]);
    refused!(guest.get("/api/games/snakego/ladder?ladder=small") => 404, "not-found");

    let path = format!("/api/bots/{}", one.id);
    let bot = guest.get(&path).await.ok();
    assert_eq!((&bot["games"], &bot["wins"]), (&json!(1), &json!(1)));
    // It made a fault in each match of the other ladder.
    let faults = [&bot["faults"], &bot["ladders"][0]["faults"]];
    assert_eq!(faults, [&json!(0), &json!(2)]);
    let small = &bot["ladders"][0];
    has!(small, {"name": "small", "plays": true, "games": 2, "losses": 2});
    assert!(small["rank"].is_array(), "{small}");
    for (query, count) in [("", 1), ("?ladder=small", 2)] {
        let ratings = guest.get(&format!("{path}/ratings{query}")).await.ok();
        assert_eq!(rows(&ratings).len(), count);
        let rivals = guest.get(&format!("{path}/opponents{query}")).await.ok();
        let rival = &rows(&rivals)[0];
        assert_eq!(rival["wins"].as_u64(), Some(u64::from(query.is_empty())));
    }

    let opt = async |who: &Person, ladder: &str, plays: bool| {
        let body = json!({"ladders": {ladder: plays}});
        who.patch(&path, body).await
    };
    opt(&bob, "small", false).await.refused(403, "not-yours");
    opt(&ada, "huge", false).await.refused(404, "not-found");
    opt(&ada, "standard", false).await.refused(409, "refused");
    let off = opt(&ada, "small", false).await.ok();
    assert_eq!(off["ladders"][0]["plays"], false);
    assert_eq!(names(&ladder("?ladder=small").await), ["two"]);
    assert_eq!(names(&ladder("").await), ["one", "two"]);
    let back = opt(&ada, "small", true).await.ok();
    assert_eq!(back["ladders"][0]["games"], 2);
    assert_eq!(names(&ladder("?ladder=small").await), ["two", "one"]);
}

#[tokio::test]
async fn a_group_has_its_part_of_a_further_ladder() {
    let kit = arena().await;
    scheduler(&kit).await;
    let root = kit.admin().await;
    let ada = kit.person("ada").await;
    let group = json!({"name": "class", "organiser": "ada"});
    let group = root.post("/api/groups", group).await.ok();
    let (one, _) = kit.ready_bot(&ada, "one").await;
    let (two, _) = kit.ready_bot(&kit.person("bob").await, "two").await;
    finish(&kit, "small", [&one, &two]).await;
    let path = format!("/api/groups/{}/ladder/kob", group["id"]);
    for (query, games) in [("", 0), ("?ladder=small", 1)] {
        let shown = ada.get(&format!("{path}{query}")).await.ok();
        assert_eq!(names(&shown), ["one"]);
        assert_eq!(rows(&shown)[0]["games"], games);
    }
    refused!(ada.get(&format!("{path}?ladder=huge")) => 404, "not-found");
}

/// Plays the same game three times.
async fn play_same(kit: &Kit, bots: [&leitai_store::Bot; 2]) -> Vec<i64> {
    let game = leitai_games::find_game("kob").expect("it is built in");
    let replay = kit::telling_replay();
    let mut ids = Vec::new();
    for _ in 0..3 {
        let queued = kit.queued(MatchKind::Ladder, bots).await;
        let lease = kit.take(JobKind::Match).await.lease;
        let result = match_result(game, &replay, &ByEntrant::new(1, 1), None).expect("a result");
        let (store, blobs, text) = (&kit.app.store, &kit.app.blobs, replay.to_text());
        let done = record_result(store, blobs, &lease, queued.id, text, result).await;
        fits!(done => Ok(RecordOutcome::Recorded { .. }));
        ids.push(queued.id.0);
    }
    ids
}

/// Two bots that play the same game again, as on a ladder with one map.
#[tokio::test]
async fn a_copy_of_a_match_counts_once_and_says_so() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let [one, two] = kit.ready_bots([(&ada, "one"), (&ada, "two")]).await;
    let ids = play_same(&kit, [&one, &two]).await;
    let shown = async |path: String| kit.guest().get(&path).await.ok();
    for (id, copy_of) in [
        (ids[0], None),
        (ids[1], Some(ids[0])),
        (ids[2], Some(ids[0])),
    ] {
        let about = shown(format!("/api/matches/{id}")).await;
        has!(about, {"copy_of": copy_of, "state": "finished"});
    }
    let bot = shown(format!("/api/bots/{}", one.id)).await;
    assert_eq!([&bot["games"], &bot["copies"]], [&json!(1), &json!(2)]);
    let ladder = shown("/api/games/kob/ladder".to_owned()).await;
    for row in rows(&ladder) {
        assert_eq!([&row["games"], &row["copies"]], [&json!(1), &json!(2)]);
    }
}
