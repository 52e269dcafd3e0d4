//! Who waits for whom: programs that sleep, and accounts that send in much at once.

use crate::kit::{new_bot, new_user, says};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use leitai_server::ServerOptions;
use leitai_server::config::WaitingAllowances;
use leitai_server::schedule::{ScheduleOptions, Scheduler};
use leitai_store::{
    Bot, JobKind, LadderId, MatchKind, NewVersion, Store, Timestamp, Version, VersionOutcome,
    VersionState, WorkerReport,
};
use serde_json::Value;

use crate::worker_kit::{By, FIRST_LEGAL, WorkerKit, request};

/// It plays well enough, and sleeps before each answer.
const SLEEPER: &str = r#"# leitai: dialect=json-lines
import json, sys, time

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        time.sleep(1)
        print(json.dumps({"action": message["legal"][0]}), flush=True)
"#;

/// An arena where programs may wait for so long.
fn arena(of_match: Duration, of_check: Duration) -> WorkerKit {
    let mut worker_kit = WorkerKit::new();
    worker_kit.app.options = Arc::new(ServerOptions {
        waiting: WaitingAllowances {
            of_match: Some(of_match),
            of_check: Some(of_check),
        },
        ..ServerOptions::default()
    });
    worker_kit
}

/// The same source once more.
fn upload_again(worker_kit: &WorkerKit, bot: &Bot, version: &Version) -> Version {
    let new = NewVersion {
        bot: bot.id,
        source: version.source.clone().expect("it was uploaded"),
        file_name: version.file_name.clone(),
        bytes: version.bytes,
        notes: String::new(),
        activates: true,
    };
    let made = worker_kit.app.store.create_version(new, Timestamp::now());
    worker_kit.ok(made)
}

#[test]
fn a_program_that_sleeps_holds_nobody_up() {
    let worker_kit = arena(Duration::from_secs(1), Duration::from_millis(2500));
    let (bot, first) = worker_kit.upload("kob", "sleeper", "bot.py", SLEEPER);
    let more = [(); 3].map(|()| upload_again(&worker_kit, &bot, &first));
    let (_, honest) = worker_kit.upload("kob", "honest", "bot.py", FIRST_LEGAL);
    worker_kit.work_until(By::Process, || worker_kit.is_checked(&honest));
    assert_eq!(worker_kit.version(&honest).state, VersionState::Ready);
    // What was checked since then does not matter: this thread may have stood still.
    let ended = |version: &Version| worker_kit.version(version).finished;
    for later in &more {
        let is_later = ended(later).is_none_or(|at| Some(at) >= ended(&honest));
        assert!(is_later, "others have their turn");
    }
    let failed = worker_kit.version(&first);
    assert_eq!(failed.state, VersionState::Failed);
    let failure = failed.failure.expect("a reason");
    let said = |lang: &str| failure[lang].as_str().expect("a text").to_owned();
    for part in [
        "rather than computed in all its turns together, of 2.50 s that a program may",
        "leave out sleeping and waiting for files [TLE]; repeat it with",
        "leitai check kob bot.py --wait-limit 2500ms",
    ] {
        assert!(said("en").contains(part), "{}", said("en"));
    }
    assert!(said("zh").contains("最多允许 2.50 s"), "{}", said("zh"));
}

#[test]
fn a_task_says_how_long_its_programs_may_wait() {
    let usual = WorkerKit::new();
    let own = arena(Duration::from_millis(700), Duration::from_millis(800));
    for (worker_kit, of_match, of_check) in [(usual, 30_000, 60_000), (own, 700, 800)] {
        worker_kit.make(MatchKind::Friendly, "kob", "random", "safe");
        worker_kit.upload("kob", "one", "bot.py", FIRST_LEGAL);
        let job_source = worker_kit.job_source(By::Process, "worker");
        let allowed = |kind: JobKind| {
            let task = job_source.lease_job(&request(kind)).expect("it answers");
            task.expect("a job").waiting_ms
        };
        assert_eq!(allowed(JobKind::Match), Some(of_match));
        assert_eq!(allowed(JobKind::Version), Some(of_check));
    }
}

