//! Adds the skeletons of names, which are unique, so that no two names look alike. Those of the rows
//! that are there are written when the store opens.

use super::schema::*;

use super::m001_arena::index;

/// Adds what is equal for names that look alike.
pub(super) struct AddSkeletons;

/// Tables with names, and within what these differ.
const NAMED: [(&str, &[&str]); 5] = [
    ("users", &["skeleton"]),
    ("play_groups", &["skeleton"]),
    ("contests", &["skeleton"]),
    ("teams", &["scope", "skeleton"]),
    ("bots", &["game", "skeleton"]),
];

#[async_trait::async_trait]
impl Migration for AddSkeletons {
    fn name(&self) -> &str {
        "m034_skeletons"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (table, columns) in NAMED {
            let mut named = Table::alter();
            named.table(table).add_column(text_null("skeleton"));
            manager.alter_table(named).await?;
            manager.create_index(index(true, table, columns)).await?;
        }
        Ok(())
    }
}
