//! Routes: the ladders of a group.

use leitai_store::GroupId;

use crate::groups::routes::need_seen;
use crate::http::list::{WhichAuthors, WhichLadder, WhichRanks};
use crate::http::prelude::*;
use crate::http::routes::games::LadderRowSummary;
use crate::http::routes::payoffs::{Field, PayoffLines, PayoffSummary, WhichGroups, WhichLines};

/// Routes of the ladders of groups.
pub fn group_ladder_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_group_ladder))
        .routes(routes!(show_group_payoffs))
        .routes(routes!(list_group_payoffs))
}

/// The bots of a group's members and teams on a ladder of a game, best first. Ranks and ratings
/// are those of the whole ladder. For its members and administrators.
#[utoipa::path(get, operation_id = "get_group_ladder",
    path = "/api/groups/{id}/ladder/{game}", tag = "groups", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path), ("game" = String, Path, example = "snakego"), WhichLadder, WhichAuthors, WhichRanks),
    responses((status = 200, body = ListPage<LadderRowSummary>), (status = 403, body = ErrorBody)))]
async fn list_group_ladder(
    app: App,
    user: SignedInUser,
    Path((id, game)): Path<(GroupId, String)>,
    Query(of): Query<WhichLadder>,
    Query(authors): Query<WhichAuthors>,
    Query(which): Query<WhichRanks>,
) -> Answer<ListPage<LadderRowSummary>> {
    need_seen(&app, &user, id).await?;
    let ladder = app.need_ladder(&game, of.ladder.as_deref())?.id;
    let ask = which.to_page_query()?;
    let page = app
        .store
        .list_group_ladder(id, &ladder, authors.part(), &ask)
        .await?;
    let page = ListPage::from_page(page, LadderRowSummary::from);
    Ok(Json(page))
}

/// Who beats whom among the bots of a group on a ladder, as `GET /api/games/{game}/payoffs`. For its
/// members and administrators.
#[utoipa::path(get, operation_id = "get_group_payoffs",
    path = "/api/groups/{id}/ladder/{game}/payoffs", tag = "groups", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path), ("game" = String, Path, example = "snakego"), WhichLadder, WhichAuthors, WhichGroups),
    responses((status = 200, body = PayoffSummary), (status = 403, body = ErrorBody)))]
async fn show_group_payoffs(
    app: App,
    user: SignedInUser,
    Path((id, game)): Path<(GroupId, String)>,
    Query(of): Query<WhichLadder>,
    Query(authors): Query<WhichAuthors>,
    Query(by): Query<WhichGroups>,
) -> Answer<PayoffSummary> {
    need_seen(&app, &user, id).await?;
    let field = Field::of_ladder(&app, &game, &of, (Some(id), authors)).await?;
    Ok(Json(field.summary(by).await?))
}

/// Bots of a group of places, or opponents of a bot, among the bots of a group. For its members and
/// administrators.
#[utoipa::path(get, operation_id = "list_group_payoffs",
    path = "/api/groups/{id}/ladder/{game}/payoffs/lines", tag = "groups",
    security(("token" = []), ("session" = [])),
    params(("id" = i64, Path), ("game" = String, Path, example = "snakego"), WhichLadder, WhichAuthors, WhichGroups, WhichLines),
    responses((status = 200, body = PayoffLines), (status = 403, body = ErrorBody)))]
async fn list_group_payoffs(
    app: App,
    user: SignedInUser,
    Path((id, game)): Path<(GroupId, String)>,
    Query(of): Query<WhichLadder>,
    Query(authors): Query<WhichAuthors>,
    Query(by): Query<WhichGroups>,
    Query(which): Query<WhichLines>,
) -> Answer<PayoffLines> {
    need_seen(&app, &user, id).await?;
    let field = Field::of_ladder(&app, &game, &of, (Some(id), authors)).await?;
    Ok(Json(field.lines(which, by)?))
}
