//! Errors of a move.

use std::path::Path;

use crate::{BlobStoreError, StoreError};

/// The version of the folder's format.
pub(super) const FORMAT: u32 = 1;

/// The most bytes of rows in a part: they are in memory while it moves.
pub(super) const MOST_ROWS: u64 = 256 << 20;

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
    /// A part is to be written where a whole arena is.
    #[error("{0} holds a whole arena; choose another folder for a part")]
    WholeThere(String),
    /// A whole arena is to be written where a part is.
    #[error("{0} holds a part of an arena; choose another folder for the whole one")]
    PartThere(String),
    /// A row or a file of a part that Leitai did not write so.
    #[error("{file} is not what Leitai exports: {why}; nothing was imported")]
    Wrong {
        /// The file in the folder.
        file: String,
        /// What is wrong.
        why: String,
    },
    /// A part has too many rows.
    #[error(
        "the part has more than {MOST_ROWS} bytes of rows; choose less, or move the whole arena"
    )]
    TooLarge,
    /// The account is not here.
    #[error("--account: there is no account {0} here; add it first (`leitai admin add-user`)")]
    NoAccount(String),
    /// The part has no such account.
    #[error("--account: the part names no account {name}; it names {known}")]
    NotInPart {
        /// The name.
        name: String,
        /// Those that it has.
        known: String,
    },
    /// The game is not here.
    #[error("the part needs the game {0}, which this arena does not have; add it first")]
    NoGame(String),
    /// The game is secret there, and not here.
    #[error(
        "the game {game} is secret where the part comes from, until {}, and not here; import the part then",
        .until.day()
    )]
    Secret {
        /// The game.
        game: String,
        /// Until when.
        until: crate::Timestamp,
    },
    /// The built-in bot is not here.
    #[error(
        "the built-in bot {name} of {game} is not here; start this arena once (`leitai serve`)"
    )]
    NoBuiltIn {
        /// Its name.
        name: String,
        /// Its game.
        game: String,
    },
    /// The match cannot move alone.
    #[error("match {0} is not over, or is of an experiment: it does not move")]
    MatchStays(i64),
    /// The match is hidden by its contest.
    #[error("match {id} is hidden by its contest; move that: --contest {contest}")]
    MatchHidden {
        /// The match.
        id: i64,
        /// The contest's name.
        contest: String,
    },
}

impl TransferError {
    /// A row of a part that is not what Leitai writes.
    pub(super) fn wrong_row(table: &str, why: &str) -> TransferError {
        TransferError::Wrong {
            file: format!("tables/{table}.ndjson"),
            why: why.chars().take(200).collect(),
        }
    }

    /// The error of a file.
    pub(super) fn of_file(path: &Path) -> impl FnOnce(std::io::Error) -> TransferError {
        let path = path.display().to_string();
        |error| TransferError::File(path, error)
    }
}
