//! Rate limits by address and by account.

use std::hash::Hash;
use std::sync::Arc;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, RateLimiter};
use leitai_store::UserId;

use super::AccountError;
use crate::client_address::ClientAddress;
use crate::config::RateLimits;

/// Entries in one table before expired ones are dropped.
const MANY: usize = 10_000;

/// The rate limiters of the arena.
#[derive(Clone, Debug)]
pub struct RateLimiters {
    tables: Arc<LimiterTables>,
}

#[derive(Debug)]
struct LimiterTables {
    login: DefaultKeyedRateLimiter<ClientAddress>,
    account: DefaultKeyedRateLimiter<String>,
    register: DefaultKeyedRateLimiter<ClientAddress>,
    guest: DefaultKeyedRateLimiter<ClientAddress>,
    play: DefaultKeyedRateLimiter<UserId>,
    upload: DefaultKeyedRateLimiter<UserId>,
    friendly: DefaultKeyedRateLimiter<UserId>,
}

impl RateLimiters {
    /// Limiters without any recorded actions.
    pub fn new(rates: &RateLimits) -> RateLimiters {
        let tables = LimiterTables {
            login: RateLimiter::keyed(rates.login),
            account: RateLimiter::keyed(rates.account),
            register: RateLimiter::keyed(rates.register),
            guest: RateLimiter::keyed(rates.guest),
            play: RateLimiter::keyed(rates.play),
            upload: RateLimiter::keyed(rates.upload),
            friendly: RateLimiter::keyed(rates.friendly),
        };
        RateLimiters {
            tables: Arc::new(tables),
        }
    }

    /// Counts an attempt to log in to an account from an address.
    pub fn allow_login(&self, from: ClientAddress, name: &str) -> Result<(), AccountError> {
        check_rate(&self.tables.login, &from)?;
        check_rate(
            &self.tables.account,
            &name.trim().to_lowercase().chars().take(64).collect(),
        )
    }

    /// Counts a new account from an address.
    pub fn allow_register(&self, from: ClientAddress) -> Result<(), AccountError> {
        check_rate(&self.tables.register, &from)
    }

    /// Counts an action that needs no account but costs the server work: by account, for guests by
    /// address.
    pub fn allow_human_match(
        &self,
        by: Option<UserId>,
        from: ClientAddress,
    ) -> Result<(), AccountError> {
        match by {
            Some(user) => check_rate(&self.tables.play, &user),
            None => check_rate(&self.tables.guest, &from),
        }
    }

    /// Counts an upload.
    pub fn allow_upload(&self, by: UserId) -> Result<(), AccountError> {
        check_rate(&self.tables.upload, &by)
    }

    /// Counts a friendly match.
    pub fn allow_friendly(&self, by: UserId) -> Result<(), AccountError> {
        check_rate(&self.tables.friendly, &by)
    }
}

fn check_rate<K: Hash + Eq + Clone>(
    table: &DefaultKeyedRateLimiter<K>,
    key: &K,
) -> Result<(), AccountError> {
    if table.len() > MANY {
        table.retain_recent();
    }
    table.check_key(key).map_err(|until| {
        AccountError::TooOften(until.wait_time_from(DefaultClock::default().now()))
    })
}
