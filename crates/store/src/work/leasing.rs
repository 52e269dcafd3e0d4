//! Workers lease jobs, hand them back and give them up.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sea_orm::sea_query::{LockBehavior, LockType};
use serde::{Deserialize, Serialize};

use crate::bots::versions;
use crate::database::prelude::*;
use crate::events::kinds::{self as events, VersionChecked};
use crate::jobs::jobs::{CheckedLease, Lease, LeaseState, by_turn, end_job, find_job_of_lease};
use crate::matches::matches;
use crate::tables::game_files::GameFileRow;
use crate::tables::jobs::{ActiveModel, Column, Entity, Job, JobKind, JobState};
use crate::values::secret::random_token;
use crate::{Bot, JobId, Match, MatchId, MatchState, Version, tables};

/// Attempts at a job without a pause. After them a match is void; a version waits before each
/// further attempt.
pub const ATTEMPTS: i32 = 3;
/// Attempts at the check of a version in all. The limit is there because a version may crash every
/// worker; after it, the version has failed by an infrastructure error.
pub const EXAMINATIONS: i32 = 10;
/// The wait of a version after [`ATTEMPTS`] attempts; it doubles after each further one.
pub const PAUSE: Duration = Duration::from_secs(60);
/// The note of a job whose worker ended, hung or lost its connection while it did it.
pub const WORKER_LOST: &str = "the worker that did it stopped answering";
/// The note of a version whose worker was lost again, with another job that was there both times: it
/// is not known which of them did it.
const LOST_TOGETHER: &str =
    "the worker that did it stopped answering again, together with another job of both times";
/// The note of a version whose worker was lost for the second time in a row. Who kills a server, or a
/// machine without power, may do so twice in one bad minute, and the version is innocent: it waits
/// for [`PAUSE`] and is tried once more. With the third loss it is set aside.
const LOST_TWICE: &str =
    "the worker that did it stopped answering twice in a row; it is tried once more in a minute";
/// A check that is lost after so long has hung: nobody's kill is awaited then, and it is set aside
/// with the second loss in a row.
const HUNG: Duration = Duration::from_secs(3600);
/// Why a version is set aside, for its author.
const SET_ASIDE: &str = "again and again the worker that built and checked it stopped answering, so it is set aside until the operator looks at it";

/// The jobs that a worker can do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerOffer {
    /// The worker's name.
    pub worker: String,
    /// Kinds of jobs.
    pub kinds: Vec<JobKind>,
    /// Games; all if empty.
    pub games: Vec<String>,
    /// Whether it can isolate uploaded programs; else it gets matches between built-in bots only.
    pub programs: bool,
    /// The version of the messages that it speaks.
    pub wire: i32,
}

/// A job that a worker has leased.
#[derive(Clone, Debug)]
pub struct LeasedJob {
    /// The right to do it.
    pub lease: Lease,
    /// The expiry of the lease unless it is renewed.
    pub until: Timestamp,
    /// The attempt, from 1.
    pub attempt: i32,
    /// The kind of work.
    pub work: JobWork,
    /// The span of a trace in which it was made, as W3C's `traceparent`.
    pub trace: Option<String>,
}

/// The work of a leased job.
#[derive(Clone, Debug)]
pub enum JobWork {
    /// A match to play; its state is running.
    Match(Box<Match>),
    /// A version to build and check; its state is building.
    Version(Box<(Version, Bot)>),
    /// A game that a judge program leads, to be checked.
    GameFile(Box<GameFileRow>),
}

/// The fate of a job that a worker gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GiveUpOutcome {
    /// It is queued again.
    Again,
    /// It has no attempts left: the match is void, or the version failed by an infrastructure
    /// error.
    Over,
    /// The lease was lost already.
    Lost,
}

