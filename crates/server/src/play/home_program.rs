//! A program that stays on its author's machine, in the place of a person: the bytes that the judge
//! and the program have sent each other in this leg, and how long the way between them is. Whoever
//! connects again gets what was missed, by the number of bytes. Time is an argument.

use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use leitai_game::lang::{Message, say};
use serde_json::json;

/// The most that is not charged of the time for one question: the latency that was measured last, but
/// never more than this, because the program's side may delay its answers to pings.
pub const FREE: Duration = Duration::from_secs(1);
/// The most bytes of a program that wait to be read.
pub const MOST_WAITING: usize = 256 << 10;
/// The most measurements of a match that are kept for the median.
const MOST_MEASURED: usize = 4096;
/// The least time between two pings.
const PING: Duration = Duration::from_secs(1);

/// A program at home in one leg, and its connection in the match.
#[derive(Debug, Default)]
pub struct HomeProgram {
    /// Another one for each beginning of a leg, also of the same leg in another server, which asks from its start.
    run: u64,
    sent: Vec<u8>,
    received: usize,
    waiting: Vec<u8>,
    has_exited: bool,
    is_flooded: bool,
    /// The number of the last ping.
    pings: u64,
    pinged: Option<Duration>,
    /// Whether the last ping is answered.
    answered: bool,
    latency: Option<Latency>,
    /// What was measured, at most so often.
    measured: Vec<Duration>,
}

/// The measured time to the program and back.
#[derive(Clone, Copy, Debug)]
struct Latency {
    last: Duration,
    least: Duration,
    most: Duration,
}

/// What became of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputTaken {
    /// It waits to be read.
    New,
    /// It came before, or does not follow what came before.
    Known,
    /// It is more than may wait.
    TooMuch,
}

impl HomeProgram {
    /// A program before its first leg in this server.
    pub fn new() -> HomeProgram {
        HomeProgram {
            run: u64::from(rand::random::<u32>()),
            ..HomeProgram::default()
        }
    }

    /// Begins a leg with a new program.
    pub fn begin_leg(&mut self) {
        self.run += 1;
        self.sent.clear();
        self.waiting.clear();
        (self.received, self.has_exited, self.is_flooded) = (0, false, false);
    }

    /// The leg so far: what the program should have got, and how much of its output has come.
    pub fn stream_message(&self, index: usize) -> Utf8Bytes {
        let (run, received) = (self.run, self.received);
        let data = STANDARD.encode(&self.sent);
        let text = json!({
            "type": "stream", "leg": index + 1, "run": run, "received": received, "data": data,
        });
        text.to_string().into()
    }

    /// Keeps bytes for the program, and gives the message that brings them.
    pub fn input_message(&mut self, index: usize, bytes: &[u8]) -> Utf8Bytes {
        let at = self.sent.len();
        self.sent.extend_from_slice(bytes);
        let data = STANDARD.encode(bytes);
        json!({"type": "input", "leg": index + 1, "run": self.run, "at": at, "data": data})
            .to_string()
            .into()
    }

    /// Takes output that begins after so many bytes of this leg.
    pub fn take_output(&mut self, at: usize, data: &str) -> OutputTaken {
        let Ok(bytes) = STANDARD.decode(data) else {
            return OutputTaken::Known;
        };
        let known = self.received.checked_sub(at);
        let Some(new) = known.and_then(|known| bytes.get(known..)) else {
            return OutputTaken::Known;
        };
        if new.is_empty() || self.is_flooded {
            return OutputTaken::Known;
        }
        if self.waiting.len() + new.len() > MOST_WAITING {
            self.is_flooded = true;
            return OutputTaken::TooMuch;
        }
        self.received += new.len();
        self.waiting.extend_from_slice(new);
        OutputTaken::New
    }

    /// The output that was not read yet.
    pub fn take_waiting(&mut self) -> Option<Vec<u8>> {
        (!self.waiting.is_empty()).then(|| std::mem::take(&mut self.waiting))
    }

    /// The program has ended.
    pub fn note_exit(&mut self) {
        self.has_exited = true;
    }

    /// Whether it sent more than may wait.
    pub fn is_flooded(&self) -> bool {
        self.is_flooded
    }

    /// Why no more output comes, if so, as the end of a sentence.
    pub fn end(&self) -> Option<Message> {
        if self.is_flooded {
            return Some(say!("sent more than {MOST_WAITING} bytes ahead"));
        }
        let ended = || say!("ended on the machine of its author before the match was over");
        self.has_exited.then(ended)
    }

    /// A new ping, which replaces one that is not answered.
    pub fn ping(&mut self, now: Duration) -> Utf8Bytes {
        self.pings += 1;
        (self.pinged, self.answered) = (Some(now), false);
        json!({"type": "ping", "n": self.pings}).to_string().into()
    }

    /// A new ping, unless there was one a moment ago.
    pub fn ping_when_due(&mut self, now: Duration) -> Option<Utf8Bytes> {
        let is_due = self
            .pinged
            .is_none_or(|then| now.saturating_sub(then) >= PING);
        is_due.then(|| self.ping(now))
    }

    /// The answer to a ping; another one than the last is ignored. Gives the message that tells what was measured.
    pub fn note_pong(&mut self, n: u64, now: Duration) -> Option<Utf8Bytes> {
        let pinged = self.pinged.filter(|_| n == self.pings && !self.answered)?;
        self.answered = true;
        let last = now.saturating_sub(pinged);
        let (least, most) = self
            .latency
            .map_or((last, last), |known| (known.least, known.most));
        self.latency = Some(Latency {
            last,
            least: least.min(last),
            most: most.max(last),
        });
        if self.measured.len() < MOST_MEASURED {
            self.measured.push(last);
        }
        let us = last.as_micros() as u64;
        Some(json!({"type": "latency", "us": us}).to_string().into())
    }

    /// What of the time for the next question is not charged. Nothing is known at first.
    pub fn free_time(&self) -> Duration {
        self.latency.map_or(FREE, |latency| latency.last.min(FREE))
    }

    /// The median of what was measured, in microseconds.
    pub fn median_latency(&self) -> Option<i64> {
        let mut measured = self.measured.clone();
        measured.sort_unstable();
        let middle = measured.get(measured.len() / 2)?;
        i64::try_from(middle.as_micros()).ok()
    }

    /// What the connection was like, for the log of the program.
    pub fn describe_connection(&self, cuts: u64, away: Duration) -> String {
        let millis = |time: Duration| time.as_secs_f64() * 1000.0;
        let latency = self.latency.map_or("?".to_owned(), |latency| {
            let (least, most) = (millis(latency.least), millis(latency.most));
            format!("{least:.1} ms – {most:.1} ms")
        });
        let (free, away) = (millis(FREE), away.as_secs_f64());
        // The reader's language is not known when it is written.
        format!(
            "connection: latency {latency} (free: {free:.0} ms), cuts {cuts} ({away:.1} s)\n\
             连接：延迟 {latency}（不计入用时：{free:.0} ms），断线 {cuts} 次（{away:.1} s）"
        )
    }
}
