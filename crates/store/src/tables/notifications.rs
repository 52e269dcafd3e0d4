//! The table `notifications`.

use sea_orm::Iterable;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{BotId, ContestId, ExperimentId, GroupId, LadderId, NotificationId, Timestamp, UserId};

/// What a person is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumIter, DeriveActiveEnum)]
#[serde(rename_all = "kebab-case")]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::None)")]
pub enum NotificationKind {
    /// A version of the person's bot failed its check.
    #[sea_orm(string_value = "version-failed")]
    VersionFailed,
    /// The person's bot rests.
    #[sea_orm(string_value = "bot-rests")]
    BotRests,
    /// A contest of the person begins.
    #[sea_orm(string_value = "contest-begun")]
    ContestBegun,
    /// A contest of the person is over, and has a result.
    #[sea_orm(string_value = "contest-ended")]
    ContestEnded,
    /// A contest of the person was annulled.
    #[sea_orm(string_value = "contest-annulled")]
    ContestAnnulled,
    /// A bot that the person follows has a new version.
    #[sea_orm(string_value = "bot-version")]
    BotVersion,
    /// A bot that the person follows, or one of a player whom the person follows, plays in a
    /// contest that begins: one for each contest.
    #[sea_orm(string_value = "followed-plays")]
    FollowedPlays,
    /// A contest is over in which such a bot played: the best placed one.
    #[sea_orm(string_value = "followed-placed")]
    FollowedPlaced,
    /// A contest that the person follows begins.
    #[sea_orm(string_value = "followed-begun")]
    FollowedBegun,
    /// A contest that the person follows is over, and has a result.
    #[sea_orm(string_value = "followed-ended")]
    FollowedEnded,
    /// The person's bot, or one that the person follows, stands higher on its ladder than ever.
    #[sea_orm(string_value = "best-rank")]
    BestRank,
    /// The person is asked to join a group.
    #[sea_orm(string_value = "group-invited")]
    GroupInvited,
    /// A group that made the person's account gave it a new one-time password.
    #[sea_orm(string_value = "password-issued")]
    PasswordIssued,
    /// The person's account has a second factor from now on.
    #[sea_orm(string_value = "second-factor-on")]
    SecondFactorOn,
    /// The person switched the second factor off.
    #[sea_orm(string_value = "second-factor-off")]
    SecondFactorOff,
    /// The operator removed the second factor of the person's account.
    #[sea_orm(string_value = "second-factor-reset")]
    SecondFactorReset,
    /// The person's account has new recovery codes.
    #[sea_orm(string_value = "recovery-codes-made")]
    RecoveryCodesMade,
    /// A recovery code of the person's account was used.
    #[sea_orm(string_value = "recovery-code-used")]
    RecoveryCodeUsed,
    /// A passkey was added to the person's account.
    #[sea_orm(string_value = "passkey-added")]
    PasskeyAdded,
    /// The person removed a passkey of the account.
    #[sea_orm(string_value = "passkey-removed")]
    PasskeyRemoved,
    /// The rating of the person's bot changed when its ladder was recounted without copies.
    #[sea_orm(string_value = "rating-recounted")]
    RatingRecounted,
    /// An administrator took down a game of the person.
    #[sea_orm(string_value = "game-taken-down")]
    GameTakenDown,
    /// A candidate of the person's bot was accepted, and plays.
    #[sea_orm(string_value = "candidate-promoted")]
    CandidatePromoted,
    /// A candidate of the person's bot was refused.
    #[sea_orm(string_value = "candidate-refused")]
    CandidateRefused,
    /// The test of a candidate of the person's bot ended without a decision.
    #[sea_orm(string_value = "candidate-undecided")]
    CandidateUndecided,
    /// An experiment of the person's bot ended.
    #[sea_orm(string_value = "experiment-ended")]
    ExperimentEnded,
    /// Somebody reported a game; the person is an administrator.
    #[sea_orm(string_value = "game-reported")]
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
    /// The bot's rating before the recount, as shown.
    pub rating_before: Option<f64>,
    /// The bot's rating after the recount, as shown.
    pub rating_after: Option<f64>,
    /// The game that it is about.
    pub game: Option<String>,
    /// The experiment that it is about.
    pub experiment: Option<ExperimentId>,
    /// When it happened.
    pub created: Timestamp,
    /// Whether it was read.
    pub read: bool,
}

/// Which tables it is joined with.
#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
