//! Draws a position as a picture, from its cells for a terminal: a new game needs nothing more. Link
//! previews are PNGs of it, `leitai replay export --to gif` writes a picture a step. Above
//! the board of a preview stand the names, the scores and the game, as far as
//! [`picture_text`](crate::http::picture_text) draws them.

use leitai_game::BySeat;
use leitai_game::Seat;
use leitai_game::render::{PaletteColor, RenderedCell, Rendering};

use crate::http::picture_font::system_font;
use crate::http::picture_text::PictureText;

/// Width and height in pixels, as link previews expect them.
pub const SIZE: (usize, usize) = (1200, 630);
/// Points a pixel is tested at, along each axis.
const SAMPLES: usize = 3;

/// Red, green and blue.
pub type Rgb = [u8; 3];

const BACKGROUND: Rgb = [0x12, 0x14, 0x19];
const BOARD: Rgb = [0x1d, 0x21, 0x29];
const GRID: Rgb = [0x26, 0x2b, 0x35];

/// The colours of the page's dark theme.
pub fn color_of(color: PaletteColor) -> Rgb {
    match color {
        PaletteColor::Yellow => [0xf2, 0xb8, 0x3b],
        PaletteColor::Blue => [0x4c, 0x9f, 0xe8],
        PaletteColor::Red => [0xe8, 0x65, 0x5c],
        PaletteColor::Green => [0x58, 0xb8, 0x7a],
        PaletteColor::Magenta => [0xc7, 0x7d, 0xd8],
        PaletteColor::Grey => [0x5a, 0x62, 0x70],
        PaletteColor::Black => [0x08, 0x09, 0x0b],
        PaletteColor::White => [0x9a, 0xa3, 0xb2],
        PaletteColor::Default => [0xd5, 0xda, 0xe3],
    }
}

/// What a cell is drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A free cell.
    Empty,
    /// A cell that is full from edge to edge.
    Block,
    /// The same in stripes.
    Stripes,
    /// A path through the cell that leaves it on these sides: 1 right, 2 up, 4 left, 8 down.
    Path(u8),
    /// A part of a body without a direction.
    Tile,
    /// A head or a piece: a disc with a mark.
    Disc,
    /// Something that stays where it is and can be owned.
    Diamond,
    /// Something that lies on the board.
    Dot,
}

/// The shape that stands for a cell.
pub fn shape_of(cell: &RenderedCell) -> Shape {
    let [left, right] = cell.text;
    let is_item = |sign: char| "+✹·*".contains(sign);
    match left {
        '#' | '▓' | '█' => Shape::Block,
        '░' | '%' => Shape::Stripes,
        '$' => Shape::Diamond,
        ' ' | '.' if " .".contains(right) => Shape::Empty,
        '·' if right == ' ' => Shape::Empty,
        _ if links_of(left) != 0 => Shape::Path(links_of(left)),
        _ if is_item(left) => Shape::Dot,
        _ if cell.strong || left.is_ascii_digit() || left.is_ascii_uppercase() => Shape::Disc,
        _ => Shape::Tile,
    }
}

/// The sides to which a box-drawing character leads.
fn links_of(sign: char) -> u8 {
    match sign {
        '─' | '═' => 5,
        '│' | '║' => 10,
        '└' | '╚' => 3,
        '┘' | '╝' => 6,
        '┌' | '╔' => 9,
        '┐' | '╗' => 12,
        _ => 0,
    }
}

/// The colour at a point of a cell, `x` and `y` from -0.5 to 0.5 with `y` downwards; `None` where
/// the board is seen.
fn color_at(cell: &RenderedCell, shape: Shape, x: f32, y: f32) -> Option<Rgb> {
    let ink = color_of(cell.ink);
    let radius = x.hypot(y);
    let is_inside = match shape {
        Shape::Empty => return (radius < 0.05).then_some(GRID),
        Shape::Block => x.abs().max(y.abs()) < 0.48,
        Shape::Stripes => x.abs().max(y.abs()) < 0.48 && (4.0 * (x + y + 2.0)) as i32 % 2 == 0,
        Shape::Path(links) => is_on_path(links, x, y),
        Shape::Tile => x.abs().max(y.abs()) < 0.42,
        Shape::Disc if radius < 0.14 => return Some(BACKGROUND),
        Shape::Disc => radius < 0.44,
        Shape::Diamond => x.abs() + y.abs() < 0.44,
        Shape::Dot => radius < 0.2,
    };
    let paper = || (cell.paper != PaletteColor::Default).then(|| mix(color_of(cell.paper), BOARD));
    match is_inside {
        // Walls are darker than what moves.
        true if cell.paper == cell.ink => paper(),
        true => Some(ink),
        false => paper().filter(|_| shape != Shape::Block),
    }
}

/// Half the width of a path.
const HALF_PATH: f32 = 0.3;

