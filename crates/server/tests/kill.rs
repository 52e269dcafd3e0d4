//! A server that is killed at any time loses no recorded result, and plays interrupted matches
//! again.

use crate::kit::by_operator;
use crate::kit::plain_result;
use crate::worker_kit;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use leitai_server::engine::{EngineOptions, MatchEngine};
use leitai_server::schedule::{ScheduleOptions, Scheduler, new_match};
use leitai_server::work::http_source::HttpJobSource;
use leitai_server::work::worker::make_program_cache;
use leitai_store::{
    BlobKey, ContestEntry, ContestId, ContestPrivacy, EntryId, FreezeRules, JobKind, MatchEntrant,
    MatchFilter, MatchId, MatchKind, MatchResult, MatchRow, MatchState, MatchWinner, NewContest,
    NewContestMatch, NewMatch, PageQuery, PerSide, RecordOutcome, StoreError, Timestamp, TokenHash,
    VersionState,
};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use worker_kit::{By, FIRST_LEGAL, WorkerKit, kob, options, request};

/// The arena's folder, for the process that will be killed.
pub const FOLDER: &str = "LEITAI_TEST_FOLDER";
/// The arena's folder, for a process that counts the copies in contests and will be killed.
const RECOUNT: &str = "LEITAI_TEST_RECOUNT";
/// The address of the server and the token, for a worker process that will be killed.
const SERVER: &str = "LEITAI_TEST_SERVER";
const TOKEN: &str = "LEITAI_TEST_TOKEN";
/// The arena's folder and the port, for a server process of human matches that will be killed.
const TABLES: &str = "LEITAI_TEST_TABLES";
const PORT: &str = "LEITAI_TEST_PORT";
/// A short lease, which expires soon after its worker was killed, and not while a machine starves.
const LEASE: Duration = Duration::from_secs(6);
/// How often the server is killed.
const KILLS: u64 = 3;

/// The process that is killed; not a test of its own.
#[test]
fn victim() {
    if let Ok(folder) = std::env::var(FOLDER) {
        serve(Path::new(&folder));
    }
    if let Ok(folder) = std::env::var(RECOUNT) {
        recount(Path::new(&folder));
    }
    if let (Ok(folder), Ok(port)) = (std::env::var(TABLES), std::env::var(PORT)) {
        serve_people(Path::new(&folder), &port);
    }
    if let (Ok(server), Ok(token)) = (std::env::var(SERVER), std::env::var(TOKEN)) {
        let job_source = std::sync::Arc::new(HttpJobSource::new(
            std::slice::from_ref(&server),
            &token,
            "victim",
            leitai_games::ALL,
        ));
        let worker_kit = WorkerKit::new();
        let options = leitai_server::work::worker::WorkerOptions {
            exhibitions: 1,
            ..options("victim")
        };
        let _worker = worker_kit.worker(job_source, options);
        forever();
    }
}

/// As `leitai serve` does beside its other work.
fn recount(folder: &Path) {
    let worker_kit = WorkerKit::at(folder, LEASE);
    worker_kit.wait_for(leitai_server::run_recount(worker_kit.app.storage()));
}

fn serve(folder: &Path) {
    let worker_kit = WorkerKit::at(folder, LEASE);
    let _worker = worker_kit.worker(
        worker_kit.job_source(By::Process, "house"),
        options("house"),
    );
    let options = ScheduleOptions {
        exhibitions: false,
        ..ScheduleOptions::new("house", 2)
    };
    worker_kit.wait_for(Scheduler::new(kob(), worker_kit.app.store.clone(), options).run());
}

