use super::schema::*;

/// Adds quotas of groups, and the actions of people that quotas count.
pub(super) struct AddGroupQuotas;

#[async_trait::async_trait]
impl Migration for AddGroupQuotas {
    fn name(&self) -> &str {
        "m016_group_quotas"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let quotas = Table::create()
            .table("group_quotas")
            .col(big_integer("group_id").primary_key())
            .col(big_integer_null("hourly_uploads"))
            .col(big_integer_null("daily_friendlies"))
            .col(big_integer_null("daily_cpu_seconds"))
            .col(big_integer_null("versions"))
            .col(big_integer_null("source_bytes"))
            .col(text_null("languages"))
            .col(boolean("looser").default(false))
            .to_owned();
        manager.create_table(quotas).await?;
        let actions = Table::create()
            .table("counted_actions")
            .col(big_pk_auto("id"))
            .col(big_integer("user"))
            .col(string("kind"))
            .col(big_integer("at"))
            .col(big_integer_null("match_id"))
            .col(big_integer_null("cpu_us"))
            .to_owned();
        manager.create_table(actions).await?;
        let mut by_user = Index::create();
        by_user
            .name("counted_actions_by_user_kind_at")
            .table("counted_actions")
            .col("user")
            .col("kind")
            .col("at");
        manager.create_index(by_user.to_owned()).await?;
        let mut by_match = Index::create();
        by_match
            .name("counted_actions_by_match")
            .table("counted_actions")
            .col("match_id");
        manager.create_index(by_match.to_owned()).await?;
        let mut by_age = Index::create();
        by_age
            .name("counted_actions_by_at")
            .table("counted_actions")
            .col("at");
        manager.create_index(by_age.to_owned()).await
    }
}
