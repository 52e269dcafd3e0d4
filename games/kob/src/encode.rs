//! King of Bots as numbers. A plane is indexed `[row][column]`; for B the board is turned by 180
//! degrees, so that both start where A does, lower left on the standard board.

use leitai_game::encode::{ActionChoice, Layout, Plane, Scalar};
use leitai_game::{BySeat, Encode, InvalidSetup, Seat};
use serde_json::Value;

use crate::board::{Board, Direction};
use crate::position::Position;
use crate::setup::Setup;

const TOWARDS: &str =
    "cells of both snakes whose next cell towards the head lies in this direction";

#[doc(hidden)] // For tests.
pub const PLANES: [Plane; 11] = [
    Plane::new("obstacle", "obstacles"),
    Plane::new("own_body", "cells of your snake, its head included"),
    Plane::new("their_body", "cells of the other snake, its head included"),
    Plane::new(
        "own_head",
        "your head; empty once it has left the grid or hit an obstacle",
    ),
    Plane::new("their_head", "the other head"),
    Plane::new("own_tail", "your last cell"),
    Plane::new("their_tail", "the other snake's last cell"),
    Plane::with_direction("towards_up", TOWARDS, (-1, 0)),
    Plane::with_direction("towards_right", TOWARDS, (0, 1)),
    Plane::with_direction("towards_down", TOWARDS, (1, 0)),
    Plane::with_direction("towards_left", TOWARDS, (0, -1)),
];

#[doc(hidden)] // For tests.
pub const BODY: usize = 1;
#[doc(hidden)] // For tests.
pub const HEAD: usize = 3;
#[doc(hidden)] // For tests.
pub const TAIL: usize = 5;
#[doc(hidden)] // For tests.
pub const TOWARDS_UP: usize = 7;

#[doc(hidden)] // For tests.
pub const SCALARS: [(&str, i32, &str); 5] = [
    ("round", 128, "the round, from 1"),
    ("length", 64, "cells of each snake"),
    ("grows", 1, "1 if this round grows: the tails stay"),
    ("grows_next", 1, "1 if the next round grows"),
    (
        "until_growth",
        4,
        "rounds before the next one that grows, 0 if this one does; at most 64",
    ),
];

/// The rounds ahead in which a growing round is searched.
const HORIZON: u16 = 64;

impl Encode for Position {
    fn describe_layout(setup: &Setup) -> Layout {
        let go = |name: &str, direction: Direction| {
            ActionChoice::with_direction(format!("go {name}"), direction.delta())
        };
        let names = ["up", "right", "down", "left"];
        Layout {
            rows: setup.map().rows().into(),
            cols: setup.map().cols().into(),
            planes: PLANES.to_vec(),
            scalars: SCALARS
                .map(|(name, scale, about)| Scalar::new(name, scale, about))
                .to_vec(),
            parts: vec![
                names
                    .into_iter()
                    .zip(Direction::ALL)
                    .map(|(name, d)| go(name, d))
                    .collect(),
            ],
        }
    }

    fn write_planes(&self, setup: &Setup, seat: Seat, out: &mut [u8]) {
        let turn = if seat == Seat::Second { 2 } else { 0 };
        let mut planes = [Board::EMPTY; PLANES.len()];
        planes[0] = *setup.map().walls();
        let free = setup.map().free_cells();
        let (me, they) = (seat.index(), seat.other().index());
        self.walk_rounds(|cells, towards| {
            for (side, owner) in [me, they].into_iter().enumerate() {
                planes[BODY + side].insert(cells[owner]);
                planes[TOWARDS_UP + (towards[owner] as usize ^ turn)].insert(cells[owner]);
            }
        });
        for (side, owner) in [seat, seat.other()].into_iter().enumerate() {
            planes[HEAD + side] = Board::from_cells([self.head(owner)]) & free;
            planes[BODY + side] |= planes[HEAD + side];
            planes[TAIL + side] = Board::from_cells([self.tail(owner)]);
        }
        write_boards(setup, &planes, seat == Seat::Second, out);
    }

    fn write_scalars(&self, setup: &Setup, _: Seat, out: &mut [i32]) {
        let (round, growth) = (self.round(), setup.growth());
        let until = (0..HORIZON)
            .find(|ahead| growth.grows_at(round + ahead))
            .unwrap_or(HORIZON);
        out.copy_from_slice(&[
            round.into(),
            self.length().into(),
            growth.grows_at(round).into(),
            growth.grows_at(round + 1).into(),
            until.into(),
        ]);
    }

    fn write_mask(&self, _: &Setup, _: Seat, out: &mut [i8]) {
        let legal = self.legal_mask();
        out.iter_mut()
            .enumerate()
            .for_each(|(index, out)| *out = (legal >> index & 1) as i8);
    }

    fn decode_action(&self, _: &Setup, seat: Seat, indices: &[i64]) -> Option<Direction> {
        let [index @ 0..4] = *indices else {
            return None;
        };
        Some(turn_direction(seat, Direction::ALL[index as usize]))
    }

    fn encode_action(&self, _: &Setup, seat: Seat, action: Direction, out: &mut [i64]) {
        out[0] = turn_direction(seat, action).number().into();
    }

    fn from_view(setup: &Setup, view: &Value) -> Result<Position, InvalidSetup> {
        Position::from_view(setup, view)
    }

    #[inline]
    fn play_actions(&mut self, setup: &Setup, actions: BySeat<Option<Direction>>) {
        if let [Some(a), Some(b)] = actions.into_pair() {
            self.play_round(setup, [a, b]);
        }
    }
}

/// Converts between a direction and the same direction as the seat sees it.
#[inline]
fn turn_direction(seat: Seat, direction: Direction) -> Direction {
    if seat == Seat::Second {
        direction.back()
    } else {
        direction
    }
}

/// Bit 16 x + y of a board is bit y of row x, which is also the packing of planes with more than
/// eight columns; cells outside of the map are cut off.
fn write_boards(setup: &Setup, planes: &[Board], turn: bool, out: &mut [u8]) {
    let (rows, cols) = (
        usize::from(setup.map().rows()),
        usize::from(setup.map().cols()),
    );
    let (width, row) = (cols.div_ceil(8), (1u64 << cols) - 1);
    let inside = Board([row | row << 16 | row << 32 | row << 48; 4]);
    for (plane, out) in planes.iter().zip(out.chunks_exact_mut(rows * width)) {
        let board = *plane & inside;
        let board = if turn {
            turned_board(board, rows, cols)
        } else {
            board
        };
        let mut bytes = [0; 32];
        for (word, eight) in board.0.into_iter().zip(bytes.as_chunks_mut::<8>().0) {
            *eight = word.to_le_bytes();
        }
        match width {
            2 => out.copy_from_slice(&bytes[..2 * rows]),
            _ => out
                .iter_mut()
                .zip(bytes.as_chunks::<2>().0)
                .for_each(|(out, row)| *out = row[0]),
        }
    }
}

/// A board of a map of this size turned by 180 degrees: all bits are reversed, then shifted so that
/// the last cell becomes the first.
fn turned_board(board: Board, rows: usize, cols: usize) -> Board {
    let [a, b, c, d] = board.0.map(u64::reverse_bits);
    let (down, words) = (16 * (16 - rows) + 16 - cols, [d, c, b, a, 0]);
    let (skip, shift) = (down / 64, down % 64);
    let word = |at: usize| words.get(at + skip).copied().unwrap_or(0);
    // Shifting by 64 is not allowed when no bits are left to shift.
    Board(std::array::from_fn(|at| {
        word(at) >> shift | word(at + 1) << 1 << (63 - shift)
    }))
}
