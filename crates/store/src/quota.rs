//! Quotas: the most bytes, bots and versions of an account.

use std::time::Duration;

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{ExprTrait, LockType};
use sea_orm::{DatabaseTransaction, JoinType, QueryOrder, QuerySelect};

use crate::{BotId, NewVersion, Store, StoreError, Timestamp, UserId, bots, users, versions};

/// Quotas: the most bytes, bots and versions of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Bytes of all versions of all bots of one account, as they were uploaded.
    pub bytes: u64,
    /// Bots of one account.
    pub bots: u64,
    /// Versions of one bot.
    pub versions: u64,
    /// Versions of one bot within 24 hours, deleted ones included.
    pub daily_versions: u64,
}

impl Quota {
    /// No limits.
    pub const UNLIMITED: Quota = Quota {
        bytes: u64::MAX,
        bots: u64::MAX,
        versions: u64::MAX,
        daily_versions: u64::MAX,
    };
}

/// The storage that an account uses. Deleted rows do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes of all versions of all its bots.
    pub bytes: u64,
    /// Its bots.
    pub bots: u64,
    /// The versions of all its bots.
    pub versions: u64,
}

/// The quota that an operation would exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
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
        "bot {bot} has {used} versions, and may have {allowed}; delete versions that you no longer need"
    )]
    Versions {
        /// The bot.
        bot: BotId,
        /// The present number.
        used: u64,
        /// The limit.
        allowed: u64,
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
}

/// The time over which [`Quota::daily_versions`] counts.
const DAY: Duration = Duration::from_secs(86_400);

/// Formats a size for people, rounded up so that a size above zero never reads as zero.
fn format_size(bytes: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    match bytes {
        0..KIB => format!("{bytes} B"),
        KIB..MIB => format!("{} KiB", bytes.div_ceil(KIB)),
        _ => format!("{} MiB", bytes.div_ceil(MIB)),
    }
}

impl Store {
    /// The storage that an account uses.
    pub async fn account_usage(&self, user: UserId) -> Result<Usage, StoreError> {
        read_usage(&self.readers, user).await
    }

    /// Refuses an upload of one byte that [`Store::create_version_within`] would refuse. For a
    /// check before the upload is read.
    pub async fn check_room(
        &self,
        bot: BotId,
        quota: &Quota,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let owner = self.find_bot(bot).await?.owner;
        check(&self.readers, bot, owner, 1, quota, at).await
    }

    /// Refuses a new bot with a version of one byte that [`Store::create_bot_with_version`] would
    /// refuse.
    pub async fn check_room_for_bot(&self, owner: UserId, quota: &Quota) -> Result<(), StoreError> {
        let used = read_usage(&self.readers, owner).await?;
        check_bot_count(used, quota)?;
        check_bytes(used, 1, quota)
    }
}

async fn read_usage(place: &impl ConnectionTrait, user: UserId) -> Result<Usage, StoreError> {
    let bots = bots::Entity::find()
        .filter(bots::Column::Owner.eq(user))
        .count(place)
        .await?;
    let bytes = versions::Column::Bytes;
    let sum = bytes.sum().cast_as("BIGINT");
    let kept = versions::Entity::find()
        .select_only()
        .column_as(sum, "bytes")
        .column_as(bytes.count(), "versions")
        .join(JoinType::InnerJoin, versions::Relation::Bot.def())
        .filter(bots::Column::Owner.eq(user))
        .filter(versions::Column::Deleted.is_null());
    let kept: Option<(Option<i64>, i64)> = kept.into_tuple().one(place).await?;
    let (bytes, versions) = kept.unwrap_or_default();
    let whole = |number: i64| u64::try_from(number).unwrap_or(0);
    Ok(Usage {
        bytes: whole(bytes.unwrap_or(0)),
        bots,
        versions: whole(versions),
    })
}

