//! A board as a picture: each cell in the colours of the terminal's drawing.

use leitai_game::Perspective;
use leitai_game::erased::AnyLeg;
use leitai_game::render::{PaletteColor, RenderOptions, RenderedCell};
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The sizes of a cell that are drawn, in pixels.
const CELLS: std::ops::RangeInclusive<usize> = 2..=64;

/// A picture: red, green and blue, row by row from the top.
pub struct Picture {
    size: [usize; 2],
    pixels: Vec<u8>,
}

impl Picture {
    /// Draws a position as those see it who see everything. A cell has its paper and a square of its ink, larger where the cell is
    /// emphasised; only a cell with characters has one.
    pub fn draw(leg: &dyn AnyLeg, cell: usize) -> Picture {
        let look = RenderOptions {
            perspective: Perspective::All,
            ahead: 0,
        };
        let board = leg.render_position(&look).board;
        let (rows, cols) = (board.len(), board.first().map_or(0, Vec::len));
        let mut pixels = Vec::with_capacity(rows * cols * cell * cell * 3);
        for row in &board {
            for y in 0..cell {
                for drawn in row {
                    (0..cell).for_each(|x| pixels.extend(color_at(drawn, x, y, cell)));
                }
            }
        }
        Picture {
            size: [rows * cell, cols * cell],
            pixels,
        }
    }

    /// uint8 `[height, width, 3]`.
    pub fn into_array(self, py: Python<'_>) -> PyResult<Bound<'_, PyArray3<u8>>> {
        let [height, width] = self.size;
        PyArray1::from_vec(py, self.pixels).reshape([height, width, 3])
    }
}

/// Refuses a size of cells that is not drawn.
pub fn check_cell(cell: usize) -> PyResult<()> {
    if CELLS.contains(&cell) {
        return Ok(());
    }
    let (least, most) = (CELLS.start(), CELLS.end());
    Err(PyValueError::new_err(format!(
        "cell is {cell}; {least} to {most} pixels are accepted"
    )))
}

fn color_at(drawn: &RenderedCell, x: usize, y: usize, cell: usize) -> [u8; 3] {
    let margin = if drawn.strong { cell / 8 } else { cell / 4 };
    let inside = |at: usize| (margin..cell - margin).contains(&at);
    let is_empty = drawn.text.iter().all(|letter| *letter == ' ');
    match inside(x) && inside(y) && !is_empty {
        true => rgb(drawn.ink, [70, 70, 70]),
        false => rgb(drawn.paper, [245, 245, 240]),
    }
}

/// Colours that colour-blind people can distinguish.
fn rgb(color: PaletteColor, default: [u8; 3]) -> [u8; 3] {
    match color {
        PaletteColor::Default => default,
        PaletteColor::Yellow => [230, 159, 0],
        PaletteColor::Blue => [0, 114, 178],
        PaletteColor::Red => [213, 94, 0],
        PaletteColor::Green => [0, 158, 115],
        PaletteColor::Magenta => [204, 121, 167],
        PaletteColor::Grey => [153, 153, 153],
        PaletteColor::Black => [0, 0, 0],
        PaletteColor::White => [255, 255, 255],
    }
}
