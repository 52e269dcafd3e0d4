//! The position books of experiments and candidates: blobs by their hashes, which several rows may name.

use sea_orm::QuerySelect;
use sea_orm::entity::prelude::*;

use crate::blobs::discards;
use crate::database::availability::Change;
use crate::tables::experiments::{self, StoredBook, lanes};
use crate::{BlobKey, BotId, Result, Timestamp};

/// Keeps the blob of a book that a row is about to name. [`StoreError::Refused`] if a server is just
/// removing it.
pub(crate) async fn claim(change: &Change, book: Option<&StoredBook>) -> Result<()> {
    match book {
        Some(book) => discards::cancel_discard(change, BlobKey::of_book(&book.hash).as_str()).await,
        None => Ok(()),
    }
}

/// Schedules books for removal that a row named; one that another row names stays.
pub(crate) async fn discard(
    change: &Change,
    hashes: impl IntoIterator<Item = String>,
    at: Timestamp,
) -> Result<()> {
    let keys = hashes
        .into_iter()
        .map(|hash| BlobKey::of_book(&hash).to_string());
    let keys: Vec<String> = keys.collect();
    discards::insert_discards(change, keys, at).await
}

/// Forgets the books that the experiments and the lane of a bot name.
pub(crate) async fn forget_bot(change: &Change, bot: BotId, at: Timestamp) -> Result<()> {
    let own = experiments::Entity::find()
        .select_only()
        .column(experiments::Column::Book)
        .filter(experiments::Column::Bot.eq(bot))
        .filter(experiments::Column::Book.is_not_null());
    let mut hashes: Vec<String> = own.into_tuple().all(change).await?;
    let lane = lanes::Entity::find_by_id(bot).one(change).await?;
    hashes.extend(lane.and_then(|lane| lane.book));
    hashes.sort();
    hashes.dedup();
    let none = || Expr::value(Option::<String>::None);
    let own = experiments::Entity::update_many()
        .col_expr(experiments::Column::Book, none())
        .filter(experiments::Column::Bot.eq(bot));
    own.exec(change).await?;
    let lane = lanes::Entity::update_many()
        .col_expr(lanes::Column::Book, none())
        .filter(lanes::Column::Bot.eq(bot));
    lane.exec(change).await?;
    discard(change, hashes, at).await
}
