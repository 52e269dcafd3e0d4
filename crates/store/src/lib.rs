//! The persistent state of Leitai: accounts, bots, matches, ratings and jobs in a database, sources
//! and replays in a blob store.
//!
//! One code base (SeaORM) serves SQLite, which needs no installation, and PostgreSQL, for many
//! servers and workers. The crate reads no clock: the time is an argument, as a [`Timestamp`].
//!
//! | folder | content |
//! |---|---|
//! | `values` | values that stand in rows and arguments: keys, times, secrets, pages, sides; errors |
//! | `tables` | the tables as SeaORM's entities, which every folder may use |
//! | `migrations` | the steps of the schema |
//! | `database` | the connection with a single writer, whether it answers, who leads; the audit log |
//! | `blobs` | the blob store of sources, replays and game files, and which blobs nobody needs any more |
//! | `jobs` | the queue of jobs, whose turn it is, and the workers |
//! | `standings` | the rows of bots on their ladders, and the order of their changes |
//! | `bots` | bots, their uploads, and what their authors may use |
//! | `messages` | what people are told: mail, notifications, webhooks, and whom they follow |
//! | `events` | what happened, one kind a file, and the subscribers that tell people of it |
//! | `game_files` | games that people brought: versions, whom they belong to, quotas, reports |
//! | `accounts` | accounts, their names, and how people prove who they are |
//! | `returning` | when people were here last, what they have reached, the challenge of the day |
//! | `matches` | matches, from their creation to the removal of their replays |
//! | `ladders` | results, ratings, lists and pairings |
//! | `groups` | groups with organisers, and teams |
//! | `contests` | contests: their entries, stages and matches, and whom their files name |
//! | `experiments` | sequential tests of two versions, and the lanes of candidates |
//! | `work` | what workers do: they lease jobs, give them up and end them |
//! | `removal` | what is kept about a person, what is deleted, and the names that are erased from replays |
//! | `transfer` | an arena, or a part of one, as a folder of files, to move it into another database |
//! | `overview` | what is counted and looked up across all of them |
//!
//! A folder uses those above it in this table, never one below (`xtask/src/layers.rs`).

#![cfg_attr(not(test), warn(clippy::too_many_lines))]
#![allow(clippy::module_inception, reason = "a folder's main file has its name")]

pub mod accounts;
pub mod blobs;
pub mod bots;
pub mod contests;
pub mod database;
mod events;
pub mod experiments;
pub mod game_files;
pub mod groups;
pub mod jobs;
pub mod ladders;
pub mod matches;
pub mod messages;
#[doc(hidden)] // For tests.
pub mod migrations;
mod opening;
pub mod overview;
pub mod removal;
pub mod returning;
pub mod standings;
mod tables;
pub mod transfer;
pub mod values;
pub mod work;

/// A JSON column: small, written by the judge, read by pages.
pub use sea_orm::JsonValue as Json;

