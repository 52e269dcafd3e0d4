//! Sources and replays, whole or not at all.

use std::fmt;
use std::sync::Arc;

use object_store::ObjectStore;

use crate::MatchId;

/// The longest source, in bytes.
pub const LONGEST_SOURCE: usize = 16 * 1024 * 1024;

/// The longest replay before compression, in bytes.
pub const LONGEST_REPLAY: usize = 64 * 1024 * 1024;

/// Where sources and replays lie. Clones are handles of the same one.
#[derive(Clone, Debug)]
pub struct Vault {
    objects: Arc<dyn ObjectStore>,
}

/// The name of something in the vault: `sources/…` or `replays/…`, lower-case letters, digits, `-`, `_` and `.`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key(String);

impl Key {
    /// A new name for a source; no two are the same.
    pub fn source() -> Key {
        todo!()
    }

    /// A new name for a replay: every attempt at a match has its own, so that a worker that comes late overwrites nothing.
    pub fn replay(id: MatchId) -> Key {
        let _ = id;
        todo!()
    }

    /// A name from the database.
    pub fn parse(text: &str) -> Result<Key, VaultError> {
        let _ = text;
        todo!()
    }

    /// As the database keeps it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What the vault could not do.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// There is nothing under this name.
    #[error("there is nothing named {0} in the vault")]
    Missing(String),
    /// More than is kept.
    #[error("{key} has {bytes} bytes; at most {most} are kept")]
    TooLong {
        /// The name.
        key: String,
        /// How many bytes, at least.
        bytes: usize,
        /// How many are kept.
        most: usize,
    },
    /// Not a name.
    #[error("`{0}` is not a name in the vault")]
    Key(String),
    /// Not an address of a vault.
    #[error("`{0}` is no place for replays; write file:///folder or s3://bucket/folder")]
    Address(String),
    /// What lies there is not what was put.
    #[error("{0} is damaged: {1}")]
    Damaged(String, std::io::Error),
    /// The file system said no.
    #[error("cannot use {0} for sources and replays: {1}")]
    Folder(String, std::io::Error),
    /// The place said no.
    #[error("the vault failed: {0}")]
    Place(object_store::Error),
}

impl Vault {
    /// Opens `file:///folder` (made if it is not there) or, with the cargo feature `s3`, `s3://bucket/prefix`.
    pub async fn open(url: &str) -> Result<Vault, VaultError> {
        let _ = url;
        todo!()
    }

    /// Puts a source or a replay (which is compressed), whole and durable when this returns.
    pub async fn put(&self, key: &Key, bytes: Vec<u8>) -> Result<(), VaultError> {
        let _ = (key, bytes, &self.objects);
        todo!()
    }

    /// What was put; [`VaultError::Missing`] if nothing was.
    pub async fn get(&self, key: &Key) -> Result<Vec<u8>, VaultError> {
        let _ = key;
        todo!()
    }

    /// Forgets; no error if there is nothing.
    pub async fn delete(&self, key: &Key) -> Result<(), VaultError> {
        let _ = key;
        todo!()
    }
}
