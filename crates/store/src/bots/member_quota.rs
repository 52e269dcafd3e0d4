//! The quotas that hold for somebody: the strictest of what the groups set, and the arena's.

use serde_json::json;

use crate::database::prelude::*;
use crate::tables::group_quotas::{ActiveModel, Column, Entity, Model};
use crate::{GroupId, Json, SourceLanguages, UserId, tables};

/// The quotas of a group; `None`: the group says nothing, and the arena's holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupQuota {
    /// Uploads of one member within an hour.
    pub hourly_uploads: Option<u64>,
    /// Friendly matches that one member asks for within 24 hours.
    pub daily_friendlies: Option<u64>,
    /// CPU seconds of the programs in these matches.
    pub daily_cpu_seconds: Option<u64>,
    /// Versions that one bot keeps.
    pub versions: Option<u64>,
    /// Bytes of one source, as it is uploaded.
    pub source_bytes: Option<u64>,
    /// The languages that sources may have.
    pub languages: Option<SourceLanguages>,
    /// Whether an administrator allowed quotas beyond the arena's.
    pub looser: bool,
}

/// A limit that holds for somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The most that is allowed.
    pub allowed: u64,
    /// The group that set it; `None`: the arena.
    pub group: Option<(GroupId, String)>,
    /// Whether it allows more than the arena does.
    pub looser: bool,
}

/// The languages that somebody's sources may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageLimit {
    /// The languages.
    pub allowed: SourceLanguages,
    /// The groups that set them, with what each allows.
    pub groups: Vec<((GroupId, String), SourceLanguages)>,
}

/// The quotas that hold for somebody: the arena's, and those of the groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberQuota {
    /// Uploads within an hour.
    pub hourly_uploads: Limit,
    /// Friendly matches within 24 hours.
    pub daily_friendlies: Limit,
    /// CPU seconds of friendly matches within 24 hours.
    pub daily_cpu_seconds: Limit,
    /// Versions of one bot.
    pub versions: Limit,
    /// Bytes of one source.
    pub source_bytes: Limit,
    /// Languages of sources.
    pub languages: LanguageLimit,
}

/// A group with its quotas.
type NamedQuota = ((GroupId, String), GroupQuota);

impl MemberQuota {
    /// The arena's quotas with those of groups.
    fn combine(arena: &Quota, groups: &[NamedQuota]) -> MemberQuota {
        let limit = |arena, pick: fn(&GroupQuota) -> Option<u64>| strictest(arena, groups, pick);
        MemberQuota {
            hourly_uploads: limit(arena.hourly_uploads, |own| own.hourly_uploads),
            daily_friendlies: limit(arena.daily_friendlies, |own| own.daily_friendlies),
            daily_cpu_seconds: limit(arena.daily_cpu_seconds, |own| own.daily_cpu_seconds),
            versions: limit(arena.versions, |own| own.versions),
            source_bytes: limit(arena.source_bytes, |own| own.source_bytes),
            languages: common_languages(arena.languages, groups),
        }
    }
}

/// The smallest of what the groups set. A group that may not be looser than the arena is held to the
/// arena's limit, which may have become stricter since.
#[doc(hidden)] // For tests.
pub fn strictest(
    arena: u64,
    groups: &[NamedQuota],
    pick: impl Fn(&GroupQuota) -> Option<u64>,
) -> Limit {
    let set = groups.iter().filter_map(|(name, own)| {
        let allowed = pick(own)?;
        let held = match own.looser {
            true => allowed,
            false => allowed.min(arena),
        };
        Some(Limit {
            allowed: held,
            group: (allowed == held).then(|| name.clone()),
            looser: held > arena,
        })
    });
    set.min_by_key(|limit| limit.allowed).unwrap_or(Limit {
        allowed: arena,
        group: None,
        looser: false,
    })
}

fn common_languages(arena: SourceLanguages, groups: &[NamedQuota]) -> LanguageLimit {
    let set: Vec<((GroupId, String), SourceLanguages)> = groups
        .iter()
        .filter_map(|(name, own)| {
            let allowed = own.languages?;
            let held = match own.looser {
                true => allowed,
                false => allowed.and(arena),
            };
            Some((name.clone(), held))
        })
        .collect();
    let common = set.iter().map(|(_, allowed)| *allowed);
    LanguageLimit {
        allowed: common.reduce(SourceLanguages::and).unwrap_or(arena),
        groups: set,
    }
}

