use super::schema::*;

/// Adds what happened, and up to where each subscriber has read it.
pub(super) struct AddEvents;

#[async_trait::async_trait]
impl Migration for AddEvents {
    fn name(&self) -> &str {
        "m045_events"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let events = Table::create()
            .table("events")
            .col(big_pk_auto("seq"))
            .col(string("kind"))
            .col(string("subject"))
            .col(json("payload"))
            .col(big_integer("at"))
            .to_owned();
        manager.create_table(events).await?;
        let positions = Table::create()
            .table("event_positions")
            .col(string("subscriber").primary_key())
            .col(big_integer("position"))
            .to_owned();
        manager.create_table(positions).await?;
        let connection = manager.get_connection();
        let first = "INSERT INTO event_positions (subscriber, position)
            VALUES ('mail', 0), ('page', 0), ('webhooks', 0)";
        connection.execute_unprepared(first).await.map(drop)
    }
}
