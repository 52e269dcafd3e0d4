//! SnakeGo as numbers. A plane is indexed `[x][y]`; for the second player the board is turned by
//! 180 degrees, so that both start where the first player does, at (0, 15).

use leitai_game::encode::{ActionChoice, Layout, Plane, Scalar};
use leitai_game::{BySeat, Encode, InvalidSetup, Seat};
use serde_json::Value;

use crate::action::Action;
use crate::board::{Board, Cell, SIDE};
use crate::items::{Item, ItemKind};
use crate::position::{GROWING_ROUNDS, MAX_SNAKES, Position, Snake};
use crate::setup::Setup;

/// The rounds in which a coming item counts as soon.
#[doc(hidden)] // For tests.
pub const SOON: u16 = 4;
/// The rounds in which a coming item is shown at all.
#[doc(hidden)] // For tests.
pub const LATER: u16 = 16;
/// The length from which a length item counts as long.
const LONG: u16 = 3;

const TOWARDS: &str = "cells whose next cell towards the head lies in this direction";

#[doc(hidden)] // For tests.
pub const PLANES: [Plane; 19] = [
    Plane::new("own_body", "cells of your snakes, heads included"),
    Plane::new("their_body", "cells of the other player's snakes"),
    Plane::new("own_head", "heads of your snakes"),
    Plane::new("their_head", "heads of the other player's snakes"),
    Plane::new("own_tail", "last cells of your snakes"),
    Plane::new("their_tail", "last cells of the other player's snakes"),
    Plane::new(
        "acting_body",
        "cells of the snake that acts now; empty when it is not your turn",
    ),
    Plane::new("acting_head", "its head"),
    Plane::with_direction("towards_right", TOWARDS, (1, 0)),
    Plane::with_direction("towards_up", TOWARDS, (0, 1)),
    Plane::with_direction("towards_left", TOWARDS, (-1, 0)),
    Plane::with_direction("towards_down", TOWARDS, (0, -1)),
    Plane::new("own_wall", "your walls"),
    Plane::new("their_wall", "the other player's walls"),
    Plane::new("length_item", "length items that lie on the map"),
    Plane::new("long_item", "those of them that add at least 3"),
    Plane::new("ray_item", "rays that lie on the map"),
    Plane::new(
        "item_soon",
        "cells where an item appears within the next 4 rounds",
    ),
    Plane::new(
        "item_later",
        "cells where one appears 5 to 16 rounds from now",
    ),
];

const OWN_BODY: usize = 0;
const THEIR_BODY: usize = 1;
const HEAD: usize = 2;
const TAIL: usize = 4;
const ACTING_BODY: usize = 6;
const ACTING_HEAD: usize = 7;
const TOWARDS_RIGHT: usize = 8;
const OWN_WALL: usize = 12;
const LENGTH_ITEM: usize = 14;
const LONG_ITEM: usize = 15;
const RAY_ITEM: usize = 16;
#[doc(hidden)] // For tests.
pub const ITEM_SOON: usize = 17;
#[doc(hidden)] // For tests.
pub const ITEM_LATER: usize = 18;

#[doc(hidden)] // For tests.
pub const SCALARS: [(&str, i32, &str); 16] = [
    ("round", 512, "the round, from 1"),
    ("rounds_left", 512, "rounds after this one"),
    ("second", 1, "1 if you are the second player"),
    ("own_cells", 256, "cells you cover: snakes and walls"),
    ("their_cells", 256, "cells the other player covers"),
    ("own_snakes", 4, "your snakes"),
    ("their_snakes", 4, "the other player's snakes"),
    ("own_rays", 4, "your snakes that hold a ray"),
    ("their_rays", 4, "the other player's snakes that hold a ray"),
    ("own_bank", 32, "length in the banks of your snakes"),
    (
        "their_bank",
        32,
        "length in the banks of the other player's snakes",
    ),
    ("acting_length", 32, "cells of the snake that acts now"),
    ("acting_bank", 32, "length in its bank"),
    ("acting_ray", 1, "1 if it holds a ray"),
    ("acting_grows", 1, "1 if it grows when it moves"),
    ("to_act", 4, "your snakes that act after it in this turn"),
];

