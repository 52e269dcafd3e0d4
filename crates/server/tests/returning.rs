//! What brings people back: the author's home, what a player has reached, the challenge of the day.

use std::time::Duration;

use leitai_game::{ByEntrant, Replay};
use leitai_judge::driver::{MatchSpec, play_match};
use leitai_judge::{NoHumans, Player, PlayerKind};
use leitai_server::daily::{day_of, find_open_position};
use leitai_server::work::results::record_result;
use leitai_store::{JobKind, JobWork, MatchId, MatchKind, MatchWinner, Timestamp};
use serde_json::{Value, json};

use crate::human_matches::TestServer;
use crate::kit::{Kit, Person, plain_result};

async fn home(person: &Person) -> Value {
    person.post("/api/me/home", json!({})).await.ok()
}

#[tokio::test]
async fn an_author_is_told_what_changed_since_the_last_visit_and_why() {
    let kit = Kit::new().await;
    let (ada, bea) = (kit.person("ada").await, kit.person("bea").await);
    refused!(kit.guest().post("/api/me/home", json!({})) => 401, "login");
    // Nothing to tell yet: a first visit, without bots.
    assert_eq!(home(&ada).await, json!({"since": null, "bots": []}));
    let [strong, weak] = kit.ready_bots([(&bea, "strong"), (&ada, "weak")]).await;
    let lost = kit.ladder_match([&strong, &weak]).await;
    let (id, now) = (ada.id.expect("an account"), Timestamp::now());
    let store = &kit.app.store;
    let told = home(&ada).await;
    assert_eq!(told["since"], Value::Null, "still the first visit");
    let bot = &told["bots"][0];
    assert_eq!((&bot["bot"], &bot["losses"]), (&json!(weak.id), &json!(1)));
    assert_eq!((&bot["wins"], &bot["draws"]), (&json!(0), &json!(0)));
    // The cause is one click away, and a fault is no other way of losing.
    let fault = json!({"code": "RE", "count": 1, "match": lost.id, "leg": null, "round": null, "step": null});
    has!(bot, {"faults": [fault], "ways": [], "/cause/match": lost.id,
        "/cause/opponent": "strong"});
    let change = bot["change"].as_f64().expect("a number");
    assert!(
        change < 0.0 && bot["cause"]["change"].as_f64() == Some(change),
        "{bot}"
    );
    let won = &home(&bea).await["bots"][0];
    assert_eq!((&won["wins"], &won["faults"]), (&json!(1), &json!([])));
    // What was seen at the visit before is told no more.
    let later = now.after(Duration::from_secs(3600));
    store.note_visit(id, later).await.expect("noted");
    let told = home(&ada).await;
    assert!(told["since"].is_string(), "{told}");
    let bot = &told["bots"][0];
    assert_eq!((&bot["losses"], &bot["change"]), (&json!(0), &Value::Null));
    assert_eq!((&bot["faults"], &bot["cause"]), (&json!([]), &Value::Null));
}

#[tokio::test]
async fn what_waits_in_the_queue_is_told() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let [one, two] = kit.ready_bots([(&ada, "one"), (&ada, "two")]).await;
    let queued = kit.queued(MatchKind::Friendly, [&one, &two]).await;
    let told = home(&ada).await;
    for bot in told["bots"].as_array().expect("a list") {
        has!(bot, {"/queue/0/match": queued.id, "/queue/0/waiting/place": 1});
    }
}

#[tokio::test]
async fn what_a_browser_kept_moves_to_the_account_and_nothing_gets_lost() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let path = "/api/me/achievements";
    kit.guest().get(path).await.refused(401, "login");
    let nothing = json!({"games": {}, "days": [], "matches": [], "daily": {}});
    assert_eq!(ada.get(path).await.ok(), nothing);
    let put = async |body: Value| ada.put(path, body).await;
    let phone = json!({
        "games": {"kob": {"beaten": ["level1", "level2"], "best": [9, 3]}},
        "days": ["2026-11-26", "2026-11-25"],
        "matches": [7, 5],
        "daily": {"2026-11-26": {"won": false, "lead": -3, "tries": [11, 12]}},
    });
    let desk = json!({
        "games": {"kob": {"beaten": ["level2", "level3"], "best": [12, 8]},
            "snakego": {"beaten": ["level1"], "best": null}},
        "days": ["2026-11-27", "2026-11-26", "yesterday"],
        "matches": [9],
        "daily": {"2026-11-26": {"won": true, "lead": 2, "tries": [13]}},
    });
    let both = json!({
        "games": {"kob": {"beaten": ["level1", "level2", "level3"], "best": [9, 3]},
            "snakego": {"beaten": ["level1"], "best": null}},
        "days": ["2026-11-25", "2026-11-26", "2026-11-27"],
        "matches": [5, 7, 9],
        "daily": {"2026-11-26": {"won": true, "lead": 2, "tries": [11, 12, 13]}},
    });
    put(phone.clone()).await.ok();
    assert_eq!(put(desk).await.ok(), both);
    // Twice is once, in whatever order.
    assert_eq!(put(phone).await.ok(), both);
    assert_eq!(ada.get(path).await.ok(), both);
    refused!(put(json!({"rating": 3000})) => 422, "unknown-field");
    let many: Vec<i64> = (0..1000).collect();
    let kept = put(json!({"matches": many})).await.ok();
    let kept = kept["matches"].as_array().expect("a list");
    assert_eq!((kept.len(), &kept[0]), (200, &json!(800)));
}

