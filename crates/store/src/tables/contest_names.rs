//! The table `contest_names`.

use sea_orm::entity::prelude::*;

use crate::ContestId;

/// What a name names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "kebab-case")]
pub enum NameKind {
    /// An account.
    Account,
    /// A group.
    Group,
}

impl NameKind {
    /// The word for it in messages and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            NameKind::Account => "account",
            NameKind::Group => "group",
        }
    }
}

/// Whom a name in a contest's file means.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "contest_names")]
pub struct Model {
    /// The contest.
    #[sea_orm(primary_key, auto_increment = false)]
    pub contest: ContestId,
    /// What the name names.
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: NameKind,
    /// The name in lower case.
    #[sea_orm(primary_key, auto_increment = false)]
    pub folded: String,
    /// The account or group, which may be deleted by now; `None` for nobody: of a contest of an
    /// earlier version it cannot be told whom it meant.
    pub target: Option<i64>,
}

relations!();