impl Encode for Position {
    fn describe_layout(_: &Setup) -> Layout {
        let go = |name: &str, points| ActionChoice::with_direction(format!("go {name}"), points);
        let choices = vec![
            go("right", (1, 0)),
            go("up", (0, 1)),
            go("left", (-1, 0)),
            go("down", (0, -1)),
            ActionChoice::new("ray"),
            ActionChoice::new("split"),
        ];
        Layout {
            rows: SIDE.into(),
            cols: SIDE.into(),
            planes: PLANES.to_vec(),
            scalars: SCALARS
                .map(|(name, scale, about)| Scalar::new(name, scale, about))
                .to_vec(),
            parts: vec![choices],
        }
    }

    fn write_planes(&self, setup: &Setup, seat: Seat, out: &mut [u8]) {
        let flip = if seat == Seat::Second { TURN } else { 0 };
        let mut draw = PlaneWriter {
            planes: [Board::EMPTY; PLANES.len()],
            flip,
        };
        draw.draw_bodies(self, seat);
        draw.draw_acting(self, seat);
        draw.draw_links(self);
        for (side, owner) in [seat, seat.other()].into_iter().enumerate() {
            draw.planes[OWN_WALL + side] = draw.turned(self.walls(owner));
        }
        draw.draw_items(self, setup);
        draw.write_planes(out);
    }

    fn write_scalars(&self, setup: &Setup, seat: Seat, out: &mut [i32]) {
        let sides = [seat, seat.other()];
        let snakes = sides.map(|side| self.snakes(side));
        let cells = sides.map(|side| i32::from(self.count_cells()[side]));
        let [(own_rays, own_bank), (their_rays, their_bank)] = snakes.map(sum_holdings);
        let acting = self.current().filter(|_| seat == self.seat());
        let of_acting = acting.map_or([0; 5], |snake| {
            let by_itself = self.round() <= GROWING_ROUNDS && usize::from(snake.id) == seat.index();
            [
                snake.length.into(),
                snake.bank.into(),
                snake.ray().is_some().into(),
                (snake.bank > 0 || by_itself).into(),
                (snakes[0].len() - 1 - self.cursor().min(MAX_SNAKES - 1)) as i32,
            ]
        });
        let [length, bank, ray, grows, to_act] = of_acting;
        out.copy_from_slice(&[
            self.round().into(),
            (setup.max_round() - self.round()).into(),
            (seat == Seat::Second).into(),
            cells[0],
            cells[1],
            snakes[0].len() as i32,
            snakes[1].len() as i32,
            own_rays,
            their_rays,
            own_bank,
            their_bank,
            length,
            bank,
            ray,
            grows,
            to_act,
        ]);
    }

    fn write_mask(&self, _: &Setup, seat: Seat, out: &mut [i8]) {
        let legal = self.legal_mask();
        let turn = if seat == Seat::Second { 2 } else { 0 };
        for (index, out) in out.iter_mut().enumerate() {
            // The four directions come first; opposite directions are two apart.
            let action = if index < 4 { index ^ turn } else { index };
            *out = (legal >> (1 + action) & 1) as i8;
        }
    }

    fn decode_action(&self, _: &Setup, seat: Seat, indices: &[i64]) -> Option<Action> {
        let [index @ 0..6] = *indices else {
            return None;
        };
        Some(turn_action(seat, Action::ALL[index as usize]))
    }

    fn encode_action(&self, _: &Setup, seat: Seat, action: Action, out: &mut [i64]) {
        out[0] = action_index(seat, action) as i64;
    }

    fn from_view(setup: &Setup, view: &Value) -> Result<Position, InvalidSetup> {
        Position::from_view(setup, view)
    }

    fn is_out(&self, seat: Seat) -> bool {
        self.end().is_none() && self.snakes(seat).is_empty()
    }

    /// The first player wins with equal scores.
    fn certain_winner(&self) -> Option<Seat> {
        let cells = self.count_cells();
        Some(if cells[Seat::Second] > cells[Seat::First] {
            Seat::Second
        } else {
            Seat::First
        })
    }

    #[inline]
    fn play_actions(&mut self, setup: &Setup, actions: BySeat<Option<Action>>) {
        if let Some(action) = actions[self.seat()] {
            self.play_action(setup, action, &mut ());
        }
    }
}

/// Converts between an action and the same action as the seat sees it.
#[inline]
fn turn_action(seat: Seat, action: Action) -> Action {
    match action.direction() {
        Some(direction) if seat == Seat::Second => direction.back().into(),
        _ => action,
    }
}

