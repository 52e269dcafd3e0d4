//! The source of a worker's tasks and the destination of its results: the queue in the same
//! process, or a server over HTTP. All arguments are plain data.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use leitai_game::{AnyGame, ByEntrant, GameHandle, GameSet};
use leitai_judge::limits_record;
use leitai_series::book::BookPosition;
use leitai_series::regression::PinnedPosition;
use leitai_store::{JobKind, Json, Lease, LeaseState, VersionOutcome, WorkerOffer, WorkerReport};
pub use leitai_work::JobSourceError;
use serde::{Deserialize, Serialize};

use super::limits;
use crate::live::ReportedSteps;

/// A job source. Every method may block on a network or a disk; a worker calls it from its own
/// threads.
pub trait JobSource: Send + Sync {
    /// Leases a task, if there is one; may wait for one.
    fn lease_job(&self, request: &JobRequest) -> Result<Option<JobTask>, JobSourceError>;
    /// Ends all waits for tasks, also later ones.
    fn stop_waiting(&self) {}
    /// Reports the progress of a task and renews its lease.
    fn renew_and_report(
        &self,
        lease: &Lease,
        progress: Vec<JobProgress>,
    ) -> Result<LeaseState, JobSourceError>;
    /// Delivers a result; returns whether it counts or had been recorded before.
    fn finish_job(&self, lease: &Lease, report: JobReport)
    -> Result<ReportOutcome, JobSourceError>;
    /// Returns a task as if it had never been leased.
    fn hand_back(&self, lease: &Lease) -> Result<(), JobSourceError>;
    /// Fetches a source that belongs to a task.
    fn fetch_source(&self, lease: &Lease, source: &SourceTask) -> Result<Vec<u8>, JobSourceError>;
    /// Fetches the game file of a task.
    fn fetch_game_file(&self, lease: &Lease) -> Result<Vec<u8>, JobSourceError>;
    /// Fetches a list of libraries or a package by its hash.
    fn fetch_library(&self, hash: &str) -> Result<Vec<u8>, JobSourceError>;
    /// Reports that the worker is alive.
    fn report_worker(&self, report: &WorkerReport) -> Result<(), JobSourceError>;
    /// The shortest time between two reports of progress.
    fn renewal_interval(&self) -> Duration;
}

/// The jobs that a slot of a worker accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRequest {
    /// Kinds of jobs.
    pub kinds: Vec<JobKind>,
    /// Whether it can isolate uploaded programs.
    pub programs: bool,
}

impl JobTask {
    /// How long each program may wait rather than compute.
    pub fn waiting(&self) -> Option<Duration> {
        self.waiting_ms.map(Duration::from_millis)
    }
}

impl JobRequest {
    /// Whether the worker can play a game: a judge program is a program.
    pub fn may_play(&self, game: &GameHandle) -> bool {
        self.programs || game.judge_program().is_none()
    }

    /// The offer of a worker that plays these games.
    pub fn into_offer(self, worker: &str, games: Vec<String>) -> WorkerOffer {
        WorkerOffer {
            worker: worker.to_owned(),
            kinds: self.kinds,
            games,
            programs: self.programs,
            wire: WIRE.cast_signed(),
        }
    }
}

/// A leased task.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JobTask {
    /// The lease.
    pub lease: Lease,
    /// The duration of the lease unless it is renewed, in milliseconds.
    pub lease_ms: u64,
    /// The work.
    pub work: TaskWork,
    /// How long each program may wait rather than compute, in milliseconds; workers of before version
    /// 4 of the messages do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_ms: Option<u64>,
    /// What a version is asked after its check; workers of before version 5 of the messages do not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub situations: Vec<AskedPack>,
    /// The span of a trace that the work belongs to, as W3C's `traceparent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// The work.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskWork {
    /// A match to play.
    Match(Box<MatchTask>),
    /// A version to build and check.
    Version(SourceTask),
    /// A game that a judge program leads, to be checked.
    GameFile(GameFileTask),
}

/// A game file to check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameFileTask {
    /// The game's id.
    pub game: String,
    /// SHA-256 of the file.
    pub hash: String,
}

