//! SQLite's query plans of lists, for tests (`tests/contract/unit/query_plans.rs`).

use sea_orm::{DbBackend, Statement};

use crate::database::prelude::*;
use crate::jobs::jobs;
use crate::ladders::{history, ladder, pairing};
use crate::matches::matches;
use crate::overview::search;
use crate::{BotId, JobState, LadderId, MatchFilter, PageQuery, tables};

/// A list whose plan is asked for.
#[derive(Clone, Copy, Debug)]
pub enum Listed<'a> {
    Ladder(&'a LadderId, &'a PageQuery),
    Matches(&'a MatchFilter, &'a PageQuery),
    /// Bots and people by the start of their names.
    Bots(&'a str),
    People(&'a str),
    /// Jobs that wait, in their order.
    Queue,
    History(BotId, &'a LadderId),
    /// Matches of a ladder that are not over.
    Open(&'a LadderId),
}

impl Store {
    /// The steps of SQLite's plan, joined.
    pub async fn explain_for_tests(&self, listed: Listed<'_>) -> Result<String> {
        const SQLITE: DbBackend = DbBackend::Sqlite;
        let query = match listed {
            Listed::Ladder(ladder, ask) => ladder::query_page(ladder, ask)?.build(SQLITE),
            Listed::Matches(filter, ask) => matches::query_matches(filter, ask)?.build(SQLITE),
            Listed::Bots(start) => search::query_bots(SQLITE, start, 10).build(SQLITE),
            Listed::People(start) => search::query_users(SQLITE, start, 10).build(SQLITE),
            Listed::Queue => {
                let queued = tables::jobs::Entity::find()
                    .filter(tables::jobs::Column::State.eq(JobState::Queued));
                jobs::by_turn(queued).limit(1).build(SQLITE)
            }
            Listed::History(bot, ladder) => {
                let rows = history::query_history(bot, ladder);
                rows.limit(100).build(SQLITE)
            }
            Listed::Open(ladder) => pairing::query_open(ladder).limit(9).build(SQLITE),
        };
        let explain = format!("EXPLAIN QUERY PLAN {}", query.sql);
        let values = query.values.into_iter().flat_map(|values| values.0);
        let explain = Statement::from_sql_and_values(SQLITE, explain, values);
        let rows = self.readers.query_all_raw(explain).await?;
        let steps = rows.iter().map(|row| row.try_get::<String>("", "detail"));
        Ok(steps.collect::<Result<Vec<_>, _>>()?.join("; "))
    }
}
