//! Rate limits that all servers of an arena count together: a burst, then one action in each
//! interval (the generic cell rate algorithm). One row holds the moment until which the actions of a
//! key are paid for.

use std::time::Duration;

use sea_orm::sea_query::{CaseStatement, ExprTrait};

use crate::TokenHash;
use crate::database::prelude::*;
use crate::tables::rates::{ActiveModel, Column, Entity};

/// How often something may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// How many times at once.
    pub burst: u32,
    /// After that once in each of these intervals.
    pub each: Duration,
}

impl Store {
    /// Counts an action of a key, or says how long it must wait; then nothing is counted. Of the key
    /// only a hash is stored, as it may hold an address.
    pub async fn count_action(
        &self,
        key: &str,
        rate: Rate,
        at: Timestamp,
    ) -> Result<Result<(), Duration>> {
        let key = TokenHash::from_token(key).as_str().to_owned();
        // The last moment that may be paid for already.
        let latest = at.after(rate.each.saturating_mul(rate.burst.saturating_sub(1)));
        let each = i64::try_from(rate.each.as_millis()).unwrap_or(i64::MAX);
        let row = ActiveModel {
            key: Set(key.clone()),
            paid_until: Set(at.after(rate.each)),
        };
        let paid = || Expr::col((Entity, Column::PaidUntil));
        let next = CaseStatement::new()
            .case(paid().gt(at), paid().add(each))
            .finally(at.after(rate.each));
        let count = OnConflict::column(Column::Key)
            .value(Column::PaidUntil, next)
            .action_and_where(paid().lte(latest))
            .to_owned();
        let change = self.begin_write().await?;
        if insert_or(&change, row, count).await? {
            change.commit().await?;
            return Ok(Ok(()));
        }
        let paid = Entity::find_by_id(key).one(&change).await?;
        let wait = paid.map_or(Duration::ZERO, |paid| paid.paid_until.since(latest));
        Ok(Err(wait.max(Duration::from_millis(1))))
    }

    /// Removes the keys that may do everything again; returns their number.
    pub async fn sweep_rates(&self, at: Timestamp) -> Result<u64> {
        let ended = Entity::delete_many().filter(Column::PaidUntil.lt(at));
        self.delete_rows(ended).await
    }
}
