use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::*;

/// Adds the lobby of several servers.
pub(super) struct AddLobby;

impl MigrationName for AddLobby {
    fn name(&self) -> &str {
        "m030_lobby"
    }
}

#[async_trait::async_trait]
impl MigrationTrait for AddLobby {
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
