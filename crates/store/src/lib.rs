//! The persistent state of Leitai: accounts, bots, matches, ratings and jobs in a database, sources
//! and replays in a blob store.
//!
//! One code base (SeaORM) serves SQLite, which needs no installation, and PostgreSQL, for many
//! servers and workers. The crate reads no clock: the time is an argument, as a [`Timestamp`].
//!
//! | module | content |
//! |---|---|
//! | [`store`] | the database connection with a single writer |
//! | [`error`] | errors of the store |
//! | [`ids`], [`side`] | keys of rows; the two entrants of a match |
//! | [`timestamp`], [`secret`], [`page`] | times, hashes of tokens, pages of lists |
//! | [`users`], [`sessions`], [`tokens`] | accounts and their authentication |
//! | [`identities`] | accounts at providers of sign-ins |
//! | [`second_factors`], [`passkeys`] | secrets of authenticator apps, and recovery codes; passkeys and their challenges |
//! | [`known_browsers`] | browsers that have logged in before |
//! | [`freed_names`] | names that were given up, which nobody else may take for a while |
//! | [`skeletons`] | what is equal for names that look alike |
//! | [`groups`], [`member_list`], [`teams`] | groups with organisers, lists of their members, teams |
//! | [`group_invitations`] | accounts that are asked to join a group |
//! | [`bots`], [`versions`] | bots and their uploads |
//! | [`mod@matches`], [`invites`] | matches and invites to human matches |
//! | `openers` | who opened the matches with people that are not over |
//! | [`partings`] | what two people say to each other after their match |
//! | [`match_tags`] | short words by which matches are found |
//! | [`jobs`], [`workers`] | jobs under leases, and the workers |
//! | `legs` | the moves of human matches while they are played |
//! | [`contests`] | contests: their entries, stages and matches |
//! | [`contest_names`] | whom the names in a contest's file mean |
//! | [`record`], [`corrections`] | results and ratings; corrected results |
//! | [`rests`] | bots that failed too often |
//! | [`quota`], [`group_quotas`] | quotas of accounts; quotas that groups set for their members |
//! | [`source_languages`] | the languages of sources |
//! | [`retention`] | retention of replays |
//! | [`deletion`], [`erasure`], [`discards`] | deleted rows, their names, their blobs |
//! | [`returning`] | last visits of people, what they have reached, daily challenges |
//! | [`search`] | bots and people by the first letters of their names; what a person has played |
//! | [`ladder_id`], [`ladder_list`] | which ladder; the ladders of each game, and which bots play on them |
//! | [`ladder`], [`history`], [`pairing`] | standings, rating history, candidates of pairings |
//! | [`divisions`], [`best_ranks`] | divisions of large ladders; the best rank that a bot has had |
//! | `ladder_cache`, [`rank_cache`], [`rebuild`] | ladders in memory; places on ladders; recomputation of ratings |
//! | [`mail`] | addresses of people, links and mails that are sent to them |
//! | [`follows`], [`notifications`] | whom people follow, and what they are told in the page |
//! | [`webhooks`] | webhooks, and the events that are delivered to them |
//! | [`audit_log`], [`counts`] | audit log and row counts, for operators |
//! | [`blobs`] | the blob store of sources and replays |

#![cfg_attr(not(test), warn(clippy::too_many_lines))]

mod account_holdings;
pub mod audit_log;
mod availability;
pub mod best_ranks;
pub mod blobs;
pub mod bots;
mod contest_changes;
pub mod contest_names;
mod contest_people;
pub mod contests;
pub mod corrections;
mod counted_actions;
pub mod counts;
pub mod deletion;
pub mod discards;
mod distinct_games;
pub mod divisions;
pub mod erasure;
pub mod error;
mod finished;
mod first_secrets;
pub mod follows;
pub mod freed_names;
pub mod group_invitations;
mod group_members;
pub mod group_quotas;
pub mod groups;
mod health;
pub mod history;
pub mod identities;
mod identity;
pub mod ids;
pub mod invites;
pub mod job_turns;
pub mod jobs;
pub mod known_browsers;
pub mod ladder;
mod ladder_cache;
pub mod ladder_id;
pub mod ladder_list;
mod leadership;
mod legs;
mod lobby;
pub mod mail;
pub mod match_tags;
pub mod matches;
pub mod member_list;
#[doc(hidden)] // For tests.
pub mod migrations;
mod news;
pub mod notifications;
mod openers;
pub mod operating;
pub mod page;
pub mod pairing;
pub mod partings;
pub mod passkeys;
#[doc(hidden)] // For tests.
pub mod query_plans;
pub mod quota;
pub mod rank_cache;
mod rates;
mod rating_turns;
pub mod rebuild;
pub mod record;
pub mod recount;
pub mod rests;
pub mod retention;
pub mod returning;
pub mod search;
pub mod second_factors;
pub mod secret;
pub mod sessions;
pub mod side;
pub mod signing_keys;
pub mod skeletons;
pub mod source_languages;
pub mod store;
mod team_members;
pub mod teams;
pub mod timestamp;
pub mod tokens;
pub mod users;
pub mod versions;
mod webhook_events;
pub mod webhooks;
pub mod workers;

