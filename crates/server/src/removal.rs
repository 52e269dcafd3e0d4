//! Removal of deleted and expired data: names in old matches, replays, blobs.
//!
//! Every step can be interrupted at any time; the next call, here or in another server, repeats it.

use leitai_game::Replay;
use leitai_store::{
    BlobKey, BlobStore, BlobStoreError, Match, Retention, Store, StoreError, Timestamp,
};

use crate::replay_privacy::name_entrants;

/// The most transactions in one call; the next call continues.
const MOST: usize = 1_000;
/// The most transactions while a request waits.
const AT_ONCE: usize = 20;
/// The longest time between the upload of a rewritten replay and its row in the database.
const REWRITE: std::time::Duration = std::time::Duration::from_secs(3600);

/// The database and the blob store of an arena.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct Storage {
    pub store: Store,
    pub blobs: BlobStore,
}

impl Storage {
    /// The bytes of a replay; `None` if it is missing or damaged.
    pub(crate) async fn read_replay(&self, key: &str) -> Result<Option<Vec<u8>>, RemovalError> {
        let Ok(key) = BlobKey::parse(key) else {
            return Ok(None);
        };
        match self.blobs.read_blob(&key).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(BlobStoreError::Missing(_) | BlobStoreError::Damaged(..)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Errors of the removal.
#[derive(Debug, thiserror::Error)]
pub enum RemovalError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The blob store failed.
    #[error(transparent)]
    Blobs(#[from] BlobStoreError),
}

/// Replaces the names of deleted bots and accounts in their newest matches. [`remove_due`] does the
/// others and repeats what failed.
pub async fn erase_names(store: &Store) {
    erase_some_names(store, AT_ONCE).await;
}

async fn erase_some_names(store: &Store, most: usize) {
    for _ in 0..most {
        match store.erase_names().await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                return tracing::warn!(%error, "deleted names were not replaced; tried again in a minute");
            }
        }
    }
}

/// Removes everything that is due.
///
/// # Errors
/// If the store or the blob store fails; the next call continues.
pub async fn remove_due(
    storage: &Storage,
    retention: &Retention,
    at: Timestamp,
) -> Result<(), RemovalError> {
    erase_some_names(&storage.store, MOST).await;
    rewrite_replays(storage, at).await?;
    measure_replays(storage).await?;
    let mut removed = 0;
    for _ in 0..MOST {
        match storage.store.remove_old_replays(retention, at).await? {
            0 => break,
            count => removed += count,
        }
    }
    if removed > 0 {
        tracing::info!(removed, "old replays were removed");
    }
    remove_files(storage, at).await
}

/// Removes blobs that no row refers to.
async fn remove_files(storage: &Storage, at: Timestamp) -> Result<(), RemovalError> {
    for _ in 0..MOST {
        let keys = storage.store.claim_discards(at).await?;
        if keys.is_empty() {
            break;
        }
        for key in &keys {
            // An invalid key cannot have a blob.
            if let Ok(key) = BlobKey::parse(key) {
                storage.blobs.delete_blob(&key).await?;
            }
        }
        storage.store.forget_discards(&keys).await?;
    }
    Ok(())
}

/// Records the sizes of new replays.
async fn measure_replays(storage: &Storage) -> Result<(), RemovalError> {
    for _ in 0..MOST {
        let mut new = storage.store.unmeasured_replays().await?;
        if new.is_empty() {
            break;
        }
        for one in &mut new {
            let bytes = match BlobKey::parse(&one.replay) {
                Ok(key) => storage.blobs.blob_size(&key).await?,
                Err(_) => None,
            };
            one.replay_bytes = Some(
                bytes
                    .and_then(|bytes| i64::try_from(bytes).ok())
                    .unwrap_or(0),
            );
        }
        storage.store.note_replay_bytes(&new).await?;
    }
    Ok(())
}

/// Rewrites replays without deleted names and without the output of deleted programs.
async fn rewrite_replays(storage: &Storage, at: Timestamp) -> Result<(), RemovalError> {
    for _ in 0..MOST {
        let due = storage.store.replays_to_rewrite().await?;
        if due.is_empty() {
            break;
        }
        for own in &due {
            rewrite_replay(storage, own, at).await?;
        }
    }
    Ok(())
}

async fn rewrite_replay(storage: &Storage, own: &Match, at: Timestamp) -> Result<(), RemovalError> {
    let Some(old) = own.replay.as_deref() else {
        return Ok(storage.store.finish_rewrite(own.id, None, at).await?);
    };
    let Some(text) = read_renamed(storage, own, old).await? else {
        tracing::warn!(id = %own.id, "a replay with a deleted name cannot be read: it is removed");
        storage.store.remove_replay(own.id, old, at).await?;
        return Ok(storage.store.finish_rewrite(own.id, None, at).await?);
    };
    let new = BlobKey::new_replay(own.id);
    storage
        .store
        .schedule_removal(&new, at.after(REWRITE))
        .await?;
    storage.blobs.put_blob(&new, text.into_bytes()).await?;
    Ok(storage
        .store
        .finish_rewrite(own.id, Some((old, &new)), at)
        .await?)
}

/// The replay with the new names; `None` if it is missing or damaged.
async fn read_renamed(
    storage: &Storage,
    own: &Match,
    key: &str,
) -> Result<Option<String>, RemovalError> {
    let Some(bytes) = storage.read_replay(key).await? else {
        return Ok(None);
    };
    let own = own.clone();
    let renamed = tokio::task::spawn_blocking(move || {
        let mut replay = Replay::parse(&String::from_utf8(bytes).ok()?).ok()?;
        name_entrants(&mut replay, &own);
        Some(replay.to_text())
    });
    Ok(renamed.await.unwrap_or_default())
}
