//! What servers tell each other about a running match. A server that has spectators of a match of
//! another server subscribes to [`events_subject`] and asks for what it lacks; the owner of the match
//! answers, and then publishes every event. Events are numbered: a server that misses one asks
//! again. See `bus::envelope` for what may change from version to version.

use std::cmp::Ordering;

use leitai_game::ByEntrant;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::move_log::{MoveLogCursor, SharedMoves};

/// Where every server is asked.
pub const EVERY_SERVER: &str = "live.ask";

/// Where one server is asked.
pub fn one_server(server: &str) -> String {
    format!("{EVERY_SERVER}.{server}")
}

/// Where the events of a match are published.
pub fn events_subject(id: i64) -> String {
    format!("live.match.{id}")
}

/// The name of one playing of a match on one server; a match that is played again gets another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunName {
    /// When it began, in milliseconds since 1970.
    pub begun_ms: i64,
    /// A random number.
    pub salt: u32,
}

impl RunName {
    /// Whether this run replaces that one.
    pub fn replaces(&self, other: &RunName) -> bool {
        let key = |run: &RunName| (run.begun_ms, run.salt);
        key(self).cmp(&key(other)) == Ordering::Greater
    }
}

/// A question for the owner of a match.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Question {
    /// The match.
    pub id: i64,
    /// The run that the asking server has.
    pub run: Option<RunName>,
    /// Which of its moves it has.
    pub have: Option<MoveLogCursor>,
}

/// An answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// What the asking server lacks.
    Match(Box<MatchNews>),
    /// The match is not played on this server.
    NotHere,
}

/// What a server lacks of a match.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchNews {
    /// The run.
    pub run: RunName,
    /// The name of the owner.
    pub owner: String,
    /// The number of the last event that is in here, if `is_all`.
    pub sequence: u64,
    /// The facts of the match, for a server that has nothing of this run.
    pub start: Option<SharedStart>,
    /// Moves.
    pub moves: Vec<SharedMoves>,
    /// Whether these are all moves.
    pub is_all: bool,
    /// The presence message of the people who play.
    pub presence: Option<String>,
}

/// The facts of a match at its start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SharedStart {
    /// The game's id.
    pub game: String,
    /// Its rules.
    pub rules: String,
    /// The setup.
    pub setup: Value,
    /// The most legs that are played.
    pub legs: usize,
    /// The names of the entrants.
    pub entrants: ByEntrant<String>,
    /// Whether a person plays.
    pub has_people: bool,
}

/// An event of a match.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MatchEvent {
    /// The run.
    pub run: RunName,
    /// The number of the event: one more than that of the event before.
    pub sequence: u64,
    /// What happened.
    pub what: EventKind,
}

/// What happened.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// The run begins; every server hears this, the other events only if one has asked.
    Begun,
    /// Moves.
    Moves(SharedMoves),
    /// Who of the people who play is there.
    Presence(String),
    /// The match is over, or will be played again later.
    Over,
}
