use super::schema::*;

/// Adds what the servers of one arena share: its id, by which they find each other, who of them
/// schedules, and the counts of rate limits.
pub(super) struct AddServers;

#[async_trait::async_trait]
impl Migration for AddServers {
    fn name(&self) -> &str {
        "m011_servers"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let identity = Table::create()
            .table("identity")
            .col(integer("id").primary_key())
            .col(string("arena"))
            .to_owned();
        manager.create_table(identity).await?;
        let leadership = Table::create()
            .table("leadership")
            .col(integer("id").primary_key())
            .col(string("holder"))
            .col(big_integer("until"))
            .to_owned();
        manager.create_table(leadership).await?;
        let rates = Table::create()
            .table("rates")
            .col(string("key").primary_key())
            .col(big_integer("paid_until"))
            .to_owned();
        manager.create_table(rates).await
    }
}
