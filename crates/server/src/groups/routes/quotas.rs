//! Routes: the quotas that a group sets for its members.

use leitai_store::blobs::blobs::LONGEST_SOURCE;
use leitai_store::{GroupId, GroupQuota, Quota, SourceLanguages};

use crate::groups::routes::{need_organiser, need_seen};
use crate::http::prelude::*;

/// The most of what is counted that a group may allow.
const MOST: i64 = 1_000_000;

/// Routes of the quotas of groups.
pub fn group_quota_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(show_quota, set_quota))
}

/// The quotas of a group for its members, and the arena's.
#[derive(Debug, Serialize, ToSchema)]
struct GroupQuotaDetails {
    #[serde(flatten)]
    own: QuotaValues,
    /// Whether an administrator allowed quotas beyond the arena's.
    looser: bool,
    /// What the arena allows everybody; null: no limit.
    arena: QuotaValues,
}

/// Quotas; null: none is set.
#[derive(Debug, Default, Serialize, ToSchema)]
struct QuotaValues {
    /// Uploads of one member within an hour.
    hourly_uploads: Option<u64>,
    /// Friendly matches that one member asks for within 24 hours.
    daily_friendlies: Option<u64>,
    /// CPU seconds of the programs in these matches.
    daily_cpu_seconds: Option<u64>,
    /// Versions that one bot keeps.
    versions: Option<u64>,
    /// Bytes of one source, as it is uploaded.
    source_bytes: Option<u64>,
    /// The languages that sources may have.
    #[schema(example = json!(["cpp", "python"]))]
    languages: Option<Vec<&'static str>>,
}

/// All quotas of a group; what is absent or null is not limited by the group.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct GroupQuotaRequest {
    /// Uploads of one member within an hour; 0: none.
    #[schema(minimum = 0, maximum = 1000000)]
    hourly_uploads: Option<i64>,
    /// Friendly matches that one member asks for within 24 hours; 0: none.
    #[schema(minimum = 0, maximum = 1000000)]
    daily_friendlies: Option<i64>,
    /// CPU seconds of the programs in these matches; 0: none.
    #[schema(minimum = 0, maximum = 1000000)]
    daily_cpu_seconds: Option<i64>,
    /// Versions that one bot keeps.
    #[schema(minimum = 1, maximum = 1000000)]
    versions: Option<i64>,
    /// Bytes of one source, as it is uploaded.
    #[schema(minimum = 1, maximum = 16777216)]
    source_bytes: Option<i64>,
    /// The languages that sources may have: `c`, `cpp`, `java`, `javascript`, `python`, `rust`,
    /// `typescript`, `go`, `csharp`, `kotlin`, `make`, `cmake`, `binary`.
    #[schema(min_items = 1, example = json!(["cpp", "python"]))]
    languages: Option<Vec<String>>,
    /// Whether quotas may go beyond the arena's; only administrators change it. Absent: as before.
    looser: Option<bool>,
}

impl From<&Quota> for QuotaValues {
    fn from(arena: &Quota) -> QuotaValues {
        let limit = |value: u64| (value < u64::MAX).then_some(value);
        let all = arena.languages == SourceLanguages::ALL;
        QuotaValues {
            hourly_uploads: limit(arena.hourly_uploads),
            daily_friendlies: limit(arena.daily_friendlies),
            daily_cpu_seconds: limit(arena.daily_cpu_seconds),
            versions: limit(arena.versions),
            source_bytes: limit(arena.source_bytes),
            languages: (!all).then(|| arena.languages.names().collect()),
        }
    }
}

impl From<GroupQuota> for QuotaValues {
    fn from(own: GroupQuota) -> QuotaValues {
        QuotaValues {
            hourly_uploads: own.hourly_uploads,
            daily_friendlies: own.daily_friendlies,
            daily_cpu_seconds: own.daily_cpu_seconds,
            versions: own.versions,
            source_bytes: own.source_bytes,
            languages: own.languages.map(|own| own.names().collect()),
        }
    }
}

/// The quotas of a group. For its members and administrators.
#[utoipa::path(get, operation_id = "get_group_quota",
    path = "/api/groups/{id}/quota", tag = "groups", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses((status = 200, body = GroupQuotaDetails),
    (status = 403, body = ErrorBody)))]
async fn show_quota(
    app: App,
    user: SignedInUser,
    Path(id): Path<GroupId>,
) -> Answer<GroupQuotaDetails> {
    need_seen(&app, &user, id).await?;
    Ok(Json(quota_details(&app, id).await?))
}

