//! Makes a position from a view, for programs that receive views and need encodings.

use leitai_game::lang::say;
use leitai_game::{InvalidSetup, Seat};
use serde::Deserialize;
use serde_json::Value;

use super::{GameEnd, MAX_SNAKES, Position, Snake, Turn};
use crate::action::Direction;
use crate::board::{Board, Cell, Links, SIDE};
use crate::items::LIFETIME;
use crate::setup::Setup;

/// The greatest number of a snake, and the greatest bank, that are accepted: far more than any leg
/// reaches, and so that no sum overflows.
const MOST: u16 = 1 << 14;

#[derive(Deserialize)]
struct ParsedView {
    round: u16,
    to_move: Option<Seat>,
    snake: Option<u16>,
    scores: [u16; 2],
    snakes: Vec<ParsedSnake>,
    walls: [Vec<[u8; 2]>; 2],
    items: Vec<ParsedItem>,
}

#[derive(Deserialize)]
struct ParsedSnake {
    id: u16,
    seat: Seat,
    bank: u16,
    ray: bool,
    cells: Vec<[u8; 2]>,
}

#[derive(Deserialize)]
struct ParsedItem {
    id: usize,
}

impl Position {
    /// The position that a view shows. Facts that a view does not contain (who ate first, which ray
    /// a snake holds) get defaults.
    pub fn from_view(setup: &Setup, view: &Value) -> Result<Position, InvalidSetup> {
        let shown = ParsedView::deserialize(view).map_err(InvalidSetup::new)?;
        if !(1..=setup.max_round()).contains(&shown.round) {
            return Err(InvalidSetup(say!(
                "round {} of {}",
                shown.round,
                setup.max_round()
            )));
        }
        let mut position = Position::start(setup, &mut ());
        position.round = shown.round;
        position.cells = shown.scores;
        position.settled = shown.scores;
        position.end = if shown.to_move.is_none() {
            Some(GameEnd::Rounds)
        } else {
            None
        };
        position.next_id = shown
            .snakes
            .iter()
            .map(|snake| snake.id.saturating_add(1))
            .max()
            .unwrap_or(0);
        for (walls, cells) in position.walls.iter_mut().zip(&shown.walls) {
            *walls = Board::from_cells(
                cells
                    .iter()
                    .map(|pair| parse_cell(*pair))
                    .collect::<Result<Vec<_>, _>>()?,
            );
        }
        let counts = position.imagine_snakes(&shown.snakes)?;
        position.check_cells()?;
        let seat = shown.to_move.unwrap_or(Seat::First);
        position.turn = Turn::new(counts, seat, 0);
        position.imagine_items(setup, &shown.items)?;
        let cursor = position.imagine_cursor(shown.snake)?;
        position.turn = Turn::new(counts, seat, cursor);
        Ok(position)
    }

    /// Every cell belongs to one snake or wall, and the scores count them.
    fn check_cells(&self) -> Result<(), InvalidSetup> {
        let [first, second] = &self.walls;
        let walls = *first | *second;
        if !(*first & *second).is_empty() || !(walls & self.bodies()).is_empty() {
            return Err(InvalidSetup(say!("a wall lies on a cell that is taken")));
        }
        for seat in Seat::BOTH {
            let (score, covered) = (
                u32::from(self.cells[seat.index()]),
                self.bodies[seat.index()].len() + self.walls[seat.index()].len(),
            );
            if score != covered {
                return Err(InvalidSetup(say!(
                    "the score of {seat} is {score}, but its snakes and walls cover {covered} cells"
                )));
            }
        }
        Ok(())
    }

    fn imagine_snakes(&mut self, snakes: &[ParsedSnake]) -> Result<[u8; 2], InvalidSetup> {
        (self.bodies, self.links) = ([Board::EMPTY; 2], Links::NONE);
        self.snakes = [[Snake::NONE; MAX_SNAKES]; 2];
        let mut counts = [0; 2];
        for shown in snakes {
            let snake = self.imagine_snake(shown)?;
            let count = &mut counts[shown.seat.index()];
            let place = self.snakes[shown.seat.index()].get_mut(usize::from(*count));
            *place
                .ok_or_else(|| InvalidSetup(say!("{} has more than four snakes", shown.seat)))? =
                snake;
            *count += 1;
        }
        Ok(counts)
    }

    fn imagine_snake(&mut self, shown: &ParsedSnake) -> Result<Snake, InvalidSetup> {
        let cells = shown
            .cells
            .iter()
            .map(|pair| parse_cell(*pair))
            .collect::<Result<Vec<_>, _>>()?;
        let wrong = |what: &str| InvalidSetup(say!("snake {} {what}", shown.id));
        let (Some(head), Some(tail)) = (cells.first(), cells.last()) else {
            return Err(wrong("has no cell"));
        };
        if shown.id > MOST || shown.bank > MOST {
            return Err(wrong("has a number or a bank that no leg reaches"));
        }
        for cell in &cells {
            if self.bodies().has(*cell) {
                return Err(wrong("lies on a cell that is taken"));
            }
            self.bodies[shown.seat.index()].insert(*cell);
        }
        let mut facing = 0;
        for (place, pair) in cells.windows(2).enumerate() {
            let towards = Direction::ALL
                .into_iter()
                .find(|d| d.next_from(pair[1]) == Some(pair[0]));
            let towards = towards.ok_or_else(|| wrong("has a gap"))?;
            self.links.set_direction(pair[1], towards);
            facing = if place == 0 { towards as u8 } else { facing };
        }
        let (length, ray) = (cells.len() as u16, if shown.ray { 0 } else { -1 });
        Ok(Snake {
            head: *head,
            tail: *tail,
            facing,
            length,
            bank: shown.bank,
            ray,
            id: shown.id,
        })
    }

    fn imagine_items(&mut self, setup: &Setup, items: &[ParsedItem]) -> Result<(), InvalidSetup> {
        (self.laid, self.lying) = (Board::EMPTY, 0);
        for ParsedItem { id } in items {
            let item = setup.items().get(*id);
            let lies = |time: u16| self.round.checked_sub(time).filter(|age| *age < LIFETIME);
            let found = item.and_then(|item| Some((item, lies(item.time)?)));
            let (item, age) =
                found.ok_or_else(|| InvalidSetup(say!("no item {id} lies in this round")))?;
            self.laid.insert(item.cell);
            self.lying |= 1 << age;
        }
        Ok(())
    }

    fn imagine_cursor(&self, acting: Option<u16>) -> Result<u8, InvalidSetup> {
        let Some(id) = acting else { return Ok(0) };
        let place = self
            .snakes(self.seat())
            .iter()
            .position(|snake| snake.id == id);
        let place = place
            .ok_or_else(|| InvalidSetup(say!("snake {id} is not one of {}'s", self.seat())))?;
        Ok(place as u8)
    }
}

fn parse_cell([x, y]: [u8; 2]) -> Result<Cell, InvalidSetup> {
    if x < SIDE && y < SIDE {
        return Ok(Cell::new(x, y));
    }
    Err(InvalidSetup(say!("the cell [{x}, {y}] is not on the map")))
}
