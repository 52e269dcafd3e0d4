//! The matches that are played now, for whoever watches. Judges tell what was said; a match that somebody watches is
//! played again here, and its frames are made once for all.
//!
//! | module | noun |
//! |---|---|
//! | [`feed`] | what judges have told of a match |

pub mod feed;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use leitai_game::{AnyGame, AnySetup, ByEntrant, BySeat};

use feed::Feed;

/// Every match that is played now. Cheap to clone; no method waits for anybody, so that a judge's thread may call it.
#[derive(Clone, Debug, Default)]
pub struct Hub {
    shows: Arc<Mutex<BTreeMap<i64, Arc<Show>>>>,
}

/// A match that begins.
#[derive(Clone)]
pub struct BeginMatch {
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
    /// Whether a person plays. Under fog such a match is only shown leg by leg, when the leg is over.
    pub people: bool,
}

/// How a match stands.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveMatch {
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
    /// How many watch.
    pub spectators: usize,
}

impl Hub {
    /// A match begins; also when it is played once more from its beginning.
    pub fn begin(&self, begin: BeginMatch) {
        let show = Arc::new(Show { feed: Mutex::new(Feed::new(begin.clone())) });
        lock(&self.shows).insert(begin.id, show);
    }

    /// A leg begins (index from 0).
    pub fn leg(&self, id: i64, index: usize) {
        self.tell(id, |feed| feed.leg(index));
    }

    /// More was said in this leg: reply tokens separated by spaces, and the wall time of every reply in microseconds, in
    /// the order of [`LegRecord::times_us`](leitai_game::replay::LegRecord::times_us) (empty where it is not known).
    pub fn steps(&self, id: i64, index: usize, tokens: &str, times_us: &[u64]) {
        self.tell(id, |feed| feed.steps(index, tokens, times_us));
    }

    /// The leg is played again from its beginning.
    pub fn again(&self, id: i64, index: usize) {
        self.tell(id, |feed| feed.again(index));
    }

    /// The match is over, or will be played another time. To be told when its result is stored: whoever watches is
    /// shown what the store says then.
    pub fn over(&self, id: i64) {
        self.tell(id, Feed::over);
        lock(&self.shows).remove(&id);
    }

    /// How every match stands, the oldest first.
    pub fn live(&self) -> Vec<LiveMatch> {
        let shows: Vec<Arc<Show>> = lock(&self.shows).values().cloned().collect();
        shows.iter().map(|show| lock(&show.feed).stands()).collect()
    }

    fn tell(&self, id: i64, what: impl FnOnce(&mut Feed)) {
        let show = lock(&self.shows).get(&id).cloned();
        if let Some(show) = show {
            what(&mut lock(&show.feed));
        }
    }
}

/// One match and its spectators.
#[derive(Debug)]
struct Show {
    feed: Mutex<Feed>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
