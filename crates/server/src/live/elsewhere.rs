//! How far the matches of other servers are, and how many people watch there: for lists, which show
//! the live matches of the whole arena. Servers tell each other every second, while somebody looks
//! at lists at one of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::sync::lock;

/// A server that has said nothing for so long plays nothing any more.
const LASTS: Duration = Duration::from_secs(5);
/// How long the others tell it after a list was looked at. The pages ask every 10 s.
const WANTED: Duration = Duration::from_secs(30);

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

    /// Takes what a server says.
    pub fn hear(&self, from: String, said: ServerProgress) {
        let (mut heard, now) = (lock(&self.0), Instant::now());
        if said.asks {
            heard.asked = Some(now);
        }
        heard.by_server.insert(from, (now, said.matches));
        (heard.by_server).retain(|_, (said, _)| said.elapsed() < LASTS);
    }

    /// Whether lists are looked at here, and whether at any other server.
    pub fn looks(&self) -> (bool, bool) {
        let heard = lock(&self.0);
        let is_recent = |at: Option<Instant>| at.is_some_and(|at| at.elapsed() < WANTED);
        let lasts = |at: Option<Instant>| at.is_some_and(|at| at.elapsed() < LASTS);
        (is_recent(heard.looked), lasts(heard.asked))
    }
}
