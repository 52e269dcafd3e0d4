//! Workers in the server's process and over HTTP: each test runs with both.

use crate::kit::{deletion_by, says};
use crate::worker_kit;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use leitai_game::replay::{EntrantKind, ForcedRecord, Replay, ReplayWalker, verify_replay};
use leitai_game::{ByEntrant, Entrant, GameHandle};
use leitai_judge::{MatchSpec, NoHumans, Player, PlayerKind, Sandbox, play_match};
use leitai_server::schedule::{create_continuation, new_match};
use leitai_server::work::continuation::MatchOrigin;
use leitai_server::work::http_source::HttpJobSource;
use leitai_server::work::leased_tasks::LEASE;
use leitai_server::work::limits;
use leitai_server::work::play_match::play_for;
use leitai_server::work::source::{
    Handshake, JobProgress, JobReport, JobRequest, JobSource, JobSourceError, JobTask,
    ReportOutcome, SourceTask, TaskWork,
};
use leitai_server::work::task_context::{TaskContext, TaskOutcome};
use leitai_server::work::worker::{WorkerOptions, make_program_cache};
use leitai_store::{
    JobKind, JobState, Lease, LeaseState, MatchKind, MatchState, MatchWinner, Timestamp, VersionId,
    VersionOutcome, VersionState, WorkerOffer,
};
use leitai_work::{HeldLease, LeaseTerms};
use serde_json::{Value, json};
use worker_kit::{By, FIRST_LEGAL, WorkerKit, options, request};

/// Goes to a free cell of King of Bots: the first or the last one, by PICK.
const WALKER: &str = r#"# leitai: protocol=json-lines
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "turn":
        continue
    view = message["view"]
    own = next(snake for snake in view["snakes"] if snake["seat"] == view["you"])
    taken = [cell for snake in view["snakes"] for cell in snake["cells"]]
    row, column = own["cells"][0]
    free = []
    for action, (down, right) in zip("0123", [(-1, 0), (0, 1), (1, 0), (0, -1)]):
        cell = [row + down, column + right]
        if view["map"][cell[0]][cell[1]] == "0" and cell not in taken:
            free.append(action)
    print(json.dumps({"action": (free or ["0"])[PICK]}), flush=True)
"#;

/// Runs a test with a worker in the server's process, and with one over HTTP.
fn both(test: fn(&WorkerKit, By)) {
    for by in [By::Process, By::Http] {
        test(&WorkerKit::new(), by);
    }
}

/// Plays a match and returns the worker's report.
fn played(source: &Arc<dyn JobSource>, task: &JobTask) -> JobReport {
    let TaskWork::Match(work) = &task.work else {
        panic!("the task is no match: {task:?}")
    };
    let game = leitai_games::ALL
        .iter()
        .find(|game| game.meta().id == work.game)
        .expect("it is built in");
    let terms = LeaseTerms::lasting(Duration::from_secs(30));
    let held = HeldLease::new(task.lease.clone(), terms, 0, Arc::default());
    let context = TaskContext {
        source,
        game: &GameHandle::from(game),
        programs: &make_program_cache(Some(Sandbox::without_isolation())),
        held: &Arc::new(held),
        waiting: None,
    };
    match play_for(context, work) {
        TaskOutcome::Report(report) => report,
        TaskOutcome::Back => panic!("the worker was not stopped"),
    }
}

#[test]
fn a_ladder_match_is_played_recorded_and_rated() {
    both(|worker_kit, by| {
        let made = worker_kit.make(MatchKind::Ladder, "tankcraft", "random", "miner");
        worker_kit.work_until(by, || worker_kit.is_over(made.id));
        let played = worker_kit.read(made.id);
        assert_eq!(
            played.state,
            MatchState::Finished,
            "{by:?}: {:?}",
            played.note
        );
        let replay = worker_kit.replay(&played);
        let legs = replay.legs.len();
        assert_eq!(
            played.scores.expect("scores").as_array().map(Vec::len),
            Some(legs)
        );
        assert!(played.a_change.is_some() && played.turn.is_some());
        assert_eq!(
            played.reason.expect("a reason")["id"],
            json!(replay.verdict.expect("a verdict").reason)
        );
        assert!(
            worker_kit.app.arena.live.list_matches().is_empty(),
            "the finished match is no longer live"
        );
    });
}

