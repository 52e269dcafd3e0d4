//! The knowledge of a side (R7). Fog is implemented here and nowhere else: protocols and built-in
//! bots get a [`View`], never the position.

use leitai_game::{Perspective, Seat};
use serde::{Serialize, Serializer};

use crate::cell::{Cell, Grid, SIDE};
use crate::map::{MINES, owner_code, terrain_glyphs, to_lines};
use crate::position::Position;
use crate::setup::{Fog, SIGHT, Setup};
use crate::tank::{TANKS, Tank, TankType, side_of, team_range};

/// A position without everything that the perspective does not include. As JSON:
///
/// ```json
/// {"round": 12, "you": "first", "gold": [44, 40], "kills": [1, 0],
///  "terrain": ["..#…", "…"], "owners": "RRRNNBNRNNBBB", "seen": ["....???", "…"],
///  "tanks": [{"id": 0, "type": "Striker", "cell": [5, 7], "life": 3, "noharm": 0, "revive": null},
///            {"id": 6, "type": "Sniper", "cell": null, "life": null, "noharm": null, "revive": null}]}
/// ```
///
/// `round` is 0 while the teams are chosen; then no type and no HP is known. Unknown values are
/// null; a tank that is known to be dead has life 0 and the round of its revival. The setup
/// contains stone, mines and spawns. `seen` marks with `.` the cells on which the side sees
/// enemies, with `?` the others (R7.1); null from the perspective of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct View {
    pub perspective: Perspective,
    /// The current round; 0 while the teams are chosen.
    pub round: u16,
    /// The resources of red and blue.
    pub gold: [u32; 2],
    /// The kills of red and blue.
    pub kills: [u32; 2],
    /// Stone; the border counts as stone.
    pub stone: Grid,
    /// Bricks with at least 1 HP, and those with 2, on the whole map (R7.2).
    pub bricks: [Grid; 2],
    /// Bit n: mine n belongs to red, and to blue.
    pub owners: [u16; 2],
    /// Cells that both sides see from a mine, whatever its owner.
    pub lit: Grid,
    /// All tanks by number.
    pub tanks: [SeenTank; TANKS],
}

/// The known facts of a tank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenTank {
    /// The type; `None` while the teams are chosen.
    pub kind: Option<TankType>,
    /// The cell; `None` if the tank is dead or not seen.
    pub cell: Option<Cell>,
    /// The HP; 0 if the tank is known to be dead; `None` if nothing is known of it.
    pub life: Option<u8>,
    /// The invincibility counter.
    pub noharm: Option<u8>,
    /// The round of the revival, if the tank is known to be dead.
    pub revive: Option<u16>,
}

impl View {
    /// The view of this perspective.
    pub fn new(setup: &Setup, position: &Position, perspective: Perspective) -> View {
        View::with_fog(setup, position, perspective, setup.fog())
    }

    pub(crate) fn with_fog(
        setup: &Setup,
        position: &Position,
        perspective: Perspective,
        fog: Fog,
    ) -> View {
        let known = match perspective {
            Perspective::All => u16::MAX,
            Perspective::Seat(seat) => {
                position.count_seen(setup, seat) | crate::round::set_of(seat)
            }
        };
        let sdk = fog == Fog::Sdk;
        let look = |number: usize| {
            let (tank, known) = (&position.tanks[number], known >> number & 1 != 0);
            match position.round {
                0 => SeenTank {
                    cell: known.then_some(tank.cell),
                    ..SeenTank::UNKNOWN
                },
                _ if known => SeenTank::from_tank(tank),
                _ if sdk => SeenTank {
                    cell: None,
                    ..SeenTank::from_tank(tank)
                },
                _ => SeenTank {
                    kind: Some(tank.kind),
                    ..SeenTank::UNKNOWN
                },
            }
        };
        View {
            perspective,
            round: position.round,
            gold: position.gold,
            kills: position.kills,
            stone: setup.map().stone,
            bricks: position.bricks,
            owners: position.owners,
            lit: setup.lit_cells(),
            tanks: std::array::from_fn(look),
        }
    }

