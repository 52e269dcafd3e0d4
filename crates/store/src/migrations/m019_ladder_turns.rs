use super::schema::*;

/// Adds the turn of each standing's last change.
pub(super) struct AddLadderTurns;

#[async_trait::async_trait]
impl Migration for AddLadderTurns {
    fn name(&self) -> &str {
        "m019_ladder_turns"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let turn = big_integer("turn").default(0).take();
        let mut ladder = Table::alter();
        ladder.table("ladder").add_column(turn);
        manager.alter_table(ladder).await?;
        let mut changed = Index::create();
        changed
            .name("ladder_by_game_turn")
            .table("ladder")
            .col("game")
            .col("turn");
        manager.create_index(changed.to_owned()).await
    }
}