#[test]
fn a_match_goes_on_from_a_moment_of_another_with_the_real_programs() {
    // A worker elsewhere gets all that it needs with the task.
    let (worker_kit, by) = (&WorkerKit::new(), By::Http);
    let (bot, version) =
        worker_kit.upload("kob", "recorded", "bot.py", &WALKER.replace("PICK", "0"));
    let last = WALKER.replace("PICK", "-1");
    let (other, changed) = worker_kit.upload("kob", "changed", "bot.py", &last);
    worker_kit.work_until(by, || {
        worker_kit.is_checked(&version) && worker_kit.is_checked(&changed)
    });
    let store = &worker_kit.app.store;
    let author = bot.owner.expect("a person uploaded it");
    let safe = worker_kit.bot("kob", "safe");
    let entrant = |id| worker_kit.ok(store.bot_entrant(id));
    for program in [0, 1] {
        let seat = |bot: leitai_store::BotId| match program {
            0 => [entrant(bot), entrant(safe.id)],
            _ => [entrant(safe.id), entrant(bot)],
        };
        let game = worker_kit.game("kob");
        let [a, b] = seat(bot.id);
        let new = leitai_store::NewMatch {
            seed: 1.into(),
            ..new_match(&*game, MatchKind::Friendly, a, b)
        };
        let made = worker_kit.ok(store.create_match(new, Timestamp::now())).id;
        worker_kit.work_until(by, || worker_kit.is_over(made));
        let first = worker_kit.read(made);
        let recorded = worker_kit.replay(&first);
        let origin = MatchOrigin {
            match_id: made.0,
            leg: 1,
            round: 3,
        };
        // The same program comes to the moment by itself; the other one does not.
        for (who, diverges) in [(bot.id, false), (other.id, true)] {
            let now = Timestamp::now();
            let terms = (origin.with_limits(&first.limits), origin.leg);
            let asker = (author, &leitai_store::Quota::UNLIMITED);
            let made = create_continuation(store, &*game, &first, seat(who), terms, asker, now);
            let made = worker_kit.ok(made).id;
            worker_kit.work_until(by, || worker_kit.is_over(made));
            let played = worker_kit.read(made);
            assert_eq!(
                played.state,
                MatchState::Finished,
                "{by:?}: {:?}",
                played.note
            );
            assert!(played.turn.is_none(), "it is not rated");
            let replay = worker_kit.replay(&played);
            assert_eq!(
                replay.forced,
                Some(ForcedRecord {
                    leg: 1,
                    round: 3,
                    each_leg: false
                })
            );
            let start = |replay: &Replay| {
                let tokens = replay.legs[0].replies.split(' ').take(2);
                tokens.map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(start(&replay), start(&recorded));
            let said = replay.legs[0]
                .logs
                .iter()
                .any(|log| log.text.contains("[leitai]"));
            assert_eq!(said, diverges, "{:?}", replay.legs[0].logs);
        }
    }
    // A match that is not over counts as 10 CPU seconds; these are, and took some.
    let people = [author];
    let limits = store.member_quota(&people, &leitai_store::Quota::UNLIMITED);
    let limits = worker_kit.ok(limits);
    let used = worker_kit.ok(store.action_use(author, &limits, Timestamp::now()));
    assert_eq!(used.friendlies, 4, "{by:?}");
    assert!((1..40).contains(&used.cpu_seconds), "{by:?}: {used:?}");
}

#[test]
fn an_upload_is_built_checked_and_rated() {
    both(|worker_kit, by| {
        let (bot, version) = worker_kit.upload("kob", "first-legal", "bot.py", FIRST_LEGAL);
        worker_kit.work_until(by, || worker_kit.is_checked(&version));
        let checked = worker_kit.version(&version);
        assert_eq!(checked.state, VersionState::Ready, "{:?}", checked.failure);
        fields!(checked, {how.as_deref(): Some("python3"),
            protocol.as_deref(): Some("json-lines")});
        assert_eq!(
            checked.steps.as_array().map(Vec::len),
            Some(11),
            "{}",
            checked.steps
        );
        assert_eq!(checked.report.expect("a report")["passed"], json!(true));
        let made = worker_kit.ok(worker_kit
            .quick_scheduler()
            .create_matches(Timestamp::now()));
        assert!(made > 0);
        let games = || {
            let standing = worker_kit.ok(worker_kit
                .app
                .store
                .find_standing(bot.id, &leitai_store::LadderId::standard("kob")));
            standing.expect("it is on the ladder").games
        };
        worker_kit.work_until(by, || games() > 0);
    });
}

#[test]
fn a_version_that_cannot_play_fails_with_its_reason() {
    let check = |file_name: &str, text: &str, en: &[&str], step: &str| {
        let worker_kit = WorkerKit::new();
        let (bot, version) = worker_kit.upload("kob", "broken", file_name, text);
        worker_kit.work_until(By::Process, || worker_kit.is_checked(&version));
        let failed = worker_kit.version(&version);
        assert_eq!(failed.state, VersionState::Failed, "{file_name}");
        let failure = failed.failure.expect("a reason");
        let said = failure["en"].as_str().expect("in English");
        assert!(en.iter().all(|part| said.contains(part)), "{said}");
        assert!(!failure["zh"].as_str().expect("in Chinese").is_empty());
        let steps = failed.steps.as_array().cloned().unwrap_or_default();
        let found = steps
            .iter()
            .find(|found| found["mark"] == json!("failed"))
            .map(|found| found["step"].clone());
        assert_eq!(
            found,
            (!step.is_empty()).then(|| json!(step)),
            "{file_name}"
        );
        let bot = worker_kit.ok(worker_kit.app.store.find_bot(bot.id));
        assert_eq!(bot.active, None);
    };
    check(
        "main.py",
        "this is no Python\n",
        &["SyntaxError", "leitai match kob main.py random --seed 1"],
        "starts",
    );
    check(
        "bot.c",
        "int main(void) { return oops; }\n",
        &["oops", "leitai check kob bot.c"],
        "builds",
    );
    check(
        "notes.txt",
        "I am no program\n",
        &["neither a program nor source", "leitai check kob notes.txt"],
        "",
    );
    let lost = FIRST_LEGAL.replace("json-lines", "klingon");
    check("lost.py", &lost, &["klingon", "json-lines"], "");
}

#[test]
fn a_program_that_crashes_loses_and_its_fault_is_recorded() {
    let worker_kit = WorkerKit::new();
    let (_, version) = worker_kit.upload("kob", "crasher", "bot.py", "import sys\nsys.exit(3)\n");
    let job_source = worker_kit.job_source(By::Process, "hand");
    let task = job_source
        .lease_job(&request(JobKind::Version))
        .expect("it answers")
        .expect("the version");
    // The test skips the check, which would refuse this program.
    let ready = VersionOutcome::Ready {
        how: "python3".into(),
        protocol: "line".into(),
        report: json!({}),
    };
    assert_eq!(
        job_source.finish_job(&task.lease, JobReport::Version(ready)),
        Ok(ReportOutcome::Counted)
    );
    assert_eq!(worker_kit.version(&version).state, VersionState::Ready);
    let made = worker_kit.make(MatchKind::Ladder, "kob", "crasher", "safe");
    worker_kit.work_until(By::Process, || worker_kit.is_over(made.id));
    let played = worker_kit.read(made.id);
    fields!(played, {state: MatchState::Finished, winner: Some(MatchWinner::B)});
    let faults = played.faults.clone().expect("faults");
    assert_eq!(
        faults[0],
        json!({"entrant": "a", "code": "RE", "leg": 1, "round": 1, "step": 0}),
        "{faults}"
    );
    assert!(played.a_faults > 0 && played.b_faults == 0);
    assert!(played.a_change.is_some_and(|change| change < 0.0));
    let fault = &worker_kit.replay(&played).legs[0].faults[0];
    assert_eq!(fault.exit.as_deref(), Some("exit code 3"));
}

/// Plays only with its argument, its variable and its memory.
const WITH_SETTINGS: &str = r#"# leitai: dialect=json-lines
import json, os, resource, sys

if sys.argv[1:] not in ([], ["--depth", "a b"]):
    sys.exit(4)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        legal = message["legal"]
        wrong = sys.argv[1:] and os.environ.get("LEVEL") != "7"
        print(json.dumps({"action": "nonsense" if wrong else legal[0]}), flush=True)
        print(*sys.argv[1:], os.environ.get("LEVEL"), file=sys.stderr, flush=True)
"#;

#[test]
fn an_entrant_plays_with_its_settings_and_the_replay_states_them() {
    both(|worker_kit, by| {
        let (_, version) = worker_kit.upload("kob", "deep", "bot.py", WITH_SETTINGS);
        worker_kit.work_until(by, || worker_kit.is_checked(&version));
        let store = &worker_kit.app.store;
        let entrant = |name: &str, settings: &str| {
            let bot = worker_kit.bot("kob", name);
            let entrant = worker_kit.wait_for(store.bot_entrant(bot.id));
            leitai_store::MatchEntrant {
                settings: Some(settings.to_owned()),
                ..entrant.expect("it plays")
            }
        };
        let settings = ["--depth 'a b' @env=LEVEL=7 @limit=2s", "@limit=5ms"];
        let both = [entrant("deep", settings[0]), entrant("random", settings[1])];
        let new = leitai_store::NewMatch::new(
            "kob",
            MatchKind::Friendly,
            both.map(Some).into(),
            7.into(),
            1,
        );
        let made = worker_kit.ok(store.create_match(new, Timestamp::now()));
        worker_kit.work_until(by, || worker_kit.is_over(made.id));
        let replay = worker_kit.replay(&worker_kit.read(made.id));
        for (entrant, own) in Entrant::BOTH.into_iter().zip(settings) {
            assert_eq!(
                replay.entrants[entrant].settings.as_deref(),
                Some(own),
                "{by:?}"
            );
        }
        assert_eq!(replay.legs[0].faults, [], "{by:?}");
        let log = format!("{:?}", replay.legs[0]);
        assert!(log.contains("--depth a b 7"), "{by:?}: {log}");
    });
}

#[test]
fn an_infrastructure_error_is_tried_again_and_never_rated() {
    both(|worker_kit, by| {
        let made = worker_kit.make(MatchKind::Ladder, "kob", "random", "safe");
        let job_source = worker_kit.job_source(by, "hand");
        for attempt in 1..=3 {
            let task = job_source
                .lease_job(&request(JobKind::Match))
                .expect("it answers");
            let task = task.unwrap_or_else(|| panic!("attempt {attempt}"));
            assert_eq!(
                job_source.finish_job(
                    &task.lease,
                    JobReport::InfrastructureError("no room".into())
                ),
                Ok(ReportOutcome::Counted)
            );
        }
        assert!(
            job_source
                .lease_job(&request(JobKind::Match))
                .expect("it answers")
                .is_none()
        );
        let void = worker_kit.read(made.id);
        fields!(void, {state: MatchState::Void, a_change: None, turn: None});
        let standing = worker_kit.ok(worker_kit.app.store.find_standing(
            worker_kit.bot("kob", "safe").id,
            &leitai_store::LadderId::standard("kob"),
        ));
        assert_eq!(standing.expect("it is on the ladder").games, 0);
    });
}

#[test]
fn the_result_of_a_lost_lease_is_thrown_away() {
    for by in [By::Process, By::Http] {
        let worker_kit = WorkerKit::leased_for(Duration::ZERO);
        let made = worker_kit.make(MatchKind::Ladder, "kob", "random", "safe");
        let (one, two) = (
            worker_kit.job_source(by, "one"),
            worker_kit.job_source(By::Process, "two"),
        );
        let early = one
            .lease_job(&request(JobKind::Match))
            .expect("it answers")
            .expect("the match");
        let late = two
            .lease_job(&request(JobKind::Match))
            .expect("it answers")
            .expect("its lease ended at once");
        assert_ne!(early.lease.token, late.lease.token);
        assert_eq!(
            one.renew_and_report(&early.lease, vec![JobProgress::Leg(0)]),
            Ok(LeaseState::Lost)
        );
        let report = played(&two, &late);
        assert_eq!(
            one.finish_job(&early.lease, report.clone()),
            Ok(ReportOutcome::Discarded)
        );
        assert_eq!(worker_kit.read(made.id).state, MatchState::Running);
        assert_eq!(
            two.finish_job(&late.lease, report.clone()),
            Ok(ReportOutcome::Counted)
        );
        assert_eq!(
            two.finish_job(&late.lease, report),
            Ok(ReportOutcome::Counted),
            "a result that is reported twice counts once"
        );
        let played = worker_kit.read(made.id);
        worker_kit.replay(&played);
        let standing = worker_kit.ok(worker_kit.app.store.find_standing(
            worker_kit.bot("kob", "safe").id,
            &leitai_store::LadderId::standard("kob"),
        ));
        assert_eq!(standing.expect("it is on the ladder").games, 1);
    }
}

#[test]
fn a_worker_that_stops_hands_back_what_it_cannot_finish() {
    both(|worker_kit, by| {
        // An exhibition is paced: it takes minutes.
        let made = worker_kit.make(MatchKind::Exhibition, "snakego", "random", "greedy");
        let options = WorkerOptions {
            exhibitions: 1,
            ..options("worker")
        };
        let worker = worker_kit.worker(worker_kit.job_source(by, "worker"), options);
        worker_kit.until(|| {
            worker_kit
                .app
                .arena
                .live
                .list_matches()
                .iter()
                .any(|live| live.id == made.id.0 && live.round > 1)
        });
        assert_eq!(worker_kit.read(made.id).state, MatchState::Running);
        worker.stop_worker();
        worker.join_threads().expect("it was not refused");
        let back = worker_kit.read(made.id);
        assert_eq!((back.state, back.replay), (MatchState::Queued, None));
        assert!(worker_kit.app.arena.live.list_matches().is_empty());
        assert!(
            worker_kit
                .job_source(By::Process, "other")
                .lease_job(&request(JobKind::Exhibition))
                .expect("it answers")
                .is_some()
        );
    });
}

/// A build that leaves a pipe under the name of a source.
const FIFO: &str = "all:\n\tprintf '#!/bin/sh\\nwhile read l; do echo 0; done\\n' > bot && chmod +x bot\n\trm -f main.cpp && mkfifo main.cpp\n";
const SLEEPER: &str = "all:\n\tsleep 1000\n";

#[test]
fn no_build_holds_up_the_uploads_behind_it() {
    let worker_kit = WorkerKit::leased_for(Duration::from_secs(9));
    let (_, fifo) = worker_kit.upload_makefile("fifo", FIFO);
    let (sleeper, sleeping) = worker_kit.upload_makefile("sleeper", SLEEPER);
    let (_, honest) = worker_kit.upload("kob", "honest", "bot.py", FIRST_LEGAL);
    let mut is_deleted = false;
    worker_kit.work_until(By::Process, || {
        // A bot that is deleted frees its slot, whatever its build does.
        if !is_deleted && worker_kit.version(&sleeping).state == VersionState::Building {
            is_deleted = true;
            let deletion = deletion_by(None, Timestamp::now());
            let deleted = worker_kit.app.store.delete_bot(sleeper.id, deletion);
            worker_kit.ok(deleted);
        }
        worker_kit.is_checked(&honest)
    });
    let found = worker_kit.version(&fifo);
    assert_eq!(found.state, VersionState::Ready, "{:?}", found.failure);
    assert_eq!(found.how.as_deref(), Some("make"), "{:?}", found.failure);
    assert_eq!(worker_kit.version(&honest).state, VersionState::Ready);
}

#[test]
fn a_larger_worker_checks_several_uploads_at_a_time() {
    let worker_kit = WorkerKit::leased_for(Duration::from_secs(9));
    let builds: Vec<_> = ["one", "two", "three"]
        .map(|name| worker_kit.upload_makefile(name, SLEEPER).1)
        .into();
    let options = WorkerOptions {
        slots: 8,
        ..options("worker")
    };
    let worker = worker_kit.worker(worker_kit.job_source(By::Process, "worker"), options);
    let states = || -> Vec<_> {
        builds
            .iter()
            .map(|one| worker_kit.version(one).state)
            .collect()
    };
    let building = VersionState::Building;
    worker_kit.until(|| states().iter().filter(|state| **state == building).count() == 2);
    // One for every four matches, and no more.
    assert_eq!(states()[2], VersionState::Queued);
    worker.stop_worker();
    worker.join_threads().expect("it was not refused");
    assert_eq!(states(), [VersionState::Queued; 3]);
}

#[test]
fn a_worker_that_stops_hands_back_what_it_builds() {
    both(|worker_kit, by| {
        let (_, version) = worker_kit.upload_makefile("sleeper", SLEEPER);
        worker_kit.work_until(by, || {
            worker_kit.version(&version).state == VersionState::Building
        });
        assert_eq!(worker_kit.version(&version).state, VersionState::Queued);
        let job = worker_kit.app.store.job_of_version(version.id);
        let job = worker_kit.ok(job).expect("a job");
        assert_eq!((job.attempts, job.note), (0, None));
    });
}

/// A call of a worker.
#[derive(PartialEq)]
enum Call {
    Lease,
    Renew,
    Finish,
    Fetch(i64),
    Report,
}

/// A job source with trouble: a call may fail, or never end.
struct Troubled<F>(Arc<dyn JobSource>, F);

impl<F: Fn(Call) -> Result<(), JobSourceError> + Send + Sync> JobSource for Troubled<F> {
    fn lease_job(&self, request: &JobRequest) -> Result<Option<JobTask>, JobSourceError> {
        self.1(Call::Lease)?;
        self.0.lease_job(request)
    }
    fn stop_waiting(&self) {
        self.0.stop_waiting()
    }
    fn renew_and_report(
        &self,
        lease: &Lease,
        progress: Vec<JobProgress>,
    ) -> Result<LeaseState, JobSourceError> {
        self.1(Call::Renew)?;
        self.0.renew_and_report(lease, progress)
    }
    fn finish_job(
        &self,
        lease: &Lease,
        report: JobReport,
    ) -> Result<ReportOutcome, JobSourceError> {
        self.1(Call::Finish)?;
        self.0.finish_job(lease, report)
    }
    fn hand_back(&self, lease: &Lease) -> Result<(), JobSourceError> {
        self.0.hand_back(lease)
    }
    fn fetch_source(&self, lease: &Lease, source: &SourceTask) -> Result<Vec<u8>, JobSourceError> {
        self.1(Call::Fetch(source.version))?;
        self.0.fetch_source(lease, source)
    }
    fn fetch_game_file(&self, lease: &Lease) -> Result<Vec<u8>, JobSourceError> {
        self.0.fetch_game_file(lease)
    }
    fn fetch_library(&self, hash: &str) -> Result<Vec<u8>, JobSourceError> {
        self.0.fetch_library(hash)
    }
    fn report_worker(&self, report: &leitai_store::WorkerReport) -> Result<(), JobSourceError> {
        self.1(Call::Report)?;
        self.0.report_worker(report)
    }
    fn renewal_interval(&self) -> Duration {
        self.0.renewal_interval()
    }
}

/// A job source whose source of this version never arrives: its worker hangs.
fn hang_at(worker_kit: &WorkerKit, version: VersionId) -> impl JobSource + 'static {
    Troubled(worker_kit.job_source(By::Process, "worker"), move |call| {
        while call == Call::Fetch(version.0) {
            std::thread::park();
        }
        Ok(())
    })
}