/// Of the jobs with which a worker was lost, finds those whose worker had been lost before. If there
/// is more than one, their versions are not blamed; returns these versions' jobs.
async fn excuse_versions(change: &Change, worker: &str, at: Timestamp) -> Result<Vec<JobId>> {
    let again = Entity::find()
        .filter(Column::Worker.eq(worker))
        .filter(Column::State.eq(JobState::Leased))
        .filter(Column::Until.lt(at))
        .filter(Column::Attempts.gt(1));
    let again = again.all(change).await?;
    if again.len() < 2 {
        return Ok(Vec::new());
    }
    let versions = again.iter().filter(|job| job.kind == JobKind::Version);
    let versions: Vec<JobId> = versions.map(|job| job.id).collect();
    let excused = ActiveModel {
        note: Set(Some(LOST_TOGETHER.to_owned())),
        ..Default::default()
    };
    let these = Entity::update_many().set(excused);
    these
        .filter(Column::Id.is_in(versions.iter().copied()))
        .exec(change)
        .await?;
    Ok(versions)
}

/// The next attempt at a job after an infrastructure error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NextAttempt {
    Now,
    NotBefore(Timestamp),
    Never,
    /// An operator decides.
    Operator,
}

impl NextAttempt {
    /// After an attempt that ended because the worker was lost, with the note of the job. A version
    /// is set aside the third time in a row, or the second time if it hung; not if it was
    /// [excused](excuse_versions).
    fn after_loss(job: &Job, at: Timestamp) -> (NextAttempt, &'static str) {
        let lasted = job.started.zip(job.until);
        let hung = lasted.is_some_and(|(begun, ended)| ended.since(begun) >= HUNG);
        match (job.kind, job.note.as_deref()) {
            (JobKind::Version, Some(WORKER_LOST)) if !hung => {
                (NextAttempt::NotBefore(at.after(PAUSE)), LOST_TWICE)
            }
            (JobKind::Version, Some(WORKER_LOST | LOST_TWICE)) => {
                (NextAttempt::Operator, SET_ASIDE)
            }
            _ => (NextAttempt::plan_next(job, at), WORKER_LOST),
        }
    }

    fn plan_next(job: &Job, at: Timestamp) -> NextAttempt {
        match (job.kind, job.attempts) {
            (JobKind::Human, _) => NextAttempt::Never,
            (_, attempts) if attempts < ATTEMPTS => NextAttempt::Now,
            // Whoever brought a game file waits for an answer, and brings it once more.
            _ if job.game_file_id.is_some() => NextAttempt::Never,
            (JobKind::Version, attempts) if attempts < EXAMINATIONS => {
                let doublings = u32::try_from(attempts - ATTEMPTS).unwrap_or_default();
                NextAttempt::NotBefore(at.after(PAUSE * 2_u32.pow(doublings)))
            }
            _ => NextAttempt::Never,
        }
    }
}

/// The job to lease: first those with an expired lease, because they have waited longest. Only a
/// version goes behind the queued ones then: it may be what stopped its worker, and others wait.
async fn next(
    change: &Change,
    offer: &WorkerOffer,
    ended: Timestamp,
    at: Timestamp,
) -> Result<Option<Job>> {
    let ended = Entity::find()
        .filter(Column::State.eq(JobState::Leased))
        .filter(Column::Until.lt(ended))
        .order_by_asc(Column::Until);
    let others = ended.clone().filter(Column::Kind.ne(JobKind::Version));
    if let Some(job) = query_fitting(others, offer).one(change).await? {
        return Ok(Some(job));
    }
    let due = Condition::any()
        .add(Column::Until.is_null())
        .add(Column::Until.lte(at));
    let queued = Entity::find()
        .filter(Column::State.eq(JobState::Queued))
        .filter(due);
    let queued = by_turn(queued);
    if let Some(job) = query_fitting(queued, offer).one(change).await? {
        return Ok(Some(job));
    }
    let versions = ended.filter(Column::Kind.eq(JobKind::Version));
    Ok(query_fitting(versions, offer).one(change).await?)
}

