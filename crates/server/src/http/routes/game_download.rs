//! Route: a game file for whoever wants to play the game at home.

use leitai_store::GameFileState;

use super::games::WhichRules;
use crate::bots::routes::versions::attachment_header;
use crate::http::prelude::*;

/// The route.
pub fn game_download_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(download_game))
}

/// The file of a game that was brought, as everybody may have it: the newest version, or the one with
/// these rules. Games that are hidden or were taken away have none, and neither have Leitai's own.
#[utoipa::path(get, operation_id = "download_game",
    path = "/api/games/{game}/file", tag = "games", params(("game" = String, Path, example = "othello"), WhichRules),
    responses((status = 200, description = "a game file", content_type = "application/zip", body = Vec<u8>),
    (status = 503, body = ErrorBody)))]
async fn download_game(
    app: App,
    Path(id): Path<String>,
    Query(which): Query<WhichRules>,
) -> Result<Response> {
    let (rows, now) = (app.store.game_files().await?, Timestamp::now());
    let row = rows.iter().rfind(|row| {
        let is_wanted = which.rules.as_ref().is_none_or(|rules| *rules == row.rules);
        row.game == id && is_wanted && row.state == GameFileState::Published && row.is_public(now)
    });
    let none = || {
        let why = "this arena has no file of this game; the games that it offers as files have a link on their pages";
        ApiError::not_found(why)
    };
    let bytes = app.blobs.read_blob(&row.ok_or_else(none)?.blob()).await?;
    let name = attachment_header(&format!("{id}.leitai-game"));
    let kind = HeaderValue::from_static("application/zip");
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok((headers, bytes).into_response())
}
