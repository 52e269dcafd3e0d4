//! A running match and its spectators. As long as somebody watches, one task computes frames from
//! the move log, at most four times a second, and puts the messages into the backlog that all
//! spectators read. A match without spectators costs nothing.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use leitai_game::Perspective;
use tokio::sync::{Notify, OnceCell, watch};
use tokio::time::Instant;

use super::backlog::{BacklogCursor, FrameBacklog, Part};
use super::frame_buffer::{FrameBuffer, LegFramesHeader, join_new_frames};
use super::match_state::{LiveMatchStart, LiveMatchState};
use super::message::SpectatorMessage;
use super::move_log::{MoveLog, MoveLogCursor, MoveLogPiece};
use super::outlet::MatchOutlet;
use crate::sync::lock;

/// The interval of the check whether anybody still watches.
const LOOK: Duration = Duration::from_secs(5);
/// After computing frames the task pauses for this multiple of the time it took: a match of fast
/// programs uses at most a quarter of a core.
const REST: u32 = 3;
/// Steps per part.
const PART: usize = 32;

/// One match and its spectators.
pub struct LiveMatch {
    pause: Duration,
    header: LegFramesHeader,
    moves: Mutex<MoveLog>,
    backlog: Mutex<FrameBacklog>,
    progress: Mutex<FrameProgress>,
    /// Signals new moves.
    moved: Notify,
    /// A version that grows with every change of the backlog.
    changes: watch::Sender<u64>,
    watchers: AtomicUsize,
    /// Whether the frame task runs.
    task_runs: AtomicBool,
    /// Whether the backlog is complete: the match is over and all frames are computed.
    ended: AtomicBool,
    /// The last message, made once for all spectators.
    over: OnceCell<Utf8Bytes>,
    /// Tells other servers what happens, if there may be any.
    outlet: Option<MatchOutlet>,
}

/// The progress of the frame task.
#[derive(Default)]
struct FrameProgress {
    taken: MoveLogCursor,
    buffer: Option<FrameBuffer>,
}

impl fmt::Debug for LiveMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Show")
            .field("feed", &self.moves)
            .field("watchers", &self.watchers)
            .finish_non_exhaustive()
    }
}

impl LiveMatch {
    /// A live match before its first leg.
    pub fn new(play: LiveMatchStart, pause: Duration) -> LiveMatch {
        let header = LegFramesHeader {
            game: play.game.clone(),
            setup: play.setup.clone(),
            legs: play.legs,
            entrants: play.entrants.clone(),
        };
        LiveMatch {
            pause,
            header,
            moves: Mutex::new(MoveLog::new(play)),
            backlog: Mutex::new(FrameBacklog::new(rand::random())),
            progress: Mutex::default(),
            moved: Notify::new(),
            changes: watch::Sender::new(0),
            watchers: AtomicUsize::new(0),
            task_runs: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            over: OnceCell::new(),
            outlet: None,
        }
    }

    /// Tells other servers what happens in the match.
    pub fn with_outlet(mut self, outlet: Option<MatchOutlet>) -> LiveMatch {
        self.outlet = outlet;
        self
    }

    /// The outlet to other servers, and the moves so far.
    pub fn shared_moves(&self) -> Option<(&MatchOutlet, MutexGuard<'_, MoveLog>)> {
        Some((self.outlet.as_ref()?, lock(&self.moves)))
    }

    /// Updates the move log and wakes the frame task.
    pub fn update_moves<T>(&self, what: impl FnOnce(&mut MoveLog) -> T) -> T {
        let mut moves = lock(&self.moves);
        let result = what(&mut moves);
        if let Some(outlet) = &self.outlet {
            outlet.share_moves(&moves);
        }
        drop(moves);
        self.moved.notify_one();
        result
    }

    /// Sets the presence message of the people who play.
    pub fn set_presence(&self, message: SpectatorMessage) {
        if let Some(outlet) = &self.outlet {
            outlet.share_presence(message.text().as_str());
        }
        lock(&self.backlog).set_presence(message);
        self.notify_change();
    }

    /// The present state.
    pub fn current_state(&self) -> LiveMatchState {
        let spectators = self.watchers.load(Ordering::Relaxed);
        LiveMatchState {
            spectators,
            ..lock(&self.moves).current_state()
        }
    }

    /// The moves so far, as far as spectators may see them.
    pub fn moves(&self) -> &Mutex<MoveLog> {
        &self.moves
    }

    fn notify_change(&self) {
        self.changes.send_modify(|version| *version += 1);
    }

    /// Computes the frames of all new moves.
    fn make_frames(&self) {
        let mut progress = lock(&self.progress);
        loop {
            let over = lock(&self.moves).is_over();
            let Some(piece) = lock(&self.moves).take_piece(&mut progress.taken) else {
                if over {
                    self.ended.store(true, Ordering::Release);
                    self.notify_change();
                }
                return;
            };
            self.append_piece(&mut progress, &piece);
            self.notify_change();
        }
    }

