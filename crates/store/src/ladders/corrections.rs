//! Corrections: results that an administrator changed.
//!
//! A correction changes the winner of a finished match, or withdraws its result: then the match is
//! void, and a ladder match can be played again so that it counts. The previous result stays in a
//! row of its own. All ratings, their history and the rating changes of later matches are computed
//! again from the corrected match on, in the same transaction.

use std::collections::HashMap;

use serde_json::json;

use crate::database::audit_log;
use crate::database::prelude::*;
use crate::events::kinds::{self as events, MatchCorrected};
use crate::ladders::{distinct_games, rebuild};
use crate::matches::matches;
use crate::tables::corrections::{ActiveModel, Column, Correction, Entity};
use crate::{AuditedAction, Match, MatchId, MatchKind, MatchState, MatchWinner, UserId, tables};

/// A correction to be applied.
#[derive(Clone, Debug)]
pub struct NewCorrection {
    /// The new winner. `None` withdraws the result: the match becomes void and counts for nobody.
    pub winner: Option<MatchWinner>,
    /// The reason, which is public: 1 to [`WHY`] characters.
    pub why: String,
    /// The administrator; `None` for the command line.
    pub user: Option<UserId>,
}

/// The longest reason of a correction, in characters.
pub const WHY: usize = 500;

impl Store {
    /// Corrects the result of a finished match. Match, correction, ratings and audit log change in
    /// one transaction. [`StoreError::Refused`] if the match has no result, already has this
    /// result, or was played again for the ladder.
    pub async fn correct_match(
        &self,
        id: MatchId,
        new: NewCorrection,
        at: Timestamp,
    ) -> Result<Match> {
        check_why(&new.why)?;
        // Lock order: the ladder before the match, as when results are recorded.
        let ladder = self.match_by_id(id).await?.ladder;
        let change = self.begin_write().await?;
        if let Some(ladder) = &ladder {
            rebuild::lock(&change, ladder).await?;
        }
        let found = lock_row::<tables::matches::Entity>(&change, id, "match").await?;
        check_correction(&change, &found, &new).await?;
        matches::update_match(&change, id, corrected_row(&new)).await?;
        if new.winner.is_none() {
            distinct_games::forget_match(&change, id).await?;
        }
        if let (Some(ladder), Some(turn)) = (&ladder, found.turn) {
            rebuild::rebuild_from(&change, ladder, turn).await?;
        }
        let action = audit_entry(&found, &new);
        ActiveModel {
            id: NotSet,
            match_id: Set(id),
            at: Set(at),
            user: Set(new.user),
            before: Set(found.winner),
            reason_before: Set(found.reason.clone()),
            after: Set(new.winner),
            why: Set(new.why),
        }
        .insert(&change)
        .await?;
        audit_log::write(&change, action, at).await?;
        events::write(&change, MatchCorrected { id }, at);
        change.commit().await?;
        self.match_by_id(id).await
    }

    /// When each of these matches was corrected last, where it was.
    pub async fn last_corrections(&self, ids: &[MatchId]) -> Result<HashMap<MatchId, Timestamp>> {
        let all = Entity::find()
            .filter(Column::MatchId.is_in(ids.iter().copied()))
            .order_by_asc(Column::Id);
        let all = all.all(&self.readers).await?.into_iter();
        Ok(all.map(|one| (one.match_id, one.at)).collect())
    }

    /// The corrections of a match, oldest first.
    pub async fn list_corrections(&self, id: MatchId) -> Result<Vec<Correction>> {
        let all = Entity::find()
            .filter(Column::MatchId.eq(id))
            .order_by_asc(Column::Id);
        Ok(all.all(&self.readers).await?)
    }
}

fn check_why(why: &str) -> Result<()> {
    let length = why.chars().count();
    if (1..=WHY).contains(&length) && !why.trim().is_empty() && !why.contains(char::is_control) {
        return Ok(());
    }
    Err(StoreError::Refused(format!(
        "a correction needs a reason of 1 to {WHY} characters in one line; this one has {length}"
    )))
}

async fn check_correction(change: &Change, found: &Match, new: &NewCorrection) -> Result<()> {
    let id = found.id;
    let refused = |why: String| Err(StoreError::Refused(why));
    let was_played = found.state == MatchState::Finished
        || (found.state == MatchState::Void && found.scores.is_some());
    if !was_played {
        return refused(format!(
            "match {id} has no result to correct; play it again instead"
        ));
    }
    if found.winner == new.winner {
        return refused(format!("match {id} has this result already"));
    }
    let withdrawn = found.state == MatchState::Void;
    if withdrawn && played_again(change, id).await? {
        return refused(format!(
            "match {id} was withdrawn and is played again for the ladder; correct the new match instead"
        ));
    }
    Ok(())
}

/// Whether a rerun of this match counts in its place.
async fn played_again(change: &Change, id: MatchId) -> Result<bool> {
    use tables::matches::Column;
    let again = tables::matches::Entity::find()
        .filter(Column::AgainOf.eq(id))
        .filter(Column::Kind.eq(MatchKind::Ladder));
    let gone = [MatchState::Void, MatchState::Cancelled];
    Ok(again
        .filter(Column::State.is_not_in(gone))
        .count(change)
        .await?
        > 0)
}

fn corrected_row(new: &NewCorrection) -> tables::matches::ActiveModel {
    let reason = json!({
        "id": "corrected",
        "en": format!("corrected by an administrator: {}", new.why),
    });
    let kept = tables::matches::ActiveModel {
        reason: Set(Some(reason)),
        ..Default::default()
    };
    match new.winner {
        Some(winner) => tables::matches::ActiveModel {
            state: Set(MatchState::Finished),
            winner: Set(Some(winner)),
            note: Set(None),
            ..kept
        },
        None => tables::matches::ActiveModel {
            state: Set(MatchState::Void),
            winner: Set(None),
            a_change: Set(None),
            b_change: Set(None),
            note: Set(Some(new.why.clone())),
            ..kept
        },
    }
}

fn audit_entry(found: &Match, new: &NewCorrection) -> AuditedAction {
    let detail = json!({"before": found.winner, "after": new.winner, "why": new.why});
    AuditedAction::new(
        new.user,
        "match.correct",
        format!("match {}", found.id),
        detail,
    )
}
