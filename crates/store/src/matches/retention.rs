//! Retention of replays. A match keeps its result when its replay is removed.

use std::time::Duration;

use sea_orm::sea_query::ExprTrait;

use crate::blobs::discards;
use crate::database::prelude::*;
use crate::matches::analyses;
use crate::tables::matches::{ActiveModel, Column, Entity};
use crate::{MatchId, MatchKind};

/// The time for which a replay is kept after its match; `None` means for ever.
pub type Kept = Option<Duration>;

/// Retention times by match kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Of exhibition matches.
    pub exhibition: Kept,
    /// Of ladder matches.
    pub ladder: Kept,
    /// Of friendly matches and those of experiments.
    pub friendly: Kept,
    /// Of matches with people.
    pub human: Kept,
    /// Of contest matches.
    pub contest: Kept,
    /// The most bytes of all replays; `None` means no limit. Beyond it the oldest are removed:
    /// first those of exhibitions, then of experiments, of ladders, then friendly ones, human ones, and contests.
    pub bytes: Option<u64>,
}

/// The order of removal when the replays take too much space.
const ORDER: [MatchKind; 6] = [
    MatchKind::Exhibition,
    MatchKind::Experiment,
    MatchKind::Ladder,
    MatchKind::Friendly,
    MatchKind::Human,
    MatchKind::Contest,
];
/// Replays per transaction.
const TOGETHER: u64 = 500;

impl Retention {
    /// Keeps all replays.
    pub const FOREVER: Retention = Retention {
        exhibition: None,
        ladder: None,
        friendly: None,
        human: None,
        contest: None,
        bytes: None,
    };

    /// The retention time of this kind.
    pub fn kept_for(&self, kind: MatchKind) -> Kept {
        match kind {
            MatchKind::Exhibition => self.exhibition,
            MatchKind::Ladder => self.ladder,
            MatchKind::Friendly | MatchKind::Experiment => self.friendly,
            MatchKind::Human => self.human,
            MatchKind::Contest => self.contest,
        }
    }
}

/// A replay in a list.
#[derive(Clone, Debug, PartialEq, Eq, sea_orm::FromQueryResult)]
pub struct ReplayOf {
    /// The match.
    pub id: MatchId,
    /// The key of the replay's blob.
    pub replay: String,
    /// Its stored size in bytes, once it was measured.
    pub replay_bytes: Option<i64>,
}

impl Store {
    /// Removes one batch of replays that have expired and returns their number; their blobs are
    /// scheduled for removal. A periodic task calls it until it returns 0.
    pub async fn remove_old_replays(&self, kept: &Retention, at: Timestamp) -> Result<u64> {
        for kind in ORDER {
            let Some(age) = kept.kept_for(kind) else {
                continue;
            };
            let old = select_oldest(kind).filter(Column::Finished.lt(at.before(age)));
            let old = old.into_model::<ReplayOf>().all(&self.readers).await?;
            if !old.is_empty() {
                return self.remove_replays(&old, at).await;
            }
        }
        match kept.bytes {
            Some(most) => self.remove_beyond(most, at).await,
            None => Ok(0),
        }
    }

    /// The stored size of all measured replays.
    pub async fn replay_bytes(&self) -> Result<u64> {
        let sum = Column::ReplayBytes.sum().cast_as("BIGINT");
        let all = Entity::find()
            .select_only()
            .column_as(sum, "bytes")
            .filter(Column::Replay.is_not_null());
        let bytes: Option<Option<i64>> = all.into_tuple().one(&self.readers).await?;
        Ok(bytes.flatten().map_or(0, i64::unsigned_abs))
    }

    /// Removes the replay of a match because it cannot be read any more.
    pub async fn remove_replay(&self, id: MatchId, key: &str, at: Timestamp) -> Result<u64> {
        let lost = ReplayOf {
            id,
            replay: key.to_owned(),
            replay_bytes: None,
        };
        self.remove_replays(&[lost], at).await
    }

    async fn remove_beyond(&self, most: u64, at: Timestamp) -> Result<u64> {
        let mut over = self.replay_bytes().await?.saturating_sub(most);
        if over == 0 {
            return Ok(0);
        }
        for kind in ORDER {
            let old: Vec<ReplayOf> = select_oldest(kind).into_model().all(&self.readers).await?;
            let is_too_much = |old: &ReplayOf| {
                let go = over > 0;
                over = over.saturating_sub(old.replay_bytes.unwrap_or(0).unsigned_abs());
                go
            };
            let old: Vec<ReplayOf> = old.into_iter().take_while(is_too_much).collect();
            if !old.is_empty() {
                return self.remove_replays(&old, at).await;
            }
        }
        Ok(0)
    }

    async fn remove_replays(&self, old: &[ReplayOf], at: Timestamp) -> Result<u64> {
        let change = self.begin_write().await?;
        let mut gone = Vec::with_capacity(old.len());
        for old in old {
            // Another server may have removed or replaced it meanwhile.
            if replace_replay(&change, old.id, &old.replay, None, at).await? {
                gone.push(old.replay.clone());
            }
        }
        let count = gone.len() as u64;
        discards::insert_discards(&change, gone, at).await?;
        change.commit().await?;
        Ok(count)
    }

    /// One batch of replays that were not measured yet.
    pub async fn unmeasured_replays(&self) -> Result<Vec<ReplayOf>> {
        let new = Entity::find()
            .filter(Column::Replay.is_not_null())
            .filter(Column::ReplayBytes.is_null());
        let new = select_columns(new).order_by_asc(Column::Id).limit(TOGETHER);
        Ok(new.into_model().all(&self.readers).await?)
    }

    /// Records the sizes of replays.
    pub async fn note_replay_bytes(&self, measured: &[ReplayOf]) -> Result<()> {
        let change = self.begin_write().await?;
        for one in measured {
            let bytes = ActiveModel {
                replay_bytes: Set(one.replay_bytes),
                ..Default::default()
            };
            let own = Entity::update_many()
                .set(bytes)
                .filter(Column::Id.eq(one.id));
            own.filter(Column::Replay.eq(&one.replay))
                .exec(&change)
                .await?;
        }
        Ok(change.commit().await?)
    }
}

/// Replaces a replay by another, or removes it. False if the match does not have the old replay any
/// more.
pub(crate) async fn replace_replay(
    change: &Change,
    id: MatchId,
    old: &str,
    new: Option<String>,
    at: Timestamp,
) -> Result<bool> {
    let removed = if new.is_none() {
        Set(Some(at))
    } else {
        sea_orm::ActiveValue::NotSet
    };
    let row = ActiveModel {
        replay: Set(new),
        replay_bytes: Set(None),
        replay_removed: removed,
        ..Default::default()
    };
    let own = Entity::update_many()
        .set(row)
        .filter(Column::Id.eq(id))
        .filter(Column::Replay.eq(old));
    let is_replaced = own.exec(change).await?.rows_affected > 0;
    if is_replaced {
        analyses::forget_analysis(change, id, at).await?;
    }
    Ok(is_replaced)
}

fn select_oldest(kind: MatchKind) -> sea_orm::Select<Entity> {
    let kept = Entity::find()
        .filter(Column::Kind.eq(kind))
        .filter(Column::Replay.is_not_null());
    select_columns(kept)
        .order_by_asc(Column::Finished)
        .limit(TOGETHER)
}

fn select_columns(these: sea_orm::Select<Entity>) -> sea_orm::Select<Entity> {
    these
        .select_only()
        .columns([Column::Id, Column::Replay, Column::ReplayBytes])
}
