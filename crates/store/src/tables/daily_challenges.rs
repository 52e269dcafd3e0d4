//! The table `daily_challenges`.

use sea_orm::entity::prelude::*;

use crate::Timestamp;

/// The challenge of a day.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "daily_challenges")]
pub struct Model {
    /// The day in the arena's time zone: `2026-11-27`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: String,
    /// The challenge, as the server wrote it.
    pub challenge: String,
    pub made: Timestamp,
}

relations!();
