//! Turns the output of a seat into its reply: parsing, faults, and rulings on noise.

use leitai_game::lang::{Message, say};
use leitai_game::replay::{
    BrokenLimit, FaultRecord, LimitName, LimitUnit, NoiseTimes, RerunRecord,
};
use leitai_game::{Fault, Framing, Seat};

use crate::clock::TimeRuling;
use crate::framing::Inbox;
use crate::referee::input::SeatPlayer;
use crate::referee::seat_state::{PendingReply, SeatFault};
use crate::referee::time::TimeAccount;
use crate::referee::{MAX_EARLY, Referee};

/// The most bytes of a program's message that are kept for its author.
const SHOWN_BYTES: usize = 256;

impl Referee {
    /// Turns the input of a seat that owes an answer into its reply, if the input suffices.
    pub(super) fn judge_message(&mut self, seat: Seat) {
        if let Some(recorded) = self.forced_replies.for_silent(seat) {
            self.players[seat].answer = Some(PendingReply::Action(recorded.to_owned()));
        } else if let Some(wrong) = self
            .time_accounts(seat)
            .find_map(|account| account.exceeded_limit())
            .or_else(|| self.exceeded_waiting(seat))
        {
            let what = match self.describe_unfinished_line(seat) {
                Some(line) => say!("{}; {line}", wrong.what),
                None => wrong.what.clone(),
            };
            let what = self.say_strikes(seat, what);
            self.record_fault(seat, SeatFault { what, ..wrong });
        } else if let Some(wrong) = self.players[seat].unasked.clone() {
            self.record_fault(seat, wrong);
        } else if self.players[seat].answer.is_none() {
            self.read(seat);
            if let Some(PendingReply::Action(_)) = self.players[seat].answer {
                self.count_strike(seat);
            }
        }
        self.check_legal(seat);
        match self.players[seat].answer {
            Some(_) => self.check_unasked(seat),
            None => self.disturbed = self.describe_disturbance(seat),
        }
    }

    /// Why a seat that still owes its answer cannot be judged, if so: by the machine's doing its time
    /// is unknown, or its program was ended.
    fn describe_disturbance(&self, seat: Seat) -> Option<RerunRecord> {
        if let Some(ending) = self.players[seat].ending.as_ref().filter(|end| end.ours) {
            return Some(RerunRecord {
                entrant: seat.entrant_in_leg(self.index),
                round: self.leg.round(),
                why: ending.what.to_string(),
                said: ending.what.clone().into_record(),
                noise: NoiseTimes::default(),
            });
        }
        let disturbed = |account: &TimeAccount| {
            account.spent.judge_limit(account.limit) == TimeRuling::Disturbed
        };
        let account = self.time_accounts(seat).find(disturbed)?;
        let why = account.describe_noise();
        Some(RerunRecord {
            entrant: seat.entrant_in_leg(self.index),
            round: self.leg.round(),
            why: why.to_string(),
            said: why.into_record(),
            noise: account.spent.noise.into(),
        })
    }

    /// What a program has sent of a line that it did not end, as the end of a sentence: most often
    /// the whole answer.
    fn describe_unfinished_line(&self, seat: Seat) -> Option<Message> {
        let state = &self.players[seat];
        let SeatPlayer::Program(protocol) = &state.player else {
            return None;
        };
        let rest = state.inbox.unread_bytes();
        let lines = matches!(protocol.message_framing(&*self.leg), Framing::Lines(_));
        let is_unfinished = lines && !rest.is_empty() && !rest.ends_with(b"\n");
        is_unfinished.then(|| say!("it had sent {} without an end of line", quote_bytes(rest)))
    }

    fn read(&mut self, seat: Seat) {
        let state = &mut self.players[seat];
        let SeatPlayer::Program(protocol) = &mut state.player else {
            return self.close_input(seat);
        };
        let framing = protocol.message_framing(&*self.leg);
        let read = match state.inbox.take_message(framing, self.limits[seat].message) {
            Err(bad) => {
                let what = say!("sent an answer that {}", bad.why);
                Err(SeatFault {
                    fault: bad.fault,
                    what,
                    limit: bad.limit,
                })
            }
            Ok(None) => return self.close_input(seat),
            Ok(Some(body)) => protocol.read(&*self.leg, seat, body).map_err(|why| {
                SeatFault::new(
                    Fault::Malformed,
                    say!("sent the answer {}, which {why}", quote_bytes(body)),
                )
            }),
        };
        match read {
            Ok(action) => state.answer = Some(PendingReply::Action(action)),
            Err(wrong) => self.record_fault(seat, wrong),
        }
    }

