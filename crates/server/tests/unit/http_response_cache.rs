//! Unit tests of the cache of responses.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::http::HeaderMap;
use futures_util::future::join_all;
use leitai_server::http::error::ApiError;
use leitai_server::http::response_cache::ResponseCache;

/// How often an answer is computed for twenty who ask for it at once, the first of whom fails.
async fn computations(keep: Duration) -> usize {
    let (cache, made) = (ResponseCache::new(keep), AtomicUsize::new(0));
    let headers = HeaderMap::new();
    let make = async || {
        let number = made.fetch_add(1, Ordering::Relaxed);
        tokio::task::yield_now().await;
        match number {
            0 => Err(ApiError::not_found("nothing is there")),
            _ => Ok(number),
        }
    };
    let asks = (0..20).map(|_| cache.get("ladder".to_owned(), &headers, make()));
    let answers = join_all(asks).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_err()).count(), 1);
    made.into_inner()
}

#[tokio::test]
async fn an_answer_is_computed_once_for_everybody_who_asks_meanwhile() {
    assert_eq!(computations(Duration::from_secs(60)).await, 2);
    assert_eq!(computations(Duration::ZERO).await, 20, "nothing is kept");
}
