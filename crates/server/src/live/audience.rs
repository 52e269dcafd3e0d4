//! Whether anybody is there to watch exhibitions.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use leitai_store::Timestamp;

use super::spectators::SpectatorCounter;

/// How long a visitor is taken to be there after a request. The home page sends one every 10 s.
const STAYS: Duration = Duration::from_secs(60);

/// The visitors of this server's pages. Clones share it.
#[derive(Clone, Debug)]
pub struct Audience {
    spectators: SpectatorCounter,
    last_visit: Arc<AtomicI64>,
}

impl Audience {
    /// The audience that these spectators are a part of.
    pub fn new(spectators: SpectatorCounter) -> Audience {
        Audience {
            spectators,
            last_visit: Arc::new(AtomicI64::new(i64::MIN)),
        }
    }

    /// A page that shows live matches asked for news.
    pub fn note_visit(&self, at: Timestamp) {
        self.last_visit.fetch_max(at.0, Ordering::Relaxed);
    }

    /// Whether somebody watches a match, or has looked at a page a moment ago.
    pub fn is_present(&self, at: Timestamp) -> bool {
        let last = Timestamp(self.last_visit.load(Ordering::Relaxed));
        last >= at.before(STAYS) || self.spectators.is_any()
    }
}
