//! The choices (config) and the result of all chance (setup).

use leitai_game::lang::say;
use leitai_game::{BySeat, ConfigOption, ConfigOptionKind, InvalidSetup, Seat, Text};
use serde::{Deserialize, Serialize};

use crate::board::Cell;
use crate::map::{MapSpec, ObstacleMap};

/// The largest `grow_until`: rounds in which snakes always grow.
pub const MAX_GROW_UNTIL: u16 = 256;
/// The largest `grow_period`.
pub const MAX_GROW_PERIOD: u16 = 64;
/// The most free cells of a board on which heads may share a cell: the longest body that a position
/// can store.
pub const MAX_SHARED_FREE: u32 = 128;

/// The choices made before chance is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// `"standard"`: drawn from the seed as on the sites; or `rows x cols` characters `0` and `1`,
    /// possibly divided into lines.
    pub map: MapSource,
    /// Rows of the board, 3 to 16.
    pub rows: u8,
    /// Columns of the board, 3 to 16. Where there are 16, the last row or column is obstacles.
    pub cols: u8,
    /// Mirrored pairs of obstacles inside a standard map's border; two cells inside it must stay
    /// free.
    pub inner_pairs: u8,
    /// Snakes grow in every round up to this one, 0 to 256.
    pub grow_until: u16,
    /// Later, snakes grow in round s if `s % grow_period == grow_phase`; 1 to 64.
    pub grow_period: u16,
    /// See `grow_period`; smaller than it.
    pub grow_phase: u16,
    /// The start of A, `[row, column]`; by default lower left, `[rows - 2, 1]`.
    pub a: Option<[u8; 2]>,
    /// The start of B; by default upper right, `[1, cols - 2]`.
    pub b: Option<[u8; 2]>,
    /// Whether two heads may meet on one cell and live, as the sites' judges allow. By the rules
    /// both die.
    pub heads_may_share: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            map: MapSource::Standard,
            rows: 13,
            cols: 14,
            inner_pairs: 10,
            grow_until: 10,
            grow_period: 3,
            grow_phase: 1,
            a: None,
            b: None,
            heads_may_share: false,
        }
    }
}

/// The choices that a page offers.
pub const CONFIG_CHOICES: [ConfigOption; 4] = [
    ConfigOption {
        key: "inner_pairs",
        title: Text::new("Pairs of obstacles", "障碍物对数"),
        kind: ConfigOptionKind::Number { least: 0, most: 25 },
    },
    ConfigOption {
        key: "grow_until",
        title: Text::new(
            "Snakes grow every round until round",
            "每回合变长直到第几回合",
        ),
        kind: ConfigOptionKind::Number {
            least: 0,
            most: MAX_GROW_UNTIL as u32,
        },
    },
    ConfigOption {
        key: "grow_period",
        title: Text::new(
            "Then they grow once in so many rounds",
            "此后每隔几回合变长一次",
        ),
        kind: ConfigOptionKind::Number {
            least: 2,
            most: MAX_GROW_PERIOD as u32,
        },
    },
    ConfigOption {
        key: "heads_may_share",
        title: Text::new(
            "Heads may meet on one cell and live",
            "两蛇头可同处一格而不死",
        ),
        kind: ConfigOptionKind::Switch,
    },
];

/// The source of the map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "RawMap", into = "String")]
pub enum MapSource {
    /// Drawn from the seed.
    Standard,
    /// Given as text, row by row.
    Given(String),
}

const STANDARD: &str = "standard";

/// A map in the forms of people and sites.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "map must be \"standard\", the map's 182 characters 0 and 1 (13 lines of 14 will do), or a list of rows"
)]
enum RawMap {
    /// One text, possibly divided into lines.
    Text(String),
    /// A small map that begins with 1 is also a number.
    Number(u64),
    /// A list of rows.
    Rows(Vec<String>),
}

impl From<RawMap> for MapSource {
    fn from(raw: RawMap) -> MapSource {
        MapSource::from(match raw {
            RawMap::Text(text) => text,
            RawMap::Number(number) => number.to_string(),
            RawMap::Rows(rows) => rows.concat(),
        })
    }
}

