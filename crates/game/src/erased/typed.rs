//! The games of this house, their types erased.

use super::assessor::AnyAssessor;
use super::game::AnyGame;
use super::leg::{
    AnyActionBuilder, AnyBot, AnyLeg, AnyProtocol, AnySetup, AnySink, Checkpoint, TextReplies,
};
use std::any::Any;
use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::action_builder::{ActionBuilder, KeyEffect, PartialAction};
use crate::assessment::{Assessment, Assessor, DecisionAssessment};
use crate::bot::{Bot, BotClock};
use crate::config_options::ConfigChoice;
use crate::figures::{EventList, FigureCounter, LegFigures};
use crate::game::{Game, MetaOf, Outcome, Sink, ToMove, Verdict};
use crate::host::Host;
use crate::invalid::InvalidSetup;
use crate::lang::{Lang, Message, Texts, say};
use crate::package::GamePackage;
use crate::parity;
use crate::protocol::{Framing, JSON_LINES, JsonLines, Protocol};
use crate::rating_scale::RatingScale;
use crate::render::{AxisLabels, Key, KeyBinding, RenderOptions, Rendering};
use crate::replay::ReplayFormat;
use crate::reply::{Fault, Illegal, Reply};
use crate::rng::Rng;
use crate::search_budget::SearchBudget;
use crate::seat::Perspective;
use crate::seat::{BySeat, Seat};
use crate::template::TemplateOf;
use crate::text::{Text, TextOf};

/// The engine in the page (`crates/wasm`) runs no programs and draws no terminal: it has no
/// protocols, hosts, templates, guides or builders for keys of a terminal, so that it is loaded
/// sooner.
const IN_PAGE: bool = cfg!(target_arch = "wasm32");

/// What a list of protocols says of JSON lines.
pub const JSON_LINES_ABOUT: Text = Text::new(
    "Leitai's own: one JSON object a line, for a program in any language",
    "本站自有：每行一个 JSON 对象，任何语言都能写",
);

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
    fn meta(&self) -> MetaOf<'_> {
        G::META
    }

    fn list_bots(&self) -> Vec<(&str, TextOf<'_>)> {
        G::CONTENTS
            .bots
            .iter()
            .map(|bot| (bot.name, bot.about))
            .collect()
    }

    fn is_on_ladder(&self, bot: &str) -> bool {
        let mut bots = G::CONTENTS.bots.iter();
        bots.any(|info| info.name == bot && info.is_on_ladder)
    }

    fn list_protocols(&self) -> Vec<(&'static str, Text)> {
        let own = G::CONTENTS
            .protocols
            .iter()
            .map(|protocol| (protocol.name, protocol.about));
        own.chain([(JSON_LINES, JSON_LINES_ABOUT)]).collect()
    }

    fn rating_scale(&self) -> Option<&RatingScale> {
        G::CONTENTS.rating_scale
    }

    fn leg_figures(&self) -> Option<&'static LegFigures> {
        G::CONTENTS.figures
    }
    fn list_hosts(&self) -> &'static [Host] {
        if IN_PAGE { &[] } else { G::CONTENTS.hosts }
    }

    fn list_templates(&self) -> Vec<TemplateOf<'_>> {
        match IN_PAGE {
            true => Vec::new(),
            false => {
                let templates = G::CONTENTS.templates.iter();
                templates.map(TemplateOf::as_template).collect()
            }
        }
    }

    fn config_choices(&self) -> Vec<ConfigChoice> {
        G::CONTENTS.config_options.iter().map(Into::into).collect()
    }

    fn rules_guide(&self) -> TextOf<'_> {
        if IN_PAGE {
            Text::new("", "")
        } else {
            G::CONTENTS.rules_guide
        }
    }

    fn situations(&self) -> &'static str {
        if IN_PAGE { "" } else { G::CONTENTS.situations }
    }

    fn full_rules(&self) -> TextOf<'_> {
        match G::CONTENTS.full_rules {
            Some(rules) if !IN_PAGE => rules,
            _ => self.rules_guide(),
        }
    }

    fn messages(&self) -> &'static Texts {
        G::CONTENTS.messages
    }

    fn replay_formats(&self) -> &'static [ReplayFormat] {
        G::CONTENTS.replay_formats
    }

    fn read_config(&self, choices: &Value) -> Result<Value, InvalidSetup> {
        let config = read_config::<G>(choices)?;
        Ok(serde_json::to_value(config).expect("a config is plain data"))
    }

    fn deal_setup(&self, config: &Value, seed: u64) -> Result<Arc<dyn AnySetup>, InvalidSetup> {
        Ok(setup_of::<G>(Arc::new(G::deal(
            &read_config::<G>(config)?,
            seed,
        )?)))
    }

    fn read_setup(&self, setup: &Value) -> Result<Arc<dyn AnySetup>, InvalidSetup> {
        Ok(setup_of::<G>(Arc::new(typed_setup::<G>(setup)?)))
    }

    fn make_bot(&self, name: &str, seed: u64) -> Option<Box<dyn AnyBot>> {
        let name = self.find_bot(name)?;
        let info = G::CONTENTS.bots.iter().find(|bot| bot.name == name)?;
        Some(Box::new(ErasedBot::<G>((info.make)(seed))))
    }

    fn make_assessor(&self) -> Option<Box<dyn AnyAssessor>> {
        let info = G::CONTENTS.assessor.as_ref()?;
        Some(Box::new(ErasedAssessor::<G>((info.make)())))
    }

    fn decision_nodes(&self) -> Option<u64> {
        G::CONTENTS
            .assessor
            .as_ref()
            .map(|info| info.decision_nodes)
    }

    fn make_protocol(&self, name: &str) -> Option<Box<dyn AnyProtocol>> {
        if IN_PAGE {
            return None;
        }
        if name == JSON_LINES {
            return Some(Box::new(ErasedProtocol::<G>(Box::new(JsonLines))));
        }
        let info = G::CONTENTS
            .protocols
            .iter()
            .find(|protocol| protocol.name == name)?;
        Some(Box::new(ErasedProtocol::<G>((info.make)())))
    }

    fn compare_corpus(&self, text: &str, report: &mut dyn FnMut(parity::ParityCase)) {
        G::compare_corpus(text, report);
    }

    fn axis_labels(&self) -> AxisLabels {
        G::CONTENTS.axis_labels
    }

    fn key_bindings(&self, seat: Seat) -> &'static [KeyBinding] {
        G::key_bindings(seat)
    }

    fn action_builder(&self, seat: Seat) -> Option<Box<dyn AnyActionBuilder>> {
        if IN_PAGE {
            return None;
        }
        G::action_builder(seat)
            .map(|own| Box::new(ErasedActionBuilder::<G>(own)) as Box<dyn AnyActionBuilder>)
    }

    fn is_open(&self) -> bool {
        G::is_open()
    }
}