/// Checks the quota for one more bot. The author's row is locked until `change` ends.
pub(crate) async fn check_bots(
    change: &DatabaseTransaction,
    owner: UserId,
    quota: &Quota,
) -> Result<(), StoreError> {
    if *quota == Quota::UNLIMITED {
        return Ok(());
    }
    lock(change, owner).await?;
    check_bot_count(read_usage(change, owner).await?, quota)
}

/// Checks the quota for a version. The author's row is locked until `change` ends.
pub(crate) async fn check_version(
    change: &DatabaseTransaction,
    new: &NewVersion,
    quota: &Quota,
    at: Timestamp,
) -> Result<(), StoreError> {
    let bot = bots::Entity::find_by_id(new.bot).one(change).await?;
    let Some(owner) = bot
        .and_then(|bot| bot.owner)
        .filter(|_| *quota != Quota::UNLIMITED)
    else {
        return Ok(());
    };
    lock(change, owner).await?;
    check(
        change,
        new.bot,
        Some(owner),
        new.bytes.unsigned_abs(),
        quota,
        at,
    )
    .await
}

async fn check(
    place: &impl ConnectionTrait,
    bot: BotId,
    owner: Option<UserId>,
    more: u64,
    quota: &Quota,
    at: Timestamp,
) -> Result<(), StoreError> {
    check_day(place, bot, quota.daily_versions, at).await?;
    let versions = versions::Entity::find().filter(versions::Column::Bot.eq(bot));
    let used = versions
        .filter(versions::Column::Deleted.is_null())
        .count(place)
        .await?;
    if used >= quota.versions {
        return Err(StoreError::Quota(OverQuota::Versions {
            bot,
            used,
            allowed: quota.versions,
        }));
    }
    match owner {
        Some(owner) => check_bytes(read_usage(place, owner).await?, more, quota),
        None => Ok(()),
    }
}

async fn check_day(
    place: &impl ConnectionTrait,
    bot: BotId,
    allowed: u64,
    at: Timestamp,
) -> Result<(), StoreError> {
    if allowed == u64::MAX {
        return Ok(());
    }
    let today: Vec<Timestamp> = versions::Entity::find()
        .filter(versions::Column::Bot.eq(bot))
        .filter(versions::Column::Created.gt(at.before(DAY)))
        .order_by_desc(versions::Column::Number)
        .select_only()
        .column(versions::Column::Created)
        .into_tuple()
        .all(place)
        .await?;
    let used = today.len() as u64;
    if used < allowed {
        return Ok(());
    }
    // The next one may come when this one is a day old.
    let last = usize::try_from(allowed).unwrap_or(usize::MAX).max(1) - 1;
    let next = today.get(last).map_or(at, |at| at.after(DAY));
    Err(StoreError::Quota(OverQuota::DailyVersions {
        bot,
        used,
        allowed,
        next,
    }))
}

fn check_bytes(used: Usage, more: u64, quota: &Quota) -> Result<(), StoreError> {
    let over = OverQuota::Bytes {
        used: used.bytes,
        more,
        allowed: quota.bytes,
    };
    let fits = used.bytes.saturating_add(more) <= quota.bytes;
    if fits {
        Ok(())
    } else {
        Err(StoreError::Quota(over))
    }
}

fn check_bot_count(used: Usage, quota: &Quota) -> Result<(), StoreError> {
    let over = OverQuota::Bots {
        used: used.bots,
        allowed: quota.bots,
    };
    if used.bots < quota.bots {
        Ok(())
    } else {
        Err(StoreError::Quota(over))
    }
}

async fn lock(change: &DatabaseTransaction, user: UserId) -> Result<(), StoreError> {
    users::Entity::find_by_id(user)
        .lock(LockType::NoKeyUpdate)
        .one(change)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_readable_units() {
        for (bytes, expected) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1 KiB"),
            (1025, "2 KiB"),
            (1 << 20, "1 MiB"),
        ] {
            assert_eq!(format_size(bytes), expected);
        }
    }
}
