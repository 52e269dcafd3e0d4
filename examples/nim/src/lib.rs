//! Nim with one heap: the toy game that `docs/adding-a-game.md` walks through. The rules stand in
//! `README.md`.

// Pure: clippy.toml lists what that forbids.
#![cfg_attr(not(test), warn(clippy::too_many_lines))]
#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_macros,
        clippy::disallowed_methods,
        clippy::disallowed_types
    )
)]

use std::cmp::Ordering;
use std::fmt;
use std::time::Duration;

use leitai_game::Replies;
use leitai_game::lang::say;
use leitai_game::render::{Key, KeyBinding, PanelLine, RenderOptions, RenderedCell, Rendering};
use leitai_game::{
    BySeat, Entrant, Fault, Game, GamePackage, Illegal, InvalidSetup, Meta, Outcome,
    PackageContents, Perspective, Reason, Reply, Rng, Scope, Seat, Sink, Text, ToMove, Verdict,
    parity,
};
use serde::{Deserialize, Serialize};

pub mod bots;
mod corpus;

/// Coins that a heap may have.
pub const HEAP: std::ops::RangeInclusive<u8> = 1..=60;

/// A position: plain data, copied like a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Nim {
    /// The remaining coins.
    heap: u8,
    /// The seat to move; after the end of the leg, the seat that lost it.
    seat: Seat,
    /// The current turn, from 1.
    turn: u32,
    /// The fault that ended the leg before the last coin was taken.
    fault: Option<Fault>,
}

/// The choices made before chance is drawn: `--config most=7`.
#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The largest heap that is dealt; the smallest is 1.
    pub most: u8,
}

impl Default for Config {
    fn default() -> Config {
        Config { most: 30 }
    }
}

/// The result of all chance; both legs of a match share it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Setup {
    heap: u8,
}

/// A setup as it is read, before it is checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    heap: u8,
}

impl TryFrom<Unchecked> for Setup {
    type Error = InvalidSetup;

    fn try_from(Unchecked { heap }: Unchecked) -> Result<Setup, InvalidSetup> {
        if HEAP.contains(&heap) {
            Ok(Setup { heap })
        } else {
            Err(InvalidSetup(say!("{heap} is not in {HEAP:?}")))
        }
    }
}

/// A turn that was played.
#[derive(Serialize)]
pub struct Taken {
    seat: Seat,
    coins: u8,
}

/// The whole view: `{"heap": 17, "you": "first"}`.
#[derive(Serialize)]
pub struct View {
    heap: u8,
    you: Option<Seat>,
}

impl Game for Nim {
    type Config = Config;
    type Setup = Setup;
    /// The number of coins: 1, 2 or 3.
    type Action = u8;
    type Event = Taken;
    type View<'a> = View;

    const META: Meta = Meta {
        id: "nim",
        title: Text::new("Nim", "取石子 Nim"),
        about: Text::new(
            "one heap, 1 to 3 coins a turn: who takes the last coin wins",
            "一堆石子，每次取 1 至 3 枚，取到最后一枚者胜",
        ),
        rules: "nim/1",
        legs: 2,
        period_limit: Duration::from_secs(1),
        message_limit: 256,
    };

    fn deal(config: &Config, seed: u64) -> Result<Setup, InvalidSetup> {
        let Config { most } = *config;
        if !HEAP.contains(&most) {
            return Err(InvalidSetup(say!("most = {most} is not in {HEAP:?}")));
        }
        Ok(Setup {
            heap: 1 + Rng::new(seed).next_below(most.into()) as u8,
        })
    }

    fn start(setup: &Setup) -> Nim {
        Nim {
            heap: setup.heap,
            seat: Seat::First,
            turn: 1,
            fault: None,
        }
    }

    fn to_move(&self) -> ToMove {
        if self.heap == 0 || self.fault.is_some() {
            ToMove::Nobody
        } else {
            ToMove::One(self.seat)
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
            true if coins > self.heap => {
                Err(Illegal(say!("wanted {coins} of {} coins", self.heap)))
            }
            true => Ok(()),
        }
    }

    fn legal_actions(&self, setup: &Setup, seat: Seat, out: &mut Vec<u8>) {
        out.extend((1..=3).filter(|coins| self.check_action(setup, seat, *coins).is_ok()));
    }

