//! Setups, positions and what plays them, without type parameters.

use std::any::Any;
use std::fmt::{self, Debug};
use std::time::Duration;

use serde_json::Value;

use crate::action_builder::{KeyEffect, PartialAction};
use crate::bot::BotClock;
use crate::figures::FigureCounter;
use crate::game::{Outcome, ToMove, Verdict};
use crate::game_fault::GameFault;
use crate::hash::fnv1a;
use crate::lang::{Lang, Message};
use crate::protocol::Framing;
use crate::render::{Key, RenderOptions, Rendering};
use crate::reply::{Illegal, Reply};
use crate::rng::Rng;
use crate::seat::Perspective;
use crate::seat::{BySeat, Seat};

/// The replies of one step, actions as notation.
pub type TextReplies<'a> = BySeat<Option<Reply<&'a str>>>;

/// A setup of any game.
pub trait AnySetup: Debug + Send + Sync {
    /// The JSON form as a replay has it.
    fn to_json(&self) -> Value;
    /// The position before the first step.
    fn start_leg(&self) -> Box<dyn AnyLeg>;
    /// The verdict of the match over its finished legs. Legs of another game are ignored.
    fn decide_match(&self, legs: &[Box<dyn AnyLeg>]) -> Verdict;
    /// The most rounds of a leg.
    fn max_rounds(&self) -> u32;
    /// Why [`decide_match`](AnySetup::decide_match) could not decide; what it returned then is no
    /// verdict. The rules of this house cannot fail.
    fn fault(&self) -> Option<GameFault> {
        None
    }
}

/// A position of any game, with its setup.
pub trait AnyLeg: Send {
    /// See [`Game::to_move`](crate::game::Game::to_move).
    fn to_move(&self) -> ToMove;
    /// See [`GamePackage::list_options`](crate::package::GamePackage::list_options).
    fn list_options(&self, _seat: Seat) -> Value {
        Value::Null
    }
    /// See [`Game::period`](crate::game::Game::period).
    fn period(&self) -> u32;
    /// See [`Game::period_limit`](crate::game::Game::period_limit).
    fn period_limit(&self) -> Option<Duration>;
    /// See [`Game::round`](crate::game::Game::round).
    fn round(&self) -> u32;
    /// See [`Game::outcome`](crate::game::Game::outcome).
    fn outcome(&self) -> Option<Outcome>;
    /// See [`Game::scores`](crate::game::Game::scores).
    fn scores(&self) -> BySeat<i32>;
    /// The legal actions in notation.
    fn legal_actions(&self, seat: Seat) -> Vec<String>;
    /// A random legal action in notation.
    fn sample_action(&self, seat: Seat, rng: &mut Rng) -> Option<String>;
    /// Whether the action is no fault. Unknown notation is illegal.
    fn check_action(&self, seat: Seat, action: &str) -> Result<(), Illegal>;
    /// Whether this is the notation of an action, legal or not.
    fn knows_action(&self, action: &str) -> bool;
    /// Plays one step; unknown notation counts as [`Fault::Malformed`](crate::reply::Fault::Malformed).
    fn step(&mut self, replies: TextReplies<'_>, sink: &mut dyn AnySink);
    /// Counts the figures of a step with these replies, which is not played.
    fn count_figures(&self, _replies: TextReplies<'_>, _count: FigureCounter<'_>) {}
    /// Takes what a judge program showed in the next moments ([`LegRecord::shown`](crate::replay::LegRecord)):
    /// a leg that is not led here goes on with it. Any other leg computes it.
    fn recall(&mut self, _moments: &[Value]) {}
    /// The view from a perspective.
    fn view(&self, perspective: Perspective) -> Value;
    /// The canonical state text.
    fn state_text(&self) -> String;
    /// FNV-1a 64 of the canonical state text.
    fn hash(&self) -> u64 {
        fnv1a(self.state_text().as_bytes())
    }
    /// The position drawn for a terminal.
    fn render_position(&self, look: &RenderOptions) -> Rendering;
    /// A copy.
    fn clone_leg(&self) -> Box<dyn AnyLeg>;
    /// Why the leg cannot go on: a call of its rules failed. Then nobody is asked, there is no
    /// outcome, and what any method returned since the last look may be empty. The rules of this
    /// house cannot fail.
    fn fault(&self) -> Option<GameFault> {
        None
    }
    /// For the erasure itself.
    fn as_any(&self) -> &dyn Any;
}

/// Receives the events of a step of any game. `()` ignores them.
pub trait AnySink {
    /// Whether events are wanted; making them costs time.
    fn wants_events(&self) -> bool {
        false
    }
    /// See [`Sink::on_event`](crate::game::Sink::on_event).
    fn on_event(&mut self, _event: Value) {}
    /// Whether checkpoints are wanted; rules of game files write a text for each.
    fn wants_checkpoints(&self) -> bool {
        true
    }
    /// See [`Sink::on_checkpoint`](crate::game::Sink::on_checkpoint).
    fn on_checkpoint(&mut self, _at: &dyn Checkpoint) {}
    /// Whether somebody keeps what a judge program shows.
    fn wants_shown(&self) -> bool {
        false
    }
    /// What a judge program shows: before the first step, and after each one.
    fn on_shown(&mut self, _moment: Value) {}
}

impl AnySink for () {
    fn wants_checkpoints(&self) -> bool {
        false
    }
}

/// A moment whose canonical state is hashed into replays.
pub trait Checkpoint {
    /// FNV-1a 64 of the canonical state text.
    fn hash(&self) -> u64;
    /// Writes the canonical state text.
    fn write_text(&self, out: &mut dyn fmt::Write) -> fmt::Result;
    /// The canonical state text.
    fn state_text(&self) -> String {
        let mut text = String::new();
        let written = self.write_text(&mut text);
        written.expect("a String takes every text");
        text
    }
}

/// A built-in bot of any game.
pub trait AnyBot: Send {
    /// Chooses an action, in notation.
    fn choose_action(&mut self, leg: &dyn AnyLeg, seat: Seat, clock: &dyn BotClock) -> String;
}

/// A person's unfinished action in any game; actions in notation. See [`ActionBuilder`](crate::action_builder::ActionBuilder).
pub trait AnyActionBuilder: Send {
    /// See [`ActionBuilder::handle_key`](crate::action_builder::ActionBuilder::handle_key).
    fn handle_key(&mut self, leg: &dyn AnyLeg, seat: Seat, key: Key) -> KeyEffect<String>;
    /// See [`ActionBuilder::show_draft`](crate::action_builder::ActionBuilder::show_draft).
    fn show_draft(&self, leg: &dyn AnyLeg, seat: Seat, lang: Lang) -> PartialAction;
}

/// See [`Protocol`](crate::protocol::Protocol).
#[allow(missing_docs, reason = "each method is the one of `Protocol`")]
pub trait AnyProtocol: Send {
    fn message_framing(&self, leg: &dyn AnyLeg) -> Framing;
    fn write_start(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8>;
    fn write_question(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8>;
    fn read(&mut self, leg: &dyn AnyLeg, seat: Seat, body: &[u8]) -> Result<String, Message>;
    fn write_step(&mut self, leg: &dyn AnyLeg, seat: Seat, replies: &TextReplies<'_>) -> Vec<u8>;
    fn write_end(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8>;
    fn may_answer_early(&self) -> bool;
}
