//! Begins to share the seats and tables of this server with the other servers of the arena.

use super::HumanMatches;
use super::context::PlayContext;
use super::seat_owner::answer_joins;
use super::shared_lobby::keep_tables;
use crate::bus::ArenaBus;

impl HumanMatches {
    /// Lets people play whose sockets are at other servers, and people here in matches of others,
    /// and brings people of all servers together.
    /// Called once, in a runtime.
    pub fn share_seats(context: PlayContext, bus: ArenaBus) {
        if context.human_matches.others.set(bus.clone()).is_ok() {
            tokio::spawn(keep_tables(context.clone(), bus.clone()));
            tokio::spawn(answer_joins(context, bus));
        }
    }
}
