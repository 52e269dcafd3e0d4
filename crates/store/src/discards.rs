//! Files of the blob store that are to be removed.
//!
//! A file is never removed by whoever stops using it: its key is written down in the transaction
//! that takes it away from its row, and a server removes it later. So a server that is killed
//! leaves nothing behind. A key is also written down before a file is put: if the row that names
//! the file is never made, the file is removed all the same.

use sea_orm::ActiveValue::Set;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::OnConflict;
use sea_orm::{DatabaseTransaction, QueryOrder, QuerySelect};

use crate::{BlobKey, MatchId, Store, StoreError, Timestamp, matches, versions};

/// A file that is to be removed.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "discards")]
pub struct Model {
    /// Its name in the blob store.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// Not before this.
    pub after: Timestamp,
    /// Somebody is removing it: no row may name it any more.
    pub claimed: bool,
}

/// Which tables it is joined with.
#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Files that are removed at once.
const TOGETHER: u64 = 500;

impl Store {
    /// Writes down that a file is to be removed after this moment, unless a row names it by then.
    pub async fn discard(&self, key: &BlobKey, after: Timestamp) -> Result<(), StoreError> {
        let change = self.begin_write().await?;
        put(&change, [key.as_str().to_owned()], after).await?;
        Ok(change.commit().await?)
    }

    /// The files whose time has come: whoever asks removes them and then says so to
    /// [`Store::forget_discards`]. A file that a row names is not among them.
    pub async fn claim_discards(&self, at: Timestamp) -> Result<Vec<String>, StoreError> {
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
        Entity::delete_many()
            .filter(Column::Key.is_in(used))
            .exec(&change)
            .await?;
        let claimed = ActiveModel {
            claimed: Set(true),
            ..unchanged()
        };
        let these = Entity::update_many()
            .set(claimed)
            .filter(Column::Key.is_in(free.clone()));
        these.exec(&change).await?;
        change.commit().await?;
        Ok(free)
    }

    /// These files are gone.
    pub async fn forget_discards(&self, keys: &[String]) -> Result<(), StoreError> {
        let change = self.begin_write().await?;
        Entity::delete_many()
            .filter(Column::Key.is_in(keys))
            .exec(&change)
            .await?;
        Ok(change.commit().await?)
    }
}

/// Writes files down in the transaction that takes them away from their rows.
pub(crate) async fn put(
    change: &DatabaseTransaction,
    keys: impl IntoIterator<Item = String> + Send,
    after: Timestamp,
) -> Result<(), StoreError> {
    let row = |key| ActiveModel {
        key: Set(key),
        after: Set(after),
        claimed: Set(false),
    };
    let rows: Vec<ActiveModel> = keys.into_iter().map(row).collect();
    for some in rows.chunks(500) {
        let known = OnConflict::column(Column::Key).do_nothing().to_owned();
        let these = Entity::insert_many(some.to_vec()).on_conflict(known);
        these.exec_without_returning(change).await?;
    }
    Ok(())
}

/// A row names this file from now on: it is not removed. [`StoreError::Refused`] if it is being
/// removed.
pub(crate) async fn keep(change: &DatabaseTransaction, key: &str) -> Result<(), StoreError> {
    let waiting = Entity::delete_many()
        .filter(Column::Key.eq(key))
        .filter(Column::Claimed.eq(false));
    waiting.exec(change).await?;
    match Entity::find_by_id(key.to_owned()).one(change).await? {
        Some(_) => Err(StoreError::Refused(
            "the file came too late; send it again".to_owned(),
        )),
        None => Ok(()),
    }
}

/// Whether a row names this file. The name of a replay says of which match it is.
async fn is_named(change: &DatabaseTransaction, key: &str) -> Result<bool, StoreError> {
    let of_version = versions::Entity::find().filter(versions::Column::Source.eq(key));
    if of_version.one(change).await?.is_some() {
        return Ok(true);
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
    let own = matches::Entity::find_by_id(id).one(change).await?;
    Ok(own.is_some_and(|own| own.replay.as_deref() == Some(key)))
}

fn unchanged() -> ActiveModel {
    <ActiveModel as ActiveModelTrait>::default()
}
