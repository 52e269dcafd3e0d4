//! Routes: groups, such as a class, with organisers, members and lists of members.
//!
//! | module | content |
//! |---|---|
//! | [`invitations`] | invitations to a group |
//! | [`ladders`] | the ladder of a group |
//! | [`quotas`] | what members may use |
//! | [`teams`] | teams of a group or a contest |

pub mod invitations;
pub mod ladders;
pub mod quotas;
pub mod teams;

use std::collections::HashMap;

use leitai_store::{
    Group, GroupChange, GroupId, GroupMember, GroupRole, Invitation, MemberEntry, NewGroup, User,
};

use crate::accounts::member_list::{
    ListRules, MemberLine, RefusedName, check_members, parse_members,
};
use crate::accounts::names;
use crate::accounts::one_time::make_one_time_password;
use crate::bots::routes::TeamName;
use crate::bots::routes::upload::checked_text;
use crate::contests::routes::access::organises_group;
use crate::http::caller::{own_session, second_factor_required};
use crate::http::prelude::*;
use crate::http::routes::owner_proof::need_recent_login;

/// The longest name of a group, in characters.
const NAME: usize = 60;
/// The longest description of a group, in characters.
const ABOUT: usize = 2_000;
/// The most members of a team.
pub const TEAM: i32 = 20;

/// Routes of groups.
pub fn group_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_groups, create_group))
        .routes(routes!(show_group, change_group, delete_group))
        .routes(routes!(import_members))
        .routes(routes!(add_organiser))
        .routes(routes!(change_member, remove_member))
        .routes(routes!(issue_password))
}

/// What the caller is in a group.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum RoleName {
    /// Changes the group and its members; so may administrators.
    Organiser,
    /// Belongs to it.
    Member,
}

impl From<GroupRole> for RoleName {
    fn from(role: GroupRole) -> RoleName {
        match role {
            GroupRole::Organiser => RoleName::Organiser,
            GroupRole::Member => RoleName::Member,
        }
    }
}

/// A group in a list.
#[derive(Debug, Serialize, ToSchema)]
struct GroupSummary {
    id: i64,
    #[schema(example = "AI 2026")]
    name: String,
    about: String,
    /// The most members of a team; 0: the group has no teams.
    team_size: i32,
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    /// What the caller is in it; null for an administrator who does not belong to it.
    role: Option<RoleName>,
}

impl GroupSummary {
    fn from_row(group: Group, role: Option<GroupRole>) -> GroupSummary {
        GroupSummary {
            id: group.id.0,
            name: group.name,
            about: group.about,
            team_size: group.team_size,
            created: group.created,
            role: role.map(Into::into),
        }
    }
}

/// A group with its members.
#[derive(Debug, Serialize, ToSchema)]
struct GroupDetails {
    #[serde(flatten)]
    brief: GroupSummary,
    /// Whether the caller may change it.
    manages: bool,
    /// Organisers first, then by name.
    members: Vec<GroupMemberSummary>,
    /// The accounts that are asked to join and have not answered, newest first; empty for who may
    /// not change the group.
    invited: Vec<InvitedAccount>,
}

/// An account that is asked to join a group.
#[derive(Debug, Serialize, ToSchema)]
struct InvitedAccount {
    /// The account's id.
    id: i64,
    name: String,
    /// The team into which it comes.
    team: Option<String>,
    /// When the account was opened: one older than the class may be somebody else's.
    #[schema(value_type = String, format = DateTime)]
    account_since: Timestamp,
    /// When it was asked.
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
}

impl From<Invitation> for InvitedAccount {
    fn from(one: Invitation) -> InvitedAccount {
        InvitedAccount {
            id: one.user.0,
            name: one.user_name,
            team: one.team,
            account_since: one.user_since,
            created: one.created,
        }
    }
}

/// A member of a group.
#[derive(Debug, Serialize, ToSchema)]
struct GroupMemberSummary {
    /// The account's id.
    id: i64,
    name: String,
    role: RoleName,
    team: Option<TeamName>,
    /// Whether the account was created for this group, whose organisers may give it a new one-time
    /// password; false for who may not change the group.
    issued: bool,
    /// Whether it still has its one-time password; false for who may not change the group.
    password_temporary: bool,
}

