use super::schema::*;

/// Adds what a contest's file says of who sees it: whether it is private, and from when its results
/// are shown.
pub(super) struct AddContestPrivacy;

#[async_trait::async_trait]
impl Migration for AddContestPrivacy {
    fn name(&self) -> &str {
        "m015_contest_privacy"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column at a time.
        for column in [
            boolean("private").default(false).take(),
            big_integer_null("results_from").take(),
        ] {
            let mut contests = Table::alter();
            contests.table("contests").add_column(column);
            manager.alter_table(contests).await?;
        }
        Ok(())
    }
}
