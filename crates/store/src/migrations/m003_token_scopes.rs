use super::schema::*;

/// Adds scopes and an expiry to API tokens. Older tokens keep all rights, without an expiry.
pub(super) struct AddTokenScopes;

#[async_trait::async_trait]
impl Migration for AddTokenScopes {
    fn name(&self) -> &str {
        "m003_token_scopes"
    }

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