impl GroupMemberSummary {
    fn from_row(member: GroupMember, manages: bool) -> GroupMemberSummary {
        GroupMemberSummary {
            id: member.user.0,
            name: member.name,
            role: member.role.into(),
            team: member.team.map(|(id, name)| TeamName { id: id.0, name }),
            issued: manages && member.issued,
            password_temporary: manages && member.password_temporary,
        }
    }
}

/// A group to be created.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewGroupRequest {
    #[schema(example = "AI 2026", min_length = 1, max_length = 60)]
    name: String,
    #[serde(default)]
    #[schema(max_length = 2000)]
    about: String,
    /// The most members of a team; 0, the default, for no teams.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 20)]
    team_size: i32,
    /// The account of the first organiser; the caller's, if it is absent.
    organiser: Option<String>,
}

/// The fields to change; absent fields stay as they are.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct GroupChangeRequest {
    #[schema(min_length = 1, max_length = 60)]
    name: Option<String>,
    #[schema(max_length = 2000)]
    about: Option<String>,
    /// The most members of a team; teams that exist keep their size.
    #[schema(minimum = 0, maximum = 20)]
    team_size: Option<i32>,
}

/// A list of people.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct MemberListRequest {
    /// One person a line: the name of the account and, after a comma, perhaps a team.
    #[schema(example = "name,team\nada,red\nbob,red\n")]
    csv: String,
    /// Only checks the list and imports nothing.
    #[serde(default)]
    check: bool,
}

/// An imported list. The one-time passwords are shown only in this response.
#[derive(Debug, Serialize, ToSchema)]
struct MemberListResult {
    /// Whether it was imported; false if it was only to be checked.
    imported: bool,
    members: Vec<ListedMember>,
}

/// A person on the list.
#[derive(Debug, Serialize, ToSchema)]
struct ListedMember {
    name: String,
    team: Option<String>,
    /// Whether the account is new; other accounts keep their passwords.
    created: bool,
    /// When the account was opened, if it was there before: it is only asked to join, because whoever
    /// opened it may be another person. Null for a new one, and for a member.
    #[schema(value_type = Option<String>, format = DateTime)]
    invited: Option<Timestamp>,
    /// The one-time password of a new account; it must be changed at the first login.
    password: Option<String>,
}

/// The account that becomes an organiser.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct OrganiserRequest {
    /// The name of the account.
    name: String,
}

/// What a member becomes.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct MemberChangeRequest {
    organiser: bool,
}

/// A new one-time password. It is shown only in this response.
#[derive(Debug, Serialize, ToSchema)]
struct IssuedPassword {
    name: String,
    /// It must be changed at the next login.
    password: String,
}

/// The groups of the account, newest first; for administrators all.
#[utoipa::path(get, operation_id = "list_groups",
    path = "/api/groups", tag = "groups", security(("token" = []), ("session" = [])),
    responses((status = 200, body = ListPage<GroupSummary>)))]
async fn list_groups(app: App, user: SignedInUser) -> Answer<ListPage<GroupSummary>> {
    let own = app.store.groups_of(user.id).await?;
    if !user.admin {
        let items = own
            .into_iter()
            .map(|(group, role)| GroupSummary::from_row(group, Some(role)));
        return Ok(Json(ListPage::single_page(items.collect())));
    }
    let roles: HashMap<GroupId, GroupRole> =
        own.iter().map(|(group, role)| (group.id, *role)).collect();
    let all = app.store.list_groups().await?.into_iter().map(|group| {
        let role = roles.get(&group.id).copied();
        GroupSummary::from_row(group, role)
    });
    Ok(Json(ListPage::single_page(all.collect())))
}

