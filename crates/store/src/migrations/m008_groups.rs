use super::schema::*;

/// Adds groups and teams with their members, the team of a bot, and passwords that must be changed.
pub(super) struct AddGroups;

/// Indexes of the new tables and columns.
const INDEXES: &[&str] = &[
    "CREATE UNIQUE INDEX groups_by_folded ON play_groups (folded)",
    "CREATE INDEX group_members_by_user ON group_members (\"user\")",
    "CREATE UNIQUE INDEX teams_by_scope_folded ON teams (scope, folded)",
    "CREATE UNIQUE INDEX teams_by_code ON teams (code)",
    "CREATE INDEX team_members_by_user ON team_members (\"user\")",
    "CREATE INDEX bots_by_team ON bots (team)",
];

#[async_trait::async_trait]
impl Migration for AddGroups {
    fn name(&self) -> &str {
        "m008_groups"
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let temporary = boolean("password_temporary").default(false).take();
        let mut users = Table::alter();
        users.table("users").add_column(temporary);
        manager.alter_table(users).await?;
        let mut bots = Table::alter();
        bots.table("bots").add_column(big_integer_null("team"));
        manager.alter_table(bots).await?;
        for table in [groups(), group_members(), teams(), team_members()] {
            manager.create_table(table).await?;
        }
        for index in INDEXES {
            manager.get_connection().execute_unprepared(index).await?;
        }
        Ok(())
    }
}

fn foreign_key(column: &'static str, table: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .from_col(column)
        .to(table, "id")
        .to_owned()
}

/// `groups` is a word of SQL, hence the longer name.
fn groups() -> TableCreateStatement {
    Table::create()
        .table("play_groups")
        .col(big_pk_auto("id"))
        .col(text("name"))
        .col(text("folded"))
        .col(text("about"))
        .col(integer("team_size"))
        .col(big_integer("created"))
        .to_owned()
}

fn group_members() -> TableCreateStatement {
    Table::create()
        .table("group_members")
        .col(big_integer("group_id"))
        .col(big_integer("user"))
        .col(boolean("organiser"))
        .col(boolean("issued"))
        .col(big_integer("joined"))
        .primary_key(Index::create().col("group_id").col("user"))
        .foreign_key(&mut foreign_key("group_id", "play_groups"))
        .foreign_key(&mut foreign_key("user", "users"))
        .to_owned()
}

/// `scope` is the number of the group, or 0: names are unique within it.
fn teams() -> TableCreateStatement {
    Table::create()
        .table("teams")
        .col(big_pk_auto("id"))
        .col(big_integer("scope"))
        .col(text("name"))
        .col(text("folded"))
        .col(text("code"))
        .col(integer("size"))
        .col(big_integer("captain"))
        .col(big_integer("created"))
        .foreign_key(&mut foreign_key("captain", "users"))
        .to_owned()
}

fn team_members() -> TableCreateStatement {
    Table::create()
        .table("team_members")
        .col(big_integer("team_id"))
        .col(big_integer("user"))
        .col(big_integer("joined"))
        .primary_key(Index::create().col("team_id").col("user"))
        .foreign_key(&mut foreign_key("team_id", "teams"))
        .foreign_key(&mut foreign_key("user", "users"))
        .to_owned()
}
