//! Versions: uploads of bots.

use serde::{Deserialize, Serialize};

use crate::blobs::discards;
use crate::bots::{bots, counted_actions, living, quota};
use crate::database::prelude::*;
use crate::jobs::job_turns::JobFlow;
use crate::jobs::jobs;
use crate::tables::versions::{ActiveModel, Column, Entity, Version, VersionState};
use crate::{Bot, BotId, Json, NewBot, Quota, Uploader, UserId, VersionId, tables};

/// A version in a list: without log and report.
#[derive(Clone, Debug, PartialEq, Eq, DerivePartialModel)]
#[sea_orm(entity = "Entity")]
pub struct VersionRow {
    /// The key.
    pub id: VersionId,
    /// The bot.
    pub bot: BotId,
    /// The number within the bot, from 1.
    pub number: i32,
    /// The state.
    pub state: VersionState,
    /// The name of the uploaded file.
    pub file_name: String,
    /// The size of the source in bytes.
    pub bytes: i64,
    /// The author's notes.
    pub notes: String,
    /// When it was uploaded.
    pub created: Timestamp,
    /// When it was ready or failed.
    pub finished: Option<Timestamp>,
    /// Why it failed.
    pub failure: Option<Json>,
}

/// A version to be created. Its source is in the blob store already.
#[derive(Clone, Debug)]
pub struct NewVersion {
    /// The bot.
    pub bot: BotId,
    /// The key of the source's blob.
    pub source: String,
    /// The name of the uploaded file.
    pub file_name: String,
    /// The size of the source in bytes.
    pub bytes: i64,
    /// The author's notes.
    pub notes: String,
    /// Whether it becomes the active one as soon as it is ready.
    pub activates: bool,
}

/// The first version of a bot that is created together with it.
#[derive(Clone, Debug)]
pub struct NewSource {
    /// The key of the source's blob.
    pub key: String,
    /// The name of the uploaded file.
    pub file_name: String,
    /// The size of the source in bytes.
    pub bytes: i64,
    /// The author's notes.
    pub notes: String,
}

impl NewSource {
    /// The version to create; it becomes active as soon as it is ready.
    pub fn to_version(self, bot: BotId) -> NewVersion {
        let NewSource {
            key,
            file_name,
            bytes,
            notes,
        } = self;
        NewVersion {
            bot,
            source: key,
            file_name,
            bytes,
            notes,
            activates: true,
        }
    }
}

impl Store {
    /// Creates a version with the next number and queues its job, in one transaction.
    pub async fn create_version(&self, new: NewVersion, at: Timestamp) -> Result<Version> {
        let change = self.begin_write().await?;
        let version = insert_version(&change, new, None, at).await?;
        change.commit().await?;
        self.jobs_arrived();
        Ok(version)
    }

    /// Creates a version as [`Store::create_version`] does. [`StoreError::Quota`] if the bot's
    /// versions, the author's bytes, or what the groups of author and uploader allow would be
    /// exceeded.
    pub async fn create_version_within(
        &self,
        new: NewVersion,
        quota: &Quota,
        by: Uploader,
        at: Timestamp,
    ) -> Result<Version> {
        let change = self.begin_write().await?;
        quota::check_version(&change, (new.bot, new.bytes), quota, by, at).await?;
        let version = insert_version(&change, new, Some(by.user), at).await?;
        counted_actions::count(&change, by.user, None, at).await?;
        change.commit().await?;
        self.jobs_arrived();
        Ok(version)
    }

    /// Creates a bot together with its first version, or neither.
    pub async fn create_bot_with_version(
        &self,
        bot: NewBot,
        source: NewSource,
        quota: &Quota,
        by: Uploader,
        at: Timestamp,
    ) -> Result<(Bot, Version)> {
        let change = self.begin_write().await?;
        let bot = bots::insert_bot(&change, bot, quota, at).await?;
        let new = source.to_version(bot.id);
        quota::check_version(&change, (new.bot, new.bytes), quota, by, at).await?;
        let version = insert_version(&change, new, Some(by.user), at).await?;
        counted_actions::count(&change, by.user, None, at).await?;
        change.commit().await?;
        self.jobs_arrived();
        Ok((bot, version))
    }

