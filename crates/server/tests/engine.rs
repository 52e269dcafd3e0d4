//! The match engine of a server: exhibitions of every game within seconds, ladder matches, and an
//! orderly shutdown.

use crate::kit;
use crate::worker_kit;

use std::collections::BTreeSet;
use std::time::Duration;

use kit::Kit;
use leitai_judge::Sandbox;
use leitai_server::client_address::ClientAddress;
use leitai_server::engine::{EngineOptions, MatchEngine};
use leitai_server::live::spectators::SpectatorSlot;
use leitai_server::work::worker::make_program_cache;
use leitai_store::{MatchFilter, MatchId, MatchKind, MatchState, PageQuery, Timestamp};
use serde_json::json;
use worker_kit::{By, WorkerKit, kob};

fn engine() -> EngineOptions {
    EngineOptions {
        slots: 1,
        grace: Duration::ZERO,
        ..EngineOptions::new("house")
    }
}

fn with_state(worker_kit: &WorkerKit, kind: MatchKind, state: MatchState) -> Vec<MatchId> {
    let filter = MatchFilter {
        kind: Some(kind),
        state: Some(state),
        ..MatchFilter::default()
    };
    let found = worker_kit.wait_for(
        worker_kit
            .app
            .store
            .list_matches(&filter, &PageQuery::first_page(100)),
    );
    found
        .expect("it answers")
        .items
        .iter()
        .map(|own| own.id)
        .collect()
}

fn count(worker_kit: &WorkerKit, kind: MatchKind, state: MatchState) -> usize {
    with_state(worker_kit, kind, state).len()
}

/// The games with a live exhibition.
fn watchable(worker_kit: &WorkerKit) -> BTreeSet<String> {
    let live = worker_kit.app.arena.live.list_matches();
    let shown = live.iter().filter(|live| live.round > 1 || live.leg > 1);
    shown
        .map(|live| worker_kit.read(leitai_store::MatchId(live.id)))
        .filter(is_show)
        .map(|shown| shown.game)
        .collect()
}

/// Somebody who watches, for whom there are exhibitions.
fn admit_spectator(worker_kit: &WorkerKit) -> SpectatorSlot {
    let address = ClientAddress("10.0.0.1".parse().expect("an address"));
    let slot = worker_kit.app.arena.spectators.admit_spectator(address);
    slot.expect("nobody else watches")
}

#[test]
fn exhibitions_begin_while_somebody_watches() {
    let worker_kit = WorkerKit::new();
    let audience = worker_kit.app.arena.audience.clone();
    let options = leitai_server::schedule::ScheduleOptions::new("house", 0);
    let mut scheduler = leitai_server::schedule::Scheduler::new(
        leitai_games::ALL,
        worker_kit.app.store.clone(),
        options,
    )
    .with_audience(move |at| audience.is_present(at));
    let later = Timestamp::now().after(Duration::from_secs(3600));
    let mut made = || worker_kit.ok(scheduler.create_matches(later));
    assert_eq!(made(), 0, "an hour after the start nobody is there");
    let spectator = admit_spectator(&worker_kit);
    assert_eq!(made(), leitai_games::ALL.len());
    drop(spectator);
    assert_eq!(made(), 0);
}

fn is_show(shown: &leitai_store::Match) -> bool {
    shown.kind == MatchKind::Exhibition && shown.state == MatchState::Running
}

