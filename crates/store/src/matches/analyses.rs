//! Analyses of finished matches, made once for all readers. A server claims one, tells how far it is,
//! and stores the result as a blob; it goes with its replay.

use std::time::Duration;

use sea_orm::sea_query::{ExprTrait, Query};

use crate::blobs::discards;
use crate::database::prelude::*;
use crate::tables::analyses::{ActiveModel, Column, Entity, Model};
use crate::tables::matches;
use crate::{BlobKey, MatchId};

/// A server that was not heard of for this long makes nothing any more.
pub const ANALYSIS_LOST: Duration = Duration::from_secs(60);
/// Analyses that one sweep removes.
const TOGETHER: u64 = 500;
/// What `done` says of an analysis that failed.
const FAILED: i32 = -1;
/// What `done` says of one that is made.
const WHOLE: i32 = 1000;

/// What an analysis is made from, and by which version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnalysisSource {
    /// The match.
    pub match_id: MatchId,
    /// The key of its replay.
    pub replay: String,
    /// The version of the analysis.
    pub version: String,
}

/// How far the analysis of a match is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnalysisProgress {
    /// Nobody makes it, and it was not made.
    None,
    /// A server makes it; thousandths are done.
    Running(u32),
    /// It cannot be made, by this version.
    Failed,
    /// It is made.
    Done(String),
}

impl Store {
    /// How far the analysis of this replay by this version is.
    pub async fn analysis_of(
        &self,
        source: &AnalysisSource,
        at: Timestamp,
    ) -> Result<AnalysisProgress> {
        let row = Entity::find_by_id(source.match_id)
            .one(&self.readers)
            .await?;
        Ok(progress_of(row, source, at))
    }

    /// Claims the analysis for this holder; otherwise says how far it is. One of another replay or
    /// version is replaced, and its blob removed.
    pub async fn claim_analysis(
        &self,
        source: &AnalysisSource,
        holder: &str,
        at: Timestamp,
    ) -> Result<Option<AnalysisProgress>> {
        let change = self.begin_write().await?;
        let new = ActiveModel {
            match_id: Set(source.match_id),
            replay: Set(source.replay.clone()),
            version: Set(source.version.clone()),
            blob: Set(None),
            done: Set(0),
            holder: Set(holder.to_owned()),
            at: Set(at),
        };
        if !insert_new(&change, new.clone(), [Column::MatchId]).await? {
            let row = Entity::find_by_id(source.match_id).lock_exclusive();
            let row = row.one(&change).await?;
            let old = row.as_ref().and_then(|row| row.blob.clone());
            let known = progress_of(row, source, at);
            if known != AnalysisProgress::None {
                return Ok(Some(known));
            }
            discards::insert_discards(&change, old, at).await?;
            Entity::update(new).exec(&change).await?;
        }
        change.commit().await?;
        Ok(None)
    }

    /// Tells how many thousandths are done; false if the analysis is not this holder's any more.
    pub async fn note_analysis(
        &self,
        id: MatchId,
        holder: &str,
        done: u32,
        at: Timestamp,
    ) -> Result<bool> {
        let done = i32::try_from(done).unwrap_or(WHOLE);
        self.change_analysis(id, holder, done, None, at).await
    }

    /// Stores the blob of the result; false if the analysis is not this holder's any more.
    pub async fn finish_analysis(
        &self,
        id: MatchId,
        holder: &str,
        blob: &BlobKey,
        at: Timestamp,
    ) -> Result<bool> {
        self.change_analysis(id, holder, WHOLE, Some(blob), at)
            .await
    }

    /// Notes that this version cannot make the analysis, so that nobody tries again.
    pub async fn fail_analysis(&self, id: MatchId, holder: &str, at: Timestamp) -> Result<bool> {
        self.change_analysis(id, holder, FAILED, None, at).await
    }

    /// Removes analyses whose replay is gone, and the oldest beyond this number; returns how many.
    pub async fn sweep_analyses(&self, most: u64, at: Timestamp) -> Result<u64> {
        let change = self.begin_write().await?;
        let own = Query::select()
            .expr(Expr::val(1))
            .from(matches::Entity)
            .and_where(
                Expr::col((matches::Entity, matches::Column::Id)).equals((Entity, Column::MatchId)),
            )
            .and_where(
                Expr::col((matches::Entity, matches::Column::Replay))
                    .equals((Entity, Column::Replay)),
            )
            .to_owned();
        let mut old = Entity::find()
            .filter(Expr::exists(own).not())
            .limit(TOGETHER)
            .all(&change)
            .await?;
        let beyond = Entity::find().count(&change).await?.saturating_sub(most);
        if beyond > 0 {
            let oldest = Entity::find().order_by_asc(Column::At);
            old.extend(
                oldest
                    .limit(Ord::min(beyond, TOGETHER))
                    .all(&change)
                    .await?,
            );
        }
        let count = remove_rows(&change, old, at).await?;
        change.commit().await?;
        Ok(count)
    }

    async fn change_analysis(
        &self,
        id: MatchId,
        holder: &str,
        done: i32,
        blob: Option<&BlobKey>,
        at: Timestamp,
    ) -> Result<bool> {
        let change = self.begin_write().await?;
        let row = ActiveModel {
            done: Set(done),
            blob: Set(blob.map(|blob| blob.as_str().to_owned())),
            at: Set(at),
            ..Default::default()
        };
        let own = Entity::update_many()
            .set(row)
            .filter(Column::MatchId.eq(id))
            .filter(Column::Holder.eq(holder))
            .filter(Column::Blob.is_null());
        let is_own = own.exec(&change).await?.rows_affected > 0;
        if let (true, Some(blob)) = (is_own, blob) {
            discards::cancel_discard(&change, blob.as_str()).await?;
        }
        change.commit().await?;
        Ok(is_own)
    }
}

fn progress_of(row: Option<Model>, source: &AnalysisSource, at: Timestamp) -> AnalysisProgress {
    let same = |row: &Model| row.replay == source.replay && row.version == source.version;
    let Some(row) = row.filter(same) else {
        return AnalysisProgress::None;
    };
    match row.blob {
        Some(blob) => AnalysisProgress::Done(blob),
        None if row.done < 0 => AnalysisProgress::Failed,
        None if at.since(row.at) >= ANALYSIS_LOST => AnalysisProgress::None,
        None => AnalysisProgress::Running(row.done.unsigned_abs()),
    }
}

/// Removes the analysis of a match in the transaction that removes or replaces its replay.
pub(crate) async fn forget_analysis(change: &Change, id: MatchId, at: Timestamp) -> Result<()> {
    let row = Entity::find_by_id(id).lock_exclusive().one(change).await?;
    remove_rows(change, row, at).await?;
    Ok(())
}

async fn remove_rows(
    change: &Change,
    rows: impl IntoIterator<Item = Model>,
    at: Timestamp,
) -> Result<u64> {
    let (ids, blobs): (Vec<MatchId>, Vec<Option<String>>) =
        rows.into_iter().map(|row| (row.match_id, row.blob)).unzip();
    if ids.is_empty() {
        return Ok(0);
    }
    let blobs: Vec<String> = blobs.into_iter().flatten().collect();
    discards::insert_discards(change, blobs, at).await?;
    delete_rows::<Entity>(change, Column::MatchId.is_in(ids)).await
}
