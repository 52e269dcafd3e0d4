use super::schema::*;

/// Adds the divisions of large ladders.
pub(super) struct AddDivisions;

#[async_trait::async_trait]
impl Migration for AddDivisions {
    fn name(&self) -> &str {
        "m018_divisions"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut ladder = Table::alter();
        ladder.table("ladder").add_column(integer_null("division"));
        manager.alter_table(ladder).await
    }
}
