//! Routes: teams, which own bots together.

use leitai_store::{GroupId, NewTeam, Team, TeamId};

use crate::accounts::names;
use crate::client_address::ClientAddress;
use crate::groups::routes::{TEAM, need_organiser};
use crate::http::prelude::*;

/// Routes of teams.
pub fn team_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_own_teams))
        .routes(routes!(create_team))
        .routes(routes!(join_team))
        .routes(routes!(show_team))
        .routes(routes!(hand_over))
        .routes(routes!(renew_code))
        .routes(routes!(remove_member))
}

/// A team.
#[derive(Debug, Serialize, ToSchema)]
struct TeamDetails {
    id: i64,
    #[schema(example = "red")]
    name: String,
    /// The group to which it belongs; null for a team on its own, and for who is not a member.
    group: Option<TeamGroup>,
    /// The most members.
    size: i32,
    /// Who joined first first.
    members: Vec<TeamMemberSummary>,
    bots: Vec<TeamBot>,
    /// The code with which people join; null for who is not a member.
    code: Option<String>,
    /// Whether the caller is a member.
    yours: bool,
    /// Whether the caller is the captain.
    captain: bool,
}

/// The group of a team.
#[derive(Debug, Serialize, ToSchema)]
struct TeamGroup {
    id: i64,
    name: String,
}

/// A member of a team.
#[derive(Debug, Serialize, ToSchema)]
struct TeamMemberSummary {
    /// The account's id.
    id: i64,
    name: String,
    /// The captain owns the team's bots.
    captain: bool,
    #[schema(value_type = String, format = DateTime)]
    joined: Timestamp,
}

/// A bot of a team.
#[derive(Debug, Serialize, ToSchema)]
struct TeamBot {
    id: i64,
    game: String,
    name: String,
}

/// A team to be created; the caller is its captain.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewTeamRequest {
    #[schema(example = "red", min_length = 2, max_length = 24)]
    name: String,
    /// The group, to which the caller must belong; its teams have the size that the group says.
    group: Option<i64>,
    /// The most members of a team without a group; default 4.
    #[schema(minimum = 1, maximum = 20)]
    size: Option<i32>,
}

/// The code of a team.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct JoinTeamRequest {
    #[schema(example = "9f3a61c2b07d", max_length = 40)]
    code: String,
}

/// The new captain.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct CaptainRequest {
    /// The account's id; it must be a member.
    user: i64,
}

/// The teams of the account, newest first.
#[utoipa::path(get, operation_id = "list_own_teams",
    path = "/api/me/teams", tag = "teams", security(("token" = []), ("session" = [])),
    responses((status = 200, body = ListPage<TeamDetails>)))]
async fn list_own_teams(app: App, user: SignedInUser) -> Answer<ListPage<TeamDetails>> {
    let mut items = Vec::new();
    for team in app.store.teams_of(user.id).await? {
        items.push(team_details(&app, Some(user.id), team).await?);
    }
    Ok(Json(ListPage::single_page(items)))
}

/// Creates a team.
#[utoipa::path(post, operation_id = "create_team",
    path = "/api/teams", tag = "teams", security(("token" = []), ("session" = [])),
    request_body = NewTeamRequest, responses((status = 201, body = TeamDetails),
    (status = 404, description = "no such group", body = ErrorBody),
    (status = 409, description = "the name is taken, or the caller has a team in the group or does not belong to it", body = ErrorBody),
    (status = 429, body = ErrorBody)))]
async fn create_team(
    app: App,
    from: ClientAddress,
    user: SignedInUser,
    Json(asked): Json<NewTeamRequest>,
) -> Result<(StatusCode, Json<TeamDetails>)> {
    let name = names::check_name(&asked.name)?.to_owned();
    names::check_reserved(&name, &app.games)?;
    let size = asked.size.unwrap_or(4);
    if !(1..=TEAM).contains(&size) {
        let message = format!("a team has at most {size} members; write 1 to {TEAM}");
        return Err(ApiError::invalid_field("bad-team-size", "size", message));
    }
    app.limiter.allow_human_match(Some(user.id), from).await?;
    let group = asked.group.map(GroupId);
    let new = NewTeam { name, group, size };
    let team = app
        .store
        .create_team(new, user.id, Timestamp::now())
        .await?;
    let shown = team_details(&app, Some(user.id), team).await?;
    Ok((StatusCode::CREATED, Json(shown)))
}

/// Joins a team by its code.
#[utoipa::path(post, operation_id = "join_team",
    path = "/api/teams/join", tag = "teams", security(("token" = []), ("session" = [])),
    request_body = JoinTeamRequest, responses((status = 200, body = TeamDetails),
    (status = 404, description = "no team has this code", body = ErrorBody),
    (status = 409, description = "the team is full, or the caller has another one in its group or does not belong to it", body = ErrorBody),
    (status = 429, body = ErrorBody)))]
