//! Serves the page: files that are embedded in the binary, compressed at build time.

use std::collections::HashMap;
use std::io::Read;
use std::sync::LazyLock;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;
use leitai_store::{BotId, MatchId, StoreError};
use sha2::{Digest, Sha256};

use crate::http::app::App;
use crate::http::error::{ApiError, Result};
use crate::http::link_preview::{LinkPreview, describe_page, find_origin};
use crate::http::response_cache::knows_etag;

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// A file of the page.
struct EmbeddedFile {
    /// Its path, without a slash at its beginning.
    name: &'static str,
    /// Whether the bytes are compressed.
    is_gzip: bool,
    bytes: &'static [u8],
    /// The same file compressed with Brotli, a sixth shorter; programs over a quarter.
    brotli: Option<&'static [u8]>,
}

/// A file of the page with its content type and ETag.
struct PageAsset {
    file: &'static EmbeddedFile,
    kind: &'static str,
    etag: HeaderValue,
}

static ASSETS: LazyLock<HashMap<&'static str, PageAsset>> = LazyLock::new(|| {
    let asset = |file: &'static EmbeddedFile| {
        let digest = hex::encode(&Sha256::digest(file.bytes)[..12]);
        let etag = HeaderValue::from_str(&format!("\"{digest}\"")).expect("it is hexadecimal");
        (
            file.name,
            PageAsset {
                file,
                kind: kind_of(file.name),
                etag,
            },
        )
    };
    FILES.iter().map(asset).collect()
});

/// `index.html` as text.
static INDEX: LazyLock<String> = LazyLock::new(|| {
    let index = ASSETS.get("index.html").expect("every build has a page");
    let bytes = read_asset(index.file);
    String::from_utf8(bytes.to_vec()).expect("the page is text")
});

/// How to build a program with the whole page.
pub const WHOLE_PAGE: &str =
    "LEITAI_ENGINE=\"$(./dev engine)\" cargo install --locked --path crates/leitai";

/// Whether the engine is a part of this build's page: without it the page does not analyse, play on
/// from a position or verify.
pub fn has_engine() -> bool {
    FILES.iter().any(|file| file.name.ends_with(".wasm"))
}

/// The content of the first file of the page whose name fits.
pub(crate) fn find_file(fits: impl Fn(&str) -> bool) -> Option<Vec<u8>> {
    let file = FILES.iter().find(|file| fits(file.name))?;
    Some(read_asset(file).to_vec())
}

/// Serves the page for every path without a route: its files, and `index.html` for the addresses
/// within it. An unknown address gets status 404, and the page shows an explanation.
pub async fn serve_page(app: App, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let is_api = path == "api" || path.starts_with("api/");
    if is_api || !matches!(method, Method::GET | Method::HEAD) {
        let path: String = uri.path().chars().take(100).collect();
        let message = format!("there is no {method} {path}; /api/openapi.json lists what there is");
        return ApiError::not_found(message).into_response();
    }
    match ASSETS.get(path) {
        Some(asset) => asset_response(asset, &headers),
        None if is_file(path) => {
            ApiError::not_found(format!("there is no file {path}")).into_response()
        }
        None => find_page(&app, path, &headers)
            .await
            .unwrap_or_else(IntoResponse::into_response),
    }
}

async fn find_page(app: &App, path: &str, headers: &HeaderMap) -> Result<Response> {
    let index = ASSETS.get("index.html").expect("every build has a page");
    match describe_address(app, path, headers).await {
        Ok(Some(Some(preview))) => return Ok(previewed_page(app, &preview, path, headers)),
        // Without the database nobody knows whether the address exists: the page says so itself.
        Ok(Some(None)) | Err(StoreError::Away(_)) => return Ok(asset_response(index, headers)),
        Ok(None) => {}
        Err(error) => return Err(error.into()),
    }
    // The client's ETag is removed, because 304 would mean that the address exists.
    let mut response = asset_response(index, &without_etag(headers));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response.headers_mut().remove(header::ETAG);
    Ok(response)
}

/// The preview of an address of the page, if it has one; `None` if there is no such address: neither
/// in the page's own list ([`ROUTES`]), nor among what exists.
async fn describe_address(
    app: &App,
    path: &str,
    headers: &HeaderMap,
) -> Result<Option<Option<LinkPreview>>, StoreError> {
    let mut patterns = ROUTES.iter();
    let matched = patterns.find_map(|pattern| Some((*pattern, match_route(pattern, path)?)));
    let Some((pattern, values)) = matched else {
        return Ok(None);
    };
    // What has a preview exists, and is read once.
    let preview = describe_page(app, path, headers).await?;
    let exists = preview.is_some() || names_something(app, pattern, &values).await?;
    Ok(exists.then_some(preview))
}

/// The page with a title, a description and a picture of its own for previews of its link.
fn previewed_page(app: &App, preview: &LinkPreview, path: &str, headers: &HeaderMap) -> Response {
    let origin = find_origin(app, headers);
    let page = preview.write_into(&INDEX, origin.as_deref(), path.trim_end_matches('/'));
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "accept-encoding, accept-language"),
    ];
    (headers, page).into_response()
}

fn without_etag(headers: &HeaderMap) -> HeaderMap {
    let mut headers = headers.clone();
    headers.remove(header::IF_NONE_MATCH);
    headers
}

