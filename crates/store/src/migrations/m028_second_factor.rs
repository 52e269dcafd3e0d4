use super::schema::*;

/// Adds second factors of accounts, and their recovery codes.
pub(super) struct AddSecondFactor;

#[async_trait::async_trait]
impl Migration for AddSecondFactor {
    fn name(&self) -> &str {
        "m028_second_factor"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [factors(), codes()] {
            manager.create_table(table).await?;
        }
        Ok(())
    }
}

fn factors() -> TableCreateStatement {
    Table::create()
        .table("second_factors")
        .col(big_integer("user").primary_key())
        .col(text("secret"))
        .col(big_integer("created"))
        .col(big_integer_null("confirmed"))
        .col(big_integer("step"))
        .to_owned()
}

fn codes() -> TableCreateStatement {
    Table::create()
        .table("recovery_codes")
        .col(big_integer("user"))
        .col(string("hash"))
        .primary_key(Index::create().col("user").col("hash"))
        .to_owned()
}
