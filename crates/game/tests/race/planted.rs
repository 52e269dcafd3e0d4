//! [`Race`] as a [`Game`] with one fault, planted by a [`Plant`]. The hooks of the honest plant
//! change nothing.

use std::fmt;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::time::Duration;

use leitai_game::Replies;
use leitai_game::hash::fnv1a;
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
    const ID: &'static str = "race";
    const KEY: &'static str = "1";
    fn dealt(_: &mut RaceSetup) {}
    fn json(honest: Value) -> Value {
        honest
    }
    fn hear(_: &Race, replies: Replies<Planted<Self>>) -> Replies<Planted<Self>> {
        replies
    }
    fn stepped(&mut self, _before: &Race, _after: &mut Race, _: &Replies<Planted<Self>>) {}
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

#[derive(Clone, Debug, PartialEq)]
pub struct Planted<P> {
    race: Race,
    plant: P,
}

#[derive(Debug, PartialEq)]
pub struct PlantedSetup<P>(RaceSetup, PhantomData<fn() -> P>);

impl<P: Plant> Serialize for PlantedSetup<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        P::json(json!(self.0)).serialize(serializer)
    }
}

impl<'de, P: Plant> Deserialize<'de> for PlantedSetup<P> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let setup = RaceSetup::deserialize(deserializer)?;
        let setup = if P::CHECKS_SETUPS {
            setup.checked().map_err(serde::de::Error::custom)?
        } else {
            setup
        };
        Ok(PlantedSetup(setup, PhantomData))
    }
}

impl<P: Plant> Game for Planted<P> {
    type Config = RaceConfig;
    type Setup = PlantedSetup<P>;
    type Action = u8;
    type Event = String;
    type View<'a> = Value;

    const META: Meta = Meta {
        id: P::ID,
        title: Text {
            en: "Race",
            zh: "竞数",
        },
        about: Text {
            en: "a race to 21",
            zh: "先到二十一",
        },
        rules: "race/1",
        legs: 2,
        period_limit: Duration::from_secs(1),
        message_limit: 64,
    };

    fn deal(config: &RaceConfig, seed: u64) -> Result<Self::Setup, InvalidSetup> {
        let mut setup = RaceSetup::deal(config.mode, seed);
        P::dealt(&mut setup);
        Ok(PlantedSetup(setup, PhantomData))
    }

    fn start(setup: &Self::Setup) -> Self {
        Planted {
            race: Race::start(&setup.0),
            plant: P::default(),
        }
    }

    fn to_move(&self) -> ToMove {
        self.race.to_move()
    }

    fn period(&self) -> u32 {
        let turn = 2 * u32::from(self.race.round) + self.race.seat.index() as u32;
        P::period(&self.race, turn)
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
            .ok_or_else(|| Illegal(format!("said {number} again")))
    }

    fn legal_actions(&self, _: &Self::Setup, seat: Seat, out: &mut Vec<u8>) {
        out.extend(P::legal(&self.race, self.race.legal(seat)));
    }

    fn sample_action(&self, _: &Self::Setup, seat: Seat, rng: &mut Rng) -> Option<u8> {
        let legal = self.race.legal(seat);
        P::sample(&self.race, legal.get(rng.next_below(legal.len())).copied())
    }

