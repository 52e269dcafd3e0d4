//! The operator's options.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

pub use governor::Quota;
use leitai_judge::RefereeLimits;
use leitai_store::blobs::blobs::LONGEST_SOURCE;
use leitai_store::{Retention, SourceLanguages};
use serde::Serialize;
use tokio::sync::watch;
use utoipa::ToSchema;

use crate::ladders::LadderOptions;

/// The operator's options.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The public URL of the arena, such as `https://arena.example.org`, without a slash at its
    /// end.
    pub public_url: Option<String>,
    /// The port at which the server listens at all addresses of its machine, if it does.
    pub open_port: Option<u16>,
    /// Whether a proxy stands before the server, so that the last address in `X-Forwarded-For` is
    /// the client's.
    pub trust_proxy: bool,
    /// Whether registration is open. The first account, an administrator's, can always be created.
    pub registration: bool,
    /// The isolation of programs, for people to read: a sandbox tier, or `none`.
    pub isolation: String,
    /// Rate limits.
    pub rates: RateLimits,
    /// Limits of concurrent matches and connections.
    pub limits: Limits,
    /// The ladders.
    pub ladders: LadderOptions,
    /// The games with a ladder of programs that stay at home.
    pub home_ladders: Vec<String>,
    /// The maximum age of a cached response, such as a ladder or a list of matches.
    pub keep_answers: Duration,
    /// The quota of an account; the rates of uploads and friendly matches bound it as well
    /// ([`ServerOptions::account_quota`]).
    pub quota: leitai_store::Quota,
    /// The retention of replays.
    pub retention: Retention,
    /// How long programs may wait rather than compute.
    pub waiting: WaitingAllowances,
    /// After how many failed rated matches in a row an uploaded bot rests; 0: never.
    pub rest_after: u32,
    /// How many bots a division of a ladder has: ladders of twice as many are divided; 0: none.
    pub division_size: u32,
    /// For how many days nobody else may take a name of an account or group that was given up; 0: not
    /// at all.
    pub freed_name_days: u32,
    /// The most analyses of matches that are kept, the newest; 0: the arena makes none.
    pub analyses: u32,
    /// The most that an account with the right to add games may have.
    pub games: GameLimits,
    /// Millions of instructions that a level or an analysis takes for one decision in a game that is not
    /// of this house.
    pub game_search: u32,
    /// The most webhooks of a person, a team or a contest; 0: none.
    pub webhooks: u32,
    /// Whether webhooks may point to private addresses, such as those of the operator's network.
    pub private_webhooks: bool,
    /// Whether there are exhibitions while somebody is there to watch.
    pub exhibitions: bool,
    /// The folder of the documentation site, if it is served.
    pub docs: Option<PathBuf>,
    /// The folder of the data, whose disk is measured.
    pub data: Option<PathBuf>,
    /// Of whom a second factor is required.
    pub second_factor: SecondFactorRule,
    /// The time zone in which days of the arena begin, by its IANA name.
    pub time_zone: String,
    /// What the author of a game saves while he plays it here (`leitai game play`).
    pub saves: Option<watch::Receiver<GameSave>>,
}

/// How a game stands that its author writes while he plays it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct GameSave {
    /// The game's id.
    pub game: String,
    /// How often it was saved.
    pub number: u64,
    /// Why the version before it is still played, for people; null if this one is.
    pub problem: Option<String>,
}

/// Of whom a second factor is required; everybody may have one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SecondFactorRule {
    /// Of nobody.
    #[default]
    Offered,
    /// Of administrators and organisers: without one they have no rights as such.
    Required,
}

/// Rate limits, by address or by account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Attempts to log in, by address.
    pub login: Quota,
    /// Attempts to log in to one account from one address, or from one browser that it knows;
    /// twenty times as many from all addresses.
    pub account: Quota,
    /// Registrations, by address.
    pub register: Quota,
    /// Human matches that guests create or join and replays that they have rendered, by address.
    pub guest: Quota,
    /// The same for signed-in users, by account.
    pub play: Quota,
    /// Uploads, by account.
    pub upload: Quota,
    /// Friendly matches, by account.
    pub friendly: Quota,
}

/// The default quota of an account.
pub const QUOTA: leitai_store::Quota = leitai_store::Quota {
    bytes: 500 << 20,
    bots: 60,
    versions: 200,
    daily_versions: 1_000,
    hourly_uploads: u64::MAX,
    daily_friendlies: u64::MAX,
    daily_cpu_seconds: u64::MAX,
    source_bytes: LONGEST_SOURCE as u64,
    languages: SourceLanguages::ALL,
};

/// The default quota of an account that may add games.
pub const GAME_QUOTA: GameLimits = GameLimits {
    games: 5,
    versions: 50,
    mebibytes: 64,
    daily_checks: 20,
};

/// The most that an account has of games that it brought; administrators have no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameLimits {
    /// Games.
    pub games: u32,
    /// Versions that are kept.
    pub versions: u32,
    /// Their size in MiB.
    pub mebibytes: u32,
    /// Checks within 24 hours.
    pub daily_checks: u32,
}

impl From<GameLimits> for leitai_store::GameQuota {
    fn from(limits: GameLimits) -> leitai_store::GameQuota {
        leitai_store::GameQuota {
            games: limits.games.into(),
            versions: limits.versions.into(),
            bytes: u64::from(limits.mebibytes) << 20,
            daily_checks: limits.daily_checks.into(),
        }
    }
}

