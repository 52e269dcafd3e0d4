//! The ladder of programs at home: rated matches between them and against built-in bots, whose own
//! ratings stay. A match is rated after its end, by whichever server sees it first; a void or cancelled
//! one counts for nobody.

use std::collections::HashMap;

use leitai_ladder::GameScore;
use leitai_ladder::weng_lin::Rating;

use crate::database::prelude::*;
use crate::matches::home_bots::{OPEN, waits};
use crate::matches::matches;
use crate::tables::home_bots::{ActiveModel, Column, Entity, Model, rated};
use crate::{HomeBotId, MatchId, MatchState, MatchWinner, PerSide, UserId, tables};

/// So many matches of a ladder are looked at for who has met whom.
const RECENT: u64 = 200;
/// Matches in one transaction.
const TOGETHER: u64 = 50;
/// The most rows of a ladder.
const MOST: u64 = 500;

/// A program that waits for a rated match.
#[derive(Clone, Debug, PartialEq)]
pub struct HomeCandidate {
    /// The key.
    pub id: HomeBotId,
    /// The account, whose programs do not meet each other.
    pub owner: UserId,
    /// Its rating.
    pub rating: Rating,
    /// When it last began a rated match.
    pub played: Option<Timestamp>,
}

/// A row of the ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct HomeStanding {
    /// The key.
    pub id: HomeBotId,
    /// The name of its author.
    pub owner: String,
    /// Its name.
    pub name: String,
    /// Its rating.
    pub rating: Rating,
    /// Rated matches that it won.
    pub wins: i64,
    /// Drawn.
    pub draws: i64,
    /// Lost.
    pub losses: i64,
    /// Whether it is offered now.
    pub is_offered: bool,
}

impl Store {
    /// The programs that wait for a rated match of this game, none of which is called yet.
    pub async fn home_candidates(&self, game: &str, at: Timestamp) -> Result<Vec<HomeCandidate>> {
        let waiting = Entity::find()
            .filter(Column::Game.eq(game))
            .filter(waits(at))
            .filter(Column::Rated.eq(true))
            .filter(Column::Disabled.eq(false))
            .filter(Column::Paused.lte(at))
            .order_by_asc(Column::Id)
            .limit(MOST);
        let rows = waiting.all(&self.readers).await?;
        let candidates = rows.into_iter().map(|row| HomeCandidate {
            id: row.id,
            owner: row.owner,
            rating: rating_of(&row),
            played: row.played,
        });
        Ok(candidates.collect())
    }

    /// How often two programs have met of late, the smaller key first.
    pub async fn home_meetings(&self, game: &str) -> Result<HashMap<(HomeBotId, HomeBotId), u32>> {
        let recent = rated::Entity::find()
            .filter(rated::Column::Game.eq(game))
            .order_by_desc(rated::Column::MatchId)
            .limit(RECENT);
        let mut met = HashMap::new();
        for row in recent.all(&self.readers).await? {
            if let (Some(a), Some(b)) = (row.a_program, row.b_program) {
                // SQL has words of the same names.
                let pair = if a < b { (a, b) } else { (b, a) };
                *met.entry(pair).or_default() += 1;
            }
        }
        Ok(met)
    }

    /// Rates the matches that have ended, each once; returns how many were looked at.
    pub async fn count_home_matches(&self) -> Result<usize> {
        let over = tables::matches::Entity::find()
            .select_only()
            .column(tables::matches::Column::Id)
            .filter(tables::matches::Column::State.is_not_in(OPEN));
        let ended = || {
            rated::Entity::find()
                .filter(rated::Column::Counted.eq(false))
                .filter(rated::Column::MatchId.in_subquery(over.clone().into_query()))
                .order_by_asc(rated::Column::MatchId)
                .limit(TOGETHER)
        };
        if ended().one(&self.readers).await?.is_none() {
            return Ok(0);
        }
        let change = self.begin_write().await?;
        let rows = ended().lock_exclusive().all(&change).await?;
        for row in &rows {
            count_match(&change, row).await?;
        }
        change.commit().await?;
        Ok(rows.len())
    }

