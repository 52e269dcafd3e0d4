//! Bots and people by the first letters of their names, and what a person has played.

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::LikeExpr;
use sea_orm::{Condition, DbBackend, JoinType, QueryOrder, QuerySelect, Select};

use crate::matches::{self, people};
use crate::users::fold_name;
use crate::{BotId, BotRow, MatchSide, MatchState, MatchWinner, Store, StoreError, User, UserId};
use crate::{bots, users};

/// What a person has won, drawn and lost in one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonTally {
    /// The game's id.
    pub game: String,
    /// Matches won.
    pub wins: i64,
    /// Matches drawn.
    pub draws: i64,
    /// Matches lost.
    pub losses: i64,
}

impl Store {
    /// The bots whose names begin with `start`, without regard to case, by name; at most `most`.
    /// Deleted ones are left out.
    pub async fn search_bots(&self, start: &str, most: u64) -> Result<Vec<BotRow>, StoreError> {
        let found: Vec<BotId> = query_bots(self.backend(), start, most)
            .into_tuple()
            .all(&self.readers)
            .await?;
        self.bot_briefs(&found).await
    }

    /// The people whose names begin with `start`, without regard to case, by name; at most `most`.
    /// Accounts that are locked out are left out.
    pub async fn search_users(&self, start: &str, most: u64) -> Result<Vec<User>, StoreError> {
        let found = query_users(self.backend(), start, most);
        Ok(found.all(&self.readers).await?)
    }

    /// What a person has won, drawn and lost, by game. Matches without a result do not count.
    pub async fn tallies_of(&self, user: UserId) -> Result<Vec<PersonTally>, StoreError> {
        let rows: Vec<(String, String, MatchWinner, i64)> =
            query_results(user).into_tuple().all(&self.readers).await?;
        let mut tallies: Vec<PersonTally> = Vec::new();
        for (game, side, winner, count) in rows {
            if tallies.last().is_none_or(|last| last.game != game) {
                tallies.push(PersonTally {
                    game,
                    wins: 0,
                    draws: 0,
                    losses: 0,
                });
            }
            let tally = tallies.last_mut().expect("one was pushed");
            match (winner, side == MatchSide::A.column()) {
                (MatchWinner::Draw, _) => tally.draws += count,
                (MatchWinner::A, true) | (MatchWinner::B, false) => tally.wins += count,
                _ => tally.losses += count,
            }
        }
        Ok(tallies)
    }

    fn backend(&self) -> DbBackend {
        self.readers.get_database_backend()
    }
}

pub(crate) fn query_bots(backend: DbBackend, start: &str, most: u64) -> Select<bots::Entity> {
    bots::Entity::find()
        .select_only()
        .column(bots::Column::Id)
        .filter(starts_with(backend, bots::Column::Folded, start))
        .filter(bots::Column::Deleted.is_null())
        .order_by_asc(bots::Column::Folded)
        .limit(most)
}

pub(crate) fn query_users(backend: DbBackend, start: &str, most: u64) -> Select<users::Entity> {
    users::Entity::find()
        .filter(starts_with(backend, users::Column::Folded, start))
        .filter(users::Column::Disabled.eq(false))
        .order_by_asc(users::Column::Folded)
        .limit(most)
}

/// The results of a person: game, side, winner and how often.
pub(crate) fn query_results(user: UserId) -> Select<matches::Entity> {
    use matches::Column::{Game, Id, State, Winner};
    matches::Entity::find()
        .select_only()
        .column(Game)
        .column(people::Column::Side)
        .column(Winner)
        .column_as(Id.count(), "count")
        .join(JoinType::InnerJoin, people::Relation::Match.def().rev())
        .filter(people::Column::User.eq(user))
        .filter(State.eq(MatchState::Finished))
        .filter(Winner.is_not_null())
        .group_by(Game)
        .group_by(people::Column::Side)
        .group_by(Winner)
        .order_by_asc(Game)
}

/// A condition that the index on the column answers: SQLite orders text by bytes, so that names
/// with the same first letters are neighbours; PostgreSQL has an index for `LIKE`.
fn starts_with(backend: DbBackend, column: impl ColumnTrait, start: &str) -> Condition {
    let start = fold_name(start);
    if backend == DbBackend::Postgres {
        let pattern = format!("{}%", escape_pattern(&start));
        return Condition::all().add(column.like(LikeExpr::new(pattern).escape('\\')));
    }
    let end = format!("{start}{}", char::MAX);
    Condition::all().add(column.gte(start)).add(column.lt(end))
}

/// A text without the special meaning of `%`, `_` and `\` in a pattern.
fn escape_pattern(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}
