//! Tests of `encode`.

use leitai_game::encode::packed;
use leitai_game::encode::symmetry;
use leitai_game::{BySeat, Encode, Perspective, Seat};
use leitai_game::{Game, Reply, Rng};
use leitai_tankcraft::cell::{Cell, Direction, Grid};
use leitai_tankcraft::encode::*;
use leitai_tankcraft::map::MINES;
use leitai_tankcraft::position::Position;
use leitai_tankcraft::setup::Setup;
use leitai_tankcraft::setup::{Config, Fog};
use leitai_tankcraft::tank::{TEAM, TankType, team_range};
use leitai_tankcraft::view::View;

/// Visits positions of random games.
fn games(visit: impl FnMut(&Setup, &Position)) {
    games_in(Fog::Strict, visit);
}

fn games_in(fog: Fog, mut visit: impl FnMut(&Setup, &Position)) {
    for seed in 0..12 {
        let config = Config {
            rounds: 80,
            fog,
            ..Config::default()
        };
        let setup = Setup::deal(&config, seed).expect("a map");
        let (mut position, mut rng) = (Position::start(&setup), Rng::new(seed));
        while position.end().is_none() {
            visit(&setup, &position);
            let said = BySeat::from_fn(|seat| position.sample_action(&setup, seat, &mut rng));
            position.play_actions(&setup, said);
        }
        visit(&setup, &position);
    }
}

fn dense(setup: &Setup, position: &Position, seat: Seat) -> Vec<Vec<Cell>> {
    let mut bits = vec![0; Position::describe_layout(setup).packed_len()];
    position.write_planes(setup, seat, &mut bits);
    let mut cells = vec![0; PLANES.len() * 441];
    packed::unpack_plane(&bits, 21, &mut cells);
    let set = |plane: &[u8]| {
        Cell::all()
            .zip(plane)
            .filter(|(_, bit)| **bit == 1)
            .map(|(cell, _)| cell)
            .collect()
    };
    cells.chunks_exact(441).map(set).collect()
}

#[test]
fn planes_show_the_view_from_the_seats_side() {
    let mut hidden = 0;
    games(|setup, position| {
        for seat in Seat::BOTH {
            let view = View::new(setup, position, Perspective::Seat(seat));
            let planes = dense(setup, position, seat);
            let seen = |cell: Cell| {
                if seat == Seat::First {
                    cell
                } else {
                    cell.rotate_half_turn()
                }
            };
            let sorted = |cells: &mut dyn Iterator<Item = Cell>| {
                let mut cells: Vec<Cell> = cells.map(seen).collect();
                cells.sort_unstable();
                cells
            };
            assert_eq!(
                planes[0],
                sorted(&mut (setup.map().stone & Grid::MAP).cells())
            );
            assert_eq!(planes[1], sorted(&mut view.bricks[0].cells()));
            assert_eq!(planes[2], sorted(&mut view.bricks[1].cells()));
            for (plane, owner) in [(3, Some(seat)), (4, Some(seat.other())), (5, None)] {
                let mines = (0..MINES).filter(|mine| view.owner(*mine) == owner);
                assert_eq!(
                    planes[plane],
                    sorted(&mut mines.map(|mine| setup.map().mines[mine]))
                );
            }
            for (place, tank) in team_range(seat).chain(team_range(seat.other())).enumerate() {
                let cell = view.tanks[tank].cell;
                assert_eq!(planes[OWN_TANK + place], sorted(&mut cell.into_iter()));
                hidden += usize::from(cell.is_none() && position.tanks()[tank].is_alive());
            }
        }
    });
    assert!(hidden > 100, "{hidden} tanks were out of sight");
}

#[test]
fn an_action_plays_as_its_indices_do() {
    let mut rng = Rng::new(3);
    games(|setup, position| {
        if position.end().is_some() {
            return;
        }
        let said = BySeat::from_fn(|seat| {
            position
                .sample_action(setup, seat, &mut rng)
                .expect("it is asked")
        });
        let again = BySeat::from_fn(|seat| {
            let mut indices = [0; TEAM];
            position.encode_action(setup, seat, said[seat], &mut indices);
            let mut mask = [0; TEAM * CHOICES];
            position.write_mask(setup, seat, &mut mask);
            for (tank, index) in indices.iter().enumerate() {
                assert_eq!(
                    mask[tank * CHOICES + *index as usize],
                    1,
                    "{:?} {tank} {index}",
                    said[seat]
                );
            }
            position
                .decode_action(setup, seat, &indices)
                .expect("in range")
        });
        let (mut one, mut other) = (*position, *position);
        one.step(
            setup,
            said.map_values(|action| Some(Reply::Action(action))),
            &mut (),
        );
        other.play_actions(setup, again.map_values(Some));
        assert_eq!(one, other, "{said:?} {again:?}");
    });
}

