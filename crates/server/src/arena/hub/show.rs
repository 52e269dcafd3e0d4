//! A match and its spectators. As long as somebody watches, one task films what judges tell, at most four times a
//! second, and puts the texts where every spectator takes them; a match that nobody watches costs nothing.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use leitai_game::Eye;
use tokio::sync::{Notify, OnceCell, watch};
use tokio::time::Instant;

use super::feed::{Feed, Piece, Taken};
use super::message::Message;
use super::reel::{Cast, Reel, increment};
use super::screen::{Part, Place, Screen};
use super::{BeginMatch, LiveMatch, lock};

/// How often it is looked whether anybody still watches.
const LOOK: Duration = Duration::from_secs(5);
/// After filming for a while nothing is filmed for so many times that while: a match of fast programs takes at most a
/// quarter of a core.
const REST: u32 = 3;
/// Steps whose frames are kept as one part.
const PART: usize = 32;

/// One match and its spectators.
pub struct Show {
    pause: Duration,
    cast: Cast,
    feed: Mutex<Feed>,
    screen: Mutex<Screen>,
    film: Mutex<Film>,
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
struct Film {
    taken: Taken,
    reel: Option<Reel>,
}

impl fmt::Debug for Show {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Show")
            .field("feed", &self.feed)
            .field("watchers", &self.watchers)
            .finish_non_exhaustive()
    }
}

impl Show {
    /// Before the first leg.
    pub fn new(play: BeginMatch, pause: Duration) -> Show {
        let cast = Cast {
            game: play.game,
            setup: play.setup.clone(),
            legs: play.legs,
            entrants: play.entrants.clone(),
        };
        Show {
            pause,
            cast,
            feed: Mutex::new(Feed::new(play)),
            screen: Mutex::new(Screen::new(rand::random())),
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
    pub fn tell(&self, what: impl FnOnce(&mut Feed)) {
        what(&mut lock(&self.feed));
        self.told.notify_one();
    }

    /// Who is here.
    pub fn people(&self, message: Message) {
        lock(&self.screen).people(message);
        self.changed();
    }

    /// How it stands.
    pub fn stands(&self) -> LiveMatch {
        let spectators = self.watchers.load(Ordering::Relaxed);
        LiveMatch { spectators, ..lock(&self.feed).stands() }
    }

    #[cfg(test)]
    pub fn feed_for_test(&self) -> &Mutex<Feed> {
        &self.feed
    }

    fn changed(&self) {
        self.news.send_modify(|version| *version += 1);
    }

    /// Films everything that was told so far.
    fn film(&self) {
        let mut film = lock(&self.film);
        loop {
            let over = lock(&self.feed).is_over();
            let Some(piece) = lock(&self.feed).take(&mut film.taken) else {
                if over {
                    self.ended.store(true, Ordering::Release);
                    self.changed();
                }
                return;
            };
            self.show(&mut film, &piece);
            self.changed();
        }
    }

    fn show(&self, film: &mut Film, piece: &Piece) {
        if piece.begins {
            let (reel, first) = Reel::new(&self.cast, piece.index, Eye::All);
            lock(&self.screen).begin(reel.head(), first);
            film.reel = Some(reel);
        }
        let Some(reel) = &mut film.reel else { return };
        let parts = film_parts(reel, piece);
        if !parts.is_empty() {
            let joined: Vec<&str> = parts.iter().map(|part| &*part.joined).collect();
            let message = increment(piece.index, &joined.join(",")).into();
            lock(&self.screen).add(parts, message, reel.newest());
        }
    }
}

fn film_parts(reel: &mut Reel, piece: &Piece) -> Vec<Part> {
    let tokens: Vec<&str> = piece.tokens.split_ascii_whitespace().collect();
    let mut times_us = &*piece.times_us;
    let mut parts = Vec::new();
    for tokens in tokens.chunks(PART) {
        let before = reel.frames();
        let joined = reel.film(&tokens.join(" "), std::mem::take(&mut times_us));
        let frames = reel.frames() - before;
        if frames > 0 {
            parts.push(Part { joined, frames });
        }
    }
    parts
}

/// Films as long as somebody watches and something may come.
async fn film_on(show: Arc<Show>) {
    loop {
        let begun = Instant::now();
        let filming = show.clone();
        let filmed = tokio::task::spawn_blocking(move || {
            // Measured here: until this task is woken again, thousands of spectators may be served.
            let begun = Instant::now();
            filming.film();
            begun.elapsed()
        });
        let took = filmed.await.unwrap_or_else(|error| {
            tracing::error!(%error, "a film broke off");
            show.ended.store(true, Ordering::Release);
            show.changed();
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
            if show.watchers.load(Ordering::SeqCst) == 0 || show.films.swap(true, Ordering::SeqCst) {
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
pub struct Watch {
    show: Arc<Show>,
    place: Place,
    news: watch::Receiver<u64>,
}

impl Watch {
    /// From the beginning of the leg.
    pub fn new(show: Arc<Show>) -> Watch {
        show.watchers.fetch_add(1, Ordering::SeqCst);
        if !show.films.swap(true, Ordering::SeqCst) {
            tokio::spawn(film_on(show.clone()));
        }
        let news = show.news.subscribe();
        Watch { show, place: Place::default(), news }
    }

    /// The next message, once there is one; `None` when the match is over and everything was shown. Whoever takes them
    /// too slowly is given the leg anew (or its newest frame) instead of what was missed.
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

    /// With the newest frame of a leg at once; the frames before it are then asked for with [`earlier`](Watch::earlier).
    pub fn newest_first(mut self) -> Watch {
        self.place.newest_first = true;
        self
    }

    /// Frames of the leg from about this step on, as many as one message takes; `None` if another leg is played by now.
    pub fn earlier(&self, run: &str, from: usize) -> Option<Message> {
        lock(&self.show.screen).earlier(run, from)
    }

    /// The last message, which the first who wants it makes for all.
    pub async fn over(&self, make: impl Future<Output = String>) -> Utf8Bytes {
        self.show.over.get_or_init(|| async { make.await.into() }).await.clone()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.show.watchers.fetch_sub(1, Ordering::SeqCst);
    }
}