impl From<String> for MapSource {
    /// Line breaks and blanks are ignored.
    fn from(text: String) -> MapSource {
        let text: String = text.split_whitespace().collect();
        if text == STANDARD {
            MapSource::Standard
        } else {
            MapSource::Given(text)
        }
    }
}

impl From<MapSource> for String {
    fn from(source: MapSource) -> String {
        match source {
            MapSource::Standard => STANDARD.to_owned(),
            MapSource::Given(text) => text,
        }
    }
}

/// The rounds in which snakes grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Snakes grow in every round up to this one.
    pub until: u16,
    /// Later, they grow once in this many rounds.
    pub period: u16,
    /// The remainder of the round's division by `period`.
    pub phase: u16,
}

impl Growth {
    /// Whether round s (from 1) grows: "s <= 10 or s % 3 == 1".
    #[inline]
    pub const fn grows_at(self, round: u16) -> bool {
        round <= self.until || round % self.period == self.phase
    }

    fn check(self) -> Result<(), InvalidSetup> {
        let Growth {
            until,
            period,
            phase,
        } = self;
        if until > MAX_GROW_UNTIL {
            return Err(InvalidSetup(say!(
                "grow_until is {until}; 0 to {MAX_GROW_UNTIL} are accepted"
            )));
        }
        if !(1..=MAX_GROW_PERIOD).contains(&period) {
            return Err(InvalidSetup(say!(
                "grow_period is {period}; 1 to {MAX_GROW_PERIOD} are accepted"
            )));
        }
        if phase >= period {
            return Err(InvalidSetup(say!(
                "grow_phase is {phase}; it must be below grow_period, which is {period}"
            )));
        }
        Ok(())
    }
}

/// The result of all chance: both legs of a match share it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawSetup", into = "RawSetup")]
pub struct Setup {
    map: ObstacleMap,
    starts: [Cell; 2],
    growth: Growth,
    heads_may_share: bool,
    rounds: u16,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSetup {
    rows: u8,
    cols: u8,
    map: String,
    a: [u8; 2],
    b: [u8; 2],
    grow_until: u16,
    grow_period: u16,
    grow_phase: u16,
    heads_may_share: bool,
}

impl TryFrom<RawSetup> for Setup {
    type Error = InvalidSetup;

    fn try_from(raw: RawSetup) -> Result<Setup, InvalidSetup> {
        let map = ObstacleMap::parse(raw.rows, raw.cols, &raw.map)?;
        let growth = Growth {
            until: raw.grow_until,
            period: raw.grow_period,
            phase: raw.grow_phase,
        };
        let starts = [
            start_cell("a", raw.a, raw.rows, raw.cols)?,
            start_cell("b", raw.b, raw.rows, raw.cols)?,
        ];
        Setup::new(map, starts, growth, raw.heads_may_share)
    }
}

impl From<Setup> for RawSetup {
    fn from(setup: Setup) -> RawSetup {
        let [a, b] = setup.starts.map(|cell| [cell.x(), cell.y()]);
        RawSetup {
            rows: setup.map.rows(),
            cols: setup.map.cols(),
            map: setup.map.text(),
            a,
            b,
            grow_until: setup.growth.until,
            grow_period: setup.growth.period,
            grow_phase: setup.growth.phase,
            heads_may_share: setup.heads_may_share,
        }
    }
}

impl Setup {
    /// Checks a setup: the starts are two free cells of the map, and a position can store the
    /// longest body.
    pub fn new(
        map: ObstacleMap,
        starts: [Cell; 2],
        growth: Growth,
        heads_may_share: bool,
    ) -> Result<Setup, InvalidSetup> {
        growth.check()?;
        if starts[0] == starts[1] {
            return Err(InvalidSetup(say!(
                "both snakes start at {}",
                show_cell(starts[0])
            )));
        }
        if let Some(cell) = starts.iter().find(|cell| map.walls().has(**cell)) {
            return Err(InvalidSetup(say!(
                "a snake starts at {}, which is an obstacle or outside",
                show_cell(*cell)
            )));
        }
        let free = map.free_cells().len();
        if heads_may_share && free > MAX_SHARED_FREE {
            return Err(InvalidSetup(say!(
                "the map has {free} free cells; with heads_may_share at most {MAX_SHARED_FREE} are accepted"
            )));
        }
        let rounds = last_round(free, growth, heads_may_share);
        Ok(Setup {
            map,
            starts,
            growth,
            heads_may_share,
            rounds,
        })
    }

