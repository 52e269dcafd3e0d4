//! Makes a position from a view, for programs that receive views and need encodings.

use leitai_game::lang::say;
use leitai_game::{InvalidSetup, Seat};
use serde::Deserialize;
use serde_json::Value;

use super::{Position, history_place};
use crate::board::{Board, Cell, Direction};
use crate::setup::Setup;

/// The most cells of a snake: the capacity of the ring.
const MAX_LENGTH: usize = 128;

#[derive(Deserialize)]
struct ParsedView {
    round: u16,
    snakes: [ParsedSnake; 2],
}

#[derive(Deserialize)]
struct ParsedSnake {
    cells: Vec<[u8; 2]>,
}

impl Position {
    /// The position of a view while the leg goes on.
    pub fn from_view(setup: &Setup, view: &Value) -> Result<Position, InvalidSetup> {
        let ParsedView { round, snakes } =
            ParsedView::deserialize(view).map_err(InvalidSetup::new)?;
        let lengths = [0, 1].map(|n: usize| snakes[n].cells.len());
        let long = (1..=MAX_LENGTH.min(round.into())).contains(&lengths[0]);
        if lengths[0] != lengths[1] || !long || round > setup.rounds() {
            return Err(InvalidSetup(say!(
                "snakes of {lengths:?} cells in round {round}"
            )));
        }
        let mut position = Position::start(setup);
        position.played = round - 1;
        position.length = lengths[0] as u8;
        position.bodies = Board::EMPTY;
        for (seat, snake) in Seat::BOTH.into_iter().zip(&snakes) {
            position.imagine_snake(setup, seat, &snake.cells)?;
        }
        Ok(position)
    }

    /// Makes a snake; `cells` are in the order from head to tail.
    fn imagine_snake(
        &mut self,
        setup: &Setup,
        seat: Seat,
        cells: &[[u8; 2]],
    ) -> Result<(), InvalidSetup> {
        let first = self.played + 1 - u16::from(self.length);
        let mut last: Option<Cell> = None;
        for (round, pair) in (first..).zip(cells.iter().rev()) {
            let [x, y] = *pair;
            let wrong = |what: &str| InvalidSetup(say!("the snake of {seat} {what} at [{x}, {y}]"));
            if x > 15 || y > 15 || !setup.map().free_cells().has(Cell::new(x, y)) {
                return Err(wrong("is not on a free cell"));
            }
            let cell = Cell::new(x, y);
            if self.bodies.has(cell) {
                return Err(wrong("lies on another cell of a snake"));
            }
            self.bodies.insert(cell);
            match last {
                None => self.tails[seat.index()] = cell,
                Some(before) => {
                    let link = Direction::ALL
                        .into_iter()
                        .find(|direction| direction.step_from(before) == cell);
                    let (word, shift) = history_place(round - 1);
                    let link = link.ok_or_else(|| wrong("has a gap"))? as u64;
                    self.ring[word] |= link << (shift + 2 * seat.index() as u32);
                }
            }
            last = Some(cell);
            self.heads[seat.index()] = cell;
        }
        Ok(())
    }
}
