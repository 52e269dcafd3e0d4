//! A running match and its spectators. As long as somebody watches, one task computes frames from
//! the move log, at most four times a second, and puts the messages into the backlog that all
//! spectators read. A match without spectators costs nothing.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use leitai_game::Perspective;
use tokio::sync::{Notify, OnceCell, watch};
use tokio::time::Instant;

use super::backlog::{BacklogCursor, FrameBacklog, Part};
use super::frame_buffer::{FrameBuffer, LegFramesHeader, join_new_frames};
use super::message::SpectatorMessage;
use super::move_log::{MoveLog, MoveLogCursor, MoveLogPiece};
use super::{LiveMatchStart, LiveMatchState};
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
    cast: LegFramesHeader,
    feed: Mutex<MoveLog>,
    screen: Mutex<FrameBacklog>,
    film: Mutex<FrameProgress>,
    /// Signals new moves.
    told: Notify,
    /// A version that grows with every change of the backlog.
    news: watch::Sender<u64>,
    watchers: AtomicUsize,
    /// Whether the frame task runs.
    films: AtomicBool,
    /// Whether the backlog is complete: the match is over and all frames are computed.
    ended: AtomicBool,
    /// The last message, made once for all spectators.
    over: OnceCell<Utf8Bytes>,
}

/// The progress of the frame task.
#[derive(Default)]
struct FrameProgress {
    taken: MoveLogCursor,
    reel: Option<FrameBuffer>,
}

impl fmt::Debug for LiveMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Show")
            .field("feed", &self.feed)
            .field("watchers", &self.watchers)
            .finish_non_exhaustive()
    }
}

impl LiveMatch {
    /// A live match before its first leg.
    pub fn new(play: LiveMatchStart, pause: Duration) -> LiveMatch {
        let cast = LegFramesHeader {
            game: play.game,
            setup: play.setup.clone(),
            legs: play.legs,
            entrants: play.entrants.clone(),
        };
        LiveMatch {
            pause,
            cast,
            feed: Mutex::new(MoveLog::new(play)),
            screen: Mutex::new(FrameBacklog::new(rand::random())),
            film: Mutex::default(),
            told: Notify::new(),
            news: watch::Sender::new(0),
            watchers: AtomicUsize::new(0),
            films: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            over: OnceCell::new(),
        }
    }

    /// Updates the move log and wakes the frame task.
    pub fn update_moves(&self, what: impl FnOnce(&mut MoveLog)) {
        what(&mut lock(&self.feed));
        self.told.notify_one();
    }

    /// Sets the presence message of the people who play.
    pub fn set_people(&self, message: SpectatorMessage) {
        lock(&self.screen).set_people(message);
        self.notify_change();
    }

    /// The present state.
    pub fn current_state(&self) -> LiveMatchState {
        let spectators = self.watchers.load(Ordering::Relaxed);
        LiveMatchState {
            spectators,
            ..lock(&self.feed).current_state()
        }
    }

    #[cfg(test)]
    pub fn feed_for_test(&self) -> &Mutex<MoveLog> {
        &self.feed
    }

    fn notify_change(&self) {
        self.news.send_modify(|version| *version += 1);
    }

    /// Computes the frames of all new moves.
    fn make_frames(&self) {
        let mut film = lock(&self.film);
        loop {
            let over = lock(&self.feed).is_over();
            let Some(piece) = lock(&self.feed).take_piece(&mut film.taken) else {
                if over {
                    self.ended.store(true, Ordering::Release);
                    self.notify_change();
                }
                return;
            };
            self.append_piece(&mut film, &piece);
            self.notify_change();
        }
    }

