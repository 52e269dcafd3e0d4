//! Whose analysis is made next: accounts take turns, so that who asks for many lets others pass.

use std::collections::HashMap;

use leitai_store::{MatchId, UserId};

/// Analyses of one account, and of all, that may wait.
const OF_ACCOUNT: usize = 4;
const IN_ALL: usize = 64;

/// Why an analysis does not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TurnRefusal {
    /// The account asked for too many.
    #[error("{0} of your analyses wait already; ask again when one is made")]
    OfAccount(usize),
    /// Everybody together asked for too many.
    #[error("{0} analyses wait at this server; ask again in a few minutes")]
    InAll(usize),
}

/// Analyses that wait, and the one that is made.
#[derive(Debug, Default)]
pub struct Turns {
    waiting: Vec<(UserId, MatchId)>,
    running: Option<MatchId>,
    /// The turn that an account that waits had last.
    last: HashMap<UserId, u64>,
    turn: u64,
}

impl Turns {
    /// Lets an analysis wait; true if nothing runs, so that somebody must begin.
    pub fn add(&mut self, account: UserId, id: MatchId) -> Result<bool, TurnRefusal> {
        if self.place_of(id).is_some() {
            return Ok(false);
        }
        let own = self.waiting.iter().filter(|(who, _)| *who == account);
        if own.count() >= OF_ACCOUNT {
            return Err(TurnRefusal::OfAccount(OF_ACCOUNT));
        }
        if self.waiting.len() >= IN_ALL {
            return Err(TurnRefusal::InAll(IN_ALL));
        }
        self.waiting.push((account, id));
        Ok(self.running.is_none() && self.waiting.len() == 1)
    }

    /// The next analysis: of the account whose last turn is longest ago; `None` ends the work.
    pub fn take_next(&mut self) -> Option<MatchId> {
        let turn_of = |(account, _): &(UserId, MatchId)| self.last.get(account).copied();
        let next = (0..self.waiting.len()).min_by_key(|at| turn_of(&self.waiting[*at]));
        self.running = next.map(|at| {
            let (account, id) = self.waiting.remove(at);
            self.turn += 1;
            self.last.insert(account, self.turn);
            id
        });
        if self.running.is_none() {
            self.last.clear();
        }
        self.running
    }

    /// How many are made before it; 0: it is being made.
    pub fn place_of(&self, id: MatchId) -> Option<usize> {
        if self.running == Some(id) {
            return Some(0);
        }
        let at = self.waiting.iter().position(|(_, own)| *own == id)?;
        Some(at + 1)
    }
}
