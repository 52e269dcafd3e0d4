use super::schema::*;

/// Adds the rules that a contest keeps, and until when a game file is hidden.
pub(super) struct AddGameVersions;

#[async_trait::async_trait]
impl Migration for AddGameVersions {
    fn name(&self) -> &str {
        "m041_game_versions"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut contests = Table::alter();
        contests.table("contests").add_column(string_null("rules"));
        manager.alter_table(contests).await?;
        let mut files = Table::alter();
        files
            .table("game_files")
            .add_column(big_integer_null("hidden_until"));
        manager.alter_table(files).await
    }
}
