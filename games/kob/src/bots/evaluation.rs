//! What a position looks like to a bot: a few numbers for each side, and from them who is likely
//! to win.

use leitai_game::Seat;

use crate::board::{Board, Cell};
use crate::position::Position;
use crate::setup::Setup;

/// Numbers of a position; each is the first seat's less the second's.
pub const FEATURES: usize = 16;

/// So many rounds ahead are looked at, at most.
pub const HORIZON: u16 = 40;

/// Rounds ahead at which the cells reached so far are counted.
const MARKS: [u16; 4] = [3, 6, 12, 24];

/// Room beyond the rounds that have passed counts up to here.
const MOST_SLACK: i32 = 12;

/// What one side can get to before the other, and for how long it can live on it.
struct Side {
    head: Board,
    reached: Board,
    cells: i32,
    /// Cells reached by each mark.
    marks: [i32; 4],
    /// Fewest cells beyond those that the rounds so far have used.
    slack: i32,
    /// The round ahead in which the cells do not suffice any longer.
    stuck: Option<u16>,
}

impl Side {
    fn new(position: &Position, seat: Seat) -> Side {
        let head = Board::from_cells([position.head(seat)]);
        Side {
            head,
            reached: head,
            cells: 0,
            marks: [0; 4],
            slack: MOST_SLACK,
            stuck: None,
        }
    }

    #[inline]
    fn next_cells(&self, open: &Board) -> Board {
        if self.stuck.is_some() {
            Board::EMPTY
        } else {
            self.reached.with_neighbours_unmasked() & *open
        }
    }

    #[inline]
    fn add_reached(&mut self, new: Board, ahead: u16) {
        if self.stuck.is_some() {
            return;
        }
        self.reached |= new;
        self.cells += new.len() as i32;
        self.slack = self.slack.min(self.cells - i32::from(ahead));
        if self.slack < 0 {
            self.stuck = Some(ahead);
        }
    }

    fn features(&self, setup: &Setup, position: &Position, seat: Seat) -> [i32; FEATURES] {
        let stuck = self.stuck.map_or(0, |ahead| i32::from(HORIZON + 1 - ahead));
        let own = self.reached & !self.head;
        let has = |cell: Cell| i32::from(self.reached.has(cell));
        [
            self.marks[0],
            self.marks[1],
            self.marks[2],
            self.marks[3],
            self.cells,
            i32::from(self.stuck.is_some()),
            stuck,
            self.slack,
            count_links(own),
            position.safe_mask(setup, seat).count_ones() as i32,
            has(position.tail(seat)),
            has(position.tail(seat.other())),
            distance_to_middle(setup, position.head(seat)),
            log_of_cells(self.cells),
            i32::from(self.slack < 3),
            parity_loss(own),
        ]
    }
}

/// The numbers of a position, as far as they can be seen within `horizon` rounds.
pub fn compute_features(setup: &Setup, position: &Position, horizon: u16) -> [i32; FEATURES] {
    let mut sides = Seat::BOTH.map(|seat| Side::new(position, seat));
    spread_sides(setup, position, &mut sides, horizon.min(HORIZON));
    let [a, b] = Seat::BOTH.map(|seat| sides[seat.index()].features(setup, position, seat));
    std::array::from_fn(|index| a[index] - b[index])
}

/// Both spread from their heads, one cell a round, over what is free by then: a cell opens in the
/// round in which the tail leaves it. A cell that both reach in the same round belongs to neither.
/// A side that has spent more rounds than it has cells is dead by then and spreads no further.
fn spread_sides(setup: &Setup, position: &Position, sides: &mut [Side; 2], horizon: u16) {
    let mut open = !(*position.bodies() | *setup.map().walls());
    let mut leaving = Seat::BOTH.map(|seat| position.cells_behind_head(seat));
    let mut mark = 0;
    for ahead in 1..=horizon {
        if !setup.growth().grows_at(position.rounds_played() + ahead) {
            leaving
                .iter_mut()
                .filter_map(Iterator::next)
                .for_each(|cell| open.insert(cell));
        }
        let [a, b] = [sides[0].next_cells(&open), sides[1].next_cells(&open)];
        open &= !(a | b);
        sides[0].add_reached(a & !b, ahead);
        sides[1].add_reached(b & !a, ahead);
        if MARKS.get(mark) == Some(&ahead) {
            sides
                .iter_mut()
                .for_each(|side| side.marks[mark] = side.cells);
            mark += 1;
        }
        if sides.iter().all(|side| side.stuck.is_some()) {
            break;
        }
    }
    for side in sides {
        for later in mark..MARKS.len() {
            side.marks[later] = side.cells;
        }
    }
}

