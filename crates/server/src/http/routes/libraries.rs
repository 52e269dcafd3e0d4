//! Routes: what bots are built with: compilers, interpreters, libraries.

use std::sync::OnceLock;

use axum::body::Body;
use leitai_judge::build::LibraryList;
use leitai_judge::build::libraries::hash_of;
use leitai_judge::build::runtime::tool_versions;
use leitai_store::BlobStoreError;

use crate::http::prelude::*;
use crate::libraries::{blob_by_hash, current_libraries};

/// The routes.
pub fn library_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_libraries))
        .routes(routes!(download_library))
}

/// What bots are built with.
#[derive(Debug, Serialize, ToSchema)]
struct BuildSupplies {
    /// Compilers and interpreters of the server's machine; those of workers may differ.
    tools: Vec<ToolVersion>,
    /// Libraries that every bot finds, by language and name.
    libraries: Vec<ListedLibrary>,
    /// SHA-256 of the list.
    hash: String,
}

/// A compiler or an interpreter.
#[derive(Debug, Serialize, ToSchema)]
struct ToolVersion {
    /// Its command.
    #[schema(example = "python3")]
    name: String,
    /// What it says of its version.
    #[schema(example = "Python 3.11.2")]
    version: String,
}

/// A library.
#[derive(Debug, Serialize, ToSchema)]
struct ListedLibrary {
    /// `python`, `java`, `javascript` or `rust`.
    #[schema(example = "python")]
    kind: &'static str,
    /// Its name.
    #[schema(example = "numpy")]
    name: String,
    /// Its version.
    #[schema(example = "2.2.0")]
    version: String,
    /// SHA-256 of the package.
    sha256: String,
    /// Bytes of the package.
    size: u64,
    /// SHA-256 that the package has in its registry, where that differs.
    origin: Option<String>,
}

/// The compilers, interpreters and libraries that bots are built and run with.
#[utoipa::path(get, operation_id = "list_libraries", path = "/api/libraries", tag = "bots",
    responses((status = 200, body = BuildSupplies), (status = 503, body = ErrorBody)))]
async fn list_libraries(app: App) -> Answer<BuildSupplies> {
    static TOOLS: OnceLock<Vec<(&str, String)>> = OnceLock::new();
    let asked = tokio::task::spawn_blocking(|| TOOLS.get_or_init(tool_versions));
    let tools = asked.await.map(Vec::as_slice).unwrap_or_default();
    let list = current_libraries(&app.blobs).await?;
    Ok(Json(BuildSupplies {
        tools: tools
            .iter()
            .map(|(name, version)| ToolVersion {
                name: (*name).to_owned(),
                version: version.clone(),
            })
            .collect(),
        hash: hash_of(&list.to_bytes()),
        libraries: listed(list),
    }))
}

fn listed(list: LibraryList) -> Vec<ListedLibrary> {
    let each = list.libraries.into_iter().map(|one| ListedLibrary {
        kind: one.kind.name(),
        name: one.name,
        version: one.version,
        sha256: one.sha256,
        size: one.size,
        origin: one.origin,
    });
    each.collect()
}

/// The package of a library of today's list, for matches at home with the same ones.
#[utoipa::path(get, operation_id = "download_library", path = "/api/libraries/{hash}/file", tag = "bots",
    params(("hash" = String, Path, description = "SHA-256 of the package")),
    responses((status = 200, description = "a zip archive", content_type = "application/zip", body = Vec<u8>),
    (status = 503, body = ErrorBody)))]
async fn download_library(_: SignedInUser, app: App, Path(hash): Path<String>) -> Result<Response> {
    let list = current_libraries(&app.blobs).await?;
    if !list.libraries.iter().any(|one| one.sha256 == hash) {
        return Err(no_such_library());
    }
    let kind = [(header::CONTENT_TYPE, "application/zip")];
    Ok((kind, send_library(&app, &hash).await?).into_response())
}

/// Where nothing has a hash.
pub fn no_such_library() -> ApiError {
    ApiError::not_found("there is no library with this hash; /api/libraries lists them")
}

/// A package or a list by its hash, sent as it is read.
pub async fn send_library(app: &App, hash: &str) -> Result<Response> {
    let found = match blob_by_hash(hash) {
        Ok(blob) => app.blobs.stream_blob(&blob).await,
        Err(error) => Err(error),
    };
    let (size, parts) = match found {
        Err(BlobStoreError::Missing(_) | BlobStoreError::Key(_)) => return Err(no_such_library()),
        found => found?,
    };
    let size = [(header::CONTENT_LENGTH, size)];
    Ok((size, Body::from_stream(parts)).into_response())
}
