use super::schema::*;

/// Adds the marks of deleted rows, the blobs to be removed, and the sizes of replays.
pub(super) struct AddDeletion;

/// Tables and their new columns: nullable integers.
const COLUMNS: &[(&str, &str)] = &[
    ("bots", "deleted"),
    ("versions", "deleted"),
    ("matches", "replay_bytes"),
    ("matches", "replay_removed"),
];

/// Partial indexes of the few rows that are looked for.
const INDEXES: &[&str] = &[
    "CREATE INDEX matches_by_kept_replay ON matches (kind, finished, replay_bytes) \
     WHERE replay IS NOT NULL",
    "CREATE INDEX matches_by_unsized_replay ON matches (id) \
     WHERE replay IS NOT NULL AND replay_bytes IS NULL",
    "CREATE INDEX versions_by_source ON versions (source)",
];

#[async_trait::async_trait]
impl Migration for AddDeletion {
    fn name(&self) -> &str {
        "m004_deletion"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (table, column) in COLUMNS {
            let mut new = Table::alter();
            new.table(*table).add_column(big_integer_null(*column));
            manager.alter_table(new).await?;
        }
        for table in [discards(), erasures(), rewrites()] {
            manager.create_table(table).await?;
        }
        for index in INDEXES {
            manager.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }
}

fn discards() -> TableCreateStatement {
    Table::create()
        .table("discards")
        .col(text("key").primary_key())
        .col(big_integer("after"))
        .col(boolean("claimed"))
        .to_owned()
}

fn erasures() -> TableCreateStatement {
    Table::create()
        .table("erasures")
        .col(big_pk_auto("id"))
        .col(big_integer_null("bot"))
        .col(big_integer_null("user"))
        .col(big_integer("before"))
        .to_owned()
}

fn rewrites() -> TableCreateStatement {
    Table::create()
        .table("replay_rewrites")
        .col(big_integer("match_id").primary_key())
        .foreign_key(
            ForeignKey::create()
                .from_col("match_id")
                .to("matches", "id"),
        )
        .to_owned()
}
