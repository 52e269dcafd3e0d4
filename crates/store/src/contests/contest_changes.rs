//! What organisers change in a contest that was published: its file, matches, stages.

use serde_json::json;

use crate::contests::contest_names;
use crate::contests::contest_packs::{self, ContestPack};
use crate::contests::contests::log_change;
use crate::database::prelude::*;
use crate::events::kinds::{self as events, ContestReopened, ContestUpdated, MatchTakenBack};
use crate::ladders::recount;
use crate::matches::matches;
use crate::tables::contests::{Column, Entity, lock_contest, played, stages};
use crate::{
    Audit, Contest, ContestActor, ContestId, ContestPrivacy, ContestState, FileName, Json, MatchId,
    MatchState, tables,
};

/// The most changes of a contest that are listed.
const LISTED: u64 = 200;

impl Store {
    /// Replaces the file of a contest. [`StoreError::Refused`] if the contest is no longer as the
    /// caller saw it: with this file, in this state, with so many stages begun. Names that the file
    /// had before mean whom they meant.
    pub async fn update_contest_file(
        &self,
        seen: &Contest,
        begun: usize,
        (file, privacy, names, packs): (String, ContestPrivacy, &[FileName], Vec<ContestPack>),
        detail: Json,
        by: ContestActor,
    ) -> Result<Contest> {
        let change = self.begin_write().await?;
        let contest = lock_contest(&change, seen.id).await?;
        let stages = stages_of(&change, seen.id).await?.len();
        if (contest.state, stages) != (seen.state, begun) || contest.file != seen.file {
            return Err(StoreError::Refused(format!(
                "contest {} went on meanwhile; look at it and try again",
                contest.name
            )));
        }
        let row = crate::tables::contests::ActiveModel {
            id: Set(contest.id),
            file: Set(file),
            private: Set(privacy.private),
            results_from: Set(privacy.results_from),
            ..Default::default()
        };
        let row = row.update(&change).await?;
        contest_names::note(&change, contest.id, names).await?;
        contest_packs::write(&change, &contest, packs, by.at).await?;
        let updated = ContestUpdated {
            contest: contest.id,
        };
        events::write(&change, updated, by.at);
        log_change(&change, &contest, by, "update", detail).await?;
        change.commit().await?;
        Ok(row)
    }

    /// Takes a match back, so that it is played again. A contest that had ended with it goes on.
    /// [`StoreError::Refused`] if a later stage stands on its result.
    pub async fn take_back_match(
        &self,
        id: ContestId,
        match_id: MatchId,
        why: String,
        by: ContestActor,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        let contest = lock_contest(&change, id).await?;
        let row = played::Entity::find_by_id(match_id).one(&change).await?;
        let row = row.filter(|row| row.contest == id);
        let row = row.ok_or_else(|| StoreError::row_missing("match of the contest", match_id))?;
        if row.taken_back.is_some() {
            return Err(StoreError::Refused(format!(
                "match {match_id} was taken back already"
            )));
        }
        check_last_stage(&change, &contest, row.stage).await?;
        let was = tables::matches::Entity::find_by_id(match_id)
            .one(&change)
            .await?;
        let was = was.and_then(|own| own.winner);
        take_back(&change, &[match_id], &why, by.at).await?;
        reopen(&change, &contest, by.at).await?;
        let detail = json!({"match": match_id, "was": was, "why": why});
        log_change(&change, &contest, by, "replay-match", detail).await?;
        change.commit().await?;
        self.jobs_arrived();
        Ok(())
    }

