//! Rate limits by address and by account. Each server counts for itself; several servers of one
//! arena then count in their database, so that one is allowed as much as on one server.

use std::fmt::Display;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, RateLimiter};
use leitai_store::{MatchId, MatchSide, Rate, SessionId, Store, Timestamp, TokenHash, UserId};

use super::AccountError;
use crate::client_address::ClientAddress;
use crate::config::{Quota, RateLimits, make_quota};

/// How many addresses may try passwords of one account as fast as one address may.
const ADDRESSES: u32 = 20;
/// Codes of a second factor that may be tried at once, and how long it takes until one more may: a
/// guess is right with three in a million, and so within a day with one in a thousand.
const FACTOR_CODES: u32 = 10;
const FACTOR_CODE: Duration = Duration::from_secs(5 * 60);
/// Ten experiments may be started at once, and then one in this time.
const EXPERIMENT: Duration = Duration::from_secs(60);
/// A hundred programs of others may be fetched at once, and then one in this time.
const FETCH: Duration = Duration::from_secs(10);
/// Five games may be reported at once, and then one in this time.
const REPORT: Duration = Duration::from_secs(10 * 60);
/// The least time between two phrases of one person after a match.
const PARTING: Duration = Duration::from_secs(2);
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
    /// By name and address together: a stranger's attempts do not count for the holder.
    account: LimiterTable<String>,
    /// By name, from all addresses.
    name: LimiterTable<String>,
    known: LimiterTable<String>,
    confirm: LimiterTable<SessionId>,
    /// Codes of a second factor, by account and place.
    factor: LimiterTable<String>,
    code: LimiterTable<UserId>,
    codes: LimiterTable<ClientAddress>,
    register: LimiterTable<ClientAddress>,
    guest: LimiterTable<ClientAddress>,
    play: LimiterTable<UserId>,
    upload: LimiterTable<UserId>,
    friendly: LimiterTable<UserId>,
    experiment: LimiterTable<UserId>,
    fetch: LimiterTable<UserId>,
    report: LimiterTable<UserId>,
    /// Phrases after a match, by the match and the side.
    parting: LimiterTable<String>,
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
            name: LimiterTable::new("name", widen(rates.account)),
            known: LimiterTable::new("known", rates.account),
            confirm: LimiterTable::new("confirm", rates.account),
            factor: LimiterTable::new("factor", make_quota(FACTOR_CODES, FACTOR_CODE)),
            code: LimiterTable::new("code", make_quota(10, Duration::from_secs(6))),
            codes: LimiterTable::new("codes", make_quota(60, Duration::from_secs(1))),
            register: LimiterTable::new("register", rates.register),
            guest: LimiterTable::new("guest", rates.guest),
            play: LimiterTable::new("play", rates.play),
            upload: LimiterTable::new("upload", rates.upload),
            friendly: LimiterTable::new("friendly", rates.friendly),
            experiment: LimiterTable::new("experiment", make_quota(10, EXPERIMENT)),
            fetch: LimiterTable::new("fetch", make_quota(100, FETCH)),
            report: LimiterTable::new("report", make_quota(5, REPORT)),
            parting: LimiterTable::new("parting", make_quota(1, PARTING)),
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

    /// Counts an attempt to log in to an account from an address, with a browser that the account
    /// does not know.
    pub async fn allow_login(&self, from: ClientAddress, name: &str) -> Result<(), AccountError> {
        self.count(&self.tables.login, &from).await?;
        let name: String = name.trim().to_lowercase().chars().take(64).collect();
        let both = format!("{name} {from}");
        self.count(&self.tables.account, &both).await?;
        // Those that this address may not make do not count.
        self.count(&self.tables.name, &name).await
    }

    /// Counts an attempt to log in to an account with a browser that it knows: whatever others do,
    /// the holder has these.
    pub async fn allow_known_login(
        &self,
        browser: &TokenHash,
        user: UserId,
    ) -> Result<(), AccountError> {
        let both = format!("{user} {}", browser.as_str());
        self.count(&self.tables.known, &both).await
    }

    /// Counts a password that somebody gives in a session.
    pub async fn allow_confirmation(&self, session: SessionId) -> Result<(), AccountError> {
        self.count(&self.tables.confirm, &session).await
    }

    /// Counts a code of a second factor that somebody gives with the right password. The place is a
    /// session, or a browser that the account knows: there the holder has attempts of one's own,
    /// whatever somebody else with the password tries. All other places count together.
    pub async fn allow_factor_code(
        &self,
        user: UserId,
        place: Option<&str>,
    ) -> Result<(), AccountError> {
        let both = format!("{user} {}", place.unwrap_or_default());
        self.count(&self.tables.factor, &both).await
    }

    /// Counts a code of a contest, by the account and by the address.
    pub async fn allow_code(&self, by: UserId, from: ClientAddress) -> Result<(), AccountError> {
        self.count(&self.tables.code, &by).await?;
        self.count(&self.tables.codes, &from).await
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

    /// Counts the start of an experiment.
    pub async fn allow_experiment(&self, by: UserId) -> Result<(), AccountError> {
        self.count(&self.tables.experiment, &by).await
    }

    /// Counts a program of somebody else's that is fetched.
    pub async fn allow_fetch(&self, by: UserId) -> Result<(), AccountError> {
        self.count(&self.tables.fetch, &by).await
    }

    /// Counts a report of a game.
    pub async fn allow_report(&self, by: UserId) -> Result<(), AccountError> {
        self.count(&self.tables.report, &by).await
    }

    /// Counts a phrase that somebody says after a match.
    pub async fn allow_parting(&self, id: MatchId, side: MatchSide) -> Result<(), AccountError> {
        let both = format!("{id} {side:?}");
        self.count(&self.tables.parting, &both).await
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

/// What all addresses together may try, where one may try as much as the quota says.
fn widen(quota: Quota) -> Quota {
    let burst = quota.burst_size().get().saturating_mul(ADDRESSES);
    make_quota(burst, quota.replenish_interval() / ADDRESSES)
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