#[test]
fn what_waits_in_the_queue_says_its_place() {
    let worker_kit = WorkerKit::new();
    let report = WorkerReport {
        name: "one".to_owned(),
        version: String::new(),
        isolation: "B".to_owned(),
        slots: 2,
        busy: 0,
        remote: true,
        exhibitions: 0,
    };
    let store = &worker_kit.app.store;
    // It is alive however long this takes.
    let at = Timestamp::now().after(Duration::from_secs(3600));
    let heard = store.record_heartbeat(report, at);
    worker_kit.ok(heard);
    let (bot, first) = worker_kit.upload("kob", "one", "bot.py", FIRST_LEGAL);
    let second = upload_again(&worker_kit, &bot, &first);
    let (_, other) = worker_kit.upload("kob", "two", "bot.py", FIRST_LEGAL);
    let made = worker_kit.make(MatchKind::Friendly, "kob", "random", "safe");
    let url = worker_kit.listen();
    let waiting = |path: String| -> Value {
        let mut answer = ureq::get(&format!("{url}/api/{path}"))
            .call()
            .expect("it answers");
        let shown: Value = answer.body_mut().read_json().expect("JSON");
        shown["waiting"].clone()
    };
    let place = |version: &Version| waiting(format!("versions/{}", version.id));
    assert_eq!(place(&first)["place"], 1);
    assert_eq!(place(&other)["place"], 2, "accounts take turns");
    assert_eq!(place(&second)["place"], 3);
    assert_eq!(
        place(&second)["en"],
        "number 3 in the queue: it waits for a free slot (0 of 1 at work)"
    );
    says(&place(&second)["zh"].to_string(), &["第 3 位"]);
    let of_match = waiting(format!("matches/{}", made.id));
    assert_eq!(of_match["en"], "number 1 in the queue: it begins at once");
}

/// A bot of somebody, which passed its check.
async fn upload_checked(store: &Store, now: Timestamp) {
    let new = new_user("ann");
    let ann = store.create_user(new, now).await.expect("a user");
    let new = new_bot("kob", "viper", ann.id);
    let bot = store.create_bot(new, now).await.expect("a bot");
    let new = NewVersion {
        bot: bot.id,
        source: "sources/ab/cd".to_owned(),
        file_name: "main.py".to_owned(),
        bytes: 9,
        notes: String::new(),
        activates: true,
    };
    store.create_version(new, now).await.expect("a version");
    let offer = request(JobKind::Version).into_offer("worker", vec!["kob".to_owned()]);
    let lease = store.lease_job(&offer, now, Duration::from_secs(9)).await;
    let lease = lease.expect("it answers").expect("the check").lease;
    let ready = VersionOutcome::Ready {
        how: "python3".to_owned(),
        protocol: "line".to_owned(),
        report: Value::Null,
    };
    ok!(store.finish_version(&lease, ready, now));
}

#[tokio::test]
async fn a_new_arena_is_quiet_until_somebody_watches_or_a_bot_needs_opponents() {
    let store = Store::open_url("sqlite::memory:").await.expect("it opens");
    let (is_watched, now) = (Arc::new(AtomicBool::new(false)), Timestamp::now());
    let audience = is_watched.clone();
    let mut scheduler = Scheduler::new(
        leitai_games::ALL,
        store.clone(),
        ScheduleOptions::new("house", 2),
    )
    .with_audience(move |_| audience.load(Ordering::Relaxed));
    scheduler.open_ladders(now).await.expect("it answers");
    assert_eq!(scheduler.create_matches(now).await.expect("it answers"), 0);
    let kob = LadderId::standard("kob");
    let rating = async |name: &str| {
        let bot = store.bot_by_name("kob", name).await.expect("it answers");
        let bot = bot.expect("it is built in").id;
        let standing = store.find_standing(bot, &kob).await.expect("it answers");
        standing
            .expect("it is listed")
            .current_rating()
            .shown_rating()
            .value
            .round()
    };
    assert_eq!(
        (rating("random").await, rating("space").await),
        (704.0, 1888.0)
    );
    let rebuilt = store.rebuild_ladder(&kob).await.expect("rebuilt");
    assert_eq!(
        rebuilt.changed, 0,
        "a rebuild starts from the known ratings"
    );
    is_watched.store(true, Ordering::Relaxed);
    let shown = scheduler.create_matches(now).await.expect("it answers");
    assert_eq!(
        shown,
        leitai_games::ALL.len(),
        "exhibitions and nothing else"
    );
    assert!(!scheduler.may_rest(now), "matches were made");
    assert_eq!(scheduler.create_matches(now).await.expect("it answers"), 0);
    assert!(scheduler.may_rest(now), "the exhibitions run");
    is_watched.store(false, Ordering::Relaxed);
    assert!(!scheduler.may_rest(now), "they left");
    upload_checked(&store, now).await;
    let made = scheduler.create_matches(now).await.expect("it answers");
    assert_eq!(
        made, 4,
        "two for each slot, of the ladder that has something to find out"
    );
}

#[test]
fn the_state_of_the_arena_says_why_nothing_is_played() {
    let worker_kit = WorkerKit::new();
    let url = worker_kit.listen();
    let ask = |path: &str| -> Value {
        let mut answer = ureq::get(&format!("{url}{path}"))
            .call()
            .expect("it answers");
        answer.body_mut().read_json().expect("JSON")
    };
    let audience = &worker_kit.app.arena.audience;
    let quiet = ask("/api/status")["quiet"].clone();
    let en = quiet["en"].as_str().expect("a text");
    says(en, &["ratings of the built-in bots are known"]);
    says(&quiet["zh"].to_string(), &["内置 Bot"]);
    assert!(
        !audience.is_present(Timestamp::now()),
        "a page of another kind"
    );
    ask("/api/status?watching=true");
    assert!(audience.is_present(Timestamp::now()));
}