/// Pairs of neighbours in the set: more of them make rooms, fewer make corridors.
#[inline]
fn count_links(set: Board) -> i32 {
    let [a, b, c, d] = set.0;
    let right = Board([a & a >> 1, b & b >> 1, c & c >> 1, d & d >> 1]);
    let down = Board([
        a & (a >> 16 | b << 48),
        b & (b >> 16 | c << 48),
        c & (c >> 16 | d << 48),
        d & d >> 16,
    ]);
    (right.len() + down.len()) as i32
}

/// Cells of the more frequent colour beyond those of the other: a path alternates, so they cannot
/// all be used.
#[inline]
fn parity_loss(set: Board) -> i32 {
    const EVEN: u64 = 0xaaaa_5555_aaaa_5555;
    let even: u32 = set.0.iter().map(|word| (word & EVEN).count_ones()).sum();
    (set.len() as i32 - 2 * even as i32).abs()
}

#[inline]
fn distance_to_middle(setup: &Setup, head: Cell) -> i32 {
    let along = |at: u8, side: u8| (2 * i32::from(at) - i32::from(side) + 1).abs();
    along(head.x(), setup.map().rows()) + along(head.y(), setup.map().cols())
}

/// 16 times the binary logarithm, so that the first cells count most.
#[inline]
fn log_of_cells(cells: i32) -> i32 {
    let cells = (cells + 1) as u32;
    let whole = cells.ilog2();
    // Linear between powers of two.
    (16 * whole + ((cells << 4) >> whole) - 16) as i32
}

/// How much each number counts at the start and at the end of a leg, in 1/1024 of the natural
/// logarithm of the odds to win.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// At the first round.
    pub early: [i32; FEATURES],
    /// From round [`LATE`] on.
    pub late: [i32; FEATURES],
    /// Rounds ahead that are looked at.
    pub horizon: u16,
}

/// The round from which the late weights hold.
pub const LATE: i32 = 64;

/// Fitted to the results of self-play: 5,000 legs of 300 half-moves a move, in which either side
/// now and then played some random moves that were not sure to kill.
pub const WEIGHTS: Weights = Weights {
    early: [
        18, -7, -6, 19, -79, 254, -31, -25, 35, 27, 110, 14, 1, 18, 0, -25,
    ],
    late: [
        -19, 6, 28, 10, -106, -166, -1, 13, 50, -121, 92, -180, 21, 63, 0, 26,
    ],
    horizon: HORIZON,
};

/// Counts cells alone, and heavily a side that is stuck. What a beginner counts.
pub const CELLS_ONLY: Weights = Weights {
    early: [0, 0, 0, 0, 40, -4000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    late: [0, 0, 0, 0, 40, -4000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    horizon: HORIZON,
};

/// The worth of a position to the first seat, in 1/1024 of the natural logarithm of its odds.
pub fn evaluate_position(setup: &Setup, position: &Position, weights: &Weights) -> i32 {
    let features = compute_features(setup, position, weights.horizon);
    let sum = |weights: &[i32; FEATURES]| -> i32 {
        features
            .iter()
            .zip(weights)
            .map(|(number, weight)| number * weight)
            .sum()
    };
    let late = i32::from(position.rounds_played()).min(LATE);
    (sum(&weights.early) * (LATE - late) + sum(&weights.late) * late) / LATE
}
