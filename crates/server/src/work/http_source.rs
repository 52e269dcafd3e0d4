//! The job source over HTTP, for workers on other machines. A worker may know several servers of one
//! arena: it stays with one, and goes on with its tasks at the next when that one does not answer,
//! because a lease is in the database that all of them share.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use leitai_game::GameSet;
use leitai_judge::build::libraries::MOST_OF_PACKAGE;
use leitai_store::{Lease, LeaseState, WorkerReport};
use leitai_telemetry::current_trace;
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::StatusCode;

use crate::game_files::fetched::{self, FetchedGames, PlayedFile};

use super::http_messages::{
    AcquireBody, FinishBody, FinishReply, LeaseBody, ProgressBody, ProgressReply,
};
use super::source::{
    Handshake, JobProgress, JobReport, JobRequest, JobSource, JobSourceError, JobTask,
    ReportOutcome, SourceTask, TaskWork,
};

/// How long a server may wait for a job before it says that there is none. A worker that stops waits
/// for that answer.
const WAIT: Duration = Duration::from_secs(2);
/// The least time between two questions of an idle slot: a server of the version before answers at
/// once.
const ASK_AGAIN: Duration = Duration::from_secs(1);
/// The longest answer in bytes: a package of a library.
const LONGEST: u64 = MOST_OF_PACKAGE;
/// The least time between two looks for game files that the arena got.
const LOOK_FOR_GAMES: Duration = Duration::from_secs(5);
/// The timeout of an answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// The timeout of a short answer where another server can be asked: a lease of 30 s that is renewed
/// after 10 s must outlive it.
const SHORT_PATIENCE: Duration = Duration::from_secs(8);

/// A job source over HTTP.
pub struct HttpJobSource {
    agent: ureq::Agent,
    /// At least one.
    servers: Vec<String>,
    /// The index of the server that answered last.
    current: AtomicUsize,
    token: String,
    worker: String,
    /// Those of the worker, with those of the arena.
    games: GameSet,
    fetched: Mutex<Fetched>,
}

/// What was fetched, and when the arena was asked last.
#[derive(Default)]
struct Fetched {
    games: FetchedGames,
    asked: Option<Instant>,
}

impl HttpJobSource {
    /// A job source at these URLs, which are servers of one arena, for a worker with this name and
    /// token.
    ///
    /// # Panics
    /// Without a server.
    pub fn new(
        servers: &[String],
        token: &str,
        worker: &str,
        games: impl Into<GameSet>,
    ) -> HttpJobSource {
        assert!(!servers.is_empty(), "a worker has a server");
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .max_redirects(0)
            .user_agent(concat!("leitai-worker/", env!("CARGO_PKG_VERSION")))
            .build();
        HttpJobSource {
            agent: config.into(),
            servers: servers
                .iter()
                .map(|server| server.trim_end_matches('/').to_owned())
                .collect(),
            current: AtomicUsize::new(0),
            token: token.to_owned(),
            worker: worker.to_owned(),
            games: games.into(),
            fetched: Mutex::default(),
        }
    }