#[test]
fn every_game_has_a_live_exhibition_and_ladder_matches_are_played() {
    let worker_kit = WorkerKit::new();
    let _spectator = admit_spectator(&worker_kit);
    let start = || {
        let engine = MatchEngine::start_engine(
            &worker_kit.app,
            make_program_cache(Some(Sandbox::without_isolation())),
            engine(),
        );
        worker_kit.ok(engine)
    };
    let engine = start();
    worker_kit.until(|| watchable(&worker_kit).len() == leitai_games::ALL.len());
    worker_kit.until(|| count(&worker_kit, MatchKind::Ladder, MatchState::Finished) > 0);
    // One that has just ended is followed by another one.
    let running = || count(&worker_kit, MatchKind::Exhibition, MatchState::Running);
    worker_kit.until(|| running() == leitai_games::ALL.len());
    worker_kit.wait_for(engine.stop_engine());
    for kind in [MatchKind::Exhibition, MatchKind::Ladder] {
        assert_eq!(count(&worker_kit, kind, MatchState::Running), 0, "{kind:?}");
    }
    assert!(worker_kit.app.arena.live.list_matches().is_empty());
    // An exhibition that ended just before is followed by another one; interrupted ones continue.
    let queued = with_state(&worker_kit, MatchKind::Exhibition, MatchState::Queued);
    let engine = start();
    worker_kit.until(|| watchable(&worker_kit).len() == leitai_games::ALL.len());
    // The same exhibitions continue.
    worker_kit.until(|| {
        let gone_on = [MatchState::Running, MatchState::Finished]
            .map(|state| with_state(&worker_kit, MatchKind::Exhibition, state));
        (queued.iter()).all(|id| gone_on.iter().flatten().any(|other| other == id))
    });
    worker_kit.wait_for(engine.stop_engine());
}

#[test]
fn exhibitions_of_a_killed_server_are_cancelled_by_the_next_server_of_its_name() {
    let worker_kit = WorkerKit::new();
    let shown = worker_kit.make(MatchKind::Exhibition, "kob", "random", "safe");
    let other = worker_kit.make(MatchKind::Exhibition, "kob", "random", "safe");
    for name in ["house", "another"] {
        let job_source = worker_kit.job_source(By::Process, name);
        job_source
            .lease_job(&worker_kit::request(leitai_store::JobKind::Exhibition))
            .expect("it answers")
            .expect("a show");
    }
    let options = leitai_server::schedule::ScheduleOptions::new("house", 1);
    let next = leitai_server::schedule::Scheduler::new(
        leitai_games::ALL,
        worker_kit.app.store.clone(),
        options,
    );
    worker_kit.ok(next.open_ladders(Timestamp::now()));
    assert_eq!(worker_kit.read(shown.id).state, MatchState::Cancelled);
    assert_eq!(worker_kit.read(other.id).state, MatchState::Running);
}

fn report(name: &str, slots: i32, exhibitions: i32, isolation: &str) -> leitai_store::WorkerReport {
    leitai_store::WorkerReport {
        name: name.to_owned(),
        version: String::new(),
        isolation: isolation.to_owned(),
        slots,
        busy: 0,
        remote: true,
        exhibitions,
    }
}

#[test]
fn the_schedule_follows_the_slots_of_the_workers() {
    let worker_kit = WorkerKit::new();
    let options = |name| leitai_server::schedule::ScheduleOptions {
        exhibitions: false,
        ..leitai_server::schedule::ScheduleOptions::new(name, 0)
    };
    let store = &worker_kit.app.store;
    let mut scheduler =
        leitai_server::schedule::Scheduler::new(leitai_games::ALL, store.clone(), options("house"));
    let begin = Timestamp::now();
    assert_eq!(
        worker_kit.ok(scheduler.create_matches(begin)),
        0,
        "no worker plays"
    );
    for (name, slots, exhibitions) in [("one", 19, 3), ("two", 8, 0)] {
        let heard = store.record_heartbeat(report(name, slots, exhibitions, "B"), begin);
        worker_kit.ok(heard);
    }
    let made = worker_kit.ok(scheduler.create_matches(begin));
    assert_eq!(
        made,
        2 * (16 + 8),
        "two matches for each slot of every worker, exhibitions not counted"
    );
    assert_eq!(
        worker_kit.ok(scheduler.create_matches(begin)),
        0,
        "the queue is full"
    );
    // One worker is gone, the other has played everything: the ladders share the remaining slots.
    let later = begin.after(Duration::from_secs(60));
    worker_kit.ok(store.record_heartbeat(report("two", 8, 0, "B"), later));
    let queue = worker_kit.ok(store.list_jobs(&PageQuery::first_page(100)));
    for job in queue.items {
        let id = job.match_id.expect("a match");
        worker_kit.ok(store.cancel_match(id, "for the test", later));
    }
    let made = worker_kit.ok(scheduler.create_matches(later));
    assert_eq!(
        made, 18,
        "two matches for each slot of the remaining worker, rounded up for each of three games"
    );
}

