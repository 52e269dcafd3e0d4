use super::schema::*;
use sea_orm::DbBackend;

/// Adds the rows by which a person's matches are found, and indexes by which names are found from
/// their first letters.
pub(super) struct AddPeople;

#[async_trait::async_trait]
impl Migration for AddPeople {
    fn name(&self) -> &str {
        "m009_people"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(match_people()).await?;
        let connection = manager.get_connection();
        let backend = connection.get_database_backend();
        for statement in name_indexes(backend) {
            connection.execute_unprepared(statement).await?;
        }
        for side in ["a", "b"] {
            connection
                .execute_unprepared(&fill_side(backend, side))
                .await?;
        }
        Ok(())
    }
}

fn match_people() -> TableCreateStatement {
    Table::create()
        .table("match_people")
        .col(big_integer("user"))
        .col(big_integer("match_id"))
        .col(text("side"))
        .primary_key(Index::create().col("user").col("match_id"))
        .foreign_key(
            ForeignKey::create()
                .from_col("match_id")
                .to("matches", "id"),
        )
        .to_owned()
}

/// PostgreSQL searches an index by the first letters only if it orders text by bytes.
fn name_indexes(backend: DbBackend) -> &'static [&'static str] {
    match backend {
        DbBackend::Postgres => &[
            "CREATE INDEX bots_by_folded ON bots (folded text_pattern_ops)",
            "CREATE INDEX users_by_first_letters ON users (folded text_pattern_ops)",
        ],
        _ => &["CREATE INDEX bots_by_folded ON bots (folded)"],
    }
}

/// The people of the matches that were played before.
fn fill_side(backend: DbBackend, side: &str) -> String {
    let user = match backend {
        DbBackend::Postgres => format!("CAST({side}->>'user' AS BIGINT)"),
        _ => format!("CAST(json_extract({side}, '$.user') AS INTEGER)"),
    };
    format!(
        "INSERT INTO match_people (\"user\", match_id, side) \
         SELECT {user}, id, '{side}' FROM matches WHERE kind = 'human' AND {user} IS NOT NULL \
         ON CONFLICT DO NOTHING"
    )
}