    fn bearer_header(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// Asks the server that answered last, then each other one until one of them answers. The error
    /// has what all of them said. A refusal counts at once unless `ask_all_refusers`.
    pub fn ask_servers<R>(
        &self,
        ask_all_refusers: bool,
        mut ask: impl FnMut(&str) -> Result<R, JobSourceError>,
    ) -> Result<R, JobSourceError> {
        let count = self.servers.len();
        let first = self.current.load(Ordering::Relaxed) % count;
        let (mut said, mut is_refused, mut is_away) = (Vec::new(), true, false);
        for index in (first..first + count).map(|index| index % count) {
            match ask(&self.servers[index]) {
                Err(JobSourceError::Refused(why)) if !ask_all_refusers => {
                    return Err(JobSourceError::Refused(why));
                }
                Err(JobSourceError::Refused(why)) => said.push(why),
                Err(JobSourceError::Later(why)) => {
                    is_refused = false;
                    said.push(why);
                }
                Err(JobSourceError::Away(why)) => {
                    (is_refused, is_away) = (false, true);
                    said.push(why);
                }
                Ok(answer) => {
                    if index != first && self.current.swap(index, Ordering::Relaxed) != index {
                        let (why, server) = (said.join("; "), &self.servers[index]);
                        tracing::warn!(%why, %server, "this worker goes on at another server");
                    }
                    return Ok(answer);
                }
            }
        }
        let said = said.join("; ");
        Err(match (is_away, is_refused) {
            (true, _) => JobSourceError::Away(said),
            (false, true) => JobSourceError::Refused(said),
            (false, false) => JobSourceError::Later(said),
        })
    }

    /// The timeout of an answer for which the server has little to do.
    fn short_patience(&self) -> Duration {
        match self.servers.len() {
            1 => PATIENCE,
            _ => SHORT_PATIENCE,
        }
    }

    /// Posts JSON and reads the answer; `None` if it is empty.
    fn post_json<R: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<Option<R>, JobSourceError> {
        let most = self.short_patience();
        self.ask_servers(false, |server| self.post_json_to(server, path, body, most))
    }

    fn post_json_to<R: DeserializeOwned>(
        &self,
        server: &str,
        path: &str,
        body: &impl Serialize,
        most: Duration,
    ) -> Result<Option<R>, JobSourceError> {
        let answer = self
            .agent
            .post(format!("{server}/api/worker/{path}"))
            .header("Authorization", self.bearer_header())
            .config()
            .timeout_global(Some(most))
            .build()
            .send_json(body);
        let mut answer = answer.map_err(|error| unreachable_error(server, &error))?;
        if answer.status() == StatusCode::NO_CONTENT {
            return Ok(None);
        }
        check_status(server, &mut answer)?;
        let text = answer.body_mut().with_config().limit(LONGEST).read_json();
        text.map(Some)
            .map_err(|error| unreachable_error(server, &error))
    }

    fn get_bytes(
        &self,
        path: &str,
        lease: Option<&str>,
        most: Duration,
    ) -> Result<Vec<u8>, JobSourceError> {
        self.ask_servers(false, |server| {
            let mut asked = self
                .agent
                .get(format!("{server}/api/worker/{path}"))
                .header("Authorization", self.bearer_header())
                .config()
                .timeout_global(Some(most))
                .build();
            if let Some(lease) = lease {
                asked = asked.header("X-Leitai-Lease", lease);
            }
            let mut answer = asked
                .call()
                .map_err(|error| unreachable_error(server, &error))?;
            check_status(server, &mut answer)?;
            let body = answer.body_mut().with_config().limit(LONGEST);
            body.read_to_vec()
                .map_err(|error| unreachable_error(server, &error))
        })
    }

    /// The facts of this worker, after a look for new game files of the arena. Without an answer it
    /// goes on with those that it has: a server of the release before knows nothing of them.
    fn shake_hands(&self) -> Handshake {
        Handshake {
            fetched: self.look_for_games(false),
            ..Handshake::from_games(&self.games)
        }
    }

    /// Fetches what is new, at once or if the last look was some time ago; the ids of what was fetched
    /// so far.
    fn look_for_games(&self, at_once: bool) -> BTreeSet<String> {
        let mut fetched = self.fetched.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = |asked: Instant| asked.elapsed() >= LOOK_FOR_GAMES;
        if at_once || fetched.asked.is_none_or(is_due) {
            fetched.asked = Some(Instant::now());
            if let Err(error) = self.fetch_games(&mut fetched.games) {
                tracing::debug!(%error, "no news of the arena's game files");
            }
        }
        fetched.games.ids().map(str::to_owned).collect()
    }

    /// Whether a task wants rules that were published while this worker asked for it.
    fn is_behind(&self, task: &JobTask) -> bool {
        let TaskWork::Match(wanted) = &task.work else {
            return false;
        };
        let own = self.games.find_exact(&wanted.game, &wanted.rules);
        own.is_none() && !wanted.rules.is_empty()
    }

    /// Fetches what a task needs that is not here.
    fn fetch_for(&self, task: &JobTask) {
        self.look_for_games(true);
        if let TaskWork::Match(wanted) = &task.work
            && let Some(hash) = wanted.file.as_deref()
            && self.is_behind(task)
        {
            let bytes = self.get_bytes(&format!("games/{hash}"), None, PATIENCE);
            match bytes {
                Ok(bytes) => {
                    fetched::add_older(&self.games, (&wanted.game, &wanted.rules), hash, &bytes)
                }
                Err(error) => tracing::warn!(%error, hash, "a game file was not fetched"),
            }
        }
    }

    fn fetch_games(&self, fetched: &mut FetchedGames) -> Result<(), JobSourceError> {
        let list = self.get_bytes("games", None, self.short_patience())?;
        let list: Vec<PlayedFile> = serde_json::from_slice(&list)
            .map_err(|error| JobSourceError::Later(format!("the list of games: {error}")))?;
        fetched.follow(&self.games, &list, |hash| {
            self.get_bytes(&format!("games/{hash}"), None, PATIENCE)
        })
    }
}

fn unreachable_error(server: &str, error: &ureq::Error) -> JobSourceError {
    JobSourceError::Away(format!("{server} does not answer: {error}"))
}

/// Turns an error response into an error with the server's message.
fn check_status(
    server: &str,
    answer: &mut ureq::http::Response<ureq::Body>,
) -> Result<(), JobSourceError> {
    let status = answer.status();
    if status.is_success() {
        return Ok(());
    }
    let body: serde_json::Value = answer
        .body_mut()
        .with_config()
        .limit(64 << 10)
        .read_json()
        .unwrap_or_default();
    let said = body["error"]["message"]
        .as_str()
        .unwrap_or("it does not say why");
    let words = format!("{} answers {status}: {said}", server);
    let passes = status.is_server_error()
        || status == StatusCode::TOO_MANY_REQUESTS
        || status == StatusCode::REQUEST_TIMEOUT;
    Err(if status == StatusCode::SERVICE_UNAVAILABLE {
        JobSourceError::Away(words)
    } else if passes {
        JobSourceError::Later(words)
    } else {
        JobSourceError::Refused(words)
    })
}

fn empty_answer_error() -> JobSourceError {
    JobSourceError::Later("the server's answer was empty".to_owned())
}

impl JobSource for HttpJobSource {
    fn lease_job(&self, request: &JobRequest) -> Result<Option<JobTask>, JobSourceError> {
        let body = AcquireBody {
            handshake: self.shake_hands(),
            worker: self.worker.clone(),
            request: request.clone(),
            wait_ms: u64::try_from(WAIT.as_millis()).unwrap_or(u64::MAX),
        };
        // While servers are upgraded one after the other, some of them may refuse this version.
        let most = self.short_patience();
        let asked = Instant::now();
        let task = self.ask_servers(true, |server| {
            self.post_json_to(server, "acquire", &body, most)
        })?;
        match &task {
            None => std::thread::sleep(ASK_AGAIN.saturating_sub(asked.elapsed())),
            Some(task) if self.is_behind(task) => {
                self.fetch_for(task);
                if self.is_behind(task) {
                    self.hand_back(&task.lease)?;
                    let why = "the rules of a new version are not here yet".to_owned();
                    return Err(JobSourceError::Later(why));
                }
            }
            Some(_) => {}
        }
        Ok(task)
    }

