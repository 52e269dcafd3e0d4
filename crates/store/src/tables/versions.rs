//! The table `versions`.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{BotId, Json, Timestamp, VersionId};

/// The state of a version.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum VersionState {
    /// Waits for a worker.
    Queued,
    /// Is being compiled.
    Building,
    /// Is being checked.
    Checking,
    /// May play.
    Ready,
    /// Failed to build or to pass the check.
    Failed,
}

/// One upload of a bot.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "versions")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: VersionId,
    /// The bot.
    pub bot: BotId,
    /// The number within the bot, from 1.
    pub number: i32,
    /// The state.
    pub state: VersionState,
    /// The key of the source's blob; `None` for a built-in bot.
    pub source: Option<String>,
    /// The name of the uploaded file.
    pub file_name: String,
    /// The size of the source in bytes.
    pub bytes: i64,
    /// The author's notes.
    pub notes: String,
    /// Whether it becomes the active one as soon as it is ready.
    pub activates: bool,
    /// Whether others may read its source.
    pub source_public: bool,
    /// When it was uploaded.
    pub created: Timestamp,
    /// When it was ready or failed.
    pub finished: Option<Timestamp>,
    /// How it was built, for example `make`.
    pub how: Option<String>,
    /// The protocol that it speaks.
    pub protocol: Option<String>,
    /// The output of the build; at most [`LONGEST_LOG`](crate::work::version_results::LONGEST_LOG) bytes.
    pub log: String,
    /// The findings of the checks so far: an array.
    pub steps: Json,
    /// The report of the check.
    pub report: Option<Json>,
    /// Why it failed, for people: `{"en", "zh"}`; without `zh` where the store wrote it.
    pub failure: Option<Json>,
    /// When it was deleted. A deleted version keeps nothing but its number.
    pub deleted: Option<Timestamp>,
}

relations!(Bot: Bot = bots.Id, Activated: Id = bots.Active);

pub use Model as Version;
