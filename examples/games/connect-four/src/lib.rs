//! Connect Four: seven columns, six rows, four in a line win. `leitai game build` makes `rules.wasm`
//! of it; natively it is the same game (`tests/connect_four.rs`).

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

use std::fmt;
use std::time::Duration;

use leitai_game::game::legs_won;
use leitai_game::lang::say;
use leitai_game::parity::ParityCase;
use leitai_game::render::{KeyBinding, PanelLine, RenderOptions, Rendering};
use leitai_game::{
    BySeat, Fault, Game, GamePackage, Illegal, InvalidSetup, Meta, Outcome, PackageContents,
    Perspective, Reason, Replies, Reply, Scope, Seat, Sink, Text, ToMove, Verdict,
};
use serde::{Deserialize, Serialize};

const COLUMNS: usize = 7;
const ROWS: usize = 6;

/// A position: the discs of each column from the bottom.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectFour {
    board: [[Option<Seat>; ROWS]; COLUMNS],
    /// The seat to move; after a fault, the seat at fault.
    seat: Seat,
    moves: u32,
    four: Option<Seat>,
    fault: Option<Fault>,
}

/// There is nothing to choose.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// What everybody sees: the rows from the top, and who plays.
#[derive(Serialize)]
pub struct View {
    board: Vec<String>,
    seat: Seat,
    you: Option<Seat>,
}

impl ConnectFour {
    fn disc(&self, column: i32, row: i32) -> Option<Seat> {
        let column = self.board.get(usize::try_from(column).ok()?)?;
        *column.get(usize::try_from(row).ok()?)?
    }

    fn height(&self, column: u8) -> usize {
        let discs = self.board[usize::from(column)].iter();
        discs.take_while(|disc| disc.is_some()).count()
    }

    fn drop_disc(&mut self, column: u8) {
        let row = self.height(column);
        self.board[usize::from(column)][row] = Some(self.seat);
        self.moves += 1;
        let in_line = |(dx, dy): (i32, i32)| {
            let count = |sign: i32| {
                (1..4)
                    .take_while(|n| {
                        let (dx, dy) = (sign * n * dx, sign * n * dy);
                        self.disc(i32::from(column) + dx, row as i32 + dy) == Some(self.seat)
                    })
                    .count()
            };
            count(1) + count(-1) >= 3
        };
        match [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(in_line) {
            true => self.four = Some(self.seat),
            false => self.seat = self.seat.other(),
        }
    }

    /// The rows from the top: `X` is the first player's disc, `O` the second's.
    fn rows(&self) -> impl Iterator<Item = String> {
        let letter = |column: usize, row| match self.board[column][row] {
            None => '.',
            Some(Seat::First) => 'X',
            Some(Seat::Second) => 'O',
        };
        let row = move |row| (0..COLUMNS).map(|column| letter(column, row)).collect();
        (0..ROWS).rev().map(row)
    }
}

impl Game for ConnectFour {
    type Config = Nothing;
    type Setup = Nothing;
    /// A column, from 0.
    type Action = u8;
    type Event = ();
    type View<'a> = View;

    const META: Meta = Meta {
        id: "connect-four",
        title: Text {
            en: "Connect Four",
            zh: "四子棋",
        },
        about: Text {
            en: "drop discs into columns: four in a line win",
            zh: "把棋子投入各列，先连成四子者胜",
        },
        rules: "connect-four/1",
        legs: 2,
        period_limit: Duration::from_secs(1),
        message_limit: 4096,
    };

    fn deal(_: &Nothing, _seed: u64) -> Result<Nothing, InvalidSetup> {
        Ok(Nothing {})
    }

    fn start(_: &Nothing) -> ConnectFour {
        ConnectFour {
            board: [[None; ROWS]; COLUMNS],
            seat: Seat::First,
            moves: 0,
            four: None,
            fault: None,
        }
    }

    fn to_move(&self) -> ToMove {
        let is_full = self.moves == (COLUMNS * ROWS) as u32;
        match self.four.is_some() || self.fault.is_some() || is_full {
            true => ToMove::Nobody,
            false => ToMove::One(self.seat),
        }
    }

    fn period(&self) -> u32 {
        self.round()
    }

    fn round(&self) -> u32 {
        (self.moves + 1).min((COLUMNS * ROWS) as u32)
    }

    fn max_rounds(_: &Nothing) -> u32 {
        (COLUMNS * ROWS) as u32
    }