    /// Finds a version; [`StoreError::Missing`] if there is none, [`StoreError::Deleted`] if it was
    /// deleted.
    pub async fn find_version(&self, id: VersionId) -> Result<Version> {
        find_living(&self.readers, id).await
    }

    /// A version by its number.
    pub async fn version_by_number(&self, bot: BotId, number: i32) -> Result<Option<Version>> {
        let all = Entity::find()
            .filter(Column::Bot.eq(bot))
            .filter(Column::Deleted.is_null());
        Ok(all
            .filter(Column::Number.eq(number))
            .one(&self.readers)
            .await?)
    }

    /// The versions of a bot, newest first (at most 1,000).
    pub async fn versions_of(&self, bot: BotId) -> Result<Vec<VersionRow>> {
        let all = Entity::find()
            .filter(Column::Bot.eq(bot))
            .filter(Column::Deleted.is_null());
        let all = all.order_by_desc(Column::Number).limit(1000);
        Ok(all.into_partial_model().all(&self.readers).await?)
    }

    /// The sources of a bot's versions, newest first (at most 1,000): the number of the version, the
    /// file's name, and its key in the blob store.
    pub async fn sources_of(&self, bot: BotId) -> Result<Vec<(i32, String, String)>> {
        let all = Entity::find()
            .select_only()
            .columns([Column::Number, Column::FileName, Column::Source])
            .filter(Column::Bot.eq(bot))
            .filter(Column::Source.is_not_null())
            .filter(Column::Deleted.is_null());
        let all = all.order_by_desc(Column::Number).limit(1000);
        Ok(all.into_tuple().all(&self.readers).await?)
    }

    /// Publishes the source, or hides it.
    pub async fn set_source_public(&self, id: VersionId, public: bool) -> Result<()> {
        let change = self.begin_write().await?;
        let done = update_version(
            &change,
            id,
            ActiveModel {
                source_public: Set(public),
                ..Default::default()
            },
        )
        .await?;
        change.commit().await?;
        if done {
            Ok(())
        } else {
            Err(StoreError::row_missing("version", id))
        }
    }
}

/// Finds a version; an error if there is none or if it was deleted.
pub(crate) async fn find_living(place: &impl ConnectionTrait, id: VersionId) -> Result<Version> {
    let version = find_row::<Entity>(place, id, "version").await?;
    match version.deleted {
        Some(at) => Err(StoreError::Deleted {
            what: "version",
            which: id.to_string(),
            at,
        }),
        None => Ok(version),
    }
}

/// Inserts a version with the next number, and its job, which takes turns with those of who uploads
/// it, else of the bot's author. Numbers of deleted versions are not reused.
async fn insert_version(
    change: &Change,
    new: NewVersion,
    by: Option<UserId>,
    at: Timestamp,
) -> Result<Version> {
    // The lock makes concurrent uploads wait, so that each gets its own number.
    let bot = tables::bots::Entity::find_by_id(new.bot)
        .lock_exclusive()
        .one(change)
        .await?;
    let bot = living::require_living(bot, new.bot)?;
    discards::cancel_discard(change, &new.source).await?;
    let last = Entity::find()
        .filter(Column::Bot.eq(bot.id))
        .order_by_desc(Column::Number)
        .one(change);
    let number = last.await?.map_or(1, |version| version.number + 1);
    let version = ActiveModel {
        state: Set(VersionState::Queued),
        source: Set(Some(new.source)),
        file_name: Set(new.file_name),
        bytes: Set(new.bytes),
        notes: Set(new.notes),
        activates: Set(new.activates),
        ..new_row(bot.id, number, at)
    };
    let version = version.insert(change).await?;
    let flow = by.map_or_else(|| JobFlow::of_bot(&bot), JobFlow::Account);
    let row = jobs::version_job_row(&version, bot.game);
    jobs::insert_job(change, row, &flow, at).await?;
    Ok(version)
}

/// Clears a version except for its number.
pub(crate) fn cleared_version(at: Timestamp) -> ActiveModel {
    ActiveModel {
        state: Set(VersionState::Failed),
        source: Set(None),
        file_name: Set(String::new()),
        bytes: Set(0),
        notes: Set(String::new()),
        source_public: Set(false),
        log: Set(String::new()),
        steps: Set(Json::Array(Vec::new())),
        report: Set(None),
        failure: Set(None),
        deleted: Set(Some(at)),
        ..Default::default()
    }
}

