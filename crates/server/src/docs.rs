//! The documents: a static site in a folder of the operator, as `./dev docs` builds it, served at
//! `/docs`.

use std::path::Path;

use axum::Router;
use axum::extract::{OriginalUri, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::error::ApiError;

/// Where the site is served. Links of its first page are relative, so that its address ends with a
/// slash.
pub const PATH: &str = "/docs/";

/// The same as people type it.
const WITHOUT_SLASH: &str = "/docs";

/// Pages of mdBook and rustdoc have scripts inside. The folder is the operator's, and holds nothing
/// that a stranger sent; what the pages load comes from here alone.
const POLICY: &str = "default-src 'self'; script-src 'self' 'unsafe-inline'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; \
    connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The routes below [`PATH`]. `ServeDir` refuses paths that lead out of the folder.
pub fn build_router<S: Clone + Send + Sync + 'static>(folder: &Path) -> Router<S> {
    let policy = HeaderValue::from_static(POLICY);
    let no_cache = HeaderValue::from_static("no-cache");
    let files = Router::new()
        .fallback_service(ServeDir::new(folder).redirect_path_prefix(WITHOUT_SLASH))
        .layer(from_fn(explain_missing))
        .layer(SetResponseHeaderLayer::overriding(
            header::CONTENT_SECURITY_POLICY,
            policy,
        ))
        .layer(SetResponseHeaderLayer::if_not_present(
            header::CACHE_CONTROL,
            no_cache,
        ));
    Router::new()
        .nest(PATH, files)
        .route(WITHOUT_SLASH, get(|| async { Redirect::permanent(PATH) }))
}

/// Says of a file that is not there what there is.
async fn explain_missing(OriginalUri(uri): OriginalUri, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    if response.status() != StatusCode::NOT_FOUND {
        return response;
    }
    let path: String = uri.path().chars().take(100).collect();
    ApiError::not_found(format!(
        "there is no document {path}; {PATH} lists what there is"
    ))
    .into_response()
}
