//! The view of programs: everything, since KOB hides nothing.

use leitai_game::{Perspective, Seat};
use serde::{Serialize, Serializer};

use crate::position::Position;
use crate::setup::Setup;

/// A position as JSON:
///
/// ```json
/// {"round": 3, "rounds": 148, "rows": 13, "cols": 14, "you": "first", "grows": true, "length": 3,
///  "map": ["11111111111111", "10000110101001", "…"],
///  "snakes": [{"seat": "first", "facing": 1, "cells": [[11, 3], [11, 2], [11, 1]]},
///             {"seat": "second", "facing": 2, "cells": [[3, 12], [2, 12], [1, 12]]}]}
/// ```
///
/// A cell is `[row, column]`, counted from the upper left; `cells` are in the order from head to
/// tail. `grows`: whether the tails stay in this round. `facing` is the last direction, null before
/// round 1. The head of a dead snake may be outside the grid. The setup contains the growing rounds
/// and the start cells.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct View<'a> {
    pub setup: &'a Setup,
    pub position: &'a Position,
    pub perspective: Perspective,
}

impl View<'_> {
    /// The seat whose perspective the view has; a bot gets no other.
    pub(crate) fn seat(&self) -> Seat {
        match self.perspective {
            Perspective::Seat(seat) => seat,
            Perspective::All => Seat::First,
        }
    }
}

impl Serialize for View<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (setup, position) = (self.setup, self.position);
        ViewJson {
            round: position.round(),
            rounds: setup.rounds(),
            rows: setup.map().rows(),
            cols: setup.map().cols(),
            you: match self.perspective {
                Perspective::Seat(seat) => Some(seat),
                Perspective::All => None,
            },
            grows: setup.growth().grows_at(position.round()),
            length: position.length(),
            map: setup.map().row_texts(),
            snakes: Seat::BOTH.map(|seat| SnakeJson::new(position, seat)),
        }
        .serialize(serializer)
    }
}

#[derive(Serialize)]
struct ViewJson {
    round: u16,
    rounds: u16,
    rows: u8,
    cols: u8,
    you: Option<Seat>,
    grows: bool,
    length: u8,
    map: Vec<String>,
    snakes: [SnakeJson; 2],
}

#[derive(Serialize)]
struct SnakeJson {
    seat: Seat,
    facing: Option<u8>,
    cells: Vec<(i8, i8)>,
}

impl SnakeJson {
    fn new(position: &Position, seat: Seat) -> SnakeJson {
        let mut cells = position.cells(seat);
        cells.reverse();
        SnakeJson {
            seat,
            facing: position.facing(seat).map(|direction| direction.number()),
            cells,
        }
    }
}
