//! What a worker reports of a game file that it checked.

use crate::database::prelude::*;
use crate::game_files::game_files::{GameCheckEnd, end_check};
use crate::jobs::jobs::{end_job, find_job_of_lease};
use crate::{JobState, Lease, RecordOutcome};

impl Store {
    /// Records how a worker's check of a game file ended, once.
    pub async fn finish_game_check(
        &self,
        lease: &Lease,
        end: GameCheckEnd,
        at: Timestamp,
    ) -> Result<RecordOutcome> {
        let change = self.begin_write().await?;
        let job = match RecordOutcome::of_lease(find_job_of_lease(&change, lease).await?) {
            Ok(job) => job,
            Err(outcome) => return Ok(outcome),
        };
        let Some(id) = job.game_file_id else {
            return Ok(RecordOutcome::Lost);
        };
        end_check(&change, id, end, at).await?;
        end_job(&change, &[job.id], JobState::Done).await?;
        change.commit().await?;
        Ok(RecordOutcome::Recorded { change: None })
    }
}
