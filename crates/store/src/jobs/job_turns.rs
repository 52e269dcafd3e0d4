//! Whose turn it is in the queue, and where a job stands in it.
//!
//! Accounts, ladders and contests take turns, whatever they have queued. Each queued job has a start
//! tag, [`Job::turn`], as in start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996): one round
//! after the job that was served last, or after the job before it of its own flow, whichever is
//! later. Jobs are served in the order of their tags, which is that of a round robin: of a flow that
//! has queued thousands at most one job is served before the oldest job of another flow, and who was
//! away has saved nothing up.

use std::time::Duration;

use sea_orm::sea_query::ExprTrait;

use crate::database::prelude::*;
use crate::tables::jobs::{Column, Entity, Job, JobKind, JobState};
use crate::{Bot, ContestId, LadderId, MatchId, UserId, VersionId, tables};

/// The distance between the tags of two jobs of a flow that has one job in each round.
const ROUND: i64 = 1000;
/// How many jobs a contest has in each round: its matches have dates to keep.
const CONTEST_SHARE: i64 = 4;
/// As many jobs tell how long one takes.
const RECENT: u64 = 20;

/// Jobs that share one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JobFlow {
    /// Of what a person asked for, in all games.
    Account(UserId),
    /// Of a ladder.
    Ladder(LadderId),
    /// Of a contest.
    Contest(ContestId),
    /// Of the arena itself, such as exhibitions and what an administrator has played again.
    Arena,
}

impl JobFlow {
    /// The flow of a bot's checks that nobody asked for by name: that of its author.
    pub(crate) fn of_bot(bot: &Bot) -> JobFlow {
        bot.owner.map_or(JobFlow::Arena, JobFlow::Account)
    }

    /// The flow of a match that nobody asked for.
    pub(crate) fn of_ladder(ladder: Option<&LadderId>) -> JobFlow {
        ladder.map_or(JobFlow::Arena, |ladder| JobFlow::Ladder(ladder.clone()))
    }

    /// The key in [`Job::flow`].
    pub(crate) fn key(&self) -> String {
        match self {
            JobFlow::Account(id) => format!("account:{id}"),
            JobFlow::Ladder(id) => format!("ladder:{id}"),
            JobFlow::Contest(id) => format!("contest:{id}"),
            JobFlow::Arena => "arena".to_owned(),
        }
    }

    fn step(&self) -> i64 {
        match self {
            JobFlow::Contest(_) => ROUND / CONTEST_SHARE,
            _ => ROUND,
        }
    }
}

/// The start tag of the next job of a flow.
pub(crate) async fn next_turn(change: &Change, kind: JobKind, flow: &JobFlow) -> Result<i64> {
    let now = largest(change, Column::Served, Column::Kind.eq(kind)).await?;
    let of_flow = Column::Kind.eq(kind).and(Column::Flow.eq(flow.key()));
    let own = largest(change, Column::Turn, of_flow).await?;
    let last: i64 = now.into_iter().chain(own).max().unwrap_or(0);
    Ok(last.saturating_add(flow.step()))
}

async fn largest(change: &Change, column: Column, which: Expr) -> Result<Option<i64>> {
    let largest = Entity::find()
        .select_only()
        .column_as(column.max(), "largest")
        .filter(which);
    let found = largest.into_tuple::<Option<i64>>().one(change).await?;
    Ok(found.flatten())
}

/// Where a queued job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuePlace {
    /// How many jobs of its kind are before it.
    pub ahead: u64,
    /// How many jobs of its kind are being done.
    pub running: u64,
    /// How long the last jobs of its kind and game took on average; `None`: there was none.
    pub typical: Option<Duration>,
}

impl Store {
    /// The job that plays a match, if it has one.
    pub async fn job_of_match(&self, id: MatchId) -> Result<Option<Job>> {
        let own = Entity::find().filter(Column::MatchId.eq(id));
        Ok(own.one(&self.readers).await?)
    }

    /// Where this queued job stands.
    pub async fn place_in_queue(&self, job: &Job) -> Result<QueuePlace> {
        let of_kind = || Entity::find().filter(Column::Kind.eq(job.kind));
        let before = Column::Turn
            .lt(job.turn)
            .or(Column::Turn.eq(job.turn).and(Column::Id.lt(job.id)));
        let before = Condition::any()
            .add(Column::Priority.gt(job.priority))
            .add(Column::Priority.eq(job.priority).and(before));
        let ahead = of_kind()
            .filter(Column::State.eq(JobState::Queued))
            .filter(Column::Until.is_null())
            .filter(before);
        let running = of_kind().filter(Column::State.eq(JobState::Leased));
        Ok(QueuePlace {
            ahead: ahead.count(&self.readers).await?,
            running: running.count(&self.readers).await?,
            typical: self.typical_time(job.kind, &job.game).await?,
        })
    }

    /// How long the last jobs of this kind and game took on average.
    async fn typical_time(&self, kind: JobKind, game: &str) -> Result<Option<Duration>> {
        let recent = Entity::find()
            .filter(Column::Kind.eq(kind))
            .filter(Column::Game.eq(game))
            .filter(Column::State.eq(JobState::Done))
            .order_by_desc(Column::Served)
            .limit(RECENT);
        let recent = recent.all(&self.readers).await?;
        let matches: Vec<MatchId> = recent.iter().filter_map(|job| job.match_id).collect();
        let versions: Vec<VersionId> = recent.iter().filter_map(|job| job.version_id).collect();
        let matches = tables::matches::Entity::find()
            .select_only()
            .column(tables::matches::Column::Id)
            .column(tables::matches::Column::Finished)
            .filter(tables::matches::Column::Id.is_in(matches));
        let matches: Vec<(i64, Option<Timestamp>)> =
            matches.into_tuple().all(&self.readers).await?;
        let versions = tables::versions::Entity::find()
            .select_only()
            .column(tables::versions::Column::Id)
            .column(tables::versions::Column::Finished)
            .filter(tables::versions::Column::Id.is_in(versions));
        let versions: Vec<(i64, Option<Timestamp>)> =
            versions.into_tuple().all(&self.readers).await?;
        let end = |rows: &[(i64, Option<Timestamp>)], id: i64| {
            rows.iter().find(|row| row.0 == id).and_then(|row| row.1)
        };
        let took = |job: &Job| {
            let of_match = job.match_id.and_then(|id| end(&matches, id.0));
            let ended = of_match.or(job.version_id.and_then(|id| end(&versions, id.0)))?;
            Some(ended.since(job.started?))
        };
        let took: Vec<Duration> = recent.iter().filter_map(took).collect();
        let count = u32::try_from(took.len()).unwrap_or(u32::MAX);
        Ok(took.iter().sum::<Duration>().checked_div(count))
    }
}
