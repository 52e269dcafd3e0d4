//! The frames of one leg from one perspective, computed while the leg is played. Pure state.

use std::sync::Arc;

use leitai_game::frames::{
    EventCollector, Frame, FrameBuilder, MOST_BYTES, MOST_STEPS, ReplyTimes,
};
use leitai_game::leg_frames::{entrant_letter, perspective_name, shown_setup};
use leitai_game::replay::parse_token;
use leitai_game::{AnyLeg, AnySetup, ByEntrant, GameHandle, Perspective, Seat};
use serde_json::{Value, json};

use super::told_token::hear_token;
use crate::sync::call_rules;

/// The part of the leg frames that describes the match.
#[derive(Clone)]
pub struct LegFramesHeader {
    /// The game.
    pub game: GameHandle,
    /// The setup.
    pub setup: Arc<dyn AnySetup>,
    /// The most legs that are played.
    pub legs: usize,
    /// The names of the entrants.
    pub entrants: ByEntrant<String>,
}

impl LegFramesHeader {
    /// The header of a running leg as JSON. A setup that may contain what fog
    /// hides is left out.
    pub fn frames_header(&self, index: usize, perspective: Perspective) -> Value {
        let side = |seat: Seat| entrant_letter(seat, index + 1);
        json!({
            "match": null,
            "game": self.game.meta().id,
            "rules": self.game.meta().rules,
            "entrants": self.entrants,
            "seats": {"first": side(Seat::First), "second": side(Seat::Second)},
            "leg": index + 1,
            "legs": self.legs,
            "rounds": self.setup.max_rounds(),
            "setup": shown_setup(&*self.game, &*self.setup, perspective),
            "perspective": perspective_name(perspective),
            "outcome": null,
            "verdict": null,
            "faults": [],
            "status": "running",
        })
    }
}

/// The frames of a running leg.
pub struct FrameBuffer {
    game: GameHandle,
    head: String,
    builder: FrameBuilder,
    leg: Box<dyn AnyLeg>,
    times_us: Vec<u64>,
    times: ReplyTimes,
    last: Frame,
    frames: usize,
    bytes: usize,
}

impl FrameBuffer {
    /// A buffer before the first step, and the text of the first frame.
    pub fn new(
        header: &LegFramesHeader,
        index: usize,
        perspective: Perspective,
    ) -> (FrameBuffer, String) {
        let mut builder = FrameBuilder::new(&*header.game, perspective);
        let leg = header.setup.start_leg();
        // Rules that fail end the match: the judge says so.
        let last = call_rules(&*header.game, || builder.first_frame(&*leg)).unwrap_or_default();
        let first = frame_text(&last);
        let mut head = header.frames_header(index, perspective).to_string();
        head.pop();
        let bytes = first.len();
        let (times_us, times) = (Vec::new(), ReplyTimes::default());
        (
            FrameBuffer {
                game: header.game.clone(),
                head,
                builder,
                leg,
                times_us,
                times,
                last,
                frames: 1,
                bytes,
            },
            first,
        )
    }

    /// The number of frames so far.
    pub fn frame_count(&self) -> usize {
        self.frames
    }

    /// The position after the last frame.
    pub fn current_leg(&self) -> &dyn AnyLeg {
        &*self.leg
    }

    /// The header of every message with the whole leg.
    pub fn header_text(&self) -> &str {
        &self.head
    }

    /// Plays these reply tokens and returns the new frames, joined by commas. A token that the game
    /// cannot parse, rules that fail, or [`MOST_BYTES`], ends the frames.
    pub fn append_frames(&mut self, tokens: &str, times_us: &[u64]) -> String {
        self.times_us.extend(times_us);
        let mut joined = String::new();
        for token in tokens.split_ascii_whitespace() {
            let token = hear_token(&mut *self.leg, token);
            let full = self.frames > MOST_STEPS || self.bytes > MOST_BYTES;
            let Some(replies) = parse_token(token, self.leg.to_move())
                .ok()
                .filter(|_| !full)
            else {
                break;
            };
            let spent = self.times.next(&self.times_us, &replies);
            let mut events = EventCollector::default();
            let (leg, builder) = (&mut self.leg, &mut self.builder);
            let made = call_rules(&*self.game, || {
                leg.step(replies, &mut events);
                builder.next(&**leg, &replies, events.0, spent)
            });
            let Ok(frame) = made else {
                break;
            };
            self.last = frame;
            let frame = frame_text(&self.last);
            if !joined.is_empty() {
                joined.push(',');
            }
            joined.push_str(&frame);
            self.frames += 1;
            self.bytes += frame.len();
        }
        joined
    }

    /// The last frame with the whole view instead of a change, so that it needs no frame before it.
    pub fn newest_frame(&self) -> String {
        frame_text(&Frame {
            view: self.builder.last_view().cloned(),
            change: None,
            ..self.last.clone()
        })
    }
}

/// The message with a whole leg, from its header and frames joined by commas.
pub fn join_leg_frames<S: AsRef<str>>(head: &str, frames: &[S]) -> String {
    let bytes: usize = frames.iter().map(|part| part.as_ref().len() + 1).sum();
    let mut out = String::with_capacity(head.len() + bytes + 64);
    out.push_str(r#"{"type":"leg","frames_of_leg":"#);
    out.push_str(head);
    out.push_str(r#","frames":["#);
    for (place, part) in frames.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        out.push_str(part.as_ref());
    }
    out.push_str("]}}");
    out
}

/// The message with the newest frame of a leg, and the run name under which earlier frames are
/// requested.
pub fn newest_frame_message(head: &str, run: &str, frame: &str) -> String {
    format!(r#"{{"type":"leg","run":"{run}","frames_of_leg":{head},"frames":[{frame}]}}}}"#)
}

/// The message with earlier frames, joined by commas.
pub fn earlier_frames_message(run: &str, joined: &str) -> String {
    format!(r#"{{"type":"earlier","run":"{run}","frames":[{joined}]}}"#)
}

/// The message with new frames, joined by commas.
pub fn join_new_frames(index: usize, joined: &str) -> String {
    format!(
        r#"{{"type":"frames","leg":{},"frames":[{joined}]}}"#,
        index + 1
    )
}

fn frame_text(frame: &Frame) -> String {
    serde_json::to_string(frame).expect("a frame is plain data")
}
