//! Experiments: sequential tests of versions, from their start to the decision.

use std::path::Path;
use std::time::Duration;

use futures_util::future::join_all;
use leitai_game::{ByEntrant, Entrant};
use leitai_ladder::elo::expected_score;
use leitai_series::GameRecord;
use leitai_series::game_record::LegSummary;
use leitai_server::experiments::advance::{entrant_name, find_entrants};
use leitai_server::experiments::count::CountedPairs;
use leitai_server::schedule::{NO_LADDER, ScheduleOptions, Scheduler};
use leitai_store::{
    Bot, Experiment, ExperimentState, JobKind, JobWork, Json, LeasedJob, MatchEntrant, MatchKind,
    MatchResult, MatchSeed, MatchWinner, NewExperiment, NewVersion, PerSide, Store, TestBounds,
    Timestamp, User, Version, VersionOutcome, WorkerOffer,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;

use crate::kill::{FOLDER, kill, start};
use crate::kit::{Kit, has, new_bot, new_user};
use crate::worker_kit::{By, PYTHON, WorkerKit, kob};

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
    }
}

/// An experiment of a program against a built-in bot.
fn begin(worker_kit: &WorkerKit) -> Experiment {
    let (bot, version) = worker_kit.upload("kob", "climber", "bot.py", PYTHON);
    worker_kit.work_until(By::Process, || worker_kit.is_checked(&version));
    let base = worker_kit.bot("kob", "random");
    let store = &worker_kit.app.store;
    worker_kit.wait_for(async {
        let active = base.active.expect("it plays");
        let playing = store.find_version(active).await.expect("the version");
        let owner = store.find_bot(bot.id).await.expect("the bot").owner;
        let owner = owner.expect("its author");
        let new = test_of(owner, &version, (&base, &playing));
        let made = store.create_experiment(new, 1, Timestamp::now()).await;
        made.expect("it answers").expect("there is room")
    })
}

fn now(worker_kit: &WorkerKit, own: &Experiment) -> Experiment {
    let found = worker_kit.app.store.find_experiment(own.id);
    worker_kit.wait_for(found).expect("it is there")
}

/// Counts an experiment again from its rows; no place has two matches.
fn recount(worker_kit: &WorkerKit, own: &Experiment) -> CountedPairs {
    let store = &worker_kit.app.store;
    worker_kit.wait_for(async {
        let matches = store.experiment_matches(own.id, 0).await.expect("listed");
        let mut places: Vec<_> = matches.iter().map(|one| one.place).collect();
        places.dedup();
        assert_eq!(places.len(), matches.len(), "{matches:?}");
        let names = find_entrants(store, own).await.expect("they play");
        CountedPairs::of_matches(own, names.each_ref().map(entrant_name), &matches)
    })
}

/// Runs workers and scheduler until the experiment has ended.
fn play_to_its_end(worker_kit: &WorkerKit, own: &Experiment) -> Experiment {
    let mut scheduler = scheduler(&worker_kit.app.store);
    worker_kit.work_until(By::Process, || {
        let made = worker_kit.wait_for(scheduler.create_matches(Timestamp::now()));
        made.expect("the database answers");
        now(worker_kit, own).state != ExperimentState::Running
    });
    now(worker_kit, own)
}

