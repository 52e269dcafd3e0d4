//! The matches that are played now, for whoever watches. Judges tell what was said; a match that
//! somebody watches is played again here, and its frames are made once for all.
//!
//! | module | noun |
//! |---|---|
//! | [`feed`] | what judges have told of a match |
//! | [`message`] | what is sent to spectators, as text and compressed |
//! | [`reel`] | one leg, filmed for one eye while it is played |
//! | [`screen`] | what spectators are sent, and how far each of them is |
//! | `show` | a match and its spectators: who films it, and when |

pub mod feed;
pub mod message;
pub mod reel;
pub mod screen;
mod show;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use leitai_game::{AnyGame, AnySetup, ByEntrant, BySeat};
use metrics::gauge;

use crate::health;

pub use feed::{LegProgress, MoveLog, ProgressReader};
pub use message::Message;
pub use reel::LegFramesHeader;
use show::LiveMatch;
pub use show::Spectator;

/// Every match that is played now. Cheap to clone; no method waits for anybody, so that a judge's
/// thread may call it.
#[derive(Clone, Debug)]
pub struct LiveMatches {
    /// Between two messages with frames.
    pause: Duration,
    shows: Arc<Mutex<BTreeMap<i64, Arc<LiveMatch>>>>,
    /// Told when a match begins.
    begun: Arc<tokio::sync::Notify>,
}

/// A match that begins.
#[derive(Clone)]
pub struct LiveMatchStart {
    /// The match's id.
    pub id: i64,
    /// The game.
    pub game: &'static dyn AnyGame,
    /// Chance as it fell.
    pub setup: Arc<dyn AnySetup>,
    /// How many legs are played at most.
    pub legs: usize,
    /// The names of both.
    pub entrants: ByEntrant<String>,
    /// Whether a person plays. Under fog such a match is only shown leg by leg, when the leg is
    /// over.
    pub people: bool,
}

/// How a match stands.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveMatchState {
    /// The match's id.
    pub id: i64,
    /// The leg that is played, from 1.
    pub leg: usize,
    /// The round that is played, from 1.
    pub round: u32,
    /// The last round the leg can have.
    pub rounds: u32,
    /// The score of the leg as it stands, first and second; `None` while it is secret.
    pub scores: Option<BySeat<i32>>,
    /// How many watch, the people who play not counted.
    pub spectators: usize,
}

/// With at most four messages a second.
impl Default for LiveMatches {
    fn default() -> LiveMatches {
        LiveMatches::pausing(Duration::from_millis(250))
    }
}

impl LiveMatches {
    /// With so long a pause between two messages to a spectator.
    pub fn pausing(pause: Duration) -> LiveMatches {
        LiveMatches {
            pause,
            shows: Arc::default(),
            begun: Arc::default(),
        }
    }

    /// A match begins; also when it is played once more from its beginning.
    pub fn begin(&self, begin: LiveMatchStart) {
        let id = begin.id;
        let show = Arc::new(LiveMatch::new(begin, self.pause));
        let (old, now) = {
            let mut shows = lock(&self.shows);
            (shows.insert(id, show), shows.len())
        };
        if let Some(old) = old {
            old.update_moves(MoveLog::end_match);
        }
        gauge!(health::LIVE).set(now as f64);
        self.begun.notify_waiters();
    }

    /// A leg begins (index from 0).
    pub fn leg(&self, id: i64, index: usize) {
        self.tell(id, |feed| feed.ensure_leg(index));
    }

    /// More was said in this leg: reply tokens separated by spaces, and the wall time of every
    /// reply in microseconds, in the order of
    /// [`LegRecord::times_us`](leitai_game::replay::LegRecord::times_us) (empty where it is not
    /// known).
    pub fn steps(&self, id: i64, index: usize, tokens: &str, times_us: &[u64]) {
        self.tell(id, |feed| feed.append_steps(index, tokens, times_us));
    }

    /// The leg is played again from its beginning.
    pub fn again(&self, id: i64, index: usize) {
        self.tell(id, |feed| feed.restart_leg(index));
    }

    /// Who of the people who play is here: a message for spectators.
    pub fn people(&self, id: i64, message: String) {
        if let Some(show) = self.show(id) {
            show.set_people(message.into());
        }
    }

    /// The match is over, or will be played another time. To be told when its result is stored:
    /// whoever watches is shown what the store says then.
    pub fn over(&self, id: i64) {
        let (show, now) = {
            let mut shows = lock(&self.shows);
            (shows.remove(&id), shows.len())
        };
        if let Some(show) = show {
            show.update_moves(MoveLog::end_match);
        }
        gauge!(health::LIVE).set(now as f64);
    }

    /// How every match stands, the oldest first.
    pub fn live(&self) -> Vec<LiveMatchState> {
        let shows: Vec<Arc<LiveMatch>> = lock(&self.shows).values().cloned().collect();
        shows.iter().map(|show| show.current_state()).collect()
    }

    /// How a match stands, if it is played now.
    pub fn stands(&self, id: i64) -> Option<LiveMatchState> {
        Some(self.show(id)?.current_state())
    }

    /// Watches a match that is played now, from the beginning of its leg. To be called in a
    /// runtime.
    pub fn watch(&self, id: i64) -> Option<Spectator> {
        Some(Spectator::new(self.show(id)?))
    }

    /// Watches a match as soon as it is played.
    pub async fn watch_when_begun(&self, id: i64) -> Spectator {
        loop {
            let begun = self.begun.notified();
            if let Some(watch) = self.watch(id) {
                return watch;
            }
            begun.await;
        }
    }

    fn show(&self, id: i64) -> Option<Arc<LiveMatch>> {
        lock(&self.shows).get(&id).cloned()
    }

    fn tell(&self, id: i64, what: impl FnOnce(&mut MoveLog)) {
        if let Some(show) = self.show(id) {
            show.update_moves(what);
        }
    }
}

/// The lock. Whoever panicked with it left nothing half done that anybody relies on.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
