//! Primary keys: one type per table, so that a bot's key is never used as a match's.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use sea_orm::DeriveValueType;
use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, DeriveValueType)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = ParseIntError;

            fn from_str(text: &str) -> Result<$name, ParseIntError> {
                text.parse().map($name)
            }
        }
    )*};
}

ids! {
    /// A person with an account.
    UserId;
    /// A browser that is logged in.
    SessionId;
    /// A token for programs: of an author or of a worker.
    TokenId;
    /// A program on one ladder.
    BotId;
    /// One upload of a bot.
    VersionId;
    /// A match.
    MatchId;
    /// A program that stays on its author's machine.
    HomeBotId;
    /// A job of a worker.
    JobId;
    /// A group, such as a class.
    GroupId;
    /// A team.
    TeamId;
    /// An entry of the audit log.
    AuditId;
    /// A contest.
    ContestId;
    /// A bot in a contest.
    EntryId;
    /// A sequential test of two versions.
    ExperimentId;
    /// A pinned moment.
    PinId;
    /// A situation pack of an organiser.
    PackId;
    /// A passkey of an account.
    PasskeyId;
    /// A webhook.
    WebhookId;
    /// An event that is delivered to a webhook.
    DeliveryId;
    /// An account at a provider of sign-ins.
    IdentityId;
    /// Something that a person is told in the page.
    NotificationId;
}
