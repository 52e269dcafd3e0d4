use super::schema::*;

/// Adds experiments: sequential tests between two versions, their matches, and the lanes in which
/// uploads become active.
pub(super) struct AddExperiments;

#[async_trait::async_trait]
impl Migration for AddExperiments {
    fn name(&self) -> &str {
        "m039_experiments"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [experiments(), matches(), lanes()] {
            manager.create_table(table).await?;
        }
        let by_bot = Index::create()
            .name("experiments_of_bot")
            .table("experiments")
            .col("bot")
            .col("id")
            .to_owned();
        let by_state = Index::create()
            .name("experiments_by_state")
            .table("experiments")
            .col("state")
            .to_owned();
        for index in [by_bot, by_state] {
            manager.create_index(index).await?;
        }
        Ok(())
    }
}

fn experiments() -> TableCreateStatement {
    Table::create()
        .table("experiments")
        .col(big_pk_auto("id"))
        .col(big_integer("owner"))
        .col(string("game"))
        .col(big_integer("bot"))
        .col(big_integer("version"))
        .col(big_integer("base_bot"))
        .col(big_integer("base_version"))
        .col(boolean("promotes"))
        .col(json("config"))
        .col(big_integer("seed"))
        .col(double("elo0"))
        .col(double("elo1"))
        .col(double("alpha"))
        .col(double("beta"))
        .col(integer("most_pairs"))
        .col(string("state"))
        .col(text_null("note"))
        .col(big_integer("created"))
        .col(big_integer_null("ended"))
        .to_owned()
}

fn matches() -> TableCreateStatement {
    Table::create()
        .table("experiment_matches")
        .col(big_integer("match_id").primary_key())
        .col(big_integer("experiment"))
        .col(integer("pair"))
        .col(integer("part"))
        .col(json_null("record"))
        .index(
            Index::create()
                .unique()
                .name("experiment_matches_once")
                .col("experiment")
                .col("pair")
                .col("part"),
        )
        .foreign_key(
            ForeignKey::create()
                .from_col("experiment")
                .to("experiments", "id"),
        )
        .foreign_key(
            ForeignKey::create()
                .from_col("match_id")
                .to("matches", "id"),
        )
        .to_owned()
}

fn lanes() -> TableCreateStatement {
    Table::create()
        .table("candidate_lanes")
        .col(big_integer("bot").primary_key())
        .col(string("lane"))
        .col(double("elo0"))
        .col(double("elo1"))
        .col(double("alpha"))
        .col(double("beta"))
        .col(integer("most_pairs"))
        .to_owned()
}
