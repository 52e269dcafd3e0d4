//! Checks of games that a judge program leads: jobs of workers that run programs.

use std::time::Duration;

use crate::database::prelude::*;
use crate::jobs::job_turns::JobFlow;
use crate::jobs::jobs::{game_file_job_row, insert_job};
use crate::tables::game_files::{self, GameFileRow, GameFileState};
use crate::tables::jobs::{Column, Entity, Job};

impl Store {
    /// The job that checks a game file, if it has one.
    pub async fn job_of_game_file(&self, id: i64) -> Result<Option<Job>> {
        let own = Entity::find().filter(Column::GameFileId.eq(id));
        Ok(own.one(&self.readers).await?)
    }

    /// Leaves a check that was taken to a worker: queues its job unless that is there, and looks again
    /// after this time. The attempt does not count.
    pub async fn leave_game_check(
        &self,
        file: &GameFileRow,
        pause: Duration,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        let row = game_files::Entity::find_by_id(file.id).lock_exclusive();
        let row = row.one(&change).await?;
        let Some(row) = row.filter(|row| row.state == GameFileState::Checking) else {
            return Ok(());
        };
        let own = Entity::find().filter(Column::GameFileId.eq(row.id));
        if own.one(&change).await?.is_none() {
            let flow = row.brought_by.map_or(JobFlow::Arena, JobFlow::Account);
            insert_job(&change, game_file_job_row(&row), &flow, at).await?;
        }
        let attempts = row.check_attempts - 1;
        let mut waits = row.into_active_model();
        waits.check_attempts = Set(attempts);
        waits.checked_until = Set(Some(at.after(pause)));
        waits.update(&change).await?;
        change.commit().await?;
        self.jobs_arrived();
        Ok(())
    }
}

/// Takes the job of a file away whose check ended otherwise; a file that is checked once more gets a
/// new one.
pub(crate) async fn forget(change: &Change, file: i64) -> Result<()> {
    let own = Entity::delete_many().filter(Column::GameFileId.eq(file));
    own.exec(change).await?;
    Ok(())
}
