//! Experiments: sequential tests of versions, from their start to the decision.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use leitai_game::{ByEntrant, Entrant};
use leitai_ladder::elo::{elo_difference, expected_score};
use leitai_series::GameRecord;
use leitai_series::game_record::LegSummary;
use leitai_server::experiments::count::{CountedPairs, OTHER_SIDE};
use leitai_server::experiments::family::{FamilyStep, VariantState, next_step};
use leitai_server::schedule::{NO_LADDER, ScheduleOptions, Scheduler};
use leitai_store::{
    Bot, CandidateLane, Experiment, ExperimentId, ExperimentMatch, ExperimentState, JobKind,
    JobWork, Json, LaneRules, LeasedJob, MatchEntrant, MatchId, MatchKind, MatchResult, MatchSeed,
    MatchState, MatchWinner, NewExperiment, NewPin, NewVersion, PairPlace, Store, TestBounds,
    Timestamp, User, Version, VersionId, VersionOutcome, VersionState, WorkerOffer,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;

use crate::kill::{FOLDER, kill, start};
use crate::kit::{Kit, new_bot, new_user, plain_result, says, table};
use crate::worker_kit::{By, FIRST_LEGAL, WorkerKit, kob};

/// Wide bounds, between which few pairs decide.
const WIDE: TestBounds = TestBounds {
    elo0: 0.0,
    elo1: 300.0,
    alpha: 0.05,
    beta: 0.05,
    most_pairs: 40,
};

/// A scheduler that feeds experiments alone.
fn scheduler(store: &Store) -> Scheduler {
    let options = ScheduleOptions {
        exhibitions: false,
        ladder_every: NO_LADDER,
        ..ScheduleOptions::new("test", 2)
    };
    Scheduler::new(kob(), store.clone(), options)
}

fn test_of(owner: leitai_store::UserId, tested: &Version, base: (&Bot, &Version)) -> NewExperiment {
    NewExperiment {
        owner,
        game: "kob".to_owned(),
        tested: (tested.bot, tested.id),
        base: (base.0.id, base.1.id),
        promotes: false,
        config: Json::Null,
        seed: MatchSeed::from(11),
        bounds: WIDE,
        variants: Vec::new(),
        pool: Vec::new(),
        settings: [None, None],
        book: None,
        benchmark: None,
    }
}

/// An experiment of a program against a built-in bot.
fn begin(worker_kit: &WorkerKit) -> Experiment {
    let (bot, version) = worker_kit.upload("kob", "climber", "bot.py", FIRST_LEGAL);
    worker_kit.work_until(By::Process, || worker_kit.is_checked(&version));
    begin_against(worker_kit, "random", |new| NewExperiment {
        tested: (bot.id, version.id),
        ..new
    })
}

/// An experiment of the author of the first upload against a built-in bot, changed so.
pub fn begin_against(
    worker_kit: &WorkerKit,
    base: &str,
    change: impl FnOnce(NewExperiment) -> NewExperiment,
) -> Experiment {
    let base = worker_kit.bot("kob", base);
    let store = &worker_kit.app.store;
    worker_kit.wait_for(async {
        let active = base.active.expect("it plays");
        let playing = store.find_version(active).await.expect("the version");
        let author = store.user_by_name("author-of-climber").await;
        let author = author.expect("asked").expect("an account").id;
        let new = change(test_of(author, &playing, (&base, &playing)));
        let made = store.create_experiment(new, 1, Timestamp::now()).await;
        made.expect("it answers").expect("there is room")
    })
}

fn now(worker_kit: &WorkerKit, own: &Experiment) -> Experiment {
    let found = worker_kit.app.store.find_experiment(own.id);
    worker_kit.ok(found)
}

/// Counts an experiment again from its rows; no place has two matches.
pub fn recount(worker_kit: &WorkerKit, own: &Experiment) -> CountedPairs {
    let store = &worker_kit.app.store;
    worker_kit.wait_for(async {
        let matches = store.experiment_matches(own.id, 0).await.expect("listed");
        let mut places: Vec<_> = matches.iter().map(|one| one.place).collect();
        places.dedup();
        assert_eq!(places.len(), matches.len(), "{matches:?}");
        CountedPairs::of_matches(own, Default::default(), &matches)
    })
}

/// Runs workers and scheduler until the experiment and its variants have ended.
pub fn play_to_its_end(worker_kit: &WorkerKit, own: &Experiment, by: By) -> Experiment {
    let mut scheduler = scheduler(&worker_kit.app.store);
    worker_kit.work_until(by, || {
        worker_kit.ok(scheduler.create_matches(Timestamp::now()));
        let own = now(worker_kit, own);
        let family = worker_kit.app.store.family_of(&own);
        let family = worker_kit.ok(family);
        let is_over = |one: &Experiment| one.state != ExperimentState::Running;
        family.iter().all(is_over)
    });
    now(worker_kit, own)
}

#[test]
fn an_experiment_is_played_to_its_decision() {
    let worker_kit = WorkerKit::of_games(kob());
    let own = begin(&worker_kit);
    let ended = play_to_its_end(&worker_kit, &own, By::Process);
    let counted = recount(&worker_kit, &own);
    assert_eq!(counted.outcome(), Some(ended.state), "{ended:?}");
    let result = counted.result.to_json();
    for of in 0..2 {
        let moves = result["move_us"][of]["moves"].as_u64();
        assert!(moves.is_some_and(|moves| moves > 0), "{result}");
    }
    assert_eq!(result["void"], json!([]));
    // Both legs of a pair on one seed, and another one for the next pair.
    assert_eq!(
        counted.pairs[0].game.as_ref().map(|game| game.seed),
        Some(11)
    );
}

/// An experiment whose server is killed again and again.
fn play_with_kills(kills: usize, begin: fn(&WorkerKit) -> Experiment) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("plain letters");
    let watcher = at(folder.path());
    let own = begin(&watcher);
    for killed in 1..=kills {
        let server = start(&[(FOLDER, path)]);
        let wanted = recount(&watcher, &own).pairs.len() + killed % 2;
        watcher.until(|| {
            let counted = recount(&watcher, &own);
            counted.outcome().is_some() || counted.pairs.len() >= wanted
        });
        kill(server);
    }
    play_to_its_end(&watcher, &own, By::Process);
    // Without kills the same games lead to the same decision.
    let quiet = WorkerKit::of_games(kob());
    let same = begin(&quiet);
    play_to_its_end(&quiet, &same, By::Process);
    let (hurt, unhurt) = (stand_of_all(&watcher, &own), stand_of_all(&quiet, &same));
    let is_whole = |all: &[Stand]| all.iter().all(|one| !one.is_void);
    if is_whole(&hurt) && is_whole(&unhurt) {
        assert_eq!(hurt, unhurt);
    }
}

