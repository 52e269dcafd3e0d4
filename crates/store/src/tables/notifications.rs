//! The table `notifications`.

use sea_orm::Iterable;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{BotId, ContestId, ExperimentId, GroupId, LadderId, NotificationId, Timestamp, UserId};

/// What a person is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumIter, DeriveActiveEnum)]
#[serde(rename_all = "kebab-case")]
#[sea_orm(rs_type = "String", db_type = "Text", rename_all = "kebab-case")]
pub enum NotificationKind {
    /// A version of the person's bot failed its check.
    VersionFailed,
    /// The person's bot rests.
    BotRests,
    /// A contest of the person begins.
    ContestBegun,
    /// A contest of the person is over, and has a result.
    ContestEnded,
    /// A contest of the person was annulled.
    ContestAnnulled,
    /// A bot that the person follows has a new version.
    BotVersion,
    /// A bot that the person follows, or one of a player whom the person follows, plays in a
    /// contest that begins: one for each contest.
    FollowedPlays,
    /// A contest is over in which such a bot played: the best placed one.
    FollowedPlaced,
    /// A contest that the person follows begins.
    FollowedBegun,
    /// A contest that the person follows is over, and has a result.
    FollowedEnded,
    /// The person's bot, or one that the person follows, stands higher on its ladder than ever.
    BestRank,
    /// The person is asked to join a group.
    GroupInvited,
    /// A group that made the person's account gave it a new one-time password.
    PasswordIssued,
    /// The person's account has a second factor from now on.
    SecondFactorOn,
    /// The person switched the second factor off.
    SecondFactorOff,
    /// The operator removed the second factor of the person's account.
    SecondFactorReset,
    /// The person's account has new recovery codes.
    RecoveryCodesMade,
    /// A recovery code of the person's account was used.
    RecoveryCodeUsed,
    /// A passkey was added to the person's account.
    PasskeyAdded,
    /// The person removed a passkey of the account.
    PasskeyRemoved,
    /// An administrator took down a game of the person.
    GameTakenDown,
    /// A candidate of the person's bot was accepted, and plays.
    CandidatePromoted,
    /// A candidate of the person's bot was refused.
    CandidateRefused,
    /// The test of a candidate of the person's bot ended without a decision.
    CandidateUndecided,
    /// An experiment of the person's bot ended.
    ExperimentEnded,
    /// Somebody reported a game; the person is an administrator.
    GameReported,
}

impl NotificationKind {
    /// The names of all kinds.
    pub fn names() -> Vec<String> {
        NotificationKind::iter()
            .map(|kind| kind.to_value())
            .collect()
    }
}

/// Something that a person is told.
#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "notifications")]
pub struct Model {
    /// The key; later ones are larger.
    #[sea_orm(primary_key)]
    pub id: NotificationId,
    /// Who is told.
    pub user: UserId,
    /// What.
    pub kind: NotificationKind,
    /// What happened, once for each person.
    pub key: String,
    /// The bot that it is about.
    pub bot: Option<BotId>,
    /// The number of its version.
    pub version: Option<i32>,
    /// The contest that it is about.
    pub contest: Option<ContestId>,
    /// The bot's place in the contest or on the ladder, from 1.
    pub place: Option<i32>,
    /// The ladder of the place.
    pub ladder: Option<LadderId>,
    /// The person that it is about.
    pub player: Option<UserId>,
    /// The group that it is about.
    pub group_id: Option<GroupId>,
    /// The game that it is about.
    pub game: Option<String>,
    /// The experiment that it is about.
    pub experiment: Option<ExperimentId>,
    /// When it happened.
    pub created: Timestamp,
    /// Whether it was read.
    pub read: bool,
}

relations!();
