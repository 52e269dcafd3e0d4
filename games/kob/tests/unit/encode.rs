//! Tests of `encode`.

use leitai_game::encode::{packed, symmetry};
use leitai_game::{BySeat, Encode, Seat};
use leitai_game::{Game, Rng};
use leitai_kob::board::Direction;
use leitai_kob::encode::*;
use leitai_kob::position::Position;
use leitai_kob::setup::Setup;
use leitai_kob::setup::{Config, MapSource};
use serde_json::Value;

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
