//! Routes: invitations of the caller to groups. An API token accepts none: the holder does.

use leitai_store::{GroupId, Invitation};

use crate::http::caller::own_session;
use crate::http::prelude::*;

/// Routes of invitations.
pub fn invitation_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_invitations))
        .routes(routes!(accept_invitation, decline_invitation))
}

/// A group that asks the caller to join.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Invitation)]
struct InvitationSummary {
    /// The group's id.
    group: i64,
    #[schema(example = "AI 2026")]
    name: String,
    /// The team of the group into which the caller comes, if it has room then.
    team: Option<String>,
    /// The account that asks; null for the command line.
    by: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
}

impl From<Invitation> for InvitationSummary {
    fn from(own: Invitation) -> InvitationSummary {
        InvitationSummary {
            group: own.group.0,
            name: own.group_name,
            team: own.team,
            by: own.inviter,
            created: own.created,
        }
    }
}

/// What came of an invitation.
#[derive(Debug, Serialize, ToSchema)]
struct Joined {
    /// Whether the caller came into the team of the invitation, too; false if there was none, if it
    /// was full, or if the caller is in another.
    in_team: bool,
}

/// The groups that ask the caller to join, newest first.
#[utoipa::path(get, operation_id = "list_invitations",
    path = "/api/me/invitations", tag = "groups", security(("session" = [])),
    responses((status = 200, body = ListPage<InvitationSummary>), (status = 403, body = ErrorBody)))]
async fn list_invitations(app: App, user: SignedInUser) -> Answer<ListPage<InvitationSummary>> {
    own_session(&user)?;
    let own = app.store.invitations_of(user.id).await?.into_iter();
    let own = own.map(InvitationSummary::from).collect();
    Ok(Json(ListPage::single_page(own)))
}

/// Joins the group that asks the caller to.
#[utoipa::path(post, operation_id = "accept_invitation",
    path = "/api/me/invitations/{group}", tag = "groups", security(("session" = [])),
    params(("group" = i64, Path)), responses((status = 200, body = Joined),
    (status = 404, description = "the group does not ask", body = ErrorBody)))]
async fn accept_invitation(
    app: App,
    user: SignedInUser,
    Path(group): Path<GroupId>,
) -> Answer<Joined> {
    own_session(&user)?;
    let now = Timestamp::now();
    let in_team = app.store.accept_invitation(group, user.id, now).await?;
    Ok(Json(Joined { in_team }))
}

/// Declines to join a group.
#[utoipa::path(delete, operation_id = "decline_invitation",
    path = "/api/me/invitations/{group}", tag = "groups", security(("session" = [])),
    params(("group" = i64, Path)), responses((status = 204),
    (status = 404, description = "the group does not ask", body = ErrorBody)))]
async fn decline_invitation(
    app: App,
    user: SignedInUser,
    Path(group): Path<GroupId>,
) -> Result<StatusCode> {
    own_session(&user)?;
    let (by, now) = (Some(user.id), Timestamp::now());
    app.store.remove_invitation(group, user.id, by, now).await?;
    Ok(StatusCode::NO_CONTENT)
}
