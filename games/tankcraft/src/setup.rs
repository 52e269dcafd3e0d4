//! The choices (config) and the result of all chance (setup).

use leitai_game::lang::say;
use leitai_game::{ConfigOption, ConfigOptionKind, InvalidSetup, Text};
use serde::{Deserialize, Serialize};

use crate::cell::{Cell, Grid};
use crate::generate::generate;
use crate::map::{Glyphs, TankMap, lay_bricks, stone_glyphs};

/// The distance at which a tank sees (R7.1).
pub const SIGHT: u8 = 4;
/// The distance at which both sides see from every mine (R7.1).
pub const MINE_SIGHT: u8 = 2;
/// The bounds of [`Config::rounds`] and [`Config::goal`].
pub const MAX_ROUNDS: u16 = 2000;
/// The resources of all thirteen mines in every round.
pub const MAX_GOAL: u32 = 13 * MAX_ROUNDS as u32;

/// The choices made before chance is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The source of the map: generated from the seed, built in, or given.
    pub map: MapSource,
    /// The information about enemies out of sight (R7.3).
    pub fog: Fog,
    /// The resources that end a leg, 1 to 26000 (R8.1).
    pub goal: u32,
    /// The last round of a leg, 1 to 2000 (R8.3).
    pub rounds: u16,
    /// Whether a leg ends as soon as no play can change its winner. Our own addition, for people.
    pub stop_decided: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            map: MapSource::Named(MapName::Generate),
            fog: Fog::Strict,
            goal: 1000,
            rounds: 400,
            stop_decided: false,
        }
    }
}

/// The choices that a page offers.
pub const CONFIG_CHOICES: [ConfigOption; 5] = [
    ConfigOption {
        key: "map",
        title: Text::new("Map", "地图"),
        kind: ConfigOptionKind::Word(&[
            (
                "generate",
                Text::new("generated from the seed", "由种子生成"),
            ),
            ("crossroads", Text::new("Crossroads", "十字路口")),
            ("corners", Text::new("Corners", "对角")),
            ("keep", Text::new("Keep", "要塞")),
            ("gen-7", Text::new("the generator's map 7", "生成图 7")),
            (
                "gen-2010",
                Text::new("the generator's map 2010", "生成图 2010"),
            ),
        ]),
    },
    ConfigOption {
        key: "fog",
        title: Text::new(
            "What a side learns of an enemy out of sight",
            "视野外敌方坦克的信息",
        ),
        kind: ConfigOptionKind::Word(&[
            (
                "strict",
                Text::new(
                    "its number and type only (strict)",
                    "仅编号与类型（strict）",
                ),
            ),
            (
                "sdk",
                Text::new(
                    "all but its place, as in 2010 (sdk)",
                    "除位置外全部，同 2010 年（sdk）",
                ),
            ),
        ]),
    },
    ConfigOption {
        key: "rounds",
        title: Text::new("Rounds at most", "最大回合数"),
        kind: ConfigOptionKind::Number {
            least: 1,
            most: MAX_ROUNDS as u32,
        },
    },
    ConfigOption {
        key: "goal",
        title: Text::new("Resources that win at once", "立即获胜所需资源"),
        kind: ConfigOptionKind::Number {
            least: 1,
            most: MAX_GOAL,
        },
    },
    ConfigOption {
        key: "stop_decided",
        title: Text::new(
            "End a leg when its winner is certain",
            "胜负已定时立即结束该局",
        ),
        kind: ConfigOptionKind::Switch,
    },
];

/// The source of the map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "map must be \"generate\", \"crossroads\", \"corners\", \"keep\", \"gen-7\", \"gen-2010\" or 21 lines \
                 of 21 glyphs (a list, or the text of a map file)"
)]
pub enum MapSource {
    /// Generated or built in.
    Named(MapName),
    /// Given as 21 lines of 21 glyphs (R1.2).
    Given(Vec<String>),
    /// Given as the text of a map file (R1.2), written as its lines.
    Text(MapText),
}

/// The lines of a map file without comments and empty lines. A name is never taken for a map file,
/// because it has no line end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "Vec<String>")]
pub struct MapText(Vec<String>);

impl TryFrom<String> for MapText {
    type Error = InvalidSetup;

    fn try_from(text: String) -> Result<MapText, InvalidSetup> {
        if !text.contains('\n') {
            return Err(InvalidSetup(say!("there is no map {text:?}")));
        }
        Ok(MapText(
            TankMap::lines_of(&text).map(str::to_owned).collect(),
        ))
    }
}

impl From<MapText> for Vec<String> {
    fn from(text: MapText) -> Vec<String> {
        text.0
    }
}

/// The generator, or a built-in map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MapName {
    /// From the seed, by R1.8.
    Generate,
    /// An open board, symmetric also between left and right.
    Crossroads,
    /// Bases in opposite corners, with a ridge of stone between them.
    Corners,
    /// Bases behind bricks, and a fortress in the centre.
    Keep,
    /// The generator's map of seed 7.
    #[serde(rename = "gen-7")]
    Gen7,
    /// The generator's map of seed 2010.
    #[serde(rename = "gen-2010")]
    Gen2010,
}

