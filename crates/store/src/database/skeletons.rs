//! Names that look alike, such as `ivan1` and `ivanl`, or `coop` in Latin and in Cyrillic letters:
//! nobody takes one beside the other, because people would take it for the other.
//!
//! Names that look alike have the same skeleton (Unicode Technical Standard 39), which is unique for
//! accounts, groups, the teams of a group, the bots of a game, and contests. Names of before this was
//! asked stay: of those that look alike the oldest has the skeleton, the others have none until it is
//! free. Names are shown as they were written.

use sea_orm::entity::prelude::*;
use sea_orm::{
    DatabaseConnection, DbBackend, QuerySelect, SqliteTransactionMode, Statement,
    TransactionOptions, TransactionTrait,
};

use crate::migrations::alone::prepare_alone;
use crate::{Result, StoreError};

/// A table with names: within what they differ, which rows have one, and who has precedence.
struct Named {
    table: &'static str,
    scope: Option<&'static str>,
    living: &'static str,
    order: &'static str,
}

const NAMED: [Named; 5] = [
    Named::whole("users"),
    Named::whole("play_groups"),
    Named::whole("contests"),
    Named {
        scope: Some("scope"),
        ..Named::whole("teams")
    },
    Named {
        table: "bots",
        scope: Some("game"),
        living: " AND deleted IS NULL",
        order: "owner IS NOT NULL, id",
    },
];

impl Named {
    const fn whole(table: &'static str) -> Named {
        Named {
            table,
            scope: None,
            living: "",
            order: "id",
        }
    }
}

/// What is equal for names that look alike.
///
/// ```
/// use leitai_store::database::skeletons::skeleton;
///
/// assert_eq!(skeleton("Ivan1"), skeleton("lvanI"));
/// assert_eq!(skeleton("сооp"), skeleton("coop"), "Cyrillic and Latin");
/// assert_eq!(skeleton("tom"), skeleton("torn"));
/// assert_ne!(skeleton("tom"), skeleton("tim"));
/// ```
pub fn skeleton(name: &str) -> String {
    unicode_security::skeleton(name)
        .flat_map(char::to_lowercase)
        .collect()
}

/// [`StoreError::Alike`] if one of these rows, which have the skeleton of the wanted name, has another
/// name. Of the same name in other case the unique index tells.
pub(crate) async fn check<E: EntityTrait>(
    place: &impl ConnectionTrait,
    alike: Select<E>,
    name: E::Column,
    (what, wanted): (&'static str, &str),
) -> Result<()> {
    let names = alike.select_only().column(name).into_tuple();
    let found: Option<String> = names.one(place).await?;
    match found {
        Some(other) if fold_name(&other) != fold_name(wanted) => Err(StoreError::Alike {
            what,
            value: wanted.to_owned(),
            other,
        }),
        _ => Ok(()),
    }
}

/// Gives a skeleton to the names that have none, unless another has it: those of before, and those
/// that a server of the version before has written beside newer ones.
pub(crate) async fn fill(writer: &DatabaseConnection) -> Result<()> {
    let mut missing = Vec::new();
    for named in &NAMED {
        let Named {
            table,
            living,
            order,
            ..
        } = named;
        let all =
            format!("SELECT id, name FROM {table} WHERE skeleton IS NULL{living} ORDER BY {order}");
        let all = Statement::from_string(writer.get_database_backend(), all);
        for row in writer.query_all_raw(all).await? {
            let (id, name): (i64, String) = (row.try_get("", "id")?, row.try_get("", "name")?);
            missing.push((named, id, skeleton(&name)));
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let options = TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    let change = writer.begin_with_options(options).await?;
    prepare_alone(&change).await?;
    for (named, id, skeleton) in missing {
        let statement = Statement::from_sql_and_values(
            writer.get_database_backend(),
            give_unless_taken(named, writer.get_database_backend()),
            [skeleton.into(), id.into()],
        );
        change.execute_raw(statement).await?;
    }
    Ok(change.commit().await?)
}

fn give_unless_taken(named: &Named, backend: DbBackend) -> String {
    let table = named.table;
    let (skeleton, id) = match backend {
        DbBackend::Postgres => ("$1", "$2"),
        _ => ("?1", "?2"),
    };
    let beside = named
        .scope
        .map(|scope| format!(" AND other.{scope} = {table}.{scope}"));
    let beside = beside.unwrap_or_default();
    format!(
        "UPDATE {table} SET skeleton = {skeleton} WHERE id = {id} AND skeleton IS NULL AND NOT EXISTS \
         (SELECT 1 FROM {table} AS other WHERE other.skeleton = {skeleton}{beside})"
    )
}

/// Folds a name to lower case, so that names that differ by case alone are equal.
pub(crate) fn fold_name(name: &str) -> String {
    name.to_lowercase()
}
