//! [`Race`] as a [`Game`] with one fault, planted by a [`Plant`]. The hooks of the honest plant
//! change nothing.
//!
//! The plant is chosen at run time, for a thread: a type of game for each plant would make the
//! compiler translate the whole conformance kit as many times as there are plants.

use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::time::Duration;

use leitai_game::Replies;
use leitai_game::hash::fnv1a;
use leitai_game::lang::{Message, say};
use leitai_game::parity::ParityCase;
use leitai_game::render::{Key, KeyBinding, PanelLine, RenderOptions, RenderedCell, Rendering};
use leitai_game::replay::ReplayFormat;
use leitai_game::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::race::{ROUNDS, Race, RaceConfig, RaceSetup, verdict};

/// The hooks by which a broken game differs from a sound one. The plant's own state is in `self`.
pub trait Plant: Clone + Debug + Default + PartialEq + Send + Sync + 'static {
    const CHECKS_SETUPS: bool = true;
    const CHECKPOINTS: bool = true;
    fn dealt(_: &mut RaceSetup) {}
    fn json(honest: Value) -> Value {
        honest
    }
    fn hear(_: &Race, replies: RaceReplies) -> RaceReplies {
        replies
    }
    fn stepped(&mut self, _before: &Race, _after: &mut Race, _: &RaceReplies) {}
    fn legal(_: &Race, honest: Vec<u8>) -> Vec<u8> {
        honest
    }
    fn sample(_: &Race, honest: Option<u8>) -> Option<u8> {
        honest
    }
    fn write(number: u8) -> String {
        number.to_string()
    }
    fn read(text: &str) -> Option<u8> {
        text.parse()
            .ok()
            .filter(|number| (1..=3).contains(number) && text.len() == 1)
    }
    fn period(_: &Race, honest: u32) -> u32 {
        honest
    }
    fn outcome(honest: Option<Outcome>) -> Option<Outcome> {
        honest
    }
    fn verdict(_: &[Outcome], honest: Verdict) -> Verdict {
        honest
    }
    fn text(&self, _: &Race, honest: String) -> String {
        honest
    }
    fn hash(honest: u64) -> u64 {
        honest
    }
    fn view(_: &Race, _: Perspective, honest: Value) -> Value {
        honest
    }
    fn picture(_: &RenderOptions, honest: Rendering) -> Rendering {
        honest
    }
    fn bot(_: &Value, honest: u8) -> u8 {
        honest
    }
    fn body(_: &[u8]) {}
    fn export(honest: String) -> String {
        honest
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Honest;
impl Plant for Honest {}

pub type RaceReplies = Replies<Planted>;

/// The hooks of a plant.
#[derive(Clone, Copy)]
struct Hooks {
    checks_setups: bool,
    checkpoints: bool,
    state: fn() -> Box<dyn PlantState>,
    dealt: fn(&mut RaceSetup),
    json: fn(Value) -> Value,
    hear: fn(&Race, RaceReplies) -> RaceReplies,
    legal: fn(&Race, Vec<u8>) -> Vec<u8>,
    sample: fn(&Race, Option<u8>) -> Option<u8>,
    write: fn(u8) -> String,
    read: fn(&str) -> Option<u8>,
    period: fn(&Race, u32) -> u32,
    outcome: fn(Option<Outcome>) -> Option<Outcome>,
    verdict: fn(&[Outcome], Verdict) -> Verdict,
    hash: fn(u64) -> u64,
    view: fn(&Race, Perspective, Value) -> Value,
    picture: fn(&RenderOptions, Rendering) -> Rendering,
    bot: fn(&Value, u8) -> u8,
    body: fn(&[u8]),
    export: fn(String) -> String,
}

impl Hooks {
    const fn of<P: Plant>() -> Hooks {
        Hooks {
            checks_setups: P::CHECKS_SETUPS,
            checkpoints: P::CHECKPOINTS,
            state: || Box::new(P::default()),
            dealt: P::dealt,
            json: P::json,
            hear: P::hear,
            legal: P::legal,
            sample: P::sample,
            write: P::write,
            read: P::read,
            period: P::period,
            outcome: P::outcome,
            verdict: P::verdict,
            hash: P::hash,
            view: P::view,
            picture: P::picture,
            bot: P::bot,
            body: P::body,
            export: P::export,
        }
    }
}

thread_local! {
    static HOOKS: Cell<Hooks> = const { Cell::new(Hooks::of::<Honest>()) };
}

/// Plants a fault in the games of this thread.
pub fn plant<P: Plant>() {
    HOOKS.set(Hooks::of::<P>());
}

fn hooks() -> Hooks {
    HOOKS.get()
}

/// The state of a [`Plant`] in a position.
trait PlantState: Debug + Send + Sync {
    fn stepped(&mut self, before: &Race, after: &mut Race, replies: &RaceReplies);
    fn text(&self, race: &Race, honest: String) -> String;
    fn copy(&self) -> Box<dyn PlantState>;
    fn equals(&self, other: &dyn PlantState) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<P: Plant> PlantState for P {
    fn stepped(&mut self, before: &Race, after: &mut Race, replies: &RaceReplies) {
        Plant::stepped(self, before, after, replies);
    }
    fn text(&self, race: &Race, honest: String) -> String {
        Plant::text(self, race, honest)
    }
    fn copy(&self) -> Box<dyn PlantState> {
        Box::new(self.clone())
    }
    fn equals(&self, other: &dyn PlantState) -> bool {
        other.as_any().downcast_ref() == Some(self)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The constants of the game, which no hook can change.
pub trait Naming: Clone + Debug + PartialEq + Send + Sync + 'static {
    const ID: &'static str = "race";
    const KEY: &'static str = "1";
}

#[derive(Clone, Debug, PartialEq)]
pub struct Usual;
impl Naming for Usual {}

#[derive(Debug)]
pub struct Planted<N = Usual> {
    race: Race,
    plant: Box<dyn PlantState>,
    naming: PhantomData<N>,
}

impl<N> Clone for Planted<N> {
    fn clone(&self) -> Planted<N> {
        Planted {
            race: self.race.clone(),
            plant: self.plant.copy(),
            naming: PhantomData,
        }
    }
}

impl<N> PartialEq for Planted<N> {
    fn eq(&self, other: &Planted<N>) -> bool {
        self.race == other.race && self.plant.equals(&*other.plant)
    }
}

#[derive(Debug, PartialEq)]
pub struct PlantedSetup(RaceSetup);

impl Serialize for PlantedSetup {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (hooks().json)(json!(self.0)).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PlantedSetup {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let setup = RaceSetup::deserialize(deserializer)?;
        let setup = if hooks().checks_setups {
            setup.checked().map_err(serde::de::Error::custom)?
        } else {
            setup
        };
        Ok(PlantedSetup(setup))
    }
}

impl<N: Naming> Game for Planted<N> {
    type Config = RaceConfig;
    type Setup = PlantedSetup;
    type Action = u8;
    type Event = String;
    type View<'a> = Value;

    const META: Meta = Meta {
        id: N::ID,
        title: Text::new("Race", "竞数"),
        about: Text::new("a race to 21", "先到二十一"),
        rules: "race/1",
        legs: 2,
        period_limit: Duration::from_secs(1),
        message_limit: 64,
    };

    fn deal(config: &RaceConfig, seed: u64) -> Result<Self::Setup, InvalidSetup> {
        let mut setup = RaceSetup::deal(config.mode, seed);
        (hooks().dealt)(&mut setup);
        Ok(PlantedSetup(setup))
    }

    fn start(setup: &Self::Setup) -> Self {
        Planted {
            race: Race::start(&setup.0),
            plant: (hooks().state)(),
            naming: PhantomData,
        }
    }

    fn to_move(&self) -> ToMove {
        self.race.to_move()
    }

    fn period(&self) -> u32 {
        let turn = 2 * u32::from(self.race.round) + self.race.seat.index() as u32;
        (hooks().period)(&self.race, turn)
    }

    fn round(&self) -> u32 {
        self.race.round.into()
    }

    fn max_rounds(_: &Self::Setup) -> u32 {
        ROUNDS.into()
    }

    fn check_action(&self, _: &Self::Setup, seat: Seat, number: u8) -> Result<(), Illegal> {
        let legal = self.race.legal(seat).contains(&number);
        legal
            .then_some(())
            .ok_or_else(|| Illegal(say!("said {number} again")))
    }

    fn legal_actions(&self, _: &Self::Setup, seat: Seat, out: &mut Vec<u8>) {
        out.extend((hooks().legal)(&self.race, self.race.legal(seat)));
    }

    fn sample_action(&self, _: &Self::Setup, seat: Seat, rng: &mut Rng) -> Option<u8> {
        let legal = self.race.legal(seat);
        (hooks().sample)(&self.race, legal.get(rng.next_below(legal.len())).copied())
    }

    fn step(&mut self, setup: &Self::Setup, replies: Replies<Self>, sink: &mut dyn Sink<Self>) {
        let before = self.race.clone();
        let replies = (hooks().hear)(&before, replies);
        self.race.step(&setup.0, &replies);
        self.plant.stepped(&before, &mut self.race, &replies);
        sink.on_event(format!("{replies:?}"));
        if hooks().checkpoints && !before.over {
            sink.on_checkpoint(setup, self);
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        (hooks().outcome)(self.race.outcome())
    }

    fn scores(&self) -> BySeat<i32> {
        BySeat::new(self.race.totals[0].into(), self.race.totals[1].into())
    }

    fn decide_match(_: &Self::Setup, legs: &[Self]) -> Verdict {
        let outcomes: Vec<Outcome> = legs.iter().filter_map(|leg| leg.race.outcome()).collect();
        (hooks().verdict)(&outcomes, verdict(&outcomes))
    }

    fn view(&self, _: &Self::Setup, perspective: Perspective) -> Value {
        let legal = Seat::BOTH.map(|seat| self.race.legal(seat));
        let you = match perspective {
            Perspective::Seat(seat) => Some(seat),
            Perspective::All => None,
        };
        let honest = json!({
            "round": self.race.round, "totals": self.race.totals, "last": self.race.last, "legal": legal, "you": you,
        });
        (hooks().view)(&self.race, perspective, honest)
    }

    fn state_text(&self, _: &Self::Setup, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str(&self.plant.text(&self.race, self.race.text()))
    }

    fn hash(&self, _: &Self::Setup) -> u64 {
        (hooks().hash)(fnv1a(
            self.plant.text(&self.race, self.race.text()).as_bytes(),
        ))
    }

    fn write_action(number: u8) -> String {
        (hooks().write)(number)
    }

    fn read_action(text: &str) -> Option<u8> {
        (hooks().read)(text)
    }
}

impl<N: Naming> GamePackage for Planted<N> {
    const CONTENTS: PackageContents<Planted<N>> = PackageContents {
        bots: &[BotInfo {
            name: "low",
            about: Text::new("says the lowest number", "说最小的数"),
            is_on_ladder: true,
            make: |_| Box::new(Low),
        }],
        protocols: &[ProtocolInfo {
            name: "plain",
            about: Text::new("a number a line", "每行一个数"),
            make: || Box::new(Plain),
        }],
        replay_formats: &[ReplayFormat {
            name: "whole",
            import: Replay::parse,
            export,
        }],
        ..PackageContents::NOTHING
    };

    fn compare_corpus(_: &str, _: &mut dyn FnMut(ParityCase)) {}

    fn render_position(&self, _: &Self::Setup, look: &RenderOptions) -> Rendering {
        let row = |index: usize| vec![RenderedCell::uncoloured(['#', ' ']); index + 1];
        let board = vec![row(1), row(1)];
        (hooks().picture)(
            look,
            Rendering {
                board,
                panel: vec![PanelLine::uncoloured(self.race.text())],
            },
        )
    }

    fn key_bindings(_: Seat) -> &'static [KeyBinding] {
        const {
            &[KeyBinding {
                keys: &[Key::Char('1')],
                action: N::KEY,
                label: Text::new("one", "一"),
            }]
        }
    }
}

struct Low;

impl<N: Naming> Bot<Planted<N>> for Low {
    fn choose_action(&mut self, _: &PlantedSetup, view: &Value, _: &dyn BotClock) -> u8 {
        let seat = usize::from(view["you"] == "second");
        (hooks().bot)(view, view["legal"][seat][0].as_u64().unwrap_or(0) as u8)
    }
}

struct Plain;

impl<N: Naming> Protocol<Planted<N>> for Plain {
    fn message_framing(&self, _: &Planted<N>) -> Framing {
        Framing::Lines(1)
    }
    fn write_start(&mut self, _: &PlantedSetup, _: &Planted<N>, seat: Seat) -> Vec<u8> {
        format!("{seat}\n").into_bytes()
    }
    fn write_question(&mut self, _: &PlantedSetup, _: &Planted<N>, _: Seat) -> Vec<u8> {
        b"?\n".to_vec()
    }
    fn read(
        &mut self,
        _: &PlantedSetup,
        _: &Planted<N>,
        _: Seat,
        body: &[u8],
    ) -> Result<u8, Message> {
        (hooks().body)(body);
        let text = std::str::from_utf8(body).map_err(|why| Message::from(why.to_string()))?;
        (hooks().read)(text).ok_or_else(|| "is no number".into())
    }
    fn write_step(
        &mut self,
        _: &PlantedSetup,
        _: &Planted<N>,
        _: Seat,
        _: &Replies<Planted<N>>,
    ) -> Vec<u8> {
        Vec::new()
    }
    fn write_end(&mut self, _: &PlantedSetup, _: &Planted<N>, _: Seat) -> Vec<u8> {
        b"bye\n".to_vec()
    }
}

/// Exports the whole match, whatever `leg` is.
fn export(replay: &Replay, leg: usize) -> Result<String, InvalidSetup> {
    if leg > 0 {
        Err(InvalidSetup(say!("only leg 1 has an export")))
    } else {
        Ok((hooks().export)(replay.to_text()))
    }
}