impl MapName {
    /// The built-in maps.
    pub const BUILT_IN: [MapName; 5] = [
        MapName::Crossroads,
        MapName::Corners,
        MapName::Keep,
        MapName::Gen7,
        MapName::Gen2010,
    ];

    fn text(self) -> Option<&'static str> {
        Some(match self {
            MapName::Generate => return None,
            MapName::Crossroads => include_str!("../maps/crossroads.txt"),
            MapName::Corners => include_str!("../maps/corners.txt"),
            MapName::Keep => include_str!("../maps/keep.txt"),
            MapName::Gen7 => include_str!("../maps/gen-7.txt"),
            MapName::Gen2010 => include_str!("../maps/gen-2010.txt"),
        })
    }
}

/// The information about an enemy that a side does not see (R7.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fog {
    /// The number and type only.
    Strict,
    /// All information except the position, as in 2010.
    Sdk,
}

/// The result of all chance: both legs of a match share it. Its JSON has the public choices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "RawSetup", into = "RawSetup")]
pub struct Setup {
    map: TankMap,
    fog: Fog,
    goal: u32,
    rounds: u16,
    stop_decided: bool,
    /// The cells within sight of a mine, which both sides see.
    lit: Grid,
    /// The cells with a mine.
    mines: Grid,
    /// The stone, as it is written.
    stone: Glyphs,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSetup {
    map: Vec<String>,
    fog: Fog,
    goal: u32,
    rounds: u16,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    stop_decided: bool,
}

impl TryFrom<RawSetup> for Setup {
    type Error = InvalidSetup;

    fn try_from(raw: RawSetup) -> Result<Setup, InvalidSetup> {
        let map = TankMap::from_lines(raw.map)?;
        let setup = Setup::new(map, raw.fog, raw.goal, raw.rounds)?;
        Ok(Setup {
            stop_decided: raw.stop_decided,
            ..setup
        })
    }
}

impl From<Setup> for RawSetup {
    fn from(setup: Setup) -> RawSetup {
        RawSetup {
            map: setup.map.to_lines(),
            fog: setup.fog,
            goal: setup.goal,
            rounds: setup.rounds,
            stop_decided: setup.stop_decided,
        }
    }
}

impl Setup {
    /// Checks a setup.
    pub fn new(map: TankMap, fog: Fog, goal: u32, rounds: u16) -> Result<Setup, InvalidSetup> {
        if !(1..=MAX_GOAL).contains(&goal) {
            return Err(InvalidSetup(say!(
                "goal is {goal}; 1 to {MAX_GOAL} are accepted"
            )));
        }
        if !(1..=MAX_ROUNDS).contains(&rounds) {
            return Err(InvalidSetup(say!(
                "rounds is {rounds}; 1 to {MAX_ROUNDS} are accepted"
            )));
        }
        let mut lit = Grid::EMPTY;
        for mine in map.mines {
            lit = lit | Grid::cells_within(mine, MINE_SIGHT);
        }
        Ok(Setup {
            map,
            fog,
            goal,
            rounds,
            stop_decided: false,
            lit,
            mines: Grid::from_cells(map.mines),
            stone: stone_glyphs(&map.stone),
        })
    }

    /// Draws the setup of a config and seed.
    pub fn deal(config: &Config, seed: u64) -> Result<Setup, InvalidSetup> {
        let map = match &config.map {
            MapSource::Given(lines) | MapSource::Text(MapText(lines)) => {
                TankMap::from_lines(lines)?
            }
            MapSource::Named(name) => name.text().map_or_else(|| generate(seed), TankMap::parse)?,
        };
        let setup = Setup::new(map, config.fog, config.goal, config.rounds)?;
        Ok(Setup {
            stop_decided: config.stop_decided,
            ..setup
        })
    }

    /// The terrain of a position as glyphs `. # 2 1`.
    pub(crate) fn terrain(&self, bricks: &[Grid; 2]) -> Glyphs {
        lay_bricks(self.stone, bricks)
    }

    /// The map at the start.
    pub fn map(&self) -> &TankMap {
        &self.map
    }

    /// The information about enemies out of sight.
    pub fn fog(&self) -> Fog {
        self.fog
    }

    /// The resources that end a leg.
    pub fn goal(&self) -> u32 {
        self.goal
    }

    /// The last round of a leg.
    pub fn rounds(&self) -> u16 {
        self.rounds
    }

    /// Whether a leg ends as soon as no play can change its winner.
    pub fn stops_decided(&self) -> bool {
        self.stop_decided
    }

    /// The number of the mine on this cell.
    #[inline]
    pub fn mine_at(&self, cell: Cell) -> Option<usize> {
        if self.mines.has(cell) {
            self.map.mine_at(cell)
        } else {
            None
        }
    }

    /// Whether both sides see this cell from a mine (R7.1).
    #[inline]
    pub fn is_lit(&self, cell: Cell) -> bool {
        self.lit.has(cell)
    }

    /// All cells that both sides see from a mine (R7.1).
    pub(crate) fn lit_cells(&self) -> Grid {
        self.lit
    }
}