fn is_on_path(links: u8, x: f32, y: f32) -> bool {
    let is_centre = x.hypot(y) < HALF_PATH;
    let leads = |bit: u8, along: f32, across: f32| {
        links & bit != 0 && along >= 0.0 && across.abs() < HALF_PATH
    };
    is_centre || leads(1, x, y) || leads(2, -y, x) || leads(4, -x, y) || leads(8, y, x)
}

fn mix(a: Rgb, b: Rgb) -> Rgb {
    std::array::from_fn(|n| u8::midpoint(a[n], b[n]))
}

/// What stands above the board of a preview.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caption {
    /// The name at the left, of the first seat, and the one at the right. A name with a letter that
    /// neither we nor a font of this machine can draw is its seat's letter.
    pub names: BySeat<String>,
    /// Between them, as `47:31`.
    pub middle: String,
    /// Below that, small.
    pub below: String,
}

/// Pixels above the board that the caption takes.
const HEAD: usize = 104;
/// Pixels of a capital: of names and scores, and of what is small.
const CAPITALS: [f32; 2] = [30.0, 17.0];

/// The picture of a position as a PNG of [`SIZE`], with its caption.
pub fn draw_board(rendering: &Rendering, scores: BySeat<i32>, caption: &Caption) -> Vec<u8> {
    let (width, height) = (SIZE.0, SIZE.1 - HEAD);
    let mut painter = BoardPainter::for_size((width, height), rendering);
    let mut pixels = vec![BACKGROUND; width * HEAD];
    draw_caption(&mut pixels, painter.colors, caption);
    pixels.extend(painter.paint(rendering, scores));
    encode_png(&pixels)
}

/// Draws the caption into the rows above the board.
fn draw_caption(pixels: &mut [Rgb], colors: BySeat<PaletteColor>, caption: &Caption) {
    let (wide, margin) = (SIZE.0 as f32, 24.0);
    let [large, small] = CAPITALS;
    let white = color_of(PaletteColor::Default);
    let middle = PictureText::new(&caption.middle, system_font);
    let half = middle.as_ref().map_or(0.0, |text| text.width(large)) / 2.0;
    if let Some(text) = &middle {
        draw_text(pixels, text, [wide / 2.0 - half, 24.0], large, white);
    }
    if let Some(text) = PictureText::new(&caption.below, system_font) {
        let left = (wide - text.width(small)) / 2.0;
        draw_text(
            pixels,
            &text,
            [left, 72.0],
            small,
            color_of(PaletteColor::White),
        );
    }
    for seat in Seat::BOTH {
        let letter = ["A", "B"][seat.index()];
        let text = |text: &str| PictureText::new(text, system_font);
        let name = text(&caption.names[seat]).or_else(|| text(letter));
        let Some(name) = name else { continue };
        // A long name is smaller, so that it ends before the score.
        let room = wide / 2.0 - half - 2.0 * margin;
        let capital = large * (room / name.width(large)).min(1.0);
        let left = [margin, wide - margin - name.width(capital)][seat.index()];
        let top = 24.0 + (large - capital) / 2.0;
        draw_text(pixels, &name, [left, top], capital, color_of(colors[seat]));
    }
}

/// Draws a text whose capitals begin at this place.
fn draw_text(pixels: &mut [Rgb], text: &PictureText, at: [f32; 2], capital: f32, ink: Rgb) {
    let cover = text.cover(capital);
    let [left, top] = at.map(|along| along.max(0.0) as usize);
    // What rises above the picture is not drawn.
    let first = cover.above.saturating_sub(top);
    for (row, shares) in cover.shares.chunks(cover.wide).enumerate().skip(first) {
        for (column, share) in shares.iter().enumerate() {
            let place = (top + row - cover.above) * SIZE.0 + left + column;
            if let Some(pixel) = pixels.get_mut(place)
                && left + column < SIZE.0
            {
                *pixel = std::array::from_fn(|n| {
                    let (from, to) = (f32::from(pixel[n]), f32::from(ink[n]));
                    (from + (to - from) * share) as u8
                });
            }
        }
    }
}

/// Draws the positions of one leg: the board, and at its sides bars as high as the scores' shares,
/// the first seat's at the left. Cells that look the same are drawn once.
pub struct BoardPainter {
    size: (usize, usize),
    /// Pixels around the board.
    margin: usize,
    /// Width of the two bars of scores, in pixels.
    bar: usize,
    /// Width and height of a cell, in pixels.
    side: usize,
    colors: BySeat<PaletteColor>,
    known: Vec<(RenderedCell, Vec<Rgb>)>,
}

impl BoardPainter {
    /// Pictures of this width and height in pixels.
    fn for_size(size: (usize, usize), rendering: &Rendering) -> BoardPainter {
        let (columns, rows) = shape_of_board(rendering);
        let (margin, bar) = (size.1 * 4 / 105, size.1 * 2 / 35);
        let across = size.0.saturating_sub(2 * (2 * margin + bar));
        let down = size.1.saturating_sub(2 * margin);
        BoardPainter {
            size,
            margin,
            bar,
            side: (across / columns).min(down / rows).max(1),
            colors: side_colors(rendering),
            known: Vec::new(),
        }
    }

