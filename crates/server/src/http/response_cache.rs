//! A cache of public responses as the bytes that are sent: a ladder that a thousand people look at
//! is queried, serialised and compressed once. While the database is away, what was sent before is
//! sent again, and says that it is old.

use std::any::Any;
use std::future::Future;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use moka::sync::Cache;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;

use crate::http::error::{ApiError, Result};

/// The most cached responses; those that are asked for least go first.
const MOST: u64 = 2_000;
/// The same of what responses are made from: at most 3 MB each.
const MOST_SOURCES: u64 = 8;
/// How old a response may be that is sent while the database is away.
const OLDEST: Duration = Duration::from_secs(3600);
/// Shorter responses are not compressed.
const WORTH_COMPRESSING: usize = 600;

/// A cache of responses. It must only hold public data.
#[derive(Clone, Debug)]
pub struct ResponseCache {
    answers: Kept<Arc<CachedResponse>>,
    /// What several responses are made from.
    sources: Kept<Arc<dyn Any + Send + Sync>>,
    /// The last answer of each address, for when the database is away.
    by_address: Cache<String, Arc<CachedResponse>>,
}

/// Values that are kept for a moment, or are being computed by whoever asked first.
type Kept<T> = Cache<String, Arc<OnceCell<T>>>;

/// A response as it is sent.
#[derive(Debug)]
struct CachedResponse {
    made: Instant,
    plain: Bytes,
    gzip: Option<Bytes>,
    etag: HeaderValue,
}

impl ResponseCache {
    /// A cache that keeps responses for this time; zero disables it.
    pub fn new(keep: Duration) -> ResponseCache {
        ResponseCache {
            answers: keep_for(keep, MOST),
            sources: keep_for(keep, MOST_SOURCES),
            by_address: keep_for(OLDEST, MOST),
        }
    }

    /// The response under this key; it is computed if it is absent or too old, and once however many
    /// ask meanwhile.
    pub async fn get<T: Serialize>(
        &self,
        key: String,
        headers: &HeaderMap,
        make: impl Future<Output = Result<T>>,
    ) -> Result<Response> {
        // On the heap: the futures of pages are large, and each that holds another by value copies it.
        let compute = async {
            let made = make.await;
            made.and_then(|made| CachedResponse::from_value(&made).map(Arc::new))
        };
        let place = self.answers.get_with(key, Arc::default);
        let answer = place.get_or_try_init(|| Box::pin(compute)).await?;
        Ok(answer.to_marked_response(headers))
    }

    /// What several responses are made from, under a key of its own: read once for all of them.
    pub async fn read_once<T: Any + Send + Sync>(
        &self,
        key: String,
        read: impl Future<Output = Result<T>>,
    ) -> Result<Arc<T>> {
        let read = async {
            read.await
                .map(|read| Arc::new(read) as Arc<dyn Any + Send + Sync>)
        };
        let place = self.sources.get_with(key, Arc::default);
        let source = place.get_or_try_init(|| Box::pin(read)).await?;
        Ok(source.clone().downcast().expect("a key is of one type"))
    }

    /// Notes the answer to a request for this address, if it is one of this cache.
    pub fn note_answer(&self, address: String, response: &Response) {
        if let Some(Marked(answer)) = response.extensions().get() {
            self.by_address.insert(address, answer.clone());
        }
    }

    /// The last answer of this address, which says how old it is.
    pub fn stale_response(&self, address: &str, headers: &HeaderMap) -> Option<Response> {
        let answer = self.by_address.get(address)?;
        let age = answer.made.elapsed();
        let mut response = answer.to_response(headers);
        let own = response.headers_mut();
        own.insert(header::AGE, age.as_secs().into());
        own.insert(header::WARNING, HeaderValue::from_static(STALE));
        Some(response)
    }
}

/// A cache of at most so many values, each kept for this time; zero keeps nothing.
fn keep_for<T: Clone + Send + Sync + 'static>(keep: Duration, most: u64) -> Cache<String, T> {
    let most = if keep.is_zero() { 0 } else { most };
    Cache::builder()
        .max_capacity(most)
        .time_to_live(keep)
        .build()
}

/// Whether a request says that its sender has the answer with this tag (RFC 9110, 13.1.2; compared weakly).
pub(crate) fn knows_etag(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    let without_mark = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let Ok(etag) = etag.to_str().map(without_mark) else {
        return false;
    };
    let named = headers.get_all(header::IF_NONE_MATCH).into_iter();
    let mut named = named.filter_map(|value| value.to_str().ok());
    named.any(|tags| tags.split(',').any(|tag| without_mark(tag) == etag))
}

/// The header `Warning` of an answer that is old because the database is away (RFC 7234).
const STALE: &str = "110 - \"Response is Stale\"";

/// Marks a response as one of the cache.
#[derive(Clone, Debug)]
struct Marked(Arc<CachedResponse>);

impl CachedResponse {
    fn from_value(value: &impl Serialize) -> Result<CachedResponse> {
        let plain = serde_json::to_vec(value)
            .map_err(|error| ApiError::internal_error("the answer was not written", &error))?;
        let digest = hex::encode(&Sha256::digest(&plain)[..8]);
        let etag = HeaderValue::from_str(&format!("W/\"{digest}\"")).expect("it is hexadecimal");
        let gzip = (plain.len() >= WORTH_COMPRESSING).then(|| compress_body(&plain));
        Ok(CachedResponse {
            made: Instant::now(),
            plain: plain.into(),
            gzip: gzip.map(Bytes::from),
            etag,
        })
    }

    fn to_marked_response(self: &Arc<CachedResponse>, headers: &HeaderMap) -> Response {
        let mut response = self.to_response(headers);
        response.extensions_mut().insert(Marked(self.clone()));
        response
    }

    fn to_response(&self, headers: &HeaderMap) -> Response {
        let text = |name| {
            headers
                .get(name)
                .and_then(|value: &HeaderValue| value.to_str().ok())
                .unwrap_or_default()
        };
        let own = [
            (header::ETAG, self.etag.clone()),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
            (header::VARY, HeaderValue::from_static("accept-encoding")),
        ];
        if knows_etag(headers, &self.etag) {
            return (StatusCode::NOT_MODIFIED, own).into_response();
        }
        let kind = [(header::CONTENT_TYPE, "application/json")];
        match &self.gzip {
            Some(gzip) if text(header::ACCEPT_ENCODING).contains("gzip") => (
                own,
                kind,
                [(header::CONTENT_ENCODING, "gzip")],
                gzip.clone(),
            )
                .into_response(),
            _ => (own, kind, self.plain.clone()).into_response(),
        }
    }
}

fn compress_body(plain: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(plain).expect("memory takes it");
    gzip.finish().expect("memory takes it")
}
