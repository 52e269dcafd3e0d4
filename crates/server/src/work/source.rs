//! The source of a worker's tasks and the destination of its results: the queue in the same
//! process, or a server over HTTP. All arguments are plain data.

use std::collections::BTreeMap;
use std::time::Duration;

use leitai_game::{AnyGame, ByEntrant};
use leitai_store::{JobKind, Json, Lease, LeaseState, VersionOutcome, WorkerReport};
use serde::{Deserialize, Serialize};

/// A job source. Every method may block on a network or a disk; a worker calls it from its own
/// threads.
pub trait JobSource: Send + Sync {
    /// Leases a task, if there is one.
    fn lease_job(&self, request: &JobRequest) -> Result<Option<JobTask>, JobSourceError>;
    /// What has arrived so far. A worker takes it before it asks for a task; see
    /// [`JobSource::await_work`].
    fn arrivals(&self) -> Arrivals;
    /// Waits until there may be a task: until something arrives that `seen` does not count, or until
    /// [`JobSource::wake_waiting`], or for the time that this source waits at most.
    fn await_work(&self, seen: Arrivals);
    /// Ends all waits.
    fn wake_waiting(&self);
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
    /// Reports that the worker is alive.
    fn report_worker(&self, report: &WorkerReport) -> Result<(), JobSourceError>;
    /// The shortest time between two reports of progress.
    fn renewal_interval(&self) -> Duration;
}

/// What a job source has counted. Equal values: nothing has arrived in between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrivals {
    /// How often jobs were queued.
    pub jobs: u64,
    /// How often the waits were ended.
    pub wakes: u64,
}

/// Errors of a job source.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum JobSourceError {
    /// A temporary error; try again.
    #[error("{0}")]
    Later(String),
    /// A permanent error.
    #[error("{0}")]
    Refused(String),
}

/// The jobs that a slot of a worker accepts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRequest {
    /// Kinds of jobs.
    pub kinds: Vec<JobKind>,
    /// Whether it can isolate uploaded programs.
    pub programs: bool,
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
}

/// The work.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskWork {
    /// A match to play.
    Match(Box<MatchTask>),
    /// A version to build and check.
    Version(SourceTask),
}

/// A match to play.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchTask {
    /// The match's id.
    pub id: i64,
    /// The game's id.
    pub game: String,
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
        /// Reply tokens, separated by spaces.
        tokens: String,
        /// Wall time of every reply.
        times_us: Vec<u64>,
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
const WIRE: u32 = 2;

/// The facts in which worker and server must agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handshake {
    /// The version of Leitai.
    pub engine: String,
    /// The version of the messages of the job API.
    #[serde(default)]
    pub wire: u32,
    /// The rule set of every game.
    pub rules: BTreeMap<String, String>,
}

impl Handshake {
    /// The handshake of this binary.
    pub fn from_games(games: &[&dyn AnyGame]) -> Handshake {
        let rules = games
            .iter()
            .map(|game| (game.meta().id.to_owned(), game.meta().rules.to_owned()));
        Handshake {
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            wire: WIRE,
            rules: rules.collect(),
        }
    }

    /// The difference, for the operator of the worker.
    pub fn find_difference(&self, worker: &Handshake) -> Option<String> {
        let next = "; run the same version of leitai on both machines";
        if self.engine != worker.engine {
            return Some(format!(
                "the server is leitai {}, the worker {}{next}",
                self.engine, worker.engine
            ));
        }
        if self.wire != worker.wire {
            return Some(format!(
                "the server speaks version {} of the job API, the worker version {}{next}",
                self.wire, worker.wire
            ));
        }
        let known = |side: &Handshake, game: &String| {
            side.rules.get(game).cloned().unwrap_or("none".into())
        };
        let other = |game: &&String| known(self, game) != known(worker, game);
        let game = self.rules.keys().chain(worker.rules.keys()).find(other)?;
        let (ours, theirs) = (known(self, game), known(worker, game));
        Some(format!(
            "the server plays {game} by the rules {ours}, the worker by {theirs}{next}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handshake_names_the_difference() {
        let hand = |engine: &str, rules: &[(&str, &str)]| Handshake {
            engine: engine.to_owned(),
            wire: WIRE,
            rules: rules
                .iter()
                .map(|(game, rules)| ((*game).to_owned(), (*rules).to_owned()))
                .collect(),
        };
        let server = hand("1.0", &[("a", "a/1"), ("b", "b/2")]);
        let check = |worker: Handshake, expected: Option<&str>| {
            let said = server.find_difference(&worker);
            assert_eq!(said.is_some(), expected.is_some(), "{said:?}");
            assert!(
                said.unwrap_or_default()
                    .contains(expected.unwrap_or_default()),
                "{expected:?}"
            );
        };
        check(server.clone(), None);
        check(
            Handshake {
                wire: 0,
                ..server.clone()
            },
            Some(&format!(
                "version {WIRE} of the job API, the worker version 0"
            )),
        );
        check(
            hand("1.1", &[("a", "a/1"), ("b", "b/2")]),
            Some("the worker 1.1"),
        );
        check(
            hand("1.0", &[("a", "a/1"), ("b", "b/3")]),
            Some("by the rules b/2, the worker by b/3"),
        );
        check(hand("1.0", &[("a", "a/1")]), Some("the worker by none"));
        check(
            hand("1.0", &[("a", "a/1"), ("b", "b/2"), ("c", "c/1")]),
            Some("by the rules none"),
        );
    }
}
