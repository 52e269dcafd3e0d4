//! Live matches and their spectators. Judges report moves; a match with spectators is replayed here
//! from these moves, and its frames are computed once for all spectators.
//!
//! | module | noun |
//! |---|---|
//! | [`move_log`] | the replies of a match as the judge reported them |
//! | `match_state` | a live match at its start, and how far it is |
//! | [`message`] | one message to spectators, as text and compressed |
//! | [`frame_buffer`] | the frames of one leg from one perspective, computed while it is played |
//! | [`backlog`] | the messages of a leg, and how far each spectator has read |
//! | `live_match` | a match and its spectators: who computes the frames, and when |
//! | `shared` | what servers tell each other about a running match |
//! | `sharing` | tells other servers about the matches here, and answers their questions |
//! | [`elsewhere`] | how far the matches of other servers are, for lists |
//! | `outlet` | tells other servers what happens in a match of this one |
//! | `follow` | a match of another server, followed while somebody watches it here |
//! | [`told_token`] | a reply with what a judge program showed after it |
//! | [`frame_service`] | leg frames of recorded matches, computed a few at a time |
//! | [`spectators`] | how many watch, by address |
//! | [`audience`] | whether anybody is there to watch |

pub mod audience;
pub mod backlog;
pub mod elsewhere;
pub mod follow;
pub mod frame_buffer;
pub mod frame_service;
pub mod live_match;
pub mod match_state;
pub mod message;
pub mod move_log;
mod outlet;
pub mod shared;
mod sharing;
pub mod spectators;
pub mod told_token;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use metrics::gauge;

use crate::metrics_registry;
use crate::sync::lock;

use elsewhere::{Elsewhere, SharedProgress};
pub use follow::MatchCheck;
use follow::{Follow, OtherServers};
pub use frame_buffer::LegFramesHeader;
use live_match::LiveMatch;
pub use live_match::Spectator;
pub use match_state::{LiveMatchStart, LiveMatchState};
pub use message::SpectatorMessage;
pub use move_log::{LegProgress, MoveLog, ProgressReader, ReportedSteps};

/// All live matches. Cheap to clone. No method blocks, so that a judge's thread may call it.
#[derive(Clone, Debug)]
pub struct LiveMatches {
    /// The pause between two messages with frames.
    pause: Duration,
    live_matches: Arc<Mutex<BTreeMap<i64, Arc<LiveMatch>>>>,
    /// Signals that a match has begun.
    begun: Arc<tokio::sync::Notify>,
    /// The other servers of the arena, if there may be any.
    pub others: Arc<OnceLock<Arc<OtherServers>>>,
    /// What they said last of the matches there.
    pub elsewhere: Elsewhere,
}

/// With at most four messages a second.
impl Default for LiveMatches {
    fn default() -> LiveMatches {
        LiveMatches::with_pause(Duration::from_millis(250))
    }
}

impl LiveMatches {
    /// Sets the pause between two messages to a spectator.
    pub fn with_pause(pause: Duration) -> LiveMatches {
        LiveMatches {
            pause,
            live_matches: Arc::default(),
            begun: Arc::default(),
            others: Arc::default(),
            elsewhere: Elsewhere::default(),
        }
    }

    /// Adds a match that begins, or begins again.
    pub fn begin_match(&self, begin: LiveMatchStart) {
        let id = begin.id;
        let others = self.others.get();
        let outlet = others.map(|others| outlet::MatchOutlet::open(others.bus.clone(), id));
        let live_match = Arc::new(LiveMatch::new(begin, self.pause).with_outlet(outlet));
        let announced = live_match.clone();
        let (old, now) = {
            let mut live_matches = lock(&self.live_matches);
            (live_matches.insert(id, live_match), live_matches.len())
        };
        if let Some(old) = old {
            old.update_moves(MoveLog::end_match);
        }
        gauge!(metrics_registry::LIVE).set(now as f64);
        // Who watched it here while another server played it goes on with this one.
        let followed = others.and_then(|others| others.find_follow(id)?.live_match());
        if let Some(followed) = followed {
            followed.update_moves(MoveLog::end_match);
        }
        if let Some((outlet, _)) = announced.shared_moves() {
            outlet.announce_match();
        }
        self.begun.notify_waiters();
    }

