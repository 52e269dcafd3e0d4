use super::schema::*;

/// Adds the keys with which the arena signs replays.
pub(super) struct AddSigningKeys;

#[async_trait::async_trait]
impl Migration for AddSigningKeys {
    fn name(&self) -> &str {
        "m027_signing_keys"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let keys = Table::create()
            .table("signing_keys")
            .col(big_pk_auto("id"))
            .col(string_uniq("public"))
            .col(text("secret"))
            .col(text_null("arena"))
            .col(big_integer("created"))
            .col(big_integer_null("retired"))
            .col(big_integer_null("revoked"))
            .col(text_null("why"))
            .to_owned();
        manager.create_table(keys).await
    }
}
