//! What workers do, under leases.
//!
//! A job is a row of ours, not of a queue's: result, ratings and the end of the job are one
//! transaction. A lease is a random token and a moment; a result is only taken from whoever holds
//! the living token, so that it counts once.

use std::time::Duration;

use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{LockBehavior, LockType};
use sea_orm::{Condition, DatabaseTransaction, QueryOrder, QuerySelect, Select};
use serde::{Deserialize, Serialize};

use crate::secret::random_token;
use crate::{
    Bot, JobId, Match, MatchEntrant, MatchEntrantKind, MatchId, MatchKind, MatchState, Page,
    PageQuery, Store, StoreError, Timestamp, Version, VersionId, bots, matches, versions,
};

/// How often a job is tried without a pause. Then its match is void; a version waits before each
/// further attempt.
pub const ATTEMPTS: i32 = 3;
/// How often the examination of a version is tried in all. A version that itself kills workers must
/// not do so for ever; then it has failed by an infrastructure error.
pub const EXAMINATIONS: i32 = 10;
/// How long a version waits after [`ATTEMPTS`] attempts; twice as long after each further one.
pub const PAUSE: Duration = Duration::from_secs(60);

/// What there is to do.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(
    rs_type = "String",
    db_type = "String(StringLen::None)",
    rename_all = "lowercase"
)]
pub enum JobKind {
    /// A match between programs.
    Match,
    /// A match for whoever watches, paced for people: it must not take the place of another.
    Exhibition,
    /// A match with people: only the server itself takes it ([`Store::acquire_match`]).
    Human,
    /// Building and checking a version.
    Version,
}

/// How far a job is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(
    rs_type = "String",
    db_type = "String(StringLen::None)",
    rename_all = "lowercase"
)]
pub enum JobState {
    /// Waits.
    Queued,
    /// A worker has it, until its lease ends.
    Leased,
    /// Finished.
    Done,
    /// Given up or cancelled.
    Dropped,
}

/// Something for a worker to do.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "jobs")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: JobId,
    /// What there is to do.
    pub kind: JobKind,
    /// The game's id.
    pub game: String,
    /// How far it is.
    pub state: JobState,
    /// Larger ones go first.
    pub priority: i32,
    /// Whether it runs uploaded programs.
    pub programs: bool,
    /// The match to play.
    pub match_id: Option<MatchId>,
    /// The version to build and check.
    pub version_id: Option<VersionId>,
    /// How often it was taken and neither finished nor handed back.
    pub attempts: i32,
    /// When it was put into the queue.
    pub created: Timestamp,
    /// Who has it or had it last.
    pub worker: Option<String>,
    /// The token of the last lease.
    pub token: Option<String>,
    /// When the lease ends; of a queued job, when it may be taken at the earliest.
    pub until: Option<Timestamp>,
    /// What went wrong last, for the administrator.
    pub note: Option<String>,
}

/// Which tables it is joined with.
#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

pub use Model as Job;

/// The right to do a job until the lease ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Lease {
    /// The job.
    pub job: JobId,
    /// Random; whoever has it holds the job.
    pub token: String,
}

/// What a worker can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerOffer {
    /// The worker's name.
    pub worker: String,
    /// Which kinds of jobs.
    pub kinds: Vec<JobKind>,
    /// Of which games; all if empty.
    pub games: Vec<String>,
    /// Whether it can hold uploaded programs; else it gets matches between built-in bots only.
    pub programs: bool,
}

/// A job that was taken.
#[derive(Clone, Debug)]
pub struct LeasedJob {
    /// The right to do it.
    pub lease: Lease,
    /// When the lease ends unless it is renewed.
    pub until: Timestamp,
    /// 1 for the first attempt.
    pub attempt: i32,
    /// What there is to do.
    pub work: JobWork,
}

/// What there is to do, as it is once it was taken.
#[derive(Clone, Debug)]
pub enum JobWork {
    /// Play it; it is running.
    Match(Box<Match>),
    /// Build and check it; it is building.
    Version(Box<(Version, Bot)>),
}

/// Whether a lease lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeaseState {
    /// Until the moment asked for.
    Held,
    /// Somebody else has the job, or nobody wants it any more: stop.
    Lost,
}

/// What became of a job that a worker could not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GiveUpOutcome {
    /// It is in the queue again.
    Again,
    /// It was tried often enough: the match is void, the version failed by an infrastructure error.
    Over,
    /// The lease was lost already.
    Lost,
}

