//! The state of a human match: presence, questions, answers and clocks of its people. It holds no
//! sockets and reads no clock. Sockets and the judge's thread share it under one lock, which is
//! held at most for the computation of a frame.

use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use leitai_game::{ByEntrant, Entrant, Perspective};
use leitai_judge::MatchProgress;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::mpsc::Sender;

mod programs;
mod questions;
mod readiness;

use super::home_program::HomeProgram;
use super::participant::{Participant, Presence};
use super::phrases::Phrase;
use super::time_budget::TimeBudget;
use crate::live::frame_buffer::{FrameBuffer, LegFramesHeader, join_new_frames};
use crate::live::{LegProgress, ProgressReader};

/// How long two people may read how the game is played before the first leg begins anyway.
pub const READING: Duration = Duration::from_secs(120);

/// The state of a human match.
pub struct HumanMatchState {
    header: LegFramesHeader,
    pace: TimeBudget,
    participants: ByEntrant<Option<Participant>>,
    follower: ProgressReader,
    index: usize,
    steps: usize,
    /// When the countdown of this leg ends.
    countdown: Option<Duration>,
    /// When the first leg begins although somebody still reads.
    reading: Option<Duration>,
    /// The presence message that spectators have not received yet.
    people: Option<String>,
    /// The presence that was sent last.
    sent_presence: Option<ByEntrant<&'static str>>,
    /// The leg and the number of recorded steps that are replayed before the match continues.
    catch_up: Option<(usize, usize)>,
    end: Option<CloseReason>,
}

/// A message of a person.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ParticipantMessage {
    /// Chooses an action.
    Choose {
        /// The leg, from 1.
        leg: usize,
        /// The step, from 0.
        step: usize,
        /// The action's notation.
        action: String,
    },
    /// Says something to the other person.
    Say {
        /// What.
        phrase: Phrase,
    },
    /// Has read how the game is played: the match may begin.
    Ready,
    /// Output of a program at home.
    Output {
        /// The leg, from 1.
        leg: usize,
        /// How many bytes of this leg were before.
        at: usize,
        /// The bytes in base64.
        data: String,
    },
    /// A program at home has ended.
    Exited {
        /// The leg, from 1.
        leg: usize,
    },
    /// The answer to a `ping`.
    Pong {
        /// The number of the ping.
        n: u64,
    },
    /// Resigns.
    Resign,
}

/// The reason why a connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CloseReason {
    /// The match is over.
    Over,
    /// The same person has connected elsewhere.
    Replaced,
    /// The connection did not take its messages.
    Slow,
    /// The server shuts down; the match continues after its restart.
    Restart,
    /// The program sent more than may wait.
    Flooded,
}

impl HumanMatchState {
    /// The state before anybody has connected. `people` gives the sides that people play.
    pub fn new(header: LegFramesHeader, people: ByEntrant<bool>) -> HumanMatchState {
        let pace = TimeBudget::from_game(&*header.game, &*header.setup, &people);
        let participants = people.map_values(|person| person.then(Participant::default));
        let follower = ProgressReader::default();
        HumanMatchState {
            header,
            pace,
            participants,
            follower,
            index: 0,
            steps: 0,
            countdown: None,
            reading: None,
            people: None,
            sent_presence: None,
            catch_up: None,
            end: None,
        }
    }

    /// The same, where people have no less than this for a turn.
    pub fn with_person_time(self, least: Option<Duration>) -> HumanMatchState {
        let pace = self.pace.at_least(least);
        HumanMatchState { pace, ..self }
    }

    /// On these sides programs play that stay on their authors' machines.
    pub fn with_programs(mut self, at_home: ByEntrant<bool>) -> HumanMatchState {
        for (entrant, participant) in self.participants.iter_mut() {
            if let (Some(participant), true) = (participant, at_home[entrant]) {
                participant.program = Some(HomeProgram::new());
            }
        }
        self
    }