pub(crate) fn read_config<G: Game>(choices: &Value) -> Result<G::Config, InvalidSetup> {
    match choices {
        Value::Null => Ok(G::Config::default()),
        choices => {
            serde::Deserialize::deserialize(choices).map_err(|why| wrong_choice::<G>(choices, &why))
        }
    }
}

/// The error for choices that could not be read, with the key and the value if a single key is
/// wrong.
fn wrong_choice<G: Game>(choices: &Value, why: &serde_json::Error) -> InvalidSetup {
    let fails = |(key, value): &(&String, &Value)| {
        let alone = Value::from_iter([((*key).clone(), (*value).clone())]);
        <G::Config as serde::Deserialize>::deserialize(alone).is_err()
    };
    let why = why.to_string();
    match choices
        .as_object()
        .and_then(|choices| choices.iter().find(fails))
    {
        Some((key, value)) => match most_of_whole(&why) {
            Some(most) => InvalidSetup(say!(
                "{key} is {value}; a whole number from 0 to {most} is expected"
            )),
            None if why.contains(key.as_str()) => InvalidSetup::new(why),
            None => InvalidSetup(say!("{key}: {why}")),
        },
        None => InvalidSetup::new(why),
    }
}

/// The maximum of the integer type that serde's message expects, if it expects an integer.
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
    Arc::new(ErasedSetup::<G>(setup))
}

/// A typed position with its setup, erased.
pub(crate) fn leg_of<G: GamePackage>(setup: Arc<G::Setup>, position: G) -> Box<dyn AnyLeg> {
    Box::new(ErasedLeg::<G> { setup, position })
}

/// Reads and checks a setup.
pub(crate) fn typed_setup<G: Game>(setup: &Value) -> Result<G::Setup, InvalidSetup> {
    serde::Deserialize::deserialize(setup).map_err(InvalidSetup::new)
}

struct ErasedSetup<G: Game>(Arc<G::Setup>);

impl<G: Game> Debug for ErasedSetup<G> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl<G: GamePackage> AnySetup for ErasedSetup<G> {
    fn to_json(&self) -> Value {
        serde_json::to_value(&*self.0).expect("a setup is plain data")
    }

    fn start_leg(&self) -> Box<dyn AnyLeg> {
        Box::new(ErasedLeg::<G> {
            position: G::start(&self.0),
            setup: self.0.clone(),
        })
    }

    fn decide_match(&self, legs: &[Box<dyn AnyLeg>]) -> Verdict {
        let own = legs
            .iter()
            .filter_map(|leg| leg.as_any().downcast_ref::<ErasedLeg<G>>());
        let positions: Vec<G> = own.map(|leg| leg.position.clone()).collect();
        G::decide_match(&self.0, &positions)
    }

