use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::*;

/// Adds the id of the arena, by which its servers find each other.
pub(super) struct AddIdentity;

impl MigrationName for AddIdentity {
    fn name(&self) -> &str {
        "m011_identity"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for AddIdentity {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table("identity")
            .col(integer("id").primary_key())
            .col(string("arena"))
            .to_owned();
        manager.create_table(table).await
    }
}
