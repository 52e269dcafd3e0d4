//! What a worker reports about a version that it builds and checks.

use crate::bots::versions::{LEFT_OUT, VersionOutcome, ended_row, update_version};
use crate::database::prelude::*;
use crate::events::kinds::{self as events, VersionChecked};
use crate::experiments::{lanes, situations};
use crate::jobs::jobs;
use crate::tables::versions::{ActiveModel, Entity, Version, VersionState};
use crate::{Job, JobState, Json, Lease, RecordOutcome, tables};

/// The longest build log, in bytes.
pub const LONGEST_LOG: usize = 256 * 1024;

fn append_log(log: &str, text: &str) -> String {
    let room = LONGEST_LOG.saturating_sub(log.len() + LEFT_OUT.len());
    // PostgreSQL cannot store NUL in a text.
    let text = text.replace('\0', "\u{fffd}");
    match () {
        () if log.ends_with(LEFT_OUT) => log.to_owned(),
        () if text.len() <= room => format!("{log}{text}"),
        () => format!("{log}{}{LEFT_OUT}", &text[..text.floor_char_boundary(room)]),
    }
}

async fn of_job(place: &impl ConnectionTrait, job: &Job) -> Result<Option<Version>> {
    match job.version_id {
        Some(id) => Ok(Entity::find_by_id(id).one(place).await?),
        None => Ok(None),
    }
}

impl Store {
    /// Appends output of the build. False if the lease is lost. Output beyond the limit is left
    /// out, with a line that says so.
    pub async fn append_log(&self, lease: &Lease, text: &str) -> Result<bool> {
        self.while_held(lease, |version| {
            let log = append_log(&version.log, text);
            ActiveModel {
                log: Set(log),
                ..Default::default()
            }
        })
        .await
    }

    /// Appends a finding of the check; the first one moves the version from building to checking.
    /// False if the lease is lost.
    pub async fn append_step(&self, lease: &Lease, step: Json) -> Result<bool> {
        self.while_held(lease, |version| {
            let mut steps = version.steps.as_array().cloned().unwrap_or_default();
            steps.push(step);
            let steps = Set(Json::Array(steps));
            ActiveModel {
                state: Set(VersionState::Checking),
                steps,
                ..Default::default()
            }
        })
        .await
    }

    /// Moves a version from building to checking. False if the lease is lost.
    pub async fn begin_checks(&self, lease: &Lease) -> Result<bool> {
        let checking = |_: &Version| ActiveModel {
            state: Set(VersionState::Checking),
            ..Default::default()
        };
        self.while_held(lease, checking).await
    }

    /// Records the result of build and check: state, job and, where requested, activation, in one
    /// transaction, once.
    pub async fn finish_version(
        &self,
        lease: &Lease,
        mut outcome: VersionOutcome,
        at: Timestamp,
    ) -> Result<RecordOutcome> {
        let answered = situations::take_answers(outcome.report_mut());
        let change = self.begin_write().await?;
        let job = match RecordOutcome::of_lease(jobs::find_job_of_lease(&change, lease).await?) {
            Ok(job) => job,
            Err(outcome) => return Ok(outcome),
        };
        let Some(version) = of_job(&change, &job).await? else {
            return Ok(RecordOutcome::Lost);
        };
        let ready = matches!(outcome, VersionOutcome::Ready { .. });
        update_version(&change, version.id, ended_row(outcome, at)).await?;
        situations::keep_answers(&change, version.id, &answered).await?;
        jobs::end_job(&change, &[job.id], JobState::Done).await?;
        let ended = Version {
            state: match ready {
                true => VersionState::Ready,
                false => VersionState::Failed,
            },
            ..version.clone()
        };
        events::write(&change, VersionChecked::of(&ended), at);
        if ready && version.activates {
            let bot = find_row::<tables::bots::Entity>(&change, version.bot, "bot").await?;
            if bot.active == Some(version.id) {
                // It was checked once more; the program is the same.
                crate::standings::standings::end_rest(&change, &bot).await?;
            } else {
                lanes::admit_version(&change, &bot, &version, at).await?;
            }
        }
        change.commit().await?;
        self.version_changed(version.id);
        Ok(RecordOutcome::Recorded { change: None })
    }

    /// Changes the version of a job, if the lease is held.
    async fn while_held(
        &self,
        lease: &Lease,
        new: impl FnOnce(&Version) -> ActiveModel,
    ) -> Result<bool> {
        let change = self.begin_write().await?;
        let jobs::CheckedLease::Held(job) = jobs::find_job_of_lease(&change, lease).await? else {
            change.rollback().await?;
            return Ok(false);
        };
        let Some(version) = of_job(&change, &job).await? else {
            return Ok(false);
        };
        update_version(&change, version.id, new(&version)).await?;
        change.commit().await?;
        self.version_changed(version.id);
        Ok(true)
    }
}
