//! What is removed after it was deleted, or because it is old: names in old matches, replays,
//! files.
//!
//! Every step can be broken off at any moment and is done again by the next call, here or in
//! another server.

use leitai_game::Replay;
use leitai_store::{
    BlobKey, BlobStore, BlobStoreError, Match, Retention, Store, StoreError, Timestamp,
};

use crate::replay_privacy::name_entrants;

/// Transactions in one call, at most: the rest is done by the next.
const MOST: usize = 1_000;
/// Transactions while somebody waits for an answer, at most.
const AT_ONCE: usize = 20;
/// How long a rewritten replay may take to its row in the database.
const REWRITE: std::time::Duration = std::time::Duration::from_secs(3600);

/// The database and the blob store of an arena.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct Storage {
    pub store: Store,
    pub blobs: BlobStore,
}

/// What could not be removed.
#[derive(Debug, thiserror::Error)]
pub enum RemovalError {
    /// The database said no.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The blob store said no.
    #[error(transparent)]
    Blobs(#[from] BlobStoreError),
}

/// Replaces the names of deleted bots and accounts in the newest of their matches. The others, and
/// what fails, are done by [`remove_due`].
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

/// Removes everything whose time has come.
///
/// # Errors
/// If the database or the blob store fails; what is left is removed by the next call.
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

/// Removes files that no row names.
async fn remove_files(storage: &Storage, at: Timestamp) -> Result<(), RemovalError> {
    for _ in 0..MOST {
        let keys = storage.store.claim_discards(at).await?;
        if keys.is_empty() {
            break;
        }
        for key in &keys {
            // What is no name in the blob store is no file there.
            if let Ok(key) = BlobKey::parse(key) {
                storage.blobs.delete_blob(&key).await?;
            }
        }
        storage.store.forget_discards(&keys).await?;
    }
    Ok(())
}

/// Notes how many bytes new replays take.
async fn measure_replays(storage: &Storage) -> Result<(), RemovalError> {
    for _ in 0..MOST {
        let mut new = storage.store.unmeasured_replays().await?;
        if new.is_empty() {
            break;
        }
        for one in &mut new {
            let bytes = match BlobKey::parse(&one.replay) {
                Ok(key) => storage.blobs.size(&key).await?,
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

/// Writes replays anew, without deleted names and what their programs wrote.
async fn rewrite_replays(storage: &Storage, at: Timestamp) -> Result<(), RemovalError> {
    for _ in 0..MOST {
        let due = storage.store.replays_to_rewrite().await?;
        if due.is_empty() {
            break;
        }
        for own in &due {
            rewrite(storage, own, at).await?;
        }
    }
    Ok(())
}

async fn rewrite(storage: &Storage, own: &Match, at: Timestamp) -> Result<(), RemovalError> {
    let Some(old) = own.replay.as_deref() else {
        return Ok(storage.store.finish_rewrite(own.id, None, at).await?);
    };
    let Some(text) = read_renamed(storage, own, old).await? else {
        tracing::warn!(id = %own.id, "a replay with a deleted name cannot be read: it is removed");
        storage.store.remove_replay(own.id, old, at).await?;
        return Ok(storage.store.finish_rewrite(own.id, None, at).await?);
    };
    let new = BlobKey::new_replay(own.id);
    storage.store.discard(&new, at.after(REWRITE)).await?;
    storage.blobs.put_blob(&new, text.into_bytes()).await?;
    Ok(storage
        .store
        .finish_rewrite(own.id, Some((old, &new)), at)
        .await?)
}

/// The replay with its new names; nothing if it is gone or damaged.
async fn read_renamed(
    storage: &Storage,
    own: &Match,
    key: &str,
) -> Result<Option<String>, RemovalError> {
    let Ok(key) = BlobKey::parse(key) else {
        return Ok(None);
    };
    let bytes = match storage.blobs.get(&key).await {
        Ok(bytes) => bytes,
        Err(BlobStoreError::Missing(_) | BlobStoreError::Damaged(..)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let own = own.clone();
    let renamed = tokio::task::spawn_blocking(move || {
        let mut replay = Replay::parse(&String::from_utf8(bytes).ok()?).ok()?;
        name_entrants(&mut replay, &own);
        Some(replay.to_text())
    });
    Ok(renamed.await.unwrap_or_default())
}
