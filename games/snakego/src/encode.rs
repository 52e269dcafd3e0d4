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
const SOON: u16 = 4;
/// The rounds in which a coming item is shown at all.
const LATER: u16 = 16;
/// The length from which a length item counts as long.
const LONG: u16 = 3;

const TOWARDS: &str = "cells whose next cell towards the head lies in this direction";

const PLANES: [Plane; 19] = [
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
const ITEM_SOON: usize = 17;
const ITEM_LATER: usize = 18;

const SCALARS: [(&str, i32, &str); 16] = [
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
            _ => self.turned(position.body(acting)),
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
        let (now, items) = (position.round(), setup.items());
        let mut ages = position.lying_ages();
        while ages != 0 {
            let age = ages.trailing_zeros() as u16;
            ages &= ages - 1;
            if let Some((_, item)) = setup.item_appearing(now - age) {
                self.draw_item(item);
            }
        }
        let last = setup.max_round().min(now + LATER);
        let first = items.partition_point(|item| item.time <= now);
        for item in items[first..].iter().take_while(|item| item.time <= last) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::Config;
    use leitai_game::encode::{packed, symmetry};
    use leitai_game::{Game, Perspective, Rng};

    /// Visits the positions of a random game.
    fn game(seed: u64, mut visit: impl FnMut(&Setup, &Position)) {
        let setup = Setup::deal(&Config::default(), seed).expect("the default config is sound");
        let (mut position, mut rng) = (Position::start(&setup, &mut ()), Rng::new(seed));
        while position.end().is_none() {
            visit(&setup, &position);
            let action = position
                .sample_action(&setup, position.seat(), &mut rng)
                .expect("somebody is asked");
            position.play_actions(&setup, BySeat::new(Some(action), Some(action)));
        }
        visit(&setup, &position);
    }

    fn dense(setup: &Setup, position: &Position, seat: Seat) -> Vec<Vec<[usize; 2]>> {
        let layout = Position::describe_layout(setup);
        let mut bits = vec![0; layout.packed_len()];
        position.write_planes(setup, seat, &mut bits);
        let mut cells = vec![0; layout.planes.len() * 256];
        packed::unpack_plane(&bits, 16, &mut cells);
        let set = |plane: &[u8]| {
            (0..256)
                .filter(|i| plane[*i] == 1)
                .map(|i| [i / 16, i % 16])
                .collect()
        };
        cells.chunks_exact(256).map(set).collect()
    }

    /// A cell of the view in the coordinates of this seat's planes.
    fn seen(seat: Seat, cell: &Value) -> [usize; 2] {
        let at = |n: usize| cell[n].as_u64().expect("a coordinate") as usize;
        if seat == Seat::First {
            [at(0), at(1)]
        } else {
            [15 - at(0), 15 - at(1)]
        }
    }

    fn sorted(mut cells: Vec<[usize; 2]>) -> Vec<[usize; 2]> {
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    #[test]
    fn planes_agree_with_the_view() {
        let mut seen_snakes = 0;
        for seed in 0..60 {
            game(seed, |setup, position| {
                for seat in Seat::BOTH {
                    seen_snakes += check_against_view(setup, position, seat);
                }
            });
        }
        assert!(seen_snakes > 1000, "{seen_snakes}");
    }

    fn check_against_view(setup: &Setup, position: &Position, seat: Seat) -> usize {
        let view = serde_json::to_value(position.view(setup, Perspective::Seat(seat)))
            .expect("plain data");
        let planes = dense(setup, position, seat);
        let plane = |name: &str| {
            planes[PLANES
                .iter()
                .position(|plane| plane.name == name)
                .expect("a plane")]
            .clone()
        };
        let snakes = view["snakes"].as_array().expect("a list");
        for (own, body, head, tail) in [
            (true, "own_body", "own_head", "own_tail"),
            (false, "their_body", "their_head", "their_tail"),
        ] {
            let mine: Vec<&Value> = snakes
                .iter()
                .filter(|snake| (snake["seat"] == seat.to_string()) == own)
                .collect();
            let cells = |snake: &Value| -> Vec<[usize; 2]> {
                snake["cells"]
                    .as_array()
                    .expect("a list")
                    .iter()
                    .map(|cell| seen(seat, cell))
                    .collect()
            };
            assert_eq!(
                plane(body),
                sorted(mine.iter().flat_map(|snake| cells(snake)).collect())
            );
            assert_eq!(
                plane(head),
                sorted(mine.iter().map(|snake| cells(snake)[0]).collect())
            );
            assert_eq!(
                plane(tail),
                sorted(mine.iter().map(|s| cells(s)[cells(s).len() - 1]).collect())
            );
        }
        for (seat_of_walls, name) in [(seat, "own_wall"), (seat.other(), "their_wall")] {
            let walls = view["walls"][seat_of_walls.index()]
                .as_array()
                .expect("a list");
            assert_eq!(
                plane(name),
                sorted(walls.iter().map(|cell| seen(seat, cell)).collect())
            );
        }
        let items = view["items"].as_array().expect("a list");
        for (kind, name) in [(0, "length_item"), (2, "ray_item")] {
            let of_kind = items.iter().filter(|item| item["type"] == kind);
            let cells = of_kind
                .map(|item| seen(seat, &serde_json::json!([item["x"], item["y"]])))
                .collect();
            assert_eq!(plane(name), sorted(cells), "{name}");
        }
        snakes.len()
    }

    #[test]
    fn links_lead_to_the_head() {
        for seed in 0..20 {
            game(seed, |setup, position| {
                for seat in Seat::BOTH {
                    let planes = dense(setup, position, seat);
                    let linked: usize = planes[8..12].iter().map(Vec::len).sum();
                    let cells =
                        planes[0].len() + planes[1].len() - planes[2].len() - planes[3].len();
                    assert_eq!(linked, cells);
                    for (plane, cells) in PLANES.iter().zip(&planes).skip(8).take(4) {
                        let (dx, dy) = plane.points.expect("a direction");
                        for [x, y] in cells {
                            let next = [
                                x.wrapping_add_signed(dx.into()),
                                y.wrapping_add_signed(dy.into()),
                            ];
                            assert!(planes[0].contains(&next) || planes[1].contains(&next));
                        }
                    }
                }
            });
        }
    }

    #[test]
    fn indices_and_actions_are_each_others_inverse_and_the_mask_says_what_is_legal() {
        game(5, |setup, position| {
            for seat in Seat::BOTH {
                let mut mask = [0; 6];
                position.write_mask(setup, position.seat(), &mut mask);
                for index in 0..6 {
                    let action = position
                        .decode_action(setup, seat, &[index])
                        .expect("in range");
                    let mut back = [9];
                    position.encode_action(setup, seat, action, &mut back);
                    assert_eq!(back, [index]);
                    if seat == position.seat() && position.end().is_none() {
                        let legal = position.check_action(action).is_ok();
                        assert_eq!(mask[index as usize] == 1, legal, "{action:?}");
                    }
                }
            }
            assert_eq!(position.decode_action(setup, Seat::First, &[6]), None);
            assert_eq!(position.decode_action(setup, Seat::First, &[-1]), None);
            assert_eq!(position.decode_action(setup, Seat::First, &[0, 0]), None);
        });
    }

    #[test]
    fn both_seats_start_at_the_same_place_with_the_same_mask() {
        let setup = Setup::deal(&Config::default(), 1).expect("sound");
        let position = Position::start(&setup, &mut ());
        for seat in Seat::BOTH {
            assert_eq!(dense(&setup, &position, seat)[0], [[0, 15]]);
        }
        assert_eq!(
            position.decode_action(&setup, Seat::Second, &[0]),
            Some(Action::Left)
        );
        assert_eq!(
            position.decode_action(&setup, Seat::Second, &[1]),
            Some(Action::Down)
        );
        assert_eq!(
            position.decode_action(&setup, Seat::Second, &[5]),
            Some(Action::Split)
        );
    }

    #[test]
    fn a_square_board_has_eight_symmetries() {
        let setup = Setup::deal(&Config::default(), 1).expect("sound");
        let all = symmetry::find_symmetries(&Position::describe_layout(&setup));
        assert_eq!(all.len(), 8);
        assert!(
            all.iter().all(|one| one.choices[0][4..] == [4, 5]),
            "ray and split map to themselves"
        );
    }

    #[test]
    fn a_position_from_a_view_has_the_same_observation() {
        for seed in 0..20 {
            game(seed, |setup, position| {
                for seat in Seat::BOTH {
                    let view = position.view(setup, Perspective::Seat(seat));
                    let view = serde_json::to_value(view).expect("plain data");
                    let again = Position::from_view(setup, &view).expect("a view of ours");
                    assert_eq!(numbers(setup, &again, seat), numbers(setup, position, seat));
                }
            });
        }
    }

    fn numbers(setup: &Setup, position: &Position, seat: Seat) -> (Vec<u8>, Vec<i32>, [i8; 6]) {
        let mut planes = vec![0; Position::describe_layout(setup).packed_len()];
        let (mut scalars, mut mask) = (vec![0; SCALARS.len()], [0; 6]);
        position.write_planes(setup, seat, &mut planes);
        position.write_scalars(setup, seat, &mut scalars);
        position.write_mask(setup, seat, &mut mask);
        (planes, scalars, mask)
    }

    #[test]
    fn coming_items_are_shown_when_they_come_soon_enough() {
        game(9, |setup, position| {
            let planes = dense(setup, position, Seat::First);
            for (plane, from, to) in [(ITEM_SOON, 1, SOON), (ITEM_LATER, SOON + 1, LATER)] {
                let rounds = position.round() + from..=position.round() + to;
                let coming = setup
                    .items()
                    .iter()
                    .filter(|item| rounds.contains(&item.time));
                let coming = coming.filter(|item| item.time <= setup.max_round());
                let cells = coming
                    .map(|item| [item.cell.x().into(), item.cell.y().into()])
                    .collect();
                assert_eq!(planes[plane], sorted(cells));
            }
        });
    }

    #[test]
    fn impossible_views_are_refused() {
        let setup = Setup::deal(&Config::default(), 1).expect("sound");
        let view =
            serde_json::to_value(Position::start(&setup, &mut ()).view(&setup, Perspective::All));
        let view = view.expect("plain data");
        let refused = |key: &str, value: Value, part: &str| {
            let mut changed = view.clone();
            *changed.pointer_mut(key).expect("a key of the view") = value;
            let why = Position::from_view(&setup, &changed)
                .expect_err(part)
                .to_string();
            assert!(why.contains(part), "{why}");
        };
        refused("/round", 0.into(), "round 0");
        refused("/snake", 7.into(), "snake 7");
        refused("/snakes/0/cells", serde_json::json!([]), "no cell");
        refused("/snakes/0/cells", serde_json::json!([[16, 0]]), "[16, 0]");
        refused(
            "/snakes/0/cells",
            serde_json::json!([[1, 1], [3, 1]]),
            "gap",
        );
        refused(
            "/snakes/0/cells",
            serde_json::json!([[1, 1], [1, 2], [1, 1]]),
            "taken",
        );
        refused("/items", serde_json::json!([{"id": 60}]), "item 60");
        let many = vec![
            serde_json::json!({"id": 9, "seat": "first", "bank": 0, "ray": true, "cells": [[1, 1]]});
            5
        ];
        let spread: Vec<Value> = many
            .into_iter()
            .enumerate()
            .map(|(n, mut snake)| {
                snake["cells"] = serde_json::json!([[n, 0]]);
                snake
            })
            .collect();
        refused("/snakes", spread.into(), "more than four");
    }

    #[test]
    fn scalars_are_named_and_count() {
        let setup = Setup::deal(&Config::default(), 1).expect("sound");
        let position = Position::start(&setup, &mut ());
        let mut out = [0; SCALARS.len()];
        position.write_scalars(&setup, Seat::First, &mut out);
        assert_eq!(out, [1, 511, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0]);
        position.write_scalars(&setup, Seat::Second, &mut out);
        assert_eq!(out, [1, 511, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
}
