//! The table `workers`.

use sea_orm::entity::prelude::*;

use crate::Timestamp;

/// A worker as it last reported.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "workers")]
pub struct Model {
    /// Its name.
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// Its version of Leitai.
    pub version: String,
    /// The isolation of programs that it reports.
    pub isolation: String,
    /// Its slots: jobs at a time.
    pub slots: i32,
    /// Slots in use.
    pub busy: i32,
    /// Whether it is connected over HTTP.
    pub remote: bool,
    /// When it was first seen.
    pub created: Timestamp,
    /// When it last reported.
    pub seen: Timestamp,
    /// Slots that are reserved for exhibitions.
    pub exhibitions: i32,
    /// Results that were refused.
    pub refused: i32,
}

relations!();

pub use Model as Worker;
