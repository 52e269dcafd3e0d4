//! The position and its transition, [`Position::play_round`].
//!
//! A position is plain data of 112 bytes beside a shared [`Setup`]; a round allocates nothing. A
//! body is not a list of cells: both snakes are equally long and move in every round, so one ring
//! stores the directions of the last 128 rounds, four bits a round. The tail finds its next cell by
//! the direction of the round in which the head passed it.
//!
//! Rules are cited from `docs/rules/kob.md`, "A round".

mod from_view;

use leitai_game::{BySeat, Fault, Seat};
use serde::{Deserialize, Serialize};

use crate::board::{Board, Cell, Direction};
use crate::setup::Setup;

/// The state of a leg before a round, or at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The cells of each snake. A head that died in a wall covers none.
    bodies: Board,
    /// The directions of round r (from 0) in four bits: A's, then B's. Zero if no body is left of
    /// that round.
    ring: [u64; 8],
    heads: [Cell; 2],
    tails: [Cell; 2],
    /// Rounds played, including the fatal one.
    played: u16,
    /// Cells of each snake.
    length: u8,
    losses: [Option<Loss>; 2],
}

/// Why a side lost, or shares a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loss {
    /// Its snake died.
    Died(DeathCause),
    /// It gave no usable answer; the round was not played.
    Failed(Fault),
}

/// The cause of a snake's death.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeathCause {
    /// Its head moved outside the grid or onto an obstacle.
    Wall,
    /// Its head moved onto its own body.
    #[serde(rename = "self")]
    Itself,
    /// Its head moved onto the other snake's body or, unless heads may share a cell, onto its head.
    Opponent,
}

impl DeathCause {
    /// The name in corpora, events and state texts.
    pub const fn name(self) -> &'static str {
        match self {
            DeathCause::Wall => "wall",
            DeathCause::Itself => "self",
            DeathCause::Opponent => "opponent",
        }
    }
}

/// An event for viewers and logs. Written as `{"event": "moved", …}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the fields are the nouns of the rules")]
pub enum Event {
    /// A head moved to this row and column, possibly outside the grid (-1) or onto an obstacle.
    Moved {
        seat: Seat,
        direction: u8,
        x: i8,
        y: i8,
    },
    /// Both tails stayed; both snakes now have this length.
    Grew { length: u8 },
    /// A snake died.
    Died { seat: Seat, cause: DeathCause },
    /// A side gave no usable answer; the round is not played.
    Failed { seat: Seat, fault: Fault },
}

impl Position {
    /// The position before round 1: "both length 1".
    pub fn start(setup: &Setup) -> Position {
        let cells = setup.starts().into_pair();
        Position {
            bodies: Board::from_cells(cells),
            ring: [0; 8],
            heads: cells,
            tails: cells,
            played: 0,
            length: 1,
            losses: [None, None],
        }
    }

    /// Plays one round: A's direction, then B's. Changes nothing once the leg is over. Always
    /// inlined: a call from another crate costs a tenth of a round.
    #[inline(always)]
    pub fn play_round(&mut self, setup: &Setup, moves: [Direction; 2]) {
        if self.is_over() {
            return;
        }
        self.played = self.played.wrapping_add(1);
        self.push_moves(moves);
        // "Each snake gets its new head; its tail cell leaves unless round s is a growing round."
        if setup.growth().grows_at(self.played) {
            self.length += 1
        } else {
            self.pull_tails()
        }
        self.heads = [
            moves[0].step_from(self.heads[0]),
            moves[1].step_from(self.heads[1]),
        ];
        // "Then both are judged on the bodies as they stand now."
        let walls = setup.map().walls();
        let [hit_a, hit_b] = self
            .heads
            .map(|head| self.bodies.has(head) | walls.has(head));
        let met = self.heads[0] == self.heads[1] && !setup.heads_may_share();
        if hit_a | hit_b | met {
            self.judge_deaths(walls, met, moves);
        } else {
            self.heads.iter().for_each(|head| self.bodies.insert(*head));
        }
    }

