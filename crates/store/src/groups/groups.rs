//! Groups, such as a class: members, organisers, and who may do what.

use std::collections::HashMap;

use serde_json::json;

use crate::accounts::{account_holdings, freed_names, users};
use crate::database::prelude::*;
use crate::database::skeletons::{self, fold_name};
use crate::events::kinds::{self as events, PasswordIssued};
use crate::groups::members::{
    self, check_other_organiser, find_member, lock_group, put_member, require_group, write_audit,
};
use crate::groups::{group_quotas, teams};
use crate::messages::notifications;
use crate::tables::groups::{ActiveModel, Column, Entity, Group};
use crate::{GroupId, Json, NameKind, PasswordEnds, TeamId, UserId, tables};

/// The most rows of a list of groups or of members.
const MOST: u64 = 5_000;

/// A group to be created.
#[derive(Clone, Debug)]
pub struct NewGroup {
    /// The name; unique without regard to case.
    pub name: String,
    /// A description.
    pub about: String,
    /// The most members of a team; 0 for no teams.
    pub team_size: i32,
    /// The first organiser.
    pub organiser: Option<UserId>,
}

/// What changes in a group; `None` stays as it is.
#[derive(Clone, Debug, Default)]
pub struct GroupChange {
    /// The name.
    pub name: Option<String>,
    /// The description.
    pub about: Option<String>,
    /// The most members of a team; teams that exist keep their size.
    pub team_size: Option<i32>,
}

/// What an account is in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupRole {
    /// Changes the group and its members.
    Organiser,
    /// Belongs to it.
    Member,
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupMember {
    /// The account.
    pub user: UserId,
    /// Its name.
    pub name: String,
    /// What it is in the group.
    pub role: GroupRole,
    /// Whether the account was created for this group.
    pub issued: bool,
    /// Whether it still has the one-time password.
    pub password_temporary: bool,
    /// Its team in this group.
    pub team: Option<(TeamId, String)>,
}

