use super::schema::*;

/// Adds the best rank of bots on their ladder.
pub(super) struct AddBestRanks;

#[async_trait::async_trait]
impl Migration for AddBestRanks {
    fn name(&self) -> &str {
        "m020_best_ranks"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in [
            integer_null("best_rank"),
            big_integer_null("best_rank_since"),
        ] {
            let mut ladder = Table::alter();
            ladder.table("ladder").add_column(column);
            manager.alter_table(ladder).await?;
        }
        Ok(())
    }
}
