//! The quota that an operation would exceed, in words.

use crate::{BotId, SourceLanguages, Timestamp};

/// The quota that an operation would exceed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverQuota {
    /// Bytes of versions.
    #[error(
        "the versions of this account take {}, and this one {}: more than the {} that an account may \
         keep; delete versions that you no longer need, or send a smaller file",
        format_size(*used), format_size(*more), format_size(*allowed)
    )]
    Bytes {
        /// The bytes in use.
        used: u64,
        /// The bytes of the new version.
        more: u64,
        /// The limit in bytes.
        allowed: u64,
    },
    /// Bots.
    #[error(
        "this account has {used} bots, and may have {allowed}; give one of them a new version, or delete one"
    )]
    Bots {
        /// The present number.
        used: u64,
        /// The limit.
        allowed: u64,
    },
    /// Versions of a bot.
    #[error(
        "bot {bot} has {used} versions, and {} {allowed}; delete versions that you no longer need",
        who_allows(group.as_deref())
    )]
    Versions {
        /// The bot.
        bot: BotId,
        /// The present number.
        used: u64,
        /// The limit.
        allowed: u64,
        /// The group that set the limit; `None`: the arena.
        group: Option<String>,
    },
    /// Versions of a bot within a day.
    #[error(
        "bot {bot} had {used} versions within 24 hours, and may have {allowed}; the next one at {next}"
    )]
    DailyVersions {
        /// The bot.
        bot: BotId,
        /// The number within the last 24 hours.
        used: u64,
        /// The limit.
        allowed: u64,
        /// When the next one may come.
        next: Timestamp,
    },
    /// Uploads within an hour.
    #[error(
        "{} {allowed} uploads an hour, and you made {used}: none is left; {}",
        who_allows(group.as_deref()), when_again(*next)
    )]
    HourlyUploads {
        /// The number within the last hour.
        used: u64,
        /// The limit.
        allowed: u64,
        /// When the next one may come; `None`: never.
        next: Option<Timestamp>,
        /// The group that set the limit; `None`: the arena.
        group: Option<String>,
    },
    /// Friendly matches within a day.
    #[error(
        "{} {allowed} friendly matches within 24 hours, and you asked for {used}: none is left; {}",
        who_allows(group.as_deref()), when_again(*next)
    )]
    DailyFriendlies {
        /// The number within the last 24 hours.
        used: u64,
        /// The limit.
        allowed: u64,
        /// When the next one may come; `None`: never.
        next: Option<Timestamp>,
        /// The group that set the limit; `None`: the arena.
        group: Option<String>,
    },
    /// CPU time of friendly matches within a day.
    #[error(
        "{} {allowed} CPU seconds within 24 hours for friendly matches, and yours took {used}: none is \
         left; {}",
        who_allows(group.as_deref()), when_again(*next)
    )]
    DailyCpu {
        /// The seconds within the last 24 hours, rounded up.
        used: u64,
        /// The limit.
        allowed: u64,
        /// When the next match may come; `None`: never.
        next: Option<Timestamp>,
        /// The group that set the limit; `None`: the arena.
        group: Option<String>,
    },
    /// A check of a game file that is not over.
    #[error(
        "the check of {rules} is not over, and an account has one at a time; send this file when it is"
    )]
    RunningGameCheck {
        /// The rules of the file that is checked.
        rules: String,
    },
    /// Checks of game files within a day.
    #[error(
        "this arena allows {allowed} checks of game files within 24 hours, and you had {used}: none is left; {}; \
         `leitai game check` makes the same check at home",
        when_again(*next)
    )]
    DailyGameChecks {
        /// The number within the last 24 hours.
        used: u64,
        /// The limit.
        allowed: u64,
        /// When the next one may come; `None`: never.
        next: Option<Timestamp>,
    },
    /// Games.
    #[error(
        "this account has {used} games, and may have {allowed}; bring a new version of one of them, or ask an \
         administrator"
    )]
    Games {
        /// The present number.
        used: u64,
        /// The limit.
        allowed: u64,
    },
    /// Versions of games.
    #[error(
        "this account keeps {used} versions of games, and may keep {allowed}; remove those that were refused, or ask an \
         administrator"
    )]
    GameVersions {
        /// The present number.
        used: u64,
        /// The limit.
        allowed: u64,
    },
    /// Bytes of versions of games.
    #[error(
        "the game files of this account take {}, and this one {}: more than the {} that an account may keep; \
         remove those that were refused, send a smaller file, or ask an administrator",
        format_size(*used), format_size(*more), format_size(*allowed)
    )]
    GameBytes {
        /// The bytes in use.
        used: u64,
        /// The bytes of the new version.
        more: u64,
        /// The limit in bytes.
        allowed: u64,
    },
    /// The size of a source.
    #[error(
        "the source has {bytes} bytes, and {} {allowed}; leave out what the bot does not need",
        who_allows(group.as_deref())
    )]
    SourceSize {
        /// The bytes of the source.
        bytes: u64,
        /// The limit.
        allowed: u64,
        /// The group that set the limit; `None`: the arena.
        group: Option<String>,
    },
    /// The language of a source.
    #[error(
        "the source has {refused}, and {} {}; write it in one of these",
        who_allows(group.as_deref()), name_languages(*allowed)
    )]
    Language {
        /// What is not allowed.
        refused: SourceLanguages,
        /// The languages that are.
        allowed: SourceLanguages,
        /// The group that set the limit; `None`: the arena.
        group: Option<String>,
    },
}

fn who_allows(group: Option<&str>) -> String {
    match group {
        Some(group) => format!("the group `{group}` allows its members"),
        None => "this arena allows".to_owned(),
    }
}

fn when_again(next: Option<Timestamp>) -> String {
    match next {
        Some(next) => format!("the next one at {next}"),
        None => "ask an organiser when that changes".to_owned(),
    }
}

/// Languages for people; several groups may have none in common.
fn name_languages(languages: SourceLanguages) -> String {
    match languages.is_empty() {
        true => "no language".to_owned(),
        false => languages.to_string(),
    }
}

/// Formats a size for people, rounded up so that a size above zero never reads as zero.
#[doc(hidden)] // For tests.
pub fn format_size(bytes: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    match bytes {
        0..KIB => format!("{bytes} B"),
        KIB..MIB => format!("{} KiB", bytes.div_ceil(KIB)),
        _ => format!("{} MiB", bytes.div_ceil(MIB)),
    }
}
