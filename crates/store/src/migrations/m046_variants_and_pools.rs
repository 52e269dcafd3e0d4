use super::schema::*;

/// Adds variants, pools and pinned moments to experiments and lanes, and the experiment that somebody
/// is told of.
pub(super) struct AddVariantsAndPools;

#[async_trait::async_trait]
impl Migration for AddVariantsAndPools {
    fn name(&self) -> &str {
        "m046_variants_and_pools"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = [
            ("experiments", big_integer_null("family")),
            ("experiments", json_null("pool")),
            ("experiments", json_null("pins")),
            ("candidate_lanes", integer("neighbours").default(0).take()),
            ("notifications", big_integer_null("experiment")),
        ];
        for (table, column) in columns {
            let mut altered = Table::alter();
            altered.table(table).add_column(column);
            manager.alter_table(altered).await?;
        }
        manager.create_table(pins()).await?;
        let by_family = Index::create()
            .name("experiments_of_family")
            .table("experiments")
            .col("family")
            .to_owned();
        let by_bot = Index::create()
            .name("pins_of_bot")
            .table("pins")
            .col("bot")
            .to_owned();
        for index in [by_family, by_bot] {
            manager.create_index(index).await?;
        }
        Ok(())
    }
}

fn pins() -> TableCreateStatement {
    Table::create()
        .table("pins")
        .col(big_pk_auto("id"))
        .col(big_integer("bot"))
        .col(big_integer("match_id"))
        .col(integer("leg"))
        .col(integer("round"))
        .col(integer("entrant"))
        .col(json("played"))
        .col(text("why"))
        .col(big_integer("created"))
        .to_owned()
}
