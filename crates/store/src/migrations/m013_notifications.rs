use super::schema::*;

/// Adds whom people follow, and what they are told in the page.
pub(super) struct AddNotifications;

#[async_trait::async_trait]
impl Migration for AddNotifications {
    fn name(&self) -> &str {
        "m013_notifications"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let follows = Table::create()
            .table("follows")
            .col(big_integer("user"))
            .col(string("kind"))
            .col(big_integer("target"))
            .col(big_integer("since"))
            .primary_key(Index::create().col("user").col("kind").col("target"))
            .to_owned();
        manager.create_table(follows).await?;
        let mut by_target = Index::create();
        by_target
            .name("follows_by_target")
            .table("follows")
            .col("kind")
            .col("target");
        manager.create_index(by_target.to_owned()).await?;
        let notifications = Table::create()
            .table("notifications")
            .col(big_pk_auto("id"))
            .col(big_integer("user"))
            .col(string("kind"))
            .col(string("key"))
            .col(big_integer_null("bot"))
            .col(integer_null("version"))
            .col(big_integer_null("contest"))
            .col(integer_null("place"))
            .col(big_integer_null("player"))
            .col(big_integer("created"))
            .col(boolean("read").default(false))
            .to_owned();
        manager.create_table(notifications).await?;
        let mut once = Index::create();
        once.name("notifications_once")
            .table("notifications")
            .col("user")
            .col("key")
            .unique();
        manager.create_index(once.to_owned()).await?;
        let mut by_user = Index::create();
        by_user
            .name("notifications_by_user")
            .table("notifications")
            .col("user")
            .col("id");
        manager.create_index(by_user.to_owned()).await?;
        let mut by_age = Index::create();
        by_age
            .name("notifications_by_created")
            .table("notifications")
            .col("created");
        manager.create_index(by_age.to_owned()).await
    }
}
