//! Rows that are found, inserted, changed or deleted in one way.

use sea_orm::sea_query::{IntoCondition, OnConflict};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, PrimaryKeyTrait, QueryFilter,
    QuerySelect,
};

use crate::{Result, StoreError};

/// Rows that one statement inserts: databases bound the values of a statement.
const TOGETHER: usize = 500;

/// The key of a table's rows.
type Key<E> = <<E as EntityTrait>::PrimaryKey as PrimaryKeyTrait>::ValueType;

/// The row with this key; [`StoreError::Missing`] says `what` is missing if there is none.
pub(crate) async fn find_row<E: EntityTrait>(
    place: &impl ConnectionTrait,
    key: impl Into<Key<E>> + Clone + ToString,
    what: &'static str,
) -> Result<E::Model> {
    let found = E::find_by_id(key.clone()).one(place).await?;
    found.ok_or_else(|| StoreError::row_missing(what, key))
}

/// The same row, which nobody else changes or locks until the transaction ends.
pub(crate) async fn lock_row<E: EntityTrait>(
    place: &impl ConnectionTrait,
    key: impl Into<Key<E>> + Clone + ToString,
    what: &'static str,
) -> Result<E::Model> {
    let found = E::find_by_id(key.clone()).lock_exclusive();
    let found = found.one(place).await?;
    found.ok_or_else(|| StoreError::row_missing(what, key))
}

/// Inserts a row.
pub(crate) async fn insert_row<A: ActiveModelTrait>(
    place: &impl ConnectionTrait,
    row: A,
) -> Result<()> {
    A::Entity::insert(row).exec_without_returning(place).await?;
    Ok(())
}

/// Inserts rows.
pub(crate) async fn insert_rows<A: ActiveModelTrait>(
    place: &impl ConnectionTrait,
    rows: &[A],
) -> Result<()> {
    for some in rows.chunks(TOGETHER) {
        let some = A::Entity::insert_many(some.iter().cloned());
        some.exec_without_returning(place).await?;
    }
    Ok(())
}

/// Inserts a row, or does what `known` says with the one that is there; returns whether either
/// happened.
pub(crate) async fn insert_or<A: ActiveModelTrait>(
    place: &impl ConnectionTrait,
    row: A,
    known: OnConflict,
) -> Result<bool> {
    let row = A::Entity::insert(row).on_conflict(known);
    Ok(row.exec_without_returning(place).await? > 0)
}

/// Inserts a row unless one with the same values in these columns is there; returns whether it did.
pub(crate) async fn insert_new<A: ActiveModelTrait>(
    place: &impl ConnectionTrait,
    row: A,
    columns: impl IntoIterator<Item = impl ColumnTrait>,
) -> Result<bool> {
    insert_or(place, row, unless_known(columns)).await
}

/// Inserts the rows of which none with the same values in these columns is there.
pub(crate) async fn insert_new_rows<A: ActiveModelTrait>(
    place: &impl ConnectionTrait,
    rows: &[A],
    columns: impl IntoIterator<Item = impl ColumnTrait>,
) -> Result<()> {
    let known = unless_known(columns);
    for some in rows.chunks(TOGETHER) {
        let some = A::Entity::insert_many(some.iter().cloned()).on_conflict(known.clone());
        some.exec_without_returning(place).await?;
    }
    Ok(())
}

fn unless_known(columns: impl IntoIterator<Item = impl ColumnTrait>) -> OnConflict {
    OnConflict::columns(columns).do_nothing().to_owned()
}

/// Sets these columns of the rows that meet a condition; returns how many there are.
pub(crate) async fn update_rows<A: ActiveModelTrait>(
    place: &impl ConnectionTrait,
    which: impl IntoCondition,
    new: A,
) -> Result<u64> {
    let rows = A::Entity::update_many().set(new).filter(which);
    Ok(rows.exec(place).await?.rows_affected)
}

/// Deletes the rows that meet a condition; returns how many there were.
pub(crate) async fn delete_rows<E: EntityTrait>(
    place: &impl ConnectionTrait,
    which: impl IntoCondition,
) -> Result<u64> {
    let rows = E::delete_many().filter(which);
    Ok(rows.exec(place).await?.rows_affected)
}
