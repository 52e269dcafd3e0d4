//! Position books from which the matches of experiments start: blobs by their hashes.

use std::sync::Arc;

use leitai_series::book::{Book, BookPosition};
use leitai_store::{BOOK_KEY, BlobKey, BlobStore, Json, Match};
use moka::sync::Cache;
use serde_json::json;

use super::queue_error::JobQueueError;

/// The most bytes of a book's file.
pub const LONGEST_BOOK: usize = 4 * 1024 * 1024;
/// Books that are kept in memory.
const KEPT: u64 = 16;

/// The books of an arena. Clones share what is kept in memory.
#[derive(Clone)]
pub struct Books {
    blobs: BlobStore,
    kept: Cache<String, Arc<Book>>,
}

impl Books {
    /// Those in this blob store.
    pub fn new(blobs: BlobStore) -> Books {
        Books {
            blobs,
            kept: Cache::new(KEPT),
        }
    }

    /// The position from which a match starts; `None`: from the game's beginning.
    ///
    /// # Errors
    /// If its book cannot be read.
    pub async fn position_of(&self, own: &Match) -> Result<Option<BookPosition>, JobQueueError> {
        let Some(hash) = book_of(&own.limits) else {
            return Ok(None);
        };
        let book = self.read_book(hash).await?;
        Ok(Some(book.draw(own.seed.get()).clone()))
    }

    async fn read_book(&self, hash: &str) -> Result<Arc<Book>, JobQueueError> {
        if let Some(book) = self.kept.get(hash) {
            return Ok(book);
        }
        let text = read_text(&self.blobs, hash).await?;
        let read = tokio::task::spawn_blocking(move || Book::read_checked(&text)).await;
        let read = read.map_err(|error| JobQueueError::Bad(error.to_string()))?;
        let book = read.map_err(|why| JobQueueError::Bad(format!("the book {hash}: {why:#}")))?;
        let book = Arc::new(book);
        self.kept.insert(hash.to_owned(), book.clone());
        Ok(book)
    }
}

/// The file of a book.
///
/// # Errors
/// If it is not there.
pub async fn read_text(blobs: &BlobStore, hash: &str) -> Result<String, JobQueueError> {
    let bytes = blobs.read_blob(&BlobKey::of_book(hash)).await?;
    String::from_utf8(bytes).map_err(|error| JobQueueError::Bad(error.to_string()))
}

/// The hash of the book from which a match with these limits starts.
pub fn book_of(limits: &Json) -> Option<&str> {
    limits.get(BOOK_KEY)?.as_str()
}

/// The limits of a match that starts from a position of the book with this hash, which its seed draws.
pub fn limits_with_book(hash: &str) -> Json {
    json!({BOOK_KEY: hash})
}
