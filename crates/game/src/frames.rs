//! A leg as a viewer gets it: one frame before the first step and one after every step, each with
//! events and changes. Viewers draw and contain no rules; everything they show comes from frames.
//!
//! ```json
//! {"step": 0, "round": 1, "period": 0, "to_move": ["first"], "scores": [1, 1], "view": {"round":
//! 1, "…": 0}} {"step": 1, "round": 1, "period": 1, "to_move": ["second"], "scores": [1, 1],
//! "token": "2",
//!  "events": [{"event": "moved"}], "change": {"snakes": {"0": {"cells": [[[1, 15]]]}}}}
//! ```
//!
//! `view` is the whole of [`Game::view`](crate::Game::view); a later frame has only the
//! [`change`](diff_values) from the view before. `token` contains the replies of the step
//! ([`write_token`]). Under fog the frames of a seat have neither events nor the replies of the
//! other seat.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::erased::{AnyGame, AnyLeg, AnySetup, AnySink, TextReplies};
use crate::game::ToMove;
use crate::invalid::InvalidSetup;
use crate::lang::say;
use crate::replay::{LegRecord, OutcomeRecord, ReplayWalker, write_token};
use crate::seat::Perspective;
use crate::seat::{BySeat, Seat};

/// The most steps of a leg for which frames are made; longer legs are refused. The longest leg of a
/// listed game has about 4,100 steps.
pub const MOST_STEPS: usize = 20_000;

/// The most bytes of the frames of a leg as text. The longest leg of a listed game has about three
/// million bytes; each view of a game that somebody brought may have four.
pub const MOST_BYTES: usize = 32 << 20;

/// A moment of a leg.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Frame {
    /// Steps played so far.
    pub step: usize,
    /// The current round, from 1.
    pub round: u32,
    /// See [`Game::period`](crate::Game::period).
    pub period: u32,
    /// The seats that are asked now.
    pub to_move: Vec<Seat>,
    /// The current score, first and second.
    pub scores: BySeat<i32>,
    /// The replies of the step before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Wall time of the replies of the step before in microseconds, first and second, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spent_us: Option<BySeat<Option<u64>>>,
    /// What is left of each seat's time bank in microseconds, first and second, once it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bank_us: Option<BySeat<Option<u64>>>,
    /// The events of the step before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Value>,
    /// How the leg ended, in the last frame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<OutcomeRecord>,
    /// The whole view, in the first frame only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<Value>,
    /// The change of the view, in every other frame; absent if nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Value>,
}

impl Frame {
    /// About the bytes of what a game wrote into it.
    pub fn text_length(&self) -> usize {
        let written = self.events.iter().chain(&self.view).chain(&self.change);
        let token = self.token.as_ref().map_or(0, String::len);
        token + written.map(json_length).sum::<usize>()
    }
}

/// Makes the frames of one leg from one perspective, in order.
pub struct FrameBuilder {
    perspective: Perspective,
    /// Whether the perspective includes replies and events.
    shows_events: bool,
    last: Option<Value>,
    step: usize,
}

impl FrameBuilder {
    /// Before the first frame.
    pub fn new(game: &dyn AnyGame, perspective: Perspective) -> FrameBuilder {
        FrameBuilder {
            perspective,
            shows_events: perspective == Perspective::All || game.is_open(),
            last: None,
            step: 0,
        }
    }

    /// The frame before the first step.
    ///
    /// # Errors
    /// The rules failed.
    pub fn first_frame(&mut self, leg: &dyn AnyLeg) -> Result<Frame, InvalidSetup> {
        self.next_frame(leg, None, Vec::new())
    }

