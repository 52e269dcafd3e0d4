use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::*;

/// Adds the rests of bots that fail again and again.
pub(super) struct AddRests;

impl MigrationName for AddRests {
    fn name(&self) -> &str {
        "m008_rests"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for AddRests {
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