    /// Draws the setup of a config; the bits of the seed, read as a signed number, are the map seed
    /// of the sites.
    pub fn deal(config: &Config, seed: u64) -> Result<Setup, InvalidSetup> {
        let (rows, cols) = (config.rows, config.cols);
        let a = config.a.unwrap_or([rows.saturating_sub(2), 1]);
        let b = config.b.unwrap_or([1, cols.saturating_sub(2)]);
        let starts = [
            start_cell("a", a, rows, cols)?,
            start_cell("b", b, rows, cols)?,
        ];
        let map = match &config.map {
            MapSource::Given(text) => ObstacleMap::parse(rows, cols, text)?,
            MapSource::Standard => ObstacleMap::draw_map(
                &MapSpec {
                    rows,
                    cols,
                    inner_pairs: config.inner_pairs,
                    starts,
                },
                seed as i64,
            )?,
        };
        let growth = Growth {
            until: config.grow_until,
            period: config.grow_period,
            phase: config.grow_phase,
        };
        Setup::new(map, starts, growth, config.heads_may_share)
    }

    /// The obstacles.
    #[inline]
    pub fn map(&self) -> &ObstacleMap {
        &self.map
    }

    /// The start cells of the snakes.
    pub fn starts(&self) -> BySeat<Cell> {
        BySeat::new(self.starts[0], self.starts[1])
    }

    /// The start cell of this snake.
    pub fn start_of(&self, seat: Seat) -> Cell {
        self.starts[seat.index()]
    }

    /// The rounds in which snakes grow.
    #[inline]
    pub fn growth(&self) -> Growth {
        self.growth
    }

    /// Whether two heads may meet on one cell and live.
    #[inline]
    pub fn heads_may_share(&self) -> bool {
        self.heads_may_share
    }

    /// The last round that a leg can have: after it the bodies would need more cells than there
    /// are.
    pub fn rounds(&self) -> u16 {
        self.rounds
    }
}

fn show_cell(cell: Cell) -> String {
    format!("[{}, {}]", cell.x(), cell.y())
}

fn start_cell(who: &str, [x, y]: [u8; 2], rows: u8, cols: u8) -> Result<Cell, InvalidSetup> {
    // Sizes are checked with the map; a start inside sizes that are too large must not count as a
    // cell, either.
    if x < rows.min(16) && y < cols.min(16) {
        return Ok(Cell::new(x, y));
    }
    Err(InvalidSetup(say!(
        "{who} starts at [{x}, {y}], outside a board of {rows} rows and {cols} cols"
    )))
}

/// The last round in which both bodies fit: they are equally long and, unless heads may share a
/// cell, disjoint.
#[doc(hidden)] // For tests.
pub fn last_round(free: u32, growth: Growth, heads_may_share: bool) -> u16 {
    // A snake has one cell at the start, so it is too long after this many growing rounds.
    let room = if heads_may_share { free } else { free / 2 };
    let growths = room.max(1);
    let Growth {
        until,
        period,
        phase,
    } = growth;
    let (until, period) = (u32::from(until), u32::from(period));
    if room == 0 || growths <= until {
        return growths as u16;
    }
    // The first round after `until` with growth; then one in `period`.
    let first = until + 1 + (u32::from(phase) + period - (until + 1) % period) % period;
    // At most 256 + 64 * 226: growth was checked, and a board has at most 225 cells.
    (first + (growths - until - 1) * period) as u16
}
