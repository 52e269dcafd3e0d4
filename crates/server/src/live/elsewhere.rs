//! How far the matches of other servers are, and how many people watch there: for lists, which show
//! the live matches of the whole arena. Servers tell each other every second, while somebody looks
//! at lists at one of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::{Instant, MissedTickBehavior};

use super::{LiveMatchState, LiveMatches};
use crate::bus::{ArenaBus, BusMessage};
use crate::sync::lock;

/// Where every server tells it.
const PROGRESS: &str = "live.progress";
/// The pause between two messages.
const EVERY: Duration = Duration::from_secs(1);
/// The pause after an error of the bus.
const PAUSE: Duration = Duration::from_secs(1);
/// A server that has said nothing for so long plays nothing any more.
const LASTS: Duration = Duration::from_secs(5);
/// How long the others tell it after a list was looked at. The pages ask every 10 s.
const WANTED: Duration = Duration::from_secs(30);
/// The most matches in one message.
const MOST: usize = 4_096;

/// What a server says of its live matches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ServerProgress {
    /// Whether lists are looked at there, so that it wants to know this of the others.
    pub asks: bool,
    /// The matches that it plays, and those of others that somebody watches there.
    pub matches: Vec<SharedProgress>,
}

/// What a server says of one match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedProgress {
    /// The match.
    pub id: i64,
    /// Leg, round and last possible round, from the server that plays it.
    pub at: Option<(usize, u32, u32)>,
    /// The scores of that leg, in the order of the entrants; `None` while they are secret. Servers of
    /// earlier versions do not say them.
    #[serde(default)]
    pub scores: Option<[i32; 2]>,
    /// How many people watch it there.
    pub spectators: usize,
}

/// What the other servers said last. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Elsewhere(Arc<Mutex<Heard>>);

#[derive(Debug, Default)]
struct Heard {
    by_server: BTreeMap<String, (Instant, Vec<SharedProgress>)>,
    /// When a list was looked at here.
    looked: Option<Instant>,
    /// When another server asked.
    asked: Option<Instant>,
}

impl Elsewhere {
    /// A match at the other servers, all together.
    pub fn look_up(&self, id: i64) -> SharedProgress {
        let mut heard = lock(&self.0);
        heard.looked = Some(Instant::now());
        let mut found = SharedProgress {
            id,
            at: None,
            scores: None,
            spectators: 0,
        };
        let alive = heard.by_server.values();
        for (_, matches) in alive.filter(|(said, _)| said.elapsed() < LASTS) {
            for one in matches.iter().filter(|one| one.id == id) {
                found.at = found.at.or(one.at);
                found.scores = found.scores.or(one.scores);
                found.spectators += one.spectators;
            }
        }
        found
    }

    fn hear(&self, from: String, said: ServerProgress) {
        let (mut heard, now) = (lock(&self.0), Instant::now());
        if said.asks {
            heard.asked = Some(now);
        }
        heard.by_server.insert(from, (now, said.matches));
        (heard.by_server).retain(|_, (said, _)| said.elapsed() < LASTS);
    }

    /// Whether lists are looked at here, and whether at any other server.
    fn looks(&self) -> (bool, bool) {
        let heard = lock(&self.0);
        let is_recent = |at: Option<Instant>| at.is_some_and(|at| at.elapsed() < WANTED);
        let lasts = |at: Option<Instant>| at.is_some_and(|at| at.elapsed() < LASTS);
        (is_recent(heard.looked), lasts(heard.asked))
    }
}

/// Tells the other servers how far the matches of this one are, and hears them, for ever.
pub async fn share_progress(live: LiveMatches, bus: ArenaBus) {
    let mut tick = tokio::time::interval(EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        if let Ok(mut others) = bus.subscribe(PROGRESS).await {
            loop {
                tokio::select! {
                    _ = tick.tick() => tell(&live, &bus),
                    message = others.next() => match message {
                        Some(message) => hear(&live, &bus, &message),
                        None => break,
                    },
                }
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn tell(live: &LiveMatches, bus: &ArenaBus) {
    let (asks, is_asked) = live.elsewhere.looks();
    let matches = if is_asked {
        progress_here(live)
    } else {
        Vec::new()
    };
    if asks || is_asked {
        bus.publish(PROGRESS, &ServerProgress { asks, matches });
    }
}

fn progress_here(live: &LiveMatches) -> Vec<SharedProgress> {
    let shared = |now: LiveMatchState, is_own: bool| SharedProgress {
        id: now.id,
        at: is_own.then_some((now.leg, now.round, now.rounds)),
        scores: now.entrant_scores().filter(|_| is_own),
        spectators: now.spectators,
    };
    let own = live.list_matches().into_iter().map(|now| shared(now, true));
    let followed = live.others.get().map(|others| others.list_matches());
    let followed = followed.into_iter().flatten().map(|now| shared(now, false));
    own.chain(followed).take(MOST).collect()
}

fn hear(live: &LiveMatches, bus: &ArenaBus, message: &BusMessage) {
    let said = bus.read::<ServerProgress>(message);
    // The bus brings a server's own messages back.
    if let Some(said) = said.filter(|said| said.from != bus.server()) {
        live.elsewhere.hear(said.from, said.body);
    }
}
