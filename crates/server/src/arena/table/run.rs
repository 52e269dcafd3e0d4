//! A match with people, from the lease to the result.

use std::sync::Arc;

use leitai_judge::{JudgeError, Match, Played, play};

use super::Table;
use super::door::Door;
use crate::arena::hub::{BeginMatch, Hub};

/// What people are told a period lasts for the judge: their clocks are kept by the floor.
pub const ENDLESS: std::time::Duration = std::time::Duration::from_secs(7 * 24 * 3600);

/// Plays the match on this thread. Spectators see it; they are not told of its end, since the result is not yet stored.
pub fn judge(table: &Arc<Table>, hub: &Hub, fixture: &Match) -> Result<Played, JudgeError> {
    hub.begin(BeginMatch {
        id: table.id(),
        game: fixture.game,
        setup: fixture.setup.clone(),
        legs: fixture.legs,
        entrants: fixture.players.each_ref().map(|player| player.name.clone()),
        people: true,
    });
    let door = Door::new(table.clone(), hub.clone());
    play(fixture, &mut door.clone(), &mut door.clone(), &table.stop)
}
