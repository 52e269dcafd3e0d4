//! Invitations to groups: an account that somebody else opened belongs to a group only once its
//! holder says so. Its name may be a student's, and its holder somebody else.

use serde_json::json;

use crate::database::prelude::*;
use crate::events::kinds::{self as events, GroupInvited};
use crate::groups::members::{self, forget_invitations};
use crate::groups::teams;
use crate::tables::group_invitations::{ActiveModel, Column, Entity};
use crate::{GroupId, UserId, tables};

/// An invitation with names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The group.
    pub group: GroupId,
    /// Its name.
    pub group_name: String,
    /// The account that is asked.
    pub user: UserId,
    /// Its name.
    pub user_name: String,
    /// When the account was opened.
    pub user_since: Timestamp,
    /// The team of the group into which it comes.
    pub team: Option<String>,
    /// The name of who asks.
    pub inviter: Option<String>,
    /// When.
    pub created: Timestamp,
}

impl Store {
    /// The groups that an account is asked to join, newest first.
    pub async fn invitations_of(&self, user: UserId) -> Result<Vec<Invitation>> {
        self.list_invitations(Column::User.eq(user)).await
    }

    /// The accounts that are asked to join a group, newest first.
    pub async fn invitations_to(&self, group: GroupId) -> Result<Vec<Invitation>> {
        self.list_invitations(Column::GroupId.eq(group)).await
    }

    async fn list_invitations(
        &self,
        which: sea_orm::sea_query::SimpleExpr,
    ) -> Result<Vec<Invitation>> {
        let rows = Entity::find()
            .filter(which)
            .order_by_desc(Column::Created)
            .all(&self.readers)
            .await?;
        let people = rows.iter().flat_map(|row| [Some(row.user), row.inviter]);
        let people = tables::users::Entity::find()
            .filter(tables::users::Column::Id.is_in(people.flatten()))
            .all(&self.readers)
            .await?;
        let groups = tables::groups::Entity::find()
            .filter(tables::groups::Column::Id.is_in(rows.iter().map(|row| row.group_id)))
            .all(&self.readers)
            .await?;
        let person = |id: UserId| people.iter().find(|user| user.id == id);
        let named = rows.into_iter().filter_map(|row| {
            let group = groups.iter().find(|group| group.id == row.group_id)?;
            let user = person(row.user)?;
            Some(Invitation {
                group: group.id,
                group_name: group.name.clone(),
                user: user.id,
                user_name: user.name.clone(),
                user_since: user.created,
                team: row.team,
                inviter: row.inviter.and_then(person).map(|user| user.name.clone()),
                created: row.created,
            })
        });
        Ok(named.collect())
    }

    /// The holder of an account joins the group, and the team if it still has room; returns whether
    /// it came into the team. [`StoreError::Missing`] without an invitation.
    pub async fn accept_invitation(
        &self,
        id: GroupId,
        user: UserId,
        at: Timestamp,
    ) -> Result<bool> {
        let change = self.begin_write().await?;
        let group = members::lock_group(&change, id).await?;
        let own = Entity::find_by_id((id, user)).one(&change).await?;
        let own = own.ok_or_else(|| StoreError::row_missing("invitation to group", id))?;
        let account = find_row::<tables::users::Entity>(&change, user, "user").await?;
        members::put_member(&change, id, user, false, false, at).await?;
        let in_team = match &own.team {
            Some(team) => {
                let put = teams::put_in_team(&change, &group, team, &account, at).await;
                match put {
                    Ok(()) => true,
                    // The team is full by now, the person is in another, or another team's name looks
                    // like this one: that is for the people to settle.
                    Err(StoreError::Refused(_) | StoreError::Alike { .. }) => false,
                    Err(error) => return Err(error),
                }
            }
            None => false,
        };
        let detail = json!({"user": user});
        members::write_audit(&change, Some(user), "group.accept", &group, detail, at).await?;
        change.commit().await?;
        Ok(in_team)
    }

    /// An invitation is declined by the account's holder, or taken back by an organiser.
    /// [`StoreError::Missing`] if there is none.
    pub async fn remove_invitation(
        &self,
        id: GroupId,
        user: UserId,
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        let group = members::lock_group(&change, id).await?;
        if forget_invitations(&change, Some(id), Some(user)).await? == 0 {
            return Err(StoreError::row_missing("invitation to group", id));
        }
        let detail = json!({"user": user});
        members::write_audit(&change, by, "group.decline", &group, detail, at).await?;
        Ok(change.commit().await?)
    }
}

/// Asks an account to join a group, and tells its holder.
pub(crate) async fn invite(
    change: &Change,
    group: GroupId,
    user: UserId,
    team: Option<String>,
    (by, at): (Option<UserId>, Timestamp),
) -> Result<()> {
    let row = ActiveModel {
        group_id: Set(group),
        user: Set(user),
        team: Set(team),
        inviter: Set(by),
        created: Set(at),
    };
    let latest = OnConflict::columns([Column::GroupId, Column::User])
        .update_columns([Column::Team, Column::Inviter])
        .to_owned();
    insert_or(change, row, latest).await?;
    events::write(change, GroupInvited { group, user }, at);
    Ok(())
}
