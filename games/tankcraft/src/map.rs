//! A map: read, checked and written (R1).
//!
//! Reading has two steps. [`Glyphs`] are 21 x 21 characters that may break every rule; [`TankMap`]
//! is their meaning, and exists only if [`find_violations`] finds nothing.

use std::fmt;

use leitai_game::InvalidSetup;

use crate::cell::{Cell, Grid, SIDE};
use crate::tank::{TANKS, TEAM};

/// The number of mines on a map (R1.4).
pub const MINES: usize = 13;

/// The 21 lines of 21 glyphs of a map file, valid or not.
pub type Glyphs = [[u8; SIDE as usize]; SIDE as usize];

/// A valid map. Mines are numbered row by row from the top left (R1.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TankMap {
    /// Stone; the border around the map counts as stone, too (R5.3a).
    pub stone: Grid,
    /// Bricks with at least 1 HP, and those with 2.
    pub bricks: [Grid; 2],
    /// The cell of each mine.
    pub mines: [Cell; MINES],
    /// Bit n: mine n belongs to red, and to blue, at the start.
    pub owners: [u16; 2],
    /// The cell where tank n starts and revives.
    pub spawns: [Cell; TANKS],
}

/// A violation of the map rules. Each displays as a sentence that names the cells.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are what the sentence names")]
pub enum Violation {
    /// R1.2
    Lines { found: usize },
    /// R1.2
    Length { line: usize, found: usize },
    /// R1.2
    Glyph { cell: Cell, glyph: char },
    /// R1.3
    Asymmetric {
        cell: Cell,
        glyph: char,
        image: char,
    },
    /// R1.4
    Mines {
        glyph: char,
        found: usize,
        needed: usize,
    },
    /// R1.5
    Spawns { glyph: char, found: usize },
    /// R1.6
    MineNearSpawn { mine: Cell, spawn: Cell },
    /// R1.6
    SpawnsClose { red: Cell, blue: Cell },
    /// R1.6
    Unreachable { mine: Cell, spawn: Cell },
    /// R1.6
    WalledIn { spawn: Cell },
}

impl TankMap {
    /// Reads a map file: lines that are empty or begin with `;` are ignored (R1.2).
    pub fn parse(text: &str) -> Result<TankMap, InvalidSetup> {
        TankMap::from_lines(TankMap::lines_of(text))
    }

    /// The lines of a map file without comments and empty lines.
    pub(crate) fn lines_of(text: &str) -> impl Iterator<Item = &str> {
        text.lines()
            .map(str::trim_end)
            .filter(|line| !line.is_empty() && !line.starts_with(';'))
    }

    /// Reads exactly 21 lines of 21 glyphs. The error lists every violation.
    pub fn from_lines<S: AsRef<str>>(
        lines: impl IntoIterator<Item = S>,
    ) -> Result<TankMap, InvalidSetup> {
        let checked = read_glyphs(lines).and_then(|glyphs| match find_violations(&glyphs) {
            wrong if wrong.is_empty() => Ok(parse_glyphs(&glyphs)),
            wrong => Err(wrong),
        });
        checked.map_err(|wrong| InvalidSetup::new(describe_violations(&wrong)))
    }

    /// The map as 21 lines (R1.2).
    pub fn to_lines(&self) -> Vec<String> {
        let mut glyphs = terrain_glyphs(&self.stone, &self.bricks);
        for (n, mine) in self.mines.iter().enumerate() {
            set_glyph(
                &mut glyphs,
                *mine,
                [b'n', b'r', b'b'][owner_code(self.owners, n)],
            );
        }
        for (n, spawn) in self.spawns.iter().enumerate() {
            set_glyph(&mut glyphs, *spawn, b'A' + n as u8);
        }
        to_lines(&glyphs)
    }

    /// The number of the mine on this cell.
    #[inline]
    pub fn mine_at(&self, cell: Cell) -> Option<usize> {
        self.mines.iter().position(|mine| *mine == cell)
    }
}