    fn max_rounds(&self) -> u32 {
        G::max_rounds(&self.0)
    }
}

/// The setup and the position of a leg whose game is known.
pub fn typed_leg<G: Game>(leg: &dyn AnyLeg) -> Option<(&G::Setup, &G)> {
    let leg = leg.as_any().downcast_ref::<ErasedLeg<G>>()?;
    Some((&leg.setup, &leg.position))
}

struct ErasedLeg<G: Game> {
    setup: Arc<G::Setup>,
    position: G,
}

impl<G: Game> ErasedLeg<G> {
    fn downcast_leg(leg: &dyn AnyLeg) -> &ErasedLeg<G> {
        leg.as_any()
            .downcast_ref()
            .expect("bots, protocols and legs come from the same game")
    }
}

impl<G: GamePackage> AnyLeg for ErasedLeg<G> {
    fn to_move(&self) -> ToMove {
        self.position.to_move()
    }

    fn period(&self) -> u32 {
        self.position.period()
    }

    fn list_options(&self, seat: Seat) -> Value {
        self.position.list_options(&self.setup, seat)
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

    fn legal_actions(&self, seat: Seat) -> Vec<String> {
        let mut legal = Vec::new();
        self.position.legal_actions(&self.setup, seat, &mut legal);
        legal.into_iter().map(G::write_action).collect()
    }

    fn sample_action(&self, seat: Seat, rng: &mut Rng) -> Option<String> {
        self.position
            .sample_action(&self.setup, seat, rng)
            .map(G::write_action)
    }

    fn check_action(&self, seat: Seat, action: &str) -> Result<(), Illegal> {
        let read = G::read_action(action);
        let action = read.ok_or_else(|| Illegal(say!("there is no action {action:?}")))?;
        self.position.check_action(&self.setup, seat, action)
    }

    fn knows_action(&self, action: &str) -> bool {
        G::read_action(action).is_some()
    }

    fn step(&mut self, replies: TextReplies<'_>, sink: &mut dyn AnySink) {
        let replies = replies.map_values(|reply| reply.map(read_reply::<G>));
        self.position
            .step(&self.setup, replies, &mut ErasedSink(sink));
    }

    fn count_figures(&self, replies: TextReplies<'_>, count: FigureCounter<'_>) {
        let replies = replies.map_values(|reply| reply.map(read_reply::<G>));
        let (mut after, mut events) = (self.position.clone(), EventList::<G>(Vec::new()));
        after.step(&self.setup, replies, &mut events);
        G::count_figures(&self.setup, &self.position, &after, &events.0, count);
    }

    fn view(&self, perspective: Perspective) -> Value {
        serde_json::to_value(self.position.view(&self.setup, perspective))
            .expect("a view is plain data")
    }

    fn state_text(&self) -> String {
        self.as_checkpoint().state_text()
    }

    fn hash(&self) -> u64 {
        self.as_checkpoint().hash()
    }

    fn render_position(&self, look: &RenderOptions) -> Rendering {
        self.position.render_position(&self.setup, look)
    }

    fn clone_leg(&self) -> Box<dyn AnyLeg> {
        Box::new(ErasedLeg {
            setup: self.setup.clone(),
            position: self.position.clone(),
        })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl<G: Game> ErasedLeg<G> {
    fn as_checkpoint(&self) -> CheckpointAt<'_, G> {
        CheckpointAt {
            setup: &self.setup,
            position: &self.position,
        }
    }
}

pub(crate) fn read_reply<G: Game>(reply: Reply<&str>) -> Reply<G::Action> {
    match reply {
        Reply::Action(text) => {
            G::read_action(text).map_or(Reply::Fault(Fault::Malformed), Reply::Action)
        }
        Reply::Fault(fault) => Reply::Fault(fault),
    }
}

struct CheckpointAt<'a, G: Game> {
    setup: &'a G::Setup,
    position: &'a G,
}

impl<G: Game> Checkpoint for CheckpointAt<'_, G> {
    fn hash(&self) -> u64 {
        self.position.hash(self.setup)
    }

    fn write_text(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        self.position.state_text(self.setup, out)
    }
}

pub(crate) struct ErasedSink<'a>(pub(crate) &'a mut dyn AnySink);

impl<G: Game> Sink<G> for ErasedSink<'_> {
    fn wants_events(&self) -> bool {
        self.0.wants_events()
    }

    fn on_event(&mut self, event: G::Event) {
        if self.0.wants_events() {
            self.0
                .on_event(serde_json::to_value(event).expect("an event is plain data"));
        }
    }

    fn on_checkpoint(&mut self, setup: &G::Setup, position: &G) {
        if self.0.wants_checkpoints() {
            self.0.on_checkpoint(&CheckpointAt { setup, position });
        }
    }
}

