//! One person in a human match: connection, frames, clock and question. Time is an argument.

use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use leitai_game::Seat;
use tokio::sync::mpsc::Sender;

use super::home_program::HomeProgram;
use super::phrases::SpeechLimit;
use crate::live::frame_buffer::{self, FrameBuffer};

/// The longest single absence.
pub const WINDOW: Duration = Duration::from_secs(30);
/// The longest total absence in a match.
pub const CUT_OFF: Duration = Duration::from_secs(120);
/// The delay after a reconnection before the clock continues.
const LOOK: Duration = Duration::from_secs(3);

/// One person in a human match.
#[derive(Default)]
pub struct Participant {
    connection: Option<Connection>,
    connections: u64,
    presence: Presence,
    /// The total of earlier absences.
    cut_off: Duration,
    frames: Option<(FrameBuffer, Vec<String>)>,
    /// The period of `left`.
    period: Option<u32>,
    left: Duration,
    /// When the clock was started, if it runs.
    since: Option<Duration>,
    /// What of the time for this question is not charged: the way to a program and back.
    free: Duration,
    /// The conversation with the judge, if it is a program on its author's machine.
    pub program: Option<HomeProgram>,
    /// How often the person has spoken.
    pub speech: SpeechLimit,
    /// What the other person said last while this one was away.
    missed: Option<Utf8Bytes>,
    /// The open question.
    pub question: Option<PendingQuestion>,
    /// Whether the person still reads how the game is played, and will say that it is ready.
    pub reads: bool,
}

/// A connection.
struct Connection {
    id: u64,
    sender: Sender<Utf8Bytes>,
}

/// The presence of a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presence {
    /// Has not connected yet.
    #[default]
    Awaited,
    /// Is connected.
    Here,
    /// Disconnected at this time and may come back.
    Away(Duration),
    /// Has resigned, or did not come back.
    Left,
}

/// A question to a person.
pub struct PendingQuestion {
    /// The person's seat.
    pub seat: Seat,
    /// The step of the question.
    pub step: usize,
    /// Time for the whole period.
    pub budget: Duration,
    /// The JSON message without the remaining time and the closing brace.
    pub text: String,
    /// The chosen action; it may change until the judge takes it.
    pub chosen: Option<String>,
}

impl Participant {
    /// The presence of a person.
    pub fn current_presence(&self) -> Presence {
        self.presence
    }

    /// Connects the person; an earlier connection is replaced.
    pub fn connect_person(&mut self, sender: Sender<Utf8Bytes>, now: Duration) -> u64 {
        if let Presence::Away(since) = self.presence {
            self.cut_off += now.saturating_sub(since);
        }
        let again = self.presence != Presence::Awaited;
        if self.presence != Presence::Left {
            self.presence = Presence::Here;
        }
        self.connections += 1;
        self.connection = Some(Connection {
            id: self.connections,
            sender,
        });
        if self.question.is_some() && self.since.is_none() {
            self.since = Some(now + if again { LOOK } else { Duration::ZERO });
        }
        self.connections
    }

    /// The number of the last connection.
    pub fn connection_count(&self) -> u64 {
        self.connections
    }

    /// Marks a connection as closed; returns whether it was the current one.
    pub fn note_disconnect(&mut self, connection: u64, now: Duration) -> bool {
        if self
            .connection
            .as_ref()
            .is_none_or(|own| own.id != connection)
        {
            return false;
        }
        self.connection = None;
        self.stop_clock(now);
        if self.presence == Presence::Here {
            self.presence = Presence::Away(now);
        }
        true
    }

    /// Marks the person as resigned.
    pub fn mark_left(&mut self) {
        self.presence = Presence::Left;
    }

    /// Cuts the connection, as if the person had.
    pub fn cut_connection(&mut self, now: Duration) {
        self.note_disconnect(self.connections, now);
    }

    /// How often the person was away, and for how long together.
    pub fn absences(&self) -> (u64, Duration) {
        (self.connections.saturating_sub(1), self.cut_off)
    }

    /// Drops the connection.
    pub fn hang_up(&mut self) {
        self.connection = None;
    }

