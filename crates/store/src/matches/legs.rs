//! The legs of human matches, recorded while they are played, so that the match survives a restart
//! of the server.

use crate::database::prelude::*;
use crate::jobs::jobs;
use crate::tables::legs::{ActiveModel, Column, Entity};
use crate::{Lease, MatchId, MatchState, tables};

impl Store {
    /// Records a leg (from 0) as far as it was played, as the judge's JSON. False if the lease is
    /// lost.
    pub async fn record_leg(
        &self,
        lease: &Lease,
        id: MatchId,
        leg: usize,
        record: String,
    ) -> Result<bool> {
        let leg = i32::try_from(leg)
            .map_err(|_| StoreError::Refused(format!("there is no leg {leg}")))?;
        let change = self.begin_write().await?;
        let jobs::CheckedLease::Held(job) = jobs::find_job_of_lease(&change, lease).await? else {
            change.rollback().await?;
            return Ok(false);
        };
        if job.match_id != Some(id) {
            change.rollback().await?;
            return Ok(false);
        }
        let row = ActiveModel {
            match_id: Set(id),
            leg: Set(leg),
            record: Set(record),
        };
        let mut known = OnConflict::columns([Column::MatchId, Column::Leg]);
        known.update_column(Column::Record);
        insert_or(&change, row, known).await?;
        change.commit().await?;
        Ok(true)
    }

    /// The recorded legs of a match, in order.
    pub async fn recorded_legs(&self, id: MatchId) -> Result<Vec<String>> {
        let all = Entity::find()
            .filter(Column::MatchId.eq(id))
            .order_by_asc(Column::Leg);
        Ok(all
            .all(&self.readers)
            .await?
            .into_iter()
            .map(|leg| leg.record)
            .collect())
    }

    /// Deletes the recorded legs of matches that are over.
    pub async fn forget_recorded_legs(&self) -> Result<()> {
        let over = [
            MatchState::Finished,
            MatchState::Void,
            MatchState::Cancelled,
        ];
        let known = Entity::find()
            .select_only()
            .column(Column::MatchId)
            .distinct();
        let known: Vec<MatchId> = known.into_tuple().all(&self.readers).await?;
        if known.is_empty() {
            return Ok(());
        }
        let over = tables::matches::Column::State.is_in(over);
        let ended = tables::matches::Entity::find()
            .select_only()
            .column(tables::matches::Column::Id)
            .filter(over);
        let ended = ended.filter(tables::matches::Column::Id.is_in(known));
        let ended: Vec<MatchId> = ended.into_tuple().all(&self.readers).await?;
        if ended.is_empty() {
            return Ok(());
        }
        let change = self.begin_write().await?;
        delete_rows::<Entity>(&change, Column::MatchId.is_in(ended)).await?;
        Ok(change.commit().await?)
    }
}
