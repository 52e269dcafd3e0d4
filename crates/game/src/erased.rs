//! The rules' interface without type parameters: what the judge, the server and the command line hold. Actions
//! travel as their notation, configs, setups and views as JSON.
//!
//! A game is erased once, by [`Erased`]; nothing outside `games/*` ever names its types.

use std::any::Any;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::bot::{Bot, Clock};
use crate::choice::ConfigChoice;
use crate::composer::{Composed, Composer, Draft, Tell};
use crate::dialect::{Dialect, Framing, JSON_LINES, JsonLines};
use crate::game::{Game, Meta, Outcome, Sink, ToMove, Verdict};
use crate::host::Host;
use crate::invalid::Invalid;
use crate::package::GamePackage;
use crate::parity;
use crate::picture::{Axes, Key, KeyBinding, Look, Picture};
use crate::replay::Format;
use crate::reply::{Fault, Illegal, Reply};
use crate::rng::Rng;
use crate::seat::Eye;
use crate::seat::{BySeat, Seat};
use crate::template::Template;
use crate::text::Text;

/// The replies of one step, actions as notation.
pub type TextReplies<'a> = BySeat<Option<Reply<&'a str>>>;

/// A game of any kind.
pub trait AnyGame: Send + Sync {
    /// Names and numbers.
    fn meta(&self) -> &'static Meta;
    /// Built-in bots: name and what it does, weakest first.
    fn bots(&self) -> Vec<(&'static str, Text)>;
    /// Dialects: name and who speaks it, the default first.
    fn dialects(&self) -> Vec<(&'static str, Text)>;
    /// See [`GamePackage::hosts`].
    fn hosts(&self) -> &'static [Host];
    /// See [`GamePackage::templates`].
    fn templates(&self) -> &'static [Template];
    /// See [`GamePackage::config_choices`].
    fn config_choices(&self) -> &'static [ConfigChoice];
    /// See [`GamePackage::guide`].
    fn guide(&self) -> Text;
    /// See [`GamePackage::messages`].
    fn messages(&self) -> &'static [Text] {
        &[]
    }
    /// Foreign replay formats.
    fn formats(&self) -> &'static [Format];
    /// The config with every default written out, after the given choices; fails on unknown or unsound ones.
    fn config(&self, choices: &Value) -> Result<Value, Invalid>;
    /// Draws a setup.
    fn deal(&self, config: &Value, seed: u64) -> Result<Arc<dyn AnySetup>, Invalid>;
    /// Reads and checks a setup.
    fn load(&self, setup: &Value) -> Result<Arc<dyn AnySetup>, Invalid>;
    /// A built-in bot for one leg.
    fn bot(&self, name: &str, seed: u64) -> Option<Box<dyn AnyBot>>;
    /// One seat's side of one leg in the dialect of this name.
    fn dialect(&self, name: &str) -> Option<Box<dyn AnyDialect>>;
    /// See [`GamePackage::parity`].
    fn parity(&self, text: &str, report: &mut dyn FnMut(parity::Case));
    /// See [`GamePackage::axes`].
    fn axes(&self) -> Axes;
    /// See [`GamePackage::keys`].
    fn keys(&self, seat: Seat) -> &'static [KeyBinding];
    /// See [`GamePackage::composer`].
    fn composer(&self, seat: Seat) -> Option<Box<dyn AnyComposer>>;
    /// See [`Game::is_open`].
    fn is_open(&self) -> bool;
}

/// A setup of any game.
pub trait AnySetup: Debug + Send + Sync {
    /// As it stands in a replay.
    fn to_json(&self) -> Value;
    /// The position before the first step.
    fn start(&self) -> Box<dyn AnyLeg>;
    /// The match's verdict over its finished legs. Legs of another game are left out.
    fn verdict(&self, legs: &[Box<dyn AnyLeg>]) -> Verdict;
    /// The last round a leg can have.
    fn rounds(&self) -> u32;
}

/// A position of any game, with its setup.
pub trait AnyLeg: Send {
    /// See [`Game::to_move`].
    fn to_move(&self) -> ToMove;
    /// See [`GamePackage::options`].
    fn options(&self, seat: Seat) -> Value;
    /// See [`Game::period`].
    fn period(&self) -> u32;
    /// See [`Game::period_limit`].
    fn period_limit(&self) -> Option<Duration>;
    /// See [`Game::round`].
    fn round(&self) -> u32;
    /// See [`Game::outcome`].
    fn outcome(&self) -> Option<Outcome>;
    /// See [`Game::scores`].
    fn scores(&self) -> BySeat<i32>;
    /// The legal actions in notation.
    fn legal(&self, seat: Seat) -> Vec<String>;
    /// A random legal action in notation.
    fn sample(&self, seat: Seat, rng: &mut Rng) -> Option<String>;
    /// Whether the action may be said without a fault. Unknown notation is illegal.
    fn check(&self, seat: Seat, action: &str) -> Result<(), Illegal>;
    /// Whether this is the notation of an action, legal or not.
    fn knows(&self, action: &str) -> bool;
    /// Plays one step; unknown notation counts as [`Fault::Malformed`].
    fn step(&mut self, replies: TextReplies<'_>, sink: &mut dyn AnySink);
    /// What an eye sees.
    fn view(&self, eye: Eye) -> Value;
    /// The canonical state text.
    fn state_text(&self) -> String;
    /// FNV-1a 64 of the canonical state text.
    fn hash(&self) -> u64;
    /// Drawn for a terminal.
    fn picture(&self, look: &Look) -> Picture;
    /// A copy.
    fn clone_leg(&self) -> Box<dyn AnyLeg>;
    /// For the erasure itself.
    fn as_any(&self) -> &dyn Any;
}

/// Told what happens inside a step of any game. `()` does not listen.
pub trait AnySink {
    /// Whether events are wanted; building them costs time.
    fn wants_events(&self) -> bool {
        false
    }
    /// See [`Sink::event`].
    fn event(&mut self, _event: Value) {}
    /// See [`Sink::checkpoint`].
    fn checkpoint(&mut self, _at: &dyn Checkpoint) {}
}

impl AnySink for () {}

/// A moment whose canonical state counts.
pub trait Checkpoint {
    /// FNV-1a 64 of the canonical state text.
    fn hash(&self) -> u64;
    /// The canonical state text.
    fn text(&self) -> String;
}

/// A built-in bot of any game.
pub trait AnyBot: Send {
    /// Chooses an action, in notation.
    fn choose(&mut self, leg: &dyn AnyLeg, seat: Seat, clock: &dyn Clock) -> String;
}

/// A person's action in the making, of any game; actions in notation. See [`Composer`].
pub trait AnyComposer: Send {
    /// See [`Composer::key`].
    fn key(&mut self, leg: &dyn AnyLeg, seat: Seat, key: Key) -> Composed<String>;
    /// See [`Composer::draft`].
    fn draft(&self, leg: &dyn AnyLeg, seat: Seat, tell: Tell) -> Draft;
}

/// See [`Dialect`].
#[allow(missing_docs, reason = "each method is the one of `Dialect`")]
pub trait AnyDialect: Send {
    fn framing(&self, leg: &dyn AnyLeg) -> Framing;
    fn hello(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8>;
    fn ask(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8>;
    fn read(&mut self, leg: &dyn AnyLeg, seat: Seat, body: &[u8]) -> Result<String, String>;
    fn stepped(&mut self, leg: &dyn AnyLeg, seat: Seat, replies: &TextReplies<'_>) -> Vec<u8>;
    fn bye(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8>;
    fn may_answer_early(&self) -> bool;
}

/// Erases the types of a game.
///
/// ```text
/// static SNAKEGO: Erased<Position> = Erased::new();
/// let game: &'static dyn AnyGame = &SNAKEGO;
/// ```
pub struct Erased<G>(PhantomData<fn() -> G>);

impl<G> Erased<G> {
    /// The game of this position type.
    pub const fn new() -> Self {
        Erased(PhantomData)
    }
}

impl<G> Default for Erased<G> {
    fn default() -> Self {
        Erased::new()
    }
}

impl<G: GamePackage> AnyGame for Erased<G> {
    fn meta(&self) -> &'static Meta {
        const { &G::META }
    }

    fn bots(&self) -> Vec<(&'static str, Text)> {
        G::bots().iter().map(|bot| (bot.name, bot.about)).collect()
    }

    fn dialects(&self) -> Vec<(&'static str, Text)> {
        let json_lines = Text {
            en: "the house's own: one JSON object a line, for a program in any language",
            zh: "本站自有：每行一个 JSON 对象，任何语言都能写",
        };
        let own = G::dialects().iter().map(|dialect| (dialect.name, dialect.about));
        own.chain([(JSON_LINES, json_lines)]).collect()
    }

    fn hosts(&self) -> &'static [Host] {
        G::hosts()
    }

    fn templates(&self) -> &'static [Template] {
        G::templates()
    }

    fn config_choices(&self) -> &'static [ConfigChoice] {
        G::config_choices()
    }

