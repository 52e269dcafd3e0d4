//! What workers do, under leases.
//!
//! A job is a row of ours, not of a queue's: result, ratings and the end of the job are one transaction. A lease is a
//! random token and a moment; a result is only taken from whoever holds the living token, so that it counts once.

use std::time::Duration;

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{Ask, Bot, JobId, Match, MatchId, Page, Store, StoreError, Timestamp, Version, VersionId};

/// How often a job is tried; then its match is void, or its version failed by our fault.
pub const ATTEMPTS: i32 = 3;

/// What there is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::None)", rename_all = "lowercase")]
pub enum JobKind {
    /// A match between programs.
    Match,
    /// A match for whoever watches, paced for people: it must not take the place of another.
    Show,
    /// A match with people: only the server itself takes it ([`Store::acquire_match`]).
    People,
    /// Building and checking a version.
    Version,
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::None)", rename_all = "lowercase")]
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
    /// When the lease ends.
    pub until: Option<Timestamp>,
    /// What went wrong last, for the administrator.
    pub note: Option<String>,
}

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
pub struct Offer {
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
pub struct Acquired {
    /// The right to do it.
    pub lease: Lease,
    /// When the lease ends unless it is renewed.
    pub until: Timestamp,
    /// 1 for the first attempt.
    pub attempt: i32,
    /// What there is to do.
    pub work: Work,
}

/// What there is to do, as it is once it was taken.
#[derive(Clone, Debug)]
pub enum Work {
    /// Play it; it is running.
    Match(Box<Match>),
    /// Build and check it; it is building.
    Version(Box<(Version, Bot)>),
}

/// Whether a lease lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Holding {
    /// Until the moment asked for.
    Held,
    /// Somebody else has the job, or nobody wants it any more: stop.
    Lost,
}

/// What became of a job that a worker could not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GaveUp {
    /// It is in the queue again.
    Again,
    /// It was tried often enough: the match is void, the version failed by our fault.
    Over,
    /// The lease was lost already.
    Lost,
}

impl Store {
    /// Takes the most urgent job that the worker can do, and starts it: its match is running, its version building. A
    /// job whose lease has ended is in the queue again, unless it was tried [`ATTEMPTS`] times. No two workers get one job.
    pub async fn acquire(
        &self,
        offer: &Offer,
        at: Timestamp,
        lease: Duration,
    ) -> Result<Option<Acquired>, StoreError> {
        let _ = (offer, at, lease);
        todo!()
    }

    /// Takes the job of one match, which must be queued; nothing if somebody has it or it is over.
    pub async fn acquire_match(
        &self,
        id: MatchId,
        worker: &str,
        at: Timestamp,
        lease: Duration,
    ) -> Result<Option<Acquired>, StoreError> {
        let _ = (id, worker, at, lease);
        todo!()
    }

    /// Holds a job longer. An ended lease can still be renewed as long as nobody else has taken the job.
    pub async fn renew(&self, lease: &Lease, until: Timestamp) -> Result<Holding, StoreError> {
        let _ = (lease, until);
        todo!()
    }

    /// Whether the lease lives, without changing it.
    pub async fn holds(&self, lease: &Lease) -> Result<Holding, StoreError> {
        let _ = lease;
        todo!()
    }

    /// Puts a job back as if it had never been taken: a worker stops in good order.
    pub async fn hand_back(&self, lease: &Lease) -> Result<Holding, StoreError> {
        let _ = lease;
        todo!()
    }

    /// We failed (not the bot). The job is tried again, at most [`ATTEMPTS`] times.
    pub async fn give_up(&self, lease: &Lease, why: &str, at: Timestamp) -> Result<GaveUp, StoreError> {
        let _ = (lease, why, at);
        todo!()
    }

    /// A job; [`StoreError::Missing`] if there is none.
    pub async fn job(&self, id: JobId) -> Result<Job, StoreError> {
        let _ = id;
        todo!()
    }

    /// What is queued or leased, newest first.
    pub async fn queue(&self, ask: &Ask) -> Result<Page<Job>, StoreError> {
        let _ = ask;
        todo!()
    }

    /// Matches with people whose server died: queued or leased, with a lease that has ended. Whoever starts a server voids them.
    pub async fn stranded_people(&self, at: Timestamp) -> Result<Vec<MatchId>, StoreError> {
        let _ = at;
        todo!()
    }
}