/// The owner of mine n: 0 none, 1 red, 2 blue.
#[doc(hidden)] // For tests.
pub fn owner_code(owners: [u16; 2], mine: usize) -> usize {
    usize::from(owners[0] >> mine & 1) + 2 * usize::from(owners[1] >> mine & 1)
}

/// Terrain as glyphs `. # 2 1`.
#[doc(hidden)] // For tests.
pub fn terrain_glyphs(stone: &Grid, bricks: &[Grid; 2]) -> Glyphs {
    lay_bricks(stone_glyphs(stone), bricks)
}

/// Stone as glyphs.
pub(crate) fn stone_glyphs(stone: &Grid) -> Glyphs {
    let mut glyphs = [[b'.'; SIDE as usize]; SIDE as usize];
    let inside = (*stone & Grid::MAP).cells();
    inside.for_each(|cell| set_glyph(&mut glyphs, cell, b'#'));
    glyphs
}

/// Stone and the bricks that are left. Rules of game files write it for every state.
pub(crate) fn lay_bricks(mut glyphs: Glyphs, bricks: &[Grid; 2]) -> Glyphs {
    for (row, line) in (1..).zip(&mut glyphs) {
        let [mut one, two] = [bricks[0].row(row), bricks[1].row(row)];
        while one != 0 {
            let col = one.trailing_zeros();
            line[col as usize] = b'1' + (two >> col & 1) as u8;
            one &= one - 1;
        }
    }
    glyphs
}

/// Glyphs as text, row by row.
#[doc(hidden)] // For tests.
pub fn to_lines(glyphs: &Glyphs) -> Vec<String> {
    glyphs
        .iter()
        .map(|row| row.iter().copied().map(char::from).collect())
        .collect()
}

#[doc(hidden)] // For tests.
pub fn get(glyphs: &Glyphs, cell: Cell) -> u8 {
    glyphs[usize::from(cell.row) - 1][usize::from(cell.col) - 1]
}

#[doc(hidden)] // For tests.
pub fn set_glyph(glyphs: &mut Glyphs, cell: Cell, glyph: u8) {
    glyphs[usize::from(cell.row) - 1][usize::from(cell.col) - 1] = glyph;
}

/// The lines as glyphs, if there are 21 of 21 characters each. Characters beyond ASCII become `?`,
/// which is no glyph.
pub fn read_glyphs<S: AsRef<str>>(
    lines: impl IntoIterator<Item = S>,
) -> Result<Glyphs, Vec<Violation>> {
    let mut glyphs = [[b'?'; SIDE as usize]; SIDE as usize];
    let (mut found, mut wrong) = (0, Vec::new());
    for line in lines {
        found += 1;
        let Some(row) = glyphs.get_mut(found - 1) else {
            continue;
        };
        let mut count = 0;
        for c in line.as_ref().chars() {
            if let Some(place) = row.get_mut(count) {
                *place = u8::try_from(c).ok().filter(u8::is_ascii).unwrap_or(b'?');
            }
            count += 1;
        }
        if count != row.len() {
            wrong.push(Violation::Length {
                line: found,
                found: count,
            });
        }
    }
    if found != glyphs.len() {
        wrong.insert(0, Violation::Lines { found });
    }
    if wrong.is_empty() {
        Ok(glyphs)
    } else {
        Err(wrong)
    }
}

/// Everything that is wrong with the glyphs (R1.2 to R1.6).
pub fn find_violations(glyphs: &Glyphs) -> Vec<Violation> {
    let mut wrong = Vec::new();
    unknown_glyphs(glyphs, &mut wrong);
    find_asymmetries(glyphs, &mut wrong);
    check_counts(glyphs, &mut wrong);
    check_distances(glyphs, &mut wrong);
    check_ways(glyphs, &mut wrong);
    wrong
}

