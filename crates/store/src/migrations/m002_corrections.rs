use super::schema::*;

/// Adds corrections, and the row that the readiness check writes.
pub(super) struct CreateCorrectionTables;

#[async_trait::async_trait]
impl Migration for CreateCorrectionTables {
    fn name(&self) -> &str {
        "m002_corrections"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(corrections_table()).await?;
        manager.create_table(heartbeat_table()).await?;
        let mut index = Index::create();
        index
            .name("corrections_by_match_id")
            .table("corrections")
            .col("match_id");
        manager.create_index(index).await
    }
}

fn corrections_table() -> TableCreateStatement {
    Table::create()
        .table("corrections")
        .col(big_pk_auto("id"))
        .col(big_integer("match_id"))
        .col(big_integer("at"))
        .col(big_integer_null("user"))
        .col(text_null("before"))
        .col(json_null("reason_before"))
        .col(text_null("after"))
        .col(text("why"))
        .foreign_key(
            ForeignKey::create()
                .from_col("match_id")
                .to("matches", "id"),
        )
        .to_owned()
}

fn heartbeat_table() -> TableCreateStatement {
    Table::create()
        .table("health")
        .col(integer("id").primary_key())
        .col(big_integer("at"))
        .to_owned()
}
