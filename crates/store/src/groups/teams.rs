//! Teams: a few people who own bots together.
//!
//! The bots of a team belong to its captain: the captain's quota counts them. Every member may
//! upload versions and sees what the owner sees. When the captaincy is handed over, the bots go
//! along.

use sea_orm::sea_query::LockType;
use serde_json::json;

use crate::bots::{bots, living, quota};
use crate::database::audit_log;
use crate::database::prelude::*;
use crate::database::skeletons::{self, fold_name};
use crate::groups::members;
use crate::messages::webhooks;
use crate::standings::standings;
use crate::tables::teams::{ActiveModel, Column, Entity, NO_GROUP, Team};
use crate::values::secret::random_token;
use crate::{AuditedAction, Bot, BotId, Group, GroupId, Json, Quota, TeamId, User, UserId, tables};

/// The length of a join code: 48 random bits.
const CODE: usize = 12;

/// A team to be created.
#[derive(Clone, Debug)]
pub struct NewTeam {
    /// The name; unique within its group without regard to case.
    pub name: String,
    /// The group.
    pub group: Option<GroupId>,
    /// The most members; a team of a group has the group's size instead.
    pub size: i32,
}

/// A member of a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamMember {
    /// The account.
    pub user: UserId,
    /// Its name.
    pub name: String,
    /// When it joined.
    pub joined: Timestamp,
}

impl Store {
    /// Creates a team with its captain. [`StoreError::Refused`] if the captain does not belong to
    /// the group, has a team there, or the group has no teams.
    pub async fn create_team(&self, new: NewTeam, captain: UserId, at: Timestamp) -> Result<Team> {
        let change = self.begin_write().await?;
        let mut size = new.size;
        if let Some(group) = new.group {
            size = check_place_in_group(&change, group, captain).await?;
        }
        let team = insert_team(&change, &new.name, new.group, size, captain, at).await?;
        write_audit(
            &change,
            Some(captain),
            "team.create",
            &team,
            json!({"size": size}),
            at,
        )
        .await?;
        change.commit().await?;
        Ok(team)
    }

    /// Finds a team; [`StoreError::Missing`] if there is none.
    pub async fn find_team(&self, id: TeamId) -> Result<Team> {
        find_row::<Entity>(&self.readers, id, "team").await
    }

    /// The teams of an account, newest first.
    pub async fn teams_of(&self, user: UserId) -> Result<Vec<Team>> {
        let own = Entity::find()
            .filter(Column::Id.in_subquery(tables::team_members::query_team_ids(user)))
            .order_by_desc(Column::Id);
        Ok(own.all(&self.readers).await?)
    }

    /// The teams of a group, by name.
    pub async fn teams_of_group(&self, group: GroupId) -> Result<Vec<Team>> {
        let all = Entity::find()
            .filter(Column::Scope.eq(group.0))
            .order_by_asc(Column::Folded);
        Ok(all.all(&self.readers).await?)
    }

    /// The members of a team, who joined first first.
    pub async fn members_of_team(&self, team: TeamId) -> Result<Vec<TeamMember>> {
        let rows = tables::team_members::Entity::find()
            .filter(tables::team_members::Column::TeamId.eq(team))
            .find_also_related(tables::users::Entity)
            .order_by_asc(tables::team_members::Column::Joined)
            .order_by_asc(tables::team_members::Column::User)
            .all(&self.readers)
            .await?;
        Ok(rows
            .into_iter()
            .filter_map(|(row, user)| {
                Some(TeamMember {
                    user: row.user,
                    name: user?.name,
                    joined: row.joined,
                })
            })
            .collect())
    }

    /// The bots of a team, newest first.
    pub async fn bots_of_team(&self, team: TeamId) -> Result<Vec<Bot>> {
        let all = tables::bots::Entity::find()
            .filter(tables::bots::Column::Team.eq(team))
            .order_by_desc(tables::bots::Column::Id);
        Ok(all.all(&self.readers).await?)
    }

    /// Whether an account belongs to a team.
    pub async fn is_in_team(&self, team: TeamId, user: UserId) -> Result<bool> {
        let row = tables::team_members::Entity::find_by_id((team, user));
        Ok(row.one(&self.readers).await?.is_some())
    }

    /// Whether an account may do with a bot what its owner may: it is the owner, or belongs to the
    /// bot's team.
    pub async fn owns_bot(&self, bot: &Bot, user: UserId) -> Result<bool> {
        match bot.team {
            _ if bot.owner == Some(user) => Ok(true),
            Some(team) => self.is_in_team(team, user).await,
            None => Ok(false),
        }
    }

