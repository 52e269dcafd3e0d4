//! Quotas that groups set for their members.
//!
//! A group's quota holds for its plain members, not for its organisers. It can only be stricter
//! than the arena's, unless an administrator allowed the group to be looser. Who is in several
//! groups has the strictest of what they set.

use serde_json::json;

use crate::bots::member_quota::{GroupQuota, MemberQuota, read_member_quota};
use crate::database::prelude::*;
use crate::groups::members;
use crate::tables::group_quotas::{Column, Entity};
use crate::{GroupId, Quota, UserId};

impl Store {
    /// The quotas of a group.
    pub async fn group_quota(&self, group: GroupId) -> Result<GroupQuota> {
        let row = Entity::find_by_id(group).one(&self.readers).await?;
        Ok(row.map(GroupQuota::from).unwrap_or_default())
    }

    /// Sets all quotas of a group. The same quotas again are no line of the audit log.
    pub async fn set_group_quota(
        &self,
        group: GroupId,
        new: GroupQuota,
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        let group = members::lock_group(&change, group).await?;
        let old = Entity::find_by_id(group.id).one(&change).await?;
        let old = old.map(GroupQuota::from).unwrap_or_default();
        if old == new {
            return Ok(());
        }
        let all = Column::iter().filter(|column| !matches!(column, Column::GroupId));
        let replace = OnConflict::column(Column::GroupId)
            .update_columns(all)
            .to_owned();
        insert_or(&change, new.to_row(group.id), replace).await?;
        let detail = json!({"before": old.to_json(), "after": new.to_json()});
        members::write_audit(&change, by, "group.quota", &group, detail, at).await?;
        Ok(change.commit().await?)
    }

    /// The quotas that hold for these people together: the strictest of those of each.
    pub async fn member_quota(&self, people: &[UserId], arena: &Quota) -> Result<MemberQuota> {
        read_member_quota(&self.readers, people, arena).await
    }
}

/// Removes the quotas of a group that is deleted.
pub(crate) async fn forget_group(change: &Change, group: GroupId) -> Result<()> {
    Entity::delete_by_id(group).exec(change).await?;
    Ok(())
}
