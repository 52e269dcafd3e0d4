use super::schema::*;

/// Renames columns and the kinds of matches and jobs to the terms of the glossary.
pub(super) struct RenameTerms;

/// A table, the old name of a column, and the new one.
const COLUMNS: &[(&str, &str, &str)] = &[
    ("versions", "dialect", "protocol"),
    ("matches", "a_seat", "a_seat_token"),
    ("matches", "b_seat", "b_seat_token"),
    ("workers", "shows", "exhibitions"),
];

const KINDS: &[&str] = &[
    "UPDATE matches SET kind = 'human' WHERE kind = 'people'",
    "UPDATE matches SET kind = 'exhibition' WHERE kind = 'show'",
    "UPDATE jobs SET kind = 'human' WHERE kind = 'people'",
    "UPDATE jobs SET kind = 'exhibition' WHERE kind = 'show'",
];

#[async_trait::async_trait]
impl Migration for RenameTerms {
    fn name(&self) -> &str {
        "m006_terms"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (table, old, new) in COLUMNS {
            let renamed = Table::alter()
                .table(*table)
                .rename_column(*old, *new)
                .take();
            manager.alter_table(renamed).await?;
        }
        for kinds in KINDS {
            manager.get_connection().execute_unprepared(kinds).await?;
        }
        Ok(())
    }
}