#[test]
fn a_job_that_hangs_its_worker_again_and_again_is_set_aside() {
    let folder = tempfile::tempdir().expect("a folder");
    let worker_kit = WorkerKit::at(folder.path(), Duration::from_millis(100));
    let (_, hanging) = worker_kit.upload("kob", "hanging", "bot.py", FIRST_LEGAL);
    let source = hang_at(&worker_kit, hanging.id);
    let options = WorkerOptions {
        longest_check: Duration::from_millis(1),
        ..options("worker")
    };
    let worker = worker_kit.worker(Arc::new(source), options);
    let store = &worker_kit.app.store;
    worker_kit.until(|| {
        let job = worker_kit
            .ok(store.job_of_version(hanging.id))
            .expect("it is there");
        (job.state, job.attempts) == (JobState::Queued, 2)
    });
    // Two threads hang for ever, and the worker ends nevertheless.
    worker.stop_worker();
    worker.join_threads().expect("it was not refused");
    // It is tried once more after a minute, by a worker that is killed.
    for (seconds, is_tried) in [(30, false), (61, true), (70, false)] {
        let offer = WorkerOffer {
            worker: "another".to_owned(),
            kinds: vec![JobKind::Version],
            games: Vec::new(),
            programs: true,
            wire: i32::MAX,
        };
        let at = Timestamp::now().after(Duration::from_secs(seconds));
        let taken = store.lease_job(&offer, at, Duration::from_millis(100));
        let taken = worker_kit.ok(taken);
        assert_eq!(taken.is_some(), is_tried, "after {seconds} s");
    }
    let failure = worker_kit.version(&hanging).failure.expect("why");
    let said = failure["en"].as_str().expect("a text");
    says(said, &["again and again", "set aside"]);
    let aside = worker_kit.ok(worker_kit.app.store.list_set_aside());
    assert_eq!(aside.len(), 1);
    let retried = worker_kit.app.store.retry_job(aside[0].id);
    worker_kit.ok(retried);
    let worker_kit = WorkerKit::at(folder.path(), LEASE);
    worker_kit.work_until(By::Process, || worker_kit.is_checked(&hanging));
    assert_eq!(worker_kit.version(&hanging).state, VersionState::Ready);
}