async fn join_team(
    app: App,
    from: ClientAddress,
    user: SignedInUser,
    Json(asked): Json<JoinTeamRequest>,
) -> Answer<TeamDetails> {
    app.limiter.allow_human_match(Some(user.id), from).await?;
    let code: String = asked.code.trim().to_lowercase().chars().take(40).collect();
    let joined = app.store.join_team(&code, user.id, Timestamp::now()).await;
    let team = joined.map_err(|error| match error {
        leitai_store::StoreError::Missing { what: "team", .. } => ApiError {
            field: Some("code"),
            ..ApiError::not_found(format!(
                "no team has the code {code:?}; ask its captain for the present one"
            ))
        },
        error => error.into(),
    })?;
    Ok(Json(team_details(&app, Some(user.id), team).await?))
}

/// A team. Its code is only for its members.
#[utoipa::path(get, operation_id = "get_team",
    path = "/api/teams/{id}", tag = "teams", security((), ("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses((status = 200, body = TeamDetails)))]
async fn show_team(app: App, caller: Caller, Path(id): Path<TeamId>) -> Answer<TeamDetails> {
    let team = app.store.find_team(id).await?;
    Ok(Json(team_details(&app, caller.user_id(), team).await?))
}

/// Hands the captaincy and the bots to another member. For the captain, organisers of the team's
/// group, and administrators.
#[utoipa::path(post, operation_id = "hand_over_team",
    path = "/api/teams/{id}/captain", tag = "teams", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), request_body = CaptainRequest, responses((status = 200, body = TeamDetails),
    (status = 409, description = "the account is not a member", body = ErrorBody)))]
async fn hand_over(
    app: App,
    user: SignedInUser,
    Path(id): Path<TeamId>,
    Json(asked): Json<CaptainRequest>,
) -> Answer<TeamDetails> {
    need_captain(&app, &user, id).await?;
    let (to, now) = (UserId(asked.user), Timestamp::now());
    let team = app.store.hand_over_team(id, to, Some(user.id), now).await?;
    Ok(Json(team_details(&app, Some(user.id), team).await?))
}

/// Makes a new code; the old one no longer works. For the captain, organisers of the team's group,
/// and administrators.
#[utoipa::path(post, operation_id = "renew_team_code",
    path = "/api/teams/{id}/code", tag = "teams", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses((status = 200, body = TeamDetails)))]
async fn renew_code(app: App, user: SignedInUser, Path(id): Path<TeamId>) -> Answer<TeamDetails> {
    need_captain(&app, &user, id).await?;
    let renewed = app
        .store
        .renew_team_code(id, Some(user.id), Timestamp::now());
    let team = renewed.await?;
    Ok(Json(team_details(&app, Some(user.id), team).await?))
}

/// Takes a member out of the team: oneself, or another as its captain, an organiser of its group, or
/// an administrator. A captain with other members hands over first. The last one who leaves keeps
/// the bots, and the team ends.
#[utoipa::path(delete, operation_id = "remove_team_member",
    path = "/api/teams/{id}/members/{user}", tag = "teams", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path), ("user" = i64, Path)), responses((status = 204),
    (status = 409, description = "it is the captain, and there are other members", body = ErrorBody)))]
async fn remove_member(
    app: App,
    user: SignedInUser,
    Path((id, member)): Path<(TeamId, UserId)>,
) -> Result<StatusCode> {
    if member != user.id {
        need_captain(&app, &user, id).await?;
    }
    app.store
        .leave_team(id, member, Some(user.id), Timestamp::now())
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The team, if the caller is its captain, organises its group, or is an administrator.
async fn need_captain(app: &App, user: &SignedInUser, id: TeamId) -> Result<Team> {
    let team = app.store.find_team(id).await?;
    if team.captain == user.id || user.admin {
        return Ok(team);
    }
    let organises = match team.group() {
        Some(group) => need_organiser(app, user, group).await.is_ok(),
        None => false,
    };
    if organises {
        return Ok(team);
    }
    let message = format!("only the captain of team {id} may do this; ask the captain");
    Err(ApiError::forbidden("not-captain", message))
}

async fn team_details(app: &App, user: Option<UserId>, team: Team) -> Result<TeamDetails> {
    let members = app.store.members_of_team(team.id).await?;
    let bots = app.store.bots_of_team(team.id).await?;
    let yours = members.iter().any(|member| Some(member.user) == user);
    let group = match team.group().filter(|_| yours) {
        Some(group) => {
            let group = app.store.find_group(group).await?;
            Some(TeamGroup {
                id: group.id.0,
                name: group.name,
            })
        }
        None => None,
    };
    Ok(TeamDetails {
        id: team.id.0,
        group,
        size: team.size,
        members: members
            .into_iter()
            .map(|member| TeamMemberSummary {
                id: member.user.0,
                captain: member.user == team.captain,
                name: member.name,
                joined: member.joined,
            })
            .collect(),
        bots: bots
            .into_iter()
            .map(|bot| TeamBot {
                id: bot.id.0,
                game: bot.game,
                name: bot.name,
            })
            .collect(),
        code: yours.then_some(team.code),
        yours,
        captain: user == Some(team.captain),
        name: team.name,
    })
}
