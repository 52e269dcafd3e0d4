use super::schema::*;

/// Adds the span of a trace in which a job was made.
pub(super) struct AddJobTraces;

#[async_trait::async_trait]
impl Migration for AddJobTraces {
    fn name(&self) -> &str {
        "m022_job_traces"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut jobs = Table::alter();
        jobs.table("jobs").add_column(text_null("trace"));
        manager.alter_table(jobs).await
    }
}