fn unknown_glyphs(glyphs: &Glyphs, wrong: &mut Vec<Violation>) {
    let unknown = Cell::all().filter(|cell| mirror_glyph(get(glyphs, *cell)).is_none());
    wrong.extend(unknown.map(|cell| Violation::Glyph {
        cell,
        glyph: get(glyphs, cell).into(),
    }));
}

/// The glyph after a half turn (R1.3); `None` for an invalid glyph.
#[doc(hidden)] // For tests.
pub fn mirror_glyph(glyph: u8) -> Option<u8> {
    Some(match glyph {
        b'.' | b'#' | b'2' | b'1' | b'n' => glyph,
        b'r' => b'b',
        b'b' => b'r',
        b'A'..=b'E' => glyph + TEAM as u8,
        b'F'..=b'J' => glyph - TEAM as u8,
        _ => return None,
    })
}

fn find_asymmetries(glyphs: &Glyphs, wrong: &mut Vec<Violation>) {
    for cell in Cell::all().take_while(|cell| *cell <= cell.rotate_half_turn()) {
        let (here, there) = (get(glyphs, cell), get(glyphs, cell.rotate_half_turn()));
        if mirror_glyph(here).is_some_and(|expected| expected != there) {
            wrong.push(Violation::Asymmetric {
                cell,
                glyph: here.into(),
                image: there.into(),
            });
        }
    }
}

fn check_counts(glyphs: &Glyphs, wrong: &mut Vec<Violation>) {
    let mut counts = [0; 256];
    for glyph in glyphs.as_flattened() {
        counts[usize::from(*glyph)] += 1;
    }
    for (glyph, needed) in [(b'r', 3), (b'b', 3), (b'n', 7)] {
        let found = counts[usize::from(glyph)];
        if found != needed {
            wrong.push(Violation::Mines {
                glyph: glyph.into(),
                found,
                needed,
            });
        }
    }
    for glyph in b'A'..=b'J' {
        let found = counts[usize::from(glyph)];
        if found != 1 {
            wrong.push(Violation::Spawns {
                glyph: glyph.into(),
                found,
            });
        }
    }
}

fn all_of(glyphs: &Glyphs, is: impl Fn(u8) -> bool) -> Vec<Cell> {
    Cell::all().filter(|cell| is(get(glyphs, *cell))).collect()
}

fn is_mine(glyph: u8) -> bool {
    matches!(glyph, b'r' | b'b' | b'n')
}

/// The smallest distance between a mine and a spawn, and between spawns of different sides (R1.6).
const MINE_TO_SPAWN: u8 = 3;
const RED_TO_BLUE: u8 = 9;

fn check_distances(glyphs: &Glyphs, wrong: &mut Vec<Violation>) {
    let red = all_of(glyphs, |g| matches!(g, b'A'..=b'E'));
    let blue = all_of(glyphs, |g| matches!(g, b'F'..=b'J'));
    for mine in all_of(glyphs, is_mine) {
        let near = red
            .iter()
            .chain(&blue)
            .filter(|spawn| spawn.distance(mine) < MINE_TO_SPAWN);
        wrong.extend(near.map(|spawn| Violation::MineNearSpawn {
            mine,
            spawn: *spawn,
        }));
    }
    for red in red {
        let close = blue.iter().filter(|blue| blue.distance(red) < RED_TO_BLUE);
        wrong.extend(close.map(|blue| Violation::SpawnsClose { red, blue: *blue }));
    }
}

fn check_ways(glyphs: &Glyphs, wrong: &mut Vec<Violation>) {
    let passable = Grid::from_cells(Cell::all().filter(|cell| get(glyphs, *cell) != b'#'));
    let clear = Grid::from_cells(
        passable
            .cells()
            .filter(|cell| !matches!(get(glyphs, *cell), b'1' | b'2')),
    );
    let mines = all_of(glyphs, is_mine);
    let mut reached = Grid::EMPTY;
    for spawn in all_of(glyphs, |g| g.is_ascii_uppercase()) {
        // Whoever is reached from another spawn reaches the same cells.
        if !reached.has(spawn) {
            reached = Grid::from_cells([spawn]).flood_fill(passable);
        }
        let missed = mines.iter().filter(|mine| !reached.has(**mine));
        wrong.extend(missed.map(|mine| Violation::Unreachable { mine: *mine, spawn }));
        if (Grid::from_cells([spawn]).with_neighbours() & clear).len() < 2 {
            wrong.push(Violation::WalledIn { spawn });
        }
    }
}

