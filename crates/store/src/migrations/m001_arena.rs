use super::schema::*;

/// The first tables.
pub(super) struct CreateArenaTables;

#[async_trait::async_trait]
impl Migration for CreateArenaTables {
    fn name(&self) -> &str {
        "m001_arena"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in all_tables() {
            manager.create_table(table).await?;
        }
        for (unique, table, columns) in INDEXES {
            manager.create_index(index(*unique, table, columns)).await?;
        }
        Ok(())
    }
}

/// Indexes: whether unique, the table, the columns; `-` means descending.
const INDEXES: &[(bool, &str, &[&str])] = &[
    (true, "users", &["folded"]),
    (true, "sessions", &["hash"]),
    (false, "sessions", &["user"]),
    (false, "sessions", &["until"]),
    (true, "api_tokens", &["hash"]),
    (false, "api_tokens", &["user"]),
    (true, "bots", &["game", "folded"]),
    (false, "bots", &["game", "id"]),
    (false, "bots", &["owner"]),
    (true, "versions", &["bot", "number"]),
    (false, "matches", &["game", "id"]),
    (false, "matches", &["kind", "id"]),
    (false, "matches", &["game", "kind", "id"]),
    (false, "matches", &["state", "id"]),
    (true, "matches", &["invite"]),
    (true, "matches", &["game", "turn"]),
    (false, "match_entrants", &["bot", "faulted", "match_id"]),
    (false, "rating_changes", &["bot", "id"]),
    (false, "ladder", &["game", "listed", "-skill", "bot"]),
    (false, "jobs", &["state", "-priority", "id"]),
    (false, "jobs", &["state", "until"]),
    (true, "jobs", &["match_id"]),
    (true, "jobs", &["version_id"]),
];

