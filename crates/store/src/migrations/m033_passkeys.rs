use super::schema::*;

/// Adds passkeys of accounts, and the challenges that wait for them.
pub(super) struct AddPasskeys;

#[async_trait::async_trait]
impl Migration for AddPasskeys {
    fn name(&self) -> &str {
        "m033_passkeys"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [passkeys(), challenges()] {
            manager.create_table(table).await?;
        }
        let of_a_person = Index::create()
            .name("passkeys_user")
            .table("passkeys")
            .col("user")
            .to_owned();
        manager.create_index(of_a_person).await
    }
}

fn passkeys() -> TableCreateStatement {
    Table::create()
        .table("passkeys")
        .col(big_pk_auto("id"))
        .col(big_integer("user"))
        .col(text("name"))
        .col(text("credential").unique_key())
        .col(text("key"))
        .col(text("state"))
        .col(big_integer("created"))
        .col(big_integer_null("used"))
        .to_owned()
}

fn challenges() -> TableCreateStatement {
    Table::create()
        .table("passkey_challenges")
        .col(string("hash").primary_key())
        .col(big_integer("user"))
        .col(string("kind"))
        .col(text("state"))
        .col(big_integer("until"))
        .to_owned()
}
