//! Bots and people by the first letters of their names, and what a person has played.

use sea_orm::sea_query::LikeExpr;
use sea_orm::{DbBackend, SelectTwo};

use crate::database::prelude::*;
use crate::database::skeletons::fold_name;
use crate::tables::matches::people;
use crate::{
    BotId, BotRow, Json, MatchId, MatchKind, MatchSide, MatchState, MatchWinner, User, UserId,
    tables,
};

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

/// The opponent of a person whose rating may be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonOpponent {
    /// A built-in bot, by its name and the number of its version.
    BuiltIn(String, i32),
    /// Another person with an account.
    Person(UserId),
}

/// The result of a finished match of a person against a built-in bot or another account.
#[derive(Clone, Debug, PartialEq)]
pub struct PersonResult {
    /// The match.
    pub match_id: MatchId,
    /// The side of the person.
    pub side: MatchSide,
    /// The opponent.
    pub opponent: PersonOpponent,
    /// The winner, as it was corrected last.
    pub winner: MatchWinner,
    /// Whether an administrator corrected the winner: the outcomes of the legs say nothing then.
    pub corrected: bool,
    /// The outcomes of the legs.
    pub leg_outcomes: Option<Json>,
    /// The game's config.
    pub config: Json,
    /// The limits of time and resources, and the moment from which the match continued.
    pub limits: Json,
}

impl Store {
    /// The finished matches of a person against built-in bots and other accounts in one game, newest
    /// first, up to the match `until` if it is given; of the latest `most` against whomever. Void,
    /// withdrawn and erased ones are left out.
    pub async fn results_of_person(
        &self,
        user: UserId,
        game: &str,
        until: Option<MatchId>,
        most: u64,
    ) -> Result<Vec<PersonResult>> {
        let rows: Vec<(tables::matches::Model, Option<people::Model>)> =
            query_of_person(user, game, until, most)
                .all(&self.readers)
                .await?;
        let results = rows.into_iter().filter_map(|(own, person)| {
            let side = match person?.side == MatchSide::A.column() {
                true => MatchSide::A,
                false => MatchSide::B,
            };
            person_result(own, side)
        });
        Ok(results.collect())
    }

    /// The bots whose names begin with `start`, without regard to case, by name; at most `most`.
    /// Deleted ones are left out.
    pub async fn search_bots(&self, start: &str, most: u64) -> Result<Vec<BotRow>> {
        let found: Vec<BotId> = query_bots(self.backend(), start, most)
            .into_tuple()
            .all(&self.readers)
            .await?;
        self.bot_briefs(&found).await
    }

    /// The people whose names begin with `start`, without regard to case, by name; at most `most`.
    /// Accounts that are locked out are left out.
    pub async fn search_users(&self, start: &str, most: u64) -> Result<Vec<User>> {
        let found = query_users(self.backend(), start, most);
        Ok(found.all(&self.readers).await?)
    }

    /// What a person has won, drawn and lost, by game. Matches without a result do not count.
    pub async fn tallies_of(&self, user: UserId) -> Result<Vec<PersonTally>> {
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

pub(crate) fn query_bots(
    backend: DbBackend,
    start: &str,
    most: u64,
) -> Select<tables::bots::Entity> {
    tables::bots::Entity::find()
        .select_only()
        .column(tables::bots::Column::Id)
        .filter(starts_with(backend, tables::bots::Column::Folded, start))
        .filter(tables::bots::Column::Deleted.is_null())
        .order_by_asc(tables::bots::Column::Folded)
        .limit(most)
}

pub(crate) fn query_users(
    backend: DbBackend,
    start: &str,
    most: u64,
) -> Select<tables::users::Entity> {
    tables::users::Entity::find()
        .filter(starts_with(backend, tables::users::Column::Folded, start))
        .filter(tables::users::Column::Disabled.eq(false))
        .order_by_asc(tables::users::Column::Folded)
        .limit(most)
}

/// The results of a person: game, side, winner and how often.
pub(crate) fn query_results(user: UserId) -> Select<tables::matches::Entity> {
    use tables::matches::Column::{Game, Id, State, Winner};
    tables::matches::Entity::find()
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

/// The finished matches of a person, newest first, with the person's row.
pub(crate) fn query_of_person(
    user: UserId,
    game: &str,
    until: Option<MatchId>,
    most: u64,
) -> SelectTwo<tables::matches::Entity, people::Entity> {
    use tables::matches::Column::{Game, Kind, State, Winner};
    let whose = people::Column::MatchId;
    let mut found = tables::matches::Entity::find()
        .join(JoinType::InnerJoin, people::Relation::Match.def().rev())
        .select_also(people::Entity)
        .filter(people::Column::User.eq(user))
        .filter(Game.eq(game))
        .filter(Kind.eq(MatchKind::Human))
        .filter(State.eq(MatchState::Finished))
        .filter(Winner.is_not_null());
    if let Some(until) = until {
        found = found.filter(whose.lte(until));
    }
    found.order_by_desc(whose).limit(most)
}

/// What a match says about its person; `None` if the opponent is a guest or an uploaded bot.
fn person_result(own: tables::matches::Model, side: MatchSide) -> Option<PersonResult> {
    let opponent = match side {
        MatchSide::A => own.b?,
        MatchSide::B => own.a?,
    };
    let corrected = own
        .reason
        .is_some_and(|reason| reason.get("id").and_then(Json::as_str) == Some("corrected"));
    let opponent = match (opponent.built_in, opponent.bot, opponent.user) {
        (true, _, _) => PersonOpponent::BuiltIn(opponent.name, opponent.number.unwrap_or(1)),
        (false, None, Some(user)) if opponent.home.is_none() => PersonOpponent::Person(user),
        _ => return None,
    };
    Some(PersonResult {
        match_id: own.id,
        side,
        opponent,
        winner: own.winner?,
        corrected,
        leg_outcomes: own.leg_outcomes,
        config: own.config,
        limits: own.limits,
    })
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
