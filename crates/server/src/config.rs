//! How the operator wants it.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

pub use governor::Quota;
use leitai_game::AnyGame;
use leitai_store::{Json, Retention};

/// How the operator wants it.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The address that people type, such as `https://arena.example.org`, without a slash at its
    /// end.
    pub public_url: Option<String>,
    /// Whether a proxy stands before the server, so that the last address in `X-Forwarded-For` is
    /// the one of the person.
    pub trust_proxy: bool,
    /// Whether anybody may open an account. The first account can always be opened, and becomes an
    /// administrator's.
    pub registration: bool,
    /// How programs are kept apart from this machine, for people to read: a sandbox tier, or
    /// `none`.
    pub isolation: String,
    /// How often things may be done.
    pub rates: RateLimits,
    /// How much there may be at once.
    pub limits: Limits,
    /// What ladders play, by game, with every default written out; games that are not here play
    /// their usual config.
    pub ladder_configs: BTreeMap<String, Json>,
    /// How long an answer that many ask for (a ladder, a list of matches) may be old.
    pub keep_answers: Duration,
    /// How much an account may keep.
    pub quota: leitai_store::Quota,
    /// How long replays are kept.
    pub retention: Retention,
    /// The folder of the documents' site, if it is served.
    pub docs: Option<PathBuf>,
}

/// How often things may be done: by one address, or by one account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Attempts to log in, by address.
    pub login: Quota,
    /// Attempts to log in to one account.
    pub account: Quota,
    /// Accounts opened, by address.
    pub register: Quota,
    /// Tables that guests open or join and replays that they have filmed, by address.
    pub guest: Quota,
    /// The same of people who are logged in, by account.
    pub play: Quota,
    /// Versions uploaded, by account.
    pub upload: Quota,
    /// Matches asked for, by account.
    pub friendly: Quota,
}

/// How much an account may keep unless the operator says otherwise.
pub const QUOTA: leitai_store::Quota = leitai_store::Quota {
    bytes: 500 << 20,
    bots: 60,
    versions: 200,
};

/// How long replays are kept unless the operator says otherwise.
pub const RETENTION: Retention = Retention {
    show: Some(days(2)),
    ladder: Some(days(30)),
    friendly: Some(days(90)),
    people: Some(days(365)),
    bytes: Some(20 << 30),
};

/// So many days.
pub const fn days(days: u64) -> Duration {
    Duration::from_secs(days * 24 * 3600)
}

/// How much there may be at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Matches with people, waiting ones included.
    pub tables: usize,
    /// Those of them that guests may have opened. One address gets a quarter of what is free of it.
    pub guest_tables: usize,
    /// Those that one account may have opened.
    pub account_tables: usize,
    /// Connections from one address.
    pub address_connections: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            tables: 400,
            guest_tables: 160,
            account_tables: 6,
            address_connections: 2_000,
        }
    }
}

impl Default for ServerOptions {
    fn default() -> ServerOptions {
        ServerOptions {
            public_url: None,
            trust_proxy: false,
            registration: true,
            isolation: "none".to_owned(),
            rates: RateLimits::default(),
            limits: Limits::default(),
            ladder_configs: BTreeMap::new(),
            keep_answers: Duration::from_secs(1),
            quota: QUOTA,
            retention: RETENTION,
            docs: None,
        }
    }
}

impl ServerOptions {
    /// What the ladder of a game plays.
    pub fn ladder_config(&self, game: &dyn AnyGame) -> Json {
        let own = self.ladder_configs.get(game.meta().id).cloned();
        own.unwrap_or_else(|| game.read_config(&Json::Null).unwrap_or(Json::Null))
    }

    /// Whether people come by https, so that cookies may only travel so.
    pub fn is_secure(&self) -> bool {
        self.public_url
            .as_deref()
            .is_some_and(|url| url.starts_with("https://"))
    }
}

impl Default for RateLimits {
    /// For a school whose pupils share one address.
    fn default() -> RateLimits {
        RateLimits {
            login: make_quota(300, Duration::from_millis(500)),
            account: make_quota(10, Duration::from_secs(6)),
            register: make_quota(200, Duration::from_secs(10)),
            guest: make_quota(120, Duration::from_secs(2)),
            play: make_quota(30, Duration::from_secs(5)),
            upload: make_quota(10, Duration::from_secs(30)),
            friendly: make_quota(20, Duration::from_secs(10)),
        }
    }
}

/// So many at once, then one more each time.
pub fn make_quota(burst: u32, each: Duration) -> Quota {
    let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
    let each = each.max(Duration::from_millis(1));
    Quota::with_period(each)
        .expect("the period is longer than zero")
        .allow_burst(burst)
}