fn query_fitting(jobs: Select<Entity>, offer: &WorkerOffer) -> Select<Entity> {
    let mut jobs = jobs
        .filter(Column::Kind.is_in(offer.kinds.iter().copied()))
        .filter(Column::Wire.lte(offer.wire));
    if !offer.games.is_empty() {
        // A game that is checked is not there yet.
        let may = Condition::any()
            .add(Column::Game.is_in(&offer.games))
            .add(Column::GameFileId.is_not_null());
        jobs = jobs.filter(may);
    }
    if !offer.programs {
        jobs = jobs.filter(Column::Programs.eq(false));
    }
    jobs.limit(1)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
}

async fn take_job(
    change: &Change,
    job: &Job,
    worker: &str,
    at: Timestamp,
    lease: Duration,
) -> Result<LeasedJob> {
    let token = random_token();
    let until = at.after(lease);
    let attempt = job.attempts + 1;
    let note = match job.state {
        JobState::Leased => Set(Some(WORKER_LOST.to_owned())),
        _ => NotSet,
    };
    let taken = ActiveModel {
        note,
        state: Set(JobState::Leased),
        attempts: Set(attempt),
        worker: Set(Some(worker.to_owned())),
        token: Set(Some(token.clone())),
        until: Set(Some(until)),
        served: Set(Some(job.turn)),
        started: Set(Some(at)),
        ..Default::default()
    };
    update_rows(change, Column::Id.eq(job.id), taken).await?;
    let work = begin_work(change, job, worker, at).await?;
    Ok(LeasedJob {
        lease: Lease { job: job.id, token },
        until,
        attempt,
        work,
        trace: job.trace.clone(),
    })
}

async fn begin_work(change: &Change, job: &Job, worker: &str, at: Timestamp) -> Result<JobWork> {
    if let Some(id) = job.match_id {
        matches::begin_match(change, id, worker, at).await?;
        let found = tables::matches::Entity::find_by_id(id).one(change).await?;
        return Ok(JobWork::Match(Box::new(
            found.ok_or_else(|| StoreError::row_missing("match", id))?,
        )));
    }
    if let Some(id) = job.game_file_id {
        let file = find_row::<tables::game_files::Entity>(change, id, "game file").await?;
        return Ok(JobWork::GameFile(Box::new(file)));
    }
    let id = job
        .version_id
        .ok_or_else(|| StoreError::row_missing("work of job", job.id))?;
    versions::begin_building(change, id).await?;
    let version = find_row::<tables::versions::Entity>(change, id, "version").await?;
    let bot = find_row::<tables::bots::Entity>(change, version.bot, "bot").await?;
    Ok(JobWork::Version(Box::new((version, bot))))
}

/// Ends an attempt that failed by an infrastructure error: the job is queued again or given up.
async fn end_attempt(
    change: &Change,
    job: &Job,
    next: NextAttempt,
    why: &str,
    at: Timestamp,
) -> Result<()> {
    let until = match next {
        NextAttempt::Now => None,
        NextAttempt::NotBefore(moment) => Some(moment),
        NextAttempt::Never => return drop_it(change, job, JobState::Dropped, why, at).await,
        NextAttempt::Operator => return drop_it(change, job, JobState::SetAside, why, at).await,
    };
    let note = Set(Some(why.to_owned()));
    requeue_job(
        change,
        job,
        ActiveModel {
            note,
            until: Set(until),
            ..Default::default()
        },
    )
    .await
}

/// Puts a leased job back into the queue.
async fn requeue_job(change: &Change, job: &Job, new: ActiveModel) -> Result<()> {
    let waiting = ActiveModel {
        state: Set(JobState::Queued),
        token: Set(None),
        ..new
    };
    update_rows(change, Column::Id.eq(job.id), waiting).await?;
    match (job.match_id, job.version_id) {
        (Some(id), _) => matches::requeue_match(change, id).await,
        (_, Some(id)) => versions::requeue_version(change, id).await,
        _ => Ok(()),
    }
}