pub use accounts::passkeys::{AddedPasskey, NewPasskey, PASSKEYS, PasskeyChallenge};
pub use accounts::signing_keys::NewSigningKey;
pub use accounts::tokens::NewToken;
pub use accounts::users::{NewUser, PasswordEnds};
pub use blobs::blobs::{BlobKey, BlobStore, BlobStoreError};
pub use bots::bots::{BotRow, NewBot};
pub use bots::member_quota::{GroupQuota, LanguageLimit, Limit, MemberQuota, Quota};
pub use bots::quota::{ActionUse, Uploader, Usage};
pub use bots::versions::{NewSource, NewVersion, VersionOutcome, VersionRow};
pub use contests::contest_names::{ContestNames, FileName};
pub use contests::contest_packs::{ContestPack, PackContent};
pub use contests::contest_people::{DescribeRefusal, FreezeRules};
pub use contests::contests::{ContestActor, NewContest, NewContestMatch, PlayedContestMatch};
pub use database::audit_log::AuditedAction;
pub use database::pool_use::PoolUse;
pub use database::rates::Rate;
pub use database::store::{Store, StoreChange};
pub use events::kinds::FactorChange;
pub use experiments::bounds::TestBounds;
pub use experiments::experiments::{ExperimentMatch, NewExperiment, PairPlace, Unstarted};
pub use experiments::lanes::LaneRules;
pub use experiments::pins::{MOST_PINS, NewPin};
pub use experiments::situations::{CandidateStand, NewPack, PINS, SourceAnswers};
pub use game_files::game_files::{GameCheckEnd, NewGameFile};
pub use game_files::game_owners::GameActor;
pub use game_files::game_quota::GameQuota;
pub use game_files::game_reports::NewGameReport;
pub use groups::group_invitations::Invitation;
pub use groups::groups::{GroupChange, GroupMember, GroupRole, NewGroup};
pub use groups::member_list::{ImportedMember, MemberEntry};
pub use groups::teams::{NewTeam, TeamMember};
pub use jobs::job_turns::QueuePlace;
pub use jobs::jobs::{BOOK_KEY, Lease, LeaseState};
pub use jobs::workers::{NO_PROGRAMS, WorkerReport, checks_beside};
pub use ladders::corrections::NewCorrection;
pub use ladders::fetchable::FetchableBot;
pub use ladders::history::{HeadToHead, RatingPoint};
pub use ladders::ladder::{LadderPart, LadderRow};
pub use ladders::pairing::{LadderPairing, PairingCandidate};
pub use ladders::rebuild::RebuildSummary;
pub use ladders::recount::{Copies, OpenRecounts, RecountBatch};
pub use matches::analyses::{ANALYSIS_LOST, AnalysisProgress, AnalysisSource};
pub use matches::home_bots::{HomeOffer, HomeStand, NewHomeMatch, OfferedBot};
pub use matches::home_ladder::{HomeCandidate, HomeStanding};
pub use matches::match_tags::{MatchTags, TagProblem, clean_tag};
pub use matches::matches::{MatchFilter, MatchRow};
pub use matches::new_match::NewMatch;
pub use matches::openers::MatchOpener;
pub use matches::result::{MatchResult, RecordOutcome};
pub use matches::retention::{Kept, Retention};
pub use messages::follows::Follows;
pub use messages::mail::{ClaimedMail, NewLink};
pub use messages::notifications::{Notification, ReadRange};
pub use messages::webhooks::{AttemptOutcome, DueWebhook, NewWebhook};
pub use overview::counts::Counts;
pub use overview::search::{PersonOpponent, PersonResult, PersonTally};
pub use overview::waiting::Waiting;
pub use removal::deletion::DeletionRequest;
pub use removal::personal_data::PersonalRows;
pub use tables::audit_log::Audit;
pub use tables::bots::Bot;
pub use tables::contest_names::NameKind;
pub use tables::contests::{
    Contest, ContestEntry, ContestMatch, ContestPrivacy, ContestStage, ContestState, EntryLeft,
};
pub use tables::corrections::Correction;
pub use tables::experiments::{CandidateLane, Experiment, ExperimentState, Refusing};
pub use tables::experiments::{LeftPool, StoredBook};
pub use tables::follows::FollowTarget;
pub use tables::game_files::{GameFileRow, GameFileState};
pub use tables::game_reports::{GameReport, ReportReason};
pub use tables::groups::Group;
pub use tables::history::HeadToHeadTally;
pub use tables::identities::{Identity, Newcomer, SignIn};
pub use tables::jobs::{Job, JobKind, JobState};
pub use tables::ladder::Standing;
pub use tables::mail::{Mail, MailAddress, MailKind};
pub use tables::matches::{
    Match, MatchEntrant, MatchEntrantKind, MatchKind, MatchSeed, MatchState,
};
pub use tables::notifications::NotificationKind;
pub use tables::partings::{Parting, RematchAnswer, RematchOffer, RematchState};
pub use tables::passkeys::{ChallengeKind, Passkey};
pub use tables::pins::Pin;
pub use tables::recount::RecountProgress;
pub use tables::second_factors::SecondFactor;
pub use tables::sessions::Session;
pub use tables::signing_keys::SigningKey;
pub use tables::situations::{MOST_PACKS, SituationPackRow};
pub use tables::teams::Team;
pub use tables::tokens::{ApiToken, TokenKind, TokenScope, TokenScopes};
pub use tables::users::User;
pub use tables::versions::{Version, VersionState};
pub use tables::webhooks::{Delivery, DeliveryState, EventKind, Webhook, WebhookOwner};
pub use tables::workers::Worker;
pub use transfer::parts::holds_part;
pub use transfer::parts::part::{Comes, PartMoved, PartName, PartRequest, PartRules};
pub use transfer::{Moved, TransferError};
pub use values::error::{Result, StoreError};
pub use values::ids::{
    AuditId, BotId, ContestId, DeliveryId, EntryId, ExperimentId, GroupId, HomeBotId, IdentityId,
    JobId, MatchId, NotificationId, PackId, PasskeyId, PinId, SessionId, TeamId, TokenId, UserId,
    VersionId, WebhookId,
};
pub use values::ladder_id::LadderId;
pub use values::over_quota::OverQuota;
pub use values::page::{Page, PageQuery};
pub use values::secret::TokenHash;
pub use values::side::{MatchSide, MatchWinner, PerSide};
pub use values::source_languages::SourceLanguages;
pub use values::timestamp::Timestamp;
pub use work::leasing::{GiveUpOutcome, JobWork, LeasedJob, WorkerOffer};