/// As `leitai serve --slots 0` does, without exhibitions.
fn serve_people(folder: &Path, port: &str) {
    let worker_kit = WorkerKit::at(folder, LEASE);
    let options = EngineOptions {
        slots: 0,
        exhibitions: false,
        ..EngineOptions::new("people")
    };
    let engine = MatchEngine::start_engine(&worker_kit.app, make_program_cache(None), options);
    let _engine = worker_kit.ok(engine);
    let service = leitai_server::build_router(worker_kit.app.clone())
        .into_make_service_with_connect_info::<std::net::SocketAddr>();
    worker_kit.wait_for(async {
        let listener = ok!(tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")));
        axum::serve(listener, service).await.expect("it serves");
    });
}

fn forever() -> ! {
    loop {
        std::thread::park();
    }
}

/// A child process that is killed when the value is dropped.
pub struct Victim(Child);

impl Drop for Victim {
    fn drop(&mut self) {
        // The process may have ended already.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

pub fn start(variables: &[(&str, &str)]) -> Victim {
    let this = std::env::current_exe().expect("this test");
    let mut command = Command::new(this);
    command
        .args(["--exact", "kill::victim", "--nocapture"])
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    Victim(
        command
            .envs(variables.iter().copied())
            .spawn()
            .expect("it starts"),
    )
}

pub fn kill(mut victim: Victim) {
    victim.0.kill().expect("it runs");
    victim.0.wait().expect("it is ours");
}

fn finished(worker_kit: &WorkerKit) -> Vec<MatchRow> {
    in_state(worker_kit, MatchState::Finished)
}

fn in_state(worker_kit: &WorkerKit, state: MatchState) -> Vec<MatchRow> {
    let filter = MatchFilter {
        state: Some(state),
        ..MatchFilter::default()
    };
    let mut all = Vec::new();
    let mut ask = PageQuery::first_page(100);
    loop {
        let page = worker_kit.ok(worker_kit.app.store.list_matches(&filter, &ask));
        all.extend(page.items);
        match page.next {
            Some(next) => ask = PageQuery::page_after(next, 100),
            None => return all,
        }
    }
}

#[test]
fn a_server_that_is_killed_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("plain letters");
    let watcher = WorkerKit::at(folder.path(), LEASE);
    let mut jobs = HashMap::new();
    for kills in 1..=KILLS {
        let before = finished(&watcher).len();
        let server = start(&[(FOLDER, path)]);
        // The server is killed while it plays, at a different moment each time.
        watcher.until(|| finished(&watcher).len() >= before + kills as usize);
        watcher.until(|| kills % 2 == 0 || !in_state(&watcher, MatchState::Running).is_empty());
        kill(server);
        jobs.extend(
            queue(&watcher)
                .into_iter()
                .filter_map(|job| Some((job.match_id?, job.id))),
        );
        check(&watcher);
    }
    let left = in_state(&watcher, MatchState::Running)
        .into_iter()
        .chain(in_state(&watcher, MatchState::Queued));
    let left: Vec<_> = left.map(|brief| brief.id).collect();
    watcher.work_until(By::Process, || {
        left.iter().all(|&id| watcher.read(id).state.is_over())
    });
    assert!(in_state(&watcher, MatchState::Running).is_empty());
    assert!(
        in_state(&watcher, MatchState::Cancelled).is_empty(),
        "no match is cancelled in this test"
    );
    // Only matches without attempts left are void: those that were running at three kills, or whose
    // lease a busy machine did not renew in time.
    for brief in in_state(&watcher, MatchState::Void) {
        let job = jobs
            .get(&brief.id)
            .expect("it was in the queue after a kill");
        let tried = watcher.ok(watcher.app.store.find_job(*job)).attempts;
        assert_eq!(
            tried,
            leitai_store::work::leasing::ATTEMPTS,
            "match {} is void after {tried} attempts",
            brief.id
        );
    }
    check(&watcher);
}

/// Plays one match and records it so often as matches of a contest, which is over then. The
/// second and the third part of the matches have replays of their own, each a pipe: whoever reads it
/// waits until [`let_go`] puts the replay there. Gives the files of the replay and of both pipes.
fn play_often(worker_kit: &WorkerKit, folder: &Path, times: i64) -> (PathBuf, [PathBuf; 2]) {
    let first = worker_kit
        .make(MatchKind::Ladder, "kob", "random", "safe")
        .id;
    worker_kit.work_until(By::Process, || worker_kit.is_over(first));
    let replay = worker_kit.read(first).replay.expect("it was played");
    let keys = [(); 2].map(|()| BlobKey::new_replay(first).as_str().to_owned());
    let file_of = |key: &String| folder.join("blobs").join(key);
    let held = keys.each_ref().map(file_of);
    for pipe in &held {
        let made = Command::new("mkfifo").arg(pipe).status();
        assert!(made.expect("mkfifo runs").success());
    }
    let job_source = worker_kit.job_source(By::Process, "hand");
    let contest = begin_contest(worker_kit);
    for number in 0..times {
        let key = match number * 3 / times {
            0 => &replay,
            1 => &keys[0],
            _ => &keys[1],
        };
        contest.queue(worker_kit, number as i32);
        let task = job_source.lease_job(&request(JobKind::Match));
        let lease = task.expect("it answers").expect("the match").lease;
        let result = MatchResult {
            scores: json!([[3, 1]]),
            replay: Some(key.clone()),
            ..plain_result(MatchWinner::A)
        };
        let store = &worker_kit.app.store;
        let recorded = worker_kit.ok(store.finish_match(&lease, result, Timestamp::now()));
        fits!(recorded => RecordOutcome::Recorded { .. });
    }
    let ended = worker_kit
        .app
        .store
        .finish_contest(contest.id, &[], Timestamp::now());
    assert!(worker_kit.ok(ended));
    let open = worker_kit.wait_for(worker_kit.app.store.open_recounts());
    assert_eq!(open.expect("the database answers").len(), 1);
    (file_of(&replay), held)
}

/// A contest of two built-in bots, in its first stage.
struct BegunContest {
    id: ContestId,
    entries: Vec<ContestEntry>,
}

fn begin_contest(worker_kit: &WorkerKit) -> BegunContest {
    let store = &worker_kit.app.store;
    let bots = ["random", "safe"].map(|name| worker_kit.bot("kob", name).id);
    let begun = async {
        let actor = by_operator(Timestamp::now());
        let new = NewContest {
            name: "cup".to_owned(),
            game: "kob".to_owned(),
            file: String::new(),
            seed: 1.into(),
            privacy: ContestPrivacy::PUBLIC,
            names: Vec::new(),
        };
        let id = store.create_contest(new, actor).await?.id;
        for bot in bots {
            store.join_contest(id, bot, (2, 1), actor).await?;
        }
        let rules = FreezeRules {
            least: 2,
            team_size: 1,
            describe_refusal: Box::new(|_, _| None),
        };
        store.freeze_contest(id, &rules, actor.at).await?;
        let entries = store.contest_entries(id).await?;
        let seeds: Vec<EntryId> = entries.iter().map(|entry| entry.id).collect();
        store.begin_stage(id, 0, &seeds, actor.at).await?;
        Ok::<_, StoreError>(BegunContest { id, entries })
    };
    worker_kit.ok(begun)
}

impl BegunContest {
    fn queue(&self, worker_kit: &WorkerKit, number: i32) {
        let store = &worker_kit.app.store;
        let queued = async {
            let a = store.bot_entrant(self.entries[0].bot).await?;
            let b = store.bot_entrant(self.entries[1].bot).await?;
            let new = NewContestMatch {
                stage: 0,
                place: "r1.0".to_owned(),
                number,
                attempt: 0,
                pair: [self.entries[0].id, self.entries[1].id],
                new: new_match(&*worker_kit.game("kob"), MatchKind::Contest, a, b),
            };
            let now = Timestamp::now();
            store.queue_contest_matches(self.id, vec![new], now).await
        };
        let queued = worker_kit.ok(queued);
        assert_eq!(queued, 1);
    }
}

/// Puts the replay where a pipe is.
fn let_go(held: &Path, replay: &Path) {
    std::fs::remove_file(held).expect("it is there");
    std::fs::copy(replay, held).expect("there is room");
}

#[test]
fn a_recount_whose_server_is_killed_goes_on_where_it_was() {
    const MATCHES: i64 = 100;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("plain letters");
    let watcher = WorkerKit::at(folder.path(), LEASE);
    let (replay, held) = play_often(&watcher, folder.path(), MATCHES);
    let progress = || watcher.ok(watcher.app.store.list_recounts()).remove(0);
    let mut read = 0;
    for held in &held {
        let server = start(&[(RECOUNT, path)]);
        watcher.until(|| progress().matches_read > read);
        kill(server);
        let left = progress();
        assert!(
            left.matches_read > read && left.finished.is_none(),
            "{left:?}"
        );
        read = left.matches_read;
        let_go(held, &replay);
    }
    let measured = watcher.ok(watcher.app.store.measure_recounts());
    fields!(measured, {open: 1, matches_read: read.unsigned_abs()});
    let server = start(&[(RECOUNT, path)]);
    watcher.until(|| progress().finished.is_some());
    kill(server);
    let done = progress();
    assert_eq!(
        (done.matches_read, done.games, done.copies),
        (MATCHES, 2 * MATCHES, 2 * (MATCHES - 1)),
        "each was read once, and one match of two games was played"
    );
}

/// Asserts that every finished match has a whole replay of its own result, and that the ratings
/// follow from these matches.
fn check(worker_kit: &WorkerKit) {
    for brief in finished(worker_kit) {
        let played = worker_kit.read(brief.id);
        let replay = worker_kit.replay(&played);
        assert_eq!(
            played.reason.expect("a reason")["id"],
            replay.verdict.expect("a verdict").reason.as_str()
        );
    }
    let rebuilt = worker_kit.ok(worker_kit
        .app
        .store
        .rebuild_ladder(&leitai_store::LadderId::standard("kob")));
    assert_eq!(
        rebuilt.changed, 0,
        "the ratings must follow from the {} matches",
        rebuilt.matches
    );
    assert_eq!(rebuilt.matches as usize, finished(worker_kit).len());
}

#[test]
fn a_version_whose_server_is_killed_twice_waits_and_is_not_set_aside() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("plain letters");
    let watcher = WorkerKit::at(folder.path(), LEASE);
    // Its check is long enough for a kill: the bot delays its first move while the file exists.
    let wait = folder.path().join("wait");
    std::fs::write(&wait, "").expect("there is room");
    let (head, rest) = FIRST_LEGAL
        .split_once("import json, sys\n")
        .expect("it begins so");
    let wait_for =
        format!("import json, os, sys, time\nwhile os.path.exists({wait:?}): time.sleep(0.01)\n");
    let (_, version) = watcher.upload(
        "kob",
        "unlucky",
        "bot.py",
        &format!("{head}{wait_for}{rest}"),
    );
    for kills in 0..2 {
        let server = start(&[(FOLDER, path)]);
        watcher.until(|| attempts(&watcher, &version) > kills);
        kill(server);
        watcher.until(|| is_free(&watcher));
    }
    let job_source = watcher.job_source(By::Process, "third");
    let taken = job_source.lease_job(&request(JobKind::Version));
    assert!(
        taken.expect("it answers").is_none(),
        "it is not tried at once"
    );
    let found = watcher.version(&version);
    assert_eq!(found.state, VersionState::Queued, "{:?}", found.failure);
    let aside = watcher.wait_for(watcher.app.store.list_set_aside());
    assert_eq!(aside.expect("it answers"), []);
}

type Socket =
    tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>;

/// Joins the match as soon as the server listens.
async fn sit(port: u16, id: i64, token: &str) -> Socket {
    let url = format!("ws://127.0.0.1:{port}/api/matches/{id}/play");
    let connected = async {
        loop {
            if let Ok((socket, _)) = tokio_tungstenite::connect_async(&url).await {
                return socket;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let mut socket = ok!(tokio::time::timeout(worker_kit::PATIENCE, connected));
    let sit = json!({"type": "join", "token": token}).to_string();
    socket.send(Message::text(sit)).await.expect("it is open");
    socket
}

/// Reads up to the next message for which `is_it` is true, and answers questions with legal keys
/// meanwhile. `None` if the connection breaks.
async fn play_until(socket: &mut Socket, mut is_it: impl FnMut(&Value) -> bool) -> Option<Value> {
    loop {
        let Message::Text(text) = socket.next().await?.ok()? else {
            continue;
        };
        let message: Value = serde_json::from_str(&text).expect("JSON");
        if is_it(&message) {
            return Some(message);
        }
        if message["type"] == "question" {
            let choices = message["choices"].as_array().expect("a list");
            let choice = choices
                .iter()
                .find(|choice| choice["legal"] == true)
                .expect("somebody can move");
            let action = &choice["action"];
            let (leg, step) = (&message["leg"], &message["step"]);
            let say = json!({"type": "choose", "leg": leg, "step": step, "action": action});
            ok!(socket.send(Message::text(say.to_string())));
        }
    }
}

/// The recorded part of the match: the number of the leg, and its steps.
async fn recorded(worker_kit: &WorkerKit, id: MatchId) -> (usize, usize) {
    let legs = ok!(worker_kit.app.store.recorded_legs(id));
    let leg = legs
        .last()
        .map(|leg| serde_json::from_str::<Value>(leg).expect("JSON"));
    let steps = |leg: Value| {
        leg["replies"]
            .as_str()
            .expect("text")
            .split_ascii_whitespace()
            .count()
    };
    (legs.len().max(1), leg.map_or(0, steps))
}

#[test]
fn a_human_match_continues_after_the_server_was_killed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("plain letters");
    let watcher = WorkerKit::at(folder.path(), LEASE);
    let port = crate::ports::find_port();
    let variables = [(TABLES, path), (PORT, &*port.to_string())];
    // The test creates the match in the database, so that `POST /api/human-matches` needs no
    // running server.
    let token = "a seat";
    let random = watcher.wait_for(
        watcher
            .app
            .store
            .bot_entrant(watcher.bot("snakego", "random").id),
    );
    let person = MatchEntrant::human_entrant("ada", None);
    let new = new_match(
        &*watcher.game("snakego"),
        MatchKind::Human,
        person,
        random.expect("it plays"),
    );
    let config = watcher
        .game("snakego")
        .read_config(&json!({"max_round": 8}))
        .expect("sound choices");
    let seats = PerSide {
        a: Some(TokenHash::from_token(token)),
        b: None,
    };
    let new = NewMatch {
        config,
        seats,
        ..new
    };
    let made = watcher.ok(watcher.app.store.create_match(new, Timestamp::now()));
    // A person had joined at the server that was killed before the first move.
    let taken = watcher
        .app
        .store
        .acquire_match(made.id, "tables", Timestamp::now(), LEASE);
    watcher.ok(taken).expect("nobody has it");
    let mut played = (1, 0);
    for kills in 1..=2 {
        let server = start(&variables);
        watcher.wait_for(async {
            let mut socket = sit(port, made.id.0, token).await;
            let shown = ok!(play_until(&mut socket, |message| message["type"] == "leg"));
            let leg = shown["frames_of_leg"]["leg"].as_u64().expect("a number") as usize;
            let known = (
                leg,
                shown["frames_of_leg"]["frames"]
                    .as_array()
                    .expect("frames")
                    .len()
                    - 1,
            );
            assert!(
                known >= played,
                "after {kills} starts the database has {known:?} of {played:?}"
            );
            let mut asked = 0;
            let asked_twice = |message: &Value| {
                asked += usize::from(message["type"] == "question");
                asked > 2
            };
            ok!(play_until(&mut socket, asked_twice));
            while recorded(&watcher, made.id).await <= played {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        kill(server);
        played = watcher.wait_for(recorded(&watcher, made.id));
        assert!(!watcher.is_over(made.id));
    }
    let server = start(&variables);
    let over = watcher.wait_for(async {
        let mut socket = sit(port, made.id.0, token).await;
        ok!(play_until(&mut socket, |message| message["type"] == "finished"))
    });
    kill(server);
    has!(over["match"], {"state": "finished", "faults": []});
    let replay = watcher.replay(&watcher.read(made.id));
    assert_eq!((replay.legs.len(), replay.forced), (2, None));
}

/// The number of attempts at the check of a version.
fn attempts(worker_kit: &WorkerKit, version: &leitai_store::Version) -> i32 {
    let job = queue(worker_kit)
        .into_iter()
        .find(|job| job.version_id == Some(version.id));
    job.expect("it is not examined yet").attempts
}

/// Every job that is queued or leased.
fn queue(worker_kit: &WorkerKit) -> Vec<leitai_store::Job> {
    worker_kit
        .ok(worker_kit.app.store.list_jobs(&PageQuery::first_page(100)))
        .items
}

/// Whether every lease of a killed server has expired.
fn is_free(worker_kit: &WorkerKit) -> bool {
    queue(worker_kit)
        .iter()
        .all(|job| job.until.is_none_or(|until| until < Timestamp::now()))
}

#[test]
fn the_match_of_a_remote_worker_that_is_killed_is_played_again() {
    let worker_kit = WorkerKit::leased_for(LEASE);
    let (url, token) = (worker_kit.listen(), worker_kit.worker_token());
    let made = worker_kit.make(MatchKind::Exhibition, "snakego", "random", "greedy");
    let worker = start(&[(SERVER, &url), (TOKEN, &token)]);
    worker_kit.until(|| {
        worker_kit
            .app
            .arena
            .live
            .list_matches()
            .iter()
            .any(|live| live.round > 1)
    });
    kill(worker);
    assert_eq!(worker_kit.read(made.id).state, MatchState::Running);
    // With the name of its token.
    let worker = worker_kit.read(made.id).worker;
    assert_eq!(worker.as_deref(), Some("worker/victim"));
    let job_source = worker_kit.job_source(By::Process, "rescuer");
    let mut task = None;
    worker_kit.until(|| {
        task = job_source
            .lease_job(&request(JobKind::Exhibition))
            .expect("it answers");
        task.is_some()
    });
    assert_eq!(worker_kit.read(made.id).worker.as_deref(), Some("rescuer"));
}
