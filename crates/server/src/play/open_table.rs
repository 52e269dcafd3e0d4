//! A human match that anybody may join, and what is played there.

use leitai_store::{MatchSide, Timestamp};

/// What is played at a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableForm {
    /// The game's id.
    pub game: String,
    /// The config with all defaults.
    pub config: serde_json::Value,
    /// The most legs that are played.
    pub legs: usize,
}

/// A human match that anybody may join.
#[derive(Clone, Debug)]
pub struct OpenTable {
    /// The code of the invite that takes the free seat.
    pub invite: String,
    /// The name of the person who waits.
    pub name: String,
    /// Whether the person has an account.
    pub has_account: bool,
    /// The side that is free.
    pub free: MatchSide,
    /// What is played.
    pub form: TableForm,
    /// When the table was opened.
    pub since: Timestamp,
}
