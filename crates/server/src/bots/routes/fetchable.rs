//! Routes: bots of a ladder that others may fetch, to train against them at home.

use leitai_store::{BlobKey, FetchableBot, VersionId};
use sha2::{Digest, Sha256};

use super::versions::attachment_header;
use crate::http::list::WhichLadder;
use crate::http::prelude::*;
use crate::http::summaries::{BotSummary, RatingSummary};

/// The routes of what others may fetch.
pub fn fetchable_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_fetchable))
        .routes(routes!(fetch_program))
}

/// A bot that others may fetch.
#[derive(Debug, Serialize, ToSchema)]
struct FetchableSummary {
    bot: BotSummary,
    /// Its rating on the ladder.
    rating: RatingSummary,
    /// The id of its active version, which is what may be fetched.
    version: i64,
    /// The number of that version within the bot, from 1.
    number: i32,
    /// The name of the uploaded file.
    file_name: String,
    /// The size of the upload.
    bytes: i64,
    /// How it was built, for example `make`.
    how: Option<String>,
    /// The protocol that it speaks.
    protocol: Option<String>,
}

impl From<FetchableBot> for FetchableSummary {
    fn from(own: FetchableBot) -> FetchableSummary {
        let FetchableBot { row, version } = own;
        FetchableSummary {
            bot: row.bot.into(),
            rating: row.rating.into(),
            version: version.id.0,
            number: version.number,
            file_name: version.file_name,
            bytes: version.bytes,
            how: version.how,
            protocol: version.protocol,
        }
    }
}

/// The bots of a ladder whose authors let others fetch the active version to train against it, best
/// first.
#[utoipa::path(get, operation_id = "list_fetchable_bots",
    path = "/api/games/{game}/fetchable", tag = "games",
    params(("game" = String, Path, example = "snakego"), WhichLadder, PageParameters),
    responses((status = 200, body = ListPage<FetchableSummary>)))]
async fn list_fetchable(
    app: App,
    Path(game): Path<String>,
    Query(of): Query<WhichLadder>,
    Query(which): Query<PageParameters>,
) -> Answer<ListPage<FetchableSummary>> {
    let ladder = app.need_ladder(&game, of.ladder.as_deref())?.id;
    let page = app
        .store
        .list_fetchable(&ladder, &which.page_query()?)
        .await?;
    Ok(Json(ListPage::from_page(page, FetchableSummary::from)))
}

/// What the author of a bot uploaded as its active version, if the author lets others fetch it and the
/// bot plays on its ladder. `Repr-Digest` has the SHA-256 of it. Earlier versions and candidates, and bots
/// in a contest that is private or has begun, cannot be fetched.
#[utoipa::path(get, operation_id = "fetch_program",
    path = "/api/versions/{id}/program", tag = "versions", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path)), responses(
    (status = 200, description = "the file as it was uploaded", body = Vec<u8>, content_type = "application/octet-stream"),
    (status = 401, body = ErrorBody), (status = 403, body = ErrorBody), (status = 429, body = ErrorBody)))]
async fn fetch_program(
    app: App,
    user: SignedInUser,
    Path(id): Path<VersionId>,
) -> Result<Response> {
    app.limiter.allow_fetch(user.id).await?;
    let refused = || {
        ApiError::forbidden(
            "not-fetchable",
            format!(
                "version {id} cannot be fetched: its author does not let others fetch it, or it is not what plays on the ladder now; /api/games/GAME/fetchable lists those that can be"
            ),
        )
    };
    let (bot, version) = app.store.find_fetchable(id).await?.ok_or_else(refused)?;
    app.need_ladder(&bot.game, None)?;
    let key = version.source.ok_or_else(refused)?;
    let bytes = app.blobs.read_blob(&BlobKey::parse(&key)?).await?;
    // Whoever took the agreement back meanwhile is obeyed.
    if app.store.find_fetchable(id).await?.is_none() {
        return Err(refused());
    }
    tracing::info!(user = user.id.0, version = id.0, "a program was fetched");
    let digest = base64::Engine::encode(
        &base64::engine::general_purpose::STANDARD,
        Sha256::digest(&bytes),
    );
    let digest = HeaderValue::from_str(&format!("sha-256=:{digest}:"));
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/octet-stream"),
        ),
        (
            header::CONTENT_DISPOSITION,
            attachment_header(&version.file_name),
        ),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("private, no-store"),
        ),
        (
            header::HeaderName::from_static("repr-digest"),
            digest.expect("base64 is plain ASCII"),
        ),
    ];
    Ok((headers, bytes).into_response())
}
