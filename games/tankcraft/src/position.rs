//! The position and its two transitions, [`Position::choose_teams`] and [`Position::play_round`]
//! (in [`crate::round`]).
//! A position is plain data beside a shared [`Setup`], which contains stone, the cells of the mines
//! and the spawns, because they never change; bricks are two bit planes in the position. No
//! transition allocates.

use leitai_game::{BySeat, Fault, Seat};
use serde::{Deserialize, Serialize};

use crate::cell::{Cell, Grid};
use crate::event::{Event, StepObserver};
use crate::map;
use crate::orders::TankOrder;
use crate::setup::{SIGHT, Setup};
use crate::tank::{TANKS, TEAM, Tank, TankType, team_range};

/// The state of a leg: before the teams are known, before a round, or at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Bricks with at least 1 HP, and those with 2.
    #[doc(hidden)] // For tests.
    pub bricks: [Grid; 2],
    #[doc(hidden)] // For tests.
    pub tanks: [Tank; TANKS],
    #[doc(hidden)] // For tests.
    pub gold: [u32; 2],
    #[doc(hidden)] // For tests.
    pub kills: [u32; 2],
    /// Bit n: mine n belongs to red, and to blue.
    pub(crate) owners: [u16; 2],
    /// The next round; 0 before the teams are known.
    #[doc(hidden)] // For tests.
    pub round: u16,
    #[doc(hidden)] // For tests.
    pub end: Option<GameEnd>,
}

/// How a leg ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct GameEnd {
    /// The winner; `None` is a draw.
    pub winner: Option<Seat>,
    pub cause: EndCause,
    /// The fault of each side, if it ended the leg.
    pub faults: BySeat<Option<Fault>>,
}

/// Why a leg ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndCause {
    /// A side has reached the resources of the goal (R8.1).
    Goal,
    /// The last round was played (R8.3).
    Rounds,
    /// No play could change the winner any more: [`crate::setup::Config::stop_decided`].
    Decided,
    /// A side, or both, committed a fault (R8.5).
    Forfeit,
}

impl EndCause {
    /// The name in the protocol (R9.7) and in the canonical state (R10).
    pub const fn name(self) -> &'static str {
        match self {
            EndCause::Goal => "goal",
            EndCause::Rounds => "rounds",
            EndCause::Decided => "decided",
            EndCause::Forfeit => "forfeit",
        }
    }
}

impl Position {
    /// The position before the teams are known: every tank is on its spawn, its type unknown.
    pub fn start(setup: &Setup) -> Position {
        let map = setup.map();
        let unknown = |cell| Tank {
            cell,
            ..Tank::dead_tank(TankType::Striker, 0)
        };
        Position {
            bricks: map.bricks,
            tanks: map.spawns.map(unknown),
            gold: [0; 2],
            kills: [0; 2],
            owners: map.owners,
            round: 0,
            end: None,
        }
    }

    /// Assigns the types of all tanks and begins round 1 (R2.3, R2.4). Does nothing after that.
    pub fn choose_teams(
        &mut self,
        setup: &Setup,
        teams: BySeat<[TankType; TEAM]>,
        watch: &mut impl StepObserver,
    ) {
        if self.round > 0 || self.end.is_some() {
            return;
        }
        for (seat, types) in teams.iter_pairs() {
            for (tank, kind) in team_range(seat).zip(types) {
                self.tanks[tank] = Tank::new_tank(*kind, setup.map().spawns[tank]);
            }
            watch.event(|| Event::Team {
                seat,
                types: *types,
            });
        }
        self.round = 1;
    }

    /// Ends the leg by faults (R8.5): a single fault loses; with two faults the current state
    /// decides.
    pub fn record_faults(&mut self, faults: BySeat<Option<Fault>>) {
        if self.end.is_some() {
            return;
        }
        let winner = match faults.into_pair() {
            [None, None] => return,
            [Some(_), None] => Some(Seat::Second),
            [None, Some(_)] => Some(Seat::First),
            [Some(_), Some(_)] => self.leader(),
        };
        self.end = Some(GameEnd {
            winner,
            cause: EndCause::Forfeit,
            faults,
        });
    }

    /// "More resources; else more mines owned; else more kills; else draw" (R8.2).
    pub fn leader(&self) -> Option<Seat> {
        BySeat::from_fn(|seat| (self.gold(seat), self.mines(seat), self.kills(seat))).leader()
    }

    /// The next round, from 1; 0 before the teams are known.
    pub fn round(&self) -> u16 {
        self.round
    }

    /// How the leg ended, if it has.
    pub fn end(&self) -> Option<GameEnd> {
        self.end
    }

    /// All tanks by number. Before the teams are known, their types have no meaning and they have
    /// no HP.
    pub fn tanks(&self) -> &[Tank; TANKS] {
        &self.tanks
    }

    /// The resources of a side.
    pub fn gold(&self, seat: Seat) -> u32 {
        self.gold[seat.index()]
    }

    /// The kills of a side (R8.4).
    pub fn kills(&self, seat: Seat) -> u32 {
        self.kills[seat.index()]
    }

    /// The number of mines that a side owns.
    pub fn mines(&self, seat: Seat) -> u32 {
        self.owners[seat.index()].count_ones()
    }

    /// The owner of a mine (0 to 12).
    pub fn owner(&self, mine: usize) -> Option<Seat> {
        [None, Some(Seat::First), Some(Seat::Second)][map::owner_code(self.owners, mine)]
    }

    /// HP of the brick on this cell: 0, 1 or 2.
    #[inline]
    pub fn brick(&self, cell: Cell) -> u8 {
        u8::from(self.bricks[0].has(cell)) + u8::from(self.bricks[1].has(cell))
    }

    #[inline]
    #[doc(hidden)] // For tests.
    pub fn set_brick(&mut self, cell: Cell, left: u8) {
        for (plane, grid) in (0..).zip(&mut self.bricks) {
            if left > plane {
                grid.insert(cell)
            } else {
                grid.remove(cell)
            }
        }
    }

    /// The enemies whose position a side knows, as a bit set by number (R7.1).
    #[inline]
    pub fn count_seen(&self, setup: &Setup, seat: Seat) -> u16 {
        let (rows, cols) = self.tanks_by_place(seat);
        let near = |cell: Cell| {
            let distances = rows
                .iter()
                .zip(&cols)
                .map(|(row, col)| row.abs_diff(cell.row) + col.abs_diff(cell.col));
            distances.fold(u8::MAX, u8::min) <= SIGHT
        };
        let mut seen = 0;
        for enemy in team_range(seat.other()) {
            let tank = &self.tanks[enemy];
            seen |=
                u16::from(tank.is_alive() & (setup.is_lit(tank.cell) | near(tank.cell))) << enemy;
        }
        seen
    }

    /// The rows and columns of a side's living tanks; unused places are far outside of the map,
    /// because comparing eight without a branch is faster than five with one.
    #[inline]
    fn tanks_by_place(&self, seat: Seat) -> ([u8; 8], [u8; 8]) {
        let (mut rows, mut cols) = ([100; 8], [100; 8]);
        for (place, tank) in self.tanks[team_range(seat)]
            .iter()
            .enumerate()
            .filter(|(_, tank)| tank.is_alive())
        {
            (rows[place], cols[place]) = (tank.cell.row, tank.cell.col);
        }
        (rows, cols)
    }
}

/// The orders of both sides, red's first.
pub type Orders = [TankOrder; TANKS];
