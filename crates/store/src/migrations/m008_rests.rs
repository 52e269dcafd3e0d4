use super::schema::*;

/// Adds the rests of bots that fail again and again.
pub(super) struct AddRests;

#[async_trait::async_trait]
impl Migration for AddRests {
    fn name(&self) -> &str {
        "m008_rests"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let failing = big_integer("failing").default(0).take();
        for column in [
            failing,
            big_integer_null("rests"),
            big_integer_null("rest_match"),
        ] {
            let mut ladder = Table::alter();
            ladder.table("ladder").add_column(column);
            manager.alter_table(ladder).await?;
        }
        Ok(())
    }
}