impl Store {
    /// Takes the most urgent job that the worker can do, and starts it: its match is running, its
    /// version building. A job whose lease has ended is in the queue again: a match unless it was
    /// tried [`ATTEMPTS`] times, a version after a pause, unless it was tried [`EXAMINATIONS`]
    /// times. No two workers get one job.
    pub async fn lease_job(
        &self,
        offer: &WorkerOffer,
        at: Timestamp,
        lease: Duration,
    ) -> Result<Option<LeasedJob>, StoreError> {
        loop {
            let change = self.begin_write().await?;
            let Some(job) = next(&change, offer, at).await? else {
                return Ok(None);
            };
            let next = if job.state == JobState::Leased {
                Next::of(&job, at)
            } else {
                Next::Now
            };
            if next != Next::Now {
                let why = job
                    .note
                    .clone()
                    .unwrap_or_else(|| "workers crashed while they ran it".to_owned());
                end_attempt(&change, &job, next, &why, at).await?;
                change.commit().await?;
                self.work_changed(&job);
                continue;
            }
            let acquired = take_job(&change, &job, &offer.worker, at, lease).await?;
            change.commit().await?;
            self.work_changed(&job);
            return Ok(Some(acquired));
        }
    }

    /// Takes the job of one match, which must be queued; nothing if somebody has it or it is over.
    pub async fn acquire_match(
        &self,
        id: MatchId,
        worker: &str,
        at: Timestamp,
        lease: Duration,
    ) -> Result<Option<LeasedJob>, StoreError> {
        let change = self.begin_write().await?;
        let queued = Entity::find()
            .filter(Column::MatchId.eq(id))
            .filter(Column::State.eq(JobState::Queued));
        let Some(job) = queued.lock_exclusive().one(&change).await? else {
            return Ok(None);
        };
        let acquired = take_job(&change, &job, worker, at, lease).await?;
        change.commit().await?;
        Ok(Some(acquired))
    }

    /// Takes over a match with people from a server that is gone: its lease ended before `ended`.
    /// Nothing if somebody holds it or it is over.
    pub async fn take_over_people(
        &self,
        id: MatchId,
        worker: &str,
        ended: Timestamp,
        at: Timestamp,
        lease: Duration,
    ) -> Result<Option<LeasedJob>, StoreError> {
        let change = self.begin_write().await?;
        let stranded = Entity::find()
            .filter(Column::MatchId.eq(id))
            .filter(Column::Kind.eq(JobKind::Human));
        let stranded = stranded
            .filter(Column::State.eq(JobState::Leased))
            .filter(Column::Until.lt(ended));
        let Some(job) = stranded.lock_exclusive().one(&change).await? else {
            return Ok(None);
        };
        let acquired = take_job(&change, &job, worker, at, lease).await?;
        change.commit().await?;
        Ok(Some(acquired))
    }

    /// Holds a job longer. An ended lease can still be renewed as long as nobody else has taken the
    /// job.
    pub async fn renew_lease(
        &self,
        lease: &Lease,
        until: Timestamp,
    ) -> Result<LeaseState, StoreError> {
        let later = ActiveModel {
            until: Set(Some(until)),
            ..unchanged_row()
        };
        let change = self.begin_write().await?;
        let done = Entity::update_many()
            .set(later)
            .filter(Column::Id.eq(lease.job))
            .filter(Column::Token.eq(&lease.token))
            .filter(Column::State.eq(JobState::Leased))
            .exec(&change)
            .await?;
        change.commit().await?;
        Ok(if done.rows_affected > 0 {
            LeaseState::Held
        } else {
            LeaseState::Lost
        })
    }

    /// Whether the lease lives, without changing it.
    pub async fn check_lease(&self, lease: &Lease) -> Result<LeaseState, StoreError> {
        let job = Entity::find_by_id(lease.job).one(&self.readers).await?;
        let held = job.is_some_and(|job| matches!(HeldLease::of(job, lease), HeldLease::Living(_)));
        Ok(if held {
            LeaseState::Held
        } else {
            LeaseState::Lost
        })
    }

    /// Puts a job back as if it had never been taken: a worker stops in good order.
    pub async fn hand_back(&self, lease: &Lease) -> Result<LeaseState, StoreError> {
        let change = self.begin_write().await?;
        let HeldLease::Living(job) = find_held(&change, lease).await? else {
            // At once: others pass by a job that is locked.
            change.rollback().await?;
            return Ok(LeaseState::Lost);
        };
        requeue_job(
            &change,
            &job,
            ActiveModel {
                attempts: Set(job.attempts - 1),
                until: Set(None),
                ..unchanged_row()
            },
        )
        .await?;
        change.commit().await?;
        self.work_changed(&job);
        self.jobs_arrived();
        Ok(LeaseState::Held)
    }