/// Creates a group. For administrators; its organisers do the rest.
#[utoipa::path(post, operation_id = "create_group",
    path = "/api/groups", tag = "groups", security(("token" = []), ("session" = [])),
    request_body = NewGroupRequest, responses((status = 201, body = GroupDetails),
    (status = 404, description = "no such account", body = ErrorBody),
    (status = 409, description = "the name is taken", body = ErrorBody)))]
async fn create_group(
    app: App,
    admin: SignedInAdmin,
    Json(asked): Json<NewGroupRequest>,
) -> Result<(StatusCode, Json<GroupDetails>)> {
    let organiser = match &asked.organiser {
        Some(name) => need_account(&app, name, "organiser").await?.id,
        None => admin.0.id,
    };
    let new = NewGroup {
        name: checked_name(&asked.name)?,
        about: checked_text(&asked.about, "about", ABOUT)?,
        team_size: checked_size(asked.team_size)?,
        organiser: Some(organiser),
    };
    let made = app
        .store
        .create_group(new, Some(admin.0.id), Timestamp::now());
    let group = made.await?;
    tracing::info!(
        admin = admin.0.id.0,
        group = group.id.0,
        "a group was created"
    );
    let shown = group_details(&app, &admin.0, group).await?;
    Ok((StatusCode::CREATED, Json(shown)))
}

/// A group. For its members and administrators.
#[utoipa::path(get, operation_id = "get_group",
    path = "/api/groups/{id}", tag = "groups", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses((status = 200, body = GroupDetails), (status = 403, body = ErrorBody)))]
async fn show_group(app: App, user: SignedInUser, Path(id): Path<GroupId>) -> Answer<GroupDetails> {
    let group = need_seen(&app, &user, id).await?;
    Ok(Json(group_details(&app, &user, group).await?))
}

/// Changes a group. For its organisers and administrators.
#[utoipa::path(patch, operation_id = "update_group",
    path = "/api/groups/{id}", tag = "groups", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = GroupChangeRequest, responses((status = 200, body = GroupDetails),
    (status = 409, body = ErrorBody)))]
async fn change_group(
    app: App,
    user: SignedInUser,
    Path(id): Path<GroupId>,
    Json(asked): Json<GroupChangeRequest>,
) -> Answer<GroupDetails> {
    let old = need_organiser(&app, &user, id).await?;
    let about = asked.about.as_deref();
    let name = asked.name.as_deref().map(checked_name).transpose()?;
    if let Some(name) = name
        .as_ref()
        .filter(|name| **name != old.name && !user.admin)
    {
        names::check_reserved(name, &app.games)?;
    }
    let new = GroupChange {
        name,
        about: about
            .map(|about| checked_text(about, "about", ABOUT))
            .transpose()?,
        team_size: asked.team_size.map(checked_size).transpose()?,
    };
    let changed = app
        .store
        .change_group(id, new, Some(user.id), Timestamp::now());
    let group = changed.await?;
    Ok(Json(group_details(&app, &user, group).await?))
}

/// Deletes a group. Its accounts and bots stay; its teams stay, without a group. For its organisers
/// and administrators.
#[utoipa::path(delete, operation_id = "delete_group",
    path = "/api/groups/{id}", tag = "groups", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses((status = 204)))]
async fn delete_group(app: App, user: SignedInUser, Path(id): Path<GroupId>) -> Result<StatusCode> {
    need_organiser(&app, &user, id).await?;
    app.store
        .delete_group(id, Some(user.id), Timestamp::now())
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Imports a list of members. Accounts that do not exist are created with a one-time password, which
/// only this response shows; accounts that exist are asked to join, and belong to the group once
/// their holder accepts. Teams are made as needed: the first of a
/// team is its captain. If a line is wrong, nothing is imported and `problems` names every wrong
/// line. For organisers and administrators; registration may be closed.
#[utoipa::path(post, operation_id = "import_group_members",
    path = "/api/groups/{id}/members", tag = "groups", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = MemberListRequest, responses((status = 200, body = MemberListResult),
    (status = 409, body = ErrorBody),
    (status = 422, description = "lines are wrong: see `problems`", body = ErrorBody)))]
