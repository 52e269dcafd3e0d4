use super::schema::*;

/// Adds who may add games, whom a game belongs to, matches before publication, and reports of games.
pub(super) struct AddGameRights;

#[async_trait::async_trait]
impl Migration for AddGameRights {
    fn name(&self) -> &str {
        "m042_game_rights"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in [rights(), owners(), previews(), reports()] {
            manager.create_table(table).await?;
        }
        for column in [
            big_integer_null("queued"),
            big_integer("check_attempts").default(0).take(),
        ] {
            let mut files = Table::alter();
            files.table("game_files").add_column(column);
            manager.alter_table(files).await?;
        }
        let mut told = Table::alter();
        told.table("notifications").add_column(string_null("game"));
        manager.alter_table(told).await
    }
}

fn rights() -> TableCreateStatement {
    Table::create()
        .table("game_rights")
        .col(big_integer("user").primary_key())
        .col(big_integer("given"))
        .to_owned()
}

fn owners() -> TableCreateStatement {
    Table::create()
        .table("game_owners")
        .col(string("game").primary_key())
        .col(big_integer_null("user"))
        .col(big_integer_null("taken_down"))
        .to_owned()
}

fn previews() -> TableCreateStatement {
    Table::create()
        .table("game_previews")
        .col(big_integer("file").primary_key())
        .col(text("replay"))
        .to_owned()
}

fn reports() -> TableCreateStatement {
    Table::create()
        .table("game_reports")
        .col(big_pk_auto("id"))
        .col(string("game"))
        .col(big_integer_null("user"))
        .col(big_integer_null("open_by"))
        .col(string("reason"))
        .col(text("note"))
        .col(big_integer("created"))
        .col(big_integer_null("closed"))
        .index(
            Index::create()
                .unique()
                .name("game_reports_once")
                .col("game")
                .col("open_by"),
        )
        .to_owned()
}
