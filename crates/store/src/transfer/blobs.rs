//! The blobs of an arena that moves.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use futures_util::TryStreamExt;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::TransferError;
use crate::BlobStore;

/// The list of blobs.
#[derive(Debug, Serialize, Deserialize)]
pub struct BlobFile {
    pub count: u64,
    pub sha256: String,
}

/// A blob in the list.
#[derive(Debug, Serialize, Deserialize)]
struct Listed {
    key: String,
    bytes: u64,
    sha256: String,
}

pub fn hash(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Copies all blobs into the folder's store and lists them; gives also how many were there already.
pub async fn export(
    from: &BlobStore,
    to: &BlobStore,
    list: &Path,
    told: &mut impl FnMut(&str),
) -> Result<(BlobFile, u64), TransferError> {
    let failed = || TransferError::of_file(list);
    let mut written = BufWriter::new(File::create(list).map_err(failed())?);
    let (mut count, mut there, mut whole) = (0, 0, Sha256::new());
    let mut keys = from.list_stored();
    while let Some(key) = keys.try_next().await? {
        // Deleted meanwhile, with the row that names it.
        let Some(bytes) = from.read_stored(&key).await? else {
            continue;
        };
        there += u64::from(put_where_missing(to, &key, &bytes).await?);
        let listed = Listed {
            bytes: bytes.len() as u64,
            sha256: hash(&bytes),
            key,
        };
        let line = serde_json::to_string(&listed).map_err(std::io::Error::from);
        let line = line.map_err(failed())? + "\n";
        whole.update(line.as_bytes());
        written.write_all(line.as_bytes()).map_err(failed())?;
        count += 1;
        told(&listed.key);
    }
    written.flush().map_err(failed())?;
    let sha256 = hex::encode(whole.finalize());
    Ok((BlobFile { count, sha256 }, there))
}

/// Copies the listed blobs into the arena's store; gives how many were there already.
pub async fn import(
    from: &BlobStore,
    to: &BlobStore,
    list: &Path,
    expected: &BlobFile,
    told: &mut impl FnMut(&str),
) -> Result<u64, TransferError> {
    let failed = || TransferError::of_file(list);
    let damaged = || TransferError::Damaged(list.display().to_string());
    let text = std::fs::read(list).map_err(failed())?;
    if hash(&text) != expected.sha256 {
        return Err(damaged());
    }
    let mut there = 0;
    for line in BufReader::new(text.as_slice()).lines() {
        let line = line.map_err(failed())?;
        let listed: Listed = serde_json::from_str(&line).map_err(|_| damaged())?;
        let bytes = from.read_stored(&listed.key).await?;
        let whole = bytes.filter(|bytes| hash(bytes) == listed.sha256);
        let bytes = whole.ok_or_else(|| TransferError::Damaged(format!("blobs/{}", listed.key)))?;
        there += u64::from(put_where_missing(to, &listed.key, &bytes).await?);
        told(&listed.key);
    }
    Ok(there)
}

/// Writes a blob unless it is there; gives whether it was.
pub async fn put_where_missing(
    to: &BlobStore,
    key: &str,
    bytes: &[u8],
) -> Result<bool, TransferError> {
    let there = to.read_stored(key).await?;
    if there.is_some_and(|there| there == bytes) {
        return Ok(true);
    }
    to.put_stored(key, bytes.to_vec()).await?;
    Ok(false)
}
