//! Rows that are changed in one way.

use sea_orm::sea_query::IntoCondition;
use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, QueryFilter};

use crate::Result;

/// Sets these columns of the rows that meet a condition; returns how many there are.
pub(crate) async fn update_rows<A: ActiveModelTrait>(
    place: &impl ConnectionTrait,
    which: impl IntoCondition,
    new: A,
) -> Result<u64> {
    let rows = A::Entity::update_many().set(new).filter(which);
    Ok(rows.exec(place).await?.rows_affected)
}
