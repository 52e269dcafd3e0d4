use super::schema::*;

/// Adds tags of matches, and who asked for a friendly match.
pub(super) struct AddMatchTags;

#[async_trait::async_trait]
impl Migration for AddMatchTags {
    fn name(&self) -> &str {
        "m017_match_tags"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut key = Index::create();
        key.name("pk_match_tags").col("tag").col("match_id");
        let tags = Table::create()
            .table("match_tags")
            .col(text("tag"))
            .col(big_integer("match_id"))
            .primary_key(&mut key)
            .to_owned();
        manager.create_table(tags).await?;
        let mut by_match = Index::create();
        by_match
            .name("match_tags_by_match")
            .table("match_tags")
            .col("match_id");
        manager.create_index(by_match.to_owned()).await?;
        let askers = Table::create()
            .table("match_askers")
            .col(big_integer("match_id").primary_key())
            .col(big_integer("user"))
            .to_owned();
        manager.create_table(askers).await?;
        let mut by_user = Index::create();
        by_user
            .name("match_askers_by_user")
            .table("match_askers")
            .col("user");
        manager.create_index(by_user.to_owned()).await
    }
}
