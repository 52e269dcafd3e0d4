use super::schema::*;

/// Adds webhooks, and what is to be delivered to them.
pub(super) struct AddWebhooks;

#[async_trait::async_trait]
impl Migration for AddWebhooks {
    fn name(&self) -> &str {
        "m012_webhooks"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let webhooks = Table::create()
            .table("webhooks")
            .col(big_pk_auto("id"))
            .col(string("owner_kind"))
            .col(big_integer("owner"))
            .col(big_integer("creator"))
            .col(text("url"))
            .col(json("events"))
            .col(string("secret"))
            .col(big_integer("created"))
            .col(string_null("off"))
            .col(integer("failures"))
            .col(big_integer("dropped"))
            .to_owned();
        manager.create_table(webhooks).await?;
        let mut by_owner = Index::create();
        by_owner
            .name("webhooks_by_owner")
            .table("webhooks")
            .col("owner_kind")
            .col("owner");
        manager.create_index(by_owner.to_owned()).await?;
        let deliveries = Table::create()
            .table("webhook_deliveries")
            .col(big_pk_auto("id"))
            .col(big_integer("webhook"))
            .col(string("event"))
            .col(string("key"))
            .col(json("subject"))
            .col(big_integer_null("contest"))
            .col(big_integer("created"))
            .col(big_integer("due"))
            .col(integer("attempts"))
            .col(string("state"))
            .col(integer_null("status"))
            .col(text_null("note"))
            .col(big_integer_null("ended"))
            .to_owned();
        manager.create_table(deliveries).await?;
        let mut once = Index::create();
        once.name("webhook_deliveries_once")
            .table("webhook_deliveries")
            .col("webhook")
            .col("key")
            .unique();
        manager.create_index(once.to_owned()).await?;
        let mut by_due = Index::create();
        by_due
            .name("webhook_deliveries_by_due")
            .table("webhook_deliveries")
            .col("state")
            .col("due");
        manager.create_index(by_due.to_owned()).await
    }
}
