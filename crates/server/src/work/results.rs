//! Records results of worker matches and of human matches.

use leitai_store::{
    BlobKey, BlobStore, Lease, MatchId, MatchResult, RecordOutcome, Store, Timestamp,
};

use super::queue_error::JobQueueError;

/// Stores the replay before the result that refers to it, so that every reference is valid. A
/// replay without a result is deleted.
///
/// # Errors
/// If the blob store or the store fails.
pub async fn record_result(
    store: &Store,
    blobs: &BlobStore,
    lease: &Lease,
    id: MatchId,
    replay: String,
    result: MatchResult,
) -> Result<RecordOutcome, JobQueueError> {
    // The worker brings it again and again: not every time a replay that is left over.
    store.check_answering()?;
    let key = BlobKey::new_replay(id);
    blobs.put_blob(&key, replay.into_bytes()).await?;
    let result = MatchResult {
        replay: Some(key.as_str().to_owned()),
        ..result
    };
    let finish = store.finish_match(lease, result, Timestamp::now()).await;
    if !matches!(finish, Ok(RecordOutcome::Recorded { .. })) {
        delete_unnamed(store, blobs, id, &key).await;
    }
    Ok(finish?)
}

/// Deletes a replay unless the database refers to it: a commit may have succeeded although its
/// answer was lost.
async fn delete_unnamed(store: &Store, blobs: &BlobStore, id: MatchId, key: &BlobKey) {
    let named = store
        .match_by_id(id)
        .await
        .map(|found| found.replay.as_deref() == Some(key.as_str()));
    let deleted = match named {
        Ok(false) => blobs.delete_blob(key).await.map_err(JobQueueError::from),
        Ok(true) => Ok(()),
        Err(error) => Err(error.into()),
    };
    deleted.unwrap_or_else(
        |error| tracing::warn!(%id, %error, "a replay without a result is left over"),
    );
}
