//! The table `group_quotas`.

use sea_orm::entity::prelude::*;

use crate::GroupId;

/// The quotas of a group.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "group_quotas")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    /// The group.
    pub group_id: GroupId,
    /// Uploads of one member within an hour.
    pub hourly_uploads: Option<i64>,
    /// Friendly matches of one member within 24 hours.
    pub daily_friendlies: Option<i64>,
    /// CPU seconds of these matches.
    pub daily_cpu_seconds: Option<i64>,
    /// Versions that one bot keeps.
    pub versions: Option<i64>,
    /// Bytes of one source.
    pub source_bytes: Option<i64>,
    /// Names of languages with commas between them.
    pub languages: Option<String>,
    /// Whether an administrator allowed quotas beyond the arena's.
    pub looser: bool,
}

relations!();
