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
const WORTH_A_RAY: u32 = 4;
/// How far ahead it counts room.
const HORIZON: u16 = 10;

/// Goes for the nearest item along a shortest path. Keeps no state.
pub struct Greedy;

impl Bot<Position> for Greedy {
    fn choose_action(&mut self, setup: &Setup, view: &View<'_>, _: &dyn BotClock) -> Action {
        let position = view.position;
        let snake = position.current().expect("a bot is only asked in its turn");
        let can = |action| position.check_action(action).is_ok();
        let free = flood::free_cells(position);
        let ways = Board::from_cells([snake.head]).with_neighbours() & free;
        if can(Action::Ray) && (ways.is_empty() || is_worth_a_ray(position)) {
            return Action::Ray;
        }
        if snake.length >= LONG && can(Action::Split) {
            return Action::Split;
        }
        if ways.is_empty() {
            return last_resort(setup, position);
        }
        let best = only_cell(ways)
            .or_else(|| plainly_best(setup, position, ways))
            .unwrap_or_else(|| best_ranked(setup, position, ways));
        let leads = |way: &Direction| way.next_from(snake.head) == Some(best);
        let way = Direction::ALL.into_iter().find(leads);
        way.expect("the ways are beside the head").into()
    }
}

/// The only one.
fn only_cell(cells: Board) -> Option<Cell> {
    cells.cells().next().filter(|_| cells.len() == 1)
}

/// These cells around the head in the order of directions.
fn in_order(snake: &Snake, ways: Board) -> impl Iterator<Item = Cell> {
    let steps = Direction::ALL.map(|way| way.next_from(snake.head));
    let steps = steps.into_iter().flatten();
    steps.filter(move |cell| ways.has(*cell))
}

/// The room that a snake needs.
fn room_needed(snake: &Snake) -> u32 {
    snake.length.min(HORIZON).into()
}

/// The first of the best ways, see [`rank_cell`], which looks at every way alone.
#[doc(hidden)] // For tests.
pub fn best_ranked(setup: &Setup, position: &Position, ways: Board) -> Cell {
    let snake = position.acting();
    let best = in_order(snake, ways).min_by_key(|cell| rank_cell(setup, position, snake, *cell));
    best.expect("there is a way")
}

/// [`best_ranked`] where one search from all items tells it: a way with room that is nearer to an item than the others is
/// better than they are, whatever room they have.
#[doc(hidden)] // For tests.
pub fn plainly_best(setup: &Setup, position: &Position, ways: Board) -> Option<Cell> {
    let (free, snake) = (flood::free_cells(position), position.acting());
    let nearest = nearest_to_items(setup, position, ways, free);
    let needed = room_needed(snake);
    if let Some(cell) = only_cell(nearest) {
        let room = flood::count_reachable(cell, free, HORIZON, needed);
        return (room == needed).then_some(cell);
    }
    let (mut cells, mut count) = ([Cell(0); 4], 0);
    for cell in in_order(snake, nearest) {
        (cells[count], count) = (cell, count + 1);
    }
    let rooms = flood::count_rooms(cells, free, HORIZON);
    let better = |best: usize, next: usize| {
        if rooms[next] > rooms[best] {
            next
        } else {
            best
        }
    };
    let best = (0..count).reduce(better)?;
    (rooms[best] >= needed).then_some(cells[best])
}

/// Those of the ways with the fewest moves to an item, see [`way_to_item`]; all of them if none leads to one.
fn nearest_to_items(setup: &Setup, position: &Position, ways: Board, free: Board) -> Board {
    let head = position.acting().head;
    let (mut ages, mut cells) = (0u16, [head; LIFETIME as usize]);
    for age in bits_of(position.lying_ages()) {
        let item = setup.item_appearing(position.round() - age);
        // A way needs a move less than the head, and an item lies there for `LIFETIME - age` rounds.
        let near = |cell: Cell| moves_at_least(head, cell) <= LIFETIME - age;
        let there = item.map(|(_, item)| item.cell);
        if let Some(cell) = there.filter(|cell| free.has(*cell) && near(*cell)) {
            ages |= 1 << age;
            cells[usize::from(age)] = cell;
        }
    }
    while ages != 0 {
        let oldest = ages.ilog2() as u16;
        let items = Board::from_cells(bits_of(ages).map(|age| cells[usize::from(age)]));
        match flood::find_first(items, ways, free, LIFETIME - oldest) {
            flood::Found::There(nearest) => return nearest,
            flood::Found::Never => return ways,
            flood::Found::NotYet => {}
        }
        // The oldest one is gone by then: the others without it, from the beginning.
        ages ^= 1 << oldest;
    }
    ways
}

/// The numbers of the bits that are set.
fn bits_of(mut bits: u16) -> impl Iterator<Item = u16> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros() as u16;
        bits &= bits.wrapping_sub(1);
        (bit < LIFETIME).then_some(bit)
    })
}

/// The moves between two cells of an empty map.
fn moves_at_least(one: Cell, other: Cell) -> u16 {
    (one.x().abs_diff(other.x()) + one.y().abs_diff(other.y())).into()
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
    let cramped = room < room_needed(snake);
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

/// Whether a ray melts enough more foreign walls than own ones now.
fn is_worth_a_ray(position: &Position) -> bool {
    let [own, foreign] =
        [position.seat(), position.seat().other()].map(|side| position.walls(side));
    let least = |foreign: Board, own: Board| foreign.len() >= own.len() + WORTH_A_RAY;
    least(foreign, Board::EMPTY) && {
        let line = position.ray_line();
        least(foreign & line, own & line)
    }
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
