//! What a side knows (R7). Fog lives here and nowhere else: dialects and built-in bots see a [`View`], never the
//! position.

use leitai_game::{Eye, Seat};
use serde::{Serialize, Serializer};

use crate::cell::{Cell, Grid};
use crate::map::{MINES, owner, terrain, to_lines};
use crate::position::Position;
use crate::setup::{Fog, Setup};
use crate::tank::{TANKS, Tank, TankType, side};

/// A position with everything masked that the eye may not know. As JSON:
///
/// ```json
/// {"round": 12, "you": "first", "gold": [44, 40], "kills": [1, 0],
///  "terrain": ["..#…", "…"], "owners": "RRRNNBNRNNBBB",
///  "tanks": [{"id": 0, "type": "Striker", "cell": [5, 7], "life": 3, "noharm": 0, "revive": null},
///            {"id": 6, "type": "Sniper", "cell": null, "life": null, "noharm": null, "revive": null}]}
/// ```
///
/// `round` is 0 while the teams are chosen; then no type and no HP is known. What is unknown is null; a dead tank that
/// is known to be dead has life 0 and the round of its revival. Stone, mines and spawns stand in the setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// Whose eyes.
    pub eye: Eye,
    /// The round to be played; 0 while the teams are chosen.
    pub round: u16,
    /// Resources of red and blue.
    pub gold: [u32; 2],
    /// Kills of red and blue.
    pub kills: [u32; 2],
    /// Stone; the border counts as stone.
    pub stone: Grid,
    /// Bricks with at least 1 HP, and those with 2, wherever they are (R7.2).
    pub bricks: [Grid; 2],
    /// Bit n: mine n belongs to red, and to blue.
    pub owners: [u16; 2],
    /// All tanks by number.
    pub tanks: [SeenTank; TANKS],
}

/// What is known of a tank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenTank {
    /// Its type; `None` while the teams are chosen.
    pub kind: Option<TankType>,
    /// Where it stands; `None` when it is dead or not seen.
    pub cell: Option<Cell>,
    /// HP; 0 when it is known to be dead.
    pub life: Option<u8>,
    /// Its invincibility counter.
    pub noharm: Option<u8>,
    /// The round of its revival, when it is known to be dead.
    pub revive: Option<u16>,
}

impl View {
    /// What this eye sees.
    pub fn new(setup: &Setup, position: &Position, eye: Eye) -> View {
        View::with_fog(setup, position, eye, setup.fog())
    }

    pub(crate) fn with_fog(setup: &Setup, position: &Position, eye: Eye, fog: Fog) -> View {
        let known = match eye {
            Eye::All => u16::MAX,
            Eye::Seat(seat) => position.seen(setup, seat) | crate::round::set_of(seat),
        };
        let chosen = position.round > 0;
        let look = |number: usize| {
            let known = known >> number & 1 != 0;
            SeenTank::new(&position.tanks[number], chosen, known, known || (chosen && fog == Fog::Sdk))
        };
        View {
            eye,
            round: position.round,
            gold: position.gold,
            kills: position.kills,
            stone: setup.map().stone,
            bricks: position.bricks,
            owners: position.owners,
            tanks: std::array::from_fn(look),
        }
    }

    /// Whose eyes, if they are a side's.
    pub fn you(&self) -> Option<Seat> {
        match self.eye {
            Eye::Seat(seat) => Some(seat),
            Eye::All => None,
        }
    }

    /// Whom a mine (0 to 12) belongs to.
    pub fn owner(&self, mine: usize) -> Option<Seat> {
        [None, Some(Seat::First), Some(Seat::Second)][owner(self.owners, mine)]
    }

    /// HP of the brick on this cell: 0, 1 or 2.
    pub fn brick(&self, cell: Cell) -> u8 {
        u8::from(self.bricks[0].has(cell)) + u8::from(self.bricks[1].has(cell))
    }

    /// The terrain as 21 lines of `. # 2 1`.
    pub fn terrain(&self) -> Vec<String> {
        to_lines(&terrain(&self.stone, &self.bricks))
    }

    /// Thirteen letters `R`, `B` or `N`, by mine.
    pub fn owner_letters(&self) -> String {
        (0..MINES).map(|mine| ['N', 'R', 'B'][owner(self.owners, mine)]).collect()
    }

    /// The tanks of a side that stand on a known cell: number, type, cell.
    pub fn standing(&self, seat: Seat) -> impl Iterator<Item = (usize, TankType, Cell)> {
        let tanks = self.tanks.iter().enumerate().filter(move |(number, _)| side(*number) == seat);
        tanks.filter_map(|(number, tank)| Some((number, tank.kind?, tank.cell?)))
    }
}

impl SeenTank {
    fn new(tank: &Tank, chosen: bool, place: bool, rest: bool) -> SeenTank {
        let alive = tank.alive();
        SeenTank {
            kind: chosen.then_some(tank.kind),
            cell: (place && (alive || !chosen)).then_some(tank.cell),
            life: (rest && chosen).then_some(tank.life),
            noharm: (rest && chosen).then_some(tank.noharm),
            revive: (rest && chosen && !alive).then_some(tank.revive),
        }
    }
}

impl Serialize for View {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown {
            round: u16,
            you: Option<Seat>,
            gold: [u32; 2],
            kills: [u32; 2],
            terrain: Vec<String>,
            owners: String,
            tanks: Vec<ShownTank>,
        }
        #[derive(Serialize)]
        struct ShownTank {
            id: usize,
            r#type: Option<TankType>,
            cell: Option<Cell>,
            life: Option<u8>,
            noharm: Option<u8>,
            revive: Option<u16>,
        }
        let tank = |(id, tank): (usize, &SeenTank)| {
            let SeenTank { kind, cell, life, noharm, revive } = *tank;
            ShownTank { id, r#type: kind, cell, life, noharm, revive }
        };
        Shown {
            round: self.round,
            you: self.you(),
            gold: self.gold,
            kills: self.kills,
            terrain: self.terrain(),
            owners: self.owner_letters(),
            tanks: self.tanks.iter().enumerate().map(tank).collect(),
        }
        .serialize(serializer)
    }
}
