//! `/llms.txt` and the documents that it names: rules, guides, protocols and templates as plain text by
//! address, for agents and for people with `curl`.

use axum::Router;
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::http::app::App;
use crate::http::error::ApiError;
use crate::http::link_preview::find_origin;
use crate::mcp::documents::{Document, find_document, write_llms_txt};

/// What agents look for at a site (llmstxt.org).
const LLMS_TXT: &str = "/llms.txt";

/// The routes of the documents, which are texts and no part of the API.
pub fn build_router() -> Router<App> {
    let mut router = Router::new().route(LLMS_TXT, get(serve_llms_txt));
    for path in [
        "/games.md",
        "/protocols.md",
        "/protocols.zh.md",
        "/http-api.md",
        "/http-api.zh.md",
        "/rules/{file}",
        "/guides/{file}",
        "/templates/{game}/{file}",
    ] {
        router = router.route(path, get(serve_document));
    }
    router
}

async fn serve_llms_txt(app: App, headers: HeaderMap) -> Response {
    let origin = find_origin(&app, &headers).unwrap_or_default();
    answer(Document {
        kind: "text/plain; charset=utf-8",
        text: write_llms_txt(&app.games.list(), &origin),
    })
}

async fn serve_document(app: App, uri: Uri) -> Response {
    let path = uri.path();
    match find_document(&app.games.list(), path.trim_start_matches('/')) {
        Some(document) => answer(document),
        None => {
            let path: String = path.chars().take(100).collect();
            let message = format!("there is no document {path}; /llms.txt lists what there is");
            ApiError::not_found(message).into_response()
        }
    }
}

fn answer(document: Document) -> Response {
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static(document.kind),
        ),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("public, max-age=300"),
        ),
    ];
    (headers, document.text).into_response()
}