    /// The seat of the perspective; `None` for the perspective of all.
    pub fn own_seat(&self) -> Option<Seat> {
        match self.perspective {
            Perspective::Seat(seat) => Some(seat),
            Perspective::All => None,
        }
    }

    /// The owner of a mine (0 to 12).
    pub fn owner(&self, mine: usize) -> Option<Seat> {
        [None, Some(Seat::First), Some(Seat::Second)][owner_code(self.owners, mine)]
    }

    /// HP of the brick on this cell: 0, 1 or 2.
    pub fn brick(&self, cell: Cell) -> u8 {
        u8::from(self.bricks[0].has(cell)) + u8::from(self.bricks[1].has(cell))
    }

    /// The terrain as 21 lines of `. # 2 1`.
    pub fn terrain_lines(&self) -> Vec<String> {
        to_lines(&terrain_glyphs(&self.stone, &self.bricks))
    }

    /// The owners of the mines as thirteen letters `R`, `B` or `N`.
    pub fn owner_letters(&self) -> String {
        (0..MINES)
            .map(|mine| ['N', 'R', 'B'][owner_code(self.owners, mine)])
            .collect()
    }

    /// The cells on which the side sees enemies (R7.1), as 21 lines of `.` and `?`; `None` for the
    /// perspective of all.
    pub fn seen_lines(&self) -> Option<Vec<String>> {
        let own = self.tanks[team_range(self.own_seat()?)]
            .iter()
            .filter_map(|tank| tank.cell);
        let seen = own.fold(self.lit, |seen, cell| {
            seen | Grid::cells_within(cell, SIGHT)
        });
        let glyph = |row, col| {
            if seen.has(Cell::new(row, col)) {
                '.'
            } else {
                '?'
            }
        };
        Some(
            (1..=SIDE)
                .map(|row| (1..=SIDE).map(|col| glyph(row, col)).collect())
                .collect(),
        )
    }

    /// The tanks of a side on a known cell: number, type, cell.
    pub fn tanks_on_map(&self, seat: Seat) -> impl Iterator<Item = (usize, TankType, Cell)> {
        let tanks = self
            .tanks
            .iter()
            .enumerate()
            .filter(move |(number, _)| side_of(*number) == seat);
        tanks.filter_map(|(number, tank)| Some((number, tank.kind?, tank.cell?)))
    }
}

impl SeenTank {
    const UNKNOWN: SeenTank = SeenTank {
        kind: None,
        cell: None,
        life: None,
        noharm: None,
        revive: None,
    };

    fn from_tank(tank: &Tank) -> SeenTank {
        if tank.is_unseen() {
            let told = tank.told > 0;
            return SeenTank {
                kind: Some(tank.kind),
                life: told.then_some(tank.told),
                noharm: told.then_some(tank.noharm),
                ..SeenTank::UNKNOWN
            };
        }
        let alive = tank.is_alive();
        SeenTank {
            kind: Some(tank.kind),
            cell: alive.then_some(tank.cell),
            life: Some(tank.life),
            noharm: Some(tank.noharm),
            revive: (!alive).then_some(tank.revive),
        }
    }
}

impl Serialize for View {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct ViewJson {
            round: u16,
            you: Option<Seat>,
            gold: [u32; 2],
            kills: [u32; 2],
            terrain: Vec<String>,
            owners: String,
            seen: Option<Vec<String>>,
            tanks: Vec<TankJson>,
        }
        #[derive(Serialize)]
        struct TankJson {
            id: usize,
            r#type: Option<TankType>,
            cell: Option<Cell>,
            life: Option<u8>,
            noharm: Option<u8>,
            revive: Option<u16>,
        }
        let tank = |(id, tank): (usize, &SeenTank)| {
            let SeenTank {
                kind,
                cell,
                life,
                noharm,
                revive,
            } = *tank;
            TankJson {
                id,
                r#type: kind,
                cell,
                life,
                noharm,
                revive,
            }
        };
        ViewJson {
            round: self.round,
            you: self.own_seat(),
            gold: self.gold,
            kills: self.kills,
            terrain: self.terrain_lines(),
            owners: self.owner_letters(),
            seen: self.seen_lines(),
            tanks: self.tanks.iter().enumerate().map(tank).collect(),
        }
        .serialize(serializer)
    }
}