    /// Begins a leg (index from 0).
    pub fn begin_leg(&self, id: i64, index: usize) {
        self.update_moves(id, |moves| moves.ensure_leg(index));
    }

    /// Appends reply tokens, separated by spaces, and the wall time of every reply in microseconds,
    /// in the order of [`LegRecord::times_us`](leitai_game::replay::LegRecord::times_us) (empty
    /// where it is not known).
    pub fn append_steps(&self, id: i64, index: usize, tokens: &str, times_us: &[u64]) {
        self.update_moves(id, |moves| moves.append_steps(index, tokens, times_us));
    }

    /// The same for steps that come after those reported before. Steps that are here already are
    /// ignored, and so are those before which others are missing: they would make another board.
    pub fn continue_steps(
        &self,
        id: i64,
        index: usize,
        after: ReportedSteps,
        tokens: &str,
        times_us: &[u64],
    ) {
        self.update_moves(id, |moves| {
            moves.continue_steps(index, after, tokens, times_us)
        });
    }

    /// Restarts a leg that is played again from its beginning.
    pub fn restart_leg(&self, id: i64, index: usize) {
        self.update_moves(id, |moves| moves.restart_leg(index));
    }

    /// Sets the presence message of the people who play.
    pub fn set_presence(&self, id: i64, message: String) {
        if let Some(live_match) = self.find_match(id) {
            live_match.set_presence(message.into());
        }
    }

    /// Ends a match that is over or will be played again later. Must be called after the result is
    /// stored, because spectators are then sent the stored result.
    pub fn end_match(&self, id: i64) {
        let (live_match, now) = {
            let mut live_matches = lock(&self.live_matches);
            (live_matches.remove(&id), live_matches.len())
        };
        if let Some(live_match) = live_match {
            live_match.update_moves(MoveLog::end_match);
        }
        gauge!(metrics_registry::LIVE).set(now as f64);
    }

    /// The states of all live matches, the oldest first.
    pub fn list_matches(&self) -> Vec<LiveMatchState> {
        let live_matches: Vec<Arc<LiveMatch>> =
            lock(&self.live_matches).values().cloned().collect();
        live_matches
            .iter()
            .map(|live_match| live_match.current_state())
            .collect()
    }

    /// The state of a match, if it is live here or followed here.
    pub fn match_state(&self, id: i64) -> Option<LiveMatchState> {
        let own = self.find_match(id);
        let live_match = own.or_else(|| self.others.get()?.find_follow(id)?.live_match())?;
        Some(live_match.current_state())
    }

    /// How far a match is, if it is live at any server, and how many watch it at all of them.
    pub fn progress_anywhere(&self, id: i64) -> SharedProgress {
        let here = self.match_state(id);
        let elsewhere = self.elsewhere.look_up(id);
        let at = here.as_ref().map(|now| (now.leg, now.round, now.rounds));
        let scores = here.as_ref().and_then(LiveMatchState::entrant_scores);
        SharedProgress {
            id,
            at: at.or(elsewhere.at),
            scores: scores.or(elsewhere.scores),
            spectators: here.map_or(0, |now| now.spectators) + elsewhere.spectators,
        }
    }

    /// Watches a live match from the beginning of its leg. Must be called in a runtime.
    pub fn watch_match(&self, id: i64) -> Option<Spectator> {
        Some(Spectator::new(self.find_match(id)?, None))
    }

    /// Waits until a match is live, here or on another server, and watches it.
    pub async fn watch_when_begun(&self, id: i64) -> Spectator {
        let mut follow: Option<Arc<Follow>> = None;
        loop {
            let begun = self.begun.notified();
            if let Some(watch) = self.watch_match(id) {
                return watch;
            }
            if let Some(others) = self.others.get() {
                let follow = follow.get_or_insert_with(|| others.follow_match(id));
                if let Some(live_match) = follow.live_match() {
                    return Spectator::new(live_match, Some(follow.clone()));
                }
            }
            begun.await;
        }
    }

    /// The match, if it is live here.
    pub fn find_match(&self, id: i64) -> Option<Arc<LiveMatch>> {
        lock(&self.live_matches).get(&id).cloned()
    }

    fn update_moves(&self, id: i64, what: impl FnOnce(&mut MoveLog)) {
        if let Some(live_match) = self.find_match(id) {
            live_match.update_moves(what);
        }
    }
}
