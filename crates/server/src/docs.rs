//! The documents: a static site in a folder of the operator, as `./dev docs` builds it, served at `/docs`.

use std::path::Path;

use axum::Router;
use axum::extract::{OriginalUri, Request};
use axum::http::{HeaderValue, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Redirect, Response};
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::error::ApiError;

/// Where the site is served.
pub const PATH: &str = "/docs";

/// Pages of mdBook and rustdoc have scripts inside. The folder is the operator's, and holds nothing that a stranger
/// sent; what the pages load comes from here alone.
const POLICY: &str = "default-src 'self'; script-src 'self' 'unsafe-inline'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; \
    connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The routes below [`PATH`]. `ServeDir` refuses paths that lead out of the folder.
pub fn router<S: Clone + Send + Sync + 'static>(folder: &Path) -> Router<S> {
    let policy = HeaderValue::from_static(POLICY);
    let no_cache = HeaderValue::from_static("no-cache");
    let files = ServeDir::new(folder).redirect_path_prefix(PATH);
    Router::new()
        .fallback_service(files)
        .layer(from_fn(add_slash_or_explain))
        .layer(SetResponseHeaderLayer::overriding(header::CONTENT_SECURITY_POLICY, policy))
        .layer(SetResponseHeaderLayer::if_not_present(header::CACHE_CONTROL, no_cache))
}

/// Links in the first page are relative, so its address ends with a slash. A missing file is explained.
async fn add_slash_or_explain(OriginalUri(uri): OriginalUri, request: Request, next: Next) -> Response {
    if uri.path() == PATH {
        return Redirect::permanent(&format!("{PATH}/")).into_response();
    }
    let response = next.run(request).await;
    if response.status() != axum::http::StatusCode::NOT_FOUND {
        return response;
    }
    let path: String = uri.path().chars().take(100).collect();
    ApiError::not_found(format!("there is no document {path}; {PATH}/ lists what there is")).into_response()
}
