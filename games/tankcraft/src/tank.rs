//! Types of tanks, and a tank (R2).

use leitai_game::Seat;
use serde::{Deserialize, Serialize};

use crate::cell::Cell;

/// The number of tanks of one side.
pub const TEAM: usize = 5;
/// The number of tanks of both sides: red has numbers 0 to 4, blue 5 to 9 (R2.2).
pub const TANKS: usize = 2 * TEAM;

/// The three types of R2.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum TankType {
    /// Strong attack.
    Striker,
    /// High HP.
    Pioneer,
    /// Long range.
    Sniper,
}

impl TankType {
    /// All types, in the order of the SDK.
    pub const ALL: [TankType; 3] = [TankType::Striker, TankType::Pioneer, TankType::Sniper];

    /// The HP that a shell takes.
    #[inline]
    pub const fn attack(self) -> u8 {
        [2, 1, 1][self as usize]
    }

    /// Full HP.
    #[inline]
    pub const fn life(self) -> u8 {
        [3, 9, 2][self as usize]
    }

    /// The greatest distance of a shot (R3.1).
    #[inline]
    pub const fn range(self) -> u8 {
        [3, 1, 5][self as usize]
    }

    /// The name in the protocol.
    pub const fn name(self) -> &'static str {
        ["Striker", "Pioneer", "Sniper"][self as usize]
    }

    /// The type with exactly this name.
    pub fn from_name(name: &[u8]) -> Option<TankType> {
        TankType::ALL
            .into_iter()
            .find(|kind| kind.name().as_bytes() == name)
    }
}

/// A tank, dead, alive, or out of a side's knowledge (in a position made from a view).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tank {
    /// The type; undefined before the teams are known.
    pub kind: TankType,
    /// The cell; undefined for a dead tank.
    pub cell: Cell,
    /// The HP left; 0 for a dead tank and before the teams are known.
    pub life: u8,
    /// The invincibility counter (R6.4).
    pub noharm: u8,
    /// The round in which it revives; 0 for a living tank.
    pub revive: u16,
    /// The HP that a side is told of a tank whose cell it does not know, see
    /// `Tank::unseen_tank`; else 0.
    #[serde(default)]
    pub told: u8,
}

/// The round of revival of a tank that is left out: later than any round.
const NEVER: u16 = u16::MAX;

impl Tank {
    /// Whether it is on the map.
    #[inline]
    pub const fn is_alive(&self) -> bool {
        self.life > 0
    }

    #[doc(hidden)] // For tests.
    pub fn new_tank(kind: TankType, cell: Cell) -> Tank {
        Tank {
            kind,
            cell,
            life: kind.life(),
            noharm: 0,
            revive: 0,
            told: 0,
        }
    }

    #[doc(hidden)] // For tests.
    pub fn dead_tank(kind: TankType, revive: u16) -> Tank {
        Tank {
            kind,
            cell: Cell::NOWHERE,
            life: 0,
            noharm: 0,
            revive,
            told: 0,
        }
    }

    /// A tank whose cell is not known. The rules treat it as one that is dead and does not revive:
    /// it is nowhere, so it neither acts nor can be hit. Views repeat what was told of it.
    pub(crate) fn unseen_tank(kind: TankType, life: Option<u8>, noharm: Option<u8>) -> Tank {
        Tank {
            noharm: noharm.unwrap_or(0),
            told: life.unwrap_or(0),
            ..Tank::dead_tank(kind, NEVER)
        }
    }

    /// Whether its cell is not known, see `Tank::unseen_tank`.
    #[inline]
    pub const fn is_unseen(&self) -> bool {
        !self.is_alive() && self.revive == NEVER
    }
}

/// The side of the tank with this number.
#[inline]
pub const fn side_of(tank: usize) -> Seat {
    if tank < TEAM {
        Seat::First
    } else {
        Seat::Second
    }
}

/// The numbers of a side's tanks.
#[inline]
pub const fn team_range(seat: Seat) -> std::ops::Range<usize> {
    match seat {
        Seat::First => 0..TEAM,
        Seat::Second => TEAM..TANKS,
    }
}
