//! Uploads of bots.

use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::entity::prelude::*;
use sea_orm::{DatabaseTransaction, QueryOrder, QuerySelect};
use serde::{Deserialize, Serialize};

use crate::{
    Bot, BotId, Job, JobState, Json, Lease, NewBot, Quota, RecordOutcome, Store, StoreError,
    Timestamp, VersionId, bots, discards, jobs, quota,
};

/// The most bytes of a build log that are kept.
pub const LONGEST_LOG: usize = 256 * 1024;

/// How far an upload is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(
    rs_type = "String",
    db_type = "String(StringLen::None)",
    rename_all = "lowercase"
)]
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
    /// Where its source lies in the blob store; nothing for a built-in bot.
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
    /// The protocol that it speaks.
    pub protocol: Option<String>,
    /// What the compiler said; at most [`LONGEST_LOG`] bytes.
    pub log: String,
    /// The findings of the checks so far: an array.
    pub steps: Json,
    /// What the checks report at the end.
    pub report: Option<Json>,
    /// Why it failed, for people: `{"en", "zh"}`.
    pub failure: Option<Json>,
    /// When it was deleted: then nothing is left of it but its number.
    pub deleted: Option<Timestamp>,
}

/// Which tables it is joined with.
#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    /// Whose.
    #[sea_orm(
        belongs_to = "bots::Entity",
        from = "Column::Bot",
        to = "bots::Column::Id"
    )]
    Bot,
}

impl ActiveModelBehavior for ActiveModel {}

pub use Model as Version;