/// Gives a job up after infrastructure errors, for good or until an operator retries it; the bot is
/// not at fault.
async fn drop_it(
    change: &Change,
    job: &Job,
    state: JobState,
    why: &str,
    at: Timestamp,
) -> Result<()> {
    let note = ActiveModel {
        note: Set(Some(why.to_owned())),
        ..Default::default()
    };
    update_rows(change, Column::Id.eq(job.id), note).await?;
    end_job(change, &[job.id], state).await?;
    match (job.match_id, job.version_id) {
        (Some(id), _) => matches::end_match(change, id, MatchState::Void, why, at).await,
        (_, Some(id)) => {
            versions::fail_version(change, id, why, at).await?;
            let version = versions::find_living(change, id).await?;
            events::write(change, VersionChecked::of(&version), at);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Leases that may have been given while the database went away, and that nobody has.
#[derive(Default)]
struct DoubtfulLeases(Mutex<Vec<Lease>>);

impl DoubtfulLeases {
    fn lock(&self) -> MutexGuard<'_, Vec<Lease>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pop(&self) -> Option<Lease> {
        self.lock().pop()
    }
}

impl Store {
    /// Leases the most urgent job that the worker can do and starts it: its match is running, its
    /// version is building. A job whose lease has expired is tried again: a match unless it was
    /// tried [`ATTEMPTS`] times, a version behind the queued ones, and once more after a pause: then
    /// it is set aside. No two workers get one job.
    pub async fn lease_job(
        &self,
        offer: &WorkerOffer,
        at: Timestamp,
        lease: Duration,
    ) -> Result<Option<LeasedJob>> {
        self.hand_back_doubtful().await?;
        loop {
            let change = self.begin_write().await?;
            let ended = self.ended_before(at);
            let Some(mut job) = next(&change, offer, ended, at).await? else {
                return Ok(None);
            };
            if job.state == JobState::Leased
                && let Some(lost) = &job.worker
                && excuse_versions(&change, lost, at).await?.contains(&job.id)
            {
                job.note = Some(LOST_TOGETHER.to_owned());
            }
            let (next, why) = match job.state {
                JobState::Leased => NextAttempt::after_loss(&job, at),
                _ => (NextAttempt::Now, ""),
            };
            if next != NextAttempt::Now {
                end_attempt(&change, &job, next, why, at).await?;
                change.commit().await?;
                self.work_changed(&job);
                continue;
            }
            let acquired = take_job(&change, &job, &offer.worker, at, lease).await?;
            if let Err(error) = change.commit().await {
                self.hand_back_later(acquired.lease);
                return Err(error.into());
            }
            self.work_changed(&job);
            return Ok(Some(acquired));
        }
    }

    /// Hands a lease back that nobody uses, as soon as the database answers.
    pub fn hand_back_later(&self, lease: Lease) {
        self.part::<DoubtfulLeases>().lock().push(lease);
    }

    /// Hands back what [`Store::hand_back_later`] left.
    async fn hand_back_doubtful(&self) -> Result<()> {
        while let Some(lease) = self.part::<DoubtfulLeases>().pop() {
            if let Err(error) = self.hand_back(&lease).await {
                self.hand_back_later(lease);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Leases the job of one match, which must be queued; `None` if it is leased or over.
    pub async fn acquire_match(
        &self,
        id: MatchId,
        worker: &str,
        at: Timestamp,
        lease: Duration,
    ) -> Result<Option<LeasedJob>> {
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

    /// Takes over a human match from a server that is gone: its lease expired before `ended`.
    /// `None` if the lease is held or the match is over.
    pub async fn take_over_people(
        &self,
        id: MatchId,
        worker: &str,
        ended: Timestamp,
        at: Timestamp,
        lease: Duration,
    ) -> Result<Option<LeasedJob>> {
        let change = self.begin_write().await?;
        let stranded = Entity::find()
            .filter(Column::MatchId.eq(id))
            .filter(Column::Kind.eq(JobKind::Human));
        let stranded = stranded
            .filter(Column::State.eq(JobState::Leased))
            .filter(Column::Until.lt(self.ended_before(ended)));
        let Some(job) = stranded.lock_exclusive().one(&change).await? else {
            return Ok(None);
        };
        let acquired = take_job(&change, &job, worker, at, lease).await?;
        change.commit().await?;
        Ok(Some(acquired))
    }

    /// Ends the leases of a worker that is gone, so that others take its jobs at once; returns how
    /// many. Human matches keep theirs.
    pub async fn end_leases_of(&self, worker: &str, at: Timestamp) -> Result<u64> {
        let ended = ActiveModel {
            until: Set(Some(Timestamp(at.0 - 1))),
            ..Default::default()
        };
        let change = self.begin_write().await?;
        let done = Entity::update_many()
            .set(ended)
            .filter(Column::Worker.eq(worker))
            .filter(Column::State.eq(JobState::Leased))
            .filter(Column::Kind.ne(JobKind::Human))
            .filter(Column::Until.gte(at))
            .exec(&change)
            .await?;
        if done.rows_affected > 0 {
            excuse_versions(&change, worker, at).await?;
        }
        change.commit().await?;
        Ok(done.rows_affected)
    }

    /// Puts a job back as if it had never been leased: for a worker that shuts down.
    pub async fn hand_back(&self, lease: &Lease) -> Result<LeaseState> {
        let change = self.begin_write().await?;
        let CheckedLease::Held(job) = find_job_of_lease(&change, lease).await? else {
            // Roll back at once: other workers skip a locked job.
            change.rollback().await?;
            return Ok(LeaseState::Lost);
        };
        requeue_job(
            &change,
            &job,
            ActiveModel {
                attempts: Set(job.attempts - 1),
                until: Set(None),
                ..Default::default()
            },
        )
        .await?;
        change.commit().await?;
        self.work_changed(&job);
        self.jobs_arrived();
        Ok(LeaseState::Held)
    }

    /// Gives a job up after an infrastructure error (not the bot's fault). It is tried again: a
    /// match at most [`ATTEMPTS`] times, a version [`EXAMINATIONS`] times.
    pub async fn give_up(&self, lease: &Lease, why: &str, at: Timestamp) -> Result<GiveUpOutcome> {
        let change = self.begin_write().await?;
        let CheckedLease::Held(job) = find_job_of_lease(&change, lease).await? else {
            change.rollback().await?;
            return Ok(GiveUpOutcome::Lost);
        };
        let next = NextAttempt::plan_next(&job, at);
        end_attempt(&change, &job, next, why, at).await?;
        change.commit().await?;
        self.work_changed(&job);
        self.jobs_arrived();
        Ok(if next == NextAttempt::Never {
            GiveUpOutcome::Over
        } else {
            GiveUpOutcome::Again
        })
    }

    /// Queues a job that is set aside again, as if it had never been tried.
    ///
    /// # Errors
    /// [`StoreError::Missing`] if there is no such job that is set aside.
    pub async fn retry_job(&self, id: JobId) -> Result<Job> {
        let change = self.begin_write().await?;
        let aside = Entity::find_by_id(id).filter(Column::State.eq(JobState::SetAside));
        let job = aside.lock_exclusive().one(&change).await?;
        let job = job.ok_or_else(|| StoreError::row_missing("job that is set aside", id))?;
        let anew = ActiveModel {
            attempts: Set(0),
            note: Set(None),
            until: Set(None),
            ..Default::default()
        };
        requeue_job(&change, &job, anew).await?;
        if let Some(version) = job.version_id {
            versions::forget_failure(&change, version).await?;
        }
        change.commit().await?;
        self.work_changed(&job);
        self.jobs_arrived();
        Ok(job)
    }

    fn work_changed(&self, job: &Job) {
        if let Some(version) = job.version_id {
            self.version_changed(version);
        }
    }
}