/// How a variant ended.
#[derive(Debug, PartialEq)]
struct Stand {
    state: ExperimentState,
    llrs: Vec<f64>,
    /// Whether its version plays on the ladder now.
    is_active: bool,
    is_void: bool,
}

/// All variants of an experiment, counted again from their rows.
fn stand_of_all(worker_kit: &WorkerKit, own: &Experiment) -> Vec<Stand> {
    let store = &worker_kit.app.store;
    let own = now(worker_kit, own);
    let family = worker_kit.ok(store.family_of(&own));
    let stand = |own: &Experiment| {
        let counted = recount(worker_kit, own);
        if own.state != ExperimentState::Cancelled {
            assert_eq!(counted.outcome(), Some(own.state), "{own:?}");
        }
        let bot = worker_kit.ok(store.find_bot(own.bot));
        Stand {
            state: own.state,
            // Who is cancelled stops wherever it was.
            llrs: match own.state {
                ExperimentState::Cancelled => Vec::new(),
                _ => counted.llrs,
            },
            is_active: bot.active == Some(own.version),
            is_void: !counted.result.void.is_empty(),
        }
    };
    family.iter().map(stand).collect()
}

/// Two programs as variants of one idea against a built-in bot.
fn begin_variants(worker_kit: &WorkerKit) -> Experiment {
    let (bot, first) = worker_kit.upload("kob", "climber", "bot.py", FIRST_LEGAL);
    let second = worker_kit.upload_next(&bot, "bot.py", &format!("{FIRST_LEGAL}# again\n"));
    worker_kit.work_until(By::Process, || {
        worker_kit.is_checked(&first) && worker_kit.is_checked(&second)
    });
    begin_against(worker_kit, "random", |new| NewExperiment {
        tested: (bot.id, first.id),
        variants: vec![second.id],
        ..new
    })
}

/// A candidate, which becomes the active version if it is accepted.
fn begin_candidate(worker_kit: &WorkerKit) -> Experiment {
    let (bot, first) = worker_kit.upload("kob", "climber", "bot.py", FIRST_LEGAL);
    worker_kit.work_until(By::Process, || worker_kit.is_checked(&first));
    let store = &worker_kit.app.store;
    worker_kit.wait_for(async {
        let rules = leitai_store::LaneRules {
            lane: leitai_store::CandidateLane::Hand,
            ..store.candidate_lane(bot.id).await.expect("asked")
        };
        ok!(store.set_candidate_lane(bot.id, rules, Timestamp::now()));
    });
    let second = worker_kit.upload_next(&bot, "bot.py", &format!("{FIRST_LEGAL}# again\n"));
    worker_kit.work_until(By::Process, || worker_kit.is_checked(&second));
    begin_against(worker_kit, "random", |new| NewExperiment {
        tested: (bot.id, second.id),
        base: (bot.id, first.id),
        promotes: true,
        ..new
    })
}

/// So many uploads are asked in situations by a server that is killed, each a little later in its check.
fn ask_with_kills(kills: u32) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("plain letters");
    let watcher = at(folder.path());
    let store = &watcher.app.store;
    let begun = Instant::now();
    let (bot, first) = watcher.upload("kob", "climber", "bot.py", FIRST_LEGAL);
    watcher.work_until(By::Process, || watcher.is_checked(&first));
    let usual = begun.elapsed();
    let answers = |version: &Version| {
        let answered = store.situation_answers(version.id);
        watcher.ok(answered)
    };
    let expected = answers(&first);
    assert!(expected[0].list().count() > 3, "{expected:?}");
    for killed in 1..=kills {
        let version = watcher.upload_next(&bot, "bot.py", &format!("{FIRST_LEGAL}# {killed}\n"));
        let server = start(&[(FOLDER, path)]);
        watcher.until(|| watcher.version(&version).state != VersionState::Queued);
        std::thread::park_timeout(usual * killed / (kills + 1));
        kill(server);
        let before = answers(&version);
        assert!(before.is_empty() || before == expected, "{before:?}");
        watcher.work_until(By::Process, || watcher.is_checked(&version));
        assert_eq!(answers(&version), expected, "kill {killed}");
    }
}

fn at(folder: &Path) -> WorkerKit {
    WorkerKit::at(folder, Duration::from_secs(6))
}

#[test]
fn a_server_that_is_killed_while_it_asks_an_upload_asks_it_again() {
    ask_with_kills(1);
}

#[test]
fn a_killed_server_goes_on_to_the_same_decision() {
    play_with_kills(1, begin);
}

