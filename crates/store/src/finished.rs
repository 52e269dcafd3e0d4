//! Finished matches by the time at which they ended, for exports.

use std::ops::Range;

use sea_orm::sea_query::Order;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::matches::{Column, Entity};
use crate::{Match, MatchId, MatchState, Store, StoreError, Timestamp};

impl Store {
    /// Finished matches whose end lies in `span`, by id, beginning behind `after`; at most `most`.
    pub async fn finished_matches(
        &self,
        span: Range<Timestamp>,
        after: Option<MatchId>,
        most: u64,
    ) -> Result<Vec<Match>, StoreError> {
        let mut found = Entity::find()
            .filter(Column::State.eq(MatchState::Finished))
            .filter(Column::Finished.gte(span.start))
            .filter(Column::Finished.lt(span.end));
        if let Some(after) = after {
            found = found.filter(Column::Id.gt(after));
        }
        let found = found.order_by(Column::Id, Order::Asc).limit(most);
        Ok(found.all(&self.readers).await?)
    }

    /// When the first match was finished; `None` if none was.
    pub async fn first_finish(&self) -> Result<Option<Timestamp>, StoreError> {
        let first: Option<Option<Timestamp>> = Entity::find()
            .filter(Column::State.eq(MatchState::Finished))
            .select_only()
            .column_as(Column::Finished.min(), "first")
            .into_tuple()
            .one(&self.readers)
            .await?;
        Ok(first.flatten())
    }
}
