//! The rules' interface. One position type implements one game; the referee, the viewers, the bots and the
//! researchers' environments all speak to it through [`Game`] (or its erased face, [`crate::erased`]).

use std::fmt::{self, Debug};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::bot::BotInfo;
use crate::choice::ConfigChoice;
use crate::composer::Composer;
use crate::dialect::{DialectInfo, Replies};
use crate::hash::Fnv;
use crate::host::Host;
use crate::parity;
use crate::picture::{Axes, KeyBinding, Look, Picture};
use crate::replay::Format;
use crate::reply::{Fault, Illegal};
use crate::rng::Rng;
use crate::seat::{BySeat, Entrant, Seat};
use crate::template::Template;

/// A game: the position itself implements it.
///
/// All chance falls before the first move, so a [`Setup`](Game::Setup) is all there is to know; a position is
/// plain data beside a shared setup, and `clone()` copies it. No method may panic on a position that was reached
/// through [`start`](Game::start) and [`step`](Game::step), whatever the replies were.
pub trait Game: Clone + Debug + PartialEq + Send + Sync + Sized + 'static {
    /// Choices made before chance falls (`--config key=value`).
    type Config: Default + Serialize + DeserializeOwned;
    /// Chance already drawn. Deserialising validates, so that a setup which exists is sound.
    type Setup: Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// What a seat may say in one step.
    type Action: Copy + Eq + Debug + Send;
    /// What a step did, for viewers and logs. Viewers mark the cell of an event whose JSON has `"at": [row, column]`,
    /// `"cell": [row, column]`, or `"row"` and `"col"`, numbered as by [`axes`](Game::axes).
    type Event: Serialize;
    /// What an eye sees. Fog lives here and nowhere else.
    type View<'a>: Serialize;

    /// Names and numbers of the game.
    const META: Meta;

    /// Draws the setup. The same config and seed always give the same setup.
    fn deal(config: &Self::Config, seed: u64) -> Result<Self::Setup, Invalid>;
    /// The position before the first step.
    fn start(setup: &Self::Setup) -> Self;
    /// Who is asked now: a property of the moment, not of the game. `Nobody` once there is an outcome.
    fn to_move(&self) -> ToMove;
    /// What a clock counts; the clock starts anew when it grows.
    fn period(&self) -> u32;
    /// Time for the period that runs now, where it differs from [`Meta::period_limit`] (TankCraft: the choice of the
    /// team has longer than a round).
    fn period_limit(&self) -> Option<Duration> {
        None
    }
    /// The round being played, from 1.
    fn round(&self) -> u32;
    /// The last round a leg can have.
    fn rounds(setup: &Self::Setup) -> u32;
    /// Whether the action may be said without a fault; whether one survives it is another question.
    fn check(&self, setup: &Self::Setup, seat: Seat, action: Self::Action) -> Result<(), Illegal>;
    /// Appends the actions that may be said without a fault (where they are too many to list, one of each kind).
    fn legal(&self, setup: &Self::Setup, seat: Seat, out: &mut Vec<Self::Action>);
    /// A random legal action; `None` when the seat is not asked.
    fn sample(&self, setup: &Self::Setup, seat: Seat, rng: &mut Rng) -> Option<Self::Action> {
        let mut legal = Vec::new();
        self.legal(setup, seat, &mut legal);
        legal.get(rng.below(legal.len())).copied()
    }
    /// Plays one step. Never fails: an illegal action or a fault costs what the rules say. A reply of a seat that
    /// is not asked is ignored; a missing reply of one that is counts as [`Fault::Timeout`].
    fn step(&mut self, setup: &Self::Setup, replies: Replies<Self>, sink: &mut dyn Sink<Self>);
    /// How the leg ended, once it has.
    fn outcome(&self) -> Option<Outcome>;
    /// The score as it stands.
    fn scores(&self) -> BySeat<i32>;
    /// The match's verdict over its finished legs, in order; seats swap after every leg.
    fn verdict(setup: &Self::Setup, legs: &[Self]) -> Verdict;

    /// What an eye sees of the position.
    fn view<'a>(&'a self, setup: &'a Self::Setup, eye: Eye) -> Self::View<'a>;
    /// The canonical state text: equal texts mean equal positions.
    fn state_text(&self, setup: &Self::Setup, out: &mut dyn fmt::Write) -> fmt::Result;
    /// FNV-1a 64 of the canonical state text.
    fn hash(&self, setup: &Self::Setup) -> u64 {
        let mut fnv = Fnv::default();
        self.state_text(setup, &mut fnv).expect("hashing never fails to write");
        fnv.0
    }
    /// The action's notation: ASCII without white space, `/` or `!`.
    fn write_action(action: Self::Action) -> String;
    /// Reads the notation; `None` for anything else. The action may still be illegal.
    fn read_action(text: &str) -> Option<Self::Action>;

    /// The built-in bots, weakest first.
    fn bots() -> &'static [BotInfo<Self>];
    /// The game's own dialects, the default first. JSON lines are added by the house.
    fn dialects() -> &'static [DialectInfo<Self>];
    /// What runs programs that are not plain stdin and stdout programs.
    fn hosts() -> &'static [Host] {
        &[]
    }
    /// Programs to begin with, one a language; each plays as it stands.
    fn templates() -> &'static [Template] {
        &[]
    }
    /// The keys of the config that people are offered on a page, the most important first.
    fn config_choices() -> &'static [ConfigChoice] {
        &[]
    }
    /// The rules and how to write a bot, in Markdown: the game's README.
    fn guide() -> Text {
        Text { en: "", zh: "" }
    }
    /// What its rules and formats say to people (reasons of illegal actions, errors), in both languages; see
    /// [`crate::lang`].
    fn messages() -> &'static [Text] {
        &[]
    }
    /// Foreign replay formats.
    fn formats() -> &'static [Format] {
        &[]
    }
    /// Compares the engine with the text of a corpus file, case by case.
    fn parity(text: &str, report: &mut dyn FnMut(parity::Case));
    /// The position drawn for a terminal.
    fn picture(&self, setup: &Self::Setup, look: &Look) -> Picture;
    /// How people number the picture's columns and rows; from the top left and 0 by default.
    fn axes() -> Axes {
        Axes::default()
    }
    /// The keys with which a person plays on this seat; none where there is a [`composer`](Game::composer).
    fn keys(seat: Seat) -> &'static [KeyBinding];
    /// For one question to a person on this seat, where a single key cannot say an action.
    fn composer(_seat: Seat) -> Option<Box<dyn Composer<Self>>> {
        None
    }
    /// What a person on this seat can choose from, for the game's own page, where that is more than
    /// [`keys`](Game::keys); made from what the seat may know. Null where the keys say it all.
    fn options(&self, _setup: &Self::Setup, _seat: Seat) -> serde_json::Value {
        serde_json::Value::Null
    }
    /// Whether a player may know everything. Where not, a person who plays is not told what others said, nor events.
    fn is_open() -> bool {
        true
    }
}

