//! An arena as a folder of files, to move it into another database, of either kind, and another blob
//! store.
//!
//! | | |
//! |---|---|
//! | `arena.json` | what the folder holds; written last, so that a folder without it is unfinished |
//! | `tables/NAME.ndjson` | the rows of a table, a JSON object each, without columns that are null |
//! | `blobs/…` | sources and replays as they are stored |
//! | `blobs.ndjson` | their keys, sizes and SHA-256 |

mod blobs;
mod error;
pub mod parts;
mod tables;

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::migrations::ALL;
use crate::{BlobStore, Store};

use error::FORMAT;
pub use error::TransferError;

const MANIFEST: &str = "arena.json";
const TABLES: &str = "tables";
const BLOBS: &str = "blobs";
const BLOB_LIST: &str = "blobs.ndjson";

/// What a folder holds.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    /// The last migration of its database.
    schema: String,
    tables: Vec<tables::TableFile>,
    blobs: blobs::BlobFile,
}

/// What was moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Rows of the database.
    pub rows: u64,
    /// Sources, replays and analyses.
    pub blobs: u64,
    /// Those that an earlier attempt had brought already.
    pub blobs_there: u64,
}

impl Store {
    /// Writes the whole arena, as it is at one moment, into this folder, also while it runs. Blobs that an
    /// earlier attempt wrote stay. `told` is told of each table and blob.
    ///
    /// # Errors
    /// [`TransferError`]; the next attempt goes on.
    pub async fn export_arena(
        &self,
        own: &BlobStore,
        folder: &Path,
        mut told: impl FnMut(&str),
    ) -> Result<Moved, TransferError> {
        let manifest = folder.join(MANIFEST);
        remove_file(&manifest)?;
        let files = folder.join(TABLES);
        fs::create_dir_all(&files).map_err(TransferError::of_file(&files))?;
        let tables = tables::export(self, &files, &mut told).await?;
        // After the rows: what they name is then there.
        let place = open_blobs(folder).await?;
        let (blobs, there) = blobs::export(own, &place, &folder.join(BLOB_LIST), &mut told).await?;
        let moved = Moved {
            rows: tables.iter().map(|table| table.rows).sum(),
            blobs: blobs.count,
            blobs_there: there,
        };
        let text = Manifest {
            format: FORMAT,
            schema: last_migration(),
            tables,
            blobs,
        };
        let text = serde_json::to_string_pretty(&text).map_err(std::io::Error::from);
        let unfinished = folder.join("arena.json.part");
        let written = text.and_then(|text| fs::write(&unfinished, text + "\n"));
        let written = written.and_then(|()| fs::rename(&unfinished, &manifest));
        written.map_err(TransferError::of_file(&manifest))?;
        Ok(moved)
    }

    /// Fills this arena, which must be empty, from a folder that [`Store::export_arena`] wrote: first the
    /// blobs, of which those that are there already stay, then all rows in one transaction.
    ///
    /// # Errors
    /// [`TransferError`]; the next attempt goes on.
    pub async fn import_arena(
        &self,
        own: &BlobStore,
        folder: &Path,
        mut told: impl FnMut(&str),
    ) -> Result<Moved, TransferError> {
        let manifest = read_manifest(folder)?;
        tables::check_empty(self).await?;
        tables::check_files(&manifest.tables, &folder.join(TABLES))?;
        let list = folder.join(BLOB_LIST);
        let place = open_blobs(folder).await?;
        let there = blobs::import(&place, own, &list, &manifest.blobs, &mut told).await?;
        tables::import(self, &manifest.tables, &folder.join(TABLES), &mut told).await?;
        Ok(Moved {
            rows: manifest.tables.iter().map(|table| table.rows).sum(),
            blobs: manifest.blobs.count,
            blobs_there: there,
        })
    }
}

fn remove_file(path: &Path) -> Result<(), TransferError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(TransferError::of_file(path)(error))
        }
        _ => Ok(()),
    }
}

fn read_manifest(folder: &Path) -> Result<Manifest, TransferError> {
    let path = folder.join(MANIFEST);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(TransferError::Unfinished(folder.display().to_string()));
        }
        Err(error) => return Err(TransferError::of_file(&path)(error)),
    };
    let damaged = || TransferError::Damaged(path.display().to_string());
    let head: serde_json::Value = serde_json::from_str(&text).map_err(|_| damaged())?;
    let format = head["format"]
        .as_u64()
        .and_then(|format| u32::try_from(format).ok());
    match format {
        Some(FORMAT) => {}
        Some(other) => return Err(TransferError::Format(other)),
        None => return Err(damaged()),
    }
    let manifest: Manifest = serde_json::from_value(head).map_err(|_| damaged())?;
    let own = last_migration();
    if manifest.schema != own {
        return Err(TransferError::Schema {
            exported: manifest.schema,
            own,
        });
    }
    Ok(manifest)
}

fn last_migration() -> String {
    ALL.last()
        .map_or_else(String::new, |last| last.name.to_owned())
}

/// The folder's own blobs.
async fn open_blobs(folder: &Path) -> Result<BlobStore, TransferError> {
    let here: PathBuf = std::path::absolute(folder).map_err(TransferError::of_file(folder))?;
    let url = format!("file://{}", here.join(BLOBS).display());
    Ok(BlobStore::open_url(&url).await?)
}