/// A version in a list: without log and report.
#[derive(Clone, Debug, PartialEq, Eq, DerivePartialModel)]
#[sea_orm(entity = "Entity")]
pub struct VersionRow {
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

/// An upload to be kept. Its source is in the blob store already.
#[derive(Clone, Debug)]
pub struct NewVersion {
    /// Whose.
    pub bot: BotId,
    /// Where its source lies in the blob store.
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

/// An upload to be kept for a bot that is made together with it.
#[derive(Clone, Debug)]
pub struct NewSource {
    /// Where it lies in the blob store.
    pub key: String,
    /// Under which name it was uploaded.
    pub file_name: String,
    /// How long it is, in bytes.
    pub bytes: i64,
    /// What its author says of it.
    pub notes: String,
}

impl NewSource {
    /// The version that it becomes; it plays as soon as it is ready.
    pub fn of(self, bot: BotId) -> NewVersion {
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

/// How building and checking ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VersionOutcome {
    /// It may play.
    Ready {
        /// How it was built.
        how: String,
        /// The protocol that it speaks.
        protocol: String,
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
    pub async fn create_version(
        &self,
        new: NewVersion,
        at: Timestamp,
    ) -> Result<Version, StoreError> {
        self.create_version_within(new, &Quota::UNLIMITED, at).await
    }

    /// Keeps an upload as [`Store::create_version`] does. [`StoreError::Quota`] if the bot has as
    /// many versions as the quota allows, or its author's versions would take more than it allows.
    pub async fn create_version_within(
        &self,
        new: NewVersion,
        quota: &Quota,
        at: Timestamp,
    ) -> Result<Version, StoreError> {
        let change = self.begin_write().await?;
        let version = make(&change, new, quota, at).await?;
        change.commit().await?;
        self.jobs_arrived();
        Ok(version)
    }

    /// Makes a bot together with its first version, or neither.
    pub async fn create_bot_with_version(
        &self,
        bot: NewBot,
        source: NewSource,
        quota: &Quota,
        at: Timestamp,
    ) -> Result<(Bot, Version), StoreError> {
        let change = self.begin_write().await?;
        let bot = bots::make(&change, bot, quota, at).await?;
        let version = make(&change, source.of(bot.id), quota, at).await?;
        change.commit().await?;
        self.jobs_arrived();
        Ok((bot, version))
    }

    /// A version; [`StoreError::Missing`] if there is none, [`StoreError::Deleted`] if there was
    /// one.
    pub async fn find_version(&self, id: VersionId) -> Result<Version, StoreError> {
        find(&self.readers, id).await
    }

    /// A version by its number.
    pub async fn version_by_number(
        &self,
        bot: BotId,
        number: i32,
    ) -> Result<Option<Version>, StoreError> {
        let all = Entity::find()
            .filter(Column::Bot.eq(bot))
            .filter(Column::Deleted.is_null());
        Ok(all
            .filter(Column::Number.eq(number))
            .one(&self.readers)
            .await?)
    }

    /// The versions of a bot, newest first (at most 1,000).
    pub async fn versions_of(&self, bot: BotId) -> Result<Vec<VersionRow>, StoreError> {
        let all = Entity::find()
            .filter(Column::Bot.eq(bot))
            .filter(Column::Deleted.is_null());
        let all = all.order_by_desc(Column::Number).limit(1000);
        Ok(all.into_partial_model().all(&self.readers).await?)
    }

    /// Lets others read the source, or no longer.
    pub async fn set_source_public(&self, id: VersionId, public: bool) -> Result<(), StoreError> {
        let change = self.begin_write().await?;
        let done = update_version(
            &change,
            id,
            ActiveModel {
                source_public: Set(public),
                ..unchanged_row()
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

    /// What the compiler says while it runs. False if the lease is lost. What is too much is left
    /// out, with a line that says so.
    pub async fn append_log(&self, lease: &Lease, text: &str) -> Result<bool, StoreError> {
        self.while_held(lease, |version| {
            let log = append_log(&version.log, text);
            ActiveModel {
                log: Set(log),
                ..unchanged_row()
            }
        })
        .await
    }

    /// A finding of the checks; the first one moves the version from building to checking. False if
    /// the lease is lost.
    pub async fn append_step(&self, lease: &Lease, step: Json) -> Result<bool, StoreError> {
        self.while_held(lease, |version| {
            let mut steps = version.steps.as_array().cloned().unwrap_or_default();
            steps.push(step);
            let steps = Set(Json::Array(steps));
            ActiveModel {
                state: Set(VersionState::Checking),
                steps,
                ..unchanged_row()
            }
        })
        .await
    }

    /// Building is done, checking begins. False if the lease is lost.
    pub async fn begin_checks(&self, lease: &Lease) -> Result<bool, StoreError> {
        let checking = |_: &Version| ActiveModel {
            state: Set(VersionState::Checking),
            ..unchanged_row()
        };
        self.while_held(lease, checking).await
    }

    /// Building and checking ended: state, job and, where it was asked for, activation in one
    /// transaction, once.
    pub async fn finish_version(
        &self,
        lease: &Lease,
        outcome: VersionOutcome,
        at: Timestamp,
    ) -> Result<RecordOutcome, StoreError> {
        let change = self.begin_write().await?;
        let hold = jobs::find_held(&change, lease).await?;
        let jobs::HeldLease::Living(job) = hold else {
            change.rollback().await?;
            let done = matches!(hold, jobs::HeldLease::Done);
            return Ok(if done {
                RecordOutcome::AlreadyFinished
            } else {
                RecordOutcome::Lost
            });
        };
        let Some(version) = of_job(&change, &job).await? else {
            return Ok(RecordOutcome::Lost);
        };
        let ready = matches!(outcome, VersionOutcome::Ready { .. });
        update_version(&change, version.id, ended_row(outcome, at)).await?;
        jobs::end_job(&change, &[job.id], JobState::Done).await?;
        if ready && version.activates {
            let bot = bots::Entity::find_by_id(version.bot).one(&change).await?;
            let bot = bot.ok_or_else(|| StoreError::row_missing("bot", version.bot))?;
            bots::start_playing(&change, &bot, version.id, at).await?;
        }
        change.commit().await?;
        self.version_changed(version.id);
        Ok(RecordOutcome::Recorded { change: None })
    }

    /// Changes the version of a job, if the lease lives.
    async fn while_held(
        &self,
        lease: &Lease,
        new: impl FnOnce(&Version) -> ActiveModel,
    ) -> Result<bool, StoreError> {
        let change = self.begin_write().await?;
        let jobs::HeldLease::Living(job) = jobs::find_held(&change, lease).await? else {
            change.rollback().await?;
            return Ok(false);
        };
        let Some(version) = of_job(&change, &job).await? else {
            return Ok(false);
        };
        update_version(&change, version.id, new(&version)).await?;
        change.commit().await?;
        self.version_changed(version.id);
        Ok(true)
    }
}

/// A version, unless there is none or it was deleted.
pub(crate) async fn find(
    place: &impl ConnectionTrait,
    id: VersionId,
) -> Result<Version, StoreError> {
    let found = Entity::find_by_id(id).one(place).await?;
    let version = found.ok_or_else(|| StoreError::row_missing("version", id))?;
    match version.deleted {
        Some(at) => Err(StoreError::Deleted {
            what: "version",
            which: id.to_string(),
            at,
        }),
        None => Ok(version),
    }
}

/// Makes a version under the next number, and its job. Numbers of deleted versions are not given
/// again.
async fn make(
    change: &DatabaseTransaction,
    new: NewVersion,
    quota: &Quota,
    at: Timestamp,
) -> Result<Version, StoreError> {
    quota::check_version(change, &new, quota).await?;
    // Whoever uploads at the same time waits here, so that both get numbers of their own.
    let bot = bots::Entity::find_by_id(new.bot)
        .lock_exclusive()
        .one(change)
        .await?;
    let bot = bots::living(bot, new.bot)?;
    discards::keep(change, &new.source).await?;
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
    jobs::insert_job(change, jobs::version_job_row(&version, bot.game), at).await?;
    Ok(version)
}

/// Takes away everything of a version but its number.
pub(crate) fn cleared(at: Timestamp) -> ActiveModel {
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
        ..unchanged_row()
    }
}

/// What stands in the log where the rest was left out.
const LEFT_OUT: &str = "\n… the rest was left out\n";

fn append_log(log: &str, text: &str) -> String {
    let room = LONGEST_LOG.saturating_sub(log.len() + LEFT_OUT.len());
    // PostgreSQL keeps no NUL in a text.
    let text = text.replace('\0', "\u{fffd}");
    match () {
        () if log.ends_with(LEFT_OUT) => log.to_owned(),
        () if text.len() <= room => format!("{log}{text}"),
        () => format!("{log}{}{LEFT_OUT}", &text[..text.floor_char_boundary(room)]),
    }
}

async fn of_job(place: &impl ConnectionTrait, job: &Job) -> Result<Option<Version>, StoreError> {
    match job.version_id {
        Some(id) => Ok(Entity::find_by_id(id).one(place).await?),
        None => Ok(None),
    }
}

fn ended_row(outcome: VersionOutcome, at: Timestamp) -> ActiveModel {
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
            ..unchanged_row()
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
            ..unchanged_row()
        },
    }
}

/// We failed, again and again.
pub(crate) async fn fail_version(
    place: &impl ConnectionTrait,
    id: VersionId,
    why: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    let failure = serde_json::json!({
        "en": format!("this is our fault, not the program's: {why}; upload it again"),
        "zh": format!("这是我们的问题，不是程序的问题：{why}；请重新上传"),
    });
    let outcome = VersionOutcome::Failed {
        how: None,
        failure,
        report: None,
    };
    update_version(place, id, ended_row(outcome, at)).await?;
    Ok(())
}

/// A worker begins, perhaps not the first one: nothing of earlier attempts is left.
pub(crate) async fn begin_building(
    place: &impl ConnectionTrait,
    id: VersionId,
) -> Result<(), StoreError> {
    let steps = Set(Json::Array(Vec::new()));
    let new = ActiveModel {
        state: Set(VersionState::Building),
        log: Set(String::new()),
        steps,
        ..unchanged_row()
    };
    update_version(place, id, new).await?;
    Ok(())
}

/// Nobody builds it any more.
pub(crate) async fn requeue_version(
    place: &impl ConnectionTrait,
    id: VersionId,
) -> Result<(), StoreError> {
    update_version(
        place,
        id,
        ActiveModel {
            state: Set(VersionState::Queued),
            ..unchanged_row()
        },
    )
    .await?;
    Ok(())
}

/// The one version of a built-in bot.
pub(crate) async fn built_in(
    place: &impl ConnectionTrait,
    bot: &Bot,
    at: Timestamp,
) -> Result<Version, StoreError> {
    if let Some(known) = Entity::find()
        .filter(Column::Bot.eq(bot.id))
        .one(place)
        .await?
    {
        return Ok(known);
    }
    let version = ActiveModel {
        state: Set(VersionState::Ready),
        how: Set(Some("built-in".to_owned())),
        finished: Set(Some(at)),
        ..new_row(bot.id, 1, at)
    };
    Ok(version.insert(place).await?)
}

fn new_row(bot: BotId, number: i32, at: Timestamp) -> ActiveModel {
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

fn unchanged_row() -> ActiveModel {
    <ActiveModel as ActiveModelTrait>::default()
}

pub(crate) async fn update_version(
    place: &impl ConnectionTrait,
    id: VersionId,
    new: ActiveModel,
) -> Result<bool, StoreError> {
    let done = Entity::update_many()
        .set(new)
        .filter(Column::Id.eq(id))
        .exec(place)
        .await?;
    Ok(done.rows_affected > 0)
}
