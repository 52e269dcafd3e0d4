//! A server that is killed at any moment loses nothing that it has recorded, and plays again what it was playing.

mod stage;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use leitai_game::AnyGame;
use leitai_server::arena::client::RemoteDesk;
use leitai_server::arena::schedule::{ScheduleOptions, Scheduler};
use leitai_store::{Ask, JobKind, MatchBrief, MatchFilter, MatchKind, MatchState, Timestamp, VersionState};
use stage::{By, PYTHON, Stage, options, wish};

/// Set for the process that is to be killed: the folder of its arena.
const FOLDER: &str = "LEITAI_TEST_FOLDER";
/// The same for a worker: the address of its server, and its token.
const SERVER: &str = "LEITAI_TEST_SERVER";
const TOKEN: &str = "LEITAI_TEST_TOKEN";
/// A lease that ends soon after its worker was killed.
const LEASE: Duration = Duration::from_secs(2);
/// How often the server is killed.
const KILLS: u64 = 6;

/// Not a test of its own: the process that is killed.
#[test]
fn victim() {
    if let Ok(folder) = std::env::var(FOLDER) {
        serve(Path::new(&folder));
    }
    if let (Ok(server), Ok(token)) = (std::env::var(SERVER), std::env::var(TOKEN)) {
        let desk = std::sync::Arc::new(RemoteDesk::new(&server, &token, "victim", leitai_games::ALL));
        let stage = Stage::new();
        let options = leitai_server::arena::worker::WorkerOptions { shows: 1, ..options("victim") };
        let _worker = stage.worker(desk, options);
        forever();
    }
}

fn serve(folder: &Path) {
    let stage = Stage::at(folder, LEASE);
    let _worker = stage.worker(stage.desk(By::House, "house"), options("house"));
    let options = ScheduleOptions { shows: false, ..ScheduleOptions::new("house", 2) };
    stage.wait_for(Scheduler::new(quick(), stage.app.store.clone(), options).run());
}

/// The games whose ladder matches are short also without optimisation.
fn quick() -> &'static [&'static dyn AnyGame] {
    let at =
        leitai_games::ALL.iter().position(|game| game.meta().id == "kob").expect("it is one of the house's");
    &leitai_games::ALL[at..=at]
}

fn forever() -> ! {
    loop {
        std::thread::park();
    }
}

fn start(variables: &[(&str, &str)]) -> Child {
    let this = std::env::current_exe().expect("this test");
    let mut command = Command::new(this);
    command.args(["--exact", "victim", "--nocapture"]).stdin(Stdio::null()).stdout(Stdio::null());
    command.envs(variables.iter().copied()).spawn().expect("it starts")
}

fn kill(mut child: Child) {
    child.kill().expect("it runs");
    child.wait().expect("it is ours");
}

fn finished(stage: &Stage) -> Vec<MatchBrief> {
    in_state(stage, MatchState::Finished)
}

fn in_state(stage: &Stage, state: MatchState) -> Vec<MatchBrief> {
    let filter = MatchFilter { state: Some(state), ..MatchFilter::default() };
    let mut all = Vec::new();
    let mut ask = Ask::first(100);
    loop {
        let page = stage.wait_for(stage.app.store.matches(&filter, &ask)).expect("the database answers");
        all.extend(page.items);
        match page.next {
            Some(next) => ask = Ask::after(next, 100),
            None => return all,
        }
    }
}

#[test]
fn a_server_that_is_killed_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("plain letters");
    let watcher = Stage::at(folder.path(), LEASE);
    for kills in 1..=KILLS {
        let before = finished(&watcher).len();
        let server = start(&[(FOLDER, path)]);
        // Killed while it plays, at a moment that differs from time to time.
        watcher.until(|| finished(&watcher).len() >= before + kills as usize);
        watcher.until(|| kills % 2 == 0 || !in_state(&watcher, MatchState::Running).is_empty());
        kill(server);
        check(&watcher);
    }
    let cut_off: Vec<_> = in_state(&watcher, MatchState::Running);
    let queued = in_state(&watcher, MatchState::Queued);
    watcher.work_until(By::House, || {
        cut_off.iter().chain(&queued).all(|brief| watcher.read(brief.id).state == MatchState::Finished)
    });
    assert!(in_state(&watcher, MatchState::Running).is_empty());
    assert!(in_state(&watcher, MatchState::Void).is_empty(), "nobody was killed three times with one match");
    check(&watcher);
}

