use super::schema::*;

/// Adds who opened the matches with people that are not over.
pub(super) struct AddOpeners;

#[async_trait::async_trait]
impl Migration for AddOpeners {
    fn name(&self) -> &str {
        "m035_openers"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let openers = Table::create()
            .table("openers")
            .col(big_integer("match").primary_key())
            .col(string("opener"))
            .to_owned();
        manager.create_table(openers).await?;
        let of_a_person = Index::create()
            .name("openers_opener")
            .table("openers")
            .col("opener")
            .to_owned();
        manager.create_index(of_a_person).await
    }
}