/// A match to play.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchTask {
    /// The match's id.
    pub id: i64,
    /// The game's id.
    pub game: String,
    /// The rules of the game when the task was handed out, with their version.
    #[serde(default)]
    pub rules: String,
    /// SHA-256 of the game file whose rules these must be, whatever is played by now: a contest keeps
    /// the version with which it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Whether it is paced for spectators.
    pub paced: bool,
    /// The seed.
    pub seed: u64,
    /// The game's config.
    pub config: Json,
    /// Limits that differ from the defaults; see [`crate::work::limits`].
    pub limits: Json,
    /// The most legs that are played.
    pub legs: usize,
    /// The entrants.
    pub entrants: ByEntrant<EntrantTask>,
    /// The recorded match from which this one continues.
    #[serde(default)]
    pub from: Option<RecordedMoment>,
    /// The position of a book from which all legs start, on its own setup; workers of before version 7
    /// of the messages do not know it, and get no such match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<BookPosition>,
}

impl MatchTask {
    /// Its game among these: the version that it names, and where no file is named the newest if that
    /// one is not there.
    pub fn find_game(&self, games: &GameSet) -> Option<GameHandle> {
        match &self.file {
            Some(_) => games.find_exact(&self.game, &self.rules),
            None => games.find_rules(&self.game, &self.rules),
        }
    }
}

/// A moment of a recorded match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedMoment {
    /// The leg, from 1.
    pub leg: usize,
    /// The first round that is not forced.
    pub round: u32,
    /// The replay up to the leg, without what only its authors may read.
    pub replay: String,
}

/// An entrant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EntrantTask {
    /// The displayed name.
    pub name: String,
    /// The program or built-in bot.
    pub source: EntrantSource,
    /// What it alone plays with, in the words of the command line; workers of before version 5 of
    /// the messages do not know it, and get no such match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<String>,
}

/// The program or built-in bot.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntrantSource {
    /// A built-in bot.
    BuiltIn(String),
    /// An uploaded program.
    Program(SourceTask),
}

/// An upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceTask {
    /// The version's id.
    pub version: i64,
    /// The game's id.
    pub game: String,
    /// The bot's name.
    pub name: String,
    /// The name of the uploaded file.
    pub file_name: String,
    /// The hash of the list of libraries that it is built with, if there are any; workers of before
    /// version 6 of the messages do not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub libraries: Option<String>,
}

/// Moments of one source that a version is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AskedPack {
    /// `pins`, `game`, or the number of a pack.
    pub source: String,
    /// The moments.
    pub moments: Vec<AskedMoment>,
}

/// A moment that a version is asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AskedMoment {
    /// What stands beside the answer: the pin and its match, or nothing.
    pub of: Json,
    /// The moment; null where its replay is gone.
    pub moment: Option<PinnedPosition>,
}

/// A progress report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobProgress {
    /// A leg begins (from 0).
    Leg(usize),
    /// New moves.
    Steps {
        /// The leg.
        index: usize,
        /// Reply tokens, separated by spaces; each of a game with a judge program has what that showed behind
        /// it ([`told_token`](crate::live::told_token)).
        tokens: String,
        /// Wall time of every reply.
        times_us: Vec<u64>,
        /// What was reported of this leg before; unknown of workers of wire version 2.
        #[serde(default)]
        after: Option<ReportedSteps>,
    },
    /// A leg is played again from its beginning.
    Again(usize),
    /// Output of the build.
    Log(String),
    /// The build is done; the check begins.
    Checks,
    /// A finding of the check.
    Step(Json),
}

impl JobProgress {
    /// Adds a report to those that were not delivered yet.
    pub fn add_to(self, undelivered: &mut Vec<JobProgress>) {
        match (undelivered.last_mut(), self) {
            (
                Some(JobProgress::Steps {
                    index,
                    tokens,
                    times_us,
                    ..
                }),
                JobProgress::Steps {
                    index: same,
                    tokens: more,
                    times_us: later,
                    ..
                },
            ) if *index == same => {
                tokens.push(' ');
                tokens.push_str(&more);
                times_us.extend(later);
            }
            (_, report) => undelivered.push(report),
        }
    }
}

/// The result of a task.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobReport {
    /// A match was played to its verdict.
    Match {
        /// The replay's text.
        replay: String,
        /// The longest period of each entrant, in microseconds.
        longest_us: ByEntrant<u64>,
    },
    /// A version was built and checked, or could not be.
    Version(VersionOutcome),
    /// A game file was checked.
    GameFile {
        /// Whether it may be published.
        passed: bool,
        /// What the check says.
        said: Json,
        /// The replay of the match of its bots.
        preview: Option<String>,
    },
    /// An infrastructure error.
    InfrastructureError(String),
}

