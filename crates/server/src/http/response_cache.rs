//! A cache of public responses as the bytes that are sent: a ladder that a thousand people look at
//! is queried, serialised and compressed once. While the database is away, what was sent before is
//! sent again, and says that it is old.

use std::collections::HashMap;
use std::future::Future;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;

use crate::accounts::secret::write_hex;
use crate::http::error::ApiError;
use crate::sync::lock;

/// The most cached responses; when there are more, the cache is cleared.
const MOST: usize = 2_000;
/// How old a response may be that is sent while the database is away.
const OLDEST: Duration = Duration::from_secs(3600);
/// Shorter responses are not compressed.
const WORTH_COMPRESSING: usize = 600;

/// A cache of responses. It must only hold public data.
#[derive(Clone, Debug)]
pub struct ResponseCache {
    keep: Duration,
    answers: Arc<Mutex<HashMap<String, Entry>>>,
    /// The last answer of each address, for when the database is away.
    by_address: Arc<Mutex<HashMap<String, Arc<CachedResponse>>>>,
}

/// A response that is kept, or is being computed by whoever asked first.
#[derive(Debug)]
struct Entry {
    until: Instant,
    answer: Arc<OnceCell<Arc<CachedResponse>>>,
}

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
            keep,
            answers: Arc::default(),
            by_address: Arc::default(),
        }
    }

    /// The response under this key; it is computed if it is absent or too old, and once however many
    /// ask meanwhile.
    pub async fn get<T: Serialize>(
        &self,
        key: String,
        headers: &HeaderMap,
        make: impl Future<Output = Result<T, ApiError>>,
    ) -> Result<Response, ApiError> {
        let compute = async || CachedResponse::from_value(&make.await?).map(Arc::new);
        let entry = self.entry(key);
        let answer = entry.get_or_try_init(compute).await?;
        Ok(answer.to_marked_response(headers))
    }

    /// Notes the answer to a request for this address, if it is one of this cache.
    pub fn note_answer(&self, address: String, response: &Response) {
        if let Some(Marked(answer)) = response.extensions().get() {
            insert_bounded(&mut lock(&self.by_address), address, answer.clone());
        }
    }

    /// The last answer of this address, which says how old it is.
    pub fn stale_response(&self, address: &str, headers: &HeaderMap) -> Option<Response> {
        let answer = lock(&self.by_address).get(address)?.clone();
        let age = answer.made.elapsed();
        if age > OLDEST {
            return None;
        }
        let mut response = answer.to_response(headers);
        let own = response.headers_mut();
        own.insert(header::AGE, age.as_secs().into());
        own.insert(header::WARNING, HeaderValue::from_static(STALE));
        Some(response)
    }

    /// What is kept under this key, or a new place for it.
    fn entry(&self, key: String) -> Arc<OnceCell<Arc<CachedResponse>>> {
        let now = Instant::now();
        let mut answers = lock(&self.answers);
        let kept = answers.get(&key).filter(|entry| entry.until > now);
        if let Some(entry) = kept {
            return entry.answer.clone();
        }
        let answer = Arc::default();
        if !self.keep.is_zero() {
            let until = now + self.keep;
            let entry = Entry {
                until,
                answer: Arc::clone(&answer),
            };
            insert_bounded(&mut answers, key, entry);
        }
        answer
    }
}

/// The header `Warning` of an answer that is old because the database is away (RFC 7234).
const STALE: &str = "110 - \"Response is Stale\"";

/// Marks a response as one of the cache.
#[derive(Clone, Debug)]
struct Marked(Arc<CachedResponse>);

fn insert_bounded<T>(kept: &mut HashMap<String, T>, key: String, value: T) {
    if kept.len() >= MOST {
        kept.clear();
    }
    kept.insert(key, value);
}

impl CachedResponse {
    fn from_value(value: &impl Serialize) -> Result<CachedResponse, ApiError> {
        let plain = serde_json::to_vec(value)
            .map_err(|error| ApiError::internal_error("the answer was not written", &error))?;
        let digest = write_hex(&Sha256::digest(&plain)[..8]);
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
        if headers.get(header::IF_NONE_MATCH) == Some(&self.etag) {
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
