//! Routes: the ladders of a group.

use crate::http::handler::routes;
use axum::extract::State;
use leitai_store::GroupId;
use utoipa_axum::router::OpenApiRouter;

use crate::groups::routes::need_seen;
use crate::http::app::App;
use crate::http::caller::SignedInUser;
use crate::http::error::{ApiError, ErrorBody};
use crate::http::extract::{Path, Query};
use crate::http::list::{ListPage, WhichLadder, WhichRanks};
use crate::http::routes::games::LadderRowSummary;

/// Routes of the ladders of groups.
pub fn group_ladder_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_group_ladder))
}

/// The bots of a group's members and teams on a ladder of a game, best first. Ranks and ratings
/// are those of the whole ladder. For its members and administrators.
#[utoipa::path(get, operation_id = "get_group_ladder",
    path = "/api/groups/{id}/ladder/{game}", tag = "groups", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path), ("game" = String, Path, example = "snakego"), WhichLadder, WhichRanks),
    responses((status = 200, body = ListPage<LadderRowSummary>), (status = 403, body = ErrorBody)))]
async fn list_group_ladder(
    State(app): State<App>,
    user: SignedInUser,
    Path((id, game)): Path<(GroupId, String)>,
    Query(of): Query<WhichLadder>,
    Query(which): Query<WhichRanks>,
) -> Result<axum::Json<ListPage<LadderRowSummary>>, ApiError> {
    need_seen(&app, &user, id).await?;
    let ladder = app.need_ladder(&game, of.ladder.as_deref())?.id;
    let ask = which.to_page_query()?;
    let page = app.store.list_group_ladder(id, &ladder, &ask).await?;
    let page = ListPage::from_page(page, LadderRowSummary::from);
    Ok(axum::Json(page))
}