    fn renew_and_report(
        &self,
        lease: &Lease,
        progress: Vec<JobProgress>,
    ) -> Result<LeaseState, JobSourceError> {
        let body = ProgressBody {
            token: lease.token.clone(),
            progress,
        };
        let path = format!("jobs/{}/progress", lease.job);
        let reply: Option<ProgressReply> = self.post_json(&path, &body)?;
        Ok(reply.ok_or_else(empty_answer_error)?.lease)
    }

    fn finish_job(
        &self,
        lease: &Lease,
        report: JobReport,
    ) -> Result<ReportOutcome, JobSourceError> {
        let body = FinishBody {
            token: lease.token.clone(),
            report,
            trace: current_trace(),
        };
        // The server plays the match again before it answers.
        let path = format!("jobs/{}/finish", lease.job);
        let reply: Option<FinishReply> = self.ask_servers(false, |server| {
            self.post_json_to(server, &path, &body, PATIENCE)
        })?;
        Ok(reply.ok_or_else(empty_answer_error)?.outcome)
    }

    fn hand_back(&self, lease: &Lease) -> Result<(), JobSourceError> {
        let path = format!("jobs/{}/hand-back", lease.job);
        let token = lease.token.clone();
        self.post_json::<serde_json::Value>(&path, &LeaseBody { token })
            .map(drop)
    }

    fn fetch_source(&self, lease: &Lease, source: &SourceTask) -> Result<Vec<u8>, JobSourceError> {
        let SourceTask { version, .. } = source;
        let path = format!("jobs/{}/source?version={version}", lease.job);
        self.get_bytes(&path, Some(&lease.token), PATIENCE)
    }

    fn fetch_game_file(&self, lease: &Lease) -> Result<Vec<u8>, JobSourceError> {
        let path = format!("jobs/{}/game-file", lease.job);
        self.get_bytes(&path, Some(&lease.token), PATIENCE)
    }

    fn fetch_library(&self, hash: &str) -> Result<Vec<u8>, JobSourceError> {
        self.get_bytes(&format!("libraries/{hash}"), None, PATIENCE)
    }

    fn report_worker(&self, report: &WorkerReport) -> Result<(), JobSourceError> {
        self.post_json::<serde_json::Value>("report", report)
            .map(drop)
    }

    fn renewal_interval(&self) -> Duration {
        Duration::from_millis(300)
    }
}
