//! A match and its spectators. As long as somebody watches, one task films what judges tell, at
//! most four times a second, and puts the texts where every spectator takes them; a match that
//! nobody watches costs nothing.

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
use super::message::Message;
use super::move_log::{MoveLog, MoveLogCursor, MoveLogPiece};
use super::{LiveMatchStart, LiveMatchState};
use crate::sync::lock;

/// How often it is looked whether anybody still watches.
const LOOK: Duration = Duration::from_secs(5);
/// After filming for a while nothing is filmed for so many times that while: a match of fast
/// programs takes at most a quarter of a core.
const REST: u32 = 3;
/// Steps whose frames are kept as one part.
const PART: usize = 32;

/// One match and its spectators.
pub struct LiveMatch {
    pause: Duration,
    cast: LegFramesHeader,
    feed: Mutex<MoveLog>,
    screen: Mutex<FrameBacklog>,
    film: Mutex<FrameProgress>,
    /// Judges have told something.
    told: Notify,
    /// Grows when the screen changes.
    news: watch::Sender<u64>,
    watchers: AtomicUsize,
    /// A task films.
    films: AtomicBool,
    /// Everything is on the screen, and nothing more will come.
    ended: AtomicBool,
    /// What is said at the end, made once for all.
    over: OnceCell<Utf8Bytes>,
}

/// Where the film stands.
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
    /// Before the first leg.
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

    /// A judge tells something.
    pub fn update_moves(&self, what: impl FnOnce(&mut MoveLog)) {
        what(&mut lock(&self.feed));
        self.told.notify_one();
    }

    /// Who is here.
    pub fn set_people(&self, message: Message) {
        lock(&self.screen).set_people(message);
        self.notify_change();
    }

    /// How it stands.
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

    /// Films everything that was told so far.
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
        let parts = film_parts(reel, piece);
        if !parts.is_empty() {
            let joined: Vec<&str> = parts.iter().map(|part| &*part.joined).collect();
            let message = join_new_frames(piece.index, &joined.join(",")).into();
            lock(&self.screen).append_frames(parts, message, reel.newest());
        }
    }
}

fn film_parts(reel: &mut FrameBuffer, piece: &MoveLogPiece) -> Vec<Part> {
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

/// Films as long as somebody watches and something may come.
async fn film_on(show: Arc<LiveMatch>) {
    loop {
        let begun = Instant::now();
        let filming = show.clone();
        let filmed = tokio::task::spawn_blocking(move || {
            // Measured here: until this task is woken again, thousands of spectators may be served.
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
            // Somebody may have come between the two lines above and found the task still there.
            if show.watchers.load(Ordering::SeqCst) == 0 || show.films.swap(true, Ordering::SeqCst)
            {
                return;
            }
        }
        tokio::select! {
            () = show.told.notified() => {}
            // Nobody may be left to film for.
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
    /// From the beginning of the leg.
    pub fn new(show: Arc<LiveMatch>) -> Spectator {
        show.watchers.fetch_add(1, Ordering::SeqCst);
        if !show.films.swap(true, Ordering::SeqCst) {
            tokio::spawn(film_on(show.clone()));
        }
        let news = show.news.subscribe();
        Spectator {
            show,
            place: BacklogCursor::default(),
            news,
        }
    }

    /// The next message, once there is one; `None` when the match is over and everything was shown.
    /// Whoever takes them too slowly is given the leg anew (or its newest frame) instead of what
    /// was missed.
    pub async fn next(&mut self) -> Option<Message> {
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

    /// With the newest frame of a leg at once; the frames before it are then asked for with
    /// [`earlier`](Watch::earlier).
    pub fn newest_first(mut self) -> Spectator {
        self.place.newest_first = true;
        self
    }

    /// Frames of the leg from about this step on, as many as one message takes; `None` if another
    /// leg is played by now.
    pub fn earlier(&self, run: &str, from: usize) -> Option<Message> {
        lock(&self.show.screen).earlier(run, from)
    }

    /// The last message, which the first who wants it makes for all.
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