/// Whether a result counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportOutcome {
    /// It counts.
    Counted,
    /// The lease was lost: the result was discarded.
    Discarded,
}

/// The version of the messages of the job API. It grows with every change of a name or a meaning in
/// them; version 0 did not say it.
///
/// | version | since then |
/// |---|---|
/// | 2 | names of today |
/// | 3 | a worker waits at the server for a job; the limits of every game are compared; steps say what was reported before |
/// | 4 | a task says how long a program may wait rather than compute |
/// | 5 | a version is asked situations; an entrant has settings of its own; time banks, soft time-outs and kept files (the store gives such a match to no older worker) |
/// | 6 | a source names the libraries that it is built with |
/// | 7 | a match starts from the position of a book (the store gives it to no older worker) |
/// | 8 | games that a judge program leads are checked before they are published (the store gives none to older workers) |
pub const WIRE: u32 = 8;
/// The oldest version of the messages that this server understands: those of the release before,
/// whose games have the limits of today.
pub const OLDEST_WIRE: u32 = 2;

/// The facts in which worker and server must agree. They may be of different releases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Handshake {
    /// The version of Leitai.
    pub engine: String,
    /// The version of the messages of the job API.
    #[serde(default)]
    pub wire: u32,
    /// The rule set of every game.
    pub rules: BTreeMap<String, String>,
    /// The limits of every game, which are recorded in replays; unknown before version 3 of the
    /// messages.
    #[serde(default)]
    pub limits: BTreeMap<String, Json>,
    /// The games that the worker got from the arena. One that differs is about to be fetched anew.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub fetched: BTreeSet<String>,
}

impl Handshake {
    /// The handshake of this binary.
    pub fn from_games(games: impl Into<GameSet>) -> Handshake {
        let games = games.into().list();
        let each = || {
            games
                .iter()
                .map(|game| (game.meta().id.to_owned(), &**game))
        };
        Handshake {
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            wire: WIRE,
            rules: each()
                .map(|(id, game)| (id, game.meta().rules.to_owned()))
                .collect(),
            limits: each().map(|(id, game)| (id, usual_limits(game))).collect(),
            fetched: BTreeSet::new(),
        }
    }

    /// The games that the worker may be given: those that both play, by the same rules and with the
    /// same limits. The error is for the operator of the worker.
    pub fn find_common_games(&self, worker: &Handshake) -> Result<Vec<String>, String> {
        self.check_wire(worker)?;
        let mut common = Vec::new();
        for (game, ours) in &self.rules {
            // A game that is new in the server's version is left to workers that know it.
            let Some(theirs) = worker.rules.get(game) else {
                continue;
            };
            if ours != theirs && worker.fetched.contains(game) {
                continue;
            }
            if ours != theirs {
                return Err(format!(
                    "the server plays {game} by the rules {ours}, the worker by {theirs}; run the same \
                     version of leitai on both machines"
                ));
            }
            let differ = |theirs| self.limits.get(game) != Some(theirs);
            if worker.limits.get(game).is_some_and(differ) {
                return Err(format!(
                    "the server plays {game} with other limits than the worker; run the same version of \
                     leitai on both machines"
                ));
            }
            common.push(game.clone());
        }
        if common.is_empty() {
            return Err(format!(
                "the worker, leitai {}, knows no game of the server, leitai {}; run the same version of \
                 leitai on both machines",
                worker.engine, self.engine
            ));
        }
        Ok(common)
    }

    fn check_wire(&self, worker: &Handshake) -> Result<(), String> {
        if worker.wire > self.wire {
            return Err(format!(
                "the worker, leitai {}, is newer than the server, leitai {}: it speaks version {} of the \
                 job API, the server at most version {}; update the servers first",
                worker.engine, self.engine, worker.wire, self.wire
            ));
        }
        if worker.wire < OLDEST_WIRE {
            return Err(format!(
                "the worker, leitai {}, is too old for the server, leitai {}: it speaks version {} of the \
                 job API, the server at least version {OLDEST_WIRE}; update the worker",
                worker.engine, self.engine, worker.wire
            ));
        }
        Ok(())
    }
}

/// The limits that a replay of this game records, where the match asks for no others.
fn usual_limits(game: &dyn AnyGame) -> Json {
    let own = limits::referee_limits(game, &Json::Null);
    // The isolation is the worker's choice.
    let record = limits_record(&own, &limits::sandbox_limits(), String::new());
    serde_json::to_value(record).expect("limits are plain data")
}
