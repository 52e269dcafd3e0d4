//! The tables `webhooks` and `webhook_deliveries`.

use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{ContestId, Json, TeamId, Timestamp, UserId, WebhookId};

/// Whose events a webhook gets.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "lowercase")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "lowercase")]
pub enum OwnerKind {
    /// A person.
    User,
    /// A team.
    Team,
    /// A contest.
    Contest,
}

/// Whose events a webhook gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WebhookOwner {
    /// Of the bots that a person has alone.
    User(UserId),
    /// Of the bots of a team.
    Team(TeamId),
    /// Of a contest.
    Contest(ContestId),
}

impl WebhookOwner {
    pub(crate) fn into_columns(self) -> (OwnerKind, i64) {
        match self {
            WebhookOwner::User(id) => (OwnerKind::User, id.0),
            WebhookOwner::Team(id) => (OwnerKind::Team, id.0),
            WebhookOwner::Contest(id) => (OwnerKind::Contest, id.0),
        }
    }
}

/// What a webhook may be told.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::None)")]
pub enum EventKind {
    /// A match has a result.
    #[serde(rename = "match.finished")]
    #[sea_orm(string_value = "match.finished")]
    MatchFinished,
    /// The result of a match was corrected or withdrawn, or no longer counts in its contest.
    #[serde(rename = "match.corrected")]
    #[sea_orm(string_value = "match.corrected")]
    MatchCorrected,
    /// An upload was built and checked: it may play, or has failed.
    #[serde(rename = "version.checked")]
    #[sea_orm(string_value = "version.checked")]
    VersionChecked,
    /// The versions of a contest are chosen.
    #[serde(rename = "contest.begun")]
    #[sea_orm(string_value = "contest.begun")]
    ContestBegun,
    /// A stage of a contest is over.
    #[serde(rename = "contest.stage-ended")]
    #[sea_orm(string_value = "contest.stage-ended")]
    StageEnded,
    /// A contest is over, with a result or without.
    #[serde(rename = "contest.ended")]
    #[sea_orm(string_value = "contest.ended")]
    ContestEnded,
    /// Somebody asked for a test.
    #[serde(rename = "test")]
    #[sea_orm(string_value = "test")]
    Test,
}

/// Whether an event was told.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumIter, DeriveActiveEnum,
)]
#[serde(rename_all = "kebab-case")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "kebab-case")]
pub enum DeliveryState {
    /// It is due now or later.
    Waiting,
    /// The receiver has taken it.
    Delivered,
    /// The receiver never took it.
    GivenUp,
}

/// An address that is told what happens.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhooks")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key)]
    pub id: WebhookId,
    /// Whose events.
    pub owner_kind: OwnerKind,
    /// The owner's key.
    pub owner: i64,
    /// Who made it.
    pub creator: UserId,
    /// The address.
    pub url: String,
    /// Which events: an array of their names.
    pub events: Json,
    /// The secret that signs. It is needed in the clear to sign with it.
    pub secret: String,
    /// When it was made.
    pub created: Timestamp,
    /// Why it is told nothing, in a word; `None` while it is on.
    pub off: Option<String>,
    /// How many deliveries in a row were given up.
    pub failures: i32,
    /// How many events were left out, because too many waited.
    pub dropped: i64,
    /// The receiver: the host of the address with its port; `None` of those of an older version, until
    /// something is sent to them.
    pub host: Option<String>,
    /// Until when nothing is sent, because the receiver did not answer in time.
    pub rests_until: Option<Timestamp>,
    /// How often in a row the receiver did not answer in time, to all webhooks of this account.
    pub time_outs: i32,
}

relations!();

pub use Model as Webhook;

impl Model {
    /// Which events it is told.
    pub fn wanted_events(&self) -> Vec<EventKind> {
        serde_json::from_value(self.events.clone()).unwrap_or_default()
    }

    /// Whose events it is told.
    pub fn event_owner(&self) -> WebhookOwner {
        match self.owner_kind {
            OwnerKind::User => WebhookOwner::User(UserId(self.owner)),
            OwnerKind::Team => WebhookOwner::Team(TeamId(self.owner)),
            OwnerKind::Contest => WebhookOwner::Contest(ContestId(self.owner)),
        }
    }
}

/// Table of what is told to webhooks.
pub(crate) mod deliveries {
    use sea_orm::entity::prelude::*;

    use super::{DeliveryState, EventKind};
    use crate::{ContestId, DeliveryId, Timestamp, WebhookId};

    /// An event for one webhook.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "webhook_deliveries")]
    pub struct Model {
        /// The key.
        #[sea_orm(primary_key)]
        pub id: DeliveryId,
        /// The webhook.
        pub webhook: WebhookId,
        /// The event.
        pub event: EventKind,
        /// What happened, once for each webhook.
        pub key: String,
        /// The rows that it is about.
        pub subject: Json,
        /// The contest of the match, which may hide its result.
        pub contest: Option<ContestId>,
        /// When it happened.
        pub created: Timestamp,
        /// When it is tried next.
        pub due: Timestamp,
        /// How often it was tried.
        pub attempts: i32,
        /// Whether it was told.
        pub state: DeliveryState,
        /// The HTTP status of the last answer.
        pub status: Option<i32>,
        /// Why the last attempt failed, in a word.
        pub note: Option<String>,
        /// When it was delivered or given up.
        pub ended: Option<Timestamp>,
    }

    relations!();
}

pub use deliveries::Model as Delivery;