pub(super) fn index(
    unique: bool,
    table: &'static str,
    columns: &[&'static str],
) -> IndexCreateStatement {
    let name = format!("{table}_by_{}", columns.join("_").replace('-', ""));
    let mut index = Index::create();
    index.name(name).table(table);
    for column in columns {
        match column.strip_prefix('-') {
            Some(column) => index.col((column, IndexOrder::Desc)),
            None => index.col(*column),
        };
    }
    if unique {
        index.unique();
    }
    index
}

pub(super) fn foreign_key(column: &'static str, table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from_col(column)
        .to(table, "id")
        .to_owned()
}

fn all_tables() -> Vec<TableCreateStatement> {
    [
        user_tables(),
        bot_tables(),
        play_tables(),
        ladder_tables(),
        job_tables(),
    ]
    .concat()
}

fn user_tables() -> Vec<TableCreateStatement> {
    vec![
        Table::create()
            .table("users")
            .col(big_pk_auto("id"))
            .col(text("name"))
            .col(text("folded"))
            .col(text("password"))
            .col(boolean("admin"))
            .col(boolean("disabled"))
            .col(big_integer("created"))
            .to_owned(),
        Table::create()
            .table("sessions")
            .col(big_pk_auto("id"))
            .col(big_integer("user"))
            .col(text("hash"))
            .col(big_integer("created"))
            .col(big_integer("until"))
            .foreign_key(&mut foreign_key("user", "users"))
            .to_owned(),
        Table::create()
            .table("api_tokens")
            .col(big_pk_auto("id"))
            .col(big_integer_null("user"))
            .col(text("kind"))
            .col(text("name"))
            .col(text("hash"))
            .col(big_integer("created"))
            .col(big_integer_null("used"))
            .foreign_key(&mut foreign_key("user", "users"))
            .to_owned(),
    ]
}

fn bot_tables() -> Vec<TableCreateStatement> {
    vec![
        Table::create()
            .table("bots")
            .col(big_pk_auto("id"))
            .col(text("game"))
            .col(text("name"))
            .col(text("folded"))
            .col(big_integer_null("owner"))
            .col(text("about"))
            .col(big_integer_null("active"))
            .col(boolean("retired"))
            .col(boolean("disabled"))
            .col(big_integer("created"))
            .foreign_key(&mut foreign_key("owner", "users"))
            .to_owned(),
        Table::create()
            .table("versions")
            .col(big_pk_auto("id"))
            .col(big_integer("bot"))
            .col(integer("number"))
            .col(text("state"))
            .col(text_null("source"))
            .col(text("file_name"))
            .col(big_integer("bytes"))
            .col(text("notes"))
            .col(boolean("activates"))
            .col(boolean("source_public"))
            .col(big_integer("created"))
            .col(big_integer_null("finished"))
            .col(text_null("how"))
            .col(text_null("dialect"))
            .col(text("log"))
            .col(json("steps"))
            .col(json_null("report"))
            .col(json_null("failure"))
            .foreign_key(&mut foreign_key("bot", "bots"))
            .to_owned(),
    ]
}

fn play_tables() -> Vec<TableCreateStatement> {
    vec![
        matches_table(),
        Table::create()
            .table("match_entrants")
            .col(big_integer("bot"))
            .col(big_integer("match_id"))
            .col(boolean("faulted"))
            .primary_key(Index::create().col("bot").col("match_id"))
            .foreign_key(&mut foreign_key("bot", "bots"))
            .foreign_key(&mut foreign_key("match_id", "matches"))
            .to_owned(),
    ]
}

fn matches_table() -> TableCreateStatement {
    Table::create()
        .table("matches")
        .col(big_pk_auto("id"))
        .col(text("game"))
        .col(text("kind"))
        .col(text("state"))
        .col(json_null("a"))
        .col(json_null("b"))
        .col(big_integer_null("a_bot"))
        .col(big_integer_null("b_bot"))
        .col(text_null("a_seat"))
        .col(text_null("b_seat"))
        .col(text_null("invite"))
        .col(big_integer("seed"))
        .col(json("config"))
        .col(json("limits"))
        .col(integer("legs"))
        .col(integer("priority"))
        .col(big_integer("created"))
        .col(big_integer_null("started"))
        .col(big_integer_null("finished"))
        .col(text_null("worker"))
        .col(big_integer_null("again_of"))
        .col(text_null("winner"))
        .col(json_null("reason"))
        .col(json_null("scores"))
        .col(json_null("leg_outcomes"))
        .col(json_null("faults"))
        .col(integer("a_faults"))
        .col(integer("b_faults"))
        .col(big_integer_null("a_longest_us"))
        .col(big_integer_null("b_longest_us"))
        .col(text_null("replay"))
        .col(big_integer_null("turn"))
        .col(double_null("a_change"))
        .col(double_null("b_change"))
        .col(text_null("note"))
        .to_owned()
}

fn ladder_tables() -> Vec<TableCreateStatement> {
    vec![
        Table::create()
            .table("ladder")
            .col(big_integer("bot").primary_key())
            .col(text("game"))
            .col(boolean("listed"))
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
            .foreign_key(&mut foreign_key("bot", "bots"))
            .to_owned(),
        Table::create()
            .table("turns")
            .col(text("game").primary_key())
            .col(big_integer("turn"))
            .col(big_integer("picks"))
            .to_owned(),
        Table::create()
            .table("rating_changes")
            .col(big_pk_auto("id"))
            .col(big_integer("bot"))
            .col(big_integer_null("match_id"))
            .col(big_integer("at"))
            .col(double("skill"))
            .col(double("doubt"))
            .foreign_key(&mut foreign_key("bot", "bots"))
            .to_owned(),
        Table::create()
            .table("doubt_raises")
            .col(text("game"))
            .col(big_integer("turn"))
            .col(big_integer("bot"))
            .primary_key(Index::create().col("game").col("turn"))
            .foreign_key(&mut foreign_key("bot", "bots"))
            .to_owned(),
        Table::create()
            .table("head_to_head")
            .col(big_integer("bot"))
            .col(big_integer("rival"))
            .col(big_integer("wins"))
            .col(big_integer("draws"))
            .col(big_integer("losses"))
            .primary_key(Index::create().col("bot").col("rival"))
            .foreign_key(&mut foreign_key("bot", "bots"))
            .foreign_key(&mut foreign_key("rival", "bots"))
            .to_owned(),
    ]
}

fn job_tables() -> Vec<TableCreateStatement> {
    vec![
        Table::create()
            .table("jobs")
            .col(big_pk_auto("id"))
            .col(text("kind"))
            .col(text("game"))
            .col(text("state"))
            .col(integer("priority"))
            .col(boolean("programs"))
            .col(big_integer_null("match_id"))
            .col(big_integer_null("version_id"))
            .col(integer("attempts"))
            .col(big_integer("created"))
            .col(text_null("worker"))
            .col(text_null("token"))
            .col(big_integer_null("until"))
            .col(text_null("note"))
            .foreign_key(&mut foreign_key("match_id", "matches"))
            .foreign_key(&mut foreign_key("version_id", "versions"))
            .to_owned(),
        Table::create()
            .table("workers")
            .col(text("name").primary_key())
            .col(text("version"))
            .col(text("isolation"))
            .col(integer("slots"))
            .col(integer("busy"))
            .col(boolean("remote"))
            .col(big_integer("created"))
            .col(big_integer("seen"))
            .to_owned(),
        Table::create()
            .table("audit")
            .col(big_pk_auto("id"))
            .col(big_integer("at"))
            .col(big_integer_null("user"))
            .col(text("deed"))
            .col(text("subject"))
            .col(json("detail"))
            .to_owned(),
    ]
}
