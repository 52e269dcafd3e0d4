use super::schema::*;

use super::m001_arena::{foreign_key, index};

/// Several ladders of a game: what was keyed by bot or game is keyed by ladder. The key of the
/// standard ladder is the game's id, so that known rows are right as they are.
pub(super) struct AddLadders;

/// What is filled in with the columns added and the tables created; then what was before goes.
const MOVE_ROWS: &[&str] = &[
    "UPDATE ladders SET game = ladder",
    "INSERT INTO standings (ladder, bot, listed, skill, doubt, games, wins, draws, losses, faults,
     longest_us, picked, played, trend, failing, rests, rest_match, division, turn, best_rank,
     best_rank_since)
     SELECT game, bot, listed, skill, doubt, games, wins, draws, losses, faults, longest_us, picked,
     played, trend, failing, rests, rest_match, division, turn, best_rank, best_rank_since
     FROM ladder",
    "DROP TABLE ladder",
    "INSERT INTO head_to_heads (ladder, bot, rival, wins, draws, losses)
     SELECT bots.game, bot, rival, wins, draws, losses
     FROM head_to_head JOIN bots ON bots.id = head_to_head.bot",
    "DROP TABLE head_to_head",
    "UPDATE rating_changes SET ladder = (SELECT game FROM bots WHERE bots.id = rating_changes.bot)",
    "UPDATE matches SET ladder = game WHERE kind = 'ladder'",
    "DROP INDEX rating_changes_by_bot_id",
    "DROP INDEX matches_by_game_turn",
];

/// Indexes: whether unique, the table, the columns; `-` means descending.
const INDEXES: &[(bool, &str, &[&str])] = &[
    (false, "standings", &["ladder", "listed", "-skill", "bot"]),
    (false, "standings", &["ladder", "turn"]),
    (false, "standings", &["bot"]),
    (false, "rating_changes", &["bot", "ladder", "id"]),
    (true, "matches", &["ladder", "turn"]),
    (false, "matches", &["ladder", "id"]),
];

#[async_trait::async_trait]
impl Migration for AddLadders {
    fn name(&self) -> &str {
        "m023_ladders"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let renamed = Table::rename().table("turns", "ladders").to_owned();
        manager.rename_table(renamed).await?;
        for table in ["ladders", "doubt_raises"] {
            let mut key = Table::alter();
            key.table(table).rename_column("game", "ladder");
            manager.alter_table(key).await?;
        }
        for (table, column) in [
            ("ladders", text("game").default("").take()),
            ("ladders", boolean("open").default(true).take()),
            ("rating_changes", text("ladder").default("").take()),
            ("matches", text_null("ladder")),
            ("notifications", text_null("ladder")),
        ] {
            let mut more = Table::alter();
            more.table(table).add_column(column);
            manager.alter_table(more).await?;
        }
        manager.create_table(standings()).await?;
        manager.create_table(head_to_heads()).await?;
        for rows in MOVE_ROWS {
            manager.get_connection().execute_unprepared(rows).await?;
        }
        for (unique, table, columns) in INDEXES {
            manager.create_index(index(*unique, table, columns)).await?;
        }
        Ok(())
    }
}

fn standings() -> TableCreateStatement {
    Table::create()
        .table("standings")
        .col(text("ladder"))
        .col(big_integer("bot"))
        .col(boolean("listed"))
        .col(boolean("opted_out").default(false))
        .col(double("skill"))
        .col(double("doubt"))
        .col(big_integer("games"))
        .col(big_integer("wins"))
        .col(big_integer("draws"))
        .col(big_integer("losses"))
        .col(big_integer("faults"))
        .col(big_integer_null("longest_us"))
        .col(big_integer_null("picked"))
        .col(big_integer_null("played"))
        .col(json("trend"))
        .col(big_integer("failing"))
        .col(big_integer_null("rests"))
        .col(big_integer_null("rest_match"))
        .col(integer_null("division"))
        .col(big_integer("turn"))
        .col(integer_null("best_rank"))
        .col(big_integer_null("best_rank_since"))
        .primary_key(Index::create().col("ladder").col("bot"))
        .foreign_key(&mut foreign_key("bot", "bots"))
        .to_owned()
}

fn head_to_heads() -> TableCreateStatement {
    Table::create()
        .table("head_to_heads")
        .col(text("ladder"))
        .col(big_integer("bot"))
        .col(big_integer("rival"))
        .col(big_integer("wins"))
        .col(big_integer("draws"))
        .col(big_integer("losses"))
        .primary_key(Index::create().col("ladder").col("bot").col("rival"))
        .foreign_key(&mut foreign_key("bot", "bots"))
        .foreign_key(&mut foreign_key("rival", "bots"))
        .to_owned()
}
