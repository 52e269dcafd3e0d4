//! Where a worker gets its tasks and brings its results: the queue itself, or a server over HTTP.
//! Everything that crosses the job source is plain data.

use std::collections::BTreeMap;
use std::time::Duration;

use leitai_game::{AnyGame, ByEntrant};
use leitai_store::{JobKind, Json, Lease, LeaseState, VersionOutcome, WorkerReport};
use serde::{Deserialize, Serialize};

/// A job source. Every method may wait for a network or a disk; a worker calls it from its own
/// threads.
pub trait JobSource: Send + Sync {
    /// A task, if there is one now.
    fn lease_job(&self, wish: &JobRequest) -> Result<Option<JobTask>, JobSourceError>;
    /// Returns when there may be a task, at the latest after this time.
    fn await_work(&self, most: Duration);
    /// Tells how a task goes, and holds it longer.
    fn renew_and_report(
        &self,
        lease: &Lease,
        news: Vec<JobProgress>,
    ) -> Result<LeaseState, JobSourceError>;
    /// Brings a result; whether it was taken, or had been before.
    fn finish_job(&self, lease: &Lease, report: JobReport)
    -> Result<ReportOutcome, JobSourceError>;
    /// Gives a task back as if it had never been taken.
    fn hand_back(&self, lease: &Lease) -> Result<(), JobSourceError>;
    /// The bytes of an upload that belongs to a task.
    fn fetch_source(&self, lease: &Lease, source: &SourceTask) -> Result<Vec<u8>, JobSourceError>;
    /// The worker lives.
    fn report_worker(&self, report: &WorkerReport) -> Result<(), JobSourceError>;
    /// The shortest time between two reports of progress.
    fn renewal_interval(&self) -> Duration;
}

/// What a job source could not do.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum JobSourceError {
    /// It may work in a moment.
    #[error("{0}")]
    Later(String),
    /// It will never work like this.
    #[error("{0}")]
    Refused(String),
}

/// What a slot of a worker would take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRequest {
    /// Kinds of jobs.
    pub kinds: Vec<JobKind>,
    /// Whether it can hold uploaded programs.
    pub programs: bool,
}

/// Something to do, and the right to do it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JobTask {
    /// The right to do it.
    pub lease: Lease,
    /// How long the right lasts unless it is renewed, in milliseconds.
    pub lease_ms: u64,
    /// What there is to do.
    pub work: TaskWork,
}

/// What there is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskWork {
    /// Play a match.
    Match(Box<MatchTask>),
    /// Build and check a version.
    Version(SourceTask),
}

/// A match to play.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchTask {
    /// The match's id.
    pub id: i64,
    /// The game's id.
    pub game: String,
    /// Whether it is paced for whoever watches.
    pub paced: bool,
    /// Where the chance comes from.
    pub seed: u64,
    /// The game's choices.
    pub config: Json,
    /// Other clocks than the usual ones; see [`crate::work::limits`].
    pub limits: Json,
    /// How many legs at most.
    pub legs: usize,
    /// Who plays.
    pub entrants: ByEntrant<EntrantTask>,
}

/// One who plays.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EntrantTask {
    /// The name that people see.
    pub name: String,
    /// What sits there.
    pub sits: EntrantSource,
}

/// What sits there.
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
    /// Under which name it was uploaded.
    pub file_name: String,
}

/// How a task goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobProgress {
    /// A leg begins (from 0).
    Leg(usize),
    /// More was said.
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
    /// A compiler said this.
    Log(String),
    /// It is built; the checks begin.
    Checks,
    /// A check found this.
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
    /// Something of ours went wrong.
    Ours(String),
}

/// Whether a result counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportOutcome {
    /// It does.
    Yes,
    /// The lease was lost: it was thrown away.
    No,
}

/// What both ends must agree on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handshake {
    /// The version of Leitai.
    pub engine: String,
    /// The rule set of every game.
    pub rules: BTreeMap<String, String>,
}

impl Handshake {
    /// Of this binary.
    pub fn of(games: &[&dyn AnyGame]) -> Handshake {
        let rules = games
            .iter()
            .map(|game| (game.meta().id.to_owned(), game.meta().rules.to_owned()));
        Handshake {
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            rules: rules.collect(),
        }
    }

    /// What differs, for whoever runs the worker.
    pub fn find_difference(&self, worker: &Handshake) -> Option<String> {
        let next = "; run the same version of leitai on both machines";
        if self.engine != worker.engine {
            return Some(format!(
                "the server is leitai {}, the worker {}{next}",
                self.engine, worker.engine
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
    fn a_handshake_names_what_differs() {
        let hand = |engine: &str, rules: &[(&str, &str)]| Handshake {
            engine: engine.to_owned(),
            rules: rules
                .iter()
                .map(|(game, rules)| ((*game).to_owned(), (*rules).to_owned()))
                .collect(),
        };
        let house = hand("1.0", &[("a", "a/1"), ("b", "b/2")]);
        let check = |worker: Handshake, expected: Option<&str>| {
            let said = house.find_difference(&worker);
            assert_eq!(said.is_some(), expected.is_some(), "{said:?}");
            assert!(
                said.unwrap_or_default()
                    .contains(expected.unwrap_or_default()),
                "{expected:?}"
            );
        };
        check(house.clone(), None);
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