async fn import_members(
    app: App,
    user: SignedInUser,
    Path(id): Path<GroupId>,
    Json(asked): Json<MemberListRequest>,
) -> Result<Response> {
    let group = need_organiser(&app, &user, id).await?;
    let refuse = |problems| ApiError::wrong_lines("csv", problems);
    let lines = parse_members(&asked.csv).map_err(refuse)?;
    let known = known_names(&app, &lines).await?;
    let refused = refused_names(&app, &lines, &known).await?;
    let members = app.store.members_of_group(id).await?;
    let problems = check_members(
        &lines,
        &ListRules {
            team_size: usize::try_from(group.team_size).unwrap_or(0),
            members: &members,
            known: &known,
            refused: &refused,
            games: &app.games,
        },
    );
    if !problems.is_empty() {
        return Err(refuse(problems));
    }
    if asked.check {
        let listed = lines
            .iter()
            .map(|line| checked_member(line, &known, &members));
        return Ok(secret_answer(MemberListResult {
            imported: false,
            members: listed.collect(),
        }));
    }
    let passwords = make_passwords(&lines, &known);
    let entries = make_entries(&app, lines, &passwords).await?;
    let imported = app
        .store
        .import_members(id, &entries, Some(user.id), Timestamp::now())
        .await?;
    let (user, group, count) = (user.id.0, id.0, imported.len());
    tracing::info!(user, group, count, "a list of members was imported");
    let members = imported.into_iter().map(|member| ListedMember {
        password: passwords
            .get(&member.name)
            .filter(|_| member.created)
            .cloned(),
        name: member.name,
        team: member.team,
        created: member.created,
        invited: member.invited,
    });
    Ok(secret_answer(MemberListResult {
        imported: true,
        members: members.collect(),
    }))
}

/// One-time passwords of the accounts that do not exist, by name.
fn make_passwords(
    lines: &[MemberLine],
    known: &HashMap<String, Timestamp>,
) -> HashMap<String, String> {
    let is_new = |line: &&MemberLine| !known.contains_key(&line.name.to_lowercase());
    let new = lines.iter().filter(is_new);
    new.map(|line| (line.name.clone(), make_one_time_password()))
        .collect()
}

/// What the import of a line would do.
fn checked_member(
    line: &MemberLine,
    known: &HashMap<String, Timestamp>,
    members: &[GroupMember],
) -> ListedMember {
    let folded = line.name.to_lowercase();
    let mut names = members.iter().map(|member| member.name.to_lowercase());
    let belongs = names.any(|name| name == folded);
    let account = known.get(&folded).copied();
    ListedMember {
        name: line.name.clone(),
        team: line.team.clone(),
        created: account.is_none(),
        invited: account.filter(|_| !belongs),
        password: None,
    }
}

/// The names on the list that are names of accounts, in lower case, and when these were opened.
async fn known_names(app: &App, lines: &[MemberLine]) -> Result<HashMap<String, Timestamp>> {
    let mut known = HashMap::new();
    for line in lines {
        if let Some(user) = app.store.user_by_name(&line.name).await? {
            known.insert(line.name.to_lowercase(), user.created);
        }
    }
    Ok(known)
}

/// The names on the list that no account has and nobody may take, in lower case, and why.
async fn refused_names(
    app: &App,
    lines: &[MemberLine],
    known: &HashMap<String, Timestamp>,
) -> Result<HashMap<String, RefusedName>> {
    let (mut refused, now) = (HashMap::new(), Timestamp::now());
    for line in lines {
        let folded = line.name.to_lowercase();
        if known.contains_key(&folded) {
            continue;
        }
        let why = match app.store.check_account_name(&line.name, now).await {
            Ok(()) => continue,
            Err(StoreError::Freed { until, .. } | StoreError::FreedAlike { until, .. }) => {
                RefusedName::Freed(until)
            }
            Err(StoreError::Alike { other, .. }) => RefusedName::Alike(other),
            Err(error) => return Err(error.into()),
        };
        refused.insert(folded, why);
    }
    Ok(refused)
}