    /// Joins a team by its code. [`StoreError::Refused`] if it is full, or if the account does not
    /// belong to the team's group or has another team there.
    pub async fn join_team(&self, code: &str, user: UserId, at: Timestamp) -> Result<Team> {
        let change = self.begin_write().await?;
        let coded = Entity::find().filter(Column::Code.eq(code));
        let Some(team) = coded.one(&change).await? else {
            return Err(StoreError::row_missing("team", code));
        };
        if let Some(group) = team.group() {
            check_place_in_group(&change, group, user).await?;
        }
        let team = lock_team(&change, team.id).await?;
        insert_member(&change, &team, user, at).await?;
        write_audit(&change, Some(user), "team.join", &team, Json::Null, at).await?;
        change.commit().await?;
        Ok(team)
    }

    /// A new join code; the old one no longer works.
    pub async fn renew_team_code(
        &self,
        id: TeamId,
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<Team> {
        let change = self.begin_write().await?;
        let mut row: ActiveModel = lock_team(&change, id).await?.into();
        row.code = Set(make_code());
        let team = row.update(&change).await?;
        write_audit(&change, by, "team.code", &team, Json::Null, at).await?;
        change.commit().await?;
        Ok(team)
    }

    /// Hands the captaincy and the bots to another member. [`StoreError::Refused`] if the account
    /// is not a member.
    pub async fn hand_over_team(
        &self,
        id: TeamId,
        to: UserId,
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<Team> {
        let change = self.begin_write().await?;
        let team = lock_team(&change, id).await?;
        if find_member(&change, id, to).await?.is_none() {
            return Err(StoreError::Refused(format!(
                "account {to} is not a member of the team {}; let it join first",
                team.name
            )));
        }
        let team = make_captain(&change, team, to).await?;
        write_audit(&change, by, "team.captain", &team, json!({"user": to}), at).await?;
        change.commit().await?;
        Ok(team)
    }

    /// Takes a member out of a team. The last one who leaves takes its bots along, and the team
    /// ends. [`StoreError::Refused`] for a captain with other members: the captain hands over
    /// first.
    pub async fn leave_team(
        &self,
        id: TeamId,
        user: UserId,
        by: Option<UserId>,
        at: Timestamp,
    ) -> Result<()> {
        let change = self.begin_write().await?;
        let team = lock_team(&change, id).await?;
        if find_member(&change, id, user).await?.is_none() {
            return Err(StoreError::row_missing("member", user));
        }
        if team.captain == user && count_members(&change, id).await? > 1 {
            return Err(StoreError::Refused(format!(
                "the captain of {} cannot leave while it has other members; hand the captaincy over first",
                team.name
            )));
        }
        write_audit(&change, by, "team.leave", &team, json!({"user": user}), at).await?;
        remove_member(&change, team, user).await?;
        Ok(change.commit().await?)
    }

    /// Gives a bot to a team, whose captain then owns it, or takes it out, to the captain alone.
    /// Only the bot's owner may, and only with a team of the owner's. The captain's quota of bots
    /// holds.
    pub async fn set_bot_team(
        &self,
        id: BotId,
        team: Option<TeamId>,
        by: UserId,
        quota: &Quota,
        at: Timestamp,
    ) -> Result<Bot> {
        let change = self.begin_write().await?;
        let team = match team {
            Some(team) => Some(lock_team(&change, team).await?),
            None => None,
        };
        let bot =
            living::require_living(tables::bots::Entity::find_by_id(id).one(&change).await?, id)?;
        if bot.owner != Some(by) {
            return Err(StoreError::Refused(format!(
                "{} belongs to somebody else; its owner (of a team: its captain) gives it to a team",
                bot.name
            )));
        }
        let mut row = tables::bots::ActiveModel {
            team: Set(team.as_ref().map(|team| team.id)),
            ..Default::default()
        };
        if let Some(team) = &team {
            if find_member(&change, team.id, by).await?.is_none() {
                return Err(StoreError::Refused(format!(
                    "you are not a member of the team {}; join it first",
                    team.name
                )));
            }
            if team.captain != by {
                quota::check_bots(&change, team.captain, quota).await?;
                row.owner = Set(Some(team.captain));
            }
        }
        bots::update_bot(&change, id, row).await?;
        let subject = format!("bot {id} ({})", bot.name);
        let action = AuditedAction::new(
            Some(by),
            "bot.team",
            subject,
            json!({"team": team.map(|team| team.id)}),
        );
        audit_log::write(&change, action, at).await?;
        change.commit().await?;
        self.find_bot(id).await
    }
}

/// Locks a group and checks that an account may be in one more team of it; the size of its teams.
async fn check_place_in_group(change: &Change, id: GroupId, user: UserId) -> Result<i32> {
    let group = members::lock_group(change, id).await?;
    let refuse = |why: String| Err(StoreError::Refused(why));
    let name = &group.name;
    if group.team_size == 0 {
        return refuse(format!(
            "the group {name} has no teams; its organisers may allow them"
        ));
    }
    if members::find_member(change, id, user).await?.is_none() {
        return refuse(format!(
            "you do not belong to the group {name}; ask one of its organisers to add you"
        ));
    }
    if let Some(team) = team_in_group(change, id, user).await? {
        return refuse(format!(
            "the account has a team in the group {name}: {}; it must leave it first",
            team.name
        ));
    }
    Ok(group.team_size)
}

/// The team of an account in a group.
pub(crate) async fn team_in_group(
    place: &impl ConnectionTrait,
    group: GroupId,
    user: UserId,
) -> Result<Option<Team>> {
    let own = Entity::find()
        .filter(Column::Scope.eq(group.0))
        .filter(Column::Id.in_subquery(tables::team_members::query_team_ids(user)));
    Ok(own.one(place).await?)
}

/// The team of a group with this name.
pub(crate) async fn find_named(
    place: &impl ConnectionTrait,
    group: GroupId,
    name: &str,
) -> Result<Option<Team>> {
    let named = Entity::find()
        .filter(Column::Scope.eq(group.0))
        .filter(Column::Folded.eq(fold_name(name)));
    Ok(named.one(place).await?)
}

/// The team within this scope whose name has this skeleton.
fn query_alike(scope: i64, skeleton: &str) -> Select<Entity> {
    Entity::find()
        .filter(Column::Scope.eq(scope))
        .filter(Column::Skeleton.eq(skeleton))
}

pub(crate) async fn insert_team(
    change: &Change,
    name: &str,
    group: Option<GroupId>,
    size: i32,
    captain: UserId,
    at: Timestamp,
) -> Result<Team> {
    let scope = group.unwrap_or(NO_GROUP).0;
    let skeleton = skeletons::skeleton(name);
    let alike = query_alike(scope, &skeleton);
    skeletons::check(change, alike, Column::Name, ("name", name)).await?;
    let row = ActiveModel {
        id: NotSet,
        scope: Set(scope),
        name: Set(name.to_owned()),
        folded: Set(fold_name(name)),
        skeleton: Set(Some(skeleton)),
        code: Set(make_code()),
        size: Set(size),
        captain: Set(captain),
        created: Set(at),
    };
    let team = row
        .insert(change)
        .await
        .map_err(|error| StoreError::value_taken(error, "name", name))?;
    insert_member(change, &team, captain, at).await?;
    Ok(team)
}

/// Adds a member to a team whose row is locked.
pub(crate) async fn insert_member(
    change: &Change,
    team: &Team,
    user: UserId,
    at: Timestamp,
) -> Result<()> {
    if find_member(change, team.id, user).await?.is_some() {
        return Err(StoreError::Refused(format!(
            "the account is already a member of the team {}",
            team.name
        )));
    }
    let members = count_members(change, team.id).await?;
    if members >= u64::from(team.size.unsigned_abs()) {
        return Err(StoreError::Refused(format!(
            "the team {} has {members} members, and may have {}; ask for a place in another team",
            team.name, team.size
        )));
    }
    let row = tables::team_members::ActiveModel {
        team_id: Set(team.id),
        user: Set(user),
        joined: Set(at),
    };
    insert_row(change, row).await
}

/// Takes an account out of all its teams, or of those of a group. A captain's place goes to who
/// joined first of the others.
pub(crate) async fn leave_teams(
    change: &Change,
    user: UserId,
    group: Option<GroupId>,
    at: Timestamp,
) -> Result<()> {
    let mut own =
        Entity::find().filter(Column::Id.in_subquery(tables::team_members::query_team_ids(user)));
    if let Some(group) = group {
        own = own.filter(Column::Scope.eq(group.0));
    }
    for team in own.order_by_asc(Column::Id).all(change).await? {
        let mut team = lock_team(change, team.id).await?;
        let heir = tables::team_members::Entity::find()
            .filter(tables::team_members::Column::TeamId.eq(team.id))
            .filter(tables::team_members::Column::User.ne(user))
            .order_by_asc(tables::team_members::Column::Joined)
            .order_by_asc(tables::team_members::Column::User);
        if team.captain == user
            && let Some(heir) = heir.one(change).await?
        {
            team = make_captain(change, team, heir.user).await?;
            let detail = json!({"user": heir.user});
            write_audit(change, None, "team.captain", &team, detail, at).await?;
        }
        remove_member(change, team, user).await?;
    }
    Ok(())
}

/// Makes the teams of a group teams without a group. Their names get a number, because they may be
/// in use, and further ones until nobody has the name.
pub(crate) async fn release_teams(change: &Change, group: GroupId) -> Result<()> {
    let all = Entity::find().filter(Column::Scope.eq(group.0));
    for team in all.all(change).await? {
        let numbered = format!("{}.{}", team.name, team.id);
        let mut name = numbered.clone();
        for number in 2_u64.. {
            if !is_taken(change, &name).await? {
                break;
            }
            name = format!("{numbered}.{number}");
        }
        let mut row: ActiveModel = team.into();
        row.scope = Set(NO_GROUP.0);
        row.skeleton = Set(Some(skeletons::skeleton(&name)));
        row.folded = Set(fold_name(&name));
        row.name = Set(name);
        row.update(change).await?;
    }
    Ok(())
}

/// Whether a team without a group has this name, or one that looks like it.
async fn is_taken(change: &Change, name: &str) -> Result<bool> {
    let same = Column::Folded.eq(fold_name(name));
    let alike = Column::Skeleton.eq(skeletons::skeleton(name));
    let found = Entity::find().filter(Column::Scope.eq(0));
    let found = found.filter(Condition::any().add(same).add(alike));
    Ok(found.one(change).await?.is_some())
}

/// Removes a member; with the last one the team ends, and its bots stay with their owner.
async fn remove_member(change: &Change, team: Team, user: UserId) -> Result<()> {
    if count_members(change, team.id).await? <= 1 {
        let alone = tables::bots::ActiveModel {
            team: Set(None),
            ..Default::default()
        };
        update_rows(change, tables::bots::Column::Team.eq(team.id), alone).await?;
    }
    webhooks::remove_of_person(change, user, Some(team.id)).await?;
    tables::team_members::Entity::delete_by_id((team.id, user))
        .exec(change)
        .await?;
    if count_members(change, team.id).await? == 0 {
        Entity::delete_by_id(team.id).exec(change).await?;
    }
    Ok(())
}

async fn make_captain(change: &Change, team: Team, captain: UserId) -> Result<Team> {
    let owned = tables::bots::ActiveModel {
        owner: Set(Some(captain)),
        ..Default::default()
    };
    let of_team = tables::bots::Column::Team.eq(team.id);
    tables::bots::Entity::update_many()
        .set(owned)
        .filter(of_team.clone())
        .exec(change)
        .await?;
    let bots = tables::bots::Entity::find()
        .filter(of_team)
        .all(change)
        .await?;
    standings::note_owners(change, bots).await?;
    let mut row: ActiveModel = team.into();
    row.captain = Set(captain);
    Ok(row.update(change).await?)
}

/// Locks a team until `change` ends: its members change one after another.
pub(crate) async fn lock_team(change: &Change, id: TeamId) -> Result<Team> {
    let found = Entity::find_by_id(id)
        .lock(LockType::NoKeyUpdate)
        .one(change)
        .await?;
    found.ok_or_else(|| StoreError::row_missing("team", id))
}

async fn find_member(
    place: &impl ConnectionTrait,
    team: TeamId,
    user: UserId,
) -> Result<Option<tables::team_members::Model>> {
    Ok(tables::team_members::Entity::find_by_id((team, user))
        .one(place)
        .await?)
}

async fn count_members(place: &impl ConnectionTrait, team: TeamId) -> Result<u64> {
    let all =
        tables::team_members::Entity::find().filter(tables::team_members::Column::TeamId.eq(team));
    Ok(all.count(place).await?)
}

fn make_code() -> String {
    random_token().chars().take(CODE).collect()
}

async fn write_audit(
    change: &Change,
    by: Option<UserId>,
    action: &str,
    team: &Team,
    detail: Json,
    at: Timestamp,
) -> Result<()> {
    let subject = format!("team {} ({})", team.id, team.name);
    let action = AuditedAction::new(by, action, subject, detail);
    audit_log::write(change, action, at).await
}

pub(crate) async fn put_in_team(
    change: &Change,
    group: &Group,
    name: &str,
    user: &User,
    at: Timestamp,
) -> Result<()> {
    if let Some(own) = team_in_group(change, group.id, user.id).await? {
        if own.folded == fold_name(name) {
            return Ok(());
        }
        return Err(StoreError::Refused(format!(
            "{} is in the team {}; take {} out of it before the list puts it into {name}",
            user.name, own.name, user.name
        )));
    }
    match find_named(change, group.id, name).await? {
        Some(team) => {
            let team = lock_team(change, team.id).await?;
            insert_member(change, &team, user.id, at).await
        }
        None => {
            let (size, captain) = (group.team_size, user.id);
            insert_team(change, name, Some(group.id), size, captain, at).await?;
            Ok(())
        }
    }
}