    fn step(&mut self, setup: &Setup, replies: Replies<Nim>, sink: &mut dyn Sink<Nim>) {
        let ToMove::One(seat) = self.to_move() else {
            return;
        };
        match replies[seat] {
            Some(Reply::Action(coins)) if coins <= self.heap => {
                self.heap -= coins;
                self.seat = seat.other();
                self.turn += u32::from(self.heap > 0);
                sink.on_event(Taken { seat, coins });
            }
            Some(Reply::Action(_)) => self.fault = Some(Fault::Illegal),
            Some(Reply::Fault(fault)) => self.fault = Some(fault),
            None => self.fault = Some(Fault::Timeout),
        }
        sink.on_checkpoint(setup, self);
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = self.seat.other();
        (self.to_move() == ToMove::Nobody).then(|| Outcome {
            winner: Some(winner),
            scores: BySeat::from_fn(|seat| i32::from(seat == winner)),
            reason: if self.fault.is_some() {
                FAULT
            } else {
                LAST_COIN
            },
            faults: BySeat::from_fn(|seat| self.fault.filter(|_| seat != winner)),
            scope: Scope::Leg,
        })
    }

    fn scores(&self) -> BySeat<i32> {
        self.outcome()
            .map_or(BySeat::new(0, 0), |outcome| outcome.scores)
    }

    fn decide_match(_: &Setup, legs: &[Nim]) -> Verdict {
        let winner = |(leg, end): (usize, &Nim)| Some(end.outcome()?.winner?.entrant_in_leg(leg));
        let won = |entrant| {
            legs.iter()
                .enumerate()
                .filter(|leg| winner(*leg) == Some(entrant))
                .count()
        };
        match won(Entrant::A).cmp(&won(Entrant::B)) {
            Ordering::Greater => Verdict {
                winner: Some(Entrant::A),
                reason: LEG_WINS,
            },
            Ordering::Less => Verdict {
                winner: Some(Entrant::B),
                reason: LEG_WINS,
            },
            Ordering::Equal => Verdict {
                winner: None,
                reason: EQUAL_LEGS,
            },
        }
    }

    fn view<'a>(&'a self, _: &'a Setup, perspective: Perspective) -> View {
        let you = if let Perspective::Seat(seat) = perspective {
            Some(seat)
        } else {
            None
        };
        View {
            heap: self.heap,
            you,
        }
    }

    fn state_text(&self, _: &Setup, out: &mut dyn fmt::Write) -> fmt::Result {
        let fault = self.fault.map_or("-", Fault::code);
        writeln!(
            out,
            "NIM turn {} seat {} heap {} fault {fault}",
            self.turn, self.seat, self.heap
        )
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

impl GamePackage for Nim {
    const CONTENTS: PackageContents<Nim> = PackageContents {
        bots: bots::ALL,
        ..PackageContents::NOTHING
    };

    fn compare_corpus(text: &str, report: &mut dyn FnMut(parity::ParityCase)) {
        corpus::compare_corpus(text, report);
    }

    fn render_position(&self, setup: &Setup, _: &RenderOptions) -> Rendering {
        let coin = |place| {
            RenderedCell::uncoloured(if place < self.heap {
                ['o', ' ']
            } else {
                ['.', ' ']
            })
        };
        let line = format!(
            "turn {}, {} coins, {} player",
            self.turn, self.heap, self.seat
        );
        Rendering {
            board: vec![(0..setup.heap).map(coin).collect()],
            panel: vec![PanelLine::uncoloured(line)],
        }
    }

    fn key_bindings(_: Seat) -> &'static [KeyBinding] {
        &KEYS
    }
}

const KEYS: [KeyBinding; 3] = [
    KeyBinding::new(&[Key::Char('1')], "1", Text::new("one", "一枚")),
    KeyBinding::new(&[Key::Char('2')], "2", Text::new("two", "两枚")),
    KeyBinding::new(&[Key::Char('3')], "3", Text::new("three", "三枚")),
];

const LAST_COIN: Reason = Reason::new("last-coin", "by taking the last coin", "取到最后一枚");
const FAULT: Reason = Reason::new("fault", "by a fault of the other side", "对方违规");
const LEG_WINS: Reason = Reason::new("leg-wins", "by legs won", "胜局数");
const EQUAL_LEGS: Reason = Reason::new(
    "equal-legs",
    "with as many legs won on either side",
    "双方胜局数相同",
);