    /// Whether no person plays, but a program at home: then nobody needs pauses to look.
    pub fn is_of_programs(&self) -> bool {
        self.connected_people()
            .all(|(_, participant)| participant.program.is_some())
    }

    /// Continues after the recorded steps of a leg. People receive them together, when the last one
    /// is played.
    pub fn catch_up(&mut self, index: usize, steps: usize) {
        self.catch_up = Some((index, steps)).filter(|_| steps > 0);
    }

    /// Whether recorded steps are being replayed.
    pub fn is_catching_up(&self) -> bool {
        self.catch_up.is_some()
    }

    /// Sets the name of the invited person.
    pub fn set_name(&mut self, entrant: Entrant, name: String) {
        self.header.entrants[entrant] = name;
    }

    /// The header of the leg frames.
    pub fn frames_header(&self) -> &LegFramesHeader {
        &self.header
    }

    /// The sides that people play.
    pub fn human_sides(&self) -> ByEntrant<bool> {
        self.participants.each_ref().map_values(Option::is_some)
    }

    /// Whether every person has connected.
    pub fn is_complete(&self) -> bool {
        self.connected_people()
            .all(|(_, participant)| participant.current_presence() != Presence::Awaited)
    }

    /// Whether the person of this side has never connected.
    pub fn has_never_come(&self, entrant: Entrant) -> bool {
        let participant = self.participants[entrant].as_ref();
        participant.is_some_and(|own| own.current_presence() == Presence::Awaited)
    }

    /// Whether somebody is connected.
    pub fn is_attended(&self) -> bool {
        self.connected_people()
            .any(|(_, participant)| participant.current_presence() == Presence::Here)
    }

    /// Whether nobody has connected yet.
    pub fn is_awaited(&self) -> bool {
        self.connected_people()
            .all(|(_, participant)| participant.current_presence() == Presence::Awaited)
    }

    /// Whether every person has left.
    pub fn is_deserted(&self) -> bool {
        self.connected_people()
            .all(|(_, participant)| participant.current_presence() == Presence::Left)
    }

    /// Since when nobody is connected: the time of the last disconnection, zero if nobody has come
    /// yet.
    pub fn vacant_since(&self) -> Option<Duration> {
        let since = |presence| match presence {
            Presence::Here => None,
            Presence::Away(since) => Some(since),
            Presence::Awaited | Presence::Left => Some(Duration::ZERO),
        };
        let all: Option<Vec<Duration>> = self
            .connected_people()
            .map(|(_, participant)| since(participant.current_presence()))
            .collect();
        all?.into_iter().max()
    }

    /// Connects a person, sends everything so far, and returns the number of the connection.
    pub fn connect_person(
        &mut self,
        entrant: Entrant,
        sender: Sender<Utf8Bytes>,
        now: Duration,
    ) -> Option<u64> {
        let index = self.index;
        let participant = self.participants[entrant].as_mut()?;
        let connection = participant.connect_person(sender, now);
        if let Some(program) = &mut participant.program {
            let (stream, ping) = (program.stream_message(index), program.ping(now));
            participant.send_text(stream, now);
            participant.send_text(ping, now);
        }
        if let Some(whole) = participant.whole_leg_message() {
            participant.send_text(whole, now);
        }
        if let Some(said) = participant.take_missed() {
            participant.send_text(said, now);
        }
        self.send_presence(now);
        self.send_readiness(now);
        self.send_countdown(entrant, now);
        self.send_question(entrant, now);
        Some(connection)
    }

    /// Marks a connection as closed.
    pub fn note_disconnect(&mut self, entrant: Entrant, connection: u64, now: Duration) {
        let gone = self.participants[entrant]
            .as_mut()
            .is_some_and(|participant| participant.note_disconnect(connection, now));
        if gone {
            self.send_presence(now);
        }
    }