    /// Ends the leg by faults; the round is not played. Changes nothing without a fault or once the
    /// leg is over.
    pub fn record_faults(&mut self, faults: BySeat<Option<Fault>>) {
        if !self.is_over() {
            self.losses = faults.into_pair().map(|fault| fault.map(Loss::Failed));
        }
    }

    #[inline]
    fn push_moves(&mut self, [a, b]: [Direction; 2]) {
        let (word, shift) = history_place(self.played - 1);
        self.ring[word] |= (a as u64 | (b as u64) << 2) << shift;
    }

    #[inline]
    fn pull_tails(&mut self) {
        let (word, shift) = history_place(self.played - u16::from(self.length));
        let links = self.ring[word] >> shift;
        self.ring[word] &= !(0xf << shift);
        self.tails.iter().for_each(|tail| self.bodies.remove(*tail));
        self.tails[0] = Direction::from_bits(links).step_from(self.tails[0]);
        self.tails[1] = Direction::from_bits(links >> 2).step_from(self.tails[1]);
    }

    /// Decides which snakes die and why. `bodies` does not contain the new heads yet.
    #[cold]
    fn judge_deaths(&mut self, walls: &Board, met: bool, moves: [Direction; 2]) {
        for seat in Seat::BOTH {
            let head = self.heads[seat.index()];
            let own_body = || self.cells_behind_head(seat).any(|cell| cell == head);
            let cause = if walls.has(head) {
                Some(DeathCause::Wall)
            } else if self.bodies.has(head) {
                Some(if own_body() {
                    DeathCause::Itself
                } else {
                    DeathCause::Opponent
                })
            } else {
                met.then_some(DeathCause::Opponent)
            };
            self.losses[seat.index()] = cause.map(Loss::Died);
        }
        self.heads
            .iter()
            .filter(|head| !walls.has(**head))
            .for_each(|head| self.bodies.insert(*head));
        if self.length == 1 {
            // A snake of one cell has no link: the fatal direction is stored, so that `cells` can
            // tell where it left the grid.
            self.push_moves(moves);
        }
    }