    /// Pictures whose board has at its longer side at most this many pixels, but at least four a
    /// cell. `rendering` is the start of the leg: there the side that is told of first is the first
    /// seat's.
    pub fn for_board(pixels: usize, rendering: &Rendering) -> BoardPainter {
        let (columns, rows) = shape_of_board(rendering);
        let side = (pixels / columns.max(rows)).max(4);
        let (margin, bar) = (pixels / 32, pixels / 24);
        BoardPainter {
            size: (
                columns * side + 2 * (2 * margin + bar),
                rows * side + 2 * margin,
            ),
            margin,
            bar,
            side,
            colors: side_colors(rendering),
            known: Vec::new(),
        }
    }

    /// Width and height of the pictures, in pixels.
    pub fn size(&self) -> (usize, usize) {
        self.size
    }

    /// The pixels of a position, row by row.
    pub fn paint(&mut self, rendering: &Rendering, scores: BySeat<i32>) -> Vec<Rgb> {
        let (width, height) = self.size;
        let mut pixels = vec![BACKGROUND; width * height];
        self.paint_bars(&mut pixels, scores);
        let (columns, rows) = shape_of_board(rendering);
        let corner = [
            width.saturating_sub(self.side * columns) / 2,
            height.saturating_sub(self.side * rows) / 2,
        ];
        for (row, cells) in rendering.board.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                let at = [corner[0] + column * self.side, corner[1] + row * self.side];
                self.paint_cell(&mut pixels, cell, at);
            }
        }
        pixels
    }

    fn paint_cell(&mut self, pixels: &mut [Rgb], cell: &RenderedCell, at: [usize; 2]) {
        let (width, side) = (self.size.0, self.side);
        let place = self.known.iter().position(|(known, _)| known == cell);
        let place = place.unwrap_or_else(|| {
            self.known.push((*cell, draw_cell(cell, side)));
            self.known.len() - 1
        });
        for (y, line) in self.known[place].1.chunks(side).enumerate() {
            let from = (at[1] + y) * width + at[0];
            if at[0] + side <= width
                && let Some(to) = pixels.get_mut(from..from + side)
            {
                to.copy_from_slice(line);
            }
        }
    }

    fn paint_bars(&self, pixels: &mut [Rgb], scores: BySeat<i32>) {
        let ((width, height), margin) = (self.size, self.margin);
        let points = Seat::BOTH.map(|seat| f64::from(scores[seat].max(0)));
        let sum = points[0] + points[1];
        for seat in Seat::BOTH {
            let share = if sum > 0.0 {
                points[seat.index()] / sum
            } else {
                0.5
            };
            let tall = (share * (height - 2 * margin) as f64) as usize;
            let left = [margin, width - margin - self.bar][seat.index()];
            for y in margin..height - margin {
                let is_filled = y >= height - margin - tall;
                let color = if is_filled {
                    color_of(self.colors[seat])
                } else {
                    BOARD
                };
                pixels[y * width + left..y * width + left + self.bar].fill(color);
            }
        }
    }
}

/// Columns and rows, at least one.
fn shape_of_board(rendering: &Rendering) -> (usize, usize) {
    let columns = rendering.board.iter().map(Vec::len).max();
    (columns.unwrap_or(1).max(1), rendering.board.len().max(1))
}

/// The pixels of a cell, row by row.
fn draw_cell(cell: &RenderedCell, side: usize) -> Vec<Rgb> {
    let shape = shape_of(cell);
    let count = SAMPLES * SAMPLES;
    let place = |pixel: usize, sample: usize| {
        let within = (sample as f32 + 0.5) / SAMPLES as f32;
        (pixel as f32 + within) / side as f32 - 0.5
    };
    let pixel = |index: usize| {
        let (y, x) = (index / side, index % side);
        let mut sum = [0_usize; 3];
        for sample in 0..count {
            let (px, py) = (place(x, sample % SAMPLES), place(y, sample / SAMPLES));
            let color = color_at(cell, shape, px, py).unwrap_or(BOARD);
            (0..3).for_each(|n| sum[n] += usize::from(color[n]));
        }
        sum.map(|part| (part / count) as u8)
    };
    (0..side * side).map(pixel).collect()
}

fn encode_png(pixels: &[Rgb]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, SIZE.0 as u32, SIZE.1 as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().expect("memory takes it");
    writer
        .write_image_data(pixels.as_flattened())
        .expect("the size is that of the header");
    writer.finish().expect("memory takes it");
    bytes
}

/// The colours of both sides, in which the panel tells of them; it tells of the first seat first.
pub fn side_colors(rendering: &Rendering) -> BySeat<PaletteColor> {
    use PaletteColor::{Blue, Red, Yellow};
    let inks = rendering.panel.iter().map(|line| line.ink);
    let mut sides = inks.filter(|ink| matches!(ink, Yellow | Blue | Red));
    let first = sides.next().unwrap_or(Yellow);
    let second = sides.find(|ink| *ink != first).unwrap_or(Blue);
    BySeat::from_fn(|seat: Seat| [first, second][seat.index()])
}
