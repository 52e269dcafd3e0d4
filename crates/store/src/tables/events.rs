//! The tables `events` and `event_positions`: what happened, and up to where each subscriber has
//! read it.

use sea_orm::entity::prelude::*;

use crate::{Json, Timestamp};

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "events")]
pub struct Model {
    /// The key; of two events the one that was committed later has the larger one.
    #[sea_orm(primary_key)]
    pub seq: i64,
    /// What.
    pub kind: String,
    /// What it is about, such as `bot 5`.
    pub subject: String,
    /// The keys of the rows that it is about, and numbers of that moment.
    pub payload: Json,
    /// When.
    pub at: Timestamp,
}

relations!();

/// Table of subscribers.
pub(crate) mod positions {
    use sea_orm::entity::prelude::*;

    /// Up to where a subscriber has read.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "event_positions")]
    pub struct Model {
        /// The subscriber.
        #[sea_orm(primary_key, auto_increment = false)]
        pub subscriber: String,
        /// The key of the last event that it has read.
        pub position: i64,
    }

    relations!();
}
