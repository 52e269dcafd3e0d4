//! Everything that Leitai keeps: accounts, bots, matches, ratings and jobs in a database, sources and replays in a vault.
//!
//! One code base (SeaORM) for SQLite, which needs nothing, and PostgreSQL, for many servers and workers. No clock of its
//! own: the time is an argument, as a [`Timestamp`].
//!
//! | module | noun |
//! |---|---|
//! | [`store`] | the database: opening it, its single writer |
//! | [`error`] | what it could not do |
//! | [`ids`], [`timestamp`], [`side`], [`secret`], [`page`] | the small words that all the others use |
//! | [`users`], [`sessions`], [`tokens`] | people and how they prove who they are |
//! | [`bots`], [`versions`] | programs and their uploads |
//! | [`mod@matches`], [`invites`] | matches, from the wish to the result |
//! | [`jobs`] | what workers do, under leases |
//! | `legs` | the moves of matches with people, while they are played |
//! | [`record`] | results and ratings, recorded once, many in one transaction |
//! | [`corrections`] | results that an administrator corrected |
//! | [`quota`], [`retention`] | how much an account may keep, and how long replays are kept |
//! | [`deletion`], [`erasure`], [`discards`] | bots, versions and accounts that are deleted; their names; their files |
//! | [`ladder`], [`places`], [`history`], [`pairing`], [`rebuild`] | who stands where, how it came, who plays whom next, all of it computed anew |
//! | [`workers`], [`audit`], [`counts`] | for whoever runs the arena |
//! | [`vault`] | sources and replays |

pub mod audit;
pub mod bots;
pub mod corrections;
pub mod counts;
pub mod deletion;
pub mod discards;
pub mod erasure;
pub mod error;
mod health;
pub mod history;
pub mod ids;
pub mod invites;
pub mod jobs;
pub mod ladder;
mod legs;
pub mod matches;
mod migrations;
pub mod page;
pub mod pairing;
pub mod places;
#[cfg(test)]
mod plans;
pub mod quota;
pub mod rebuild;
pub mod record;
pub mod retention;
pub mod secret;
pub mod sessions;
pub mod side;
pub mod store;
pub mod timestamp;
pub mod tokens;
mod turns;
pub mod users;
pub mod vault;
pub mod versions;
pub mod workers;

/// What is kept as JSON: small, made by the judge, read by pages.
pub use sea_orm::JsonValue as Json;

pub use audit::{Audit, Deed};
pub use bots::{Bot, BotBrief, NewBot};
pub use corrections::{Correction, NewCorrection};
pub use counts::Counts;
pub use deletion::Deletion;
pub use error::StoreError;
pub use history::{HeadToHead, RatingPoint};
pub use ids::{AuditId, BotId, JobId, MatchId, SessionId, TokenId, UserId, VersionId};
pub use jobs::{Acquired, GaveUp, Holding, Job, JobKind, JobState, Lease, Offer, Work};
pub use ladder::{LadderRow, Standing};
pub use matches::{
    Entrant, EntrantKind, Match, MatchBrief, MatchFilter, MatchKind, MatchState, NewMatch, Seed, Tally,
};
pub use page::{Ask, Page};
pub use pairing::{Candidate, Pairing};
pub use quota::{OverQuota, Quota, Usage};
pub use rebuild::Rebuilt;
pub use record::{Finish, MatchResult};
pub use retention::{Kept, Retention};
pub use secret::TokenHash;
pub use sessions::Session;
pub use side::{BySide, Side, Winner};
pub use store::Store;
pub use timestamp::Timestamp;
pub use tokens::{ApiToken, NewToken, TokenKind, TokenScope, TokenScopes};
pub use users::{NewUser, User};
pub use vault::{Key, Vault, VaultError};
pub use versions::{NewSource, NewVersion, Version, VersionBrief, VersionOutcome, VersionState};
pub use workers::{NO_PROGRAMS, Worker, WorkerReport};
