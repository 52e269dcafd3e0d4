//! Which webhooks are told at the same time: accounts take turns, and receivers that do not answer
//! have few places.

use std::collections::HashMap;

use leitai_store::{DueWebhook, UserId, WebhookId};

/// Webhooks to which a server sends at the same time.
const PLACES: usize = 16;
/// Those of them that one account made.
pub const OF_ACCOUNT: usize = 2;
/// Those of them whose receiver did not answer in time when it was last tried.
pub const SILENT: usize = 4;

/// The webhooks that are being told.
#[derive(Debug, Default)]
pub struct DeliveryPlaces {
    taken: Vec<DueWebhook>,
    /// When accounts that have something due were last served, as a count.
    served: HashMap<UserId, u64>,
    turn: u64,
}

impl DeliveryPlaces {
    /// The accounts that have all the places that they may have.
    pub fn full_accounts(&self) -> Vec<UserId> {
        let mut full: Vec<UserId> = self.taken.iter().map(|one| one.creator).collect();
        full.retain(|account| self.count_of(*account) >= OF_ACCOUNT);
        full.sort_unstable();
        full.dedup();
        full
    }

    /// Takes places for some of those that are due, the longest due first among those of one account,
    /// and of the accounts first who was not served for longest.
    pub fn take_places(&mut self, due: &[DueWebhook]) -> Vec<DueWebhook> {
        let is_here = |account: &UserId| {
            let all = due.iter().chain(&self.taken);
            all.into_iter().any(|one| one.creator == *account)
        };
        let here: Vec<UserId> = self.served.keys().copied().filter(is_here).collect();
        self.served.retain(|account, _| here.contains(account));
        let mut chosen = Vec::new();
        while let Some(next) = self.choose(due) {
            self.turn += 1;
            self.served.insert(next.creator, self.turn);
            self.taken.push(next);
            chosen.push(next);
        }
        chosen
    }

    /// Gives the place of a webhook back.
    pub fn free_place(&mut self, id: WebhookId) {
        self.taken.retain(|one| one.id != id);
    }

    fn choose(&self, due: &[DueWebhook]) -> Option<DueWebhook> {
        let silent = self.taken.iter().filter(|one| one.is_silent).count();
        let fits = |one: &&DueWebhook| {
            self.taken.len() < PLACES
                && self.count_of(one.creator) < OF_ACCOUNT
                && (!one.is_silent || silent < SILENT)
                && self.taken.iter().all(|other| other.id != one.id)
        };
        let served = |one: &&DueWebhook| self.served.get(&one.creator).copied();
        due.iter().filter(fits).min_by_key(served).copied()
    }

    fn count_of(&self, account: UserId) -> usize {
        let own = self.taken.iter().filter(|one| one.creator == account);
        own.count()
    }
}