#[test]
fn a_position_from_a_view_has_the_same_observation() {
    let mut told = 0;
    for fog in [Fog::Strict, Fog::Sdk] {
        games_in(fog, |setup, position| {
            let going_on = position.end().is_none();
            for seat in Seat::BOTH.into_iter().filter(|_| going_on) {
                let view = View::new(setup, position, Perspective::Seat(seat));
                let json = serde_json::to_value(view).expect("plain data");
                let again = Position::from_view(setup, &json).expect("a view of ours");
                assert_eq!(View::new(setup, &again, Perspective::Seat(seat)), view);
                assert_eq!(numbers(setup, &again, seat), numbers(setup, position, seat));
                told += view
                    .tanks
                    .iter()
                    .filter(|t| t.cell.is_none() && t.life > Some(0))
                    .count();
            }
        });
    }
    assert!(
        told > 100,
        "only {told} tanks were reported alive out of sight"
    );
}

fn numbers(setup: &Setup, position: &Position, seat: Seat) -> (Vec<u8>, Vec<i32>, Vec<i8>) {
    let layout = Position::describe_layout(setup);
    let mut planes = vec![0; layout.packed_len()];
    let (mut scalars, mut mask) = (vec![0; layout.scalars.len()], vec![0; layout.mask_len()]);
    position.write_planes(setup, seat, &mut planes);
    position.write_scalars(setup, seat, &mut scalars);
    position.write_mask(setup, seat, &mut mask);
    (planes, scalars, mask)
}

#[test]
fn every_index_is_accepted_and_none_out_of_range() {
    games(|setup, position| {
        if position.end().is_some() {
            return;
        }
        for index in 0..CHOICES as i64 {
            let action = position
                .decode_action(setup, Seat::Second, &[index; TEAM])
                .expect("in range");
            assert_eq!(position.check_action(setup, Seat::Second, action), Ok(()));
        }
        assert_eq!(
            position.decode_action(setup, Seat::First, &[CHOICES as i64; TEAM]),
            None
        );
        assert_eq!(
            position.decode_action(setup, Seat::First, &[0, 0, 0, 0, -1]),
            None
        );
        assert_eq!(position.decode_action(setup, Seat::First, &[0]), None);
    });
}

#[test]
fn shots_are_listed_by_distance() {
    assert_eq!((OFFSETS[0], OFFSETS[1], CHOICES), ((0, 0), (-1, 0), 69));
    let distance = |(down, right): (i8, i8)| down.abs() + right.abs();
    assert!(OFFSETS.is_sorted_by_key(|offset| distance(*offset)));
    for kind in TankType::ALL {
        let range = kind.range() as i8;
        assert!(
            OFFSETS[..cells_within(range)]
                .iter()
                .all(|offset| distance(*offset) <= range)
        );
        assert!(
            OFFSETS[cells_within(range)..]
                .iter()
                .all(|offset| distance(*offset) > range)
        );
    }
}

#[test]
fn eight_symmetries_map_moves_and_shots_alike() {
    let setup = Setup::deal(&Config::default(), 1).expect("a map");
    let all = symmetry::find_symmetries(&Position::describe_layout(&setup));
    assert_eq!(all.len(), 8);
    for one in all {
        assert_eq!(
            one.choices[0][..=STOP],
            [0, 1, 2, 3],
            "types and STOP map to themselves"
        );
        for (way, direction) in Direction::ALL.into_iter().enumerate() {
            let shot = OFFSETS
                .iter()
                .position(|offset| *offset == direction_delta(direction))
                .expect("in range");
            let (gone, shot) = (one.choices[2][GO + way], one.choices[2][FIRE + shot]);
            assert_eq!(
                direction_delta(Direction::ALL[gone - GO]),
                OFFSETS[shot - FIRE],
                "{}",
                one.name
            );
        }
    }
}

#[test]
fn scalars_have_names_and_hide_what_fog_hides() {
    let setup = Setup::deal(&Config::default(), 1).expect("a map");
    let layout = Position::describe_layout(&setup);
    assert_eq!(layout.scalars.len(), 9 + 10 * OF_TANK.len());
    games(|setup, position| {
        let mut out = vec![0; layout.scalars.len()];
        position.write_scalars(setup, Seat::Second, &mut out);
        let view = View::new(setup, position, Perspective::Seat(Seat::Second));
        for (place, tank) in team_range(Seat::First).enumerate() {
            let of_tank = &out[9 + (TEAM + place) * OF_TANK.len()..][..OF_TANK.len()];
            assert_eq!(of_tank[3] == 1, view.tanks[tank].cell.is_some());
            assert_eq!(of_tank[5], i32::from(view.tanks[tank].life.unwrap_or(0)));
        }
        assert_eq!(out[0] == 1, view.round == 0);
    });
}
