//! The table `game_files`.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{Json, Timestamp, UserId};

/// How far a file has come.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum GameFileState {
    /// It waits for its check, or is checked.
    Checking,
    /// It failed the check.
    Refused,
    /// It passed. The newest of a game is played.
    Published,
    /// The game was taken away. Its replays are still shown.
    Retired,
}

impl GameFileState {
    /// Its word in the API.
    pub fn word(self) -> &'static str {
        match self {
            GameFileState::Checking => "checking",
            GameFileState::Refused => "refused",
            GameFileState::Published => "published",
            GameFileState::Retired => "retired",
        }
    }
}

/// A version of a game.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "game_files")]
pub struct Model {
    /// The key; a newer version of a game has a larger one.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// The game's id.
    pub game: String,
    /// Its rules with their version, which no other version of the game has.
    pub rules: String,
    /// SHA-256 of the file: 64 hexadecimal digits.
    pub hash: String,
    /// The bytes of the file.
    pub bytes: i64,
    /// How far it has come.
    pub state: GameFileState,
    /// What the check said.
    pub said: Json,
    /// Who brought it; `None` if the account was deleted.
    pub brought_by: Option<UserId>,
    /// When it was brought.
    pub created: Timestamp,
    /// Since when it waits for its check; `None`: since it was brought.
    pub queued: Option<Timestamp>,
    /// How often a server took its check.
    pub check_attempts: i64,
    /// Until when a server checks it.
    pub checked_until: Option<Timestamp>,
    /// Since when it is played.
    pub published: Option<Timestamp>,
    /// Since when it is not.
    pub retired: Option<Timestamp>,
    /// Until when only administrators and organisers who may bring games know of it.
    pub hidden_until: Option<Timestamp>,
}

impl Model {
    /// Whether others than administrators and organisers who may bring games know of it.
    pub fn is_hidden(&self, at: Timestamp) -> bool {
        self.hidden_until.is_some_and(|until| at < until)
    }

    /// Whether everybody may know of it.
    pub fn is_public(&self, at: Timestamp) -> bool {
        self.published.is_some() && !self.is_hidden(at)
    }
}

relations!();

pub use Model as GameFileRow;
