//! Somebody who watches a match in a browser: over a WebSocket, from one server or another.

use std::collections::BTreeMap;

use futures_util::StreamExt;
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;

use crate::fleet::{PATIENCE, Server};

/// What a spectator saw.
#[derive(Debug, Default)]
pub struct Seen {
    /// The frames of each leg.
    pub legs: BTreeMap<u64, Vec<Value>>,
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
                let frames = shown["frames"].as_array().expect("frames").clone();
                let leg = shown["leg"].as_u64().expect("a number");
                // A match that is played again begins with its first leg.
                self.legs.retain(|other, _| *other < leg);
                self.legs.insert(leg, frames);
                self.beginnings += 1;
            }
            Some("frames") => {
                let leg = message["leg"].as_u64().expect("a number");
                let frames = self.legs.get_mut(&leg).expect("the leg was shown");
                frames.extend(
                    message["frames"]
                        .as_array()
                        .expect("frames")
                        .iter()
                        .cloned(),
                );
            }
            Some("finished") => self.finished = Some(message["match"].clone()),
            _ => {}
        }
        for frames in self.legs.values() {
            for (step, frame) in frames.iter().enumerate() {
                assert_eq!(frame["step"], step, "no gap and no double");
            }
        }
    }

    /// Asserts that every board was right: what was seen of each leg is the beginning of the
    /// recorded leg, or all of it. The last leg may lack its end where a server or the bus was away;
    /// `whole` says whether it may not.
    pub fn assert_right(&self, server: &Server, id: i64, whole: bool) {
        for (leg, seen) in &self.legs {
            let path = format!("/api/matches/{id}/frames?leg={leg}&perspective=all");
            let recorded = server.get(&path);
            let recorded = recorded["frames"].as_array().expect("frames");
            for (seen, recorded) in seen.iter().zip(recorded) {
                assert_eq!(board_of(seen), board_of(recorded), "match {id}, leg {leg}");
            }
            assert!(seen.len() <= recorded.len());
            assert!(
                !whole || seen.len() == recorded.len(),
                "match {id}, leg {leg}"
            );
        }
    }
}

/// A frame without the times: those of moves that were played again are another's.
fn board_of(frame: &Value) -> Value {
    let mut board = frame.clone();
    if let Some(parts) = board.as_object_mut() {
        parts.remove("spent_us");
    }
    board
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
