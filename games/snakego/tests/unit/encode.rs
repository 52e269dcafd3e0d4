//! Tests of `encode`.

use leitai_game::encode::{packed, symmetry};
use leitai_game::{BySeat, Encode, Seat};
use leitai_game::{Game, Perspective, Rng};
use leitai_snakego::action::Action;
use leitai_snakego::encode::*;
use leitai_snakego::position::Position;
use leitai_snakego::setup::Config;
use leitai_snakego::setup::Setup;
use serde_json::Value;

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
    let view =
        serde_json::to_value(position.view(setup, Perspective::Seat(seat))).expect("plain data");
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
                let cells = planes[0].len() + planes[1].len() - planes[2].len() - planes[3].len();
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