    /// An infrastructure error (not the bot's fault). The job is tried again: a match at most
    /// [`ATTEMPTS`] times, a version [`EXAMINATIONS`] times.
    pub async fn give_up(
        &self,
        lease: &Lease,
        why: &str,
        at: Timestamp,
    ) -> Result<GiveUpOutcome, StoreError> {
        let change = self.begin_write().await?;
        let HeldLease::Living(job) = find_held(&change, lease).await? else {
            change.rollback().await?;
            return Ok(GiveUpOutcome::Lost);
        };
        let next = Next::of(&job, at);
        end_attempt(&change, &job, next, why, at).await?;
        change.commit().await?;
        self.work_changed(&job);
        self.jobs_arrived();
        Ok(if next == Next::Never {
            GiveUpOutcome::Over
        } else {
            GiveUpOutcome::Again
        })
    }

    /// A job; [`StoreError::Missing`] if there is none.
    pub async fn find_job(&self, id: JobId) -> Result<Job, StoreError> {
        Entity::find_by_id(id)
            .one(&self.readers)
            .await?
            .ok_or_else(|| StoreError::row_missing("job", id))
    }

    /// The job that examines a version, if it has one.
    pub async fn job_of_version(&self, id: VersionId) -> Result<Option<Job>, StoreError> {
        Ok(Entity::find()
            .filter(Column::VersionId.eq(id))
            .one(&self.readers)
            .await?)
    }

    /// What is queued or leased, newest first.
    pub async fn list_jobs(&self, ask: &PageQuery) -> Result<Page<Job>, StoreError> {
        let open = Entity::find().filter(Column::State.is_in([JobState::Queued, JobState::Leased]));
        let mut jobs = open.order_by_desc(Column::Id).limit(ask.row_limit() + 1);
        if let Some(before) = ask.cursor_id()? {
            jobs = jobs.filter(Column::Id.lt(before));
        }
        Ok(Page::of(ask, jobs.all(&self.readers).await?, |job| {
            job.id.to_string()
        }))
    }

    /// Matches with people whose server died: leased, and the lease has ended. Whoever starts a
    /// server voids them.
    pub async fn stranded_people(&self, at: Timestamp) -> Result<Vec<MatchId>, StoreError> {
        let ended = Entity::find().filter(Column::Kind.eq(JobKind::Human));
        let ended = ended
            .filter(Column::State.eq(JobState::Leased))
            .filter(Column::Until.lt(at));
        Ok(ended
            .all(&self.readers)
            .await?
            .into_iter()
            .filter_map(|job| job.match_id)
            .collect())
    }

    /// Matches with people that were made before this moment and that nobody plays yet, all of
    /// them, oldest first: somebody is awaited, or never came.
    pub async fn unplayed_people(&self, before: Timestamp) -> Result<Vec<MatchId>, StoreError> {
        use matches::Column::{Created, Id, Kind, State};
        let waiting = State.is_in([MatchState::Waiting, MatchState::Queued]);
        let theirs = matches::Entity::find()
            .select_only()
            .column(Id)
            .filter(Kind.eq(MatchKind::Human));
        let late = theirs
            .filter(waiting)
            .filter(Created.lt(before))
            .order_by_asc(Id);
        Ok(late.into_tuple().all(&self.readers).await?)
    }

    fn work_changed(&self, job: &Job) {
        if let Some(version) = job.version_id {
            self.version_changed(version);
        }
    }
}

/// When a job is tried again after an attempt that failed by an infrastructure error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Now,
    NotBefore(Timestamp),
    Never,
}

impl Next {
    fn of(job: &Job, at: Timestamp) -> Next {
        match (job.kind, job.attempts) {
            (JobKind::Human, _) => Next::Never,
            (_, attempts) if attempts < ATTEMPTS => Next::Now,
            (JobKind::Version, attempts) if attempts < EXAMINATIONS => {
                let doublings = u32::try_from(attempts - ATTEMPTS).unwrap_or_default();
                Next::NotBefore(at.after(PAUSE * 2_u32.pow(doublings)))
            }
            _ => Next::Never,
        }
    }
}