#[tokio::test]
async fn only_the_people_of_a_bot_see_its_experiments() {
    let kit = Kit::new().await;
    let (ada, bea) = (kit.person("ada").await, kit.person("bea").await);
    let (bot, first) = kit.ready_bot(&ada, "climber").await;
    kit.ready_version(&bot).await;
    let (other, _) = kit.ready_bot(&bea, "rival").await;
    let wanted = json!({"bot": bot.id, "version": first.number, "bounds": {"elo1": 40.0}});
    let made = created!(ada.post("/api/experiments", wanted.clone()));
    let id = made["id"].as_i64().expect("an id");
    let mut scheduler = Scheduler::new(
        kob(),
        kit.app.store.clone(),
        ScheduleOptions {
            exhibitions: false,
            ladder_every: NO_LADDER,
            ..ScheduleOptions::new("test", 1)
        },
    );
    gives!(scheduler.create_matches(Timestamp::now()) => 4);
    let matches = kit
        .app
        .store
        .experiment_matches(leitai_store::ExperimentId(id), 0);
    let one = matches.await.expect("listed")[0].id;
    let paths = [
        format!("/api/experiments/{id}"),
        format!("/api/experiments/{id}/export"),
        format!("/api/experiments/{id}/export?form=csv"),
        format!("/api/matches/{one}"),
    ];
    for path in &paths {
        assert_eq!(ada.get(path).await.status, 200, "{path}");
        bea.get(path).await.refused(404, "not-found");
    }
    kit.guest().get(&paths[3]).await.refused(404, "not-found");
    kit.guest().get(&paths[0]).await.refused(401, "login");
    refused!(bea.send("POST", &format!("/api/experiments/{id}/stop"), None) => 404, "not-found");
    // In no list, whoever asks.
    for path in [
        format!("/api/bots/{}/matches", bot.id),
        "/api/matches".to_owned(),
    ] {
        let listed = ada.get(&path).await;
        if listed.status == 200 {
            assert_eq!(listed.json()["items"], json!([]), "{path}");
        }
    }
    refused!(bea.post("/api/experiments", wanted.clone()) => 403, "not-yours");
    let listed = ada.get("/api/experiments").await.ok();
    assert_eq!(listed["items"][0]["id"], id);
    assert_eq!(bea.get("/api/experiments").await.ok()["items"], json!([]));
    // Against somebody's bot: its active version alone.
    let against = |number: Option<i32>| json!({"bot": bot.id, "against": other.id, "against_version": number});
    refused!(ada.post("/api/experiments", against(Some(7))) => 422, "not-active");
    answers!(ada.post("/api/experiments", against(None)) => 201);
    refused!(ada.post("/api/experiments", against(None)) => 409, "too-many");
    let stopped = ada
        .send("POST", &format!("/api/experiments/{id}/stop"), None)
        .await;
    assert_eq!(stopped.ok()["state"], "cancelled");
    answers!(ada.post("/api/experiments", against(None)) => 201);
}

