//! The games that count on a ladder. Programs that always answer the same play the same game again on
//! the same setup; a copy tells nothing new, so it counts for no rating.
//!
//! A game is one leg: the same setup and replies between the same versions in the same seats are the
//! same game. A match counts if none of its games has counted before on its ladder.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::database::prelude::*;
use crate::tables::distinct_games::{ActiveModel, Column, Entity};
use crate::{LadderId, Match, MatchEntrant, MatchId};

/// Games in one query.
const TOGETHER: usize = 400;

/// The games that have counted on ladders, as far as they are asked about, and those of this
/// transaction.
#[derive(Default)]
pub(crate) struct CountedGames {
    known: HashMap<(LadderId, String), MatchId>,
    new: Vec<ActiveModel>,
}

impl CountedGames {
    /// Reads which of these games have counted. The ladders are locked.
    pub async fn read(
        change: &Change,
        asked: BTreeMap<LadderId, Vec<String>>,
    ) -> Result<CountedGames> {
        let mut counted = CountedGames::default();
        for (ladder, games) in asked {
            for some in games.chunks(TOGETHER) {
                let its = Entity::find()
                    .filter(Column::Ladder.eq(ladder.clone()))
                    .filter(Column::Game.is_in(some.iter().cloned()));
                let rows = its.all(change).await?.into_iter();
                let known = rows.map(|row| ((row.ladder, row.game), row.match_id));
                counted.known.extend(known);
            }
        }
        Ok(counted)
    }

    /// The match of which this one holds a copy; `None` if all its games are new: then they count
    /// from now on.
    pub fn count_match(
        &mut self,
        ladder: &LadderId,
        id: MatchId,
        games: Vec<String>,
    ) -> Option<MatchId> {
        let key = |game: &String| (ladder.clone(), game.clone());
        let copy_of = games.iter().find_map(|game| self.known.get(&key(game)));
        if copy_of.is_some() {
            return copy_of.copied();
        }
        for game in games {
            if self.known.insert(key(&game), id).is_none() {
                self.new.push(new_row(ladder, game, id));
            }
        }
        None
    }

    /// Writes the games that count from now on.
    pub async fn write(self, change: &Change) -> Result<()> {
        insert_rows(change, &self.new).await
    }
}

/// Notes games that count, with their matches.
pub(crate) async fn insert(
    change: &Change,
    ladder: &LadderId,
    games: &[(String, MatchId)],
) -> Result<()> {
    let row = |(game, id): &(String, MatchId)| new_row(ladder, game.clone(), *id);
    let rows: Vec<ActiveModel> = games.iter().map(row).collect();
    insert_rows(change, &rows).await
}

fn new_row(ladder: &LadderId, game: String, id: MatchId) -> ActiveModel {
    ActiveModel {
        ladder: Set(ladder.clone()),
        game: Set(game),
        match_id: Set(id),
    }
}

async fn insert_rows(change: &Change, rows: &[ActiveModel]) -> Result<()> {
    for some in rows.chunks(TOGETHER) {
        Entity::insert_many(some.iter().cloned())
            .exec_without_returning(change)
            .await?;
    }
    Ok(())
}

/// Which of these matches have games that count.
pub(crate) async fn matches_with_games(
    place: &impl ConnectionTrait,
    ids: impl IntoIterator<Item = MatchId>,
) -> Result<HashSet<MatchId>> {
    let rows: Vec<MatchId> = Entity::find()
        .filter(Column::MatchId.is_in(ids))
        .select_only()
        .column(Column::MatchId)
        .into_tuple()
        .all(place)
        .await?;
    Ok(rows.into_iter().collect())
}

/// The games that count on a ladder, by match.
pub(crate) async fn games_of_ladder(
    place: &impl ConnectionTrait,
    ladder: &LadderId,
) -> Result<HashMap<MatchId, Vec<String>>> {
    let rows = Entity::find()
        .filter(Column::Ladder.eq(ladder))
        .order_by_asc(Column::Game);
    let mut games: HashMap<MatchId, Vec<String>> = HashMap::new();
    for row in rows.all(place).await? {
        games.entry(row.match_id).or_default().push(row.game);
    }
    Ok(games)
}

/// The games of a match by what its legs were, with the versions in their seats.
pub(crate) fn games_of(found: &Match, legs: &[String]) -> Vec<String> {
    let version = |entrant: &Option<MatchEntrant>| {
        let entrant = entrant.as_ref()?;
        Some(match entrant.version {
            Some(version) => version.0.to_string(),
            // A built-in bot has no versions.
            None => format!("bot{}", entrant.bot?.0),
        })
    };
    let (Some(a), Some(b)) = (version(&found.a), version(&found.b)) else {
        return Vec::new();
    };
    let game = |(index, leg): (usize, &String)| match index % 2 {
        0 => format!("{a}-{b}-{leg}"),
        _ => format!("{b}-{a}-{leg}"),
    };
    legs.iter().enumerate().map(game).collect()
}

/// Forgets the games of a match whose result was withdrawn.
pub(crate) async fn forget_match(change: &Change, id: MatchId) -> Result<()> {
    let its = Entity::delete_many().filter(Column::MatchId.eq(id));
    its.exec(change).await?;
    Ok(())
}
