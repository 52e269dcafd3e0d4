//! Errors of a move.

use std::path::Path;

use crate::{BlobStoreError, StoreError};

/// The version of the folder's format.
pub(super) const FORMAT: u32 = 1;

/// Errors of a move.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The blob store failed.
    #[error(transparent)]
    Blobs(#[from] BlobStoreError),
    /// A file cannot be read or written.
    #[error("cannot read or write {0}: {1}")]
    File(String, std::io::Error),
    /// There is no finished export.
    #[error(
        "{0} holds no finished export: `arena.json` is missing; run `leitai admin export` into it again, which goes on where it stopped"
    )]
    Unfinished(String),
    /// A file is not what was exported.
    #[error(
        "{0} is damaged: it is not what was exported; export once more, or copy the folder anew"
    )]
    Damaged(String),
    /// The format is a newer one.
    #[error("this export has the format {0}; this program reads {FORMAT}: update it")]
    Format(u32),
    /// The arenas have other tables.
    #[error(
        "this export was made by another version of Leitai (its database is at {exported}, this program's at {own}); \
         start the exported arena once with this version, and export it again"
    )]
    Schema {
        /// The exported one's last migration.
        exported: String,
        /// This program's.
        own: String,
    },
    /// There is an arena already.
    #[error(
        "the arena there is not empty: it has {rows} rows in `{table}`; name an empty folder or database (--data, --database)"
    )]
    NotEmpty {
        /// A table.
        table: &'static str,
        /// How many rows it has.
        rows: u64,
    },
}

impl TransferError {
    /// The error of a file.
    pub(super) fn of_file(path: &Path) -> impl FnOnce(std::io::Error) -> TransferError {
        let path = path.display().to_string();
        |error| TransferError::File(path, error)
    }
}