/// A KOB match of two built-in bots with this seed.
pub fn played(seed: u64) -> Replay {
    let game = leitai_games::find_game("kob").expect("a built-in game");
    let config = game.read_config(&Value::Null).expect("the default");
    let player = |name: &str| Player {
        name: name.into(),
        kind: PlayerKind::BuiltIn(name.into()),
    };
    let players = ByEntrant::new(player("level2"), player("level3"));
    let spec = MatchSpec {
        legs: 1,
        ..MatchSpec::new(game, config, seed, players).expect("the default")
    };
    let stop = std::sync::atomic::AtomicBool::new(false);
    let played = play_match(&spec, &mut NoHumans, &mut (), &stop).expect("built-in bots play");
    played.replay
}

/// A replay with a moment from which it is worth to play on.
fn open_game() -> (u64, Replay) {
    let game = leitai_games::find_game("kob").expect("a built-in game");
    let all = (1..40).map(|seed| (seed, played(seed)));
    let mut open = all.filter(|(_, replay)| find_open_position(game, replay).is_some());
    open.next().expect("one of forty games is open")
}

/// Records a finished ladder match with this replay.
pub async fn on_ladder(kit: &Kit, replay: &Replay, seed: u64) -> MatchId {
    let ada = kit.person("ada").await;
    let [one, two] = kit.ready_bots([(&ada, "one"), (&ada, "two")]).await;
    let made = kit.queued(MatchKind::Ladder, [&one, &two]).await;
    let taken = kit.take(JobKind::Match).await;
    assert!(matches!(&taken.work, JobWork::Match(own) if own.id == made.id));
    let result = plain_result(MatchWinner::Draw);
    let (store, blobs) = (&kit.app.store, &kit.app.blobs);
    let text = replay.to_text();
    ok!(record_result(
        store,
        blobs,
        &taken.lease,
        made.id,
        text,
        result
    ));
    assert_eq!(replay.seed, Some(seed));
    made.id
}

async fn make_today(kit: &Kit) -> String {
    let now = Timestamp::now();
    let (day, _) = day_of(now, &kit.app.options.time_zone);
    ok!(kit.app.daily_maker().make(&day, now));
    day
}

/// The built-in bot that today's challenge is played against.
async fn add_opponents(kit: &Kit) {
    for game in leitai_games::ALL {
        for (name, _) in game.list_bots() {
            let store = &kit.app.store;
            ok!(store.ensure_built_in(game.meta().id, name, "", Timestamp::now()));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_challenge_of_the_day_is_a_moment_of_a_ladder_match() {
    let kit = Kit::new().await;
    refused!(kit.guest().get("/api/daily") => 404, "not-found");
    let (seed, replay) = open_game();
    let id = on_ladder(&kit, &replay, seed).await;
    add_opponents(&kit).await;
    let day = make_today(&kit).await;
    let server = TestServer::over(kit).await;
    let guest = server.kit.guest();
    let today = guest.get("/api/daily").await.ok();
    has!(today, {"day": day, "game": "kob"});
    let from = &today["from"];
    assert_eq!((&from["match"], &from["leg"]), (&json!(id), &json!(1)));
    // It is made once: a second server changes nothing.
    make_today(&server.kit).await;
    assert_eq!(guest.get("/api/daily").await.ok(), today);
    // The person takes the loser's place at that moment.
    let seat = post!(guest, "/api/daily", {"name": "visitor"});
    assert_eq!(seat["seat"], today["seat"]);
    let mut line = server.sit(&seat).await;
    let asked = line.wait("question").await;
    let first = json!(asked["step"].as_u64().expect("a number"));
    assert!(first.as_u64() > Some(0), "{asked}");
    line.say_resign().await;
    let over = line.wait("finished").await;
    assert_eq!(over["match"]["state"], "finished");
    let path = format!("/api/matches/{}/replay", seat["match"]);
    let shown = guest.get(&path).await.text();
    let parsed = Replay::parse(&shown).expect("a replay");
    let forced = parsed.forced.expect("it began in the middle");
    assert_eq!(json!(forced.round), from["round"]);
    let begins: Vec<&str> = replay.legs[0].replies.split(' ').collect();
    assert!(parsed.legs[0].replies.starts_with(&begins[..2].join(" ")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_ladder_match_the_challenge_is_a_short_match() {
    let kit = Kit::new().await;
    add_opponents(&kit).await;
    make_today(&kit).await;
    let server = TestServer::over(kit).await;
    let (one, other) = (server.kit.guest(), server.kit.person("ada").await);
    let today = one.get("/api/daily").await.ok();
    has!(today, {"from": null, "seat": "a"});
    let mut maps = Vec::new();
    for person in [&one, &other] {
        let seat = person.post("/api/daily", json!({})).await.ok();
        let id = MatchId(seat["match"].as_i64().expect("a number"));
        let made = server.kit.app.store.match_by_id(id).await.expect("made");
        maps.push((made.seed.get(), made.config, made.legs));
    }
    assert_eq!(maps[0], maps[1], "the same for everybody");
}
