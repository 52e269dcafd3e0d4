//! The lobby: open tables, at which a person waits for whoever comes first. A table is listed while
//! its person is connected; who leaves the page leaves the lobby. What the servers of an arena tell
//! each other about theirs is in [`super::shared_lobby`].

use std::sync::Arc;
use std::time::Duration;

use leitai_store::{MatchId, MatchSide};

use super::open_table::{OpenTable, TableForm};
use super::state::HumanMatchState;
use super::{HumanMatch, HumanMatches, Opener};
use crate::sync::lock;

/// How long a table whose person has not connected yet is given to others: the page opens its
/// connection right after the request.
pub const ARRIVAL: Duration = Duration::from_secs(5);
/// How long the person who took a free seat may take to connect.
pub const LATE: Duration = Duration::from_secs(30);

/// What a person who wants an opponent asks for.
#[derive(Clone, Debug)]
pub struct TableRequest {
    /// What is played.
    pub form: TableForm,
    /// The side that the person wants; `None`: either.
    pub side: Option<MatchSide>,
    /// The person.
    pub by: Opener,
}

impl TableRequest {
    /// Whether what is played at the table, and the free side, are as wanted.
    pub fn suits(&self, table: &OpenTable) -> bool {
        table.form == self.form && self.side.is_none_or(|side| side == table.free)
    }
}

impl HumanMatches {
    /// The open tables whose person is connected, the longest waiting first.
    pub fn list_open_tables(&self) -> Vec<(i64, OpenTable)> {
        let human_matches = lock(&self.human_matches);
        human_matches
            .values()
            .filter(|human_match| human_match.is_free(HumanMatchState::is_attended))
            .filter_map(|human_match| Some((human_match.id, human_match.open_table.clone()?)))
            .collect()
    }

    /// The tables whose seat others may take.
    pub fn offered_tables(&self) -> Vec<MatchId> {
        let now = self.clock.elapsed();
        let human_matches = lock(&self.human_matches);
        let offered = human_matches
            .values()
            .filter(|human_match| human_match.open_table.is_some() && human_match.is_offered(now));
        offered.map(|human_match| MatchId(human_match.id)).collect()
    }

    /// The longest waiting table that suits the request. Nobody meets an account of their own;
    /// guests at one address are different people.
    pub fn find_open_table(&self, wanted: &TableRequest) -> Option<Arc<HumanMatch>> {
        let now = self.clock.elapsed();
        let human_matches = lock(&self.human_matches);
        let suits = |human_match: &&Arc<HumanMatch>| {
            let table = human_match.open_table.as_ref();
            table.is_some_and(|table| wanted.suits(table))
                && !human_match.is_own_of(wanted.by)
                && human_match.is_offered(now)
        };
        human_matches.values().find(suits).cloned()
    }
}

impl HumanMatch {
    /// The table's offer, if anybody may join.
    pub fn open_table(&self) -> Option<&OpenTable> {
        self.open_table.as_ref()
    }

    /// Whether the match is of this account. Guests at one address are different people.
    pub fn is_own_of(&self, by: Opener) -> bool {
        matches!(by, Opener::Account(_)) && self.by == by
    }

    /// Whether a person waits here and nobody has taken the free seat.
    pub fn has_free_seat(&self) -> bool {
        self.is_offered(self.clock.elapsed())
    }

    /// Takes the table out of the lobby, because its match is over.
    pub fn withdraw_offer(&self) {
        lock(&self.taken).get_or_insert(self.clock.elapsed());
    }

    fn is_offered(&self, now: Duration) -> bool {
        let arrives = now.saturating_sub(self.opened) < ARRIVAL;
        self.is_free(|state| state.is_attended() || (arrives && state.is_awaited()))
    }

    /// Whether nobody has taken the free seat, and the person who waits is as wanted.
    fn is_free(&self, waits: impl Fn(&HumanMatchState) -> bool) -> bool {
        lock(&self.taken).is_none() && waits(&lock(&self.state))
    }

    /// Whether somebody took the free seat of a table and not both have come.
    pub(super) fn is_stood_up(&self, now: Duration) -> bool {
        let taken = *lock(&self.taken);
        self.open_table.is_some() && taken.is_some_and(|taken| now.saturating_sub(taken) >= LATE)
    }
}