/// What a lease is worth.
pub(crate) enum HeldLease {
    /// Its holder has the job.
    Living(Job),
    /// Its holder has finished the job.
    Done,
    /// Somebody else has it, or nobody wants it any more.
    Lost,
}

impl HeldLease {
    pub fn of(job: Job, lease: &Lease) -> HeldLease {
        match job.state {
            _ if job.token.as_deref() != Some(&lease.token) => HeldLease::Lost,
            JobState::Leased => HeldLease::Living(job),
            JobState::Done => HeldLease::Done,
            JobState::Queued | JobState::Dropped => HeldLease::Lost,
        }
    }
}

/// What a lease is worth; nobody else changes the job until `change` ends.
pub(crate) async fn find_held(
    change: &DatabaseTransaction,
    lease: &Lease,
) -> Result<HeldLease, StoreError> {
    let job = Entity::find_by_id(lease.job)
        .lock_exclusive()
        .one(change)
        .await?;
    Ok(job.map_or(HeldLease::Lost, |job| HeldLease::of(job, lease)))
}

/// The job of a match; nobody else changes it until `change` ends.
pub(crate) async fn of_match(
    change: &DatabaseTransaction,
    id: MatchId,
) -> Result<Option<Job>, StoreError> {
    Ok(Entity::find()
        .filter(Column::MatchId.eq(id))
        .lock_exclusive()
        .one(change)
        .await?)
}

/// A job that plays a match.
pub(crate) fn match_job_row(made: &Match) -> ActiveModel {
    let kind = match made.kind {
        MatchKind::Human => JobKind::Human,
        MatchKind::Exhibition => JobKind::Exhibition,
        MatchKind::Ladder | MatchKind::Friendly => JobKind::Match,
    };
    let uploaded =
        |entrant: &&MatchEntrant| entrant.kind == MatchEntrantKind::Bot && !entrant.built_in;
    let programs = [&made.a, &made.b]
        .into_iter()
        .flatten()
        .any(|entrant| uploaded(&entrant));
    ActiveModel {
        kind: Set(kind),
        game: Set(made.game.clone()),
        priority: Set(made.priority),
        programs: Set(programs),
        match_id: Set(Some(made.id)),
        ..unchanged_row()
    }
}

/// A job that builds and checks a version: somebody waits for it.
pub(crate) fn version_job_row(version: &Version, game: String) -> ActiveModel {
    ActiveModel {
        kind: Set(JobKind::Version),
        game: Set(game),
        priority: Set(URGENT),
        programs: Set(true),
        version_id: Set(Some(version.id)),
        ..unchanged_row()
    }
}

/// The priority of builds.
const URGENT: i32 = 100;

/// Puts a job into the queue.
pub(crate) async fn insert_job(
    change: &DatabaseTransaction,
    job: ActiveModel,
    at: Timestamp,
) -> Result<(), StoreError> {
    let job = ActiveModel {
        id: NotSet,
        state: Set(JobState::Queued),
        attempts: Set(0),
        created: Set(at),
        ..job
    };
    Entity::insert(job).exec_without_returning(change).await?;
    Ok(())
}

/// Ends jobs. Their tokens stay, so that a worker that asks again learns what became of its result.
pub(crate) async fn end_job(
    change: &DatabaseTransaction,
    ids: &[JobId],
    state: JobState,
) -> Result<(), StoreError> {
    let new = ActiveModel {
        state: Set(state),
        until: Set(None),
        ..unchanged_row()
    };
    let these = Entity::update_many()
        .set(new)
        .filter(Column::Id.is_in(ids.iter().copied()));
    these.exec(change).await?;
    Ok(())
}

/// The job to take: first those whose lease has ended, as they have waited longest.
async fn next(
    change: &DatabaseTransaction,
    offer: &WorkerOffer,
    at: Timestamp,
) -> Result<Option<Job>, StoreError> {
    let ended = Entity::find()
        .filter(Column::State.eq(JobState::Leased))
        .filter(Column::Until.lt(at));
    if let Some(job) = query_fitting(ended.order_by_asc(Column::Until), offer)
        .one(change)
        .await?
    {
        return Ok(Some(job));
    }
    let due = Condition::any()
        .add(Column::Until.is_null())
        .add(Column::Until.lte(at));
    let queued = Entity::find()
        .filter(Column::State.eq(JobState::Queued))
        .filter(due);
    let queued = queued
        .order_by_desc(Column::Priority)
        .order_by_asc(Column::Id);
    Ok(query_fitting(queued, offer).one(change).await?)
}

