//! The documentation: a static site in a folder of the operator, as `./dev docs` builds it, served
//! at `/docs`.

use std::path::Path;

use axum::Router;
use axum::extract::{OriginalUri, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::http::error::ApiError;

/// The path of the site. Links of its first page are relative, so it must end with a slash.
pub const PATH: &str = "/docs/";

/// The path without the slash, as people type it.
const WITHOUT_SLASH: &str = "/docs";

/// The content security policy. Pages of mdBook and rustdoc contain inline scripts. The folder is
/// the operator's and holds nothing that a user sent; all resources are local.
const POLICY: &str = "default-src 'self'; script-src 'self' 'unsafe-inline'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; \
    connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The routes below [`PATH`]. `ServeDir` refuses paths outside the folder.
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

/// Answers a request for a missing file with the location of the contents.
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
