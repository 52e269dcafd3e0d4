use super::schema::*;

use super::m001_arena::index;

/// Adds whose turn it is in the queue, the pauses of receivers of webhooks that do not answer, and the
/// ratings with which bots join a ladder.
pub(super) struct AddFairQueue;

#[async_trait::async_trait]
impl Migration for AddFairQueue {
    fn name(&self) -> &str {
        "m026_fair_queue"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (table, column) in [
            ("jobs", text_null("flow")),
            ("jobs", big_integer("turn").default(0).to_owned()),
            ("jobs", big_integer_null("served")),
            ("jobs", big_integer_null("started")),
            ("webhooks", text_null("host")),
            ("webhooks", big_integer_null("rests_until")),
            ("webhooks", integer("time_outs").default(0).to_owned()),
            ("standings", double_null("base_skill")),
            ("standings", double_null("base_doubt")),
        ] {
            let mut alter = Table::alter();
            alter.table(table).add_column(column);
            manager.alter_table(alter).await?;
        }
        for (table, columns) in [
            ("jobs", &["state", "-priority", "turn", "id"][..]),
            ("jobs", &["kind", "served"]),
            ("jobs", &["kind", "flow", "turn"]),
            ("webhooks", &["host"]),
        ] {
            manager.create_index(index(false, table, columns)).await?;
        }
        Ok(())
    }
}
