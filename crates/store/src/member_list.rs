//! Import of a list of people into a group: accounts, members and teams in one transaction.

use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::DatabaseTransaction;
use sea_orm::entity::prelude::*;
use serde_json::json;

use crate::users::fold_name;
use crate::{
    Group, GroupId, Store, StoreError, Timestamp, User, UserId, group_members, groups, teams, users,
};

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
    /// The team.
    pub team: Option<String>,
}

impl Store {
    /// Imports a list: creates the accounts that do not exist, adds all to the group, and makes the
    /// teams; the first of a team is its captain. Everything or nothing.
    pub async fn import_members(
        &self,
        id: GroupId,
        entries: &[MemberEntry],
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<Vec<ImportedMember>, StoreError> {
        let change = self.begin_write().await?;
        let group = groups::lock_group(&change, id).await?;
        let mut members = Vec::with_capacity(entries.len());
        for entry in entries {
            let (user, created) = find_or_create(&change, entry, at).await?;
            if created || groups::find_member(&change, id, user.id).await?.is_none() {
                groups::put_member(&change, id, user.id, false, created, at).await?;
            }
            if let Some(team) = &entry.team {
                put_in_team(&change, &group, team, &user, at).await?;
            }
            members.push(ImportedMember {
                user: user.id,
                name: user.name,
                created,
                team: entry.team.clone(),
            });
        }
        let accounts = members.iter().filter(|member| member.created).count();
        let detail = json!({"members": members.len(), "accounts": accounts});
        groups::write_audit(&change, by, "group.import", &group, detail, at).await?;
        change.commit().await?;
        Ok(members)
    }
}

async fn find_or_create(
    change: &DatabaseTransaction,
    entry: &MemberEntry,
    at: Timestamp,
) -> Result<(User, bool), StoreError> {
    let folded = fold_name(&entry.name);
    let known = users::Entity::find().filter(users::Column::Folded.eq(&folded));
    if let Some(user) = known.one(change).await? {
        return Ok((user, false));
    }
    let Some(password) = &entry.password else {
        return Err(StoreError::Refused(format!(
            "the account {} was deleted meanwhile; import the list again",
            entry.name
        )));
    };
    let row = users::ActiveModel {
        id: NotSet,
        name: Set(entry.name.clone()),
        folded: Set(folded),
        password: Set(password.clone()),
        admin: Set(false),
        disabled: Set(false),
        created: Set(at),
        password_temporary: Set(true),
    };
    let user = row
        .insert(change)
        .await
        .map_err(|error| StoreError::value_taken(error, "name", &entry.name))?;
    Ok((user, true))
}

async fn put_in_team(
    change: &DatabaseTransaction,
    group: &Group,
    name: &str,
    user: &User,
    at: Timestamp,
) -> Result<(), StoreError> {
    if let Some(own) = teams::team_in_group(change, group.id, user.id).await? {
        if own.folded == fold_name(name) {
            return Ok(());
        }
        return Err(StoreError::Refused(format!(
            "{} is in the team {}; take {} out of it before the list puts it into {name}",
            user.name, own.name, user.name
        )));
    }
    match teams::find_named(change, group.id, name).await? {
        Some(team) => {
            let team = teams::lock_team(change, team.id).await?;
            teams::insert_member(change, &team, user.id, at).await
        }
        None => {
            let (size, captain) = (group.team_size, user.id);
            teams::insert_team(change, name, Some(group.id), size, captain, at).await?;
            Ok(())
        }
    }
}

/// Takes an account out of all groups and teams, before it is deleted.
pub(crate) async fn leave_all(
    change: &DatabaseTransaction,
    user: UserId,
    at: Timestamp,
) -> Result<(), StoreError> {
    teams::leave_teams(change, user, None, at).await?;
    group_members::Entity::delete_many()
        .filter(group_members::Column::User.eq(user))
        .exec(change)
        .await?;
    Ok(())
}