/// Sets all quotas of a group for its members; they do not bind its organisers. They can only be
/// stricter than the arena's, unless an administrator allowed the group to be looser. For organisers
/// and administrators.
#[utoipa::path(put, operation_id = "set_group_quota",
    path = "/api/groups/{id}/quota", tag = "groups", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = GroupQuotaRequest, responses((status = 200, body = GroupQuotaDetails),
    (status = 422, description = "a value is out of range, or beyond the arena's", body = ErrorBody)))]
async fn set_quota(
    app: App,
    user: SignedInUser,
    Path(id): Path<GroupId>,
    Json(asked): Json<GroupQuotaRequest>,
) -> Answer<GroupQuotaDetails> {
    need_organiser(&app, &user, id).await?;
    let old = app.store.group_quota(id).await?;
    let looser = asked.looser.unwrap_or(old.looser);
    if looser != old.looser && !user.admin {
        let message = "only an administrator lets a group have quotas beyond the arena's; ask one";
        return Err(ApiError {
            field: Some("looser"),
            ..ApiError::forbidden("not-admin", message)
        });
    }
    let new = asked.checked(looser)?;
    if !looser {
        check_stricter(&new, &app.options.account_quota())?;
    }
    let now = Timestamp::now();
    app.store
        .set_group_quota(id, new, Some(user.id), now)
        .await?;
    Ok(Json(quota_details(&app, id).await?))
}

async fn quota_details(app: &App, id: GroupId) -> Result<GroupQuotaDetails> {
    let own = app.store.group_quota(id).await?;
    Ok(GroupQuotaDetails {
        looser: own.looser,
        own: own.into(),
        arena: (&app.options.account_quota()).into(),
    })
}

impl GroupQuotaRequest {
    fn checked(self, looser: bool) -> Result<GroupQuota> {
        let counted = |value, field| checked_number(value, 0..=MOST, field);
        let largest = LONGEST_SOURCE as i64;
        Ok(GroupQuota {
            hourly_uploads: counted(self.hourly_uploads, "hourly_uploads")?,
            daily_friendlies: counted(self.daily_friendlies, "daily_friendlies")?,
            daily_cpu_seconds: counted(self.daily_cpu_seconds, "daily_cpu_seconds")?,
            versions: checked_number(self.versions, 1..=MOST, "versions")?,
            source_bytes: checked_number(self.source_bytes, 1..=largest, "source_bytes")?,
            languages: self
                .languages
                .as_deref()
                .map(checked_languages)
                .transpose()?,
            looser,
        })
    }
}

fn checked_number(
    value: Option<i64>,
    allowed: std::ops::RangeInclusive<i64>,
    field: &'static str,
) -> Result<Option<u64>> {
    let Some(value) = value else { return Ok(None) };
    if allowed.contains(&value) {
        return Ok(Some(value.unsigned_abs()));
    }
    let message = format!(
        "`{field}` is {value}; write {} to {}, or leave it out to set no limit",
        allowed.start(),
        allowed.end()
    );
    Err(ApiError::invalid_field("bad-quota", field, message))
}

fn checked_languages(names: &[String]) -> Result<SourceLanguages> {
    let known = SourceLanguages::ALL;
    let refuse = |message| ApiError::invalid_field("bad-quota", "languages", message);
    let languages = SourceLanguages::from_names(names.iter().map(String::as_str));
    let languages = languages.map_err(|name| {
        let name: String = name.chars().take(40).collect();
        refuse(format!(
            "`languages` has {name:?}, which is none of {known}; check the spelling"
        ))
    })?;
    if languages.is_empty() {
        return Err(refuse(format!(
            "`languages` is empty; choose from {known}, or leave it out to set no limit"
        )));
    }
    Ok(languages)
}

/// Refuses quotas beyond the arena's.
fn check_stricter(new: &GroupQuota, arena: &Quota) -> Result<()> {
    let numbers = [
        ("hourly_uploads", new.hourly_uploads, arena.hourly_uploads),
        (
            "daily_friendlies",
            new.daily_friendlies,
            arena.daily_friendlies,
        ),
        (
            "daily_cpu_seconds",
            new.daily_cpu_seconds,
            arena.daily_cpu_seconds,
        ),
        ("versions", new.versions, arena.versions),
        ("source_bytes", new.source_bytes, arena.source_bytes),
    ];
    for (field, value, most) in numbers {
        if let Some(value) = value.filter(|value| *value > most) {
            let message = format!(
                "`{field}` is {value}, and this arena allows {most}; write at most {most}, or ask an \
                 administrator to let the group go beyond the arena's quotas"
            );
            return Err(ApiError::invalid_field("above-arena", field, message));
        }
    }
    Ok(())
}
