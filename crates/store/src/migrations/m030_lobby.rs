use super::schema::*;

/// Adds the lobby of several servers.
pub(super) struct AddLobby;

#[async_trait::async_trait]
impl Migration for AddLobby {
    fn name(&self) -> &str {
        "m030_lobby"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let lobby = Table::create()
            .table("lobby")
            .col(big_integer("match").primary_key())
            .col(string("server"))
            .col(big_integer("until"))
            .to_owned();
        manager.create_table(lobby).await
    }
}