    fn append_piece(&self, film: &mut FrameProgress, piece: &MoveLogPiece) {
        if piece.begins {
            let (reel, first) = FrameBuffer::new(&self.cast, piece.index, Perspective::All);
            lock(&self.screen).begin_leg(reel.header_text(), first);
            film.reel = Some(reel);
        }
        let Some(reel) = &mut film.reel else { return };
        let parts = make_parts(reel, piece);
        if !parts.is_empty() {
            let joined: Vec<&str> = parts.iter().map(|part| &*part.joined).collect();
            let message = join_new_frames(piece.index, &joined.join(",")).into();
            lock(&self.screen).append_frames(parts, message, reel.newest_frame());
        }
    }
}

fn make_parts(reel: &mut FrameBuffer, piece: &MoveLogPiece) -> Vec<Part> {
    let tokens: Vec<&str> = piece.tokens.split_ascii_whitespace().collect();
    let mut times_us = &*piece.times_us;
    let mut parts = Vec::new();
    for tokens in tokens.chunks(PART) {
        let before = reel.frame_count();
        let joined = reel.append_frames(&tokens.join(" "), std::mem::take(&mut times_us));
        let frames = reel.frame_count() - before;
        if frames > 0 {
            parts.push(Part { joined, frames });
        }
    }
    parts
}

/// Runs the frame task as long as there are spectators and the match is not over.
async fn run_frame_task(show: Arc<LiveMatch>) {
    loop {
        let begun = Instant::now();
        let filming = show.clone();
        let filmed = tokio::task::spawn_blocking(move || {
            // The time is measured inside the blocking thread: until this task is woken again,
            // thousands of spectators may be served.
            let begun = Instant::now();
            filming.make_frames();
            begun.elapsed()
        });
        let took = filmed.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the frames were not computed");
            show.ended.store(true, Ordering::Release);
            show.notify_change();
            Duration::ZERO
        });
        let until = begun + show.pause.max(took * (REST + 1));
        if show.ended.load(Ordering::Acquire) {
            return;
        }
        tokio::time::sleep_until(until).await;
        if show.watchers.load(Ordering::SeqCst) == 0 {
            show.films.store(false, Ordering::SeqCst);
            // A spectator may have arrived between the two lines above and found the task still
            // running.
            if show.watchers.load(Ordering::SeqCst) == 0 || show.films.swap(true, Ordering::SeqCst)
            {
                return;
            }
        }
        tokio::select! {
            () = show.told.notified() => {}
            // Wakes up to check whether there are spectators left.
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// A spectator.
#[derive(Debug)]
pub struct Spectator {
    show: Arc<LiveMatch>,
    place: BacklogCursor,
    news: watch::Receiver<u64>,
}

impl Spectator {
    /// A spectator who starts at the beginning of the present leg.
    pub fn new(show: Arc<LiveMatch>) -> Spectator {
        show.watchers.fetch_add(1, Ordering::SeqCst);
        if !show.films.swap(true, Ordering::SeqCst) {
            tokio::spawn(run_frame_task(show.clone()));
        }
        let news = show.news.subscribe();
        Spectator {
            show,
            place: BacklogCursor::default(),
            news,
        }
    }

    /// Waits for the next message; `None` when the match is over and everything was sent. A slow
    /// spectator receives the leg again (or its newest frame) instead of the missed messages.
    pub async fn next(&mut self) -> Option<SpectatorMessage> {
        loop {
            self.news.borrow_and_update();
            let ended = self.show.ended.load(Ordering::Acquire);
            if let Some(message) = lock(&self.show.screen).next(&mut self.place) {
                return Some(message);
            }
            if ended || self.news.changed().await.is_err() {
                return None;
            }
        }
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
        lock(&self.show.screen).earlier_frames(run, from)
    }

    /// The last message, which the first caller makes for all.
    pub async fn wait_for_end(&self, make: impl Future<Output = String>) -> Utf8Bytes {
        self.show
            .over
            .get_or_init(|| async { make.await.into() })
            .await
            .clone()
    }
}

impl Drop for Spectator {
    fn drop(&mut self) {
        self.show.watchers.fetch_sub(1, Ordering::SeqCst);
    }
}
