//! The nearest item, and no step into a death in sight.

use leitai_game::{Bot, BotClock};

use crate::action::{Action, Direction};
use crate::board::{Board, Cell};
use crate::bots::flood;
use crate::items::{Item, LIFETIME};
use crate::position::{Position, Snake};
use crate::setup::Setup;
use crate::view::View;

/// A snake at least this long splits.
const LONG: u16 = 12;
/// A ray is worth a round if it melts so many more foreign walls than own ones.
const WORTH_A_RAY: i32 = 4;
/// How far ahead it counts room.
const HORIZON: u16 = 10;

/// Goes for the nearest item along a shortest path. Keeps no state.
pub struct Greedy;

impl Bot<Position> for Greedy {
    fn choose_action(&mut self, setup: &Setup, view: &View<'_>, _: &dyn BotClock) -> Action {
        let position = view.position;
        let snake = position.current().expect("a bot is only asked in its turn");
        let can = |action| position.check_action(action).is_ok();
        let ways: Vec<(Direction, Cell)> = open_ways(position, snake);
        if can(Action::Ray) && (ways.is_empty() || count_melted(setup, position) >= WORTH_A_RAY) {
            return Action::Ray;
        }
        if can(Action::Split) && snake.length >= LONG {
            return Action::Split;
        }
        if let [(direction, _)] = ways[..] {
            return direction.into();
        }
        let best = ways
            .into_iter()
            .min_by_key(|(_, cell)| rank_cell(setup, position, snake, *cell));
        best.map_or_else(
            || last_resort(setup, position),
            |(direction, _)| direction.into(),
        )
    }
}

/// Steps onto free cells.
fn open_ways(position: &Position, snake: &Snake) -> Vec<(Direction, Cell)> {
    let free = flood::free_cells(position);
    let steps = Direction::ALL
        .into_iter()
        .filter_map(|d| Some((d, d.next_from(snake.head)?)));
    steps.filter(|(_, cell)| free.has(*cell)).collect()
}

/// Smaller is better: not stuck, then room for the body, then the way to the nearest item, then
/// more room.
fn rank_cell(
    setup: &Setup,
    position: &Position,
    snake: &Snake,
    cell: Cell,
) -> (bool, bool, u16, i32) {
    let free = flood::free_cells(position);
    let room = flood::count_reachable(cell, free, HORIZON, u32::MAX);
    let cramped = room < u32::from(snake.length.min(HORIZON));
    let way = way_to_item(setup, position, cell, free).unwrap_or(u16::MAX);
    (room == 0, cramped, way, -(room as i32))
}

/// Moves from a cell to the item that can be had first, if it still lies there by then.
fn way_to_item(setup: &Setup, position: &Position, from: Cell, free: Board) -> Option<u16> {
    let mut lasting = position.item_cells() & free;
    let mut reached = Board::from_cells([from]);
    for moves in 0.. {
        let there = reached & lasting;
        if !there.is_empty() {
            let lasts = |item: &Item| item.time + LIFETIME > position.round() + moves;
            let mut items = position.lying_items(setup).map(|(_, item)| item);
            if items.any(|item| there.has(item.cell) && lasts(item)) {
                return Some(moves);
            }
            lasting &= !there; // It is gone, and will be however one comes.
        }
        let more = reached | (reached.with_neighbours() & free);
        if lasting.is_empty() || more == reached {
            return None;
        }
        reached = more;
    }
    None
}

/// Foreign walls minus own walls that a ray melts now.
fn count_melted(setup: &Setup, position: &Position) -> i32 {
    let seat = position.seat();
    let mut after = *position;
    after.play_action(setup, Action::Ray, &mut ());
    let lost = |side| position.walls(side).len() as i32 - after.walls(side).len() as i32;
    lost(seat.other()) - lost(seat)
}

/// No free cell beside the head: whatever legal action leaves most cells (a loop, a vacated tail, a
/// split).
fn last_resort(setup: &Setup, position: &Position) -> Action {
    let seat = position.seat();
    let cells_after = |action: &Action| {
        let mut after = *position;
        after.play_action(setup, *action, &mut ());
        after.count_cells()[seat]
    };
    let legal = Action::ALL
        .into_iter()
        .filter(|action| position.check_action(*action).is_ok());
    legal
        .max_by_key(cells_after)
        .expect("some move is always legal")
}
