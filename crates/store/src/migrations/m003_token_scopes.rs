use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::*;

/// Adds scopes and an expiry to API tokens. Older tokens keep all rights, without an expiry.
pub(super) struct AddTokenScopes;

impl MigrationName for AddTokenScopes {
    fn name(&self) -> &str {
        "m003_token_scopes"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for AddTokenScopes {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column at a time.
        for column in [
            text("scopes").default("submit play admin").take(),
            big_integer_null("until").take(),
        ] {
            manager
                .alter_table(Table::alter().table("api_tokens").add_column(column).take())
                .await?;
        }
        Ok(())
    }
}