#[inline]
fn action_index(seat: Seat, action: Action) -> usize {
    usize::from(turn_action(seat, action).number()) - 1
}

/// The number of snakes that hold a ray, and the length in the banks.
#[inline]
fn sum_holdings(snakes: &[Snake]) -> (i32, i32) {
    snakes.iter().fold((0, 0), |(rays, banks), snake| {
        (
            rays + i32::from(snake.ray().is_some()),
            banks + i32::from(snake.bank),
        )
    })
}

/// `cell ^ TURN` turns a cell by 180 degrees.
const TURN: u8 = 0xff;

/// Writes planes as the seat sees them.
struct PlaneWriter {
    planes: [Board; PLANES.len()],
    /// [`TURN`] or 0.
    flip: u8,
}

impl PlaneWriter {
    #[inline]
    fn insert_cell(&mut self, plane: usize, cell: Cell) {
        self.planes[plane].insert(Cell(cell.0 ^ self.flip));
    }

    #[inline]
    fn turned(&self, board: Board) -> Board {
        if self.flip == 0 || board.is_empty() {
            return board;
        }
        let [a, b, c, d] = board.0;
        Board([d, c, b, a].map(u64::reverse_bits))
    }

    /// Writes the planes of bodies, heads and tails.
    #[inline]
    fn draw_bodies(&mut self, position: &Position, seat: Seat) {
        for (side, owner) in [seat, seat.other()].into_iter().enumerate() {
            self.planes[OWN_BODY + side] = self.turned(position.bodies_of(owner));
            for snake in position.snakes(owner) {
                self.insert_cell(HEAD + side, snake.head);
                self.insert_cell(TAIL + side, snake.tail);
            }
        }
    }

    /// Writes the planes of the acting snake. Its cells are followed one by one only if its side
    /// has several snakes.
    #[inline]
    fn draw_acting(&mut self, position: &Position, seat: Seat) {
        let Some(acting) = position.current().filter(|_| seat == position.seat()) else {
            return;
        };
        self.insert_cell(ACTING_HEAD, acting.head);
        self.planes[ACTING_BODY] = match position.snakes(seat) {
            [_] => self.planes[OWN_BODY],
            _ => self.turned(position.acting_body()),
        };
    }

    #[inline]
    fn draw_links(&mut self, position: &Position) {
        let linked = (self.planes[OWN_BODY] | self.planes[THEIR_BODY])
            & !(self.planes[HEAD] | self.planes[HEAD + 1]);
        let turn = if self.flip == 0 { 0 } else { 2 };
        let [low, high] = position.links_by_bit().map(|bit| self.turned(bit));
        let by_direction = [!low & !high, low & !high, !low & high, low & high];
        for (direction, cells) in by_direction.into_iter().enumerate() {
            self.planes[TOWARDS_RIGHT + (direction ^ turn)] = cells & linked;
        }
    }

    #[inline]
    fn draw_items(&mut self, position: &Position, setup: &Setup) {
        let now = position.round();
        let mut ages = position.lying_ages();
        while ages != 0 {
            let age = ages.trailing_zeros() as u16;
            ages &= ages - 1;
            if let Some((_, item)) = setup.item_appearing(now - age) {
                self.draw_item(item);
            }
        }
        let last = setup.max_round().min(now + LATER);
        let items = setup.items_between(now, last).iter();
        for item in items.take_while(|item| item.time <= last) {
            let soon = item.time <= now + SOON;
            self.insert_cell(if soon { ITEM_SOON } else { ITEM_LATER }, item.cell);
        }
    }

    #[inline]
    fn draw_item(&mut self, item: &Item) {
        if item.kind == ItemKind::Ray {
            return self.insert_cell(RAY_ITEM, item.cell);
        }
        self.insert_cell(LENGTH_ITEM, item.cell);
        if item.param >= LONG {
            self.insert_cell(LONG_ITEM, item.cell);
        }
    }

    /// Bit 16 x + y of a board is bit y of row x, which is also the packing of planes.
    #[inline]
    fn write_planes(&self, out: &mut [u8]) {
        for (Board(words), out) in self.planes.iter().zip(out.as_chunks_mut::<32>().0) {
            for (word, out) in words.iter().zip(out.as_chunks_mut::<8>().0) {
                *out = word.to_le_bytes();
            }
        }
    }
}
