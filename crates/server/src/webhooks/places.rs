//! Which webhooks are told at the same time: accounts take turns, and receivers that do not answer
//! have few places.

use std::collections::HashMap;

use leitai_store::{DueWebhook, UserId, WebhookId};

/// Webhooks to which a server sends at the same time.
const PLACES: usize = 16;
/// Those of them that one account made.
const OF_ACCOUNT: usize = 2;
/// Those of them whose receiver did not answer in time when it was last tried.
const SILENT: usize = 4;

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

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(id: i64, creator: i64, is_silent: bool) -> DueWebhook {
        DueWebhook {
            id: WebhookId(id),
            creator: UserId(creator),
            is_silent,
        }
    }

    /// Accounts with ten receivers each that never answer, so that each attempt takes ten seconds,
    /// always have something due; one account more has something due every second. Returns how long
    /// it waits at most, in seconds. The receivers rest as the store says.
    fn longest_wait(accounts: i64) -> i64 {
        const ATTEMPT: i64 = 10;
        let mut places = DeliveryPlaces::default();
        let mut hooks: HashMap<i64, (i64, i32)> = HashMap::new();
        let mut running: Vec<(i64, WebhookId)> = Vec::new();
        let (mut waits_since, mut longest) = (None, 0);
        for now in 0..600 {
            for (end, id) in running.clone() {
                if end <= now {
                    places.free_place(id);
                    running.retain(|one| one.1 != id);
                    if id.0 > 0 {
                        let silent = hooks.entry(id.0).or_default();
                        *silent = (now + 60 * (1 << silent.1), silent.1 + 1);
                    }
                }
            }
            let all = (0..accounts * 10).map(|id| {
                let (until, times) = hooks.get(&(id + 1)).copied().unwrap_or_default();
                (until, hook(id + 1, id / 10 + 1, times > 0))
            });
            let mut due: Vec<DueWebhook> = all
                .filter(|(until, _)| *until <= now)
                .map(|(_, one)| one)
                .collect();
            // What is due last stands last.
            due.push(hook(0, 0, false));
            waits_since.get_or_insert(now);
            for chosen in places.take_places(&due) {
                let takes = if chosen.id.0 == 0 { 1 } else { ATTEMPT };
                running.push((now + takes, chosen.id));
                if chosen.id.0 == 0 {
                    let waited = now - waits_since.take().unwrap_or(now);
                    longest = longest.max(waited);
                }
            }
        }
        longest
    }

    #[test]
    fn receivers_that_do_not_answer_delay_nobody_elses() {
        // Its own attempt takes a second.
        assert!(longest_wait(4) <= 1, "{}", longest_wait(4));
        // 41 accounts take turns in 16 places: three attempts, before it is known who does not answer.
        assert!(longest_wait(40) <= 3 * 10, "{}", longest_wait(40));
    }

    #[test]
    fn an_account_has_few_places_and_gets_them_back() {
        let mut places = DeliveryPlaces::default();
        let due: Vec<DueWebhook> = (0..10).map(|id| hook(id, 1, false)).collect();
        let taken = places.take_places(&due);
        assert_eq!(taken, due[..OF_ACCOUNT]);
        assert_eq!(places.full_accounts(), [UserId(1)]);
        assert_eq!(places.take_places(&due), []);
        places.free_place(WebhookId(0));
        assert_eq!(places.full_accounts(), []);
        assert_eq!(places.take_places(&due[2..]), due[2..3]);
        let silent: Vec<DueWebhook> = (0..10).map(|id| hook(100 + id, 10 + id, true)).collect();
        assert_eq!(places.take_places(&silent).len(), SILENT);
    }
}
