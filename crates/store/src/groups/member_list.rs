//! Import of a list of people into a group: accounts, members and teams in one transaction.

use std::time::Duration;

use serde_json::json;

use crate::accounts::users;
use crate::database::prelude::*;
use crate::database::skeletons::fold_name;
use crate::groups::teams::{self, put_in_team};
use crate::groups::{group_invitations, members};
use crate::{GroupId, NewUser, User, UserId, tables};

/// A person on the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberEntry {
    /// The name of the account.
    pub name: String,
    /// The one-time password (PHC string) of an account that does not exist yet.
    pub password: Option<String>,
    /// The team in the group.
    pub team: Option<String>,
}

/// What became of a person on the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedMember {
    /// The account.
    pub user: UserId,
    /// Its name.
    pub name: String,
    /// Whether the account was created.
    pub created: bool,
    /// When the account was opened, if it was there before and is only asked to join.
    pub invited: Option<Timestamp>,
    /// The team.
    pub team: Option<String>,
}

impl Store {
    /// Imports a list: creates the accounts that do not exist, adds them to the group, and makes the
    /// teams; the first of a team is its captain. Accounts that exist are only asked to join: whoever
    /// opened one may be another person than the one on the list. Everything or nothing.
    pub async fn import_members(
        &self,
        id: GroupId,
        entries: &[MemberEntry],
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<Vec<ImportedMember>> {
        let change = self.begin_write().await?;
        let group = members::lock_group(&change, id).await?;
        let mut members = Vec::with_capacity(entries.len());
        for entry in entries {
            let kept = self.freed_for();
            let (user, created) = find_or_create(&change, entry, (kept, at)).await?;
            let is_member = members::find_member(&change, id, user.id).await?.is_some();
            if created {
                members::put_member(&change, id, user.id, false, true, at).await?;
            }
            let invited = (!created && !is_member).then_some(user.created);
            match &entry.team {
                team if invited.is_some() => {
                    let team = team.clone();
                    group_invitations::invite(&change, id, user.id, team, (by, at)).await?;
                }
                Some(team) => put_in_team(&change, &group, team, &user, at).await?,
                None => {}
            }
            members.push(ImportedMember {
                user: user.id,
                name: user.name,
                created,
                invited,
                team: entry.team.clone(),
            });
        }
        let accounts = members.iter().filter(|member| member.created).count();
        let invited = members.iter().filter_map(|member| member.invited).count();
        let detail = json!({"members": members.len(), "accounts": accounts, "invited": invited});
        members::write_audit(&change, by, "group.import", &group, detail, at).await?;
        change.commit().await?;
        Ok(members)
    }
}

async fn find_or_create(
    change: &Change,
    entry: &MemberEntry,
    (kept, at): (Duration, Timestamp),
) -> Result<(User, bool)> {
    let folded = fold_name(&entry.name);
    let known = tables::users::Entity::find().filter(tables::users::Column::Folded.eq(folded));
    if let Some(user) = known.one(change).await? {
        return Ok((user, false));
    }
    let Some(password) = &entry.password else {
        return Err(StoreError::Refused(format!(
            "the account {} was deleted meanwhile; import the list again",
            entry.name
        )));
    };
    let new = NewUser {
        name: entry.name.clone(),
        password: password.clone(),
        admin: false,
    };
    let user = users::insert_user(change, new, true, (kept, at)).await?;
    Ok((user, true))
}

/// Takes an account out of all groups, invitations and teams, before it is deleted.
pub(crate) async fn leave_all(change: &Change, user: UserId, at: Timestamp) -> Result<()> {
    teams::leave_teams(change, user, None, at).await?;
    members::forget_invitations(change, None, Some(user)).await?;
    delete_rows::<tables::group_members::Entity>(
        change,
        tables::group_members::Column::User.eq(user),
    )
    .await?;
    Ok(())
}
