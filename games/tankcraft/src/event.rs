//! Events of a step, for viewers and logs.

use leitai_game::Seat;
use serde::Serialize;

use crate::cell::Cell;
use crate::tank::TankType;

/// An event, in the order of R5. Written as `{"event": "moved", …}`; tanks and mines by number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the fields are the nouns of the rules")]
pub enum Event {
    /// A side chose its types (R2.3).
    Team { seat: Seat, types: [TankType; 5] },
    /// The order of a tank could not be read and counts as STOP (R4.2).
    Unread { tank: usize },
    /// A living tank fired; the target may be out of range or off the map (R5.1).
    Fired { tank: usize, row: i32, col: i32 },
    /// A tank was hit; all shells of the round together.
    Hit {
        tank: usize,
        damage: u8,
        left: u8,
        at: Cell,
    },
    /// A brick lost HP, by shells or by a tank; with 0 left it is open ground.
    Brick { cell: Cell, left: u8 },
    /// A tank could not move (R5.2).
    Refused { tank: usize },
    /// A tank moved to a new cell.
    Moved { tank: usize, cell: Cell },
    /// Two enemies fought; the HP left of each, and the cell that red was on or moving to (R5.4d).
    Duel {
        red: usize,
        blue: usize,
        red_left: u8,
        blue_left: u8,
        at: Cell,
    },
    /// A tank died, on the cell that it was on or moving to; with whether the other side gets a
    /// kill (R8.4).
    Died {
        tank: usize,
        cause: DeathCause,
        kill: bool,
        at: Cell,
    },
    /// A tank revived on its spawn (R6.2).
    Revived { tank: usize, cell: Cell },
    /// The revival of a tank waits because a friend will be on the spawn (R6.2b).
    Waits { tank: usize },
    /// A mine has a new owner (R5.5).
    Captured {
        mine: usize,
        seat: Seat,
        tank: usize,
        at: Cell,
    },
}

/// The cause of a tank's death.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeathCause {
    /// Shells.
    Fire,
    /// Stone, or the edge of the map.
    Stone,
    /// A brick.
    Brick,
    /// A duel.
    Duel,
}

/// Observes the events inside a step. `()` costs no time.
pub trait StepObserver {
    /// An event for viewers and logs; made only if it is used.
    fn event(&mut self, _event: impl FnOnce() -> Event) {}
}

impl StepObserver for () {}