#[tokio::test]
async fn variants_play_a_pool_and_are_shown_together() {
    let kit = Kit::new().await;
    let (ada, bea) = (kit.person("ada").await, kit.person("bea").await);
    let (bot, _) = kit.ready_bot(&ada, "climber").await;
    for _ in 0..2 {
        kit.ready_version(&bot).await;
    }
    let (rival, _) = kit.ready_bot(&bea, "rival").await;
    kit.ready_bot(&bea, "second").await;
    let wanted = json!({"bot": bot.id, "against_version": 1, "variants": [2, 3], "pool": [rival.id], "neighbours": 1});
    let own = created!(ada.post("/api/experiments", wanted));
    let numbers = |list: &serde_json::Value, part: fn(&serde_json::Value) -> &serde_json::Value| {
        let list = list.as_array().expect("a list");
        list.iter().map(|one| part(one).clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        numbers(&own["variants"], |one| &one["tested"]["number"]),
        [json!(2), json!(3)]
    );
    // Both rivals have the same rating; the older one is next, and nobody is twice in the pool.
    assert_eq!(numbers(&own["pool"], |one| &one["name"])[0], "rival");
    let mut scheduler = scheduler(&kit.app.store);
    gives!(scheduler.create_matches(Timestamp::now()) => 8);
    // Each variant and the base beside it meet the pool, and never each other.
    for variant in own["variants"].as_array().expect("two") {
        let id = leitai_store::ExperimentId(variant["id"].as_i64().expect("an id"));
        for one in kit
            .app
            .store
            .experiment_matches(id, 0)
            .await
            .expect("listed")
        {
            let played = kit.app.store.match_by_id(one.id).await.expect("it");
            let of = [played.a, played.b].map(|one| one.and_then(|one| one.bot));
            assert_eq!(
                of.iter().filter(|of| **of == Some(bot.id)).count(),
                1,
                "{of:?}"
            );
        }
    }
}

#[tokio::test]
async fn one_version_is_tested_with_two_settings() {
    let kit = Kit::new().await;
    let (ada, bea) = (kit.person("ada").await, kit.person("bea").await);
    let [bot, rival] = kit.ready_bots([(&ada, "climber"), (&bea, "rival")]).await;
    for [wanted, status, code] in table(
        r#"
{"against": RIVAL, "against_settings": "-d 4"} | 403 | not-yours
{"settings": "@limit=1h"} | 422 | bad-settings
{"settings": " "} | 422 | same-version
{"settings": "-d 5", "against_settings": "-d  5"} | 422 | same-version
{"settings": "-d 5", "promotes": true} | 422 | bad-settings
"#,
    ) {
        let wanted = wanted.replace("RIVAL", &rival.id.to_string());
        let mut wanted: serde_json::Value = serde_json::from_str(&wanted).expect("JSON");
        wanted["bot"] = json!(bot.id);
        refused!(ada.post("/api/experiments", wanted) => status.parse().expect("a status"), code);
    }
    let wanted = json!({"bot": bot.id, "settings": "--depth 5", "against_settings": "@limit=20ms"});
    let own = created!(ada.post("/api/experiments", wanted));
    has!(own["tested"], {"number": 1, "settings": "--depth 5"});
    has!(own["base"], {"number": 1, "settings": "@limit=20ms"});
    let mut scheduler = scheduler(&kit.app.store);
    gives!(scheduler.create_matches(Timestamp::now()) => 8);
    let id = leitai_store::ExperimentId(own["id"].as_i64().expect("an id"));
    let store = &kit.app.store;
    for one in store.experiment_matches(id, 0).await.expect("listed") {
        let played = store.match_by_id(one.id).await.expect("it");
        let mut settings = [played.a, played.b].map(|one| one.and_then(|one| one.settings));
        if one.place.pair % 2 == 1 {
            settings.reverse();
        }
        let both = ["--depth 5", "@limit=20ms"].map(|own| Some(own.to_owned()));
        assert_eq!(settings, both, "{:?}", one.place);
    }
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_in_words() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let (bot, _) = kit.ready_bot(&ada, "climber").await;
    for [wanted, code] in table(
        r#"
{"variants": [1, 1, 1, 1, 1, 1, 1, 1, 1]} | bad-variants
{} | same-version
{"version": 9} | not-ready
{"variants": [9]} | not-ready
{"bounds": {"elo0": 5.0, "elo1": 5.0}} | bad-bounds
{"bounds": {"most_pairs": 2001}} | bad-bounds
{"bounds": {"alpha": 0.0}} | bad-bounds
"#,
    ) {
        let mut wanted: serde_json::Value = serde_json::from_str(wanted).expect("JSON");
        wanted["bot"] = json!(bot.id);
        refused!(ada.post("/api/experiments", wanted) => 422, code);
    }
    let lane = |mode: &str| json!({"lane": mode, "bounds": {"most_pairs": 50}});
    let path = format!("/api/bots/{}/lane", bot.id);
    assert_eq!(ada.get(&path).await.ok()["lane"], "off");
    let set = ada.put(&path, lane("automatic")).await.ok();
    has!(set, {"lane": "automatic", "most_pairs": 50});
    refused!(kit.person("bea").await.get(&path) => 403, "not-yours");
    // The next upload is tested, and does not play.
    kit.ready_version(&bot).await;
    let listed = get!(ada, "/api/experiments?bot={}", bot.id);
    let own = &listed["items"][0];
    has!(own, {"promotes": true, "/tested/number": 2});
    assert_eq!(ok!(kit.app.store.find_bot(bot.id)).active, bot.active);
}

#[tokio::test]
async fn a_benchmark_is_of_ones_own_bot_and_of_a_scale_that_plays_here() {
    let kit = Kit::new().await;
    let (ada, bea) = (kit.person("ada").await, kit.person("bea").await);
    let (bot, _) = kit.ready_bot(&ada, "climber").await;
    let plain = json!({"bot": bot.id});
    let with = |key: &str, value: Json| {
        let mut wanted = plain.clone();
        wanted[key] = value;
        wanted
    };
    let rows = [
        (&bea, plain.clone(), (403, "not-yours")),
        (&ada, with("bot", json!(9_999)), (404, "not-found")),
        (&ada, with("pairs", json!(0)), (422, "bad-pairs")),
        (&ada, with("pairs", json!(2_001)), (422, "bad-pairs")),
        (
            &ada,
            with("author", json!({"agent": "a\nb"})),
            (422, "bad-author"),
        ),
        (
            &ada,
            with("author", json!({"cost_usd": -1})),
            (422, "bad-author"),
        ),
        (
            &ada,
            with("author", json!({"cost_usd": 1e300})),
            (422, "bad-author"),
        ),
        // The scheduler makes the levels when it starts.
        (&ada, plain.clone(), (409, "no-level")),
    ];
    for (who, wanted, (status, code)) in rows {
        refused!(who.post("/api/benchmarks", wanted) => status, code);
    }
    let scheduler = scheduler(&kit.app.store);
    ok!(scheduler.open_ladders(Timestamp::now()));
    refused!(ada.post("/api/benchmarks", with("version", json!(9))) => 422, "not-ready");
    kit.ready_version(&bot).await;
    let test = ada.post("/api/experiments", json!({"bot": bot.id, "version": 1}));
    let path = format!("/api/experiments/{}/benchmark", test.await.json()["id"]);
    ada.get(&path).await.refused(404, "not-found");
}

#[tokio::test]
async fn the_author_of_a_bot_pins_its_mistakes() {
    let kit = Kit::new().await;
    let (ada, bea) = (kit.person("ada").await, kit.person("bea").await);
    let [bot, other, third] = kit
        .ready_bots([(&ada, "climber"), (&bea, "rival"), (&bea, "third")])
        .await;
    let played = kit.ladder_match([&other, &bot]).await;
    let foreign = kit.ladder_match([&other, &third]).await;
    let path = format!("/api/bots/{}/pins", bot.id);
    let pin = |id: leitai_store::MatchId, round: u32| json!({"match": id.0, "leg": 1, "round": round, "why": "a wall"});
    refused!(bea.post(&path, pin(played.id, 1)) => 403, "not-yours");
    refused!(ada.post(&path, pin(foreign.id, 1)) => 422, "other-bot");
    refused!(ada.post(&path, pin(played.id, 9_999)) => 422, "bad-moment");
    let made = created!(ada.post(&path, pin(played.id, 1)));
    assert_eq!(made["played"].as_array().map(Vec::len), Some(1), "{made}");
    let lane = ada.get(&format!("/api/bots/{}/lane", bot.id)).await.ok();
    // Pinned moments are asked in the check, which is no match.
    has!(lane, {"/pins/0/id": made["id"], "most_matches": 200});
    let one = format!("{path}/{}", made["id"]);
    assert_eq!(ada.delete(&one).await.status, 204);
    refused!(ada.delete(&one) => 404, "not-found");
    assert_eq!(ada.get(&path).await.ok(), json!([]));
}

/// How strong the versions are, in Elo; others are at 0.
type Strengths = HashMap<VersionId, f64>;

/// The record of a match whose legs fall by the strengths of the two.
fn record_of(played: &leitai_store::Match, strengths: &Strengths, rng: &mut StdRng) -> GameRecord {
    let of = |entrant: &Option<MatchEntrant>| {
        let version = entrant.as_ref().and_then(|one| one.version);
        version
            .and_then(|version| strengths.get(&version))
            .copied()
            .unwrap_or(0.0)
    };
    let share = expected_score(of(&played.a) - of(&played.b));
    let won = [0, 1].map(|_| rng.random::<f64>() < share);
    let prints = [0, 1].map(|number| Some(format!("{}-{number}", played.id)));
    made_up(played.seed.get(), won, prints)
}

/// A record of two legs that A won or lost.
fn made_up(seed: u64, won: [bool; 2], prints: [Option<String>; 2]) -> GameRecord {
    let leg = |(won, fingerprint)| LegSummary {
        winner: Some(if won { Entrant::A } else { Entrant::B }),
        scores: [0, 0],
        reason: "made-up".to_owned(),
        fingerprint,
    };
    let legs = won.into_iter().zip(prints).map(leg).collect();
    GameRecord {
        pair: [0, 1],
        seed,
        winner: None,
        reason: "made-up".to_owned(),
        legs,
        unplayed: 0,
        faults: Vec::new(),
        times: ByEntrant::default(),
        replay: None,
    }
}

fn result_of(record: &GameRecord) -> MatchResult {
    MatchResult {
        record: Some(json!(record)),
        ..plain_result(MatchWinner::Draw)
    }
}

async fn lease(store: &Store, kind: JobKind) -> Option<LeasedJob> {
    let offer = WorkerOffer {
        worker: "test".to_owned(),
        kinds: vec![kind],
        games: Vec::new(),
        programs: true,
        wire: i32::MAX,
    };
    let leased = store.lease_job(&offer, Timestamp::now(), Duration::from_secs(600));
    leased.await.expect("the database answers")
}

/// An account with a bot of so many versions that are ready.
async fn author(store: &Store, name: &str, count: usize) -> (User, Bot, Vec<Version>) {
    let (now, zero) = (Timestamp::now(), Timestamp(0));
    let new = new_user(name);
    let user = store.create_user(new, now).await.expect("an account");
    let new = new_bot("kob", &format!("{name}-bot"), user.id);
    let bot = store.create_bot(new, zero).await.expect("a bot");
    let mut versions = Vec::new();
    for _ in 0..count {
        versions.push(ready_upload(store, &bot).await);
    }
    (user, bot, versions)
}

/// An upload that passes its check.
async fn ready_upload(store: &Store, bot: &Bot) -> Version {
    let new = NewVersion {
        bot: bot.id,
        source: "sources/ab/cd".to_owned(),
        file_name: "main.py".to_owned(),
        bytes: 9,
        notes: String::new(),
        activates: true,
    };
    let version = ok!(store.create_version(new, Timestamp::now()));
    let job = lease(store, JobKind::Version).await.expect("its check");
    let outcome = VersionOutcome::Ready {
        how: "python3".into(),
        protocol: "line".into(),
        report: json!({}),
    };
    ok!(store.finish_version(&job.lease, outcome, Timestamp::now()));
    version
}

/// Plays whatever is queued, with made-up results.
async fn play_queued(store: &Store, strengths: &Strengths, rng: &mut StdRng) {
    let mut results = Vec::new();
    while let Some(job) = lease(store, JobKind::Match).await {
        let JobWork::Match(played) = &job.work else {
            panic!("a match")
        };
        assert_eq!(played.kind, MatchKind::Experiment);
        let record = record_of(played, strengths, rng);
        results.push((job.lease.clone(), result_of(&record)));
    }
    let finish = results.into_iter().map(|(lease, result)| async move {
        store.finish_match(&lease, result, Timestamp::now()).await
    });
    for finished in join_all(finish).await {
        finished.expect("recorded");
    }
}

/// How many of so many runs ended so.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Ended {
    /// The first variant was accepted.
    first: usize,
    /// Another one was.
    other: usize,
    /// None was, and one ended without a decision.
    open: usize,
    /// The pairs that were counted.
    pairs: usize,
}