    /// Handles the end of the input before a whole message: that is the fault.
    fn close_input(&mut self, seat: Seat) {
        let Some(ending) = self.players[seat].ending.clone().filter(|end| !end.ours) else {
            return;
        };
        let rest = self.players[seat].inbox.unread_bytes().len();
        let what = match rest {
            0 => ending.what,
            rest => say!("{}, {rest} bytes into an unfinished answer", ending.what),
        };
        self.record_fault(
            seat,
            SeatFault {
                fault: ending.fault,
                what,
                limit: ending.limit,
            },
        );
    }

    /// Records a fault for people if the action is illegal. The action is played all the same: the
    /// rules define its cost.
    fn check_legal(&mut self, seat: Seat) {
        let Some(PendingReply::Action(action)) = &self.players[seat].answer else {
            return;
        };
        if let Err(why) = self.leg.check_action(seat, action) {
            self.note_fault(seat, SeatFault::new(Fault::Illegal, why.0));
        }
    }

    /// Checks the output of a program that owes no answer.
    pub(super) fn check_unasked(&mut self, seat: Seat) {
        let state = &mut self.players[seat];
        let SeatPlayer::Program(protocol) = &state.player else {
            return;
        };
        if state.unasked.is_some() {
            return;
        }
        let rest = state.inbox.unread_bytes();
        if !protocol.may_answer_early() {
            if rest.trim_ascii().is_empty() {
                state.inbox.clear_bytes(); // An empty line after an answer is allowed.
            } else {
                let what = say!(
                    "said {} although it was not asked: one answer a question",
                    quote_bytes(rest)
                );
                state.unasked = Some(SeatFault::new(Fault::Malformed, what));
            }
        } else {
            let framing = protocol.message_framing(&*self.leg);
            state.unasked = too_far_ahead(&state.inbox, framing, self.limits[seat].message);
        }
    }

    pub(super) fn record_fault(&mut self, seat: Seat, wrong: SeatFault) {
        self.players[seat].answer = Some(PendingReply::Fault(wrong.fault));
        self.note_fault(seat, wrong);
    }

    fn note_fault(&mut self, seat: Seat, wrong: SeatFault) {
        if self.find_game_fault().is_some() {
            return; // What the rules say of this seat means nothing.
        }
        if self.is_forced() {
            return self
                .forced_replies
                .note_fault(seat, wrong.fault, wrong.what);
        }
        let state = &self.players[seat];
        let sent = state.inbox.recent_bytes();
        let hex = hex::encode(&sent[..sent.len().min(SHOWN_BYTES)]);
        self.faults.push(FaultRecord {
            entrant: seat.entrant_in_leg(self.index),
            seat,
            code: wrong.fault.into(),
            leg: Some(self.index + 1),
            round: self.leg.round(),
            step: self.recorder.step_count(),
            what: wrong.what.to_string(),
            said: wrong.what.into_record(),
            limit: wrong.limit,
            exit: state.ending.as_ref().and_then(|ending| ending.exit.clone()),
            last_words: Vec::new(),
            received: (!hex.is_empty()).then_some(hex),
        });
    }
}

fn too_far_ahead(inbox: &Inbox, framing: Framing, limit: usize) -> Option<SeatFault> {
    let waiting = inbox.count_waiting(framing, limit, MAX_EARLY + 1);
    if waiting > MAX_EARLY {
        let what =
            say!("is more than {MAX_EARLY} answers ahead of the questions: one answer a question");
        let limit = BrokenLimit::new(
            LimitName::Ahead,
            LimitUnit::Answers,
            MAX_EARLY as u64,
            waiting as u64,
        );
        return Some(SeatFault {
            fault: Fault::Output,
            what,
            limit: Some(limit),
        });
    }
    let bytes = inbox.unread_bytes().len();
    let most = MAX_EARLY * (limit + 4);
    let what = || say!("sent {bytes} bytes without being asked; {most} may wait");
    let limit = || {
        Some(BrokenLimit::bytes(
            LimitName::Ahead,
            most as u64,
            bytes as u64,
        ))
    };
    (bytes > most).then(|| SeatFault {
        fault: Fault::Output,
        what: what(),
        limit: limit(),
    })
}

/// The bytes of a program for people: as text if they are text, else as hexadecimal; shortened.
fn quote_bytes(bytes: &[u8]) -> String {
    const MOST: usize = 60;
    let shown = &bytes[..bytes.len().min(MOST)];
    let dots = if bytes.len() > MOST { "…" } else { "" };
    match std::str::from_utf8(shown) {
        Ok(text)
            if !text.is_empty()
                && !text.contains(|c: char| c.is_control() && !c.is_whitespace()) =>
        {
            format!("{text:?}{dots}")
        }
        _ => {
            let hex: Vec<String> = shown.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("[{}{dots}]", hex.join(" "))
        }
    }
}
