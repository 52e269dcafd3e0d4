//! A cache of public responses as the bytes that are sent: a ladder that a thousand people look at
//! is queried, serialised and compressed once.

use std::collections::HashMap;
use std::future::Future;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::accounts::secret::write_hex;
use crate::http::error::ApiError;

/// The most cached responses; when there are more, the cache is cleared.
const MOST: usize = 2_000;
/// Shorter responses are not compressed.
const WORTH_COMPRESSING: usize = 600;

/// A cache of responses. It must only hold public data.
#[derive(Clone, Debug)]
pub struct ResponseCache {
    keep: Duration,
    answers: Arc<Mutex<HashMap<String, Arc<CachedResponse>>>>,
}

/// A response as it is sent.
#[derive(Debug)]
struct CachedResponse {
    until: Instant,
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
        }
    }

    /// The response under this key; it is computed if it is absent or too old.
    pub async fn get<T: Serialize>(
        &self,
        key: String,
        headers: &HeaderMap,
        make: impl Future<Output = Result<T, ApiError>>,
    ) -> Result<Response, ApiError> {
        let now = Instant::now();
        if let Some(answer) = self.cached_response(&key, now) {
            return Ok(answer.to_response(headers));
        }
        let value = make.await?;
        let answer = Arc::new(CachedResponse::from_value(&value, now + self.keep)?);
        if !self.keep.is_zero() {
            let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            if answers.len() >= MOST {
                answers.clear();
            }
            answers.insert(key, answer.clone());
        }
        Ok(answer.to_response(headers))
    }

    fn cached_response(&self, key: &str, now: Instant) -> Option<Arc<CachedResponse>> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers
            .get(key)
            .filter(|answer| answer.until > now)
            .cloned()
    }
}

impl CachedResponse {
    fn from_value(value: &impl Serialize, until: Instant) -> Result<CachedResponse, ApiError> {
        let plain = serde_json::to_vec(value)
            .map_err(|error| ApiError::internal_error("the answer was not written", &error))?;
        let digest = write_hex(&Sha256::digest(&plain)[..8]);
        let etag = HeaderValue::from_str(&format!("W/\"{digest}\"")).expect("it is hexadecimal");
        let gzip = (plain.len() >= WORTH_COMPRESSING).then(|| compress_body(&plain));
        Ok(CachedResponse {
            until,
            plain: plain.into(),
            gzip: gzip.map(Bytes::from),
            etag,
        })
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