#[test]
fn a_worker_ends_although_a_job_of_it_does_not() {
    let worker_kit = WorkerKit::new();
    let (_, hanging) = worker_kit.upload("kob", "hanging", "bot.py", FIRST_LEGAL);
    let source = hang_at(&worker_kit, hanging.id);
    let worker = worker_kit.worker(Arc::new(source), options("worker"));
    worker_kit.until(|| worker_kit.version(&hanging).state == VersionState::Building);
    // As a server does after one SIGTERM.
    worker.stop_worker();
    let (told, ends) = std::sync::mpsc::channel();
    std::thread::spawn(move || told.send(worker.join_threads()));
    let ended = ends.recv_timeout(worker_kit::PATIENCE);
    ended.expect("it ends").expect("it was not refused");
    let job = worker_kit
        .ok(worker_kit.app.store.job_of_version(hanging.id))
        .expect("it is there");
    assert_eq!(job.state, JobState::Leased, "nobody said how it ended");
}

#[test]
fn an_exhibition_does_not_occupy_the_slot_of_a_match() {
    let worker_kit = WorkerKit::new();
    worker_kit.make(MatchKind::Exhibition, "kob", "random", "safe");
    let job_source = worker_kit.job_source(By::Process, "hand");
    assert!(
        job_source
            .lease_job(&request(JobKind::Match))
            .expect("it answers")
            .is_none()
    );
    assert!(
        job_source
            .lease_job(&request(JobKind::Exhibition))
            .expect("it answers")
            .is_some()
    );
}

