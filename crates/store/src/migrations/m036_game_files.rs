use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::*;

/// Adds the game files that administrators brought.
pub(super) struct AddGameFiles;

impl MigrationName for AddGameFiles {
    fn name(&self) -> &str {
        "m036_game_files"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for AddGameFiles {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let files = Table::create()
            .table("game_files")
            .col(big_pk_auto("id"))
            .col(string("game"))
            .col(string("rules"))
            .col(string_uniq("hash"))
            .col(big_integer("bytes"))
            .col(string("state"))
            .col(json("said"))
            .col(big_integer_null("brought_by"))
            .col(big_integer("created"))
            .col(big_integer_null("checked_until"))
            .col(big_integer_null("published"))
            .col(big_integer_null("retired"))
            .to_owned();
        manager.create_table(files).await
    }
}