/// Every finished match has a whole replay of its own result, and the ratings are those of these matches.
fn check(stage: &Stage) {
    for brief in finished(stage) {
        let played = stage.read(brief.id);
        let replay = stage.replay(&played);
        assert_eq!(
            played.reason.expect("a reason")["id"],
            replay.verdict.expect("a verdict").reason.as_str()
        );
    }
    let rebuilt = stage.wait_for(stage.app.store.rebuild("kob")).expect("it can be rebuilt");
    assert_eq!(rebuilt.changed, 0, "ratings are those of the {} matches", rebuilt.matches);
    assert_eq!(rebuilt.matches as usize, finished(stage).len());
}

#[test]
fn a_version_whose_server_is_killed_three_times_is_queued_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("plain letters");
    let watcher = Stage::at(folder.path(), LEASE);
    // Its examination takes long enough for a kill: it thinks about its first move while the file is there.
    let wait = folder.path().join("wait");
    std::fs::write(&wait, "").expect("there is room");
    let (head, rest) = PYTHON.split_once("import json, sys\n").expect("it begins so");
    let wait_for = format!("import json, os, sys, time\nwhile os.path.exists({wait:?}): time.sleep(0.01)\n");
    let (_, version) = watcher.upload("kob", "unlucky", "bot.py", &format!("{head}{wait_for}{rest}"));
    for _ in 0..3 {
        let server = start(&[(FOLDER, path)]);
        watcher.until(|| {
            matches!(watcher.version(&version).state, VersionState::Building | VersionState::Checking)
        });
        kill(server);
        watcher.until(|| is_free(&watcher));
    }
    let desk = watcher.desk(By::House, "fourth");
    assert!(desk.acquire(&wish(JobKind::Version)).expect("it answers").is_none(), "it waits for a while");
    let found = watcher.version(&version);
    assert_eq!(found.state, VersionState::Queued, "{:?}", found.failure);
    // The pause is over.
    std::fs::remove_file(&wait).expect("it was made");
    let later = Timestamp::now().after(leitai_store::jobs::PAUSE);
    let (worker, kinds) = ("fourth".to_owned(), vec![JobKind::Version]);
    let offer = leitai_store::Offer { worker, kinds, games: Vec::new(), programs: true };
    let taken = watcher.wait_for(watcher.app.store.acquire(&offer, later, LEASE)).expect("it answers");
    let taken = taken.expect("it is tried again");
    assert_eq!(taken.attempt, 4);
    watcher.wait_for(watcher.app.store.hand_back(&taken.lease)).expect("it answers");
    watcher.work_until(By::House, || watcher.is_checked(&version));
    let found = watcher.version(&version);
    assert_eq!(found.state, VersionState::Ready, "{:?}", found.failure);
}

/// Whether every lease of a killed server has ended.
fn is_free(stage: &Stage) -> bool {
    let queue = stage.wait_for(stage.app.store.queue(&Ask::first(100))).expect("the database answers");
    queue.items.iter().all(|job| job.until.is_none_or(|until| until < Timestamp::now()))
}

#[test]
fn the_match_of_a_remote_worker_that_is_killed_is_played_again() {
    let stage = Stage::leased_for(LEASE);
    let (url, token) = (stage.listen(), stage.worker_token());
    let made = stage.make(MatchKind::Show, "snakego", "random", "greedy");
    let worker = start(&[(SERVER, &url), (TOKEN, &token)]);
    stage.until(|| stage.app.arena.hub.live().iter().any(|live| live.round > 1));
    kill(worker);
    assert_eq!(stage.read(made.id).state, MatchState::Running);
    assert_eq!(stage.read(made.id).worker.as_deref(), Some("victim"));
    let desk = stage.desk(By::House, "rescuer");
    let mut task = None;
    stage.until(|| {
        task = desk.acquire(&wish(JobKind::Show)).expect("it answers");
        task.is_some()
    });
    assert_eq!(stage.read(made.id).worker.as_deref(), Some("rescuer"));
}