    fn step(&mut self, setup: &Self::Setup, replies: Replies<Self>, sink: &mut dyn Sink<Self>) {
        let before = self.race.clone();
        let replies = P::hear(&before, replies);
        self.race.step(&setup.0, &replies);
        self.plant.stepped(&before, &mut self.race, &replies);
        sink.on_event(format!("{replies:?}"));
        if P::CHECKPOINTS && !before.over {
            sink.on_checkpoint(setup, self);
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        P::outcome(self.race.outcome())
    }

    fn scores(&self) -> BySeat<i32> {
        BySeat::new(self.race.totals[0].into(), self.race.totals[1].into())
    }

    fn decide_match(_: &Self::Setup, legs: &[Self]) -> Verdict {
        let outcomes: Vec<Outcome> = legs.iter().filter_map(|leg| leg.race.outcome()).collect();
        P::verdict(&outcomes, verdict(&outcomes))
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
        P::view(&self.race, perspective, honest)
    }

    fn state_text(&self, _: &Self::Setup, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str(&self.plant.text(&self.race, self.race.text()))
    }

    fn hash(&self, _: &Self::Setup) -> u64 {
        P::hash(fnv1a(
            self.plant.text(&self.race, self.race.text()).as_bytes(),
        ))
    }

    fn write_action(number: u8) -> String {
        P::write(number)
    }

    fn read_action(text: &str) -> Option<u8> {
        P::read(text)
    }
}

impl<P: Plant> GamePackage for Planted<P> {
    const CONTENTS: PackageContents<Planted<P>> = PackageContents {
        bots: &[BotInfo {
            name: "low",
            about: Text {
                en: "says the lowest number",
                zh: "说最小的数",
            },
            is_on_ladder: true,
            make: |_| Box::new(Low),
        }],
        protocols: &[ProtocolInfo {
            name: "plain",
            about: Text {
                en: "a number a line",
                zh: "每行一个数",
            },
            make: || Box::new(Plain),
        }],
        replay_formats: &[ReplayFormat {
            name: "whole",
            import: Replay::parse,
            export: export::<P>,
        }],
        ..PackageContents::NOTHING
    };

    fn compare_corpus(_: &str, _: &mut dyn FnMut(ParityCase)) {}

    fn render_position(&self, _: &Self::Setup, look: &RenderOptions) -> Rendering {
        let row = |index: usize| vec![RenderedCell::uncoloured(['#', ' ']); index + 1];
        let board = vec![row(1), row(1)];
        P::picture(
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
                action: P::KEY,
                label: Text {
                    en: "one",
                    zh: "一",
                },
            }]
        }
    }
}

struct Low;

impl<P: Plant> Bot<Planted<P>> for Low {
    fn choose_action(&mut self, _: &PlantedSetup<P>, view: &Value, _: &dyn BotClock) -> u8 {
        let seat = usize::from(view["you"] == "second");
        P::bot(view, view["legal"][seat][0].as_u64().unwrap_or(0) as u8)
    }
}

struct Plain;

impl<P: Plant> Protocol<Planted<P>> for Plain {
    fn message_framing(&self, _: &Planted<P>) -> Framing {
        Framing::Lines(1)
    }
    fn write_start(&mut self, _: &PlantedSetup<P>, _: &Planted<P>, seat: Seat) -> Vec<u8> {
        format!("{seat}\n").into_bytes()
    }
    fn write_question(&mut self, _: &PlantedSetup<P>, _: &Planted<P>, _: Seat) -> Vec<u8> {
        b"?\n".to_vec()
    }
    fn read(
        &mut self,
        _: &PlantedSetup<P>,
        _: &Planted<P>,
        _: Seat,
        body: &[u8],
    ) -> Result<u8, String> {
        P::body(body);
        let text = std::str::from_utf8(body).map_err(|why| why.to_string())?;
        P::read(text).ok_or_else(|| "is no number".into())
    }
    fn write_step(
        &mut self,
        _: &PlantedSetup<P>,
        _: &Planted<P>,
        _: Seat,
        _: &Replies<Planted<P>>,
    ) -> Vec<u8> {
        Vec::new()
    }
    fn write_end(&mut self, _: &PlantedSetup<P>, _: &Planted<P>, _: Seat) -> Vec<u8> {
        b"bye\n".to_vec()
    }
}

/// Exports the whole match, whatever `leg` is.
fn export<P: Plant>(replay: &Replay, leg: usize) -> Result<String, InvalidSetup> {
    if leg > 0 {
        Err(InvalidSetup("only leg 1 has an export".into()))
    } else {
        Ok(P::export(replay.to_text()))
    }
}