impl Store {
    /// Creates a group. [`StoreError::Taken`] if the name is in use, [`StoreError::Alike`] if one that
    /// looks like it is, [`StoreError::Freed`] if it was given up lately.
    pub async fn create_group(
        &self,
        new: NewGroup,
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<Group> {
        let change = self.begin_write().await?;
        self.check_group_name(&change, &new.name, None, at).await?;
        let row = ActiveModel {
            id: NotSet,
            name: Set(new.name.clone()),
            folded: Set(fold_name(&new.name)),
            skeleton: Set(Some(skeletons::skeleton(&new.name))),
            about: Set(new.about),
            team_size: Set(new.team_size),
            created: Set(at),
        };
        let group = row
            .insert(&change)
            .await
            .map_err(|error| StoreError::value_taken(error, "name", &new.name))?;
        if let Some(organiser) = new.organiser {
            put_member(&change, group.id, organiser, true, false, at).await?;
        }
        let detail = json!({"organiser": new.organiser, "team_size": new.team_size});
        write_audit(&change, by, "group.create", &group, detail, at).await?;
        change.commit().await?;
        Ok(group)
    }

    /// Finds a group; [`StoreError::Missing`] if there is none.
    pub async fn find_group(&self, id: GroupId) -> Result<Group> {
        require_group(&self.readers, id).await
    }

    /// All groups, newest first (at most 5,000).
    pub async fn list_groups(&self) -> Result<Vec<Group>> {
        let all = Entity::find().order_by_desc(Column::Id).limit(MOST);
        Ok(all.all(&self.readers).await?)
    }

    /// The groups of an account, newest first, and what it is in them.
    pub async fn groups_of(&self, user: UserId) -> Result<Vec<(Group, GroupRole)>> {
        let own = tables::group_members::Entity::find()
            .filter(tables::group_members::Column::User.eq(user));
        let roles: HashMap<GroupId, GroupRole> = own
            .all(&self.readers)
            .await?
            .into_iter()
            .map(|row| (row.group_id, role_of(&row)))
            .collect();
        let groups = Entity::find()
            .filter(Column::Id.is_in(roles.keys().copied()))
            .order_by_desc(Column::Id);
        let groups = groups.all(&self.readers).await?;
        Ok(groups
            .into_iter()
            .filter_map(|group| {
                let role = *roles.get(&group.id)?;
                Some((group, role))
            })
            .collect())
    }

    /// What an account is in a group; `None` if it does not belong to it.
    pub async fn group_role(&self, group: GroupId, user: UserId) -> Result<Option<GroupRole>> {
        let row = find_member(&self.readers, group, user).await?;
        Ok(row.as_ref().map(role_of))
    }

    /// The members of a group: organisers, then the others, by name (at most 5,000).
    pub async fn members_of_group(&self, group: GroupId) -> Result<Vec<GroupMember>> {
        let rows = tables::group_members::Entity::find()
            .filter(tables::group_members::Column::GroupId.eq(group))
            .find_also_related(tables::users::Entity)
            .limit(MOST)
            .all(&self.readers)
            .await?;
        let mut teams = self.teams_by_member(group).await?;
        let mut members: Vec<GroupMember> = rows
            .into_iter()
            .filter_map(|(row, user)| {
                let user = user?;
                Some(GroupMember {
                    user: user.id,
                    role: role_of(&row),
                    issued: row.issued,
                    password_temporary: user.password_temporary,
                    team: teams.remove(&user.id),
                    name: user.name,
                })
            })
            .collect();
        members.sort_by_key(|member| {
            let place = usize::from(member.role == GroupRole::Member);
            (place, fold_name(&member.name))
        });
        Ok(members)
    }

    async fn teams_by_member(&self, group: GroupId) -> Result<HashMap<UserId, (TeamId, String)>> {
        let all = tables::teams::Entity::find().filter(tables::teams::Column::Scope.eq(group.0));
        let names: HashMap<TeamId, String> = all
            .all(&self.readers)
            .await?
            .into_iter()
            .map(|team| (team.id, team.name))
            .collect();
        let rows = tables::team_members::Entity::find()
            .filter(tables::team_members::Column::TeamId.is_in(names.keys().copied()));
        let rows = rows.all(&self.readers).await?;
        Ok(rows
            .into_iter()
            .filter_map(|row| Some((row.user, (row.team_id, names.get(&row.team_id)?.clone()))))
            .collect())
    }

    async fn check_group_name(
        &self,
        change: &Change,
        name: &str,
        owner: Option<GroupId>,
        at: Timestamp,
    ) -> Result<()> {
        let mut alike = Entity::find().filter(Column::Skeleton.eq(skeletons::skeleton(name)));
        if let Some(own) = owner {
            alike = alike.filter(Column::Id.ne(own));
        }
        skeletons::check(change, alike, Column::Name, ("name", name)).await?;
        let (kept, owner) = (self.freed_for(), owner.map(|group| group.0));
        freed_names::check(change, NameKind::Group, name, owner, (kept, at)).await
    }

    /// Changes name, description and size of teams. Nobody else may take the old name for a while;
    /// the group itself may take it again.
    pub async fn change_group(
        &self,
        id: GroupId,
        new: GroupChange,
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<Group> {
        let change = self.begin_write().await?;
        let old = lock_group(&change, id).await?;
        let name = new
            .name
            .filter(|name| *name != old.name)
            .unwrap_or_default();
        if !name.is_empty() {
            self.check_group_name(&change, &name, Some(id), at).await?;
        }
        if !name.is_empty() && fold_name(&name) != old.folded {
            freed_names::free(&change, NameKind::Group, &old.name, id.0, at).await?;
        }
        let mut row: ActiveModel = old.into();
        if !name.is_empty() {
            row.folded = Set(fold_name(&name));
            row.skeleton = Set(Some(skeletons::skeleton(&name)));
            row.name = Set(name.clone());
        }
        if let Some(about) = new.about {
            row.about = Set(about);
        }
        if let Some(team_size) = new.team_size {
            row.team_size = Set(team_size);
        }
        let group = row
            .update(&change)
            .await
            .map_err(|error| StoreError::value_taken(error, "name", &name))?;
        let detail = json!({"team_size": group.team_size});
        write_audit(&change, by, "group.change", &group, detail, at).await?;
        change.commit().await?;
        Ok(group)
    }

    /// Makes an account an organiser, or an organiser a plain member. An account that does not
    /// belong to the group joins it. [`StoreError::Refused`] for the only organiser.
    pub async fn set_organiser(
        &self,
        id: GroupId,
        user: UserId,
        organiser: bool,
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        let group = lock_group(&change, id).await?;
        if !organiser {
            check_other_organiser(&change, &group, user).await?;
        }
        put_member(&change, id, user, organiser, false, at).await?;
        let action = if organiser {
            "group.organiser.add"
        } else {
            "group.organiser.remove"
        };
        write_audit(&change, by, action, &group, json!({"user": user}), at).await?;
        Ok(change.commit().await?)
    }

    /// Takes an account out of a group and of its team there. [`StoreError::Refused`] for the only
    /// organiser.
    pub async fn remove_group_member(
        &self,
        id: GroupId,
        user: UserId,
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        let group = lock_group(&change, id).await?;
        check_other_organiser(&change, &group, user).await?;
        teams::leave_teams(&change, user, Some(id), at).await?;
        let gone = tables::group_members::Entity::delete_by_id((id, user))
            .exec(&change)
            .await?;
        if gone.rows_affected == 0 {
            return Err(StoreError::row_missing("member", user));
        }
        let detail = json!({"user": user});
        write_audit(&change, by, "group.member.remove", &group, detail, at).await?;
        Ok(change.commit().await?)
    }

    /// Deletes a group. Its accounts stay; its teams stay as teams without a group. Nobody may take
    /// its name for a while.
    pub async fn delete_group(&self, id: GroupId, by: Option<UserId>, at: Timestamp) -> Result<()> {
        let change = self.begin_write().await?;
        let group = lock_group(&change, id).await?;
        teams::release_teams(&change, id).await?;
        delete_rows::<tables::group_members::Entity>(
            &change,
            tables::group_members::Column::GroupId.eq(id),
        )
        .await?;
        group_quotas::forget_group(&change, id).await?;
        members::forget_invitations(&change, Some(id), None).await?;
        notifications::forget_group(&change, id).await?;
        freed_names::free(&change, NameKind::Group, &group.name, id.0, at).await?;
        Entity::delete_by_id(id).exec(&change).await?;
        write_audit(&change, by, "group.delete", &group, Json::Null, at).await?;
        Ok(change.commit().await?)
    }

    /// Gives an account that was created for this group a new one-time password (PHC string), ends
    /// its sessions and API tokens, and tells its holder. [`StoreError::Refused`] for other accounts,
    /// for those that hold something elsewhere, and for those that their holder has taken over:
    /// whoever has the password has all of it.
    pub async fn issue_password(
        &self,
        id: GroupId,
        user: UserId,
        password: &str,
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        let group = lock_group(&change, id).await?;
        let row = find_member(&change, id, user).await?;
        let account = tables::users::Entity::find_by_id(user).one(&change).await?;
        let may = row.is_some_and(|row| row.issued && !row.organiser)
            && account.is_some_and(|account| !account.admin);
        if !may {
            return Err(StoreError::Refused(format!(
                "account {user} was not created for the group {}; its owner or an administrator changes its password",
                group.name
            )));
        }
        if let Some(why) = account_holdings::describe_own(&change, id, user).await? {
            return Err(StoreError::Refused(format!(
                "account {user} {why}; its owner or an administrator changes its password"
            )));
        }
        users::replace_password(&change, user, password, true, PasswordEnds::Everything).await?;
        events::write(&change, PasswordIssued { group: id, user }, at);
        let detail = json!({"user": user});
        write_audit(&change, by, "group.password", &group, detail, at).await?;
        Ok(change.commit().await?)
    }
}

fn role_of(row: &tables::group_members::Model) -> GroupRole {
    if row.organiser {
        GroupRole::Organiser
    } else {
        GroupRole::Member
    }
}
