//! Row counts for metrics and the status page.

use std::collections::BTreeMap;

use crate::database::prelude::*;
use crate::{JobState, tables};

/// Row counts of the whole arena.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Accounts.
    pub users: u64,
    /// Bots, including built-in ones.
    pub bots: u64,
    /// Uploads.
    pub versions: u64,
    /// Matches by state (`queued`, `running`, …).
    pub matches: BTreeMap<String, u64>,
    /// Queued jobs by kind.
    pub queued: BTreeMap<String, u64>,
    /// Leased jobs by kind.
    pub leased: BTreeMap<String, u64>,
    /// Jobs that wait for an operator, by kind.
    pub set_aside: BTreeMap<String, u64>,
}

impl Store {
    /// Counts all rows; takes some milliseconds with a million matches.
    pub async fn count_all(&self) -> Result<Counts> {
        let versions =
            tables::versions::Entity::find().filter(tables::versions::Column::Deleted.is_null());
        let versions = versions.count(&self.readers).await?;
        let state = tables::matches::Column::State;
        let matches = tables::matches::Entity::find()
            .select_only()
            .column(state)
            .column_as(state.count(), "count");
        Ok(Counts {
            users: tables::users::Entity::find().count(&self.readers).await?,
            bots: tables::bots::Entity::find()
                .filter(tables::bots::Column::Deleted.is_null())
                .count(&self.readers)
                .await?,
            versions,
            matches: count_by_state(
                matches
                    .group_by(state)
                    .into_tuple()
                    .all(&self.readers)
                    .await?,
            ),
            queued: self.jobs_by_kind(JobState::Queued).await?,
            leased: self.jobs_by_kind(JobState::Leased).await?,
            set_aside: self.jobs_by_kind(JobState::SetAside).await?,
        })
    }

    /// The number of queued jobs; cheap enough for every page.
    pub async fn queue_depth(&self) -> Result<u64> {
        let queued =
            tables::jobs::Entity::find().filter(tables::jobs::Column::State.eq(JobState::Queued));
        Ok(queued.count(&self.readers).await?)
    }

    async fn jobs_by_kind(&self, state: JobState) -> Result<BTreeMap<String, u64>> {
        let kind = tables::jobs::Column::Kind;
        let jobs = tables::jobs::Entity::find()
            .select_only()
            .column(kind)
            .column_as(kind.count(), "count");
        let of_state = jobs
            .filter(tables::jobs::Column::State.eq(state))
            .group_by(kind);
        Ok(count_by_state(
            of_state.into_tuple().all(&self.readers).await?,
        ))
    }
}

fn count_by_state(rows: Vec<(String, i64)>) -> BTreeMap<String, u64> {
    rows.into_iter()
        .map(|(what, count)| (what, count.unsigned_abs()))
        .collect()
}