    /// The frame after a step with these times.
    ///
    /// # Errors
    /// The rules failed, in the step or while it was asked what can be seen.
    pub fn next(
        &mut self,
        leg: &dyn AnyLeg,
        replies: &TextReplies<'_>,
        events: Vec<Value>,
        spent: BySeat<Option<u64>>,
    ) -> Result<Frame, InvalidSetup> {
        self.step += 1;
        let shown = match (self.shows_events, self.perspective) {
            (true, _) | (_, Perspective::All) => *replies,
            (false, Perspective::Seat(own)) => {
                BySeat::from_fn(|seat| if seat == own { replies[seat] } else { None })
            }
        };
        let mut token = String::new();
        write_token(&shown, &mut token);
        let spent = BySeat::from_fn(|seat| shown[seat].and(spent[seat]));
        let known = spent.iter_pairs().any(|(_, time)| time.is_some());
        let frame = self.next_frame(
            leg,
            Some(token),
            if self.shows_events {
                events
            } else {
                Vec::new()
            },
        )?;
        Ok(Frame {
            spent_us: known.then_some(spent),
            ..frame
        })
    }

    fn next_frame(
        &mut self,
        leg: &dyn AnyLeg,
        token: Option<String>,
        events: Vec<Value>,
    ) -> Result<Frame, InvalidSetup> {
        let seen = leg.view(self.perspective);
        if let Some(fault) = leg.fault() {
            return Err(InvalidSetup::new(fault));
        }
        let (view, change) = match self.last.take() {
            None => (Some(seen.clone()), None),
            Some(before) => (None, diff_values(&before, &seen)),
        };
        self.last = Some(seen);
        Ok(Frame {
            step: self.step,
            round: leg.round(),
            period: leg.period(),
            to_move: asked_seats(leg.to_move()),
            scores: leg.scores(),
            token,
            spent_us: None,
            bank_us: None,
            events,
            outcome: leg.outcome().as_ref().map(OutcomeRecord::from),
            view,
            change,
        })
    }

    /// The view in the last frame.
    pub fn last_view(&self) -> Option<&Value> {
        self.last.as_ref()
    }
}

/// Refuses frames of more than [`MOST_BYTES`].
///
/// # Errors
/// They have more.
pub fn check_bytes(bytes: usize) -> Result<(), InvalidSetup> {
    if bytes > MOST_BYTES {
        return Err(InvalidSetup(say!(
            "the leg's pictures have more than {MOST_BYTES} bytes; so much cannot be shown"
        )));
    }
    Ok(())
}

fn asked_seats(to_move: ToMove) -> Vec<Seat> {
    Seat::BOTH
        .into_iter()
        .filter(|seat| to_move.asks_seat(*seat))
        .collect()
}

/// Collects the events of a step.
#[derive(Debug, Default)]
pub struct EventCollector(pub Vec<Value>);

impl AnySink for EventCollector {
    fn wants_events(&self) -> bool {
        true
    }

    fn on_event(&mut self, event: Value) {
        self.0.push(event);
    }
}

/// Assigns the times of [`LegRecord::times_us`] to the replies of every step, in order.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReplyTimes {
    used: usize,
}

impl ReplyTimes {
    /// The times of a step's replies.
    pub fn next(&mut self, times_us: &[u64], replies: &TextReplies<'_>) -> BySeat<Option<u64>> {
        BySeat::from_fn(|seat: Seat| {
            let time = replies[seat].and_then(|_| times_us.get(self.used).copied());
            self.used += usize::from(replies[seat].is_some());
            time
        })
    }
}

/// The frames of a recorded leg. Fails on a record that cannot be played, or with more than
/// [`MOST_STEPS`] steps.
pub fn make_frames(
    game: &dyn AnyGame,
    setup: &dyn AnySetup,
    record: &LegRecord,
    perspective: Perspective,
) -> Result<Vec<Frame>, InvalidSetup> {
    make_first_frames(game, setup, record, perspective, usize::MAX)
}