/// A JSON column: small, written by the judge, read by pages.
pub use sea_orm::JsonValue as Json;

pub use audit_log::{Audit, AuditedAction};
pub use blobs::{BlobKey, BlobStore, BlobStoreError};
pub use bots::{Bot, BotRow, NewBot};
pub use contest_names::{ContestNames, FileName, NameKind};
pub use contest_people::{DescribeRefusal, FreezeRules};
pub use contests::{
    Contest, ContestActor, ContestEntry, ContestMatch, ContestPrivacy, ContestStage, ContestState,
    EntryLeft, NewContest, NewContestMatch, PlayedContestMatch,
};
pub use corrections::{Correction, NewCorrection};
pub use counts::Counts;
pub use deletion::DeletionRequest;
pub use error::StoreError;
pub use follows::{FollowTarget, Follows};
pub use group_invitations::Invitation;
pub use group_quotas::{GroupQuota, LanguageLimit, Limit, MemberQuota};
pub use groups::{Group, GroupChange, GroupMember, GroupRole, NewGroup};
pub use history::{HeadToHead, RatingPoint};
pub use identities::{Identity, Newcomer, SignIn};
pub use ids::{
    AuditId, BotId, ContestId, DeliveryId, EntryId, GroupId, IdentityId, JobId, MatchId,
    NotificationId, PasskeyId, SessionId, TeamId, TokenId, UserId, VersionId, WebhookId,
};
pub use job_turns::QueuePlace;
pub use jobs::{
    GiveUpOutcome, Job, JobKind, JobState, JobWork, Lease, LeaseState, LeasedJob, WorkerOffer,
};
pub use ladder::{LadderRow, Standing};
pub use ladder_id::LadderId;
pub use mail::{ClaimedMail, Mail, MailAddress, MailKind, NewLink};
pub use match_tags::{MatchTags, TagProblem, clean_tag};
pub use matches::{
    HeadToHeadTally, Match, MatchEntrant, MatchEntrantKind, MatchFilter, MatchKind, MatchRow,
    MatchSeed, MatchState, NewMatch,
};
pub use member_list::{ImportedMember, MemberEntry};
pub use notifications::{Notification, NotificationKind, ReadRange};
pub use openers::MatchOpener;
pub use operating::{PoolUse, Waiting};
pub use page::{Page, PageQuery};
pub use pairing::{LadderPairing, PairingCandidate};
pub use partings::{Parting, RematchAnswer, RematchOffer, RematchState};
pub use passkeys::{AddedPasskey, ChallengeKind, NewPasskey, PASSKEYS, Passkey, PasskeyChallenge};
pub use quota::{ActionUse, OverQuota, Quota, Uploader, Usage};
pub use rates::Rate;
pub use rebuild::RebuildSummary;
pub use record::{MatchResult, RecordOutcome};
pub use recount::{Copies, OpenRecounts, RecountBatch, RecountProgress, RecountSubject, Recounted};
pub use retention::{Kept, Retention};
pub use search::{PersonOpponent, PersonResult, PersonTally};
pub use second_factors::{FactorChange, SecondFactor};
pub use secret::TokenHash;
pub use sessions::Session;
pub use side::{MatchSide, MatchWinner, PerSide};
pub use signing_keys::{NewSigningKey, SigningKey};
pub use source_languages::SourceLanguages;
pub use store::{Store, StoreChange};
pub use teams::{NewTeam, Team, TeamMember};
pub use timestamp::Timestamp;
pub use tokens::{ApiToken, NewToken, TokenKind, TokenScope, TokenScopes};
pub use users::{NewUser, PasswordEnds, User};
pub use versions::{NewSource, NewVersion, Version, VersionOutcome, VersionRow, VersionState};
pub use webhooks::{
    AttemptOutcome, Delivery, DeliveryState, DueWebhook, EventKind, NewWebhook, Webhook,
    WebhookOwner,
};
pub use workers::{NO_PROGRAMS, Worker, WorkerReport};