    /// The ladder of programs at home of a game, the best first.
    pub async fn home_ladder(&self, game: &str, at: Timestamp) -> Result<Vec<HomeStanding>> {
        let found = Entity::find()
            .filter(Column::Game.eq(game))
            .filter(Column::Disabled.eq(false))
            .filter(Column::Played.is_not_null())
            .order_by_desc(Column::Skill)
            .limit(MOST);
        let rows = found.all(&self.readers).await?;
        let owners = tables::users::Entity::find()
            .filter(tables::users::Column::Id.is_in(rows.iter().map(|row| row.owner)))
            .filter(tables::users::Column::Disabled.eq(false));
        let owners = owners.all(&self.readers).await?;
        let standings = rows.into_iter().filter_map(|row| {
            let owner = owners.iter().find(|user| user.id == row.owner)?;
            Some(HomeStanding {
                id: row.id,
                owner: owner.name.clone(),
                rating: rating_of(&row),
                wins: row.wins,
                draws: row.draws,
                losses: row.losses,
                is_offered: row.until > at,
                name: row.name,
            })
        });
        Ok(standings.collect())
    }

    /// Gives the programs on these sides of a match no rated match until then: they did not come.
    pub async fn pause_home_bots(
        &self,
        id: MatchId,
        absent: PerSide<bool>,
        until: Timestamp,
    ) -> Result<()> {
        let own = self.match_by_id(id).await?;
        let program = |is_absent: bool, entrant: Option<crate::MatchEntrant>| {
            entrant.filter(|_| is_absent)?.home_bot
        };
        let paused = [program(absent.a, own.a), program(absent.b, own.b)];
        let change = self.begin_write().await?;
        let new = ActiveModel {
            paused: Set(until),
            ..Default::default()
        };
        update_rows(&change, Column::Id.is_in(paused.into_iter().flatten()), new).await?;
        Ok(change.commit().await?)
    }
}

fn rating_of(row: &Model) -> Rating {
    Rating {
        skill: row.skill,
        doubt: row.doubt,
    }
}

/// Rates a match that is over; one without a result only counts as looked at.
async fn count_match(change: &Change, row: &rated::Model) -> Result<()> {
    let looked = rated::ActiveModel {
        counted: Set(true),
        ..Default::default()
    };
    update_rows(change, rated::Column::MatchId.eq(row.match_id), looked).await?;
    let own = tables::matches::Entity::find_by_id(row.match_id)
        .filter(tables::matches::Column::State.eq(MatchState::Finished));
    let winner = own.one(change).await?.and_then(|own| own.winner);
    let Some(winner) = winner else { return Ok(()) };
    let programs = [row.a_program, row.b_program].into_iter().flatten();
    let found = Entity::find()
        .filter(Column::Id.is_in(programs))
        .order_by_asc(Column::Id)
        .lock_exclusive();
    let found = found.all(change).await?;
    let anchor = match (row.anchor_skill, row.anchor_doubt) {
        (Some(skill), Some(doubt)) => Some(Rating { skill, doubt }),
        _ => None,
    };
    let side = |id: Option<HomeBotId>| found.iter().find(|program| Some(program.id) == id);
    let (a, b) = (side(row.a_program), side(row.b_program));
    // A program whose account was deleted meanwhile has no row, and then nobody is rated.
    let ratings = (a.map(rating_of).or(anchor), b.map(rating_of).or(anchor));
    let (Some(a_before), Some(b_before)) = ratings else {
        return Ok(());
    };
    let score = match winner {
        MatchWinner::A => GameScore::Win,
        MatchWinner::Draw => GameScore::Draw,
        MatchWinner::B => GameScore::Loss,
    };
    let (a_after, b_after) = a_before.rate_game(b_before, score);
    let mut changes = PerSide { a: 0.0, b: 0.0 };
    if let Some(program) = a {
        changes.a = write_rating(change, program, a_after, score).await?;
    }
    if let Some(program) = b {
        changes.b = write_rating(change, program, b_after, score.flip_side()).await?;
    }
    let shown = tables::matches::ActiveModel {
        a_change: Set(Some(changes.a)),
        b_change: Set(Some(changes.b)),
        ..Default::default()
    };
    matches::update_match(change, row.match_id, shown).await
}

/// Writes the new rating of a program; returns the change as shown.
async fn write_rating(
    change: &Change,
    program: &Model,
    after: Rating,
    score: GameScore,
) -> Result<f64> {
    let counts = |wanted: GameScore| i64::from(score == wanted);
    let new = ActiveModel {
        skill: Set(after.skill),
        doubt: Set(after.doubt),
        wins: Set(program.wins + counts(GameScore::Win)),
        draws: Set(program.draws + counts(GameScore::Draw)),
        losses: Set(program.losses + counts(GameScore::Loss)),
        ..Default::default()
    };
    update_rows(change, Column::Id.eq(program.id), new).await?;
    let shown = |rating: Rating| rating.shown_rating().value;
    Ok(shown(after) - shown(rating_of(program)))
}