async fn make_entries(
    app: &App,
    lines: Vec<MemberLine>,
    passwords: &HashMap<String, String>,
) -> Result<Vec<MemberEntry>> {
    let mut entries = Vec::with_capacity(lines.len());
    for line in lines {
        let password = match passwords.get(&line.name) {
            Some(password) => Some(app.passwords.hash(password.clone()).await?),
            None => None,
        };
        entries.push(MemberEntry {
            name: line.name,
            password,
            team: line.team,
        });
    }
    Ok(entries)
}

/// Makes an account an organiser; it joins the group. For organisers and administrators.
#[utoipa::path(post, operation_id = "add_group_organiser",
    path = "/api/groups/{id}/organisers", tag = "groups", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = OrganiserRequest, responses((status = 200, body = GroupDetails)))]
async fn add_organiser(
    app: App,
    user: SignedInUser,
    Path(id): Path<GroupId>,
    Json(asked): Json<OrganiserRequest>,
) -> Answer<GroupDetails> {
    let group = need_organiser(&app, &user, id).await?;
    let new = need_account(&app, &asked.name, "name").await?;
    let (by, now) = (Some(user.id), Timestamp::now());
    app.store.set_organiser(id, new.id, true, by, now).await?;
    Ok(Json(group_details(&app, &user, group).await?))
}

/// Makes a member an organiser, or an organiser a plain member. The only organiser stays one. For
/// organisers and administrators.
#[utoipa::path(patch, operation_id = "update_group_member",
    path = "/api/groups/{id}/members/{user}", tag = "groups", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path), ("user" = i64, Path)), request_body = MemberChangeRequest,
    responses((status = 200, body = GroupDetails), (status = 409, body = ErrorBody)))]
async fn change_member(
    app: App,
    user: SignedInUser,
    Path((id, member)): Path<(GroupId, UserId)>,
    Json(asked): Json<MemberChangeRequest>,
) -> Answer<GroupDetails> {
    let group = need_organiser(&app, &user, id).await?;
    need_member(&app, id, member).await?;
    let (by, now) = (Some(user.id), Timestamp::now());
    app.store
        .set_organiser(id, member, asked.organiser, by, now)
        .await?;
    Ok(Json(group_details(&app, &user, group).await?))
}

/// Takes a member out of the group and of its team there, or an invitation back. The account stays.
/// For organisers, administrators, and the member.
#[utoipa::path(delete, operation_id = "remove_group_member",
    path = "/api/groups/{id}/members/{user}", tag = "groups", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path), ("user" = i64, Path)), responses((status = 204),
    (status = 409, description = "it is the only organiser", body = ErrorBody)))]
async fn remove_member(
    app: App,
    user: SignedInUser,
    Path((id, member)): Path<(GroupId, UserId)>,
) -> Result<StatusCode> {
    if member != user.id {
        need_organiser(&app, &user, id).await?;
    }
    let (by, now) = (Some(user.id), Timestamp::now());
    match app.store.remove_group_member(id, member, by, now).await {
        Err(StoreError::Missing { what: "member", .. }) => {
            app.store.remove_invitation(id, member, by, now).await?;
        }
        done => done?,
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Gives a member whose account was created for this group a new one-time password, for who lost the
/// old one, ends its sessions and API tokens, and tells its holder. Refused once the account holds
/// something outside the group, organised it, or was taken over by its holder with an address for
/// mail or an account at a provider. For organisers and administrators, in a session younger than 15
/// minutes; API tokens are refused.
#[utoipa::path(post, operation_id = "issue_group_password",
    path = "/api/groups/{id}/members/{user}/password", tag = "groups", security(("session" = [])),
    params(("id" = i64, Path), ("user" = i64, Path)), responses((status = 200, body = IssuedPassword),
    (status = 409, description = "the account was not created for this group, or is more than that", body = ErrorBody)))]