    /// Takes the last stage that has begun back, with all its matches: it begins anew, seeded from
    /// the standings before it. Returns how many matches no longer count.
    pub async fn take_back_stage(
        &self,
        id: ContestId,
        stage: i32,
        why: String,
        by: ContestActor,
    ) -> Result<usize> {
        let change = self.begin_write().await?;
        let contest = lock_contest(&change, id).await?;
        let begun = stages_of(&change, id).await?;
        if !begun.iter().any(|row| row.stage == stage) {
            return Err(StoreError::Refused(format!(
                "stage {} of contest {} has not begun",
                stage + 1,
                contest.name
            )));
        }
        check_last_stage(&change, &contest, stage).await?;
        let rows = played::Entity::find()
            .filter(played::Column::Contest.eq(id))
            .filter(played::Column::Stage.eq(stage))
            .filter(played::Column::TakenBack.is_null())
            .order_by_asc(played::Column::MatchId)
            .all(&change)
            .await?;
        let ids: Vec<MatchId> = rows.iter().map(|row| row.match_id).collect();
        take_back(&change, &ids, &why, by.at).await?;
        stages::Entity::delete_by_id((id, stage))
            .exec(&change)
            .await?;
        reopen(&change, &contest, by.at).await?;
        let detail = json!({"stage": stage + 1, "matches": ids.len(), "why": why});
        log_change(&change, &contest, by, "take-back-stage", detail).await?;
        change.commit().await?;
        Ok(ids.len())
    }

    /// What was changed in a contest, newest first, but for those who joined and left.
    pub async fn contest_changes(&self, contest: &Contest) -> Result<Vec<Audit>> {
        Ok(tables::audit_log::Entity::find()
            .filter(tables::audit_log::Column::Subject.eq(format!("contest {}", contest.name)))
            .filter(tables::audit_log::Column::Action.is_not_in(["contest.join", "contest.leave"]))
            .order_by_desc(tables::audit_log::Column::Id)
            .limit(LISTED)
            .all(&self.readers)
            .await?)
    }
}

async fn stages_of(change: &Change, id: ContestId) -> Result<Vec<stages::Model>> {
    Ok(stages::Entity::find()
        .filter(stages::Column::Contest.eq(id))
        .order_by_asc(stages::Column::Stage)
        .all(change)
        .await?)
}

/// A result can be taken back as long as no later stage was seeded from it, unless the contest was
/// annulled.
async fn check_last_stage(change: &Change, contest: &Contest, stage: i32) -> Result<()> {
    let name = &contest.name;
    if contest.state == ContestState::Annulled {
        return Err(StoreError::Refused(format!(
            "contest {name} is over already"
        )));
    }
    match stages_of(change, contest.id).await?.last() {
        Some(last) if last.stage > stage => Err(StoreError::Refused(format!(
            "stage {} of contest {name} was seeded from these results; take that stage back first",
            last.stage + 1
        ))),
        _ => Ok(()),
    }
}

/// Matches that have not ended are cancelled; none of them counts any more.
async fn take_back(change: &Change, ids: &[MatchId], why: &str, at: Timestamp) -> Result<()> {
    let finished = tables::matches::Entity::find()
        .filter(tables::matches::Column::Id.is_in(ids.iter().copied()))
        .filter(tables::matches::Column::State.eq(MatchState::Finished))
        .order_by_asc(tables::matches::Column::Id)
        .select_only()
        .column(tables::matches::Column::Id)
        .into_tuple::<MatchId>()
        .all(change)
        .await?;
    for id in finished {
        events::write(change, MatchTakenBack { id }, at);
    }
    for id in ids {
        matches::drop_within(change, *id, MatchState::Cancelled, why, at).await?;
        let row = played::ActiveModel {
            match_id: Set(*id),
            taken_back: Set(Some(at)),
            ..Default::default()
        };
        row.update(change).await?;
    }
    Ok(())
}

/// A finished contest runs again.
async fn reopen(change: &Change, contest: &Contest, at: Timestamp) -> Result<()> {
    if contest.state == ContestState::Finished {
        Entity::update_many()
            .col_expr(Column::State, Expr::value(ContestState::Running))
            .col_expr(Column::Ended, Expr::value(Option::<Timestamp>::None))
            .filter(Column::Id.eq(contest.id))
            .exec(change)
            .await?;
        events::write(
            change,
            ContestReopened {
                contest: contest.id,
            },
            at,
        );
        recount::forget_contest(change, contest.id).await?;
    }
    Ok(())
}
