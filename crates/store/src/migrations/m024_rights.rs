use super::schema::*;

use super::m001_arena::index;

/// Adds whom the names in contests' files mean, names that were given up, invitations to groups,
/// the browsers that an account knows, and the group of a notification.
pub(super) struct AddRights;

#[async_trait::async_trait]
impl Migration for AddRights {
    fn name(&self) -> &str {
        "m024_rights"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [contest_names(), freed_names(), invitations(), browsers()] {
            manager.create_table(table).await?;
        }
        let mut notifications = Table::alter();
        notifications
            .table("notifications")
            .add_column(big_integer_null("group_id"));
        manager.alter_table(notifications).await?;
        for (table, column) in [
            ("contest_names", "target"),
            ("group_invitations", "user"),
            ("known_browsers", "user"),
        ] {
            manager.create_index(index(false, table, &[column])).await?;
        }
        Ok(())
    }
}

fn contest_names() -> TableCreateStatement {
    Table::create()
        .table("contest_names")
        .col(big_integer("contest"))
        .col(string("kind"))
        .col(text("folded"))
        .col(big_integer_null("target"))
        .primary_key(Index::create().col("contest").col("kind").col("folded"))
        .to_owned()
}

fn freed_names() -> TableCreateStatement {
    Table::create()
        .table("freed_names")
        .col(string("hash").primary_key())
        .col(big_integer("owner"))
        .col(big_integer("freed"))
        .to_owned()
}

fn invitations() -> TableCreateStatement {
    Table::create()
        .table("group_invitations")
        .col(big_integer("group_id"))
        .col(big_integer("user"))
        .col(text_null("team"))
        .col(big_integer_null("inviter"))
        .col(big_integer("created"))
        .primary_key(Index::create().col("group_id").col("user"))
        .to_owned()
}

fn browsers() -> TableCreateStatement {
    Table::create()
        .table("known_browsers")
        .col(string("hash"))
        .col(big_integer("user"))
        .col(big_integer("until"))
        .primary_key(Index::create().col("hash").col("user"))
        .to_owned()
}
