use super::schema::*;

/// Adds the recount of ladders and contests of before copies of a game counted once: how far each
/// is, the games that were read, and what authors are told.
pub(super) struct AddRecounts;

/// Whatever was counted before may hold copies.
const LADDERS: &str = "INSERT INTO recounts (subject)
    SELECT 'ladder ' || ladder FROM ladders WHERE EXISTS
    (SELECT 1 FROM matches WHERE matches.ladder = ladders.ladder AND matches.turn IS NOT NULL)";

#[async_trait::async_trait]
impl Migration for AddRecounts {
    fn name(&self) -> &str {
        "m031_recounts"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(recounts()).await?;
        let games = Table::create()
            .table("games_read")
            .col(big_integer("match_id").primary_key())
            .col(text("subject"))
            .col(text("games"))
            .to_owned();
        manager.create_table(games).await?;
        let mut by_subject = Index::create();
        by_subject
            .name("games_read_by_subject")
            .table("games_read")
            .col("subject");
        manager.create_index(by_subject.to_owned()).await?;
        for (table, column) in [
            ("rating_changes", text_null("reason")),
            ("notifications", double_null("rating_before")),
            ("notifications", double_null("rating_after")),
        ] {
            let mut more = Table::alter();
            more.table(table).add_column(column);
            manager.alter_table(more).await?;
        }
        let database = manager.get_connection();
        database.execute_unprepared(LADDERS).await?;
        Ok(())
    }
}

fn recounts() -> TableCreateStatement {
    let count = |name: &'static str| big_integer(name).default(0).take();
    Table::create()
        .table("recounts")
        .col(text("subject").primary_key())
        .col(count("read_to"))
        .col(big_integer_null("matches"))
        .col(count("matches_read"))
        .col(count("without_replay"))
        .col(count("games"))
        .col(count("copies"))
        .col(big_integer_null("finished"))
        .to_owned()
}
