use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::*;

/// Adds the secrets of the first account, which all servers of an arena take.
pub(super) struct AddFirstSecrets;

impl MigrationName for AddFirstSecrets {
    fn name(&self) -> &str {
        "m021_first_secrets"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for AddFirstSecrets {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let secrets = Table::create()
            .table("first_secrets")
            .col(text("hash").primary_key())
            .to_owned();
        manager.create_table(secrets).await
    }
}