    fn guide(&self) -> Text {
        G::guide()
    }

    fn messages(&self) -> &'static [Text] {
        G::messages()
    }

    fn formats(&self) -> &'static [Format] {
        G::formats()
    }

    fn config(&self, choices: &Value) -> Result<Value, Invalid> {
        let config = read_config::<G>(choices)?;
        Ok(serde_json::to_value(config).expect("a config is plain data"))
    }

    fn deal(&self, config: &Value, seed: u64) -> Result<Arc<dyn AnySetup>, Invalid> {
        Ok(setup_of::<G>(Arc::new(G::deal(&read_config::<G>(config)?, seed)?)))
    }

    fn load(&self, setup: &Value) -> Result<Arc<dyn AnySetup>, Invalid> {
        Ok(setup_of::<G>(Arc::new(typed_setup::<G>(setup)?)))
    }

    fn bot(&self, name: &str, seed: u64) -> Option<Box<dyn AnyBot>> {
        let info = G::bots().iter().find(|bot| bot.name == name)?;
        Some(Box::new(BotOf::<G>((info.make)(seed))))
    }

    fn dialect(&self, name: &str) -> Option<Box<dyn AnyDialect>> {
        if name == JSON_LINES {
            return Some(Box::new(DialectOf::<G>(Box::new(JsonLines))));
        }
        let info = G::dialects().iter().find(|dialect| dialect.name == name)?;
        Some(Box::new(DialectOf::<G>((info.make)())))
    }

