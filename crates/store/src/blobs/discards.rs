//! Blobs that are scheduled for removal.
//!
//! The code that stops using a blob never removes it. The transaction that removes the reference
//! writes the key down here, and a server removes the blob later, so a killed server leaves no
//! orphans. A key is also written down before a blob is uploaded: if the row that refers to the
//! blob is never created, the blob is removed too.

use crate::blobs::blobs::BOOKS;
use crate::database::prelude::*;
use crate::tables::discards::{ActiveModel, Column, Entity};
use crate::{BlobKey, MatchId, tables};

/// The most blobs that one call claims.
const TOGETHER: u64 = 500;

impl Store {
    /// Schedules a blob for removal after this time, unless a row refers to it by then.
    pub async fn schedule_removal(&self, key: &BlobKey, after: Timestamp) -> Result<()> {
        let change = self.begin_write().await?;
        insert_discards(&change, [key.as_str().to_owned()], after).await?;
        Ok(change.commit().await?)
    }

    /// Claims the blobs that are due. The caller removes them and then calls
    /// [`Store::forget_discards`]. Blobs that a row refers to are left out.
    pub async fn claim_discards(&self, at: Timestamp) -> Result<Vec<String>> {
        let change = self.begin_write().await?;
        let due = Entity::find()
            .filter(Column::After.lte(at))
            .order_by_asc(Column::After);
        let due = due.limit(TOGETHER).lock_exclusive().all(&change).await?;
        let (mut free, mut used) = (Vec::new(), Vec::new());
        for row in due {
            match is_named(&change, &row.key).await? {
                true => used.push(row.key),
                false => free.push(row.key),
            }
        }
        delete_rows::<Entity>(&change, Column::Key.is_in(used)).await?;
        let claimed = ActiveModel {
            claimed: Set(true),
            ..Default::default()
        };
        let these = Entity::update_many()
            .set(claimed)
            .filter(Column::Key.is_in(free.clone()));
        these.exec(&change).await?;
        change.commit().await?;
        Ok(free)
    }

    /// Forgets blobs that were removed.
    pub async fn forget_discards(&self, keys: &[String]) -> Result<()> {
        let change = self.begin_write().await?;
        delete_rows::<Entity>(&change, Column::Key.is_in(keys)).await?;
        Ok(change.commit().await?)
    }
}

/// Schedules blobs for removal in the transaction that removes the references.
pub(crate) async fn insert_discards(
    change: &Change,
    keys: impl IntoIterator<Item = String> + Send,
    after: Timestamp,
) -> Result<()> {
    let row = |key| ActiveModel {
        key: Set(key),
        after: Set(after),
        claimed: Set(false),
    };
    let rows: Vec<ActiveModel> = keys.into_iter().map(row).collect();
    insert_new_rows(change, &rows, [Column::Key]).await
}

/// Cancels the removal of a blob because a row now refers to it. [`StoreError::Refused`] if a
/// server is removing it.
pub(crate) async fn cancel_discard(change: &Change, key: &str) -> Result<()> {
    let waiting = Condition::all().add(Column::Key.eq(key));
    delete_rows::<Entity>(change, waiting.add(Column::Claimed.eq(false))).await?;
    match Entity::find_by_id(key.to_owned()).one(change).await? {
        Some(_) => Err(StoreError::Refused(
            "the file came too late; send it again".to_owned(),
        )),
        None => Ok(()),
    }
}

/// Whether a row refers to this blob. The key of a replay or an analysis contains its match.
async fn is_named(change: &Change, key: &str) -> Result<bool> {
    let of_version =
        tables::versions::Entity::find().filter(tables::versions::Column::Source.eq(key));
    if of_version.one(change).await?.is_some() {
        return Ok(true);
    }
    if let Some(hash) = key.strip_prefix("sources/games/") {
        use tables::game_files::{Column, Entity};
        let of_game = Entity::find().filter(Column::Hash.eq(hash));
        return Ok(of_game.one(change).await?.is_some());
    }
    if let Some(hash) = key.strip_prefix(BOOKS) {
        return names_book(change, hash).await;
    }
    let file = key
        .strip_prefix("replays/")
        .and_then(|rest| rest.rsplit('/').next())
        .unwrap_or_default();
    let Some(id) = file
        .split('-')
        .next()
        .and_then(|id| id.parse::<MatchId>().ok())
    else {
        return Ok(false);
    };
    if key.starts_with("replays/analyses/") {
        let own = tables::analyses::Entity::find_by_id(id).one(change).await?;
        return Ok(own.is_some_and(|own| own.blob.as_deref() == Some(key)));
    }
    let own = tables::matches::Entity::find_by_id(id).one(change).await?;
    Ok(own.is_some_and(|own| own.replay.as_deref() == Some(key)))
}

/// Whether an experiment or a lane names the position book with this hash.
async fn names_book(change: &Change, hash: &str) -> Result<bool> {
    use tables::experiments::{Column, Entity, lanes};
    let own = Entity::find().filter(Column::Book.eq(hash));
    if own.one(change).await?.is_some() {
        return Ok(true);
    }
    let lane = lanes::Entity::find().filter(lanes::Column::Book.eq(hash));
    Ok(lane.one(change).await?.is_some())
}
