//! A heap of coins: take 1 to 3 in turns; who takes the last one wins.

use std::fmt;
use std::time::Duration;

use leitai_game::game::legs_won;
use leitai_game::lang::say;
use leitai_game::parity::ParityCase;
use leitai_game::render::{KeyBinding, PanelLine, RenderOptions, Rendering};
use leitai_game::{
    BySeat, Fault, Game, GamePackage, Illegal, InvalidSetup, Meta, Outcome, PackageContents,
    Perspective, Reason, Replies, Reply, Rng, Scope, Seat, Sink, Text, ToMove, Verdict,
};
use serde::{Deserialize, Serialize};

/// A position.
#[derive(Clone, Debug, PartialEq)]
pub struct MyGame {
    heap: u8,
    /// The seat to move; after the end, the seat that lost.
    seat: Seat,
    turn: u32,
    fault: Option<Fault>,
}

/// What the players choose, as in game.toml.
#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    most: u8,
}

impl Default for Config {
    fn default() -> Config {
        Config { most: 30 }
    }
}

/// All chance of a leg. A setup may come from a stranger's file, so it is checked when it is read.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Setup {
    heap: u8,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    heap: u8,
}

impl TryFrom<Unchecked> for Setup {
    type Error = InvalidSetup;

    fn try_from(Unchecked { heap }: Unchecked) -> Result<Setup, InvalidSetup> {
        match heap {
            1..=60 => Ok(Setup { heap }),
            _ => Err(InvalidSetup(say!("{heap} coins: 1 to 60 are allowed"))),
        }
    }
}

/// What both players see.
#[derive(Serialize)]
pub struct View {
    heap: u8,
    seat: Seat,
}

impl Game for MyGame {
    type Config = Config;
    type Setup = Setup;
    /// A number of coins.
    type Action = u8;
    type Event = ();
    type View<'a> = View;

    const META: Meta = Meta {
        id: "my-game",
        title: Text {
            en: "My game",
            zh: "我的游戏",
        },
        about: Text {
            en: "take 1 to 3 coins: who takes the last one wins",
            zh: "每次取 1 至 3 枚，取到最后一枚者胜",
        },
        rules: "my-game/1",
        legs: 2,
        period_limit: Duration::from_secs(1),
        message_limit: 4096,
    };

    fn deal(config: &Config, seed: u64) -> Result<Setup, InvalidSetup> {
        match config.most {
            10..=60 => Ok(Setup {
                heap: 10 + Rng::new(seed).next_below(usize::from(config.most) - 9) as u8,
            }),
            most => Err(InvalidSetup(say!("most = {most}: 10 to 60 are allowed"))),
        }
    }

    fn start(setup: &Setup) -> MyGame {
        MyGame {
            heap: setup.heap,
            seat: Seat::First,
            turn: 1,
            fault: None,
        }
    }

    fn to_move(&self) -> ToMove {
        match self.heap == 0 || self.fault.is_some() {
            true => ToMove::Nobody,
            false => ToMove::One(self.seat),
        }
    }

    fn period(&self) -> u32 {
        self.turn
    }

    fn round(&self) -> u32 {
        self.turn
    }

    fn max_rounds(setup: &Setup) -> u32 {
        setup.heap.into()
    }

    fn check_action(&self, _: &Setup, seat: Seat, coins: u8) -> Result<(), Illegal> {
        match self.to_move().asks_seat(seat) {
            false => Err(Illegal(say!("acted although it is not asked"))),
            true if coins > self.heap => Err(Illegal(say!("wanted {coins} of {}", self.heap))),
            true => Ok(()),
        }
    }

    fn legal_actions(&self, setup: &Setup, seat: Seat, out: &mut Vec<u8>) {
        out.extend((1..=3).filter(|coins| self.check_action(setup, seat, *coins).is_ok()));
    }

    fn step(&mut self, setup: &Setup, replies: Replies<Self>, sink: &mut dyn Sink<Self>) {
        let ToMove::One(seat) = self.to_move() else {
            return;
        };
        match replies[seat] {
            Some(Reply::Action(coins)) if coins <= self.heap => {
                self.heap -= coins;
                self.seat = seat.other();
                self.turn += u32::from(self.heap > 0);
            }
            Some(Reply::Action(_)) => self.fault = Some(Fault::Illegal),
            Some(Reply::Fault(fault)) => self.fault = Some(fault),
            None => self.fault = Some(Fault::Timeout),
        }
        sink.on_checkpoint(setup, self);
    }

    fn outcome(&self) -> Option<Outcome> {
        let (winner, over) = (self.seat.other(), self.to_move() == ToMove::Nobody);
        over.then(|| Outcome {
            winner: Some(winner),
            scores: self.scores(),
            reason: if self.fault.is_some() { FAULT } else { LAST },
            faults: BySeat::from_fn(|seat| self.fault.filter(|_| seat != winner)),
            scope: Scope::Leg,
        })
    }

    fn scores(&self) -> BySeat<i32> {
        BySeat::from_fn(|seat| i32::from(self.heap == 0 && seat != self.seat))
    }

    fn decide_match(_: &Setup, legs: &[MyGame]) -> Verdict {
        let outcomes: Vec<Outcome> = legs.iter().filter_map(Game::outcome).collect();
        Verdict::by_more(legs_won(&outcomes), LEG_WINS).unwrap_or(Verdict {
            winner: None,
            reason: EQUAL,
        })
    }

    fn view<'a>(&'a self, _: &'a Setup, _: Perspective) -> View {
        View {
            heap: self.heap,
            seat: self.seat,
        }
    }

    /// ASCII lines that tell every two positions apart.
    fn state_text(&self, _: &Setup, out: &mut dyn fmt::Write) -> fmt::Result {
        let (turn, seat, heap) = (self.turn, self.seat, self.heap);
        writeln!(out, "turn {turn} seat {seat} heap {heap}")?;
        match self.fault {
            Some(fault) => writeln!(out, "fault {}", fault.code()),
            None => Ok(()),
        }
    }

    fn write_action(coins: u8) -> String {
        coins.to_string()
    }

    fn read_action(text: &str) -> Option<u8> {
        match text.as_bytes() {
            [digit @ b'1'..=b'3'] => Some(digit - b'0'),
            _ => None,
        }
    }
}

// A game file draws and is played by its views: these are for games that are compiled into Leitai.
impl GamePackage for MyGame {
    const CONTENTS: PackageContents<MyGame> = PackageContents::NOTHING;

    fn compare_corpus(_: &str, _: &mut dyn FnMut(ParityCase)) {}

    fn render_position(&self, _: &Setup, _: &RenderOptions) -> Rendering {
        Rendering {
            board: Vec::new(),
            panel: vec![PanelLine::uncoloured(format!("{} coins", self.heap))],
        }
    }

    fn key_bindings(_: Seat) -> &'static [KeyBinding] {
        &[]
    }
}

const LAST: Reason = Reason::new("last-coin", "by taking the last coin", "取到最后一枚");
const FAULT: Reason = Reason::new("fault", "by a fault of the other side", "对方违规");
const LEG_WINS: Reason = Reason::new("leg-wins", "by games won", "胜局数");
const EQUAL: Reason = Reason::new("equal", "with equal results", "双方成绩相同");

leitai_module::export_game!(MyGame);
