use super::schema::*;

/// Adds what two people say to each other when their match is over.
pub(super) struct AddPartings;

#[async_trait::async_trait]
impl Migration for AddPartings {
    fn name(&self) -> &str {
        "m032_partings"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let partings = Table::create()
            .table("partings")
            .col(big_integer("match").primary_key())
            .col(string_null("a_said"))
            .col(string_null("b_said"))
            .col(json_null("rematch"))
            .col(big_integer("at"))
            .to_owned();
        manager.create_table(partings).await
    }
}
