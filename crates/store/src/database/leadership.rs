//! Which of several servers schedules: the one that holds the row of this table. It renews its hold
//! all the time; when it is gone, another takes the row as soon as the hold has ended.

use std::sync::atomic::Ordering;
use std::time::Duration;

use sea_orm::sea_query::ExprTrait;

use crate::database::availability::GRACE;
use crate::database::leases;
use crate::database::prelude::*;
use crate::tables::leadership::{ActiveModel, Column, Entity};

/// The number of the row.
const ROW: i32 = 1;
/// In which the servers that were there before an outage of the database notice its end, and prolong
/// the leases of their matches.
const SETTLES: Duration = Duration::from_secs(3);

impl Store {
    /// Takes or renews the lead among the servers of the arena for so long; returns whether this
    /// server, which has a name of its own at every start, has it. With an embedded database there
    /// is only one server, and it always leads.
    pub async fn take_lead(&self, server: &str, at: Timestamp, lasts: Duration) -> Result<bool> {
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
        let taken = insert_or(&change, row, take_over).await?;
        change.commit().await?;
        Ok(taken)
    }

    /// Gives the lead back, so that another server has it at once.
    pub async fn give_lead_back(&self, server: &str) -> Result<()> {
        let change = self.begin_write().await?;
        delete_rows::<Entity>(&change, Column::Holder.eq(server)).await?;
        Ok(change.commit().await?)
    }

    /// Begins to serve beside other servers. The database may have been away a moment ago, so that
    /// nobody could renew a lease: for `SETTLES` this server takes over nothing whose lease has
    /// ended. If nobody leads, the leases of workers that were held at the last leader's last sign
    /// of life are prolonged, and their number is returned; `lasts` is what leaders ask for. An
    /// embedded database is never away, and there is no other server.
    pub async fn begin_serving(&self, at: Timestamp, lasts: Duration) -> Result<u64> {
        if self.is_embedded() {
            return Ok(0);
        }
        let settled = at.after(SETTLES).0;
        self.shared.settled.store(settled, Ordering::Relaxed);
        let change = self.begin_write().await?;
        let last = Entity::find_by_id(ROW).one(&change).await?;
        let Some(last) = last.filter(|last| last.until < at) else {
            return Ok(0);
        };
        let alive = last.until.before(lasts);
        let count = leases::prolong_workers_leases(&change, alive, at.after(GRACE)).await?;
        change.commit().await?;
        Ok(count)
    }

    /// Before when a lease must have ended so that its job is taken over at this time.
    pub(crate) fn ended_before(&self, at: Timestamp) -> Timestamp {
        match at.0 < self.shared.settled.load(Ordering::Relaxed) {
            true => Timestamp(i64::MIN),
            false => at,
        }
    }
}
