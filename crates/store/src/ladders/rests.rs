//! Bots that fail again and again on a ladder rest: they leave it until a check passes.
//!
//! A rated match counts as failed if the bot made a fault in it and did not win. Another result ends
//! the row. The counters are columns of the ladder, because every result locks and writes that row.

use std::sync::atomic::{AtomicI64, Ordering};

use serde_json::json;

use crate::bots::{living, versions};
use crate::database::audit_log;
use crate::database::prelude::*;
use crate::jobs::job_turns::{JobFlow, next_turn};
use crate::jobs::jobs;
use crate::{
    AuditedAction, Bot, BotId, Job, JobState, Match, MatchEntrant, MatchResult, MatchWinner,
    PerSide, Standing, UserId, Version, VersionState, tables,
};

/// After how many failed matches in a row a bot rests; 0: never.
#[derive(Debug, Default)]
pub(crate) struct RestRule(AtomicI64);

impl RestRule {
    pub fn set(&self, failures: i64) {
        self.0.store(failures, Ordering::Relaxed);
    }

    /// Counts a result, and lets bots rest that have failed too often. Built-in bots never rest.
    pub fn apply(
        &self,
        found: &Match,
        result: &MatchResult,
        sides: &mut PerSide<Standing>,
        at: Timestamp,
    ) {
        let most = self.0.load(Ordering::Relaxed);
        let uploaded = |entrant: &Option<MatchEntrant>| {
            entrant.as_ref().is_some_and(|entrant| !entrant.built_in)
        };
        let rows = [
            (
                &mut sides.a,
                &found.a,
                result.fault_counts.a,
                MatchWinner::A,
            ),
            (
                &mut sides.b,
                &found.b,
                result.fault_counts.b,
                MatchWinner::B,
            ),
        ];
        for (standing, entrant, faults, wins) in rows {
            let failed = faults > 0 && result.winner != wins;
            standing.failing = if failed { standing.failing + 1 } else { 0 };
            let rests = most > 0 && standing.failing >= most && uploaded(entrant);
            if rests && standing.rests.is_none() {
                standing.rests = Some(at);
                standing.rest_match = Some(found.id);
                standing.listed = false;
                tracing::info!(bot = standing.bot.0, "a bot rests: it failed too often");
            }
        }
    }
}

impl Store {
    /// Sets after how many failed rated matches in a row a bot rests; 0: never, which holds until
    /// this is called.
    pub fn set_rest_after(&self, failures: u32) {
        self.part::<RestRule>().set(i64::from(failures));
    }

    /// Checks the active version of a resting bot once more; if it passes, the bot plays again.
    /// [`StoreError::Refused`] if the bot does not rest, or is being checked.
    pub async fn recheck_bot(
        &self,
        id: BotId,
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<Version> {
        let change = self.begin_write().await?;
        let bot =
            living::require_living(tables::bots::Entity::find_by_id(id).one(&change).await?, id)?;
        let resting = tables::ladder::Entity::find()
            .filter(tables::ladder::Column::Bot.eq(id))
            .filter(tables::ladder::Column::Rests.is_not_null());
        let rests = resting.count(&change).await? > 0;
        let Some(active) = bot.active.filter(|_| rests) else {
            return Err(StoreError::Refused(format!(
                "{} does not rest; it needs no check",
                bot.name
            )));
        };
        let version = match requeue_check(&change, &bot, active, true, at).await {
            Ok(version) => version,
            Err(refused) => {
                // A worker that asks for the job at once would pass over it while it is locked.
                change.rollback().await?;
                return Err(refused);
            }
        };
        let subject = format!("bot {id} ({})", bot.name);
        let action =
            AuditedAction::new(by, "bot.check", subject, json!({"version": version.number}));
        audit_log::write(&change, action, at).await?;
        change.commit().await?;
        self.jobs_arrived();
        self.version_changed(active);
        self.find_version(active).await
    }
}

/// Puts the job that checks a version into the queue again; afterwards it plays, or, if it does not
/// activate, nothing changes. Lock order: jobs before the rest.
pub(crate) async fn requeue_check(
    change: &Change,
    bot: &Bot,
    active: crate::VersionId,
    activates: bool,
    at: Timestamp,
) -> Result<Version> {
    let job = tables::jobs::Entity::find()
        .filter(tables::jobs::Column::VersionId.eq(active))
        .lock_exclusive()
        .one(change)
        .await?;
    let version = versions::find_living(change, active).await?;
    if !matches!(version.state, VersionState::Ready | VersionState::Failed) {
        return Err(StoreError::Refused(format!(
            "version {} of {} is being checked already; wait for the result",
            version.number, bot.name
        )));
    }
    let flow = JobFlow::of_bot(bot);
    match job {
        Some(job) => queue_again(change, job, &flow, at).await?,
        None => {
            let row = jobs::version_job_row(&version, bot.game.clone());
            jobs::insert_job(change, row, &flow, at).await?;
        }
    }
    let waiting = tables::versions::ActiveModel {
        state: Set(VersionState::Queued),
        activates: Set(activates),
        finished: Set(None),
        failure: Set(None),
        ..Default::default()
    };
    versions::update_version(change, active, waiting).await?;
    Ok(version)
}

async fn queue_again(change: &Change, job: Job, flow: &JobFlow, at: Timestamp) -> Result<()> {
    let turn = next_turn(change, job.kind, flow).await?;
    let mut row: tables::jobs::ActiveModel = job.into();
    row.state = Set(JobState::Queued);
    row.flow = Set(Some(flow.key()));
    row.turn = Set(turn);
    row.attempts = Set(0);
    row.created = Set(at);
    row.worker = Set(None);
    row.token = Set(None);
    row.until = Set(None);
    row.note = Set(None);
    row.update(change).await?;
    Ok(())
}