/// Whether what an address of this pattern names exists.
async fn names_something(app: &App, pattern: &str, values: &[String]) -> Result<bool, StoreError> {
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    let kind = pattern.trim_start_matches("/embed").split('/').nth(1);
    match (kind.unwrap_or_default(), values.as_slice()) {
        ("games" | "play", [game]) => Ok(app.find_game(game).is_some()),
        ("matches", [id]) => match id.parse() {
            Ok(id) => is_found(app.store.match_by_id(MatchId(id)).await),
            Err(_) => Ok(false),
        },
        ("bots", [id]) => match id.parse() {
            Ok(id) => is_found(app.store.find_bot(BotId(id)).await),
            Err(_) => Ok(false),
        },
        ("bots", [id, number]) => match (id.parse(), number.parse()) {
            (Ok(id), Ok(number)) => Ok(app
                .store
                .version_by_number(BotId(id), number)
                .await?
                .is_some()),
            _ => Ok(false),
        },
        ("users", [name]) => Ok(app.store.user_by_name(name).await?.is_some()),
        // Of a private one the status says nothing to those who may not see it.
        ("contests", [name, ..]) => match app.store.contest_by_name(name).await {
            Ok(contest) => Ok(!contest.private),
            Err(error) => is_found::<()>(Err(error)),
        },
        // These are shown to their own people alone: only the API says whether one exists.
        ("groups" | "experiments", [id, ..]) => Ok(id.parse::<i64>().is_ok()),
        // Invite codes are secrets of 80 bits: the page says itself that there is none.
        _ => Ok(true),
    }
}

/// The values of the parts of a path that begin with a colon in the pattern, as `matchPattern` of
/// `web/src/lib/path.ts` finds them; `None` if the path does not match.
fn match_route(pattern: &str, path: &str) -> Option<Vec<String>> {
    let [wanted, given] = [pattern, path]
        .map(|text| -> Vec<&str> { text.split('/').filter(|part| !part.is_empty()).collect() });
    if wanted.len() != given.len() {
        return None;
    }
    let mut values = Vec::new();
    for (want, got) in wanted.iter().zip(given) {
        if want.starts_with(':') {
            values.push(decode_part(got));
        } else if *want != got {
            return None;
        }
    }
    Some(values)
}

/// Decodes `%E6%93%82`; what is no such text stays as it is.
fn decode_part(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let byte = after
            .get(..2)
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let Some(byte) = byte else {
            return part.to_owned();
        };
        bytes.push(byte);
        rest = &after[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).unwrap_or_else(|_| part.to_owned())
}

fn is_found<T>(found: Result<T, StoreError>) -> Result<bool, StoreError> {
    match found {
        Ok(_) => Ok(true),
        Err(StoreError::Missing { .. } | StoreError::Deleted { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether the path is that of a file. Names in other paths may contain dots, so only assets are
/// files.
fn is_file(path: &str) -> bool {
    path.starts_with("assets/")
}

fn asset_response(asset: &PageAsset, headers: &HeaderMap) -> Response {
    // Names in `assets/` contain a digest of the content, so the files never change.
    let forever = asset.file.name.starts_with("assets/");
    let keep = if forever {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let mut response = if knows_etag(headers, &asset.etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        asset_body(asset, headers)
    };
    let own = response.headers_mut();
    own.insert(header::ETAG, asset.etag.clone());
    own.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    own.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response
}

fn asset_body(asset: &PageAsset, headers: &HeaderMap) -> Response {
    let accepts = headers
        .get(header::ACCEPT_ENCODING)
        .and_then(|value| value.to_str().ok());
    let takes = |encoding: &str| {
        accepts.is_some_and(|accepted| accepted.split(',').any(|one| accepts_coding(one, encoding)))
    };
    let kind = [(header::CONTENT_TYPE, asset.kind)];
    let brotli = asset.file.brotli.filter(|_| takes("br"));
    let gzip = Some(asset.file.bytes).filter(|_| asset.file.is_gzip && takes("gzip"));
    let packed = brotli.map(|bytes| ("br", bytes));
    match packed.or(gzip.map(|bytes| ("gzip", bytes))) {
        Some((coding, bytes)) => {
            let coding = [(header::CONTENT_ENCODING, coding)];
            (kind, coding, Body::from(Bytes::from_static(bytes))).into_response()
        }
        None => (kind, read_asset(asset.file)).into_response(),
    }
}

/// Whether an entry of Accept-Encoding, such as `br` or `gzip;q=0.5`, takes this coding (RFC 9110,
/// 12.5.3).
fn accepts_coding(entry: &str, coding: &str) -> bool {
    let (name, weight) = entry.split_once(';').unwrap_or((entry, ""));
    let weight = weight.trim().strip_prefix("q=").map(str::parse::<f32>);
    name.trim().eq_ignore_ascii_case(coding) && weight != Some(Ok(0.0))
}

/// The bytes of a file, not compressed.
fn read_asset(file: &EmbeddedFile) -> Bytes {
    if !file.is_gzip {
        return Bytes::from_static(file.bytes);
    }
    let mut bytes = Vec::new();
    let read = GzDecoder::new(file.bytes).read_to_end(&mut bytes);
    read.expect("the build compressed it");
    bytes.into()
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "txt" => "text/plain; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