    /// The reason why a connection is closed.
    pub fn end_of(&self, entrant: Entrant, connection: u64) -> CloseReason {
        match &self.participants[entrant] {
            Some(participant) if participant.connection_count() != connection => {
                CloseReason::Replaced
            }
            Some(Participant {
                program: Some(program),
                ..
            }) if program.is_flooded() => CloseReason::Flooded,
            _ => self.end.unwrap_or(CloseReason::Slow),
        }
    }

    /// Handles a message of a person. Answers to another question than the open one are ignored:
    /// they crossed the next step on the way.
    pub fn handle_message(&mut self, entrant: Entrant, word: ParticipantMessage, now: Duration) {
        match word {
            ParticipantMessage::Resign => self.resign_person(entrant, now),
            ParticipantMessage::Ready => self.note_ready(entrant, now),
            ParticipantMessage::Choose { leg, step, action } if leg == self.index + 1 => {
                self.choose_action(entrant, step, action, now)
            }
            ParticipantMessage::Choose { .. } => {}
            ParticipantMessage::Output { leg, at, data } if leg == self.index + 1 => {
                self.take_output(entrant, at, &data, now)
            }
            ParticipantMessage::Exited { leg } if leg == self.index + 1 => {
                if let Some(program) = self.program_of(entrant) {
                    program.note_exit();
                }
            }
            ParticipantMessage::Output { .. } | ParticipantMessage::Exited { .. } => {}
            ParticipantMessage::Pong { n } => {
                let told = self.program_of(entrant).and_then(|it| it.note_pong(n, now));
                if let (Some(told), Some(participant)) = (told, &mut self.participants[entrant]) {
                    participant.send_text(told, now);
                }
            }
            ParticipantMessage::Say { phrase } => self.say_phrase(entrant, phrase, now),
        }
    }

    /// Sends a phrase to both people; one that comes too soon is dropped. A bot hears nothing.
    fn say_phrase(&mut self, entrant: Entrant, phrase: Phrase, now: Duration) {
        let has_listener = self.participants[entrant.other()].is_some();
        let Some(participant) = &mut self.participants[entrant] else {
            return;
        };
        if !has_listener || !participant.speech.allow_phrase(now) {
            return;
        }
        let by = match entrant {
            Entrant::A => "a",
            Entrant::B => "b",
        };
        let said = json!({"type": "said", "by": by, "phrase": phrase}).to_string();
        let said = Utf8Bytes::from(said);
        for (_, participant) in self.participants.iter_mut() {
            if let Some(participant) = participant {
                participant.tell_phrase(said.clone(), now);
            }
        }
    }

    fn resign_person(&mut self, entrant: Entrant, now: Duration) {
        if let Some(participant) = &mut self.participants[entrant] {
            participant.mark_left();
            self.send_presence(now);
        }
    }

    /// Updates clocks; a person who was away for too long has left.
    pub fn update_clocks(&mut self, now: Duration) {
        for entrant in Entrant::BOTH {
            let late = self.participants[entrant]
                .as_ref()
                .and_then(|participant| participant.return_window(now));
            if late == Some(Duration::ZERO) {
                self.resign_person(entrant, now);
            }
        }
        // A slow connection may have been closed during another operation.
        if self
            .sent_presence
            .is_some_and(|sent_presence| sent_presence != self.presence_names())
        {
            self.send_presence(now);
        }
    }

