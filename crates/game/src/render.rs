//! A position drawn for a terminal: coloured cells and lines of a panel. The user interface maps
//! the colours.

use crate::seat::Perspective;
use crate::text::Text;

/// Options of a rendering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// The perspective that is drawn.
    pub perspective: Perspective,
    /// This many rounds ahead, for the known future (SnakeGo's coming items); 0 is now.
    pub ahead: u32,
}

/// A drawn position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rendering {
    /// The board, row by row from the top; every cell is [`RenderedCell::WIDTH`] columns wide.
    pub board: Vec<Vec<RenderedCell>>,
    /// Lines beside the board.
    pub panel: Vec<PanelLine>,
}

/// One cell of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderedCell {
    /// The characters differ by meaning even without colour.
    pub text: [char; 2],
    /// Colour of the characters.
    pub ink: PaletteColor,
    /// Colour behind them.
    pub paper: PaletteColor,
    /// Whether it is emphasised: a head, the mover, the last move.
    pub strong: bool,
}

impl RenderedCell {
    /// The terminal columns of a cell.
    pub const WIDTH: usize = 2;

    /// A cell without colour.
    pub const fn uncoloured(text: [char; 2]) -> RenderedCell {
        RenderedCell {
            text,
            ink: PaletteColor::Default,
            paper: PaletteColor::Default,
            strong: false,
        }
    }
}

/// A cell drawn over a board in place of another. Outside of the board it is not drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct OverlayCell {
    /// The row from the top, from 0.
    pub row: usize,
    /// The column from the left, from 0.
    pub column: usize,
    pub cell: RenderedCell,
}

/// A line of the panel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct PanelLine {
    pub text: String,
    pub ink: PaletteColor,
}

impl PanelLine {
    /// A line in the terminal's own colour.
    pub fn uncoloured(text: impl Into<String>) -> PanelLine {
        PanelLine {
            text: text.into(),
            ink: PaletteColor::Default,
        }
    }
}

/// A colour by meaning, from a palette that colour-blind people can distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum PaletteColor {
    /// The terminal's own colour.
    #[default]
    Default,
    /// SnakeGo's first player.
    Yellow,
    /// SnakeGo's second player, KOB's A, TankCraft's blue.
    Blue,
    /// KOB's B, TankCraft's red.
    Red,
    /// Things to collect.
    Green,
    /// Special things to collect.
    Magenta,
    /// Less important things.
    Grey,
    /// A strong dark background.
    Black,
    /// A strong light text.
    White,
}

/// The numbers of a board's rows and columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AxisLabels {
    /// The number of the first column and of the first row.
    pub first: u32,
    /// Whether rows are counted from the bottom up (SnakeGo) instead of from the top down.
    pub rows_up: bool,
}

impl AxisLabels {
    /// The number of the column at this place from the left.
    pub fn column_label(self, place: usize) -> u32 {
        self.first + place as u32
    }

    /// The place of `[row, column]` from the top and from the left, on a board with this many rows.
    /// The row may lie below the board.
    pub fn find_cell(self, row: i64, column: i64, rows: usize) -> Option<(usize, usize)> {
        let from_first = |number: i64| usize::try_from(number.checked_sub(self.first.into())?).ok();
        let (row, column) = (from_first(row)?, from_first(column)?);
        let row = if self.rows_up {
            rows.checked_sub(row.checked_add(1)?)?
        } else {
            row
        };
        Some((row, column))
    }

    /// The number of the row at this place from the top, on a board with this many rows.
    pub fn row_label(self, place: usize, rows: usize) -> u32 {
        self.first
            + if self.rows_up {
                rows.saturating_sub(place + 1)
            } else {
                place
            } as u32
    }
}

impl Rendering {
    /// The cell at these places from the top and from the left.
    pub fn cell_mut(&mut self, row: usize, column: usize) -> Option<&mut RenderedCell> {
        self.board.get_mut(row)?.get_mut(column)
    }

    /// Draws over the board; later cells cover earlier ones.
    pub fn draw_overlays(&mut self, marks: &[OverlayCell]) {
        for OverlayCell { row, column, cell } in marks {
            if let Some(place) = self.cell_mut(*row, *column) {
                *place = *cell;
            }
        }
    }

    /// The board as plain text, one line a row, without trailing blanks.
    pub fn plain_board(&self) -> String {
        let mut out = String::new();
        for row in &self.board {
            let line: String = row.iter().flat_map(|cell| cell.text).collect();
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

/// A key and its action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyBinding {
    /// Any of these keys.
    pub keys: &'static [Key],
    /// The action's notation.
    pub action: &'static str,
    /// The name of the action.
    pub label: Text,
}

impl KeyBinding {
    /// An action by its keys, with its notation and its name.
    pub const fn new(keys: &'static [Key], action: &'static str, label: Text) -> KeyBinding {
        KeyBinding {
            keys,
            action,
            label,
        }
    }
}

/// A key of the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A letter, digit or sign; letters in lower case.
    Char(char),
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Enter; like the next two, only for an [`action_builder`](crate::action_builder).
    Enter,
    /// Backspace.
    Backspace,
    /// Tab.
    Tab,
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Key::Char(' ') => f.write_str("space"),
            Key::Char(c) => write!(f, "{c}"),
            Key::Up => f.write_str("↑"),
            Key::Down => f.write_str("↓"),
            Key::Left => f.write_str("←"),
            Key::Right => f.write_str("→"),
            Key::Enter => f.write_str("enter"),
            Key::Backspace => f.write_str("backspace"),
            Key::Tab => f.write_str("tab"),
        }
    }
}
