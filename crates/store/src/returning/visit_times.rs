//! When an account's holder was here last, so that the home page can say what changed since.

use std::time::Duration;

use sea_orm::sea_query::ExprTrait;

use crate::UserId;
use crate::database::prelude::*;
use crate::tables::visits::{ActiveModel, Column, Entity};

/// Two looks that are less apart belong to one visit.
pub const VISIT_GAP: Duration = Duration::from_secs(30 * 60);

impl Store {
    /// Notes that the holder of an account looks, and returns when the visit before ended; `None` at
    /// the first visit.
    pub async fn note_visit(&self, user: UserId, at: Timestamp) -> Result<Option<Timestamp>> {
        let change = self.begin_write().await?;
        let row = ActiveModel {
            user: Set(user),
            since: Set(None),
            seen: Set(at),
        };
        // One statement, so that two looks at once make no two visits. Both columns are read before
        // they are written.
        let of_row = |column: Column| Expr::col((Entity, column));
        let is_over = of_row(Column::Seen).lte(at.before(VISIT_GAP).0);
        let begins = Expr::case(is_over, of_row(Column::Seen)).finally(of_row(Column::Since));
        let latest = OnConflict::column(Column::User)
            .value(Column::Since, begins)
            .update_column(Column::Seen)
            .to_owned();
        insert_or(&change, row, latest).await?;
        let noted = Entity::find_by_id(user).one(&change).await?;
        change.commit().await?;
        Ok(noted.and_then(|own| own.since))
    }
}
