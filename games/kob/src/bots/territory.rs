//! Who gets to which cell first, counting that bodies move on: a cell opens in the round in which
//! the tail leaves it.

use leitai_game::Seat;

use crate::board::Board;
use crate::position::Position;
use crate::setup::Setup;

/// So many rounds ahead are looked at.
const HORIZON: u16 = 40;

/// What one side can get to before the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideTerritory {
    /// Cells that this side reaches first.
    pub cells: u32,
    /// Whether there are too few of them to live on until the bodies around give way.
    pub stuck: bool,
}

/// The territories of the first and the second seat. A cell that both reach in the same round
/// belongs to neither.
///
/// Both spread from their heads, one cell a round, over what is free by then. A side that has spent
/// more rounds than it has cells is dead by then and spreads no further.
pub fn compute_territories(setup: &Setup, position: &Position) -> [SideTerritory; 2] {
    let mut open = !(*position.bodies() | *setup.map().walls());
    let mut leaving = Seat::BOTH.map(|seat| position.cells_behind_head(seat));
    let mut sides = Seat::BOTH.map(|seat| SideWave::new(position, seat));
    for ahead in 1..=HORIZON {
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
        if sides.iter().all(|side| side.stuck) {
            break;
        }
    }
    sides.map(|side| SideTerritory {
        cells: side.cells,
        stuck: side.stuck,
    })
}

struct SideWave {
    reached: Board,
    cells: u32,
    stuck: bool,
}

impl SideWave {
    fn new(position: &Position, seat: Seat) -> SideWave {
        SideWave {
            reached: Board::from_cells([position.head(seat)]),
            cells: 0,
            stuck: false,
        }
    }

    #[inline]
    fn next_cells(&self, open: &Board) -> Board {
        if self.stuck {
            Board::EMPTY
        } else {
            self.reached.with_neighbours_unmasked() & *open
        }
    }

    #[inline]
    fn add_reached(&mut self, new: Board, ahead: u16) {
        self.reached |= new;
        self.cells += new.len();
        self.stuck |= self.cells < u32::from(ahead);
    }
}
