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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_take_turns() {
        let mut turns = Turns::default();
        let asks = [
            (1, 10),
            (1, 11),
            (1, 12),
            (2, 20),
            (1, 13),
            (3, 30),
            (1, 11),
        ];
        for (at, (account, id)) in asks.into_iter().enumerate() {
            let begins = turns.add(UserId(account), MatchId(id));
            assert_eq!(begins, Ok(at == 0), "{id}");
        }
        let fifth = turns.add(UserId(1), MatchId(14));
        assert_eq!(fifth, Err(TurnRefusal::OfAccount(4)));
        let order: Vec<i64> = std::iter::from_fn(|| turns.take_next())
            .map(|id| id.0)
            .collect();
        assert_eq!(order, [10, 20, 30, 11, 12, 13]);
        assert_eq!(
            turns.add(UserId(1), MatchId(10)),
            Ok(true),
            "it begins again"
        );
        assert_eq!(turns.take_next(), Some(MatchId(10)));
        assert_eq!(
            turns.add(UserId(2), MatchId(21)),
            Ok(false),
            "one at a time"
        );
        assert_eq!(turns.place_of(MatchId(21)), Some(1));
    }

    #[test]
    fn few_wait() {
        let mut turns = Turns::default();
        for id in 0..64 {
            assert!(turns.add(UserId(id), MatchId(id)).is_ok());
        }
        let more = turns.add(UserId(99), MatchId(99));
        assert_eq!(more, Err(TurnRefusal::InAll(64)));
    }
}
