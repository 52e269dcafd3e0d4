use super::schema::*;

/// Adds the secrets of the first account, which all servers of an arena take.
pub(super) struct AddFirstSecrets;

#[async_trait::async_trait]
impl Migration for AddFirstSecrets {
    fn name(&self) -> &str {
        "m021_first_secrets"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let secrets = Table::create()
            .table("first_secrets")
            .col(text("hash").primary_key())
            .to_owned();
        manager.create_table(secrets).await
    }
}