/// What the scheduler makes of so many experiments whose variants are so much stronger than the base,
/// in Elo.
async fn simulate(runs: usize, elos: &[f64], bounds: TestBounds, of: Simulated) -> Ended {
    let mut rng = StdRng::seed_from_u64(41);
    let mut ended = Ended::default();
    for begun in (0..runs).step_by(TOGETHER) {
        // Some at a time, as an arena has them, in an arena of their own: its tables stay short.
        let some = TOGETHER.min(runs - begun);
        simulate_some(some, elos, (bounds, of), &mut rng, &mut ended).await;
    }
    ended
}

/// Experiments that run at the same time.
const TOGETHER: usize = 50;

async fn simulate_some(
    runs: usize,
    elos: &[f64],
    (bounds, of): (TestBounds, Simulated),
    rng: &mut StdRng,
    ended: &mut Ended,
) {
    let store = Store::open_url("sqlite::memory:").await.expect("it opens");
    let mut strengths = Strengths::new();
    let running = match of.promotes {
        true => begin_candidates(&store, runs, (elos[0], bounds), &mut strengths).await,
        false => begin_experiments(&store, runs, (elos, bounds, of), &mut strengths).await,
    };
    let mut scheduler = scheduler(&store);
    let running_now = async || store.running_experiments().await.expect("listed");
    while !running_now().await.is_empty() {
        ok!(scheduler.create_matches(Timestamp::now()));
        play_queued(&store, &strengths, rng).await;
    }
    for first in running {
        let first = store.find_experiment(first).await.expect("it");
        count_end(&store, &first, ended).await;
    }
}