pub(crate) async fn read_member_quota(
    place: &impl ConnectionTrait,
    people: &[UserId],
    arena: &Quota,
) -> Result<MemberQuota> {
    let rows = tables::group_members::Entity::find()
        .filter(tables::group_members::Column::User.is_in(people.iter().copied()))
        .filter(tables::group_members::Column::Organiser.eq(false))
        .all(place)
        .await?;
    let ids: Vec<GroupId> = rows.iter().map(|row| row.group_id).collect();
    if ids.is_empty() {
        return Ok(MemberQuota::combine(arena, &[]));
    }
    let quotas = Entity::find()
        .filter(Column::GroupId.is_in(ids))
        .all(place)
        .await?;
    let mut named = Vec::with_capacity(quotas.len());
    for row in quotas {
        let group = find_row::<tables::groups::Entity>(place, row.group_id, "group").await?;
        named.push(((group.id, group.name), GroupQuota::from(row)));
    }
    Ok(MemberQuota::combine(arena, &named))
}

impl From<Model> for GroupQuota {
    fn from(row: Model) -> GroupQuota {
        let number = |value: Option<i64>| value.map(i64::unsigned_abs);
        // A later Leitai may know more languages than this one.
        let known = |names: &str| {
            names
                .split(',')
                .filter_map(|name| SourceLanguages::from_names([name]).ok())
                .fold(SourceLanguages::NONE, SourceLanguages::or)
        };
        GroupQuota {
            hourly_uploads: number(row.hourly_uploads),
            daily_friendlies: number(row.daily_friendlies),
            daily_cpu_seconds: number(row.daily_cpu_seconds),
            versions: number(row.versions),
            source_bytes: number(row.source_bytes),
            languages: row.languages.as_deref().map(known),
            looser: row.looser,
        }
    }
}

impl GroupQuota {
    pub(crate) fn to_row(self, group: GroupId) -> ActiveModel {
        let number =
            |value: Option<u64>| Set(value.map(|value| i64::try_from(value).unwrap_or(i64::MAX)));
        ActiveModel {
            group_id: Set(group),
            hourly_uploads: number(self.hourly_uploads),
            daily_friendlies: number(self.daily_friendlies),
            daily_cpu_seconds: number(self.daily_cpu_seconds),
            versions: number(self.versions),
            source_bytes: number(self.source_bytes),
            languages: Set(self.names().map(|names| names.join(","))),
            looser: Set(self.looser),
        }
    }

    fn names(self) -> Option<Vec<&'static str>> {
        Some(self.languages?.names().collect())
    }

    pub(crate) fn to_json(self) -> Json {
        json!({
            "hourly_uploads": self.hourly_uploads,
            "daily_friendlies": self.daily_friendlies,
            "daily_cpu_seconds": self.daily_cpu_seconds,
            "versions": self.versions,
            "source_bytes": self.source_bytes,
            "languages": self.names(),
            "looser": self.looser,
        })
    }
}

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
    /// Uploads of one account within an hour.
    pub hourly_uploads: u64,
    /// Friendly matches that one account asks for within 24 hours.
    pub daily_friendlies: u64,
    /// CPU seconds of the programs in these matches.
    pub daily_cpu_seconds: u64,
    /// Bytes of one source, as it is uploaded.
    pub source_bytes: u64,
    /// The languages that sources may have.
    pub languages: SourceLanguages,
}

impl Quota {
    /// No limits.
    pub const UNLIMITED: Quota = Quota {
        bytes: u64::MAX,
        bots: u64::MAX,
        versions: u64::MAX,
        daily_versions: u64::MAX,
        hourly_uploads: u64::MAX,
        daily_friendlies: u64::MAX,
        daily_cpu_seconds: u64::MAX,
        source_bytes: u64::MAX,
        languages: SourceLanguages::ALL,
    };
}
