use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::*;

/// Adds the span of a trace in which a job was made.
pub(super) struct AddJobTraces;

impl MigrationName for AddJobTraces {
    fn name(&self) -> &str {
        "m022_job_traces"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for AddJobTraces {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut jobs = Table::alter();
        jobs.table("jobs").add_column(text_null("trace"));
        manager.alter_table(jobs).await
    }
}
