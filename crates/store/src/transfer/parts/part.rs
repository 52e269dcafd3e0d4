//! What is asked for of a part, and what came of it.

use serde::{Deserialize, Serialize};

use crate::{BotId, ContestId, FileName, LadderId, MatchId, Timestamp};

/// What moves, with all that belongs to it.
#[derive(Clone, Debug, Default)]
pub struct PartRequest {
    /// Bots with all their versions.
    pub bots: Vec<BotId>,
    /// Whether also what these bots have played.
    pub with_matches: bool,
    /// Contests with their entries, stages, matches and results.
    pub contests: Vec<ContestId>,
    /// Ladders with their bots, ratings and matches.
    pub ladders: Vec<LadderId>,
    /// Matches with their replays.
    pub matches: Vec<MatchId>,
}

/// How a part comes in.
pub struct PartRules<'r> {
    /// Accounts of the part by their names, and those here that stand for them.
    pub accounts: Vec<(String, String)>,
    /// Whether nothing is to be changed: what would come is told.
    pub dry_run: bool,
    /// Whether people and bots may have this name.
    pub check_name: &'r dyn Fn(&str) -> Result<(), String>,
    /// Whether this arena plays the game, in these rules if they are given.
    pub knows_game: &'r dyn Fn(&str, Option<&str>) -> bool,
    /// Reads the file of a contest of this game and these rules: its id, and whom it names.
    pub read_contest: &'r ReadContest<'r>,
    /// When.
    pub at: Timestamp,
}

/// Reads the file of a contest of this game and these rules: its id, and whom it names.
pub type ReadContest<'r> =
    dyn Fn(&str, Option<&str>, &str) -> Result<(String, Vec<FileName>), String> + 'r;

/// What happens to something with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comes {
    /// It is new here.
    New,
    /// It is new here, and closed: an account that nobody can use, a ladder on which nobody plays.
    Closed,
    /// It is new here, and off the ladders of its game.
    Retired,
    /// It is new here, and paused.
    Paused,
    /// It is one that was here before.
    Known,
}

/// Something with a name that came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartName {
    /// `account`, `bot`, `contest` or `ladder`.
    pub what: String,
    /// The name there.
    pub was: String,
    /// The name here.
    pub name: String,
    /// What happens to it.
    pub comes: Comes,
    /// Of an account: its key there, and here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keys: Option<[i64; 2]>,
}

/// A part that was exported or imported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartMoved {
    /// Its id: the hash of what it holds.
    pub id: String,
    /// Rows of the database.
    pub rows: u64,
    /// How many matches are among them.
    pub matches: u64,
    /// Sources and replays.
    pub blobs: u64,
    /// Those that an earlier attempt had brought already.
    pub blobs_there: u64,
    /// Whether it had been imported before: then nothing was done.
    pub already: bool,
    /// How what came is called here.
    pub names: Vec<PartName>,
}