    /// The directions from this snake's tail to its head, one fewer than its cells.
    pub fn links(&self, seat: Seat) -> impl DoubleEndedIterator<Item = Direction> + use<'_> {
        let first = self.played + 1 - u16::from(self.length);
        (first..self.played).map(move |round| self.read_link(round, seat))
    }

    #[inline]
    fn read_link(&self, round: u16, seat: Seat) -> Direction {
        let (word, shift) = history_place(round);
        Direction::from_bits(self.ring[word] >> (shift + 2 * seat.index() as u32))
    }

    /// The cells from the tail to the one behind the head; all of them are on the board.
    pub fn cells_behind_head(&self, seat: Seat) -> impl Iterator<Item = Cell> + use<'_> {
        self.links(seat)
            .scan(self.tails[seat.index()], |cell, direction| {
                let here = *cell;
                *cell = direction.step_from(here);
                Some(here)
            })
    }

    /// Visits the cells of both snakes from the tails to those behind the heads, each with the
    /// direction to the next one.
    pub(crate) fn walk_rounds(&self, mut visit: impl FnMut([Cell; 2], [Direction; 2])) {
        let mut cells = self.tails;
        for round in self.played + 1 - u16::from(self.length)..self.played {
            let (word, shift) = history_place(round);
            let links = self.ring[word] >> shift;
            let towards = [
                Direction::from_bits(links),
                Direction::from_bits(links >> 2),
            ];
            visit(cells, towards);
            cells = [
                towards[0].step_from(cells[0]),
                towards[1].step_from(cells[1]),
            ];
        }
    }

    /// The row and column of every cell from the tail to the head; a head that left the grid is
    /// outside of it.
    pub fn cells(&self, seat: Seat) -> Vec<(i8, i8)> {
        let tail = self.tails[seat.index()];
        let place = |cell: Cell| (cell.x() as i8, cell.y() as i8);
        if self.length == 1
            && self
                .losses
                .iter()
                .any(|loss| matches!(loss, Some(Loss::Died(_))))
        {
            let fatal = self.read_link(self.played - 1, seat);
            let (from, (down, right)) = (place(fatal.back().step_from(tail)), fatal.delta());
            return vec![(from.0 + down, from.1 + right)];
        }
        let mut cell = place(tail);
        let mut cells = vec![cell];
        cells.extend(self.links(seat).map(|direction| {
            let (down, right) = direction.delta();
            cell = (cell.0 + down, cell.1 + right);
            cell
        }));
        cells
    }

    /// The direction of this snake's last move.
    pub fn facing(&self, seat: Seat) -> Option<Direction> {
        self.links(seat).next_back()
    }

    /// The directions that are not certain to kill, whatever the other side does, as a bit set: bit
    /// n for direction n. The other snake's next head is unknown and so ignored. 0 once the leg is
    /// over.
    #[inline]
    pub fn safe_mask(&self, setup: &Setup, seat: Seat) -> u8 {
        if self.is_over() {
            return 0;
        }
        let mut full = self.bodies | *setup.map().walls();
        if !setup.growth().grows_at(self.played + 1) {
            self.tails.iter().for_each(|tail| full.remove(*tail));
        }
        let head = self.heads[seat.index()];
        let free = |direction: Direction| {
            u8::from(!full.has(direction.step_from(head))) << direction.number()
        };
        Direction::ALL.into_iter().map(free).sum()
    }

    /// The directions that are legal, as a bit set: all four until the leg is over.
    #[inline]
    pub fn legal_mask(&self) -> u8 {
        if self.is_over() { 0 } else { 0b1111 }
    }

    /// Returns a key for transposition tables. Positions of one setup that differ have different
    /// keys, except by accident. The key may change from version to version.
    #[inline]
    pub fn key(&self) -> u64 {
        let [a, b] = self.heads;
        let [c, d] = self.tails;
        let cells = u32::from_le_bytes([a.0, b.0, c.0, d.0]);
        let rest = u64::from(cells) << 32 | u64::from(self.played) << 1 | u64::from(self.is_over());
        let fold = |key: u64, word: &u64| {
            let mixed = (key ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ mixed >> 32
        };
        self.ring.iter().fold(fold(0, &rest), fold)
    }

    /// Whether a side or both have lost.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.losses[0].is_some() | self.losses[1].is_some()
    }

    /// Why each side lost: `None` for both while the leg goes on, set for both in a draw.
    pub fn losses(&self) -> BySeat<Option<Loss>> {
        BySeat::new(self.losses[0], self.losses[1])
    }

    /// Rounds played, including a fatal one.
    #[inline]
    pub fn rounds_played(&self) -> u16 {
        self.played
    }

    /// The round to be played, or the one that decided.
    pub fn round(&self) -> u16 {
        let collided = self
            .losses
            .iter()
            .any(|loss| matches!(loss, Some(Loss::Died(_))));
        self.played + u16::from(!collided)
    }

    /// Cells of each snake.
    #[inline]
    pub fn length(&self) -> u8 {
        self.length
    }

    /// The cell of this snake's head. Outside the grid it wraps, see [`Direction::step_from`];
    /// [`Position::cells`] does not wrap.
    #[inline]
    pub fn head(&self, seat: Seat) -> Cell {
        self.heads[seat.index()]
    }

    /// The cell of this snake's tail.
    #[inline]
    pub fn tail(&self, seat: Seat) -> Cell {
        self.tails[seat.index()]
    }

    /// Cells covered by a snake.
    #[inline]
    pub fn bodies(&self) -> &Board {
        &self.bodies
    }
}

/// The place of a round (from 0) in the ring: 16 rounds a word.
#[inline]
const fn history_place(round: u16) -> (usize, u32) {
    ((round >> 4 & 7) as usize, (round as u32 & 15) * 4)
}
