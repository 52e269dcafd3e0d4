//! Which of several servers schedules: the one that holds the row of this table. It renews its hold
//! all the time; when it is gone, another takes the row as soon as the hold has ended.

use std::time::Duration;

use sea_orm::ActiveValue::Set;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{ExprTrait, OnConflict};

use crate::{Store, StoreError, Timestamp};

/// The one row.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "leadership")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i32,
    pub holder: String,
    pub until: Timestamp,
}

#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// The number of the row.
const ROW: i32 = 1;

impl Store {
    /// Takes or renews the lead among the servers of the arena for so long; returns whether this
    /// server, which has a name of its own at every start, has it. With an embedded database there
    /// is only one server, and it always leads.
    pub async fn take_lead(
        &self,
        server: &str,
        at: Timestamp,
        lasts: Duration,
    ) -> Result<bool, StoreError> {
        if self.is_embedded() {
            return Ok(true);
        }
        let row = ActiveModel {
            id: Set(ROW),
            holder: Set(server.to_owned()),
            until: Set(at.after(lasts)),
        };
        let is_own = Expr::col((Entity, Column::Holder)).eq(server);
        let has_ended = Expr::col((Entity, Column::Until)).lt(at);
        let take_over = OnConflict::column(Column::Id)
            .update_columns([Column::Holder, Column::Until])
            .action_and_where(is_own.or(has_ended))
            .to_owned();
        let change = self.begin_write().await?;
        let taken = Entity::insert(row)
            .on_conflict(take_over)
            .exec_without_returning(&change)
            .await?;
        change.commit().await?;
        Ok(taken > 0)
    }

    /// Gives the lead back, so that another server has it at once.
    pub async fn give_lead_back(&self, server: &str) -> Result<(), StoreError> {
        let change = self.begin_write().await?;
        Entity::delete_many()
            .filter(Column::Holder.eq(server))
            .exec(&change)
            .await?;
        Ok(change.commit().await?)
    }
}
