//! The table `visits`.

use sea_orm::entity::prelude::*;

use crate::{Timestamp, UserId};

/// The visits of an account.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "visits")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user: UserId,
    /// The last look of the visit before; null at the first visit.
    pub since: Option<Timestamp>,
    /// The last look of this visit.
    pub seen: Timestamp,
}

relations!();