    fn parity(&self, text: &str, report: &mut dyn FnMut(parity::Case)) {
        G::parity(text, report);
    }

    fn axes(&self) -> Axes {
        G::axes()
    }

    fn keys(&self, seat: Seat) -> &'static [KeyBinding] {
        G::keys(seat)
    }

    fn composer(&self, seat: Seat) -> Option<Box<dyn AnyComposer>> {
        G::composer(seat).map(|own| Box::new(ComposerOf::<G>(own)) as Box<dyn AnyComposer>)
    }

    fn is_open(&self) -> bool {
        G::is_open()
    }
}

pub(crate) fn read_config<G: Game>(choices: &Value) -> Result<G::Config, Invalid> {
    match choices {
        Value::Null => Ok(G::Config::default()),
        choices => serde::Deserialize::deserialize(choices).map_err(|why| wrong_choice::<G>(choices, &why)),
    }
}

/// What is wrong with choices that could not be read, with the key and the value where it is one of them alone.
fn wrong_choice<G: Game>(choices: &Value, why: &serde_json::Error) -> Invalid {
    let fails = |(key, value): &(&String, &Value)| {
        let alone = Value::from_iter([((*key).clone(), (*value).clone())]);
        <G::Config as serde::Deserialize>::deserialize(alone).is_err()
    };
    let why = why.to_string();
    match choices.as_object().and_then(|choices| choices.iter().find(fails)) {
        Some((key, value)) => match most_of_whole(&why) {
            Some(most) => Invalid(format!("{key} is {value}; a whole number from 0 to {most} is expected")),
            None if why.contains(key.as_str()) => Invalid(why),
            None => Invalid(format!("{key}: {why}")),
        },
        None => Invalid(why),
    }
}

