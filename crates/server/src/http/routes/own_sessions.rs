//! Routes: the browsers that are logged in to one's own account.

use leitai_store::SessionId;

use crate::http::caller::own_session;
use crate::http::prelude::*;

/// Routes of the caller's sessions.
pub fn session_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_sessions, end_other_sessions))
        .routes(routes!(end_one_session))
}

/// A browser that is logged in.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Session)]
struct SessionSummary {
    id: i64,
    /// When it logged in.
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    /// When it has to log in again.
    #[schema(value_type = String, format = DateTime)]
    until: Timestamp,
    /// Whether it is the one that asks.
    own: bool,
}

/// The browsers that are logged in to the account, newest first.
#[utoipa::path(get, operation_id = "list_sessions",
    path = "/api/me/sessions", tag = "accounts", security(("session" = [])),
    responses((status = 200, body = ListPage<SessionSummary>), (status = 403, body = ErrorBody)))]
async fn list_sessions(app: App, user: SignedInUser) -> Answer<ListPage<SessionSummary>> {
    let own = own_session(&user)?;
    let all = app.store.sessions_of(user.id, Timestamp::now()).await?;
    let all = all.into_iter().map(|session| SessionSummary {
        id: session.id.0,
        created: session.created,
        until: session.until,
        own: session.id == own,
    });
    Ok(Json(ListPage::single_page(all.collect())))
}

/// Logs all other browsers out.
#[utoipa::path(delete, operation_id = "end_other_sessions",
    path = "/api/me/sessions", tag = "accounts", security(("session" = [])), responses((status = 204)))]
async fn end_other_sessions(app: App, user: SignedInUser) -> Result<StatusCode> {
    let own = own_session(&user)?;
    app.store.end_sessions(user.id, Some(own)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Logs a browser out.
#[utoipa::path(delete, operation_id = "end_session",
    path = "/api/me/sessions/{id}", tag = "accounts", security(("session" = [])),
    params(("id" = i64, Path)), responses((status = 204)))]
async fn end_one_session(
    app: App,
    user: SignedInUser,
    Path(id): Path<SessionId>,
) -> Result<StatusCode> {
    own_session(&user)?;
    let all = app.store.sessions_of(user.id, Timestamp::now()).await?;
    if !all.iter().any(|session| session.id == id) {
        return Err(ApiError::not_found(format!("there is no session {id}")));
    }
    app.store.end_session(id).await?;
    Ok(StatusCode::NO_CONTENT)
}
