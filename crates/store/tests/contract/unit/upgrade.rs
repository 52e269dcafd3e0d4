use std::collections::{BTreeMap, BTreeSet};

use sea_orm::{ConnectionTrait, Database, DatabaseConnection, DbBackend};

use leitai_store::migrations::ALL;
use leitai_store::migrations::upgrade::is_breaking;

/// What a server of the version before relies on.
#[derive(Debug, Default)]
struct Schema {
    tables: BTreeSet<String>,
    /// By table and column: the type, and whether a row may be written without it.
    columns: BTreeMap<(String, String), (String, bool)>,
    /// Table and column of those that may be null.
    nullable: BTreeSet<(String, String)>,
    /// Table and columns of unique indexes.
    unique: BTreeSet<(String, String)>,
}

async fn read_schema(database: &DatabaseConnection) -> Schema {
    let mut schema = Schema::default();
    let columns = "SELECT tables.name AS of, columns.name, columns.type,
        columns.\"notnull\" = 0 AND columns.pk = 0 AS nullable,
        columns.\"notnull\" = 0 OR columns.dflt_value IS NOT NULL OR columns.pk > 0 AS free
        FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table'";
    for row in database
        .query_all_raw(statement(columns))
        .await
        .expect("asked")
    {
        let [of, name, kind] =
            ["of", "name", "type"].map(|part| row.try_get("", part).expect("text"));
        let is_free = row.try_get("", "free").expect("a number");
        schema.tables.insert(String::clone(&of));
        if row.try_get("", "nullable").expect("a number") {
            schema
                .nullable
                .insert((String::clone(&of), String::clone(&name)));
        }
        schema.columns.insert((of, name), (kind, is_free));
    }
    let unique = "SELECT tables.name AS of, group_concat(columns.name) AS names
        FROM sqlite_schema AS tables, pragma_index_list(tables.name) AS indexes,
        pragma_index_info(indexes.name) AS columns
        WHERE tables.type = 'table' AND indexes.\"unique\" GROUP BY tables.name, indexes.name";
    for row in database
        .query_all_raw(statement(unique))
        .await
        .expect("asked")
    {
        let [of, names] = ["of", "names"].map(|part| row.try_get("", part).expect("text"));
        schema.unique.insert((of, names));
    }
    schema
}

fn statement(sql: &str) -> sea_orm::Statement {
    sea_orm::Statement::from_string(sea_orm::DbBackend::Sqlite, sql)
}

/// What a server of before could not work with.
fn find_losses(before: &Schema, after: &Schema) -> Vec<String> {
    let mut losses = Vec::new();
    for (column, (kind, is_free)) in &before.columns {
        match after.columns.get(column) {
            None => losses.push(format!("{column:?} is gone")),
            Some((other, _)) if other != kind => losses.push(format!("{column:?} is {other}")),
            Some((_, still)) if *is_free && !still => {
                losses.push(format!("{column:?} must be given"))
            }
            Some(_) => {}
        }
    }
    let is_old = |table: &String| before.tables.contains(table);
    for (column, (_, is_free)) in &after.columns {
        if is_old(&column.0) && !before.columns.contains_key(column) && !is_free {
            losses.push(format!("{column:?} must be given"));
        }
    }
    // A server of before leaves a new column null, and nulls are never equal.
    let leaves_null = |(of, names): &(String, String)| {
        let mut columns = names.split(',').map(|name| (of.clone(), name.to_owned()));
        columns.any(|one| !before.columns.contains_key(&one) && after.nullable.contains(&one))
    };
    for index in after.unique.difference(&before.unique) {
        if is_old(&index.0) && !leaves_null(index) {
            losses.push(format!("{index:?} are unique"));
        }
    }
    losses
}

#[tokio::test]
async fn migrations_only_add_unless_their_names_say_so() {
    let database = Database::connect("sqlite::memory:")
        .await
        .expect("it opens");
    let mut before = Schema::default();
    let mut change = async |name: &str, sql: &str| {
        database.execute_unprepared(sql).await.expect(name);
        let after = read_schema(&database).await;
        let losses = find_losses(&before, &after);
        before = after;
        losses
    };
    for migration in ALL {
        let losses = change(migration.name, &migration.sql(DbBackend::Sqlite)).await;
        assert!(
            losses.is_empty() || is_breaking(migration.name),
            "servers of the version before cannot work after {}: {losses:#?}",
            migration.name
        );
    }
    // What they cannot work with is found.
    for (sql, loss) in [
        (
            "ALTER TABLE bots ADD COLUMN colour text; CREATE UNIQUE INDEX by_colour ON bots (colour)",
            None,
        ),
        ("ALTER TABLE bots DROP COLUMN about", Some("is gone")),
        (
            "ALTER TABLE users RENAME COLUMN admin TO rules",
            Some("is gone"),
        ),
        (
            "CREATE UNIQUE INDEX by_deed ON audit (deed)",
            Some("are unique"),
        ),
    ] {
        let losses = change(sql, sql).await.join(", ");
        assert_eq!(losses.is_empty(), loss.is_none(), "{sql}: {losses}");
        assert!(losses.contains(loss.unwrap_or_default()), "{sql}: {losses}");
    }
}
