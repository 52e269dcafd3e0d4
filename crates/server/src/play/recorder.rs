//! Records the moves of a human match in the database while it is played.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use leitai_game::replay::LegRecord;
use leitai_judge::MatchProgress;
use leitai_store::{Lease, MatchId, Store};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::sync::lock;

/// The pause between two writes of one match.
const PAUSE: Duration = Duration::from_millis(200);

/// Takes moves from the judge's thread, which never waits for the database. Clones share one
/// recorder.
#[derive(Clone)]
pub struct MoveRecorder {
    shared: Arc<RecorderInner>,
}

struct RecorderInner {
    store: Store,
    lease: Lease,
    id: MatchId,
    /// Unwritten legs by index.
    new: Mutex<BTreeMap<usize, String>>,
    arrived: Notify,
    /// Held during a write.
    writing: tokio::sync::Mutex<()>,
}

/// The writing task; dropping this stops it.
#[derive(Debug)]
pub struct Writing(JoinHandle<()>);

impl Drop for Writing {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl MoveRecorder {
    /// Records the match of this lease.
    pub fn start(store: Store, lease: Lease, id: MatchId) -> (MoveRecorder, Writing) {
        let (new, arrived, writing) = Default::default();
        let recorder = MoveRecorder {
            shared: Arc::new(RecorderInner {
                store,
                lease,
                id,
                new,
                arrived,
                writing,
            }),
        };
        let writing = recorder.clone();
        let task = tokio::spawn(async move {
            loop {
                writing.shared.arrived.notified().await;
                writing.write().await;
                tokio::time::sleep(PAUSE).await;
            }
        });
        (recorder, Writing(task))
    }

    /// Records a leg as far as it was played.
    pub fn record_progress(&self, progress: &MatchProgress<'_>) {
        let (replies, times_us) = (progress.replies.to_owned(), progress.times_us.to_vec());
        self.record_leg(
            progress.index,
            &LegRecord {
                replies,
                times_us,
                ..LegRecord::default()
            },
        );
    }

    /// Records a leg.
    pub fn record_leg(&self, index: usize, record: &LegRecord) {
        let text = serde_json::to_string(record).expect("a record is plain data");
        lock(&self.shared.new).insert(index, text);
        self.shared.arrived.notify_one();
    }

    /// Writes the unwritten legs.
    pub async fn write(&self) {
        let RecorderInner {
            store,
            lease,
            id,
            new,
            writing,
            ..
        } = &*self.shared;
        let _alone = writing.lock().await;
        let legs = std::mem::take(&mut *lock(new));
        for (index, record) in legs {
            match store.record_leg(lease, *id, index, record.clone()).await {
                Ok(true) => {}
                Ok(false) => tracing::debug!(%id, "moves of a match that somebody else has"),
                Err(error) => {
                    tracing::warn!(%id, %error, "moves could not be recorded; tried again with the next");
                    lock(new).entry(index).or_insert(record);
                }
            }
        }
    }
}