/// The default retention of replays.
pub const RETENTION: Retention = Retention {
    exhibition: Some(days(2)),
    ladder: Some(days(30)),
    friendly: Some(days(90)),
    human: Some(days(365)),
    contest: Some(days(365)),
    bytes: Some(20 << 30),
};

/// The default number of failed rated matches in a row after which a bot rests.
pub const REST_AFTER: u32 = 5;

/// The default number of bots of a division.
pub const DIVISION_SIZE: u32 = 20;

/// The default number of days for which nobody else may take a name that was given up.
pub const FREED_NAME_DAYS: u32 = 180;

/// The default for a decision in games that are not of this house: millions of instructions.
pub const GAME_SEARCH: u32 = 200;

/// The default number of analyses of matches that are kept.
pub const ANALYSES: u32 = 10_000;

/// The default number of webhooks of a person, a team or a contest.
pub const WEBHOOKS: u32 = 10;

/// A duration of days.
pub const fn days(days: u64) -> Duration {
    Duration::from_secs(days * 24 * 3600)
}

/// Limits of concurrent matches and connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Human matches, including waiting ones.
    pub human_matches: usize,
    /// Human matches created by guests. One address may create a quarter of the free ones.
    pub guest_matches: usize,
    /// Human matches created by one account.
    pub account_matches: usize,
    /// Connections from one address.
    pub address_connections: usize,
    /// Contests of one group that are not over, by its organisers.
    pub group_contests: usize,
    /// Running experiments of one account.
    pub experiments: usize,
    /// Programs that one account offers from home at once.
    pub home_bots: usize,
    /// The least time that a person, or a program that stays at home, has for a turn, if it is longer
    /// than the game's.
    pub person_time: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            human_matches: 400,
            guest_matches: 160,
            account_matches: 6,
            address_connections: 2_000,
            group_contests: 8,
            experiments: 2,
            home_bots: 8,
            person_time: None,
        }
    }
}

impl Default for ServerOptions {
    fn default() -> ServerOptions {
        ServerOptions {
            public_url: None,
            open_port: None,
            trust_proxy: false,
            registration: true,
            isolation: "none".to_owned(),
            rates: RateLimits::default(),
            limits: Limits::default(),
            ladders: LadderOptions::default(),
            home_ladders: Vec::new(),
            keep_answers: Duration::from_secs(1),
            quota: QUOTA,
            retention: RETENTION,
            waiting: WaitingAllowances::default(),
            rest_after: REST_AFTER,
            division_size: DIVISION_SIZE,
            freed_name_days: FREED_NAME_DAYS,
            analyses: ANALYSES,
            games: GAME_QUOTA,
            game_search: GAME_SEARCH,
            webhooks: WEBHOOKS,
            private_webhooks: false,
            exhibitions: true,
            docs: None,
            data: None,
            second_factor: SecondFactorRule::Offered,
            time_zone: "UTC".to_owned(),
            saves: None,
        }
    }
}

/// How long a program may wait rather than compute in all its turns together: what the operator
/// says, else [`MATCH_WAITING`] and [`CHECK_WAITING`], and then no less than one turn is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitingAllowances {
    /// In a match.
    pub of_match: Option<Duration>,
    /// In a check.
    pub of_check: Option<Duration>,
}

/// The waiting allowance of a match, unless the operator says another.
pub const MATCH_WAITING: Duration = Duration::from_secs(30);
/// The waiting allowance of a check, unless the operator says another.
pub const CHECK_WAITING: Duration = Duration::from_secs(60);

impl WaitingAllowances {
    /// The allowance of a match with these limits.
    pub fn in_match(&self, limits: &RefereeLimits) -> Duration {
        self.of_match
            .unwrap_or_else(|| MATCH_WAITING.max(limits.period))
    }

    /// The allowance of a check with these limits.
    pub fn in_check(&self, limits: &RefereeLimits) -> Duration {
        self.of_check
            .unwrap_or_else(|| CHECK_WAITING.max(limits.period))
    }
}

impl ServerOptions {
    /// The quota of an account: what [`ServerOptions::quota`] says, and what the rates of uploads
    /// and friendly matches leave within an hour or a day.
    pub fn account_quota(&self) -> leitai_store::Quota {
        let uploads = most_within(self.rates.upload, Duration::from_secs(3_600));
        let friendlies = most_within(self.rates.friendly, days(1));
        leitai_store::Quota {
            hourly_uploads: self.quota.hourly_uploads.min(uploads),
            daily_friendlies: self.quota.daily_friendlies.min(friendlies),
            ..self.quota
        }
    }

    /// Whether the arena is reached over https, so that cookies may be marked `Secure`.
    pub fn is_secure(&self) -> bool {
        self.public_url
            .as_deref()
            .is_some_and(|url| url.starts_with("https://"))
    }
}

impl Default for RateLimits {
    /// Defaults that suit a school whose pupils share one address.
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

/// The most actions that a rate allows within a span of time.
fn most_within(rate: Quota, span: Duration) -> u64 {
    let each = rate.replenish_interval().as_nanos().max(1);
    let more = u64::try_from(span.as_nanos() / each).unwrap_or(u64::MAX);
    more.saturating_add(u64::from(rate.burst_size().get()))
}

/// A quota of a burst, then one more after each interval.
pub fn make_quota(burst: u32, each: Duration) -> Quota {
    let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
    let each = each.max(Duration::from_millis(1));
    Quota::with_period(each)
        .expect("the period is longer than zero")
        .allow_burst(burst)
}
