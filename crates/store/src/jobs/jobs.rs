//! Jobs of workers, and their leases.
//!
//! Jobs are rows of this database and not messages of a queue, so that result, ratings and the end
//! of the job change in one transaction. A lease is a random token with an expiry. A result is only
//! accepted with the current token, so that it counts once.

use serde::{Deserialize, Serialize};

use crate::database::prelude::*;
use crate::jobs::job_turns::{JobFlow, next_turn};
use crate::tables::game_files::GameFileRow;
use crate::tables::jobs::{ActiveModel, Column, Entity, Job, JobKind, JobState};
use crate::{
    JobId, Match, MatchEntrant, MatchEntrantKind, MatchId, MatchKind, MatchState, Page, PageQuery,
    Version, VersionId, tables,
};

/// The right to do a job until the lease expires.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Lease {
    /// The job.
    pub job: JobId,
    /// A random token; its holder may do the job.
    pub token: String,
}

/// Whether a lease is still held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeaseState {
    /// It is held until the requested time.
    Held,
    /// Another worker holds the job, or the job was cancelled: stop.
    Lost,
}

impl Store {
    /// Extends a lease. An expired lease can still be renewed as long as no other worker has taken
    /// the job.
    pub async fn renew_lease(&self, lease: &Lease, until: Timestamp) -> Result<LeaseState> {
        let later = ActiveModel {
            until: Set(Some(until)),
            ..Default::default()
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

    /// Whether the lease is held, without changing it.
    pub async fn check_lease(&self, lease: &Lease) -> Result<LeaseState> {
        let job = Entity::find_by_id(lease.job).one(&self.readers).await?;
        let held = job
            .is_some_and(|job| matches!(CheckedLease::from_job(job, lease), CheckedLease::Held(_)));
        Ok(if held {
            LeaseState::Held
        } else {
            LeaseState::Lost
        })
    }

    /// A job; [`StoreError::Missing`] if there is none.
    pub async fn find_job(&self, id: JobId) -> Result<Job> {
        find_row::<Entity>(&self.readers, id, "job").await
    }

    /// The job that checks a version, if it has one.
    pub async fn job_of_version(&self, id: VersionId) -> Result<Option<Job>> {
        Ok(Entity::find()
            .filter(Column::VersionId.eq(id))
            .one(&self.readers)
            .await?)
    }

    /// The jobs that are set aside, oldest first.
    pub async fn list_set_aside(&self) -> Result<Vec<Job>> {
        let aside = Entity::find().filter(Column::State.eq(JobState::SetAside));
        Ok(aside.order_by_asc(Column::Id).all(&self.readers).await?)
    }

    /// Jobs that are queued, leased or set aside, newest first.
    pub async fn list_jobs(&self, ask: &PageQuery) -> Result<Page<Job>> {
        let states = [JobState::Queued, JobState::Leased, JobState::SetAside];
        let rows = Entity::find().filter(Column::State.is_in(states));
        self.page_of(rows, Column::Id, ask, |row| row.id.0).await
    }

    /// Human matches whose server died: leased, with an expired lease. A server that starts voids
    /// them.
    pub async fn stranded_people(&self, at: Timestamp) -> Result<Vec<MatchId>> {
        let ended = Entity::find().filter(Column::Kind.eq(JobKind::Human));
        let ended = ended
            .filter(Column::State.eq(JobState::Leased))
            .filter(Column::Until.lt(self.ended_before(at)));
        Ok(ended
            .all(&self.readers)
            .await?
            .into_iter()
            .filter_map(|job| job.match_id)
            .collect())
    }

    /// Human matches that were created before this time and not played yet, oldest first: a person
    /// is still awaited, or never came.
    pub async fn unplayed_people(&self, before: Timestamp) -> Result<Vec<MatchId>> {
        use tables::matches::Column::{Created, Id, Kind, State};
        let waiting = State.is_in([MatchState::Waiting, MatchState::Queued]);
        let theirs = tables::matches::Entity::find()
            .select_only()
            .column(Id)
            .filter(Kind.eq(MatchKind::Human));
        let late = theirs
            .filter(waiting)
            .filter(Created.lt(before))
            .order_by_asc(Id);
        Ok(late.into_tuple().all(&self.readers).await?)
    }
}

/// The job behind a lease, as the database knows it.
pub(crate) enum CheckedLease {
    /// The lease is held.
    Held(Box<Job>),
    /// The holder has finished the job.
    Done,
    /// Another worker holds the job, or it was cancelled.
    Lost,
}

impl CheckedLease {
    pub fn from_job(job: Job, lease: &Lease) -> CheckedLease {
        match job.state {
            _ if job.token.as_deref() != Some(&lease.token) => CheckedLease::Lost,
            JobState::Leased => CheckedLease::Held(Box::new(job)),
            JobState::Done => CheckedLease::Done,
            JobState::Queued | JobState::Dropped | JobState::SetAside => CheckedLease::Lost,
        }
    }
}

/// Finds the job behind a lease, and locks it until `change` ends.
pub(crate) async fn find_job_of_lease(change: &Change, lease: &Lease) -> Result<CheckedLease> {
    let job = Entity::find_by_id(lease.job)
        .lock_exclusive()
        .one(change)
        .await?;
    Ok(job.map_or(CheckedLease::Lost, |job| CheckedLease::from_job(job, lease)))
}

/// The job of a match, locked until `change` ends.
pub(crate) async fn of_match(change: &Change, id: MatchId) -> Result<Option<Job>> {
    Ok(Entity::find()
        .filter(Column::MatchId.eq(id))
        .lock_exclusive()
        .one(change)
        .await?)
}

/// The row of a job that plays a match.
pub(crate) fn match_job_row(made: &Match) -> (JobKind, ActiveModel) {
    let kind = match made.kind {
        MatchKind::Human => JobKind::Human,
        MatchKind::Exhibition => JobKind::Exhibition,
        MatchKind::Ladder | MatchKind::Friendly | MatchKind::Contest | MatchKind::Experiment => {
            JobKind::Match
        }
    };
    let uploaded =
        |entrant: &&MatchEntrant| entrant.kind == MatchEntrantKind::Bot && !entrant.built_in;
    let programs = [&made.a, &made.b]
        .into_iter()
        .flatten()
        .any(|entrant| uploaded(&entrant));
    let row = ActiveModel {
        game: Set(made.game.clone()),
        priority: Set(made.priority),
        programs: Set(programs),
        match_id: Set(Some(made.id)),
        wire: Set(match () {
            () if made.limits.get(BOOK_KEY).is_some() => BOOK_WIRE,
            () if needs_settings(made) => SETTINGS_WIRE,
            () => 0,
        }),
        ..Default::default()
    };
    (kind, row)
}

/// The version of the workers' messages that has settings of entrants, and these limits of matches.
/// Who speaks an older one plays without them, and such a replay is refused.
const SETTINGS_WIRE: i32 = 5;
const NEW_LIMITS: [&str; 3] = ["bank_ms", "grace_ms", "keeps"];

/// The version of the workers' messages that has matches from the position of a book.
const BOOK_WIRE: i32 = 7;
/// The key of a match's limits under which the hash of the book stands from which it starts.
pub const BOOK_KEY: &str = "book";

fn needs_settings(made: &Match) -> bool {
    let has =
        |entrant: &Option<MatchEntrant>| entrant.as_ref().is_some_and(|own| own.settings.is_some());
    has(&made.a) || has(&made.b) || NEW_LIMITS.iter().any(|key| made.limits.get(key).is_some())
}

/// The row of a job that builds and checks a version. It is urgent, because its author waits for
/// it.
pub(crate) fn version_job_row(version: &Version, game: String) -> (JobKind, ActiveModel) {
    let row = ActiveModel {
        game: Set(game),
        priority: Set(URGENT),
        programs: Set(true),
        version_id: Set(Some(version.id)),
        ..Default::default()
    };
    (JobKind::Version, row)
}

/// The version of the workers' messages that has checks of game files.
const GAME_FILE_WIRE: i32 = 8;

/// The row of a job that checks a game that a judge program leads.
pub(crate) fn game_file_job_row(file: &GameFileRow) -> (JobKind, ActiveModel) {
    let row = ActiveModel {
        game: Set(file.game.clone()),
        priority: Set(URGENT),
        programs: Set(true),
        game_file_id: Set(Some(file.id)),
        wire: Set(GAME_FILE_WIRE),
        ..Default::default()
    };
    (JobKind::Version, row)
}

/// The priority of checks.
const URGENT: i32 = 100;

/// Puts a job into the queue; `kind` is its kind.
pub(crate) async fn insert_job(
    change: &Change,
    (kind, job): (JobKind, ActiveModel),
    flow: &JobFlow,
    at: Timestamp,
) -> Result<()> {
    let turn = next_turn(change, kind, flow).await?;
    let job = ActiveModel {
        kind: Set(kind),
        flow: Set(Some(flow.key())),
        turn: Set(turn),
        served: Set(None),
        started: Set(None),
        id: NotSet,
        state: Set(JobState::Queued),
        attempts: Set(0),
        created: Set(at),
        trace: Set(leitai_telemetry::current_trace()),
        ..job
    };
    insert_row(change, job).await
}

/// Ends jobs. Their tokens stay, so that a worker that asks again learns that its result was
/// recorded. What was given up costs its flow no turn.
pub(crate) async fn end_job(change: &Change, ids: &[JobId], state: JobState) -> Result<()> {
    let flow = match state {
        JobState::Dropped => Set(None),
        _ => NotSet,
    };
    let new = ActiveModel {
        state: Set(state),
        until: Set(None),
        flow,
        ..Default::default()
    };
    let these = Entity::update_many()
        .set(new)
        .filter(Column::Id.is_in(ids.iter().copied()));
    these.exec(change).await?;
    Ok(())
}

/// These jobs in the order in which they are served.
pub(crate) fn by_turn(jobs: Select<Entity>) -> Select<Entity> {
    jobs.order_by_desc(Column::Priority)
        .order_by_asc(Column::Turn)
        .order_by_asc(Column::Id)
}
