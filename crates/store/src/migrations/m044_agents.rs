use super::schema::*;

/// Adds whether a bot was written by an agent, as its author says.
pub(super) struct AddAgents;

#[async_trait::async_trait]
impl Migration for AddAgents {
    fn name(&self) -> &str {
        "m044_agents"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut bots = Table::alter();
        bots.table("bots")
            .add_column(boolean("by_agent").default(false));
        manager.alter_table(bots).await
    }
}
