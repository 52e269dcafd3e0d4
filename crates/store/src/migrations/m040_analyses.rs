use super::schema::*;

/// Adds the analyses of finished matches that the servers made.
pub(super) struct AddAnalyses;

#[async_trait::async_trait]
impl Migration for AddAnalyses {
    fn name(&self) -> &str {
        "m040_analyses"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let analyses = Table::create()
            .table("analyses")
            .col(big_integer("match").primary_key())
            .col(string("replay"))
            .col(string("version"))
            .col(string_null("blob"))
            .col(integer("done"))
            .col(string("holder"))
            .col(big_integer("at"))
            .to_owned();
        manager.create_table(analyses).await?;
        let by_age = Index::create()
            .name("analyses_at")
            .table("analyses")
            .col("at")
            .to_owned();
        manager.create_index(by_age).await
    }
}
