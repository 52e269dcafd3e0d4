use super::schema::*;

/// Adds worker statistics, and the moves of human matches, so that these survive a restart of their
/// server.
pub(super) struct AddFleet;

#[async_trait::async_trait]
impl Migration for AddFleet {
    fn name(&self) -> &str {
        "m005_fleet"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in ["shows", "refused"] {
            let column = integer(column).default(0).take();
            manager
                .alter_table(Table::alter().table("workers").add_column(column).take())
                .await?;
        }
        manager.create_table(recorded_legs()).await
    }
}

fn recorded_legs() -> TableCreateStatement {
    Table::create()
        .table("recorded_legs")
        .col(big_integer("match_id"))
        .col(integer("leg"))
        .col(text("record"))
        .primary_key(Index::create().col("match_id").col("leg"))
        .foreign_key(
            ForeignKey::create()
                .from_col("match_id")
                .to("matches", "id"),
        )
        .to_owned()
}