struct ErasedBot<G: Game>(Box<dyn Bot<G>>);

impl<G: Game> AnyBot for ErasedBot<G> {
    fn choose_action(&mut self, leg: &dyn AnyLeg, seat: Seat, clock: &dyn BotClock) -> String {
        let leg = ErasedLeg::<G>::downcast_leg(leg);
        let view = leg.position.view(&leg.setup, Perspective::Seat(seat));
        G::write_action(self.0.choose_action(&leg.setup, &view, clock))
    }
}

struct ErasedAssessor<G: Game>(Box<dyn Assessor<G>>);

impl<G: GamePackage> AnyAssessor for ErasedAssessor<G> {
    fn assess(
        &mut self,
        leg: &dyn AnyLeg,
        seat: Seat,
        budget: SearchBudget<'_>,
    ) -> Option<Assessment<String>> {
        let leg = ErasedLeg::<G>::downcast_leg(leg);
        let found = self.0.assess(&leg.setup, &leg.position, seat, budget)?;
        Some(found.map_actions(G::write_action))
    }

    fn assess_decision(
        &mut self,
        leg: &dyn AnyLeg,
        seat: Seat,
        replies: &TextReplies<'_>,
        budget: SearchBudget<'_>,
    ) -> Option<DecisionAssessment<String>> {
        let leg = ErasedLeg::<G>::downcast_leg(leg);
        let replies = replies.map_values(|reply| reply.map(read_reply::<G>));
        let found = self
            .0
            .assess_decision(&leg.setup, &leg.position, seat, &replies, budget)?;
        Some(found.map_actions(G::write_action))
    }

    fn believe_position(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Option<Box<dyn AnyLeg>> {
        let leg = ErasedLeg::<G>::downcast_leg(leg);
        let view = leg.position.view(&leg.setup, Perspective::Seat(seat));
        let position = self.0.believe_position(&leg.setup, &view, seat)?;
        Some(leg_of(leg.setup.clone(), position))
    }
}

struct ErasedActionBuilder<G: Game>(Box<dyn ActionBuilder<G>>);

impl<G: Game> AnyActionBuilder for ErasedActionBuilder<G> {
    fn handle_key(&mut self, leg: &dyn AnyLeg, seat: Seat, key: Key) -> KeyEffect<String> {
        let leg = ErasedLeg::<G>::downcast_leg(leg);
        let view = leg.position.view(&leg.setup, Perspective::Seat(seat));
        self.0
            .handle_key(&leg.setup, &view, key)
            .map_action(G::write_action)
    }

    fn show_draft(&self, leg: &dyn AnyLeg, seat: Seat, lang: Lang) -> PartialAction {
        let leg = ErasedLeg::<G>::downcast_leg(leg);
        let view = leg.position.view(&leg.setup, Perspective::Seat(seat));
        self.0.show_draft(&leg.setup, &view, lang)
    }
}

struct ErasedProtocol<G: Game>(Box<dyn Protocol<G>>);

impl<G: Game> AnyProtocol for ErasedProtocol<G> {
    fn message_framing(&self, leg: &dyn AnyLeg) -> Framing {
        self.0
            .message_framing(&ErasedLeg::<G>::downcast_leg(leg).position)
    }

    fn write_start(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8> {
        let leg = ErasedLeg::<G>::downcast_leg(leg);
        self.0.write_start(&leg.setup, &leg.position, seat)
    }

    fn write_question(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8> {
        let leg = ErasedLeg::<G>::downcast_leg(leg);
        self.0.write_question(&leg.setup, &leg.position, seat)
    }

    fn read(&mut self, leg: &dyn AnyLeg, seat: Seat, body: &[u8]) -> Result<String, Message> {
        let leg = ErasedLeg::<G>::downcast_leg(leg);
        self.0
            .read(&leg.setup, &leg.position, seat, body)
            .map(G::write_action)
    }

    fn write_step(&mut self, leg: &dyn AnyLeg, seat: Seat, replies: &TextReplies<'_>) -> Vec<u8> {
        let leg = ErasedLeg::<G>::downcast_leg(leg);
        let replies = replies.map_values(|reply| reply.map(read_reply::<G>));
        self.0.write_step(&leg.setup, &leg.position, seat, &replies)
    }

    fn write_end(&mut self, leg: &dyn AnyLeg, seat: Seat) -> Vec<u8> {
        let leg = ErasedLeg::<G>::downcast_leg(leg);
        self.0.write_end(&leg.setup, &leg.position, seat)
    }

    fn may_answer_early(&self) -> bool {
        self.0.may_answer_early()
    }
}
