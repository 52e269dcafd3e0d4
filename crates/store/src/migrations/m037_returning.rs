use super::schema::*;

/// Adds what brings people back: their last visits, what they have reached, and daily challenges.
pub(super) struct AddReturning;

#[async_trait::async_trait]
impl Migration for AddReturning {
    fn name(&self) -> &str {
        "m037_returning"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let visits = Table::create()
            .table("visits")
            .col(big_integer("user").primary_key())
            .col(big_integer_null("since"))
            .col(big_integer("seen"))
            .to_owned();
        let achievements = Table::create()
            .table("achievements")
            .col(big_integer("user").primary_key())
            .col(text("kept"))
            .to_owned();
        let challenges = Table::create()
            .table("daily_challenges")
            .col(string("day").primary_key())
            .col(text("challenge"))
            .col(big_integer("made"))
            .to_owned();
        for table in [visits, achievements, challenges] {
            manager.create_table(table).await?;
        }
        Ok(())
    }
}