async fn begin_experiments(
    store: &Store,
    runs: usize,
    (elos, bounds, of): (&[f64], TestBounds, Simulated),
    strengths: &mut Strengths,
) -> Vec<ExperimentId> {
    let (user, bot, versions) = author(store, "ada", 1 + elos.len()).await;
    let opponents = match of.pool {
        true => author(store, "bea", 2).await.2,
        false => Vec::new(),
    };
    let (base, variants) = versions.split_first().expect("the first one");
    let ids: Vec<VersionId> = variants.iter().map(|version| version.id).collect();
    strengths.extend(ids.iter().copied().zip(elos.iter().copied()));
    let mut running = Vec::new();
    for _ in 0..runs {
        let new = NewExperiment {
            bounds,
            variants: ids[1..].to_vec(),
            pool: opponents.iter().map(|version| version.id).collect(),
            ..test_of(user.id, &variants[0], (&bot, base))
        };
        let made = store
            .create_experiment(new, u64::MAX, Timestamp::now())
            .await;
        running.push(made.expect("it answers").expect("there is room").id);
    }
    running
}

/// Uploads of so many bots in the automatic lane.
async fn begin_candidates(
    store: &Store,
    runs: usize,
    (elo, bounds): (f64, TestBounds),
    strengths: &mut Strengths,
) -> Vec<ExperimentId> {
    for number in 0..runs {
        let (_, bot, _) = author(store, &format!("ada{number}"), 1).await;
        let rules = LaneRules {
            lane: CandidateLane::Automatic,
            bounds,
            ..LaneRules::OFF
        };
        ok!(store.set_candidate_lane(bot.id, rules, Timestamp::now()));
        strengths.insert(ready_upload(store, &bot).await.id, elo);
    }
    let running = store.running_experiments().await.expect("listed");
    assert!(running.iter().all(|own| own.promotes), "{running:?}");
    assert_eq!(running.len(), runs);
    running.into_iter().map(|own| own.id).collect()
}

async fn count_end(store: &Store, first: &Experiment, ended: &mut Ended) {
    let family = store.family_of(first).await.expect("its variants");
    let of = |state| family.iter().filter(move |one| one.state == state);
    let accepted: Vec<_> = of(ExperimentState::Accepted)
        .map(|one| one.version)
        .collect();
    assert!(accepted.len() <= 1, "{family:?}");
    if first.promotes {
        let bot = store.find_bot(first.bot).await.expect("it");
        let plays = bot.active == Some(first.version);
        assert_eq!(plays, !accepted.is_empty(), "{first:?}");
    }
    match accepted.first() {
        Some(version) if *version == first.version => ended.first += 1,
        Some(_) => ended.other += 1,
        None => ended.open += of(ExperimentState::Undecided).count().min(1),
    }
    for one in &family {
        let names = ["a", "b"].map(str::to_owned);
        let matches = store.experiment_matches(one.id, 0).await.expect("listed");
        ended.pairs += CountedPairs::of_matches(one, names, &matches).pairs.len();
    }
}

/// The scheduler waits while a candidate is asked once more, and refuses one that makes a pinned mistake
/// before its first pair.
#[tokio::test]
async fn a_candidate_is_asked_in_the_pinned_moments_first() {
    for (verdict, refused) in [("still-made", true), ("gone", false)] {
        let store = Store::open_url("sqlite::memory:").await.expect("it opens");
        let (user, bot, versions) = author(&store, "ada", 2).await;
        let mut scheduler = scheduler(&store);
        let pin = NewPin {
            bot: bot.id,
            match_id: MatchId(5),
            moment: (1, 3),
            entrant: 0,
            played: json!(["left"]),
            why: String::new(),
        };
        let pin = store.add_pin(pin, Timestamp::now()).await.expect("pinned");
        let promotes = NewExperiment {
            promotes: true,
            ..test_of(user.id, &versions[1], (&bot, &versions[0]))
        };
        // Its check was before.
        let later = Timestamp::now().after(Duration::from_secs(9));
        let own = ok!(store.create_experiment(promotes, 9, later)).expect("there is room");
        for _ in 0..2 {
            let made = scheduler.create_matches(later).await.expect("it answers");
            assert_eq!(made, 0, "it is asked first");
        }
        let job = lease(&store, JobKind::Version).await.expect("its check");
        let answer = json!([{"pin": pin.id, "match": 5, "leg": 1, "round": 3, "verdict": verdict}]);
        let outcome = VersionOutcome::Ready {
            how: "python3".into(),
            protocol: "line".into(),
            report: json!({"situations": {"pins": answer}}),
        };
        ok!(store.finish_version(&job.lease, outcome, later));
        let made = scheduler.create_matches(later).await.expect("it answers");
        let own = store.find_experiment(own.id).await.expect("it");
        let is_refused = own.state == ExperimentState::Rejected;
        assert_eq!((is_refused, made > 1), (refused, !refused), "{own:?}");
        let why = own.note.unwrap_or_default();
        assert_eq!(
            why.contains("makes the pinned mistake of match 5"),
            refused,
            "{why}"
        );
    }
}

