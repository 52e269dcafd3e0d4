use super::schema::*;

/// Adds contests: their entries, stages and matches.
pub(super) struct CreateContestTables;

/// Indexes: whether unique, the name, the table, the columns.
const INDEXES: &[(bool, &str, &str, &[&str])] = &[
    (true, "contests_by_name", "contests", &["name"]),
    (false, "contests_by_state", "contests", &["state"]),
    (
        true,
        "contest_entries_by_bot",
        "contest_entries",
        &["contest", "bot"],
    ),
    (
        true,
        "contest_matches_by_place",
        "contest_matches",
        &[
            "contest", "stage", "place", "number", "one", "other", "attempt",
        ],
    ),
];

#[async_trait::async_trait]
impl Migration for CreateContestTables {
    fn name(&self) -> &str {
        "m007_contests"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [contests(), entries(), stages(), matches()] {
            manager.create_table(table).await?;
        }
        for (unique, name, table, columns) in INDEXES {
            let mut index = Index::create();
            index.name(*name).table(*table);
            for column in *columns {
                index.col(*column);
            }
            if *unique {
                index.unique();
            }
            manager.create_index(index).await?;
        }
        Ok(())
    }
}

fn contests() -> TableCreateStatement {
    Table::create()
        .table("contests")
        .col(big_pk_auto("id"))
        .col(text("name"))
        .col(text("game"))
        .col(text("file"))
        .col(big_integer("seed"))
        .col(text("state"))
        .col(boolean("paused"))
        .col(big_integer("created"))
        .col(big_integer_null("frozen"))
        .col(big_integer_null("ended"))
        .col(text_null("note"))
        .to_owned()
}

fn entries() -> TableCreateStatement {
    Table::create()
        .table("contest_entries")
        .col(big_pk_auto("id"))
        .col(big_integer("contest"))
        .col(big_integer("bot"))
        .col(big_integer_null("version"))
        .col(big_integer("joined"))
        .col(text_null("left"))
        .col(text_null("why"))
        .foreign_key(&mut of_contest())
        .to_owned()
}

fn stages() -> TableCreateStatement {
    Table::create()
        .table("contest_stages")
        .col(big_integer("contest"))
        .col(integer("stage"))
        .col(big_integer("begun"))
        .col(json("seeds"))
        .primary_key(Index::create().col("contest").col("stage"))
        .foreign_key(&mut of_contest())
        .to_owned()
}

fn matches() -> TableCreateStatement {
    Table::create()
        .table("contest_matches")
        .col(big_integer("match_id").primary_key())
        .col(big_integer("contest"))
        .col(integer("stage"))
        .col(text("place"))
        .col(integer("number"))
        .col(integer("attempt"))
        .col(big_integer("one"))
        .col(big_integer("other"))
        .foreign_key(&mut of_contest())
        .foreign_key(
            ForeignKey::create()
                .from_col("match_id")
                .to("matches", "id"),
        )
        .to_owned()
}

fn of_contest() -> ForeignKeyCreateStatement {
    let mut key = ForeignKey::create();
    key.from_col("contest").to("contests", "id");
    key
}