#[test]
fn a_server_without_slots_leaves_programs_to_workers() {
    let worker_kit = WorkerKit::of_games(kob());
    let spectator = admit_spectator(&worker_kit);
    let options = EngineOptions {
        slots: 0,
        ..engine()
    };
    let engine = MatchEngine::start_engine(
        &worker_kit.app,
        make_program_cache(Some(Sandbox::without_isolation())),
        options,
    );
    let engine = worker_kit.ok(engine);
    let (bot, version) = worker_kit.upload("kob", "mine", "bot.py", worker_kit::FIRST_LEGAL);
    // Built-in bots need no isolation: their exhibitions continue.
    worker_kit.until(|| watchable(&worker_kit).len() == 1);
    // Those that run go on to their ends; no more begin beside what follows.
    drop(spectator);
    assert_eq!(
        worker_kit.version(&version).state,
        leitai_store::VersionState::Queued,
        "no worker checks it"
    );
    assert_eq!(
        count(&worker_kit, MatchKind::Ladder, MatchState::Queued),
        0,
        "no worker could play it"
    );
    let own = worker_kit
        .ok(worker_kit.app.store.list_workers(Timestamp(0)))
        .remove(0);
    assert_eq!((own.match_slots(), own.runs_programs()), (0, false));
    assert!(
        worker_kit
            .app
            .arena
            .human_matches
            .program_cache()
            .is_some_and(|shop| shop.program_sandbox().is_none())
    );
    let url = format!("{}/api/versions/{}", worker_kit.listen(), version.id);
    let reported = || -> serde_json::Value {
        ureq::get(&url)
            .call()
            .expect("it answers")
            .body_mut()
            .read_json()
            .expect("JSON")
    };
    let waits = reported()["waiting"]["en"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(
        waits.contains("no worker"),
        "the author reads why the version waits: {waits}"
    );
    // A worker connects: it checks the version, and ladder matches are played.
    let job_source = worker_kit.job_source(By::Http, "far");
    let options = leitai_server::work::worker::WorkerOptions {
        remote: true,
        ..worker_kit::options("far")
    };
    let worker = worker_kit.worker(job_source, options);
    worker_kit.until(|| worker_kit.is_checked(&version));
    assert_eq!(
        worker_kit.version(&version).state,
        leitai_store::VersionState::Ready
    );
    assert!(reported()["waiting"].is_null());
    let games = || {
        let standing = worker_kit.ok(worker_kit
            .app
            .store
            .find_standing(bot.id, &leitai_store::LadderId::standard("kob")));
        standing.is_some_and(|standing| standing.games > 0)
    };
    worker_kit.until(games);
    // The server's own slots are for exhibitions of built-in bots alone.
    let shown = worker_kit.make(MatchKind::Exhibition, "kob", "mine", "safe");
    worker_kit.until(|| worker_kit.read(shown.id).state == MatchState::Cancelled);
    assert_eq!(
        worker_kit.read(shown.id).worker,
        None,
        "no worker had leased it"
    );
    worker.stop_worker();
    worker.join_threads().expect("it was not refused");
    worker_kit.wait_for(engine.stop_engine());
}

#[tokio::test]
async fn every_account_may_request_a_match() {
    let kit = Kit::new().await;
    let author = kit.person("author").await;
    let (bot, _) = kit.ready_bot(&author, "one").await;
    let (other, version) = kit.ready_bot(&author, "two").await;
    let game = bot.game.clone();
    let wanted = |a: i64, more: serde_json::Value| {
        let mut body = json!({"game": game, "a": {"bot": a}, "b": {"version": version.id.0}});
        body.as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        body
    };
    let body = wanted(bot.id.0, json!({"seed": 7}));
    refused!(kit.guest().post("/api/matches", body.clone()) => 401, "login");
    let made = author.post("/api/matches", body).await.ok();
    has!(made, {"kind": "friendly", "state": "queued", "/b/bot": other.id.0});
    author
        .post(
            "/api/matches",
            wanted(bot.id.0, json!({"config": {"no": 1}})),
        )
        .await
        .refused(422, "bad-config");
    refused!(author.post("/api/matches", wanted(bot.id.0, json!({"game": "kob2"}))) => 404, "not-found");
    refused!(author.post("/api/matches", wanted(99, json!({}))) => 404, "not-found");
    let elsewhere = ["kob", "snakego"]
        .into_iter()
        .find(|id| *id != game)
        .expect("there are two");
    author
        .post("/api/matches", wanted(bot.id.0, json!({"game": elsewhere})))
        .await
        .refused(422, "other-game");
    // The version of before is the author's own matter; so is a candidate.
    let newer = kit.ready_version(&other).await;
    let active = kit.app.store.find_bot(other.id).await.expect("it is there");
    let (old, new) = match active.active == Some(version.id) {
        true => (newer.id, version.id),
        false => (version.id, newer.id),
    };
    let stranger = kit.person("stranger").await;
    for (person, of, may) in [
        (&author, old, true),
        (&author, new, true),
        (&stranger, new, true),
        (&stranger, old, false),
    ] {
        let body = json!({"game": game, "a": {"bot": bot.id}, "b": {"version": of}});
        let answer = person.post("/api/matches", body).await;
        match may {
            true => drop(answer.ok()),
            false => answer.refused(403, "not-yours"),
        }
    }
    for person in [&stranger, &kit.guest()] {
        let body = json!({"game": game, "opponent": {"version": old}});
        refused!(person.post("/api/human-matches", body) => 403, "not-yours");
    }
}

#[tokio::test]
async fn settings_of_entrants_are_for_their_authors_and_below_the_limits() {
    let kit = Kit::new().await;
    let (ada, bea) = (kit.person("ada").await, kit.person("bea").await);
    let [own, other] = kit.ready_bots([(&ada, "own"), (&bea, "other")]).await;
    let store = &kit.app.store;
    let now = leitai_store::Timestamp::now();
    let (built_in, _) = ok!(store.ensure_built_in(&own.game, "random", "", now));
    let (own, other, built_in) = (own.id.0, other.id.0, built_in.id.0);
    // The bot, its settings, and what is kept or refused.
    let rows = [
        (own, "", Ok(None)),
        (
            own,
            "  --depth  5 @env=K=V @limit=20ms",
            Ok(Some("--depth 5 @env=K=V @limit=20ms")),
        ),
        (
            other,
            "@limit=20ms @memory=64MiB",
            Ok(Some("@limit=20ms @memory=64MiB")),
        ),
        (other, "--depth 5", Err((403, "not-yours"))),
        (other, "@env=LD_PRELOAD=x.so", Err((403, "not-yours"))),
        (built_in, "@limit=20ms", Ok(Some("@limit=20ms"))),
        (built_in, "@limit=2s", Err((422, "bad-settings"))),
        (built_in, "@memory=64MiB", Err((422, "bad-settings"))),
        (own, "@limit=1h", Err((422, "bad-settings"))),
        (own, "@memory=900GiB", Err((422, "bad-settings"))),
        (own, "@limti=1s", Err((422, "bad-settings"))),
        (own, "@name=champion", Err((422, "bad-settings"))),
        (own, "'open", Err((422, "bad-settings"))),
    ];
    for (bot, settings, expected) in rows {
        let body = json!({
            "game": "kob", "a": {"bot": bot, "settings": settings}, "b": {"bot": own},
        });
        let answer = ada.post("/api/matches", body).await;
        match expected {
            Ok(kept) => {
                let made = answer.ok();
                assert_eq!(made["a"]["settings"], json!(kept), "{settings}");
                assert_eq!(made["b"].get("settings"), None, "{settings}");
            }
            Err((status, code)) => answer.refused(status, code),
        }
    }
    for chosen in [json!({}), json!({"bot": own, "version": 1})] {
        let body = json!({"game": "kob", "a": chosen, "b": {"bot": own}});
        refused!(ada.post("/api/matches", body) => 422, "bad-entrant");
    }
}
