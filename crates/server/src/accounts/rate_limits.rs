//! Rate limits by address and by account. Each server counts for itself; several servers of one
//! arena then count in their database, so that one is allowed as much as on one server.

use std::fmt::Display;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, RateLimiter};
use leitai_store::{Rate, Store, Timestamp, UserId};

use super::AccountError;
use crate::client_address::ClientAddress;
use crate::config::{Quota, RateLimits};

/// Entries in one table before expired ones are dropped.
const MANY: usize = 10_000;

/// The rate limiters of the arena.
#[derive(Clone, Debug)]
pub struct RateLimiters {
    tables: Arc<LimiterTables>,
    /// Where several servers count.
    common: Option<Store>,
}

#[derive(Debug)]
struct LimiterTables {
    login: LimiterTable<ClientAddress>,
    account: LimiterTable<String>,
    register: LimiterTable<ClientAddress>,
    guest: LimiterTable<ClientAddress>,
    play: LimiterTable<UserId>,
    upload: LimiterTable<UserId>,
    friendly: LimiterTable<UserId>,
}

/// What one limit has counted on this server.
#[derive(Debug)]
struct LimiterTable<K: Hash + Eq + Clone> {
    /// The word before its keys in the database.
    name: &'static str,
    quota: Quota,
    own: DefaultKeyedRateLimiter<K>,
}

impl RateLimiters {
    /// Limiters without any recorded actions.
    pub fn new(rates: &RateLimits) -> RateLimiters {
        let tables = LimiterTables {
            login: LimiterTable::new("login", rates.login),
            account: LimiterTable::new("account", rates.account),
            register: LimiterTable::new("register", rates.register),
            guest: LimiterTable::new("guest", rates.guest),
            play: LimiterTable::new("play", rates.play),
            upload: LimiterTable::new("upload", rates.upload),
            friendly: LimiterTable::new("friendly", rates.friendly),
        };
        RateLimiters {
            tables: Arc::new(tables),
            common: None,
        }
    }

    /// Counts in this database as well, if several servers may use it.
    pub fn counted_in(self, store: &Store) -> RateLimiters {
        RateLimiters {
            common: (!store.is_embedded()).then(|| store.clone()),
            ..self
        }
    }

    /// Counts an attempt to log in to an account from an address.
    pub async fn allow_login(&self, from: ClientAddress, name: &str) -> Result<(), AccountError> {
        self.count(&self.tables.login, &from).await?;
        let name = name.trim().to_lowercase().chars().take(64).collect();
        self.count(&self.tables.account, &name).await
    }

    /// Counts a sign-in with a provider from an address.
    pub async fn allow_sign_in(&self, from: ClientAddress) -> Result<(), AccountError> {
        self.count(&self.tables.login, &from).await
    }

    /// Counts a new account from an address.
    pub async fn allow_register(&self, from: ClientAddress) -> Result<(), AccountError> {
        self.count(&self.tables.register, &from).await
    }

    /// Counts an action that needs no account but costs the server work: by account, for guests by
    /// address.
    pub async fn allow_human_match(
        &self,
        by: Option<UserId>,
        from: ClientAddress,
    ) -> Result<(), AccountError> {
        match by {
            Some(user) => self.count(&self.tables.play, &user).await,
            None => self.count(&self.tables.guest, &from).await,
        }
    }

    /// Counts an upload.
    pub async fn allow_upload(&self, by: UserId) -> Result<(), AccountError> {
        self.count(&self.tables.upload, &by).await
    }

    /// Counts a friendly match.
    pub async fn allow_friendly(&self, by: UserId) -> Result<(), AccountError> {
        self.count(&self.tables.friendly, &by).await
    }

    async fn count<K: Hash + Eq + Clone + Display>(
        &self,
        table: &LimiterTable<K>,
        key: &K,
    ) -> Result<(), AccountError> {
        // What this server refuses by itself costs the database nothing.
        table.check_own(key).map_err(AccountError::TooOften)?;
        let Some(store) = &self.common else {
            return Ok(());
        };
        let rate = Rate {
            burst: table.quota.burst_size().get(),
            each: table.quota.replenish_interval(),
        };
        let key = format!("{} {key}", table.name);
        let counted = store.count_action(&key, rate, Timestamp::now()).await?;
        counted.map_err(AccountError::TooOften)
    }
}

impl<K: Hash + Eq + Clone> LimiterTable<K> {
    fn new(name: &'static str, quota: Quota) -> LimiterTable<K> {
        LimiterTable {
            name,
            quota,
            own: RateLimiter::keyed(quota),
        }
    }

    fn check_own(&self, key: &K) -> Result<(), Duration> {
        if self.own.len() > MANY {
            self.own.retain_recent();
        }
        let checked = self.own.check_key(key);
        checked.map_err(|until| until.wait_time_from(DefaultClock::default().now()))
    }
}