#[test]
fn a_worker_without_isolation_gets_no_uploads() {
    let worker_kit = WorkerKit::new();
    let (_, version) = worker_kit.upload("kob", "mine", "bot.py", FIRST_LEGAL);
    worker_kit.work_until(By::Process, || worker_kit.is_checked(&version));
    worker_kit.make(MatchKind::Friendly, "kob", "mine", "safe");
    let job_source = worker_kit.job_source(By::Process, "hand");
    let mut request = request(JobKind::Match);
    request.programs = false;
    assert!(
        job_source
            .lease_job(&request)
            .expect("it answers")
            .is_none()
    );
    request.programs = true;
    assert!(
        job_source
            .lease_job(&request)
            .expect("it answers")
            .is_some()
    );
}

/// The answer to a worker that asks for a match with a handshake that was changed.
fn ask_as(worker_kit: &WorkerKit, change: impl FnOnce(&mut Value)) -> (u16, Value) {
    let (url, token) = (worker_kit.listen(), worker_kit.worker_token());
    let mut handshake =
        serde_json::to_value(Handshake::from_games(leitai_games::ALL)).expect("JSON");
    change(&mut handshake);
    let body = json!({
        "handshake": handshake, "worker": "other", "request": {"kinds": ["match"], "programs": false},
    });
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build()
        .into();
    let mut answer = agent
        .post(format!("{url}/api/worker/acquire"))
        .header("Authorization", format!("Bearer {token}"))
        .send_json(body)
        .expect("it answers");
    let status = answer.status().as_u16();
    (status, answer.body_mut().read_json().unwrap_or_default())
}

