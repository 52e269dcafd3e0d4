//! The actions of a snake.

use leitai_game::board::Cell;

/// A direction on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Direction {
    /// +x
    Right = 0,
    /// +y
    Up = 1,
    /// -x
    Left = 2,
    /// -y
    Down = 3,
}

impl Direction {
    /// All directions, in the order of the protocol.
    pub const ALL: [Direction; 4] = [
        Direction::Right,
        Direction::Up,
        Direction::Left,
        Direction::Down,
    ];

    /// The next cell in this direction, unless it is off the map.
    #[inline]
    pub const fn next_from(self, cell: Cell) -> Option<Cell> {
        NEXT[self as usize][cell.0 as usize]
    }

    /// The next cell in this direction, which must be on the map (for example a neighbour that is
    /// known to be a body cell).
    #[inline]
    pub(crate) const fn step_from(self, cell: Cell) -> Cell {
        const STEP: [u8; 4] = [16, 1, 16u8.wrapping_neg(), 1u8.wrapping_neg()];
        Cell(cell.0.wrapping_add(STEP[self as usize]))
    }

    /// The opposite direction.
    #[inline]
    pub const fn back(self) -> Direction {
        Direction::from_bits(self as u8 ^ 2)
    }

    #[inline]
    pub(crate) const fn from_bits(bits: u8) -> Direction {
        // A match instead of a table: the compiler sees that it is the identity.
        match bits & 3 {
            0 => Direction::Right,
            1 => Direction::Up,
            2 => Direction::Left,
            _ => Direction::Down,
        }
    }
}

/// An action; its number is that of the official protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Action {
    /// Move to +x.
    Right = 1,
    /// Move to +y.
    Up = 2,
    /// Move to -x.
    Left = 3,
    /// Move to -y.
    Down = 4,
    /// Fire the melting ray.
    Ray = 5,
    /// Split in two.
    Split = 6,
}

impl Action {
    /// All actions, in the order of the protocol.
    pub const ALL: [Action; 6] = [
        Action::Right,
        Action::Up,
        Action::Left,
        Action::Down,
        Action::Ray,
        Action::Split,
    ];

    /// The action with this number, 1 to 6.
    pub const fn from_number(number: u8) -> Option<Action> {
        match number {
            1..=6 => Some(Action::ALL[number as usize - 1]),
            _ => None,
        }
    }

    /// The n-th action, from 0, of a bit set as that of [`Position::legal_mask`]; `None` if it has
    /// fewer.
    ///
    /// [`Position::legal_mask`]: crate::Position::legal_mask
    #[inline]
    pub const fn nth_of(mask: u8, n: usize) -> Option<Action> {
        if n < 8 {
            NTH[(mask & 127) as usize][n]
        } else {
            None
        }
    }

    /// The number, 1 to 6.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The direction of a move.
    #[inline]
    pub const fn direction(self) -> Option<Direction> {
        let number = self as u8 - 1;
        if number < 4 {
            Some(Direction::from_bits(number))
        } else {
            None
        }
    }
}

/// The next cell in every direction.
static NEXT: [[Option<Cell>; 256]; 4] = {
    // The column or row that a step in this direction would leave.
    const MASK: [u8; 4] = [0xf0, 0x0f, 0xf0, 0x0f];
    const EDGE: [u8; 4] = [0xf0, 0x0f, 0x00, 0x00];
    let mut table = [[None; 256]; 4];
    let mut at = 0;
    while at < 1024 {
        let (direction, cell) = (Direction::from_bits((at >> 8) as u8), at as u8);
        if cell & MASK[at >> 8] != EDGE[at >> 8] {
            table[at >> 8][at & 255] = Some(direction.step_from(Cell(cell)));
        }
        at += 1;
    }
    table
};

/// The actions of every bit set.
static NTH: [[Option<Action>; 8]; 128] = {
    let mut table = [[None; 8]; 128];
    let mut set = 0;
    while set < 128 {
        let (mut at, mut n) = (0, 0);
        while at < 6 {
            if set >> (at + 1) & 1 != 0 {
                table[set][n] = Some(Action::ALL[at]);
                n += 1;
            }
            at += 1;
        }
        set += 1;
    }
    table
};

impl From<Direction> for Action {
    fn from(direction: Direction) -> Action {
        Action::ALL[direction as usize]
    }
}

/// Why an action is illegal (`docs/rules/snakego.md`, "A round").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalAction {
    /// A move back onto the second body cell, which is not about to leave.
    TurnBack,
    /// A ray by a snake that holds none.
    NoRay,
    /// A ray with length 1.
    RayTooShort,
    /// A split with four own snakes.
    TooManySnakes,
    /// A split with length 1.
    SplitTooShort,
}

impl IllegalAction {
    /// The text of the official judge.
    pub const fn official(self) -> &'static str {
        match self {
            IllegalAction::TurnBack => "DON'T TURN BACK!",
            IllegalAction::NoRay => "No item!!!",
            IllegalAction::RayTooShort => "Fire length too short!!!",
            IllegalAction::TooManySnakes => "Split too much!!!",
            IllegalAction::SplitTooShort => "Split length too short!!!",
        }
    }

    /// The text of Leitai, as the end of a sentence that begins with the snake.
    pub const fn phrase(self) -> &'static str {
        match self {
            IllegalAction::TurnBack => "turned back into its own neck",
            IllegalAction::NoRay => "fired a ray it does not hold",
            IllegalAction::RayTooShort => "fired a ray with length 1 (2 is needed for a direction)",
            IllegalAction::TooManySnakes => "split although its side has four snakes",
            IllegalAction::SplitTooShort => "split with length 1 (2 is needed)",
        }
    }
}
