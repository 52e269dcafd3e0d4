use super::schema::*;

use super::m001_arena::index;

/// Adds the games that count on each ladder, and which matches hold copies of earlier ones.
pub(super) struct AddDistinctGames;

#[async_trait::async_trait]
impl Migration for AddDistinctGames {
    fn name(&self) -> &str {
        "m025_distinct_games"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let games = Table::create()
            .table("distinct_games")
            .col(text("ladder"))
            .col(text("game"))
            .col(big_integer("match_id"))
            .primary_key(Index::create().col("ladder").col("game"))
            .to_owned();
        manager.create_table(games).await?;
        let by_match = index(false, "distinct_games", &["match_id"]);
        manager.create_index(by_match).await?;
        for (table, column) in [
            ("matches", big_integer_null("copy_of")),
            ("standings", big_integer("copies").default(0).take()),
        ] {
            let mut more = Table::alter();
            more.table(table).add_column(column);
            manager.alter_table(more).await?;
        }
        Ok(())
    }
}
