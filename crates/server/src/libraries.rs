//! The libraries that this arena's bots may use. The list and the packages lie in the blob store, each
//! by its hash, so that every server and worker has the same ones; one blob has the list of today.

use leitai_judge::build::LibraryList;
use leitai_judge::build::libraries::hash_of;
use leitai_store::{BlobKey, BlobStore, BlobStoreError};

/// The name of the blob that has today's list.
const TODAY: &str = "list";

/// The list of today; empty where no operator ever allowed a library, or where the list cannot be
/// understood.
///
/// # Errors
/// Those of the blob store.
pub async fn current_libraries(blobs: &BlobStore) -> Result<LibraryList, BlobStoreError> {
    match blobs.read_blob(&BlobKey::of_library(TODAY)).await {
        Ok(bytes) => Ok(LibraryList::parse(&bytes).unwrap_or_else(|| {
            tracing::error!("the list of libraries cannot be read: bots have none");
            LibraryList::default()
        })),
        Err(BlobStoreError::Missing(_)) => Ok(LibraryList::default()),
        Err(error) => Err(error),
    }
}

/// The hash of today's list, if there is anything in it.
///
/// # Errors
/// Those of the blob store.
pub async fn libraries_hash(blobs: &BlobStore) -> Result<Option<String>, BlobStoreError> {
    let list = current_libraries(blobs).await?;
    Ok((!list.libraries.is_empty()).then(|| hash_of(&list.to_bytes())))
}

/// Makes this the list of today; the packages are there already.
///
/// # Errors
/// Those of the blob store.
pub async fn publish_libraries(
    blobs: &BlobStore,
    list: &LibraryList,
) -> Result<(), BlobStoreError> {
    let bytes = list.to_bytes();
    let named = BlobKey::of_library(&hash_of(&bytes));
    blobs.put_blob(&named, bytes.clone()).await?;
    blobs.put_blob(&BlobKey::of_library(TODAY), bytes).await
}

/// The blob of a package, or of a list of some day, by its hash.
///
/// # Errors
/// If the text is no hash.
pub fn blob_by_hash(hash: &str) -> Result<BlobKey, BlobStoreError> {
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    match is_hash {
        true => Ok(BlobKey::of_library(hash)),
        false => Err(BlobStoreError::Key(hash.to_owned())),
    }
}

/// A package, or a list of some day, by its hash.
///
/// # Errors
/// Those of the blob store; also where the text is no hash.
pub async fn read_by_hash(blobs: &BlobStore, hash: &str) -> Result<Vec<u8>, BlobStoreError> {
    blobs.read_blob(&blob_by_hash(hash)?).await
}
