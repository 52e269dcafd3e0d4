//! The map generator (R1.8). Its draws are part of the rules: a seed gives the same map in every
//! implementation.

use leitai_game::lang::say;
use leitai_game::{InvalidSetup, Rng};

use crate::cell::{Cell, SIDE};
use crate::map::{Glyphs, TankMap, find_violations, get, mirror_glyph, parse_glyphs, set_glyph};

/// Red's spawns 0 to 4 in the three layouts: spread along the top edge, packed on it, diagonal
/// across the corner.
const LAYOUTS: [[(u8, u8); 5]; 3] = [
    [(1, 3), (1, 7), (1, 11), (1, 15), (1, 19)],
    [(1, 9), (1, 10), (1, 11), (1, 12), (1, 13)],
    [(1, 5), (2, 4), (3, 3), (4, 2), (5, 1)],
];

/// The most attempts; nearly every one succeeds, so this is only a bound.
const ATTEMPTS: usize = 10_000;
/// The most draws for one mine.
const DRAWS: usize = 200;
/// Cells of the upper half: rows 1 to 10 and the left part of row 11.
const HALF: usize = 220;

/// The map of a seed.
pub fn generate(seed: u64) -> Result<TankMap, InvalidSetup> {
    let mut rng = Rng::new(seed);
    let mut attempts = (0..ATTEMPTS).map(|_| MapDraft::draw_map(&mut rng));
    let glyphs = attempts.find(|glyphs| find_violations(glyphs).is_empty());
    glyphs
        .map(|glyphs| parse_glyphs(&glyphs))
        .ok_or_else(|| InvalidSetup(say!("seed {seed} gives no map in {ATTEMPTS} attempts")))
}

/// A map while it is drawn.
struct MapDraft {
    glyphs: Glyphs,
    red: [Cell; 5],
    spawns: Vec<Cell>,
    mines: Vec<Cell>,
}

impl MapDraft {
    fn draw_map(rng: &mut Rng) -> Glyphs {
        let mut draft = MapDraft::with_layout(rng.next_below(LAYOUTS.len()));
        b"rrrnnn"
            .iter()
            .for_each(|glyph| draft.place_mine(*glyph, rng));
        let stones = 14 + rng.next_below(11);
        let bricks = 30 + rng.next_below(21);
        (0..stones).for_each(|_| draft.place_wall(b'#', 1, rng));
        (0..bricks).for_each(|_| draft.place_wall(b'2', 0, rng));
        draft.glyphs
    }

    fn with_layout(layout: usize) -> MapDraft {
        let red = LAYOUTS[layout].map(|(row, col)| Cell::new(row, col));
        let spawns = red
            .iter()
            .flat_map(|cell| [*cell, cell.rotate_half_turn()])
            .collect();
        let glyphs = [[b'.'; SIDE as usize]; SIDE as usize];
        let mut draft = MapDraft {
            glyphs,
            red,
            spawns,
            mines: Vec::new(),
        };
        (b'A'..)
            .zip(red)
            .for_each(|(glyph, cell)| draft.put_glyph(cell, glyph));
        draft.put_glyph(CENTER, b'n');
        draft.mines.push(CENTER);
        draft
    }

    fn put_glyph(&mut self, cell: Cell, glyph: u8) {
        set_glyph(&mut self.glyphs, cell, glyph);
        set_glyph(
            &mut self.glyphs,
            cell.rotate_half_turn(),
            mirror_glyph(glyph).expect("only glyphs are put"),
        );
    }

    fn place_mine(&mut self, glyph: u8, rng: &mut Rng) {
        let drawn = (0..DRAWS)
            .map(|_| draw_cell(rng))
            .find(|cell| self.takes_mine(*cell, glyph));
        // A mine without a free place makes the map invalid (R1.4), and the attempt is repeated.
        if let Some(cell) = drawn {
            self.put_glyph(cell, glyph);
            self.mines.extend([cell, cell.rotate_half_turn()]);
        }
    }

    fn takes_mine(&self, cell: Cell, glyph: u8) -> bool {
        let apart = |from: &[Cell], least| {
            from.iter().all(|other| {
                other.distance(cell) >= least && other.distance(cell.rotate_half_turn()) >= least
            })
        };
        let home = self
            .red
            .iter()
            .map(|spawn| spawn.distance(cell))
            .min()
            .unwrap_or(0);
        let reach = if glyph == b'r' { home <= 7 } else { home >= 6 };
        apart(&self.mines, 4)
            && cell.distance(cell.rotate_half_turn()) >= 4
            && apart(&self.spawns, 3)
            && reach
    }

    fn place_wall(&mut self, glyph: u8, from_mines: u8, rng: &mut Rng) {
        let cell = draw_cell(rng);
        let within = |of: &[Cell], most| of.iter().any(|other| other.distance(cell) <= most);
        let taken = get(&self.glyphs, cell) != b'.';
        if !(taken || within(&self.spawns, 1) || within(&self.mines, from_mines)) {
            self.put_glyph(cell, glyph);
        }
    }
}

const CENTER: Cell = Cell::new(11, 11);

fn draw_cell(rng: &mut Rng) -> Cell {
    let n = rng.next_below(HALF) as u8;
    Cell::new(n / SIDE + 1, n % SIDE + 1)
}
