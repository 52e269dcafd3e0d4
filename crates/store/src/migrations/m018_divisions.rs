use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::*;

/// Adds the divisions of large ladders.
pub(super) struct AddDivisions;

impl MigrationName for AddDivisions {
    fn name(&self) -> &str {
        "m018_divisions"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for AddDivisions {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut ladder = Table::alter();
        ladder.table("ladder").add_column(integer_null("division"));
        manager.alter_table(ladder).await
    }
}
