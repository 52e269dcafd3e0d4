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

const PLANES: [Plane; 11] = [
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

const BODY: usize = 1;
const HEAD: usize = 3;
const TAIL: usize = 5;
const TOWARDS_UP: usize = 7;

const SCALARS: [(&str, i32, &str); 5] = [
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::{Config, MapSource};
    use leitai_game::encode::{packed, symmetry};
    use leitai_game::{Game, Rng};

    fn dense(setup: &Setup, position: &Position, seat: Seat) -> Vec<Vec<(i8, i8)>> {
        let layout = Position::describe_layout(setup);
        let (cols, count) = (layout.cols, layout.rows * layout.cols);
        let mut bits = vec![0; layout.packed_len()];
        position.write_planes(setup, seat, &mut bits);
        let mut cells = vec![0; layout.planes.len() * count];
        packed::unpack_plane(&bits, cols, &mut cells);
        let set = |plane: &[u8]| {
            let set = (0..count).filter(|i| plane[*i] == 1);
            set.map(|i| ((i / cols) as i8, (i % cols) as i8)).collect()
        };
        cells.chunks_exact(count).map(set).collect()
    }

    /// Visits every position of random games on the standard board and on a small one.
    fn games(mut visit: impl FnMut(&Setup, &Position)) {
        let small = Config {
            map: MapSource::Given("0".repeat(3 * 9)),
            rows: 3,
            cols: 9,
            ..Config::default()
        };
        for seed in 0..100 {
            let config = if seed % 4 == 0 {
                &small
            } else {
                &Config::default()
            };
            let setup = Setup::deal(config, seed).expect("a sound config");
            let (mut position, mut rng) = (Position::start(&setup), Rng::new(seed));
            while !position.is_over() {
                visit(&setup, &position);
                let safe = Seat::BOTH.map(|seat| position.safe_mask(&setup, seat));
                let moves = safe.map(|safe| {
                    let any: Vec<Direction> =
                        Direction::of_mask(if safe == 0 { 15 } else { safe }).collect();
                    any[rng.next_below(any.len())]
                });
                position.play_actions(&setup, BySeat::new(Some(moves[0]), Some(moves[1])));
            }
            visit(&setup, &position);
        }
    }

    #[test]
    fn planes_show_the_snakes_and_obstacles_from_the_seats_side() {
        let mut positions = 0;
        games(|setup, position| {
            positions += 1;
            for seat in Seat::BOTH {
                let planes = dense(setup, position, seat);
                let (rows, cols) = (setup.map().rows() as i8, setup.map().cols() as i8);
                let seen = |(x, y): (i8, i8)| match seat {
                    Seat::First => (x, y),
                    Seat::Second => (rows - 1 - x, cols - 1 - y),
                };
                let walls = setup
                    .map()
                    .cells()
                    .filter(|cell| setup.map().walls().has(*cell));
                let mut expected: Vec<_> = walls
                    .map(|cell| seen((cell.x() as i8, cell.y() as i8)))
                    .collect();
                expected.sort_unstable();
                assert_eq!(planes[0], expected);
                for (side, owner) in [seat, seat.other()].into_iter().enumerate() {
                    let lost = position.is_over();
                    let mut cells: Vec<_> = position.cells(owner).into_iter().map(seen).collect();
                    if !lost {
                        assert_eq!(planes[HEAD + side], [*cells.last().expect("a head")]);
                        assert_eq!(planes[TAIL + side], [cells[0]]);
                    }
                    cells.retain(|cell| (0..rows).contains(&cell.0) && (0..cols).contains(&cell.1));
                    cells.retain(|cell| !planes[0].contains(cell));
                    cells.sort_unstable();
                    cells.dedup();
                    assert!(
                        lost || planes[BODY + side] == cells,
                        "{:?} {cells:?}",
                        planes[BODY + side]
                    );
                }
                for (n, plane) in PLANES
                    .iter()
                    .enumerate()
                    .skip(TOWARDS_UP)
                    .filter(|_| !position.is_over())
                {
                    let (down, right) = plane.points.expect("a direction");
                    for (x, y) in &planes[n] {
                        let next = (x + down, y + right);
                        assert!(planes[BODY].contains(&next) || planes[BODY + 1].contains(&next));
                    }
                }
            }
        });
        assert!(positions > 1000, "{positions}");
    }

    #[test]
    fn indices_and_actions_are_each_others_inverse() {
        let setup = Setup::deal(&Config::default(), 1).expect("sound");
        let position = Position::start(&setup);
        for seat in Seat::BOTH {
            for index in 0..4 {
                let action = position
                    .decode_action(&setup, seat, &[index])
                    .expect("in range");
                let mut back = [9];
                position.encode_action(&setup, seat, action, &mut back);
                assert_eq!(back, [index]);
            }
            assert_eq!(position.decode_action(&setup, seat, &[4]), None);
            assert_eq!(position.decode_action(&setup, seat, &[]), None);
        }
        assert_eq!(
            position.decode_action(&setup, Seat::Second, &[0]),
            Some(Direction::Down)
        );
    }

    #[test]
    fn on_a_symmetric_map_both_seats_see_the_same() {
        games(|setup, position| {
            if position.rounds_played() == 0 && setup.map().rows() == 13 {
                let views = Seat::BOTH.map(|seat| dense(setup, position, seat));
                assert_eq!(views[0], views[1]);
                assert_eq!(views[0][BODY], [(11, 1)]);
            }
        });
    }

    #[test]
    fn a_view_is_read_back_as_its_position() {
        games(|setup, position| {
            if !position.is_over() {
                let view = serde_json::to_value(
                    position.view(setup, leitai_game::Perspective::Seat(Seat::Second)),
                );
                let view = view.expect("plain data");
                assert_eq!(Position::from_view(setup, &view).as_ref(), Ok(position));
            }
        });
    }

    #[test]
    fn impossible_views_are_refused() {
        let setup = Setup::deal(&Config::default(), 1).expect("sound");
        let start = Position::start(&setup);
        let view = serde_json::to_value(start.view(&setup, leitai_game::Perspective::All))
            .expect("plain data");
        let refused = |key: &str, value: Value, part: &str| {
            let mut changed = view.clone();
            *changed.pointer_mut(key).expect("a key of the view") = value;
            let why = Position::from_view(&setup, &changed)
                .expect_err(part)
                .to_string();
            assert!(why.contains(part), "{why}");
        };
        refused("/round", 0.into(), "round 0");
        refused("/round", 9999.into(), "round 9999");
        refused("/snakes/0/cells", serde_json::json!([]), "[0, 1] cells");
        refused("/snakes/0/cells", serde_json::json!([[0, 0]]), "free cell");
        refused(
            "/snakes/0/cells",
            serde_json::json!([[200, 1]]),
            "free cell",
        );
        refused(
            "/snakes/0/cells",
            serde_json::json!([[1, 12]]),
            "another cell",
        );
    }

    #[test]
    fn a_step_with_actions_agrees_with_the_rules() {
        games(|setup, position| {
            for action in Direction::ALL {
                let said = BySeat::new(Some(action), Some(action.back()));
                let (mut fast, mut slow) = (*position, *position);
                fast.play_actions(setup, said);
                slow.step(
                    setup,
                    said.map_values(|action| action.map(leitai_game::Reply::Action)),
                    &mut (),
                );
                assert_eq!(fast, slow);
            }
        });
    }

    #[test]
    fn scalars_count_and_the_board_has_four_symmetries() {
        let setup = Setup::deal(&Config::default(), 1).expect("sound");
        let mut position = Position::start(&setup);
        let mut out = [0; SCALARS.len()];
        position.write_scalars(&setup, Seat::First, &mut out);
        assert_eq!(out, [1, 1, 1, 1, 0]);
        position = Position::start(&setup);
        assert_eq!(
            symmetry::find_symmetries(&Position::describe_layout(&setup)).len(),
            4
        );
        assert_eq!(position.to_move(), leitai_game::ToMove::Both);
    }
}
