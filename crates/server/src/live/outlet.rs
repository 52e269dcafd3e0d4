//! Tells other servers what happens in a match of this one, while somebody watches it there.

use std::fmt;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use leitai_store::Timestamp;

use super::move_log::{MoveLog, MoveLogCursor};
use super::shared::{
    EventKind, MatchEvent, MatchNews, Question, RunName, SharedStart, events_subject,
};
use crate::bus::ArenaBus;
use crate::sync::lock;

/// How long a match is followed after a question. A server that follows one asks more often.
const FOLLOWED: Duration = Duration::from_secs(30);

/// The outlet of one run of a match.
pub struct MatchOutlet {
    bus: ArenaBus,
    subject: String,
    run: RunName,
    state: Mutex<OutletState>,
}

struct OutletState {
    /// The number of the last event.
    sequence: u64,
    /// What is in the events so far.
    sent: MoveLogCursor,
    is_over: bool,
    presence: Option<String>,
    followed_until: Option<Instant>,
}

impl fmt::Debug for MatchOutlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MatchOutlet")
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}

impl MatchOutlet {
    /// The outlet of a match that begins.
    pub fn open(bus: ArenaBus, id: i64) -> MatchOutlet {
        let run = RunName {
            begun_ms: Timestamp::now().0,
            salt: rand::random(),
        };
        let state = OutletState {
            sequence: 0,
            sent: MoveLogCursor::default(),
            is_over: false,
            presence: None,
            followed_until: None,
        };
        MatchOutlet {
            bus,
            subject: events_subject(id),
            run,
            state: Mutex::new(state),
        }
    }

    /// Tells servers that wait for the match that it has begun.
    pub fn announce_match(&self) {
        self.publish(0, EventKind::Begun);
    }

    /// Publishes the moves that are new in the log. Call it with the lock of the log, so that events
    /// keep their order.
    pub fn share_moves(&self, log: &MoveLog) {
        let mut state = lock(&self.state);
        if !state.is_followed() {
            // Whoever asks later gets the moves with the answer.
            state.sequence += u64::from(state.sent != log.end());
            state.sent = log.end();
        }
        loop {
            let (moves, is_all) = log.moves_after(state.sent);
            for moves in moves {
                state.sent = moves.end();
                self.publish_next(&mut state, EventKind::Moves(moves));
            }
            if is_all {
                break;
            }
        }
        if log.is_over() && !state.is_over {
            state.is_over = true;
            self.publish_next(&mut state, EventKind::Over);
        }
    }

    /// Publishes who of the people who play is there.
    pub fn share_presence(&self, message: &str) {
        let mut state = lock(&self.state);
        state.presence = Some(message.to_owned());
        self.publish_next(&mut state, EventKind::Presence(message.to_owned()));
    }

    fn publish_next(&self, state: &mut OutletState, what: EventKind) {
        state.sequence += 1;
        if state.is_followed() {
            self.publish(state.sequence, what);
        }
    }

    fn publish(&self, sequence: u64, what: EventKind) {
        let event = MatchEvent {
            run: self.run.clone(),
            sequence,
            what,
        };
        self.bus.publish(&self.subject, &event);
    }

    /// What a server lacks. Call it with the lock of the log.
    pub fn news(&self, log: &MoveLog, question: &Question) -> MatchNews {
        let mut state = lock(&self.state);
        state.followed_until = Some(Instant::now() + FOLLOWED);
        let have = question
            .have
            .filter(|_| question.run.as_ref() == Some(&self.run));
        let start = have.is_none().then(|| SharedStart {
            game: log.play.game.meta().id.to_owned(),
            rules: log.play.game.meta().rules.to_owned(),
            setup: log.play.setup.to_json(),
            legs: log.play.legs,
            entrants: log.play.entrants.clone(),
            has_people: log.play.has_people,
        });
        let (moves, is_all) = log.moves_after(have.unwrap_or_default());
        MatchNews {
            run: self.run.clone(),
            owner: self.bus.server().to_owned(),
            sequence: state.sequence,
            start,
            moves,
            is_all,
            presence: state.presence.clone(),
        }
    }
}

impl OutletState {
    fn is_followed(&self) -> bool {
        self.followed_until
            .is_some_and(|until| until > Instant::now())
    }
}
