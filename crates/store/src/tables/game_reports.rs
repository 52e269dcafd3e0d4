//! The table `game_reports`.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{Timestamp, UserId};

/// What somebody says is wrong with a game.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum ReportReason {
    /// It insults, threatens or is not for children.
    Offensive,
    /// It is somebody else's work.
    Copied,
    /// It harms or deceives who plays it.
    Harmful,
    /// It does not work as its guide says.
    Broken,
    /// Something else, which the note says.
    Other,
}

/// A report of a game.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "game_reports")]
pub struct Model {
    /// The key; later ones are larger.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// The game's id.
    pub game: String,
    /// Who reported it; `None` if the account was deleted.
    pub user: Option<UserId>,
    /// The same while it is open: one of a person and a game.
    pub open_by: Option<UserId>,
    /// What is wrong.
    pub reason: ReportReason,
    /// The same in the reporter's words.
    pub note: String,
    /// When it was made.
    pub created: Timestamp,
    /// When an administrator closed it.
    pub closed: Option<Timestamp>,
}

relations!();

pub use Model as GameReport;