/// An opponent whose bot is deleted or retired leaves the pool, and the test goes on with the others; when
/// nobody is left, it ends undecided and says why.
#[tokio::test]
async fn who_is_deleted_leaves_the_pool_and_the_test_goes_on() {
    let kit = Kit::new().await;
    let store = &kit.app.store;
    let (ada, bea) = (kit.person("ada").await, kit.person("bea").await);
    let (bot, _) = kit.ready_bot(&ada, "climber").await;
    kit.ready_version(&bot).await;
    let mut rivals = Vec::new();
    for name in ["one", "two", "three"] {
        rivals.push(kit.ready_bot(&bea, name).await.0);
    }
    let pool: Vec<i64> = rivals.iter().map(|rival| rival.id.0).collect();
    let start = json!({"bot": bot.id, "version": 2, "against_version": 1, "pool": pool, "bounds": {"elo1": 5, "most_pairs": 30}});
    let made = ada.post("/api/experiments", start).await.ok();
    let id = ExperimentId(made["id"].as_i64().expect("an id"));
    let path = format!("/api/experiments/{id}");
    let mut scheduler = scheduler(store);
    let (strengths, mut rng) = (Strengths::new(), StdRng::seed_from_u64(41));
    let mut step = async |times: usize| {
        for _ in 0..times {
            ok!(scheduler.create_matches(Timestamp::now()));
            play_queued(store, &strengths, &mut rng).await;
        }
    };
    step(1).await;
    // Its matches are queued when it goes.
    let made = self::scheduler(store)
        .create_matches(Timestamp::now())
        .await;
    assert!(made.expect("it answers") > 0);
    let gone = leitai_store::DeletionRequest {
        by: None,
        at: Timestamp::now(),
    };
    store.delete_bot(rivals[0].id, gone).await.expect("deleted");
    step(3).await;
    let own = ada.get(&path).await.ok();
    assert_eq!(own["state"], "running", "{own}");
    let left = |own: &serde_json::Value| {
        let pool = own["pool"].as_array().expect("a list").iter();
        pool.map(|one| one["left"].is_string()).collect::<Vec<_>>()
    };
    assert_eq!(left(&own), [true, false, false], "{own}");
    let retire = json!({"retired": true});
    bea.patch(&format!("/api/bots/{}", pool[1]), retire)
        .await
        .ok();
    step(2).await;
    assert_eq!(left(&ada.get(&path).await.ok()), [true, true, false]);
    // Both sides of every pair that counts have met the same opponent, and the last ones the third.
    let matches = store.experiment_matches(id, 0).await.expect("listed");
    let mut opponents: HashMap<i32, Vec<_>> = HashMap::new();
    for one in &matches {
        let played = store.match_by_id(one.id).await.expect("it");
        let of = [played.a, played.b].into_iter().flatten();
        let rival = of.filter_map(|one| one.bot).find(|of| *of != bot.id);
        opponents.entry(one.place.pair).or_default().push(rival);
    }
    for (pair, of) in &opponents {
        assert!(of.iter().all(|one| *one == of[0]), "pair {pair}: {of:?}");
    }
    let last = opponents.keys().max().expect("pairs");
    assert_eq!(opponents[last][0], Some(rivals[2].id));
    let own = store.find_experiment(id).await.expect("it");
    let counted = CountedPairs::of_matches(&own, Default::default(), &matches);
    assert!(
        counted
            .pairs
            .iter()
            .filter(|pair| pair.void.is_none())
            .count()
            > 3
    );
    store.delete_bot(rivals[2].id, gone).await.expect("deleted");
    step(1).await;
    let own = ada.get(&path).await.ok();
    assert_eq!(
        (&own["state"], left(&own)),
        (&json!("undecided"), vec![true; 3]),
        "{own}"
    );
    says(&own["note"]["zh"].to_string(), &["离开"]);
}

/// A test that the scheduler plays.
#[derive(Clone, Copy, Debug)]
struct Simulated {
    /// The upper bound; the lower one is 0. The wider, the fewer matches.
    elo1: f64,
    /// So many at the same time.
    variants: usize,
    /// Whether against a pool.
    pool: bool,
    /// Whether of an upload that plays on the ladder once it is accepted.
    promotes: bool,
}

const ONE: Simulated = Simulated {
    elo1: 120.0,
    variants: 1,
    pool: false,
    promotes: false,
};
const AGAINST_A_POOL: Simulated = Simulated { pool: true, ..ONE };
const THREE: Simulated = Simulated {
    elo1: 200.0,
    variants: 3,
    ..ONE
};
const CANDIDATE: Simulated = Simulated {
    elo1: 200.0,
    promotes: true,
    ..ONE
};
/// As few matches as a decision may take.
const FAR: f64 = 300.0;

/// The error rates of tests that the scheduler plays; `slack` is what chance adds to 5 %.
fn check_error_rates(
    runs: usize,
    slack: f64,
    of: Simulated,
    simulate: impl Fn(&[f64], TestBounds) -> Ended,
) {
    let bounds = TestBounds {
        elo1: of.elo1,
        most_pairs: 2_000,
        ..WIDE
    };
    // Against a pool a lead counts half.
    let lead = match of.pool {
        true => elo_difference(2.0 * expected_score(bounds.elo1) - 0.5),
        false => bounds.elo1,
    };
    let mut elos = vec![0.0; of.variants];
    let none = simulate(&elos, bounds);
    elos[0] = lead;
    let one = simulate(&elos, bounds);
    let (wrong, missed) = (none.first + none.other, runs - one.first);
    println!(
        "{runs} runs of {of:?}: accepted at H0 {wrong} ({none:?}), missed at H1 {missed} ({one:?})"
    );
    assert_eq!((none.open, one.open), (0, 0));
    // At H1 another variant may be accepted first, with the chance at H0.
    let rates = [(wrong, 0.05), (missed - one.other, 0.05), (one.other, 0.05)];
    for (errors, promised) in rates {
        let rate = errors as f64 / runs as f64;
        assert!(rate <= promised + slack, "{errors} errors of {runs} runs");
    }
}

/// Through the scheduler.
fn check_scheduled(runs: usize, slack: f64, of: Simulated) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    check_error_rates(runs, slack, of, |elos, bounds| {
        runtime.block_on(simulate(runs, elos, bounds, of))
    });
}

#[test]
fn an_experiment_errs_as_seldom_as_it_says() {
    // 5 % of 15 runs are 0.75; 7 come with a chance of 1e-5, and 5 of 5 with 3e-7.
    check_scheduled(15, 0.35, Simulated { elo1: FAR, ..ONE });
    check_scheduled(5, 0.75, AGAINST_A_POOL);
    check_scheduled(5, 0.75, Simulated { elo1: FAR, ..THREE });
    let candidate = Simulated {
        elo1: FAR,
        ..CANDIDATE
    };
    check_scheduled(5, 0.75, candidate);
}