/// The line in the log that marks the omission.
pub(crate) const LEFT_OUT: &str = "\n… the rest was left out\n";

/// Marks a version as failed by repeated infrastructure errors.
pub(crate) async fn fail_version(
    place: &impl ConnectionTrait,
    id: VersionId,
    why: &str,
    at: Timestamp,
) -> Result<()> {
    let failure = serde_json::json!({
        "en": format!("this is an error of the arena, not of the program: {why}; upload it again"),
    });
    let outcome = VersionOutcome::Failed {
        how: None,
        failure,
        report: None,
    };
    update_version(place, id, ended_row(outcome, at)).await?;
    Ok(())
}

/// Starts an attempt: nothing of earlier attempts is kept.
pub(crate) async fn begin_building(place: &impl ConnectionTrait, id: VersionId) -> Result<()> {
    let steps = Set(Json::Array(Vec::new()));
    let new = ActiveModel {
        state: Set(VersionState::Building),
        log: Set(String::new()),
        steps,
        ..Default::default()
    };
    update_version(place, id, new).await?;
    Ok(())
}

/// Takes back the failure of a version that is to be checked again.
pub(crate) async fn forget_failure(place: &impl ConnectionTrait, id: VersionId) -> Result<()> {
    let new = ActiveModel {
        failure: Set(None),
        finished: Set(None),
        ..Default::default()
    };
    update_version(place, id, new).await?;
    Ok(())
}

/// Puts a version back into the queue.
pub(crate) async fn requeue_version(place: &impl ConnectionTrait, id: VersionId) -> Result<()> {
    update_version(
        place,
        id,
        ActiveModel {
            state: Set(VersionState::Queued),
            ..Default::default()
        },
    )
    .await?;
    Ok(())
}

pub(crate) fn new_row(bot: BotId, number: i32, at: Timestamp) -> ActiveModel {
    ActiveModel {
        id: NotSet,
        bot: Set(bot),
        number: Set(number),
        state: Set(VersionState::Queued),
        source: Set(None),
        file_name: Set(String::new()),
        bytes: Set(0),
        notes: Set(String::new()),
        activates: Set(false),
        source_public: Set(false),
        created: Set(at),
        finished: Set(None),
        how: Set(None),
        protocol: Set(None),
        log: Set(String::new()),
        steps: Set(Json::Array(Vec::new())),
        report: Set(None),
        failure: Set(None),
        deleted: Set(None),
    }
}

pub(crate) async fn update_version(
    place: &impl ConnectionTrait,
    id: VersionId,
    new: ActiveModel,
) -> Result<bool> {
    Ok(update_rows(place, Column::Id.eq(id), new).await? > 0)
}

/// The result of build and check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VersionOutcome {
    /// It may play.
    Ready {
        /// How it was built.
        how: String,
        /// The protocol that it speaks.
        protocol: String,
        /// The report of the check.
        report: Json,
    },
    /// It failed.
    Failed {
        /// How it was built, if the build began.
        how: Option<String>,
        /// Why, for people: `{"en", "zh"}`.
        failure: Json,
        /// The report of the check, if it ran.
        report: Option<Json>,
    },
}

impl VersionOutcome {
    /// The report of the check, if it ran.
    pub(crate) fn report_mut(&mut self) -> Option<&mut Json> {
        match self {
            VersionOutcome::Ready { report, .. } => Some(report),
            VersionOutcome::Failed { report, .. } => report.as_mut(),
        }
    }
}

pub(crate) fn ended_row(outcome: VersionOutcome, at: Timestamp) -> ActiveModel {
    let finished = Set(Some(at));
    match outcome {
        VersionOutcome::Ready {
            how,
            protocol,
            report,
        } => ActiveModel {
            state: Set(VersionState::Ready),
            how: Set(Some(how)),
            protocol: Set(Some(protocol)),
            report: Set(Some(report)),
            finished,
            ..Default::default()
        },
        VersionOutcome::Failed {
            how,
            failure,
            report,
        } => ActiveModel {
            state: Set(VersionState::Failed),
            how: Set(how),
            failure: Set(Some(failure)),
            report: Set(report),
            finished,
            ..Default::default()
        },
    }
}