/// The meaning of glyphs in which [`find_violations`] finds nothing.
pub(crate) fn parse_glyphs(glyphs: &Glyphs) -> TankMap {
    let cells = |is: fn(u8) -> bool| Grid::from_cells(all_of(glyphs, is));
    let mines = all_of(glyphs, is_mine);
    let owned = |glyph| {
        (0..)
            .zip(&mines)
            .filter(|(_, m)| get(glyphs, **m) == glyph)
            .map(|(n, _)| 1 << n)
            .sum()
    };
    let mut spawns = [Cell::NOWHERE; TANKS];
    for cell in all_of(glyphs, |g| g.is_ascii_uppercase()) {
        spawns[usize::from(get(glyphs, cell) - b'A')] = cell;
    }
    TankMap {
        stone: cells(|g| g == b'#') | !Grid::MAP,
        bricks: [cells(|g| matches!(g, b'1' | b'2')), cells(|g| g == b'2')],
        owners: [owned(b'r'), owned(b'b')],
        spawns,
        mines: mines
            .try_into()
            .expect("R1.4 was checked: there are thirteen"),
    }
}

/// The most violations in one message.
const LISTED: usize = 12;

#[doc(hidden)] // For tests.
pub fn describe_violations(wrong: &[Violation]) -> String {
    let listed: Vec<String> = wrong
        .iter()
        .take(LISTED)
        .map(Violation::to_string)
        .collect();
    let more = wrong.len().saturating_sub(LISTED);
    let more = if more > 0 {
        format!("; and {more} more")
    } else {
        String::new()
    };
    format!("the map breaks the rules: {}{more}", listed.join("; "))
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Lines { found } => write!(f, "it has {found} lines, 21 are needed (R1.2)"),
            Violation::Length { line, found } => {
                write!(f, "line {line} has {found} glyphs, 21 are needed (R1.2)")
            }
            Violation::Glyph { cell, glyph } => {
                write!(
                    f,
                    "{glyph:?} at {cell} is no glyph; use . # 2 1 r b n A-J (R1.2)"
                )
            }
            Violation::Asymmetric { cell, glyph, image } => {
                write!(
                    f,
                    "{glyph:?} at {cell} does not match {image:?} at {} (R1.3)",
                    cell.rotate_half_turn()
                )
            }
            Violation::Mines {
                glyph,
                found,
                needed,
            } => {
                write!(f, "{found} mines {glyph:?}, {needed} are needed (R1.4)")
            }
            Violation::Spawns { glyph, found } => {
                write!(f, "{found} spawns {glyph:?}, 1 is needed (R1.5)")
            }
            Violation::MineNearSpawn { mine, spawn } => {
                write!(
                    f,
                    "the mine at {mine} is nearer than {MINE_TO_SPAWN} to the spawn at {spawn} (R1.6)"
                )
            }
            Violation::SpawnsClose { red, blue } => {
                write!(
                    f,
                    "the spawns at {red} and {blue} are nearer than {RED_TO_BLUE} (R1.6)"
                )
            }
            Violation::Unreachable { mine, spawn } => {
                write!(
                    f,
                    "the mine at {mine} cannot be reached from the spawn at {spawn} (R1.6)"
                )
            }
            Violation::WalledIn { spawn } => {
                write!(
                    f,
                    "the spawn at {spawn} has no neighbour free of stone and brick (R1.6)"
                )
            }
        }
    }
}
