//! Routes: a game file for whoever wants to play the game at home, and its rules for the page.

use std::path::Path as FilePath;

use axum::body::Bytes;
use leitai_game::PreparedRules;
use leitai_guest::file::parts::Parts;
use leitai_guest::prepare_for_page;
use leitai_store::{GameFileRow, GameFileState};

use super::games::WhichRules;
use crate::bots::routes::versions::attachment_header;
use crate::http::prelude::*;
use crate::http::response_cache::knows_etag;

/// The routes.
pub fn game_download_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(download_game))
        .routes(routes!(get_page_rules))
}

/// The row of a file that everybody may have: the newest version, or the one with these rules.
async fn find_public(app: &App, id: &str, which: &WhichRules) -> Result<GameFileRow> {
    let (rows, now) = (app.store.game_files().await?, Timestamp::now());
    let row = rows.into_iter().rfind(|row| {
        let is_wanted = which.rules.as_ref().is_none_or(|rules| *rules == row.rules);
        row.game == id && is_wanted && row.state == GameFileState::Published && row.is_public(now)
    });
    let none = || {
        let why = "this arena has no file of this game; the games that it offers as files have a link on their pages";
        ApiError::not_found(why)
    };
    row.ok_or_else(none)
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
    let row = find_public(&app, &id, &which).await?;
    let bytes = app.blobs.read_blob(&row.blob()).await?;
    let name = attachment_header(&format!("{id}.leitai-game"));
    let kind = HeaderValue::from_static("application/zip");
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_DISPOSITION, name),
    ];
    Ok((headers, bytes).into_response())
}

/// The rules of a game file as the engine of a page plays them: the length of a text (four bytes, the
/// lowest first), the text, which says in JSON what the file says of the game, and the module. A browser
/// plays the module as the arena does: its memory has the same bound, and every NaN is the canonical one.
#[utoipa::path(get, operation_id = "get_page_rules",
    path = "/api/games/{game}/page-rules", tag = "games", params(("game" = String, Path, example = "othello"), WhichRules),
    responses((status = 200, description = "text and module", content_type = "application/octet-stream", body = Vec<u8>),
    (status = 503, body = ErrorBody)))]
async fn get_page_rules(
    app: App,
    Path(id): Path<String>,
    Query(which): Query<WhichRules>,
    headers: HeaderMap,
) -> Result<Response> {
    let prepared = find_page_rules(&app, &id, &which).await?;
    let etag = format!("\"{}\"", prepared.hash);
    let etag = HeaderValue::from_str(&etag).expect("it is hexadecimal");
    let is_known = knows_etag(&headers, &etag);
    let text = HeaderValue::from_static;
    let own = [
        (header::CACHE_CONTROL, text("private, no-cache")),
        (header::ETAG, etag),
        (header::CONTENT_TYPE, text("application/octet-stream")),
    ];
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, own).into_response());
    }
    Ok((own, Bytes::from_owner(prepared.bytes)).into_response())
}

/// What `get_page_rules` answers: of a game of the operator's folder what was made of it when it was loaded.
async fn find_page_rules(app: &App, id: &str, which: &WhichRules) -> Result<PreparedRules> {
    let of_folder = app.games.find(id).filter(|game| {
        let rules = game.meta().rules;
        which.rules.as_ref().is_none_or(|wanted| wanted == rules)
    });
    if let Some(rules) = of_folder.as_ref().and_then(|game| game.page_rules()) {
        return Ok(rules.clone());
    }
    let row = find_public(app, id, which).await?;
    let key = format!("page-rules {}", row.hash);
    let prepared = app.responses.read_once(key, prepare_rules(app, &row));
    let none = || ApiError::not_found("a page cannot play these rules; the server does");
    prepared.await?.as_ref().clone().ok_or_else(none)
}

/// The answer of `get_page_rules`; `None` if no page can play these rules.
async fn prepare_rules(app: &App, row: &GameFileRow) -> Result<Option<PreparedRules>> {
    let bytes = app.blobs.read_blob(&row.blob()).await?;
    let prepared = tokio::task::spawn_blocking(move || {
        let parts = Parts::from_archive(&bytes, FilePath::new("file")).ok()?;
        prepare_for_page(&parts)
    });
    prepared
        .await
        .map_err(|error| ApiError::internal_error("the rules were not prepared", &error))
}
