//! Uploads of bots.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{BotId, Finish, Json, Lease, Store, StoreError, Timestamp, VersionId};

/// The most bytes of a build log that are kept.
pub const LONGEST_LOG: usize = 256 * 1024;

/// How far an upload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::None)", rename_all = "lowercase")]
pub enum VersionState {
    /// Waits for a worker.
    Queued,
    /// Is being compiled.
    Building,
    /// Plays against the checks.
    Checking,
    /// May play.
    Ready,
    /// May not.
    Failed,
}

/// One upload of a bot.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "versions")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: VersionId,
    /// Whose.
    pub bot: BotId,
    /// 1, 2, 3 … a bot.
    pub number: i32,
    /// How far it is.
    pub state: VersionState,
    /// Where its source lies in the vault; nothing for a built-in bot.
    pub source: Option<String>,
    /// Under which name it was uploaded.
    pub file_name: String,
    /// How long the source is, in bytes.
    pub bytes: i64,
    /// What its author says of it.
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
    /// The dialect that it speaks.
    pub dialect: Option<String>,
    /// What the compiler said; at most [`LONGEST_LOG`] bytes.
    pub log: String,
    /// The findings of the checks so far: an array.
    pub steps: Json,
    /// What the checks report at the end.
    pub report: Option<Json>,
    /// Why it failed, for people: `{"en", "zh"}`.
    pub failure: Option<Json>,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

pub use Model as Version;

/// A version in a list: without log and report.
#[derive(Clone, Debug, PartialEq, Eq, DerivePartialModel)]
#[sea_orm(entity = "Entity")]
pub struct VersionBrief {
    /// The key.
    pub id: VersionId,
    /// Whose.
    pub bot: BotId,
    /// 1, 2, 3 … a bot.
    pub number: i32,
    /// How far it is.
    pub state: VersionState,
    /// Under which name it was uploaded.
    pub file_name: String,
    /// How long the source is, in bytes.
    pub bytes: i64,
    /// What its author says of it.
    pub notes: String,
    /// When it was uploaded.
    pub created: Timestamp,
    /// When it was ready or failed.
    pub finished: Option<Timestamp>,
    /// Why it failed.
    pub failure: Option<Json>,
}

/// An upload to be kept. Its source is in the vault already.
#[derive(Clone, Debug)]
pub struct NewVersion {
    /// Whose.
    pub bot: BotId,
    /// Where its source lies in the vault.
    pub source: String,
    /// Under which name it was uploaded.
    pub file_name: String,
    /// How long the source is, in bytes.
    pub bytes: i64,
    /// What its author says of it.
    pub notes: String,
    /// Whether it becomes the active one as soon as it is ready.
    pub activates: bool,
}

/// How building and checking ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VersionOutcome {
    /// It may play.
    Ready {
        /// How it was built.
        how: String,
        /// The dialect that it speaks.
        dialect: String,
        /// What the checks report.
        report: Json,
    },
    /// It may not.
    Failed {
        /// How it was built, if it came so far.
        how: Option<String>,
        /// Why, for people: `{"en", "zh"}`.
        failure: Json,
        /// What the checks report, if they ran.
        report: Option<Json>,
    },
}

impl Store {
    /// Keeps an upload under the next number and puts its job into the queue, in one transaction.
    pub async fn create_version(&self, new: NewVersion, at: Timestamp) -> Result<Version, StoreError> {
        let _ = (new, at);
        todo!()
    }

    /// A version; [`StoreError::Missing`] if there is none.
    pub async fn version(&self, id: VersionId) -> Result<Version, StoreError> {
        let _ = id;
        todo!()
    }

    /// A version by its number.
    pub async fn version_by_number(&self, bot: BotId, number: i32) -> Result<Option<Version>, StoreError> {
        let _ = (bot, number);
        todo!()
    }

    /// The versions of a bot, newest first (at most 1,000).
    pub async fn versions_of(&self, bot: BotId) -> Result<Vec<VersionBrief>, StoreError> {
        let _ = bot;
        todo!()
    }

    /// Lets others read the source, or no longer.
    pub async fn set_source_public(&self, id: VersionId, public: bool) -> Result<(), StoreError> {
        let _ = (id, public);
        todo!()
    }

    /// What the compiler says while it runs. False if the lease is lost. What is too much is left out, with a line that
    /// says so.
    pub async fn append_log(&self, lease: &Lease, text: &str) -> Result<bool, StoreError> {
        let _ = (lease, text);
        todo!()
    }

    /// A finding of the checks; the first one moves the version from building to checking. False if the lease is lost.
    pub async fn append_step(&self, lease: &Lease, step: Json) -> Result<bool, StoreError> {
        let _ = (lease, step);
        todo!()
    }

    /// Building is done, checking begins. False if the lease is lost.
    pub async fn begin_checks(&self, lease: &Lease) -> Result<bool, StoreError> {
        let _ = lease;
        todo!()
    }

    /// Building and checking ended: state, job and, where it was asked for, activation in one transaction, once.
    pub async fn finish_version(
        &self,
        lease: &Lease,
        outcome: VersionOutcome,
        at: Timestamp,
    ) -> Result<Finish, StoreError> {
        let _ = (lease, outcome, at);
        todo!()
    }
}