/// The first frames of a leg, at least one and at most so many; see [`make_frames`].
///
/// # Errors
/// As [`make_frames`], as far as the frames go.
pub fn make_first_frames(
    game: &dyn AnyGame,
    setup: &dyn AnySetup,
    record: &LegRecord,
    perspective: Perspective,
    most: usize,
) -> Result<Vec<Frame>, InvalidSetup> {
    let steps = record.replies.split_ascii_whitespace().count();
    if steps > MOST_STEPS {
        return Err(InvalidSetup(say!(
            "the leg has {steps} steps; at most {MOST_STEPS} can be shown"
        )));
    }
    let mut walk = ReplayWalker::new(setup, record);
    let mut builder = FrameBuilder::new(game, perspective);
    let (mut times, mut banks) = (ReplyTimes::default(), record.bank_us.iter());
    let mut left = BySeat::default();
    let mut frames = vec![builder.first_frame(walk.current_leg())?];
    let mut bytes = frames[0].text_length();
    loop {
        check_bytes(bytes)?;
        if frames.len() >= most {
            return Ok(frames);
        }
        let mut events = EventCollector::default();
        let Some(replies) = walk.next(&mut events)? else {
            return Ok(frames);
        };
        let spent = times.next(&record.times_us, &replies);
        let mut frame = builder.next(walk.current_leg(), &replies, events.0, spent)?;
        for (seat, _) in replies.iter_pairs().filter(|(_, reply)| reply.is_some()) {
            left[seat] = banks.next().copied().flatten();
        }
        // Under fog it would tell how long the other one thought.
        let known = left.iter_pairs().any(|(_, left)| left.is_some());
        frame.bank_us = (known && builder.shows_events).then_some(left);
        bytes += frame.text_length();
        frames.push(frame);
    }
}

/// The change from one JSON value to another; `None` if they are equal. `[v]` replaces the value by
/// `v`; an object of changes applies to the members of an object, or by index to the elements of an
/// array of the same length.
///
/// ```
/// use leitai_game::frames::diff_values;
/// use serde_json::json;
/// let before = json!({"a": 1, "b": ["one", "two"], "c": [1]});
/// let after = json!({"a": 1, "b": ["one", 2], "c": []});
/// assert_eq!(diff_values(&before, &after), Some(json!({"b": {"1": [2]}, "c": [[]]})));
/// assert_eq!(diff_values(&after, &after), None);
/// ```
pub fn diff_values(before: &Value, after: &Value) -> Option<Value> {
    if before == after {
        return None;
    }
    let inner = match (before, after) {
        (Value::Object(before), Value::Object(after)) if before.keys().eq(after.keys()) => {
            Some(diff_members(
                before
                    .iter()
                    .map(|(key, old)| (key.clone(), old, &after[key])),
            ))
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            let pairs = before.iter().zip(after).enumerate();
            Some(diff_members(
                pairs.map(|(index, (old, new))| (index.to_string(), old, new)),
            ))
        }
        _ => None,
    };
    let whole = Value::Array(vec![after.clone()]);
    // If nearly everything changed, the whole value is shorter.
    Some(
        inner
            .filter(|inner| json_length(inner) < json_length(&whole))
            .unwrap_or(whole),
    )
}

fn diff_members<'a>(members: impl Iterator<Item = (String, &'a Value, &'a Value)>) -> Value {
    let changed = members.filter_map(|(key, old, new)| Some((key, diff_values(old, new)?)));
    Value::Object(changed.collect::<Map<_, _>>())
}

/// The approximate length of the value as text.
fn json_length(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(_) => 2,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => {
            1 + items
                .iter()
                .map(|item| json_length(item) + 1)
                .sum::<usize>()
        }
        Value::Object(members) => {
            1 + members
                .iter()
                .map(|(k, v)| k.len() + 4 + json_length(v))
                .sum::<usize>()
        }
    }
}

/// Applies a change.
///
/// # Errors
/// If the change does not fit this value.
pub fn apply_change(value: &mut Value, change: &Value) -> Result<(), InvalidSetup> {
    let wrong = || InvalidSetup(say!("the change {change} does not fit"));
    match change {
        Value::Array(whole) if whole.len() == 1 => *value = whole[0].clone(),
        Value::Object(inner) => {
            for (key, inner) in inner {
                let member = match value {
                    Value::Object(members) => members.get_mut(key),
                    Value::Array(items) => key
                        .parse::<usize>()
                        .ok()
                        .and_then(|index| items.get_mut(index)),
                    _ => None,
                };
                apply_change(member.ok_or_else(wrong)?, inner)?;
            }
        }
        _ => return Err(wrong()),
    }
    Ok(())
}