/// Told what happens inside a step. `()` does not listen.
pub trait Sink<G: Game> {
    /// Something happened that viewers or logs show.
    fn event(&mut self, _event: G::Event) {}
    /// A moment whose canonical state counts: replays keep its hash, traces print its text. A step can pass
    /// several (SnakeGo: the end of every player's turn, also of an empty one) or none (in the middle of a turn).
    fn checkpoint(&mut self, _setup: &G::Setup, _position: &G) {}
}

impl<G: Game> Sink<G> for () {}

/// Names and numbers of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meta {
    /// The id in commands, paths and replays: `snakego`.
    pub id: &'static str,
    /// The name that people read.
    pub title: Text,
    /// One sentence for a list of games.
    pub about: Text,
    /// The rule set and its version: `snakego/1`. A replay is only verified under the same rule set.
    pub rules: &'static str,
    /// Legs in a match by default.
    pub legs: usize,
    /// Time for a period by default.
    pub period_limit: Duration,
    /// Bytes in one message of a program at most.
    pub message_limit: usize,
}

/// A text for people in both languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// English.
    pub en: &'static str,
    /// 简体中文.
    pub zh: &'static str,
}

/// Who is asked in this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToMove {
    /// The leg is over.
    Nobody,
    /// One seat.
    One(Seat),
    /// Both, without seeing each other's answer.
    Both,
}

impl ToMove {
    /// Whether this seat is asked.
    pub fn asks(self, seat: Seat) -> bool {
        match self {
            ToMove::Nobody => false,
            ToMove::One(asked) => asked == seat,
            ToMove::Both => true,
        }
    }
}

/// Whose eyes look at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eye {
    /// What a player may know.
    Seat(Seat),
    /// Everything.
    All,
}

/// How a leg ended: who and why apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Who won the leg; `None` is a draw.
    pub winner: Option<Seat>,
    /// The leg's scores, as they count for the match.
    pub scores: BySeat<i32>,
    /// Why.
    pub reason: Reason,
    /// What each seat did wrong, if that ended the leg.
    pub faults: BySeat<Option<Fault>>,
    /// Whether the match goes on.
    pub scope: Scope,
}

/// What an outcome decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Only this leg; the other legs are still played.
    Leg,
    /// The whole match: no further leg is played.
    Match,
}

/// Who won the match, and by which rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// `None` is a draw.
    pub winner: Option<Entrant>,
    /// The rule that decided.
    pub reason: Reason,
}

/// A rule that decides a leg or a match, from the game's own list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Stable id for machines: `total-score`.
    pub id: &'static str,
    /// For people, as a sentence part: "by total score".
    pub text: Text,
}

/// A config or setup that is not sound: what is wrong, with the value, and what is accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(pub String);

impl Invalid {
    /// From anything that displays as a sentence.
    pub fn new(why: impl fmt::Display) -> Invalid {
        Invalid(why.to_string())
    }
}
