//! One person in a human match: connection, frames, clock and question. Time is an argument.

use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use leitai_game::Seat;
use tokio::sync::mpsc::Sender;

use crate::live::frame_buffer::{self, FrameBuffer};

/// How long somebody may be cut off at once.
pub const WINDOW: Duration = Duration::from_secs(30);
/// How long somebody may be cut off in a match altogether.
pub const CUT_OFF: Duration = Duration::from_secs(120);
/// Who comes back has so much time to look before its clock goes on.
const LOOK: Duration = Duration::from_secs(3);

/// One person in a human match.
#[derive(Default)]
pub struct Participant {
    line: Option<Connection>,
    lines: u64,
    presence: Presence,
    /// How long it was cut off before.
    cut_off: Duration,
    film: Option<(FrameBuffer, Vec<String>)>,
    /// The period whose time this is.
    period: Option<u32>,
    left: Duration,
    /// Since when its time runs, if it does.
    since: Option<Duration>,
    /// What it is asked.
    pub question: Option<PendingQuestion>,
}

/// A connection.
struct Connection {
    id: u64,
    sender: Sender<Utf8Bytes>,
}

/// Whether somebody is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// Has not come yet.
    #[default]
    Awaited,
    /// Is connected.
    Here,
    /// Was cut off then, and may come back.
    Away(Duration),
    /// Has resigned, or did not come back.
    Left,
}

/// What somebody is asked.
pub struct PendingQuestion {
    /// Where it sits.
    pub seat: Seat,
    /// Which step it is for.
    pub step: usize,
    /// Time for the whole period.
    pub budget: Duration,
    /// The message but for the time, without its closing brace.
    pub text: String,
    /// What was chosen; may change until it is given to the judge.
    pub chosen: Option<String>,
}

impl Participant {
    /// Whether somebody is there.
    pub fn current_presence(&self) -> Presence {
        self.presence
    }

    /// Somebody joins. Who sat there on another connection is disconnected.
    pub fn connect_person(&mut self, sender: Sender<Utf8Bytes>, now: Duration) -> u64 {
        if let Presence::Away(since) = self.presence {
            self.cut_off += now.saturating_sub(since);
        }
        let again = self.presence != Presence::Awaited;
        if self.presence != Presence::Left {
            self.presence = Presence::Here;
        }
        self.lines += 1;
        self.line = Some(Connection {
            id: self.lines,
            sender,
        });
        if self.question.is_some() && self.since.is_none() {
            self.since = Some(now + if again { LOOK } else { Duration::ZERO });
        }
        self.lines
    }

    /// The number of the last connection.
    pub fn connection_count(&self) -> u64 {
        self.lines
    }

    /// A connection is gone; tells whether it was the one in use.
    pub fn note_disconnect(&mut self, line: u64, now: Duration) -> bool {
        if self.line.as_ref().is_none_or(|own| own.id != line) {
            return false;
        }
        self.line = None;
        self.stop_clock(now);
        if self.presence == Presence::Here {
            self.presence = Presence::Away(now);
        }
        true
    }

    /// Somebody resigns.
    pub fn mark_left(&mut self) {
        self.presence = Presence::Left;
    }

    /// Hangs up.
    pub fn hang_up(&mut self) {
        self.line = None;
    }

    /// How long somebody who is cut off may still stay away.
    pub fn return_window(&self, now: Duration) -> Option<Duration> {
        let Presence::Away(since) = self.presence else {
            return None;
        };
        let whole = WINDOW.min(CUT_OFF.saturating_sub(self.cut_off));
        Some(whole.saturating_sub(now.saturating_sub(since)))
    }

    /// Sends a message. Who does not take its messages is cut off, and will get everything when it
    /// comes back.
    pub fn send_text(&mut self, text: Utf8Bytes, now: Duration) {
        let Some(line) = &self.line else { return };
        if line.sender.try_send(text).is_err() {
            let id = line.id;
            self.note_disconnect(id, now);
        }
    }

    /// A leg begins.
    pub fn film_anew(&mut self, reel: FrameBuffer, first: String) {
        (self.period, self.question, self.since) = (None, None, None);
        self.film = Some((reel, vec![first]));
    }

    /// The leg goes on; gives the new frames, joined by commas.
    pub fn append_frames(&mut self, tokens: &str, times_us: &[u64]) -> Option<String> {
        let (reel, parts) = self.film.as_mut()?;
        let joined = reel.append_frames(tokens, times_us);
        parts.push(joined.clone());
        Some(joined).filter(|joined| !joined.is_empty())
    }

    /// The leg so far, as a message.
    pub fn whole_leg_message(&self) -> Option<Utf8Bytes> {
        let (reel, parts) = self.film.as_ref()?;
        let filled: Vec<String> = parts
            .iter()
            .filter(|part| !part.is_empty())
            .cloned()
            .collect();
        Some(frame_buffer::join_leg_frames(reel.header_text(), &filled).into())
    }

    /// The frames of its leg.
    pub fn frame_buffer(&self) -> Option<&FrameBuffer> {
        self.film.as_ref().map(|(reel, _)| reel)
    }

    /// Its time runs for a question of this period.
    pub fn start_clock(&mut self, period: u32, question: PendingQuestion, now: Duration) {
        if self.period != Some(period) {
            (self.period, self.left) = (Some(period), question.budget);
        }
        self.question = Some(question);
        self.since = (self.presence == Presence::Here).then_some(now);
    }

    /// Its time stands still.
    pub fn stop_clock(&mut self, now: Duration) {
        self.left = self.time_left(now);
        self.since = None;
    }

    /// Time left in this period.
    pub fn time_left(&self, now: Duration) -> Duration {
        let used = self
            .since
            .map_or(Duration::ZERO, |since| now.saturating_sub(since));
        self.left.saturating_sub(used)
    }
}
