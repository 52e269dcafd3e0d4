//! Workers.

use std::time::Duration;

use sea_orm::sea_query::ExprTrait;
use serde::{Deserialize, Serialize};

use crate::database::prelude::*;
use crate::tables::workers::{ActiveModel, Column, Entity, Worker};

/// A worker that has not reported for this time is gone: its leases have expired.
const ALIVE: Duration = Duration::from_secs(30);

/// The report of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerReport {
    /// Its name.
    pub name: String,
    /// Its version of Leitai.
    pub version: String,
    /// The isolation of programs that it offers.
    pub isolation: String,
    /// Its slots: jobs at a time.
    pub slots: i32,
    /// Slots in use.
    pub busy: i32,
    /// Whether it is connected over HTTP.
    pub remote: bool,
    /// Slots that are reserved for exhibitions.
    #[serde(default)]
    pub exhibitions: i32,
}

impl Worker {
    /// Slots for ladder and friendly matches.
    pub fn match_slots(&self) -> u64 {
        u64::try_from(self.slots.saturating_sub(self.exhibitions)).unwrap_or_default()
    }

    /// Versions that it checks at a time, if it runs uploaded programs.
    pub fn check_slots(&self) -> u64 {
        checks_beside(self.match_slots())
    }

    /// Whether it runs uploaded programs.
    pub fn runs_programs(&self) -> bool {
        self.isolation != NO_PROGRAMS
    }
}

/// How many versions a worker checks at a time, beside so many matches: one, and on larger machines one
/// for every four matches, so that the uploads of a class do not wait for one another while other cores
/// have nothing to do.
pub fn checks_beside(matches: u64) -> u64 {
    Ord::max(matches / 4, 1)
}

/// The reported isolation of a worker that runs no uploaded programs.
pub const NO_PROGRAMS: &str = "refused";

impl Store {
    /// Records the report of a worker.
    pub async fn record_heartbeat(&self, report: WorkerReport, at: Timestamp) -> Result<()> {
        let row = ActiveModel {
            name: Set(report.name),
            version: Set(report.version),
            isolation: Set(report.isolation),
            slots: Set(report.slots),
            busy: Set(report.busy),
            remote: Set(report.remote),
            created: Set(at),
            seen: Set(at),
            exhibitions: Set(report.exhibitions),
            refused: Set(0),
        };
        let updated = [
            Column::Version,
            Column::Isolation,
            Column::Slots,
            Column::Busy,
            Column::Remote,
            Column::Seen,
            Column::Exhibitions,
        ];
        let known = OnConflict::column(Column::Name)
            .update_columns(updated)
            .to_owned();
        let change = self.begin_write().await?;
        insert_or(&change, row, known).await?;
        Ok(change.commit().await?)
    }

    /// Counts a refused result of a worker.
    pub async fn count_refusal(&self, worker: &str) -> Result<()> {
        let change = self.begin_write().await?;
        let more = Expr::col(Column::Refused).add(1);
        let one = Entity::update_many().col_expr(Column::Refused, more);
        one.filter(Column::Name.eq(worker)).exec(&change).await?;
        Ok(change.commit().await?)
    }

    /// The workers that reported within the 30 seconds before this time, by name (at most 1,000).
    pub async fn living_workers(&self, now: Timestamp) -> Result<Vec<Worker>> {
        self.list_workers(now.before(ALIVE)).await
    }

    /// The workers that reported since this time, by name (at most 1,000).
    pub async fn list_workers(&self, since: Timestamp) -> Result<Vec<Worker>> {
        let living = Entity::find()
            .filter(Column::Seen.gte(since))
            .order_by_asc(Column::Name);
        Ok(living.limit(1000).all(&self.readers).await?)
    }
}