    fn append_piece(&self, progress: &mut FrameProgress, piece: &MoveLogPiece) {
        if piece.begins {
            let (buffer, first) = FrameBuffer::new(&self.header, piece.index, Perspective::All);
            lock(&self.backlog).begin_leg(piece.index, buffer.header_text(), first);
            progress.buffer = Some(buffer);
        }
        let Some(buffer) = &mut progress.buffer else {
            return;
        };
        let parts = make_parts(buffer, piece);
        if !parts.is_empty() {
            let joined: Vec<&str> = parts.iter().map(|part| &*part.joined).collect();
            let message = join_new_frames(piece.index, &joined.join(",")).into();
            lock(&self.backlog).append_frames(parts, message, buffer.newest_frame());
        }
    }
}

fn make_parts(buffer: &mut FrameBuffer, piece: &MoveLogPiece) -> Vec<Part> {
    let tokens: Vec<&str> = piece.tokens.split_ascii_whitespace().collect();
    let mut times_us = &*piece.times_us;
    let mut parts = Vec::new();
    for tokens in tokens.chunks(PART) {
        let before = buffer.frame_count();
        let joined = buffer.append_frames(&tokens.join(" "), std::mem::take(&mut times_us));
        let frames = buffer.frame_count() - before;
        if frames > 0 {
            parts.push(Part { joined, frames });
        }
    }
    parts
}

/// Runs the frame task as long as there are spectators and the match is not over.
async fn run_frame_task(live_match: Arc<LiveMatch>) {
    loop {
        let begun = Instant::now();
        let computing = live_match.clone();
        let computed = tokio::task::spawn_blocking(move || {
            // The time is measured inside the blocking thread: until this task is woken again,
            // thousands of spectators may be served.
            let begun = Instant::now();
            computing.make_frames();
            begun.elapsed()
        });
        let took = computed.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the frames were not computed");
            live_match.ended.store(true, Ordering::Release);
            live_match.notify_change();
            Duration::ZERO
        });
        let until = begun + live_match.pause.max(took * (REST + 1));
        if live_match.ended.load(Ordering::Acquire) {
            return;
        }
        tokio::time::sleep_until(until).await;
        if live_match.watchers.load(Ordering::SeqCst) == 0 {
            live_match.task_runs.store(false, Ordering::SeqCst);
            // A spectator may have arrived between the two lines above and found the task still
            // running.
            if live_match.watchers.load(Ordering::SeqCst) == 0
                || live_match.task_runs.swap(true, Ordering::SeqCst)
            {
                return;
            }
        }
        tokio::select! {
            () = live_match.moved.notified() => {}
            // Wakes up to check whether there are spectators left.
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// A spectator.
pub struct Spectator {
    live_match: Arc<LiveMatch>,
    place: BacklogCursor,
    changes: watch::Receiver<u64>,
    /// Keeps a match of another server here.
    _follow: Option<Arc<dyn Send + Sync>>,
}

impl Spectator {
    /// A spectator who starts at the beginning of the present leg.
    pub fn new(live_match: Arc<LiveMatch>, follow: Option<Arc<dyn Send + Sync>>) -> Spectator {
        live_match.watchers.fetch_add(1, Ordering::SeqCst);
        if !live_match.task_runs.swap(true, Ordering::SeqCst) {
            tokio::spawn(run_frame_task(live_match.clone()));
        }
        let changes = live_match.changes.subscribe();
        Spectator {
            live_match,
            place: BacklogCursor::default(),
            changes,
            _follow: follow,
        }
    }

    /// Waits for the next message; `None` when the match is over and everything was sent. A slow
    /// spectator receives the leg again (or its newest frame) instead of the missed messages.
    pub async fn next(&mut self) -> Option<SpectatorMessage> {
        loop {
            self.changes.borrow_and_update();
            let ended = self.live_match.ended.load(Ordering::Acquire);
            if let Some(message) = lock(&self.live_match.backlog).next(&mut self.place) {
                return Some(message);
            }
            if ended || self.changes.changed().await.is_err() {
                return None;
            }
        }
    }

    /// How far this spectator has read.
    pub fn place(&self) -> BacklogCursor {
        self.place
    }

    /// Goes on where the same spectator was in a run of the match that this one replaces: the leg
    /// that it watched comes to its end before the next one.
    pub fn after(mut self, place: BacklogCursor) -> Spectator {
        self.place = place.in_another_backlog();
        self
    }

    /// Starts with the newest frame of a leg; the client requests the frames before it with
    /// [`earlier_frames`](Spectator::earlier_frames).
    pub fn newest_first(mut self) -> Spectator {
        self.place.newest_first = true;
        self
    }

    /// Earlier frames of the run from about this step on, as many as one message takes; `None` if
    /// another run is being played.
    pub fn earlier_frames(&self, run: &str, from: usize) -> Option<SpectatorMessage> {
        lock(&self.live_match.backlog).earlier_frames(run, from)
    }

    /// The last message, which the first caller makes for all.
    pub async fn wait_for_end(&self, make: impl Future<Output = String>) -> Utf8Bytes {
        self.live_match
            .over
            .get_or_init(|| async { make.await.into() })
            .await
            .clone()
    }
}

impl Drop for Spectator {
    fn drop(&mut self) {
        self.live_match.watchers.fetch_sub(1, Ordering::SeqCst);
    }
}