/// The greatest number of the type that serde's message expects, if it is one of whole numbers.
fn most_of_whole(why: &str) -> Option<u64> {
    match why.rsplit_once(", expected ")?.1 {
        "u8" => Some(u8::MAX.into()),
        "u16" => Some(u16::MAX.into()),
        "u32" => Some(u32::MAX.into()),
        "u64" | "usize" => Some(u64::MAX),
        _ => None,
    }
}

/// A typed setup, erased.
pub(crate) fn setup_of<G: GamePackage>(setup: Arc<G::Setup>) -> Arc<dyn AnySetup> {
    Arc::new(SetupOf::<G>(setup))
}

/// A typed position with its setup, erased.
pub(crate) fn leg_of<G: GamePackage>(setup: Arc<G::Setup>, position: G) -> Box<dyn AnyLeg> {
    Box::new(LegOf::<G> { setup, position })
}

/// Reads and checks a setup.
pub(crate) fn typed_setup<G: Game>(setup: &Value) -> Result<G::Setup, Invalid> {
    serde::Deserialize::deserialize(setup).map_err(Invalid::new)
}

struct SetupOf<G: Game>(Arc<G::Setup>);

impl<G: Game> Debug for SetupOf<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<G: GamePackage> AnySetup for SetupOf<G> {
    fn to_json(&self) -> Value {
        serde_json::to_value(&*self.0).expect("a setup is plain data")
    }

    fn start(&self) -> Box<dyn AnyLeg> {
        Box::new(LegOf::<G> { position: G::start(&self.0), setup: self.0.clone() })
    }

    fn verdict(&self, legs: &[Box<dyn AnyLeg>]) -> Verdict {
        let own = legs.iter().filter_map(|leg| leg.as_any().downcast_ref::<LegOf<G>>());
        let positions: Vec<G> = own.map(|leg| leg.position.clone()).collect();
        G::verdict(&self.0, &positions)
    }

    fn rounds(&self) -> u32 {
        G::rounds(&self.0)
    }
}

struct LegOf<G: Game> {
    setup: Arc<G::Setup>,
    position: G,
}

impl<G: Game> LegOf<G> {
    fn of(leg: &dyn AnyLeg) -> &LegOf<G> {
        leg.as_any().downcast_ref().expect("bots, dialects and legs come from the same game")
    }
}

impl<G: GamePackage> AnyLeg for LegOf<G> {
    fn to_move(&self) -> ToMove {
        self.position.to_move()
    }

    fn period(&self) -> u32 {
        self.position.period()
    }

    fn options(&self, seat: Seat) -> Value {
        self.position.options(&self.setup, seat)
    }

    fn period_limit(&self) -> Option<Duration> {
        self.position.period_limit()
    }

    fn round(&self) -> u32 {
        self.position.round()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome()
    }

    fn scores(&self) -> BySeat<i32> {
        self.position.scores()
    }

    fn legal(&self, seat: Seat) -> Vec<String> {
        let mut legal = Vec::new();
        self.position.legal(&self.setup, seat, &mut legal);
        legal.into_iter().map(G::write_action).collect()
    }

    fn sample(&self, seat: Seat, rng: &mut Rng) -> Option<String> {
        self.position.sample(&self.setup, seat, rng).map(G::write_action)
    }

    fn check(&self, seat: Seat, action: &str) -> Result<(), Illegal> {
        let read = G::read_action(action);
        let action = read.ok_or_else(|| Illegal(format!("there is no action {action:?}")))?;
        self.position.check(&self.setup, seat, action)
    }

    fn knows(&self, action: &str) -> bool {
        G::read_action(action).is_some()
    }

    fn step(&mut self, replies: TextReplies<'_>, sink: &mut dyn AnySink) {
        let replies = replies.map(|reply| reply.map(read_reply::<G>));
        self.position.step(&self.setup, replies, &mut SinkOf(sink));
    }

    fn view(&self, eye: Eye) -> Value {
        serde_json::to_value(self.position.view(&self.setup, eye)).expect("a view is plain data")
    }

    fn state_text(&self) -> String {
        self.at().text()
    }

    fn hash(&self) -> u64 {
        self.at().hash()
    }

    fn picture(&self, look: &Look) -> Picture {
        self.position.picture(&self.setup, look)
    }

