//! Somebody who watches a match in a browser: over a WebSocket, from one server or another.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use futures_util::StreamExt;
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;

use crate::fleet::{PATIENCE, Server};

/// The pause before a connection is tried again, as a page has one.
const PAUSE: Duration = Duration::from_millis(500);

/// The hash of a board.
type Board = u64;

/// What a spectator saw.
#[derive(Debug, Default)]
pub struct Seen {
    /// The boards of each leg.
    pub legs: BTreeMap<u64, Vec<Board>>,
    /// The number of boards that it was ever shown, also by a page that it left.
    pub shown: usize,
    /// The number of messages that showed a leg from its beginning.
    pub beginnings: usize,
    /// The match with its result.
    pub finished: Option<Value>,
}

impl Seen {
    fn see(&mut self, text: &str) {
        let message: Value = serde_json::from_str(text).expect("JSON");
        match message["type"].as_str() {
            Some("leg") => {
                let shown = &message["frames_of_leg"];
                let frames = boards_of(&shown["frames"], 0);
                let leg = shown["leg"].as_u64().expect("a number");
                // A match that is played again begins with its first leg.
                self.legs.retain(|other, _| *other < leg);
                self.shown += frames.len();
                self.legs.insert(leg, frames);
                self.beginnings += 1;
            }
            Some("frames") => {
                let leg = message["leg"].as_u64().expect("a number");
                let frames = self.legs.get_mut(&leg).expect("the leg was shown");
                let new = boards_of(&message["frames"], frames.len());
                self.shown += new.len();
                frames.extend(new);
            }
            Some("finished") => self.finished = Some(message["match"].clone()),
            _ => {}
        }
    }

    /// Asserts that every board was right: what was seen of each leg is the beginning of the
    /// recorded leg, or all of it. The last leg may lack its end where a server or the bus was away;
    /// `whole` says whether it may not.
    pub fn assert_right(&self, server: &Server, id: i64, whole: bool) {
        let recorded = Recorded::of(server, id, self.legs.keys().copied());
        self.assert_like(&recorded, whole);
    }

    /// The same with what was read before.
    pub fn assert_like(&self, recorded: &Recorded, whole: bool) {
        let id = recorded.id;
        for (leg, seen) in &self.legs {
            let recorded = &recorded.legs[leg];
            for (step, (seen, recorded)) in seen.iter().zip(recorded).enumerate() {
                assert_eq!(seen, recorded, "match {id}, leg {leg}, step {step}");
            }
            assert!(seen.len() <= recorded.len());
            assert!(
                !whole || seen.len() == recorded.len(),
                "match {id}, leg {leg}"
            );
        }
    }
}

/// The boards of a recorded match.
pub struct Recorded {
    id: i64,
    legs: BTreeMap<u64, Vec<Board>>,
}

impl Recorded {
    /// Reads these legs.
    pub fn of(server: &Server, id: i64, legs: impl Iterator<Item = u64>) -> Recorded {
        let read = |leg: u64| {
            let path = format!("/api/matches/{id}/frames?leg={leg}&perspective=all");
            (leg, boards_of(&server.get(&path)["frames"], 0))
        };
        Recorded {
            id,
            legs: legs.map(read).collect(),
        }
    }
}

/// The boards of frames whose first one has this step.
fn boards_of(frames: &Value, first: usize) -> Vec<Board> {
    let frames = frames.as_array().expect("frames");
    let boards = frames.iter().zip(first..).map(|(frame, step)| {
        assert_eq!(frame["step"], step, "no gap and no double");
        board_of(frame)
    });
    boards.collect()
}

/// The hash of a frame without the times: those of moves that were played again are another's.
fn board_of(frame: &Value) -> Board {
    let parts = frame.as_object().expect("a frame is an object");
    let mut hasher = DefaultHasher::new();
    for (name, part) in parts.iter().filter(|(name, _)| *name != "spent_us") {
        (name, part.to_string()).hash(&mut hasher);
    }
    hasher.finish()
}

/// Watches a match until it is over or the connection breaks.
pub fn watch(server: &Server, id: i64) -> JoinHandle<Seen> {
    let url = format!("ws://{}/api/matches/{id}/live", server.address);
    tokio::spawn(async move {
        let mut seen = Seen::default();
        let watched = tokio::time::timeout(PATIENCE, watch_once(&url, &mut seen));
        assert!(
            watched.await.is_ok(),
            "match {id} did not end: {:?}",
            seen.finished
        );
        seen
    })
}

/// Watches a match until it is over, and joins again at the next of these servers whenever the
/// connection breaks. A new connection is a new page: it forgets what it saw.
pub fn watch_to_the_end(servers: &[&Server], id: i64) -> JoinHandle<Seen> {
    let urls: Vec<String> = servers
        .iter()
        .map(|server| format!("ws://{}/api/matches/{id}/live", server.address))
        .collect();
    tokio::spawn(async move {
        let watched = tokio::time::timeout(PATIENCE, async {
            let mut shown = 0;
            for url in urls.iter().cycle() {
                let mut seen = Seen {
                    shown,
                    ..Seen::default()
                };
                watch_once(url, &mut seen).await;
                shown = seen.shown;
                if seen.finished.is_some() {
                    return seen;
                }
                tokio::time::sleep(PAUSE).await;
            }
            unreachable!("there is a server")
        });
        watched.await.expect("the match ends")
    })
}

async fn watch_once(url: &str, seen: &mut Seen) {
    let Ok((mut socket, _)) = tokio_tungstenite::connect_async(url).await else {
        return;
    };
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Text(text) = message {
            seen.see(&text);
        }
        if seen.finished.is_some() {
            return;
        }
    }
}
