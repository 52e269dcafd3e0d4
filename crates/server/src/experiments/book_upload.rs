//! Position books that people send for their experiments and candidates: bounded, checked by the rules
//! of the game, and kept as blobs by their hashes.

use std::time::Duration;

use axum::extract::DefaultBodyLimit;
use leitai_game::GameHandle;
use leitai_series::book::{Book, BookSize};
use leitai_store::{BlobKey, StoredBook, Timestamp};
use sha2::{Digest, Sha256};

use crate::http::app::App;
use crate::http::error::{ApiError, Result};
use crate::sync::call_rules;
use crate::work::books::LONGEST_BOOK;

/// A book that no row names after this time is removed.
const UNNAMED: Duration = Duration::from_secs(3600);

/// The longest body with a book: in JSON a quotation mark of it takes two bytes.
pub fn book_body() -> DefaultBodyLimit {
    DefaultBodyLimit::max(2 * LONGEST_BOOK)
}

/// Checks a book, and keeps it in the blob store.
pub async fn keep_book(app: &App, game: &str, text: &str) -> Result<StoredBook> {
    let refuse = |why: String| ApiError::invalid_field("bad-book", "book", why);
    if text.len() > LONGEST_BOOK {
        let bytes = text.len();
        let why = format!("the book has {bytes} bytes; an arena takes at most {LONGEST_BOOK}");
        return Err(refuse(why));
    }
    let (game, own) = (app.need_game(game)?, text.to_owned());
    let checked = tokio::task::spawn_blocking(move || check_book(&game, &own)).await;
    let positions = checked
        .map_err(|error| ApiError::internal_error("the book was not checked", &error))?
        .map_err(refuse)?;
    let hash = hex::encode(Sha256::digest(text.as_bytes()));
    let key = BlobKey::of_book(&hash);
    let later = Timestamp::now().after(UNNAMED);
    app.store.schedule_removal(&key, later).await?;
    app.blobs.put_blob(&key, text.as_bytes().to_vec()).await?;
    Ok(StoredBook { hash, positions })
}

/// Writes a book that a row names now once more, if a server removed it in between.
pub async fn keep_again(app: &App, book: &StoredBook, text: &str) -> Result<()> {
    let key = BlobKey::of_book(&book.hash);
    if app.blobs.blob_size(&key).await?.is_none() {
        app.blobs.put_blob(&key, text.as_bytes().to_vec()).await?;
    }
    Ok(())
}

/// The number of its positions, if the rules know them all.
fn check_book(game: &GameHandle, text: &str) -> Result<i32, String> {
    if !game.capabilities().plays_here {
        let id = game.meta().id;
        return Err(format!(
            "a judge program leads {id}, so that its positions are not known; leave the book out"
        ));
    }
    let book = call_rules(&**game, || Book::parse(text, &**game, BookSize::ARENA));
    let book = book.map_err(|why| format!("{why:#}"))?;
    Ok(i32::try_from(book.positions.len()).unwrap_or(i32::MAX))
}
