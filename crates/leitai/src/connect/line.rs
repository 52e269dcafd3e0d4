//! The WebSocket to a seat of a match in an arena, on a thread of its own. It is opened again when it is
//! cut, as long as the arena waits.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use leitai_game::clean_text::clean_line;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// How long a cut connection is tried again: longer than the arena waits.
const PATIENCE: Duration = Duration::from_secs(90);
/// The pause between two tries.
const PAUSE: Duration = Duration::from_millis(500);
/// Closing codes after which it makes no sense to join again: flood, too long, no seat, replaced.
const FINAL_CODES: [u16; 4] = [1008, 1009, 4403, 4409];

/// The place of a seat.
pub struct SeatAddress {
    /// `wss://…/api/matches/…/play`
    pub url: String,
    /// An API token of the account.
    pub account_token: String,
    /// The token of the seat.
    pub seat_token: String,
}

/// What happens on the line.
pub enum LineEvent {
    /// A message of the arena.
    Message(Value),
    /// The connection is cut, and tried again.
    Cut,
    /// The arena does not let the program play on, or cannot be reached any more.
    Refused(String),
}

/// A line to a seat.
pub struct ArenaLine {
    /// What happened.
    pub events: mpsc::Receiver<LineEvent>,
    /// Readable when something happened.
    pub wake: UnixStream,
    words: UnboundedSender<String>,
}

impl ArenaLine {
    /// Opens a line.
    pub fn open(address: SeatAddress) -> anyhow::Result<ArenaLine> {
        let (wake, waker) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        waker.set_nonblocking(true)?;
        let (sender, events) = mpsc::channel();
        let (words, said) = unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let events_out = Events { sender, waker };
        std::thread::Builder::new()
            .name("line".to_owned())
            .spawn(move || runtime.block_on(keep_line(address, events_out, said)))?;
        Ok(ArenaLine {
            events,
            wake,
            words,
        })
    }

    /// Sends a message; while the connection is cut it is lost.
    pub fn say(&self, word: &Value) {
        // The thread is gone only after its last event.
        _ = self.words.send(word.to_string());
    }
}

struct Events {
    sender: mpsc::Sender<LineEvent>,
    waker: UnixStream,
}

impl Events {
    fn send(&self, event: LineEvent) {
        // Nobody listens any more at the end; a full pipe wakes as well.
        _ = self.sender.send(event);
        _ = (&self.waker).write(&[0]);
    }
}

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn keep_line(address: SeatAddress, events: Events, mut said: UnboundedReceiver<String>) {
    let mut cut = Instant::now();
    loop {
        match join(&address).await {
            Ok(socket) => {
                while said.try_recv().is_ok() {}
                match serve(socket, &events, &mut said).await {
                    Some(why) => return events.send(LineEvent::Refused(why)),
                    None if said.is_closed() => return,
                    None => {}
                }
                cut = Instant::now();
                events.send(LineEvent::Cut);
            }
            Err(Error::Http(answer)) => {
                let body = answer.body().clone().unwrap_or_default();
                let why = refusal(answer.status().as_u16(), &body);
                return events.send(LineEvent::Refused(why));
            }
            Err(error) if cut.elapsed() >= PATIENCE => {
                return events.send(LineEvent::Refused(error.to_string()));
            }
            Err(_) => {}
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The arena's message for a refused connection.
fn refusal(status: u16, body: &[u8]) -> String {
    let said: Option<Value> = serde_json::from_slice(body).ok();
    let message = said
        .as_ref()
        .and_then(|said| said["error"]["message"].as_str());
    message.map_or(format!("HTTP {status}"), |text| {
        clean_line(text).into_owned()
    })
}

async fn join(address: &SeatAddress) -> Result<Socket, Error> {
    let mut request = address.url.as_str().into_client_request()?;
    let bearer = format!("Bearer {}", address.account_token);
    let bearer = bearer.parse().map_err(|_| Error::AttackAttempt)?;
    request.headers_mut().insert("authorization", bearer);
    // Small messages go at once: nothing waits for more.
    let (mut socket, _) = connect_async_with_config(request, None, true).await?;
    let word = json!({"type": "join", "token": address.seat_token});
    socket.send(Message::text(word.to_string())).await?;
    Ok(socket)
}

/// Serves a connection until it is cut; or until the arena ends it for good, and says why.
async fn serve(
    mut socket: Socket,
    events: &Events,
    said: &mut UnboundedReceiver<String>,
) -> Option<String> {
    loop {
        tokio::select! {
            message = socket.next() => match message {
                Some(Ok(Message::Text(text))) => {
                    if let Ok(message) = serde_json::from_str(&text) {
                        events.send(LineEvent::Message(message));
                    }
                }
                Some(Ok(Message::Close(Some(frame)))) => {
                    let code = u16::from(frame.code);
                    let why = clean_line(&frame.reason).into_owned();
                    return FINAL_CODES.contains(&code).then_some(why);
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return None,
            },
            word = said.recv() => match word {
                Some(word) => socket.send(Message::text(word)).await.ok()?,
                None => return None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_by_https_knows_how_to_begin_even_where_nobody_speaks_it() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let place = listener.local_addr().expect("it is bound");
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("somebody comes");
            stream.write_all(b"no handshake at all").expect("it reads");
        });
        let address = SeatAddress {
            url: format!("wss://{place}/api/matches/1/play"),
            account_token: "leitai_x".to_owned(),
            seat_token: String::new(),
        };
        let runtime = tokio::runtime::Runtime::new().expect("it starts");
        let joined = runtime.block_on(join(&address));
        assert!(!matches!(joined, Ok(_) | Err(Error::Url(_))), "no line");
        server.join().expect("it was asked");
    }
}
