//! A person who plays a match, over a WebSocket of one server or another.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::fleet::{PATIENCE, Server};

/// The pause before a connection is tried again, as a page has one.
const PAUSE: Duration = Duration::from_millis(200);

/// A person at a seat.
pub struct Player {
    id: i64,
    token: String,
    seat: String,
    /// Where the person tries to join, again and again in this order.
    servers: Vec<String>,
    /// One for each answer that the person may give.
    permits: Arc<Semaphore>,
}

impl Player {
    /// A person with this seat, who goes to these servers.
    pub fn new(seat: &Value, servers: &[&Server], permits: &Arc<Semaphore>) -> Player {
        Player {
            id: seat["match"].as_i64().expect("a number"),
            token: seat["token"].as_str().expect("text").to_owned(),
            seat: seat["seat"].as_str().unwrap_or_default().to_owned(),
            servers: servers
                .iter()
                .map(|server| server.address.clone())
                .collect(),
            permits: permits.clone(),
        }
    }

    /// Plays until the match is over, and joins again whenever the connection is cut; gives the last
    /// message.
    pub fn play(self) -> JoinHandle<Value> {
        tokio::spawn(async move {
            let played = tokio::time::timeout(PATIENCE, self.play_on());
            played.await.expect("the match goes on")
        })
    }

    async fn play_on(&self) -> Value {
        for server in self.servers.iter().cycle() {
            if let Some(mut socket) = self.join_at(server).await
                && let Ok(finished) = self.answer_questions(&mut socket).await
            {
                return finished;
            }
            tokio::time::sleep(PAUSE).await;
        }
        unreachable!("there is a server")
    }

    /// Joins at the first server once; gives the code with which it closes the connection.
    pub async fn join_in_vain(&self) -> Option<u16> {
        let mut socket = self.join_at(&self.servers[0]).await.expect("it answers");
        self.answer_questions(&mut socket)
            .await
            .expect_err("no seat")
    }

    async fn join_at(&self, server: &str) -> Option<WebSocketStream<MaybeTlsStream<TcpStream>>> {
        let url = format!("ws://{server}/api/matches/{}/play", self.id);
        let (mut socket, _) = tokio_tungstenite::connect_async(&url).await.ok()?;
        let word = json!({"type": "join", "token": self.token});
        socket.send(Message::text(word.to_string())).await.ok()?;
        Some(socket)
    }

    /// Answers until the match is over and gives the last message; or the code with which the
    /// connection is closed.
    async fn answer_questions(
        &self,
        socket: &mut WebSocketStream<MaybeTlsStream<TcpStream>>,
    ) -> Result<Value, Option<u16>> {
        while let Some(Ok(message)) = socket.next().await {
            let message: Value = match message {
                Message::Text(text) => serde_json::from_str(&text).expect("JSON"),
                Message::Close(frame) => return Err(frame.map(|frame| frame.code.into())),
                _ => continue,
            };
            if message["type"] == "finished" {
                return Ok(message);
            }
            if message["type"] == "question" {
                let permit = self.permits.acquire().await.expect("it is open");
                permit.forget();
                // A connection that is cut is noticed by the next read.
                _ = socket.send(Message::text(self.answer(&message))).await;
            }
        }
        Err(None)
    }

    fn answer(&self, question: &Value) -> String {
        let choices = question["choices"].as_array().expect("a list");
        let ahead = self.find_way(question);
        let is_free = choices
            .iter()
            .any(|choice| choice["action"] == ahead && choice["legal"] == true);
        assert!(is_free, "{question}");
        let (leg, step) = (&question["leg"], &question["step"]);
        json!({"type": "choose", "leg": leg, "step": step, "action": ahead}).to_string()
    }

    /// The way in which a snake of SnakeGo goes straight on for a while: the first seat begins at the
    /// upper edge, the second one at the lower edge, and seats swap.
    fn find_way(&self, question: &Value) -> &'static str {
        let is_first = (self.seat == "a") == (question["leg"] == 1);
        if is_first { "4" } else { "2" }
    }
}
