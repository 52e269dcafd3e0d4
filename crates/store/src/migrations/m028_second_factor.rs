use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::*;

/// Adds second factors of accounts, and their recovery codes.
pub(super) struct AddSecondFactor;

impl MigrationName for AddSecondFactor {
    fn name(&self) -> &str {
        "m028_second_factor"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for AddSecondFactor {
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
