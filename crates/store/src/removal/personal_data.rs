//! What the arena keeps about a person, for that person (the right of access and the right to take
//! one's data elsewhere: articles 15 and 20 of the GDPR).

use sea_orm::sea_query::{Alias, ExprTrait, Query, SelectStatement};

use crate::database::prelude::*;
use crate::{Json, UserId};

/// The rows of a table that are about a person.
#[derive(Clone, Debug, PartialEq)]
pub struct PersonalRows {
    /// The table.
    pub table: &'static str,
    /// A JSON object a row. Times are RFC 3339.
    pub rows: Vec<Json>,
}

/// Which rows of a table are about a person.
enum Whose {
    /// Those with the account's key in this column.
    Own(&'static str),
    /// Those whose column names a row of another table: column, table, its key, its account.
    Below(&'static str, &'static str, &'static str, &'static str),
}

use Whose::{Below, Own};

/// What is exported: table, whose rows, and the columns, those of times with an `@` before them. Secrets,
/// their hashes and forms of names for comparison are left out.
const TABLES: &[(&str, Whose, &str)] = &[
    (
        "users",
        Own("id"),
        "id name admin disabled @created password_temporary",
    ),
    (
        "mail_addresses",
        Own("user"),
        "address lang @confirmed problem uploads contests",
    ),
    ("mails", Own("user"), "kind subject @created @due attempts"),
    (
        "identities",
        Own("user"),
        "provider issuer subject @created @used",
    ),
    ("sessions", Own("user"), "id @created @until"),
    ("known_browsers", Own("user"), "@until"),
    (
        "api_tokens",
        Own("user"),
        "id kind name scopes @created @used @until",
    ),
    ("passkeys", Own("user"), "id name @created @used"),
    ("second_factors", Own("user"), "@created @confirmed"),
    ("visits", Own("user"), "@since @seen"),
    ("achievements", Own("user"), "kept"),
    ("follows", Own("user"), "kind target @since"),
    (
        "notifications",
        Own("user"),
        "id kind bot version contest place ladder player group_id experiment game @created read",
    ),
    ("counted_actions", Own("user"), "kind @at match_id cpu_us"),
    ("match_askers", Own("user"), "match_id"),
    (
        "match_tags",
        Below("match_id", "match_askers", "match_id", "user"),
        "match_id tag",
    ),
    ("match_people", Own("user"), "match_id side"),
    ("match_homes", Own("user"), "match_id"),
    (
        "home_bots",
        Own("owner"),
        "id game name protocol match_id disabled @created @until rated wins draws losses @played",
    ),
    (
        "group_members",
        Own("user"),
        "group_id organiser issued @joined",
    ),
    (
        "group_invitations",
        Own("user"),
        "group_id team inviter @created",
    ),
    ("team_members", Own("user"), "team_id @joined"),
    ("teams", Own("captain"), "id scope name"),
    (
        "bots",
        Own("owner"),
        "id game name about active retired disabled @created team by_agent fetchable",
    ),
    (
        "versions",
        Below("bot", "bots", "id", "owner"),
        "id bot number state file_name bytes notes activates source_public @created @finished how protocol log steps report failure @deleted",
    ),
    (
        "experiments",
        Own("owner"),
        "id game bot version base_bot base_version promotes family pool pins settings book book_positions config seed elo0 elo1 alpha beta most_pairs state note @created @ended",
    ),
    (
        "candidate_lanes",
        Below("bot", "bots", "id", "owner"),
        "bot lane neighbours refuses book book_positions elo0 elo1 alpha beta most_pairs",
    ),
    (
        "pins",
        Below("bot", "bots", "id", "owner"),
        "id bot match_id leg round entrant why @created",
    ),
    (
        "webhooks",
        Own("creator"),
        "id owner_kind owner url events @created off failures dropped",
    ),
    ("game_rights", Own("user"), "@given"),
    ("game_owners", Own("user"), "game @taken_down"),
    (
        "game_files",
        Own("brought_by"),
        "id game rules hash bytes state said",
    ),
    (
        "game_reports",
        Own("user"),
        "id game reason note @created @closed",
    ),
    ("audit", Own("user"), "id @at deed subject detail"),
    ("corrections", Own("user"), "id match_id @at why"),
];

/// The columns by which the exported tables know an account, as `table.column`.
pub fn account_columns() -> impl Iterator<Item = String> {
    TABLES.iter().map(|(table, whose, _)| match whose {
        Own(account) => format!("{table}.{account}"),
        Below(_, above, _, account) => format!("{above}.{account}"),
    })
}

impl Store {
    /// Everything that the arena keeps about a person but secrets, matches and files, by table; tables
    /// without such rows are left out.
    pub async fn personal_data(&self, user: UserId) -> Result<Vec<PersonalRows>> {
        let mut all = Vec::new();
        for (table, whose, columns) in TABLES {
            let query = select_rows(table, whose, columns, user);
            let found = self.readers.query_all(&query).await?;
            let rows: Vec<Json> = found
                .iter()
                .map(|row| Ok(write_times(Json::from_query_result(row, "")?, columns)))
                .collect::<Result<_>>()?;
            if !rows.is_empty() {
                all.push(PersonalRows { table, rows });
            }
        }
        Ok(all)
    }
}

fn select_rows(table: &str, whose: &Whose, columns: &str, user: UserId) -> SelectStatement {
    let own = |table: &str, account: &str| {
        let mut query = Query::select();
        query
            .from(Alias::new(table))
            .and_where(Expr::col(Alias::new(account)).eq(user.0));
        query
    };
    let mut query = match whose {
        Own(account) => own(table, account),
        Below(column, above, key, account) => {
            let mut keys = own(above, account);
            keys.column(Alias::new(*key));
            let mut query = Query::select();
            query
                .from(Alias::new(table))
                .and_where(Expr::col(Alias::new(*column)).in_subquery(keys));
            query
        }
    };
    query.columns(name_columns(columns).map(|(name, _)| Alias::new(name)));
    query
}

/// The names of columns, and whether each is a time.
fn name_columns(columns: &str) -> impl Iterator<Item = (&str, bool)> {
    columns
        .split(' ')
        .map(|column| match column.strip_prefix('@') {
            Some(time) => (time, true),
            None => (column, false),
        })
}

fn write_times(mut row: Json, columns: &str) -> Json {
    for (name, is_time) in name_columns(columns) {
        if is_time && let Some(at) = row[name].as_i64() {
            row[name] = Timestamp(at).to_string().into();
        }
    }
    row
}
