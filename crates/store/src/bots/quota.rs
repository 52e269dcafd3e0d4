//! Quotas: the most bytes, bots and versions of an account.

use std::collections::BTreeSet;
use std::time::Duration;

use sea_orm::sea_query::{ExprTrait, LockType};

use crate::bots::counted_actions::{self, DAY, HOUR};
use crate::bots::living::require_living;
use crate::bots::member_quota::{Quota, read_member_quota};
use crate::database::prelude::*;
use crate::values::over_quota::OverQuota;
use crate::{BotId, LanguageLimit, Limit, MemberQuota, SourceLanguages, UserId, tables};

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

/// Who uploads what kind of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uploader {
    /// The account that uploads: the bot's author, or a member of its team.
    pub user: UserId,
    /// The languages of the source.
    pub languages: SourceLanguages,
}

/// What a person did lately, as quotas count it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionUse {
    /// Uploads within the last hour.
    pub uploads: u64,
    /// Friendly matches within the last 24 hours.
    pub friendlies: u64,
    /// CPU seconds of these matches, rounded up.
    pub cpu_seconds: u64,
    /// When there may be another upload; `None`: now, or never.
    pub next_upload: Option<Timestamp>,
    /// When there may be another friendly match, as far as their number is concerned.
    pub next_friendly: Option<Timestamp>,
    /// When there may be another friendly match, as far as CPU time is concerned.
    pub next_cpu: Option<Timestamp>,
}

impl Store {
    /// The storage that an account uses.
    pub async fn account_usage(&self, user: UserId) -> Result<Usage> {
        read_usage(&self.readers, user).await
    }

    /// Refuses an upload of one byte that [`Store::create_version_within`] would refuse whatever
    /// its language. For a check before the upload is read.
    pub async fn check_room(
        &self,
        bot: BotId,
        quota: &Quota,
        by: UserId,
        at: Timestamp,
    ) -> Result<()> {
        let owner = find_owner(&self.readers, bot).await?;
        let upload = CheckedUpload {
            bot,
            owner,
            bytes: 1,
            by: unknown_source(by),
        };
        upload.check(&self.readers, quota, at).await
    }

    /// Refuses a new bot with a version of one byte that [`Store::create_bot_with_version`] would
    /// refuse whatever its language.
    pub async fn check_room_for_bot(
        &self,
        owner: UserId,
        quota: &Quota,
        at: Timestamp,
    ) -> Result<()> {
        let used = read_usage(&self.readers, owner).await?;
        check_bot_count(used, quota)?;
        check_bytes(used, 1, quota)?;
        let own = read_member_quota(&self.readers, &[owner], quota).await?;
        check_uploads(&self.readers, owner, &own.hourly_uploads, at).await
    }

    /// Refuses a friendly match that [`Store::create_friendly`] would refuse because of a quota.
    pub async fn check_room_for_friendly(
        &self,
        by: UserId,
        quota: &Quota,
        at: Timestamp,
    ) -> Result<()> {
        check_matches(&self.readers, by, quota, at).await
    }

    /// What a person did lately, and when more of it is possible under these limits.
    pub async fn action_use(
        &self,
        user: UserId,
        limits: &MemberQuota,
        at: Timestamp,
    ) -> Result<ActionUse> {
        let uploads = counted_actions::uploads(&self.readers, user, at).await?;
        let matches = counted_actions::friendlies(&self.readers, user, at).await?;
        let starts: Vec<Timestamp> = matches.iter().map(|(at, _)| *at).collect();
        Ok(ActionUse {
            uploads: uploads.len() as u64,
            friendlies: starts.len() as u64,
            cpu_seconds: cpu_seconds(&matches),
            next_upload: next_of(&uploads, limits.hourly_uploads.allowed, HOUR),
            next_friendly: next_of(&starts, limits.daily_friendlies.allowed, DAY),
            next_cpu: next_with_cpu(&matches, limits.daily_cpu_seconds.allowed),
        })
    }
}

/// An upload of which the language is not known yet.
fn unknown_source(user: UserId) -> Uploader {
    Uploader {
        user,
        languages: SourceLanguages::NONE,
    }
}

async fn find_owner(place: &impl ConnectionTrait, id: BotId) -> Result<Option<UserId>> {
    let found = tables::bots::Entity::find_by_id(id).one(place).await?;
    Ok(require_living(found, id)?.owner)
}

