//! Finished matches by the time at which they ended, for exports.

use std::ops::Range;
use std::time::Duration;

use sea_orm::sea_query::Order;

use crate::database::prelude::*;
use crate::tables::matches::{Column, Entity};
use crate::{Match, MatchId, MatchKind, MatchState};

impl Store {
    /// Finished matches whose end lies in `span`, by id, beginning behind `after`; at most `most`.
    pub async fn finished_matches(
        &self,
        span: Range<Timestamp>,
        after: Option<MatchId>,
        most: u64,
    ) -> Result<Vec<Match>> {
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

    /// How long the latest finished matches of a game took that programs played alone; at most `most`.
    pub async fn recent_match_times(&self, game: &str, most: u64) -> Result<Vec<Duration>> {
        let rows: Vec<(Option<Timestamp>, Option<Timestamp>)> = Entity::find()
            .filter(Column::Game.eq(game))
            .filter(Column::State.eq(MatchState::Finished))
            .filter(Column::Kind.ne(MatchKind::Human))
            .order_by(Column::Id, Order::Desc)
            .limit(most)
            .select_only()
            .columns([Column::Started, Column::Finished])
            .into_tuple()
            .all(&self.readers)
            .await?;
        let time = |(started, finished): (Option<Timestamp>, Option<Timestamp>)| {
            let millis = finished?.0.checked_sub(started?.0)?;
            u64::try_from(millis).ok().map(Duration::from_millis)
        };
        Ok(rows.into_iter().filter_map(time).collect())
    }

    /// When the first match was finished; `None` if none was.
    pub async fn first_finish(&self) -> Result<Option<Timestamp>> {
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
