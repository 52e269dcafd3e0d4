//! The rows of groups and of their members.

use sea_orm::sea_query::LockType;

use crate::database::audit_log;
use crate::database::prelude::*;
use crate::tables::groups::{Entity, Group};
use crate::{AuditedAction, GroupId, Json, UserId, tables};

pub(crate) async fn require_group(place: &impl ConnectionTrait, id: GroupId) -> Result<Group> {
    find_row::<Entity>(place, id, "group").await
}

/// Locks a group until `change` ends: its members and teams change one after another.
pub(crate) async fn lock_group(change: &Change, id: GroupId) -> Result<Group> {
    let found = Entity::find_by_id(id)
        .lock(LockType::NoKeyUpdate)
        .one(change)
        .await?;
    found.ok_or_else(|| StoreError::row_missing("group", id))
}

pub(crate) async fn find_member(
    place: &impl ConnectionTrait,
    group: GroupId,
    user: UserId,
) -> Result<Option<tables::group_members::Model>> {
    Ok(tables::group_members::Entity::find_by_id((group, user))
        .one(place)
        .await?)
}

/// Adds a member, or changes whether the member is an organiser.
pub(crate) async fn put_member(
    change: &Change,
    group: GroupId,
    user: UserId,
    organiser: bool,
    issued: bool,
    at: Timestamp,
) -> Result<()> {
    if let Some(row) = find_member(change, group, user).await? {
        let mut row: tables::group_members::ActiveModel = row.into();
        row.organiser = Set(organiser);
        if organiser {
            // Nobody sets the password of who organises, nor of who did.
            row.issued = Set(false);
        }
        row.update(change).await?;
        return Ok(());
    }
    if tables::users::Entity::find_by_id(user)
        .one(change)
        .await?
        .is_none()
    {
        return Err(StoreError::row_missing("user", user));
    }
    forget_invitations(change, Some(group), Some(user)).await?;
    let row = tables::group_members::ActiveModel {
        group_id: Set(group),
        user: Set(user),
        organiser: Set(organiser),
        issued: Set(issued),
        joined: Set(at),
    };
    insert_row(change, row).await
}

/// Refuses a change after which the group has no organiser.
pub(crate) async fn check_other_organiser(
    change: &Change,
    group: &Group,
    leaving: UserId,
) -> Result<()> {
    let organisers = tables::group_members::Entity::find()
        .filter(tables::group_members::Column::GroupId.eq(group.id))
        .filter(tables::group_members::Column::Organiser.eq(true));
    let organisers = organisers.all(change).await?;
    if organisers.len() == 1 && organisers[0].user == leaving {
        return Err(StoreError::Refused(format!(
            "this is the only organiser of the group {}; make another member an organiser first",
            group.name
        )));
    }
    Ok(())
}

pub(crate) async fn write_audit(
    change: &Change,
    by: Option<UserId>,
    action: &str,
    group: &Group,
    detail: Json,
    at: Timestamp,
) -> Result<()> {
    let subject = format!("group {} ({})", group.id, group.name);
    let action = AuditedAction::new(by, action, subject, detail);
    audit_log::write(change, action, at).await
}

/// Removes invitations to a group, of an account, or of both together; returns their number.
pub(crate) async fn forget_invitations(
    change: &Change,
    group: Option<GroupId>,
    user: Option<UserId>,
) -> Result<u64> {
    let which = Condition::all()
        .add_option(group.map(|group| tables::group_invitations::Column::GroupId.eq(group)))
        .add_option(user.map(|user| tables::group_invitations::Column::User.eq(user)));
    delete_rows::<tables::group_invitations::Entity>(change, which).await
}