#[test]
fn a_worker_of_the_release_before_works_and_others_are_told_why_not() {
    let worker_kit = WorkerKit::new();
    worker_kit.make(MatchKind::Ladder, "tankcraft", "random", "miner");
    let refused = |change: fn(&mut Value), expected: &str| {
        let (status, said) = ask_as(&worker_kit, change);
        let said = said["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(status, 409, "{said}");
        assert!(said.contains(expected), "{expected}: {said}");
    };
    refused(|hand| hand["wire"] = json!(1), "update the worker");
    refused(|hand| hand["wire"] = json!(99), "update the servers first");
    refused(
        |hand| hand["rules"]["tankcraft"] = json!("tankcraft/0"),
        "by tankcraft/0",
    );
    refused(
        |hand| hand["limits"]["tankcraft"] = json!({"period_ms": 1}),
        "tankcraft with other limits",
    );
    // A game that a worker does not know is left to others.
    let (status, _) = ask_as(&worker_kit, |hand| {
        hand["rules"] = json!({"kob": hand["rules"]["kob"]});
    });
    assert_eq!(status, 204);
    // What the release before sent: no limits, no wait.
    let (status, task) = ask_as(&worker_kit, |hand| {
        hand["engine"] = json!("0.0.9");
        hand["wire"] = json!(2);
        hand.as_object_mut().expect("an object").remove("limits");
    });
    assert_eq!(status, 200);
    let task: JobTask = serde_json::from_value(task).expect("a task");
    let report = played(&worker_kit.job_source(By::Process, "other"), &task);
    let counted = worker_kit
        .job_source(By::Http, "other")
        .finish_job(&task.lease, report);
    assert_eq!(counted, Ok(ReportOutcome::Counted));
}

#[test]
fn who_waits_for_a_job_gets_it_when_it_is_queued() {
    let worker_kit = WorkerKit::new();
    let (queue, runtime) = (worker_kit.job_queue(), worker_kit.runtime.handle().clone());
    let offer = request(JobKind::Match).into_offer("waiting", vec!["tankcraft".to_owned()]);
    let most = Duration::from_secs(3600);
    let waiting = runtime.spawn(async move { queue.await_job(&offer, most).await });
    let made = worker_kit.make(MatchKind::Ladder, "tankcraft", "random", "miner");
    let task = worker_kit.ok(waiting);
    let task = task.expect("the database answers").expect("a task");
    let TaskWork::Match(work) = &task.work else {
        panic!("{task:?}")
    };
    assert_eq!(work.id, made.id.0);
}

#[test]
fn a_replay_that_does_not_verify_is_refused() {
    let worker_kit = WorkerKit::new();
    let made = worker_kit.make(MatchKind::Ladder, "kob", "random", "safe");
    let job_source = worker_kit.job_source(By::Http, "liar");
    let spoil = |report: JobReport, from: &str, to: &str| match report {
        JobReport::Match { replay, longest_us } => {
            assert!(replay.contains(from), "{replay}");
            JobReport::Match {
                replay: replay.replacen(from, to, 1),
                longest_us,
            }
        }
        other => panic!("{other:?}"),
    };
    for (from, to, said) in [
        ("\"seed\":", "\"seed\":1", "not a replay of match"),
        ("\"final_hash\":\"", "\"final_hash\":\"0", "does not verify"),
    ] {
        let task = job_source
            .lease_job(&request(JobKind::Match))
            .expect("it answers")
            .expect("the match");
        let refused =
            job_source.finish_job(&task.lease, spoil(played(&job_source, &task), from, to));
        let Err(JobSourceError::Refused(why)) = refused else {
            panic!("{refused:?}")
        };
        assert!(why.contains(said), "{why}");
    }
    assert_eq!(
        worker_kit.read(made.id).state,
        MatchState::Queued,
        "another worker may play it"
    );
}

#[test]
fn a_replay_of_something_else_than_the_task_is_refused_and_counted() {
    let worker_kit = WorkerKit::new();
    let job_source = worker_kit.job_source(By::Http, "liar");
    let report = leitai_store::WorkerReport {
        name: "liar".to_owned(),
        version: String::new(),
        isolation: String::new(),
        slots: 1,
        busy: 0,
        remote: true,
        exhibitions: 0,
    };
    job_source.report_worker(&report).expect("it is a worker");
    let other_map = |replay: &mut Replay| {
        let game = worker_kit.game("kob");
        let setup = game
            .deal_setup(&replay.config, replay.seed.expect("a seed") ^ 1)
            .expect("sound choices");
        let players = ByEntrant::new("random", "safe").map_values(|name| Player {
            name: name.to_owned(),
            kind: PlayerKind::BuiltIn(name.to_owned()),
        });
        let (config, seed) = (replay.config.clone(), replay.seed.expect("a seed"));
        let fixture = MatchSpec {
            legs: replay.legs.len(),
            limits: limits::referee_limits(&*game, &json!(null)),
            resources: limits::sandbox_limits(),
            ..MatchSpec::with_setup(game, config, seed, setup, players)
        };
        let stop = std::sync::atomic::AtomicBool::new(false);
        *replay = play_match(&fixture, &mut NoHumans, &mut (), &stop)
            .expect("it is played")
            .replay;
        // A foreign replay has its own setup; this one only claims a foreign origin.
        replay.origin = Some(json!({}));
    };
    let one_leg = |replay: &mut Replay| {
        let game = worker_kit.game("kob");
        replay.legs.truncate(1);
        let setup = game.read_setup(&replay.setup).expect("it was dealt");
        let mut walk = ReplayWalker::new(&*setup, &replay.legs[0]);
        while walk.next(&mut ()).expect("it was played").is_some() {}
        replay.verdict = Some((&setup.decide_match(&[walk.into_leg()])).into());
    };
    let change = |change: &dyn Fn(&mut Replay), report: JobReport| match report {
        JobReport::Match { replay, longest_us } => {
            let mut replay = Replay::parse(&replay).expect("a replay");
            change(&mut replay);
            assert!(
                verify_replay(&*worker_kit.game("kob"), &replay)
                    .expect("the rules")
                    .is_ok(),
                "the replay verifies"
            );
            JobReport::Match {
                replay: replay.to_text(),
                longest_us,
            }
        }
        other => panic!("{other:?}"),
    };
    type Lie<'a> = &'a dyn Fn(&mut Replay);
    let rows: [(Lie<'_>, &str); 7] = [
        (
            &|replay| replay.entrants[Entrant::A].settings = Some("@limit=1s".to_owned()),
            "other settings",
        ),
        (&one_leg, "too few legs"),
        (&other_map, "another setup"),
        (
            &|replay| replay.limits.as_mut().expect("limits").period_ms = 1,
            "other limits",
        ),
        (&|replay| replay.limits = None, "other limits"),
        (
            &|replay| replay.entrants[Entrant::A].kind = EntrantKind::Human,
            "of another kind",
        ),
        (
            &|replay| {
                replay.forced = Some(ForcedRecord {
                    leg: 2,
                    round: 1,
                    each_leg: false,
                })
            },
            "forced replies",
        ),
    ];
    for (number, (lie, said)) in rows.iter().enumerate() {
        let made = worker_kit.make(MatchKind::Ladder, "kob", "random", "safe");
        let task = job_source
            .lease_job(&request(JobKind::Match))
            .expect("it answers")
            .expect("the match");
        let honest = played(&job_source, &task);
        let refused = job_source.finish_job(&task.lease, change(lie, honest.clone()));
        let Err(JobSourceError::Refused(why)) = refused else {
            panic!("{said}: {refused:?}")
        };
        assert!(why.contains(said), "{why}");
        assert_eq!(
            worker_kit.read(made.id).state,
            MatchState::Queued,
            "another worker may play it"
        );
        let workers = worker_kit.ok(worker_kit.app.store.list_workers(Timestamp(0)));
        assert_eq!(workers[0].refused as usize, number + 1, "{said}");
        let task = job_source
            .lease_job(&request(JobKind::Match))
            .expect("it answers")
            .expect("the match");
        assert_eq!(
            job_source.finish_job(&task.lease, honest),
            Ok(ReportOutcome::Counted),
            "the replay of the task is accepted"
        );
    }
}

#[test]
fn workers_that_may_not_work_are_told_why() {
    let worker_kit = WorkerKit::new();
    worker_kit.make(MatchKind::Ladder, "kob", "random", "safe");
    let (url, token) = (worker_kit.listen(), worker_kit.worker_token());
    let refused = |job_source: HttpJobSource| match job_source.lease_job(&request(JobKind::Match)) {
        Err(JobSourceError::Refused(why)) => why,
        other => panic!("{other:?}"),
    };
    let stranger = refused(HttpJobSource::new(
        std::slice::from_ref(&url),
        "leitai_worker_0123456789",
        "w",
        leitai_games::ALL,
    ));
    says(&stranger, &["401", "token of a worker"]);
    let other = refused(HttpJobSource::new(
        std::slice::from_ref(&url),
        &token,
        "w",
        leitai_game::GameSet::default(),
    ));
    says(&other, &["409", "knows no game"]);
    let nameless = refused(HttpJobSource::new(
        std::slice::from_ref(&url),
        &token,
        "",
        leitai_games::ALL,
    ));
    assert!(nameless.contains("1 to 60 characters"), "{nameless}");
    let job_source = Arc::new(HttpJobSource::new(
        std::slice::from_ref(&url),
        "leitai_worker_0123456789",
        "w",
        leitai_games::ALL,
    ));
    let worker = worker_kit.worker(job_source, options("w"));
    let ended = worker.join_threads();
    assert!(
        ended.is_err_and(|why| why.contains("token of a worker")),
        "a refused worker ends and says why"
    );
}

#[test]
fn a_server_that_does_not_answer_is_asked_again() {
    let worker_kit = WorkerKit::new();
    let made = worker_kit.make(MatchKind::Friendly, "kob", "random", "safe");
    let (asked, brought) = (AtomicBool::new(false), AtomicBool::new(false));
    let later = |is_done: bool| match is_done {
        true => Ok(()),
        false => Err(JobSourceError::Later("not yet".into())),
    };
    let inner = worker_kit.job_source(By::Process, "shy");
    let shy = Arc::new(Troubled(inner, move |call| {
        later(match call {
            Call::Lease => asked.swap(true, Ordering::Relaxed),
            Call::Finish => brought.swap(true, Ordering::Relaxed),
            Call::Fetch(_) => true,
            Call::Renew | Call::Report => false,
        })
    }));
    let worker = worker_kit.worker(shy, options("shy"));
    worker_kit.until(|| worker_kit.is_over(made.id));
    worker.stop_worker();
    worker.join_threads().expect("it was not refused");
    assert_eq!(worker_kit.read(made.id).state, MatchState::Finished);
}