fn query_fitting(jobs: Select<Entity>, offer: &WorkerOffer) -> Select<Entity> {
    let mut jobs = jobs.filter(Column::Kind.is_in(offer.kinds.iter().copied()));
    if !offer.games.is_empty() {
        jobs = jobs.filter(Column::Game.is_in(&offer.games));
    }
    if !offer.programs {
        jobs = jobs.filter(Column::Programs.eq(false));
    }
    jobs.limit(1)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
}

async fn take_job(
    change: &DatabaseTransaction,
    job: &Job,
    worker: &str,
    at: Timestamp,
    lease: Duration,
) -> Result<LeasedJob, StoreError> {
    let token = random_token();
    let until = at.after(lease);
    let attempt = job.attempts + 1;
    let taken = ActiveModel {
        state: Set(JobState::Leased),
        attempts: Set(attempt),
        worker: Set(Some(worker.to_owned())),
        token: Set(Some(token.clone())),
        until: Set(Some(until)),
        ..unchanged_row()
    };
    Entity::update_many()
        .set(taken)
        .filter(Column::Id.eq(job.id))
        .exec(change)
        .await?;
    let work = begin_work(change, job, worker, at).await?;
    Ok(LeasedJob {
        lease: Lease { job: job.id, token },
        until,
        attempt,
        work,
    })
}

async fn begin_work(
    change: &DatabaseTransaction,
    job: &Job,
    worker: &str,
    at: Timestamp,
) -> Result<JobWork, StoreError> {
    if let Some(id) = job.match_id {
        matches::begin_match(change, id, worker, at).await?;
        let found = matches::Entity::find_by_id(id).one(change).await?;
        return Ok(JobWork::Match(Box::new(
            found.ok_or_else(|| StoreError::row_missing("match", id))?,
        )));
    }
    let id = job
        .version_id
        .ok_or_else(|| StoreError::row_missing("work of job", job.id))?;
    versions::begin_building(change, id).await?;
    let version = versions::Entity::find_by_id(id).one(change).await?;
    let version = version.ok_or_else(|| StoreError::row_missing("version", id))?;
    let bot = bots::Entity::find_by_id(version.bot).one(change).await?;
    let bot = bot.ok_or_else(|| StoreError::row_missing("bot", version.bot))?;
    Ok(JobWork::Version(Box::new((version, bot))))
}

/// Ends an attempt that failed by an infrastructure error: the job waits again, or is given up.
async fn end_attempt(
    change: &DatabaseTransaction,
    job: &Job,
    next: Next,
    why: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    let until = match next {
        Next::Now => None,
        Next::NotBefore(moment) => Some(moment),
        Next::Never => return drop_it(change, job, why, at).await,
    };
    let note = Set(Some(why.to_owned()));
    requeue_job(
        change,
        job,
        ActiveModel {
            note,
            until: Set(until),
            ..unchanged_row()
        },
    )
    .await
}

/// Puts a leased job back into the queue.
async fn requeue_job(
    change: &DatabaseTransaction,
    job: &Job,
    new: ActiveModel,
) -> Result<(), StoreError> {
    let waiting = ActiveModel {
        state: Set(JobState::Queued),
        token: Set(None),
        ..new
    };
    Entity::update_many()
        .set(waiting)
        .filter(Column::Id.eq(job.id))
        .exec(change)
        .await?;
    match (job.match_id, job.version_id) {
        (Some(id), _) => matches::requeue_match(change, id).await,
        (_, Some(id)) => versions::requeue_version(change, id).await,
        _ => Ok(()),
    }
}

/// Gives a job up for good: by our fault, never by the bot's.
async fn drop_it(
    change: &DatabaseTransaction,
    job: &Job,
    why: &str,
    at: Timestamp,
) -> Result<(), StoreError> {
    let note = ActiveModel {
        note: Set(Some(why.to_owned())),
        ..unchanged_row()
    };
    Entity::update_many()
        .set(note)
        .filter(Column::Id.eq(job.id))
        .exec(change)
        .await?;
    end_job(change, &[job.id], JobState::Dropped).await?;
    match (job.match_id, job.version_id) {
        (Some(id), _) => matches::end_match(change, id, MatchState::Void, why, at).await,
        (_, Some(id)) => versions::fail_version(change, id, why, at).await,
        _ => Ok(()),
    }
}

fn unchanged_row() -> ActiveModel {
    <ActiveModel as ActiveModelTrait>::default()
}