    fn clone_leg(&self) -> Box<dyn AnyLeg> {
        Box::new(LegOf { setup: self.setup.clone(), position: self.position.clone() })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl<G: Game> LegOf<G> {
    fn at(&self) -> At<'_, G> {
        At { setup: &self.setup, position: &self.position }
    }
}

pub(crate) fn read_reply<G: Game>(reply: Reply<&str>) -> Reply<G::Action> {
    match reply {
        Reply::Action(text) => G::read_action(text).map_or(Reply::Fault(Fault::Malformed), Reply::Action),
        Reply::Fault(fault) => Reply::Fault(fault),
    }
}

struct At<'a, G: Game> {
    setup: &'a G::Setup,
    position: &'a G,
}

impl<G: Game> Checkpoint for At<'_, G> {
    fn hash(&self) -> u64 {
        self.position.hash(self.setup)
    }

    fn text(&self) -> String {
        let mut text = String::new();
        self.position.state_text(self.setup, &mut text).expect("a String takes every text");
        text
    }
}

pub(crate) struct SinkOf<'a>(pub(crate) &'a mut dyn AnySink);

impl<G: Game> Sink<G> for SinkOf<'_> {
    fn event(&mut self, event: G::Event) {
        if self.0.wants_events() {
            self.0.event(serde_json::to_value(event).expect("an event is plain data"));
        }
    }

    fn checkpoint(&mut self, setup: &G::Setup, position: &G) {
        self.0.checkpoint(&At { setup, position });
    }
}

struct BotOf<G: Game>(Box<dyn Bot<G>>);

impl<G: Game> AnyBot for BotOf<G> {
    fn choose(&mut self, leg: &dyn AnyLeg, seat: Seat, clock: &dyn Clock) -> String {
        let leg = LegOf::<G>::of(leg);
        let view = leg.position.view(&leg.setup, Eye::Seat(seat));
        G::write_action(self.0.choose(&leg.setup, &view, clock))
    }
}

struct ComposerOf<G: Game>(Box<dyn Composer<G>>);

impl<G: Game> AnyComposer for ComposerOf<G> {
    fn key(&mut self, leg: &dyn AnyLeg, seat: Seat, key: Key) -> Composed<String> {
        let leg = LegOf::<G>::of(leg);
        let view = leg.position.view(&leg.setup, Eye::Seat(seat));
        self.0.key(&leg.setup, &view, key).map(G::write_action)
    }

    fn draft(&self, leg: &dyn AnyLeg, seat: Seat, tell: Tell) -> Draft {
        let leg = LegOf::<G>::of(leg);
        let view = leg.position.view(&leg.setup, Eye::Seat(seat));
        self.0.draft(&leg.setup, &view, tell)
    }
}

struct DialectOf<G: Game>(Box<dyn Dialect<G>>);

impl<G: Game> AnyDialect for DialectOf<G> {
    fn framing(&self, leg: &dyn AnyLeg) -> Framing {
        self.0.framing(&LegOf::<G>::of(leg).position)
    }

    fn hello(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8> {
        let leg = LegOf::<G>::of(leg);
        self.0.hello(&leg.setup, &leg.position, seat)
    }

    fn ask(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8> {
        let leg = LegOf::<G>::of(leg);
        self.0.ask(&leg.setup, &leg.position, seat)
    }

    fn read(&mut self, leg: &dyn AnyLeg, seat: Seat, body: &[u8]) -> Result<String, String> {
        let leg = LegOf::<G>::of(leg);
        self.0.read(&leg.setup, &leg.position, seat, body).map(G::write_action)
    }

    fn stepped(&mut self, leg: &dyn AnyLeg, seat: Seat, replies: &TextReplies<'_>) -> Vec<u8> {
        let leg = LegOf::<G>::of(leg);
        let replies = replies.map(|reply| reply.map(read_reply::<G>));
        self.0.stepped(&leg.setup, &leg.position, seat, &replies)
    }

    fn bye(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8> {
        let leg = LegOf::<G>::of(leg);
        self.0.bye(&leg.setup, &leg.position, seat)
    }

    fn may_answer_early(&self) -> bool {
        self.0.may_answer_early()
    }
}