    /// Follows the match and returns the new moves.
    pub fn follow_progress<'a>(
        &mut self,
        progress: &MatchProgress<'a>,
        now: Duration,
    ) -> Option<LegProgress<'a>> {
        self.update_clocks(now);
        let new_moves = self.follower.read_progress(progress)?;
        if new_moves.begins {
            self.begin_leg(new_moves.index, now);
        }
        if !new_moves.tokens.is_empty() {
            self.go_on(&new_moves, now);
        }
        Some(new_moves)
    }

    fn begin_leg(&mut self, index: usize, now: Duration) {
        (self.index, self.steps, self.countdown) = (index, 0, None);
        for (entrant, participant) in self.participants.iter_mut() {
            let Some(participant) = participant else {
                continue;
            };
            if participant.program.is_some() {
                participant.begin_program();
                continue;
            }
            let (buffer, first) = FrameBuffer::new(
                &self.header,
                index,
                Perspective::Seat(entrant.seat_in_leg(index)),
            );
            participant.begin_leg(buffer, first);
        }
        for (_, participant) in self.participants.iter_mut() {
            if let Some(participant) = participant
                && let Some(program) = &participant.program
            {
                participant.send_text(program.stream_message(index), now);
            }
        }
        if !self.is_catching_up() {
            self.send_leg(now);
        }
    }

    /// Sends the leg so far to everybody.
    fn send_leg(&mut self, now: Duration) {
        for (_, participant) in self.participants.iter_mut() {
            if let Some((participant, whole)) = participant.as_mut().and_then(|participant| {
                participant
                    .whole_leg_message()
                    .map(|whole| (participant, whole))
            }) {
                participant.send_text(whole, now);
            }
        }
    }

    fn go_on(&mut self, new_moves: &LegProgress<'_>, now: Duration) {
        self.steps += new_moves.tokens.split_ascii_whitespace().count();
        let catching_up = self.is_catching_up();
        for (_, participant) in self.participants.iter_mut() {
            let Some(participant) = participant else {
                continue;
            };
            if let Some(joined) = participant
                .append_frames(new_moves.tokens, new_moves.times_us)
                .filter(|_| !catching_up)
            {
                participant.send_text(join_new_frames(new_moves.index, &joined).into(), now);
            }
            // The person has answered, or the time has run out.
            if participant
                .question
                .as_ref()
                .is_some_and(|question| question.step < self.steps)
            {
                participant.question = None;
                participant.stop_clock(now);
            }
        }
        if self
            .catch_up
            .is_some_and(|(index, steps)| (index, steps) <= (new_moves.index, self.steps))
        {
            self.catch_up = None;
            self.send_leg(now);
        }
    }

    /// Closes all connections because the match is over.
    pub fn end_match(&mut self) {
        self.close_connections(CloseReason::Over);
    }

    /// Closes all connections because the server shuts down.
    pub fn cut_off(&mut self) {
        self.close_connections(CloseReason::Restart);
    }

    fn close_connections(&mut self, reason: CloseReason) {
        self.end = Some(reason);
        self.participants
            .iter_mut()
            .filter_map(|(_, participant)| participant.as_mut())
            .for_each(Participant::hang_up);
    }

    /// Takes the presence message for spectators.
    pub fn take_presence(&mut self) -> Option<String> {
        self.people.take()
    }

    fn send_presence(&mut self, now: Duration) {
        let words = self.presence_names();
        self.sent_presence = Some(words);
        let windows = self
            .connected_people()
            .filter_map(|(_, participant)| participant.return_window(now));
        let until = windows.min().map(to_millis);
        let (a, b) = (words[Entrant::A], words[Entrant::B]);
        let text = json!({"type": "presence", "a": a, "b": b, "until_ms": until}).to_string();
        for (_, participant) in self.participants.iter_mut() {
            if let Some(participant) = participant {
                participant.send_text(text.clone().into(), now);
            }
        }
        self.people = Some(text);
    }

    /// The presence of both entrants, as in messages.
    fn presence_names(&self) -> ByEntrant<&'static str> {
        ByEntrant::from_fn(|entrant: Entrant| {
            match self.participants[entrant]
                .as_ref()
                .map(Participant::current_presence)
            {
                Some(Presence::Here) => "here",
                Some(Presence::Away(_)) => "away",
                Some(Presence::Awaited | Presence::Left) | None => "none",
            }
        })
    }

    fn connected_people(&self) -> impl Iterator<Item = (Entrant, &Participant)> {
        self.participants
            .iter_pairs()
            .filter_map(|(entrant, participant)| Some((entrant, participant.as_ref()?)))
    }
}

fn to_millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
