//! The games that count on a ladder. Programs that always answer the same play the same game again on
//! the same setup; a copy tells nothing new, so it counts for no rating.
//!
//! A game is one leg: the same setup and replies between the same versions in the same seats are the
//! same game. A match counts if none of its games has counted before on its ladder.

use std::collections::{BTreeMap, HashMap};

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
                self.new.push(ActiveModel {
                    ladder: Set(ladder.clone()),
                    game: Set(game),
                    match_id: Set(id),
                });
            }
        }
        None
    }

    /// Writes the games that count from now on.
    pub async fn write(self, change: &Change) -> Result<()> {
        insert_rows(change, &self.new).await
    }
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
    delete_rows::<Entity>(change, Column::MatchId.eq(id)).await?;
    Ok(())
}