#[test]
fn an_experiment_is_played_to_its_decision() {
    let worker_kit = WorkerKit::of_games(kob());
    let own = begin(&worker_kit);
    let ended = play_to_its_end(&worker_kit, &own);
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
fn play_with_kills(kills: usize) {
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
    let ended = play_to_its_end(&watcher, &own);
    let counted = recount(&watcher, &own);
    assert_eq!(counted.outcome(), Some(ended.state), "{ended:?}");
    // Without kills the same games lead to the same decision.
    let quiet = WorkerKit::of_games(kob());
    let same = begin(&quiet);
    let unhurt = play_to_its_end(&quiet, &same);
    let expected = recount(&quiet, &same);
    if counted.result.void.is_empty() && expected.result.void.is_empty() {
        assert_eq!((counted.llrs, ended.state), (expected.llrs, unhurt.state));
    }
}

fn at(folder: &Path) -> WorkerKit {
    WorkerKit::at(folder, Duration::from_secs(6))
}

#[test]
fn a_killed_server_goes_on_to_the_same_decision() {
    play_with_kills(1);
}

#[tokio::test]
async fn only_the_people_of_a_bot_see_its_experiments() {
    let kit = Kit::new().await;
    let (ada, bea) = (kit.person("ada").await, kit.person("bea").await);
    let (bot, first) = kit.ready_bot(&ada, "climber").await;
    kit.ready_version(&bot).await;
    let (other, _) = kit.ready_bot(&bea, "rival").await;
    let wanted = json!({"bot": bot.id, "version": first.number, "bounds": {"elo1": 40.0}});
    let made = ada.post("/api/experiments", wanted.clone()).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let id = made.json()["id"].as_i64().expect("an id");
    let mut scheduler = Scheduler::new(
        kob(),
        kit.app.store.clone(),
        ScheduleOptions {
            exhibitions: false,
            ladder_every: NO_LADDER,
            ..ScheduleOptions::new("test", 1)
        },
    );
    let created = scheduler.create_matches(Timestamp::now()).await;
    assert_eq!(created.expect("it answers"), 4);
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
    bea.send("POST", &format!("/api/experiments/{id}/stop"), None)
        .await
        .refused(404, "not-found");
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
    bea.post("/api/experiments", wanted.clone())
        .await
        .refused(403, "not-yours");
    let listed = ada.get("/api/experiments").await.ok();
    assert_eq!(listed["items"][0]["id"], id);
    assert_eq!(bea.get("/api/experiments").await.ok()["items"], json!([]));
    // Against somebody's bot: its active version alone.
    let against = |number: Option<i32>| json!({"bot": bot.id, "against": other.id, "against_version": number});
    ada.post("/api/experiments", against(Some(7)))
        .await
        .refused(422, "not-active");
    assert_eq!(
        ada.post("/api/experiments", against(None)).await.status,
        201
    );
    ada.post("/api/experiments", against(None))
        .await
        .refused(409, "too-many");
    let stopped = ada
        .send("POST", &format!("/api/experiments/{id}/stop"), None)
        .await;
    assert_eq!(stopped.ok()["state"], "cancelled");
    assert_eq!(
        ada.post("/api/experiments", against(None)).await.status,
        201
    );
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_in_words() {
    let kit = Kit::new().await;
    let ada = kit.person("ada").await;
    let (bot, _) = kit.ready_bot(&ada, "climber").await;
    let rows = [
        (json!({"bot": bot.id}), "same-version"),
        (json!({"bot": bot.id, "version": 9}), "not-ready"),
        (
            json!({"bot": bot.id, "bounds": {"elo0": 5.0, "elo1": 5.0}}),
            "bad-bounds",
        ),
        (
            json!({"bot": bot.id, "bounds": {"most_pairs": 2001}}),
            "bad-bounds",
        ),
        (
            json!({"bot": bot.id, "bounds": {"alpha": 0.0}}),
            "bad-bounds",
        ),
    ];
    for (wanted, code) in rows {
        ada.post("/api/experiments", wanted)
            .await
            .refused(422, code);
    }
    let lane = |mode: &str| json!({"lane": mode, "bounds": {"most_pairs": 50}});
    let path = format!("/api/bots/{}/lane", bot.id);
    assert_eq!(ada.get(&path).await.ok()["lane"], "off");
    let set = ada.send("PUT", &path, Some(lane("automatic"))).await.ok();
    has(&set, json!({"lane": "automatic", "most_pairs": 50}));
    kit.person("bea")
        .await
        .get(&path)
        .await
        .refused(403, "not-yours");
    // The next upload is tested, and does not play.
    kit.ready_version(&bot).await;
    let listed = ada
        .get(&format!("/api/experiments?bot={}", bot.id))
        .await
        .ok();
    let own = &listed["items"][0];
    assert_eq!(
        (&own["promotes"], &own["tested"]["number"]),
        (&json!(true), &json!(2))
    );
    assert_eq!(
        kit.app.store.find_bot(bot.id).await.expect("it").active,
        bot.active
    );
}

/// The record of a match whose legs the tested version won by this chance, and lost otherwise.
fn record_of(
    played: &leitai_store::Match,
    tested: &Version,
    share: f64,
    rng: &mut StdRng,
) -> GameRecord {
    let of = |entrant: &Option<MatchEntrant>| entrant.as_ref().and_then(|one| one.version);
    let tested_is = match of(&played.a) == Some(tested.id) {
        true => Entrant::A,
        false => Entrant::B,
    };
    let mut leg = |number: i32| LegSummary {
        winner: Some(match rng.random::<f64>() < share {
            true => tested_is,
            false => tested_is.other(),
        }),
        scores: [0, 0],
        reason: "made-up".to_owned(),
        fingerprint: Some(format!("{}-{number}", played.id)),
    };
    let legs = vec![leg(0), leg(1)];
    GameRecord {
        pair: [0, 1],
        seed: played.seed.get(),
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
        winner: MatchWinner::Draw,
        reason: json!({"id": "made-up"}),
        scores: json!([]),
        leg_outcomes: json!([]),
        faults: json!([]),
        fault_counts: PerSide::default(),
        longest_us: PerSide::default(),
        cpu_us: 0,
        replay: None,
        games: Vec::new(),
        record: Some(json!(record)),
    }
}

async fn lease(store: &Store, kind: JobKind) -> Option<LeasedJob> {
    let offer = WorkerOffer {
        worker: "test".to_owned(),
        kinds: vec![kind],
        games: Vec::new(),
        programs: true,
    };
    let leased = store.lease_job(&offer, Timestamp::now(), Duration::from_secs(600));
    leased.await.expect("the database answers")
}

/// An author with a bot of two versions that are ready.
async fn author(store: &Store) -> (User, Bot, [Version; 2]) {
    let (now, zero) = (Timestamp::now(), Timestamp(0));
    let new = new_user("ada");
    let user = store.create_user(new, now).await.expect("an account");
    let new = new_bot("kob", "climber", user.id);
    let bot = store.create_bot(new, zero).await.expect("a bot");
    let mut versions = Vec::new();
    for _ in 0..2 {
        let new = NewVersion {
            bot: bot.id,
            source: "sources/ab/cd".to_owned(),
            file_name: "main.py".to_owned(),
            bytes: 9,
            notes: String::new(),
            activates: true,
        };
        versions.push(store.create_version(new, now).await.expect("a version"));
        let job = lease(store, JobKind::Version).await.expect("its check");
        let outcome = VersionOutcome::Ready {
            how: "python3".into(),
            protocol: "line".into(),
            report: json!({}),
        };
        let finished = store.finish_version(&job.lease, outcome, now).await;
        finished.expect("it is ready");
    }
    (user, bot, versions.try_into().expect("two"))
}

/// How many of so many experiments are accepted by the scheduler if the tested version is so much
/// stronger, and how many ended without a decision.
async fn accepted_of(runs: usize, elo: f64, bounds: TestBounds) -> (usize, usize) {
    let store = Store::open_url("sqlite::memory:").await.expect("it opens");
    let (user, bot, [base, tested]) = author(&store).await;
    let (share, mut rng) = (expected_score(elo), StdRng::seed_from_u64(41));
    let mut scheduler = scheduler(&store);
    let mut counts = (0, 0);
    let mut left = runs;
    while left > 0 {
        // Some at a time, as an arena has them.
        let mut running = Vec::new();
        for _ in 0..left.min(50) {
            let new = NewExperiment {
                bounds,
                ..test_of(user.id, &tested, (&bot, &base))
            };
            let made = store
                .create_experiment(new, u64::MAX, Timestamp::now())
                .await;
            running.push(made.expect("it answers").expect("there is room").id);
        }
        left -= running.len();
        while !store
            .running_experiments()
            .await
            .expect("listed")
            .is_empty()
        {
            let at = Timestamp::now();
            scheduler.create_matches(at).await.expect("it answers");
            let mut results = Vec::new();
            while let Some(job) = lease(&store, JobKind::Match).await {
                let JobWork::Match(played) = &job.work else {
                    panic!("a match")
                };
                assert_eq!(played.kind, MatchKind::Experiment);
                let record = record_of(played, &tested, share, &mut rng);
                results.push((job.lease.clone(), result_of(&record)));
            }
            let finish = results.into_iter().map(|(lease, result)| {
                let store = &store;
                async move { store.finish_match(&lease, result, at).await }
            });
            for finished in join_all(finish).await {
                finished.expect("recorded");
            }
        }
        for id in running {
            match store.find_experiment(id).await.expect("it").state {
                ExperimentState::Accepted => counts.0 += 1,
                ExperimentState::Rejected => {}
                _ => counts.1 += 1,
            }
        }
    }
    counts
}

/// The error rates of tests that the scheduler plays; `slack` is what chance adds to 5 %.
async fn check_error_rates(runs: usize, slack: f64) {
    let bounds = TestBounds {
        elo1: 120.0,
        most_pairs: 2_000,
        ..WIDE
    };
    let (wrong, open) = accepted_of(runs, bounds.elo0, bounds).await;
    let (right, open_too) = accepted_of(runs, bounds.elo1, bounds).await;
    let missed = runs - right - open_too;
    println!(
        "{runs} runs: accepted at H0 {wrong}, rejected at H1 {missed}, open {open} {open_too}"
    );
    assert_eq!((open, open_too), (0, 0));
    for errors in [wrong, missed] {
        let rate = errors as f64 / runs as f64;
        assert!(
            rate <= 0.05 + slack,
            "{wrong} and {missed} errors of {runs} runs"
        );
    }
}

#[tokio::test]
async fn an_experiment_errs_as_seldom_as_it_says() {
    // 5 % of 15 runs are 0.75; 7 come with a chance of 1e-5.
    check_error_rates(15, 0.35).await;
}

mod long {
    use super::*;

    /// Three standard deviations of 5 % of 2,000 runs.
    #[tokio::test]
    #[ignore = "2,000 experiments of each kind; ./dev long"]
    async fn an_experiment_errs_as_seldom_as_it_says_in_many_runs() {
        check_error_rates(2_000, 3.0 * (0.05f64 * 0.95 / 2_000.0).sqrt()).await;
    }

    #[test]
    #[ignore = "a minute; ./dev long"]
    fn a_server_that_is_killed_twenty_times_decides_the_same() {
        play_with_kills(20);
    }
}
