//! The view of programs: everything, since SnakeGo hides nothing.

use leitai_game::{Perspective, Seat};
use serde::{Serialize, Serializer};

use crate::board::Board;
use crate::position::{Position, Snake};
use crate::setup::Setup;

/// A position as JSON:
///
/// ```json
/// {"round": 37, "rounds": 512, "to_move": "first", "you": "first", "snake": 4, "scores": [83, 91],
///  "snakes": [{"id": 4, "seat": "first", "bank": 2, "ray": true, "cells": [[8, 5], [8, 4]]}],
///  "walls": [[[0, 0]], []],
///  "items": [{"id": 9, "x": 6, "y": 7, "type": 0, "param": 3, "expires": 52}]}
/// ```
///
/// `snake` is the acting snake. `snakes` lists the first player's, then the second's, each in the
/// order of their actions; `cells` are in the order from head to tail. `walls` are the first
/// player's and the second's. An item lies on the map up to and including round `expires`. The
/// setup contains all coming items.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct View<'a> {
    pub setup: &'a Setup,
    pub position: &'a Position,
    pub perspective: Perspective,
}

impl Serialize for View<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct ViewJson {
            round: u16,
            rounds: u16,
            to_move: Option<Seat>,
            you: Option<Seat>,
            snake: Option<u16>,
            scores: [u16; 2],
            snakes: Vec<SnakeJson>,
            walls: [Vec<[u8; 2]>; 2],
            items: Vec<ItemJson>,
        }
        let position = self.position;
        let current = position.current();
        let you = match self.perspective {
            Perspective::Seat(seat) => Some(seat),
            Perspective::All => None,
        };
        let snakes = Seat::BOTH.into_iter().flat_map(|seat| {
            position
                .snakes(seat)
                .iter()
                .map(move |snake| SnakeJson::new(position, seat, snake))
        });
        let items = position.lying_items(self.setup).map(|(id, item)| ItemJson {
            id,
            x: item.cell.x(),
            y: item.cell.y(),
            r#type: item.kind.number(),
            param: item.param,
            expires: item.time + 15,
        });
        ViewJson {
            round: position.round(),
            rounds: self.setup.max_round(),
            to_move: current.map(|_| position.seat()),
            you,
            snake: current.map(|snake| snake.id),
            scores: position.count_cells().into_pair(),
            snakes: snakes.collect(),
            walls: Seat::BOTH.map(|seat| to_pairs(position.walls(seat))),
            items: items.collect(),
        }
        .serialize(serializer)
    }
}

#[derive(Serialize)]
struct SnakeJson {
    id: u16,
    seat: Seat,
    bank: u16,
    ray: bool,
    cells: Vec<[u8; 2]>,
}

impl SnakeJson {
    fn new(position: &Position, seat: Seat, snake: &Snake) -> SnakeJson {
        let cells = position
            .cells_of(snake)
            .into_iter()
            .map(|cell| [cell.x(), cell.y()])
            .collect();
        SnakeJson {
            id: snake.id,
            seat,
            bank: snake.bank,
            ray: snake.ray().is_some(),
            cells,
        }
    }
}

#[derive(Serialize)]
struct ItemJson {
    id: u16,
    x: u8,
    y: u8,
    r#type: u8,
    param: u16,
    expires: u16,
}

fn to_pairs(board: Board) -> Vec<[u8; 2]> {
    board.cells().map(|cell| [cell.x(), cell.y()]).collect()
}