    fn check_action(&self, _: &Nothing, seat: Seat, column: u8) -> Result<(), Illegal> {
        match self.to_move().asks_seat(seat) {
            false => Err(Illegal(say!("acted although it is not asked"))),
            true if self.height(column) == ROWS => {
                Err(Illegal(say!("wanted column {}, which is full", column + 1)))
            }
            true => Ok(()),
        }
    }

    fn legal_actions(&self, setup: &Nothing, seat: Seat, out: &mut Vec<u8>) {
        let columns = 0..COLUMNS as u8;
        out.extend(columns.filter(|column| self.check_action(setup, seat, *column).is_ok()));
    }

    fn step(&mut self, setup: &Nothing, replies: Replies<Self>, sink: &mut dyn Sink<Self>) {
        let ToMove::One(seat) = self.to_move() else {
            return;
        };
        match replies[seat] {
            Some(Reply::Action(column)) if self.height(column) < ROWS => self.drop_disc(column),
            Some(Reply::Action(_)) => self.fault = Some(Fault::Illegal),
            Some(Reply::Fault(fault)) => self.fault = Some(fault),
            None => self.fault = Some(Fault::Timeout),
        }
        sink.on_checkpoint(setup, self);
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.to_move() != ToMove::Nobody {
            return None;
        }
        let blamed = self.fault.map(|_| self.seat);
        Some(Outcome {
            winner: blamed.map(Seat::other).or(self.four),
            scores: self.scores(),
            reason: match (blamed, self.four) {
                (Some(_), _) => FAULT,
                (None, Some(_)) => FOUR,
                (None, None) => FULL,
            },
            faults: BySeat::from_fn(|seat| self.fault.filter(|_| blamed == Some(seat))),
            scope: Scope::Leg,
        })
    }

    fn scores(&self) -> BySeat<i32> {
        BySeat::from_fn(|seat| i32::from(self.four == Some(seat)))
    }

    fn decide_match(_: &Nothing, legs: &[ConnectFour]) -> Verdict {
        let outcomes: Vec<Outcome> = legs.iter().filter_map(Game::outcome).collect();
        Verdict::by_more(legs_won(&outcomes), LEG_WINS).unwrap_or(Verdict {
            winner: None,
            reason: EQUAL,
        })
    }

    fn view<'a>(&'a self, _: &'a Nothing, perspective: Perspective) -> View {
        View {
            board: self.rows().collect(),
            seat: self.seat,
            you: match perspective {
                Perspective::Seat(seat) => Some(seat),
                Perspective::All => None,
            },
        }
    }

    fn state_text(&self, _: &Nothing, out: &mut dyn fmt::Write) -> fmt::Result {
        let fault = self.fault.map_or("-", Fault::code);
        let (moves, seat) = (self.moves, self.seat);
        writeln!(out, "CONNECT-FOUR moves {moves} seat {seat} fault {fault}")?;
        self.rows().try_for_each(|row| writeln!(out, "{row}"))
    }

    fn write_action(column: u8) -> String {
        (column + 1).to_string()
    }

    fn read_action(text: &str) -> Option<u8> {
        match text.as_bytes() {
            [digit @ b'1'..=b'7'] => Some(digit - b'1'),
            _ => None,
        }
    }
}

// A game file draws and is played by its views: these are for games that are compiled into Leitai.
impl GamePackage for ConnectFour {
    const CONTENTS: PackageContents<ConnectFour> = PackageContents::NOTHING;

    fn compare_corpus(_: &str, _: &mut dyn FnMut(ParityCase)) {}

    fn render_position(&self, _: &Nothing, _: &RenderOptions) -> Rendering {
        Rendering {
            board: Vec::new(),
            panel: self.rows().map(PanelLine::uncoloured).collect(),
        }
    }

    fn key_bindings(_: Seat) -> &'static [KeyBinding] {
        &[]
    }
}

const FOUR: Reason = Reason::new("four", "by four in a line", "连成四子");
const FULL: Reason = Reason::new("full", "with a full board", "棋盘已满");
const FAULT: Reason = Reason::new("fault", "by a fault of the other side", "对方违规");
const LEG_WINS: Reason = Reason::new("leg-wins", "by games won", "胜局数");
const EQUAL: Reason = Reason::new("equal", "with equal results", "双方成绩相同");

leitai_module::export_game!(ConnectFour);