/// Many families by the same decisions as the scheduler's, without a database: matches are made as they
/// are counted.
fn simulate_decisions(runs: usize, elos: &[f64], bounds: TestBounds, pool: bool) -> Ended {
    let mut rng = StdRng::seed_from_u64(43);
    let mut ended = Ended::default();
    for _ in 0..runs {
        let over = decide_family(elos, bounds, pool, &mut rng, &mut ended.pairs);
        let is = |wanted| move |state: &Option<ExperimentState>| *state == Some(wanted);
        match over.iter().position(is(ExperimentState::Accepted)) {
            Some(0) => ended.first += 1,
            Some(_) => ended.other += 1,
            None => ended.open += usize::from(over.iter().any(is(ExperimentState::Undecided))),
        }
    }
    ended
}

/// How the variants of a family end; `None` for those that somebody else ended.
fn decide_family(
    elos: &[f64],
    bounds: TestBounds,
    pool: bool,
    rng: &mut StdRng,
    pairs: &mut usize,
) -> Vec<Option<ExperimentState>> {
    let own = model(bounds, elos.len(), pool);
    let begin = |_: &f64| CountedPairs::begin(&own, ["a", "b"].map(str::to_owned));
    let mut variants: Vec<CountedPairs> = elos.iter().map(begin).collect();
    let mut over: Vec<Option<ExperimentState>> = vec![None; elos.len()];
    while over.contains(&None) && !over.contains(&Some(ExperimentState::Accepted)) {
        for at in 0..elos.len() {
            let running = |other: &usize| over[*other].is_none();
            let state = |at: usize| VariantState::of(ExperimentId(at as i64), Some(&variants[at]));
            if !running(&at) {
                continue;
            }
            let others = (0..elos.len()).filter(|other| *other != at && running(other));
            let others: Vec<VariantState> = others.map(state).collect();
            let stand = state(at);
            match next_step(&stand, &others) {
                FamilyStep::End => over[at] = stand.outcome,
                FamilyStep::Play(most) if (stand.pairs as u64) < most => {
                    let next = variants[at].next_pair();
                    let mut matches = vec![made_match((next, 0), elos[at], rng)];
                    matches.extend(pool.then(|| made_match((next, OTHER_SIDE), 0.0, rng)));
                    variants[at].count(&matches);
                    *pairs += 1;
                }
                _ => {}
            }
        }
    }
    over
}

/// A finished match of a version that is so much stronger than its opponent.
fn made_match((pair, part): (i32, i32), lead: f64, rng: &mut StdRng) -> ExperimentMatch {
    // In odd pairs the version is B.
    let is_b = pair % 2 == 1;
    let won = [0, 1].map(|_| (rng.random::<f64>() < expected_score(lead)) != is_b);
    ExperimentMatch {
        place: PairPlace { pair, part },
        id: MatchId(1),
        state: MatchState::Finished,
        record: Some(json!(made_up(1, won, [None, None]))),
    }
}

/// A running experiment of one of so many variants.
fn model(bounds: TestBounds, variants: usize, pool: bool) -> Experiment {
    Experiment {
        id: ExperimentId(1),
        owner: leitai_store::UserId(1),
        game: "kob".to_owned(),
        bot: leitai_store::BotId(1),
        version: VersionId(1),
        base_bot: leitai_store::BotId(1),
        base_version: VersionId(2),
        promotes: false,
        config: Json::Null,
        seed: MatchSeed::from(1),
        elo0: bounds.elo0,
        elo1: bounds.elo1,
        alpha: bounds.alpha / variants as f64,
        beta: bounds.beta,
        most_pairs: bounds.most_pairs,
        state: ExperimentState::Running,
        note: None,
        created: Timestamp(0),
        ended: None,
        family: None,
        pool: pool.then(|| json!([3])),
        pins: None,
        settings: None,
        pool_left: None,
        book: None,
        book_positions: None,
        benchmark: None,
    }
}

mod long {
    use super::*;

    /// Three standard deviations of 5 % of 2,000 runs.
    fn slack() -> f64 {
        3.0 * (0.05f64 * 0.95 / 2_000.0).sqrt()
    }

    #[test]
    #[ignore = "2,000 experiments of each kind; ./dev long"]
    fn an_experiment_errs_as_seldom_as_it_says_in_many_runs() {
        check_scheduled(2_000, slack(), ONE);
    }

    #[test]
    #[ignore = "2,000 experiments of each kind; ./dev long"]
    fn a_pool_errs_as_seldom_as_it_says_through_the_scheduler() {
        check_scheduled(2_000, slack(), AGAINST_A_POOL);
    }

    #[test]
    #[ignore = "2,000 families of each kind; ./dev long"]
    fn variants_err_as_seldom_as_they_say_through_the_scheduler() {
        check_scheduled(2_000, slack(), THREE);
    }

    #[test]
    #[ignore = "2,000 candidates of each kind; ./dev long"]
    fn candidates_are_promoted_as_wrongly_as_it_says_through_the_scheduler() {
        check_scheduled(2_000, slack(), CANDIDATE);
    }

    #[test]
    #[ignore = "2,000 families of each kind; ./dev long"]
    fn pools_and_variants_err_as_seldom_as_they_say_in_many_runs() {
        let near = |of, elo1| Simulated { elo1, ..of };
        for of in [near(AGAINST_A_POOL, 60.0), near(THREE, 120.0)] {
            check_error_rates(2_000, slack(), of, |elos, bounds| {
                simulate_decisions(2_000, elos, bounds, of.pool)
            });
        }
    }

    #[test]
    #[ignore = "a minute; ./dev long"]
    fn a_server_that_is_killed_twenty_times_decides_the_same() {
        play_with_kills(20, begin);
    }

    #[test]
    #[ignore = "a minute; ./dev long"]
    fn variants_whose_server_is_killed_twenty_times_end_the_same() {
        play_with_kills(20, begin_variants);
    }

    #[test]
    #[ignore = "a minute; ./dev long"]
    fn a_candidate_whose_server_is_killed_twenty_times_ends_the_same() {
        play_with_kills(20, begin_candidate);
    }

    #[test]
    #[ignore = "two minutes; ./dev long"]
    fn uploads_whose_server_is_killed_at_twenty_moments_of_their_check_answer_the_same() {
        ask_with_kills(20);
    }
}