    /// The remaining time in which a disconnected person may come back.
    pub fn return_window(&self, now: Duration) -> Option<Duration> {
        let Presence::Away(since) = self.presence else {
            return None;
        };
        let whole = WINDOW.min(CUT_OFF.saturating_sub(self.cut_off));
        Some(whole.saturating_sub(now.saturating_sub(since)))
    }

    /// Sends a message. A connection that does not take its messages is closed; the person receives
    /// everything again after reconnecting.
    pub fn send_text(&mut self, text: Utf8Bytes, now: Duration) {
        let Some(connection) = &self.connection else {
            return;
        };
        if connection.sender.try_send(text).is_err() {
            let id = connection.id;
            self.note_disconnect(id, now);
        }
    }

    /// Sends a phrase, or keeps it until the person is back.
    pub fn tell_phrase(&mut self, said: Utf8Bytes, now: Duration) {
        self.missed = self.connection.is_none().then(|| said.clone());
        self.send_text(said, now);
    }

    /// The phrase that the person has missed.
    pub fn take_missed(&mut self) -> Option<Utf8Bytes> {
        self.missed.take()
    }

    /// Begins a leg of a program.
    pub fn begin_program(&mut self) {
        (self.period, self.question, self.since) = (None, None, None);
        if let Some(program) = &mut self.program {
            program.begin_leg();
        }
    }

    /// Begins a leg.
    pub fn begin_leg(&mut self, buffer: FrameBuffer, first: String) {
        (self.period, self.question, self.since) = (None, None, None);
        self.frames = Some((buffer, vec![first]));
    }

    /// Plays new moves and returns the new frames, joined by commas.
    pub fn append_frames(&mut self, tokens: &str, times_us: &[u64]) -> Option<String> {
        let (buffer, parts) = self.frames.as_mut()?;
        let joined = buffer.append_frames(tokens, times_us);
        parts.push(joined.clone());
        Some(joined).filter(|joined| !joined.is_empty())
    }

    /// The leg so far, as a message.
    pub fn whole_leg_message(&self) -> Option<Utf8Bytes> {
        let (buffer, parts) = self.frames.as_ref()?;
        let filled: Vec<String> = parts
            .iter()
            .filter(|part| !part.is_empty())
            .cloned()
            .collect();
        Some(frame_buffer::join_leg_frames(buffer.header_text(), &filled).into())
    }

    /// The frames of its leg.
    pub fn frame_buffer(&self) -> Option<&FrameBuffer> {
        self.frames.as_ref().map(|(buffer, _)| buffer)
    }

    /// Starts the clock for a question of this period.
    pub fn start_clock(&mut self, period: u32, question: PendingQuestion, now: Duration) {
        if self.period != Some(period) {
            (self.period, self.left) = (Some(period), question.budget);
        }
        self.free = self
            .program
            .as_ref()
            .map_or(Duration::ZERO, HomeProgram::free_time);
        self.question = Some(question);
        self.since = (self.presence == Presence::Here).then_some(now);
    }

    /// Stops the clock.
    pub fn stop_clock(&mut self, now: Duration) {
        let (left, used) = (self.time_left(now), self.time_used(now));
        (self.left, self.free) = (left, self.free.saturating_sub(used));
        self.since = None;
    }

    /// Closes the open question, which is answered, and stops the clock.
    pub fn close_question(&mut self, now: Duration) {
        self.question = None;
        self.stop_clock(now);
    }

    /// Goes on with the clock of the open question.
    pub fn restart_clock(&mut self, now: Duration) {
        let runs = self.question.is_some() && self.presence == Presence::Here;
        self.since = runs.then_some(now);
    }

    /// Whether no question of this leg has been asked yet.
    pub fn is_fresh(&self) -> bool {
        self.period.is_none()
    }

    fn time_used(&self, now: Duration) -> Duration {
        self.since
            .map_or(Duration::ZERO, |since| now.saturating_sub(since))
    }

    /// Time left in this period.
    pub fn time_left(&self, now: Duration) -> Duration {
        let used = self.time_used(now);
        self.left.saturating_sub(used.saturating_sub(self.free))
    }
}