async fn issue_password(
    app: App,
    user: SignedInUser,
    Path((id, member)): Path<(GroupId, UserId)>,
) -> Result<Response> {
    own_session(&user)?;
    need_organiser(&app, &user, id).await?;
    need_recent_login(&app, &user).await?;
    need_member(&app, id, member).await?;
    let name = app.store.find_user(member).await?.name;
    let password = make_one_time_password();
    let hash = app.passwords.hash(password.clone()).await?;
    app.store
        .issue_password(id, member, &hash, Some(user.id), Timestamp::now())
        .await?;
    Ok(secret_answer(IssuedPassword { name, password }))
}

async fn group_details(app: &App, user: &SignedInUser, group: Group) -> Result<GroupDetails> {
    let role = app.store.group_role(group.id, user.id).await?;
    let manages = user.admin || organises_group(app, user, group.id).await?;
    let members = app.store.members_of_group(group.id).await?;
    let invited = match manages {
        true => app.store.invitations_to(group.id).await?,
        false => Vec::new(),
    };
    Ok(GroupDetails {
        brief: GroupSummary::from_row(group, role),
        manages,
        members: members
            .into_iter()
            .map(|member| GroupMemberSummary::from_row(member, manages))
            .collect(),
        invited: invited.into_iter().map(InvitedAccount::from).collect(),
    })
}

/// The group, if the caller belongs to it or is an administrator.
pub async fn need_seen(app: &App, user: &SignedInUser, id: GroupId) -> Result<Group> {
    let group = app.store.find_group(id).await?;
    if user.admin || app.store.group_role(id, user.id).await?.is_some() {
        return Ok(group);
    }
    let message = format!("you do not belong to group {id}; ask one of its organisers to add you");
    Err(ApiError::forbidden("not-member", message))
}

/// The group, if the caller organises it or is an administrator.
pub async fn need_organiser(app: &App, user: &SignedInUser, id: GroupId) -> Result<Group> {
    let group = app.store.find_group(id).await?;
    if user.admin || organises_group(app, user, id).await? {
        return Ok(group);
    }
    if let Some(user) = user.with_second_factor()
        && (user.admin || organises_group(app, &user, id).await?)
    {
        return Err(second_factor_required());
    }
    let message = format!("only organisers of group {id} may do this; ask one of them");
    Err(ApiError::forbidden("not-organiser", message))
}

async fn need_member(app: &App, group: GroupId, user: UserId) -> Result<()> {
    match app.store.group_role(group, user).await? {
        Some(_) => Ok(()),
        None => Err(ApiError::not_found(format!(
            "account {user} does not belong to group {group}; import it or add it first"
        ))),
    }
}

async fn need_account(app: &App, name: &str, field: &'static str) -> Result<User> {
    let found = app.store.user_by_name(name.trim()).await?;
    found.ok_or_else(|| {
        let shown: String = name.trim().chars().take(40).collect();
        ApiError {
            field: Some(field),
            ..ApiError::not_found(format!("there is no account {shown:?}; check the spelling"))
        }
    })
}

fn checked_name(name: &str) -> Result<String> {
    let refused = |message| Err(ApiError::invalid_field("bad-group-name", "name", message));
    let name = checked_text(name, "name", NAME)?;
    if name.is_empty() || name.contains(['\n', '\t']) {
        let message = format!("give the group a name of one line with 1 to {NAME} characters");
        return refused(message);
    }
    match names::check_shown_name(&name) {
        Ok(name) => Ok(name),
        Err(bad) => refused(format!(
            "the name has {bad:?} in it, which is not seen or looks like another letter; leave it out"
        )),
    }
}

fn checked_size(size: i32) -> Result<i32> {
    if (0..=TEAM).contains(&size) {
        return Ok(size);
    }
    let message =
        format!("a team has at most {size} members; write 1 to {TEAM}, or 0 for no teams");
    Err(ApiError::invalid_field(
        "bad-team-size",
        "team_size",
        message,
    ))
}

/// A response that no cache keeps.
pub fn secret_answer(body: impl Serialize) -> Response {
    (
        [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))],
        Json(body),
    )
        .into_response()
}