async fn read_usage(place: &impl ConnectionTrait, user: UserId) -> Result<Usage> {
    let bots = tables::bots::Entity::find()
        .filter(tables::bots::Column::Owner.eq(user))
        .count(place)
        .await?;
    let bytes = tables::versions::Column::Bytes;
    let sum = bytes.sum().cast_as("BIGINT");
    let kept = tables::versions::Entity::find()
        .select_only()
        .column_as(sum, "bytes")
        .column_as(bytes.count(), "versions")
        .join(JoinType::InnerJoin, tables::versions::Relation::Bot.def())
        .filter(tables::bots::Column::Owner.eq(user))
        .filter(tables::versions::Column::Deleted.is_null());
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
pub(crate) async fn check_bots(change: &Change, owner: UserId, quota: &Quota) -> Result<()> {
    if *quota == Quota::UNLIMITED {
        return Ok(());
    }
    lock(change, owner).await?;
    check_bot_count(read_usage(change, owner).await?, quota)
}

/// Checks the quota for a version. The rows of author and uploader are locked until `change` ends.
pub(crate) async fn check_version(
    change: &Change,
    (bot, bytes): (BotId, i64),
    quota: &Quota,
    by: Uploader,
    at: Timestamp,
) -> Result<()> {
    let row = tables::bots::Entity::find_by_id(bot).one(change).await?;
    let upload = CheckedUpload {
        bot,
        owner: row.and_then(|bot| bot.owner),
        bytes: bytes.unsigned_abs(),
        by,
    };
    for user in upload.people() {
        lock(change, user).await?;
    }
    upload.check(change, quota, at).await
}

/// Checks the quota for a friendly match. The person's row is locked until `change` ends.
pub(crate) async fn check_friendly(
    change: &Change,
    by: UserId,
    quota: &Quota,
    at: Timestamp,
) -> Result<()> {
    lock(change, by).await?;
    check_matches(change, by, quota, at).await
}

/// An upload, as quotas see it.
struct CheckedUpload {
    bot: BotId,
    owner: Option<UserId>,
    bytes: u64,
    by: Uploader,
}

impl CheckedUpload {
    /// The people whose groups have a say: the uploader and the bot's author, by id.
    fn people(&self) -> BTreeSet<UserId> {
        self.owner.into_iter().chain([self.by.user]).collect()
    }

    async fn check(
        &self,
        place: &impl ConnectionTrait,
        quota: &Quota,
        at: Timestamp,
    ) -> Result<()> {
        let (bot, user) = (self.bot, self.by.user);
        let people: Vec<UserId> = self.people().into_iter().collect();
        let own = read_member_quota(place, &[user], quota).await?;
        check_uploads(place, user, &own.hourly_uploads, at).await?;
        check_day(place, bot, quota.daily_versions, at).await?;
        let both = read_member_quota(place, &people, quota).await?;
        check_languages(self.by.languages, both.languages)?;
        check_size(self.bytes, both.source_bytes)?;
        check_kept(place, bot, both.versions).await?;
        match self.owner {
            Some(owner) => check_bytes(read_usage(place, owner).await?, self.bytes, quota),
            None => Ok(()),
        }
    }
}

async fn check_uploads(
    place: &impl ConnectionTrait,
    user: UserId,
    limit: &Limit,
    at: Timestamp,
) -> Result<()> {
    if limit.allowed == u64::MAX {
        return Ok(());
    }
    let made = counted_actions::uploads(place, user, at).await?;
    let used = made.len() as u64;
    if used < limit.allowed {
        return Ok(());
    }
    Err(StoreError::Quota(OverQuota::HourlyUploads {
        used,
        allowed: limit.allowed,
        next: next_of(&made, limit.allowed, HOUR),
        group: group_name(limit),
    }))
}

/// Checks the number of a person's friendly matches, and their CPU time.
async fn check_matches(
    place: &impl ConnectionTrait,
    user: UserId,
    quota: &Quota,
    at: Timestamp,
) -> Result<()> {
    let own = read_member_quota(place, &[user], quota).await?;
    let (count, cpu) = (own.daily_friendlies, own.daily_cpu_seconds);
    if count.allowed == u64::MAX && cpu.allowed == u64::MAX {
        return Ok(());
    }
    let matches = counted_actions::friendlies(place, user, at).await?;
    let used = matches.len() as u64;
    if used >= count.allowed {
        let starts: Vec<Timestamp> = matches.iter().map(|(at, _)| *at).collect();
        return Err(StoreError::Quota(OverQuota::DailyFriendlies {
            used,
            allowed: count.allowed,
            next: next_of(&starts, count.allowed, DAY),
            group: group_name(&count),
        }));
    }
    let seconds = cpu_seconds(&matches);
    if seconds >= cpu.allowed {
        return Err(StoreError::Quota(OverQuota::DailyCpu {
            used: seconds,
            allowed: cpu.allowed,
            next: next_with_cpu(&matches, cpu.allowed),
            group: group_name(&cpu),
        }));
    }
    Ok(())
}

fn check_languages(found: SourceLanguages, limit: LanguageLimit) -> Result<()> {
    let refused = found.without(limit.allowed);
    if refused.is_empty() {
        return Ok(());
    }
    let strict = limit
        .groups
        .into_iter()
        .find(|(_, allowed)| !refused.without(*allowed).is_empty());
    Err(StoreError::Quota(OverQuota::Language {
        refused,
        allowed: limit.allowed,
        group: strict.map(|((_, name), _)| name),
    }))
}

fn check_size(bytes: u64, limit: Limit) -> Result<()> {
    if bytes <= limit.allowed {
        return Ok(());
    }
    Err(StoreError::Quota(OverQuota::SourceSize {
        bytes,
        allowed: limit.allowed,
        group: group_name(&limit),
    }))
}

async fn check_kept(place: &impl ConnectionTrait, bot: BotId, limit: Limit) -> Result<()> {
    let versions = tables::versions::Entity::find().filter(tables::versions::Column::Bot.eq(bot));
    let used = versions
        .filter(tables::versions::Column::Deleted.is_null())
        .count(place)
        .await?;
    if used < limit.allowed {
        return Ok(());
    }
    Err(StoreError::Quota(OverQuota::Versions {
        bot,
        used,
        allowed: limit.allowed,
        group: group_name(&limit),
    }))
}

fn group_name(limit: &Limit) -> Option<String> {
    limit.group.as_ref().map(|(_, name)| name.clone())
}

/// When the next action may come, of which `allowed` may lie within `span`; `None`: now, or never.
/// `made` is in order.
fn next_of(made: &[Timestamp], allowed: u64, span: Duration) -> Option<Timestamp> {
    let allowed = usize::try_from(allowed).unwrap_or(usize::MAX);
    let frees = made.len().checked_sub(allowed)?;
    made.get(frees).map(|at| at.after(span))
}

/// When the CPU time of the last 24 hours is below `allowed` seconds again; `None`: it is, or never
/// will be.
fn next_with_cpu(matches: &[(Timestamp, u64)], allowed: u64) -> Option<Timestamp> {
    (0..matches.len())
        .find(|left| cpu_seconds(&matches[left + 1..]) < allowed)
        .filter(|_| cpu_seconds(matches) >= allowed)
        .map(|last| matches[last].0.after(DAY))
}

/// The CPU time of matches in seconds, rounded up.
fn cpu_seconds(matches: &[(Timestamp, u64)]) -> u64 {
    let all = matches.iter().map(|(_, cpu_us)| *cpu_us);
    all.fold(0, u64::saturating_add).div_ceil(1_000_000)
}

async fn check_day(
    place: &impl ConnectionTrait,
    bot: BotId,
    allowed: u64,
    at: Timestamp,
) -> Result<()> {
    if allowed == u64::MAX {
        return Ok(());
    }
    let today: Vec<Timestamp> = tables::versions::Entity::find()
        .filter(tables::versions::Column::Bot.eq(bot))
        .filter(tables::versions::Column::Created.gt(at.before(DAY)))
        .order_by_desc(tables::versions::Column::Number)
        .select_only()
        .column(tables::versions::Column::Created)
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

fn check_bytes(used: Usage, more: u64, quota: &Quota) -> Result<()> {
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

fn check_bot_count(used: Usage, quota: &Quota) -> Result<()> {
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

async fn lock(change: &Change, user: UserId) -> Result<()> {
    tables::users::Entity::find_by_id(user)
        .lock(LockType::NoKeyUpdate)
        .one(change)
        .await?;
    Ok(())
}
