use super::schema::*;

/// Adds what organisers change in running contests: matches that are taken back, and an index by
/// which the changes of a contest are found in the audit log.
pub(super) struct AddContestChanges;

#[async_trait::async_trait]
impl Migration for AddContestChanges {
    fn name(&self) -> &str {
        "m010_contest_changes"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut matches = Table::alter();
        matches
            .table("contest_matches")
            .add_column(big_integer_null("taken_back"));
        manager.alter_table(matches).await?;
        let mut by_subject = Index::create();
        by_subject
            .name("audit_by_subject")
            .table("audit")
            .col("subject");
        manager.create_index(by_subject.to_owned()).await
    }
}
