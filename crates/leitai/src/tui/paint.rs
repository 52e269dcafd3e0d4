//! Draws renderings with the terminal's colours. Things that differ in colour also differ in
//! characters, so that no information is lost without colour.

use leitai_game::render::{AxisLabels, PaletteColor, RenderedCell, Rendering};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use crate::lang::Localizer;

/// Columns to the left of the board for the numbers of its rows.
pub const MARGIN: usize = 3;

/// The colours of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Palette {
    /// No colours, or the user wants none.
    Plain,
    /// The 16 standard colours.
    Sixteen,
    /// 256 colours, with tones that colour-blind people can distinguish (after Okabe and Ito).
    Many,
}

impl Palette {
    /// Determines the palette from `NO_COLOR`, `TERM` and `COLORTERM`.
    pub fn from_environment() -> Palette {
        let var = |name| std::env::var(name).unwrap_or_default();
        Palette::detect_palette(&var("NO_COLOR"), &var("TERM"), &var("COLORTERM"))
    }

    fn detect_palette(no_color: &str, term: &str, color_term: &str) -> Palette {
        match (no_color, term) {
            ("", "dumb") => Palette::Plain,
            ("", term) if term.contains("256") || !color_term.is_empty() => Palette::Many,
            ("", _) => Palette::Sixteen,
            _ => Palette::Plain,
        }
    }

    fn terminal_color(self, ink: PaletteColor) -> Option<Color> {
        let (sixteen, many) = match ink {
            PaletteColor::Default => return None,
            PaletteColor::Yellow => (Color::Yellow, 220),
            PaletteColor::Blue => (Color::LightBlue, 39),
            PaletteColor::Red => (Color::LightRed, 202),
            PaletteColor::Green => (Color::Green, 43),
            PaletteColor::Magenta => (Color::Magenta, 175),
            PaletteColor::Grey => (Color::DarkGray, 244),
            PaletteColor::Black => (Color::Black, 233),
            PaletteColor::White => (Color::White, 255),
        };
        match self {
            Palette::Plain => None,
            Palette::Sixteen => Some(sixteen),
            Palette::Many => Some(Color::Indexed(many)),
        }
    }

    /// The style of text in this colour.
    pub fn color_style(self, ink: PaletteColor) -> Style {
        Style {
            fg: self.terminal_color(ink),
            ..Style::default()
        }
    }

    /// The style of secondary text.
    pub fn faint_style(self) -> Style {
        match self {
            Palette::Plain => Style::default().add_modifier(Modifier::DIM),
            _ => self.color_style(PaletteColor::Grey),
        }
    }

    fn cell_style(self, cell: &RenderedCell) -> Style {
        let style = Style {
            fg: self.terminal_color(cell.ink),
            bg: self.terminal_color(cell.paper),
            ..Style::default()
        };
        if cell.strong {
            style.add_modifier(Modifier::BOLD | Modifier::REVERSED)
        } else {
            style
        }
    }
}

/// The board with row numbers to the left and column numbers below.
pub fn draw_board(rendering: &Rendering, axes: AxisLabels, palette: Palette) -> Vec<Line<'static>> {
    let rows = rendering.board.len();
    let columns = rendering.board.iter().map(Vec::len).max().unwrap_or(0);
    let mut lines: Vec<Line<'static>> = Vec::with_capacity(rows + 1);
    for (place, row) in rendering.board.iter().enumerate() {
        let number = Span::styled(
            format!("{:>2} ", axes.row_label(place, rows)),
            palette.faint_style(),
        );
        let cells = row.iter().map(|cell| {
            Span::styled(
                cell.text.iter().collect::<String>(),
                palette.cell_style(cell),
            )
        });
        lines.push(std::iter::once(number).chain(cells).collect());
    }
    // Numbers of two digits would touch: every other one is left out.
    let number = |number: u32| {
        if number < 10 || number.is_multiple_of(2) {
            number.to_string()
        } else {
            String::new()
        }
    };
    let numbers: String = (0..columns)
        .map(|place| format!("{:<2}", number(axes.column_label(place) % 100)))
        .collect();
    lines.push(Line::styled(
        format!("{}{numbers}", " ".repeat(MARGIN)),
        palette.faint_style(),
    ));
    lines
}

/// The panel.
pub fn draw_panel(lang: Localizer, rendering: &Rendering, palette: Palette) -> Vec<Line<'static>> {
    rendering
        .panel
        .iter()
        .map(|line| Line::styled(lang.say(&line.text), palette.color_style(line.ink)))
        .collect()
}

/// Board and panel side by side without styles, for output that is not a terminal.
pub fn plain_text(lang: Localizer, rendering: &Rendering, axes: AxisLabels) -> String {
    let (board, panel) = (
        draw_board(rendering, axes, Palette::Plain),
        draw_panel(lang, rendering, Palette::Plain),
    );
    let wide = board.iter().map(Line::width).max().unwrap_or(0);
    let rows = (0..board.len().max(panel.len())).map(|row| {
        let left = board.get(row).cloned().unwrap_or_default();
        let gap = " ".repeat(wide - left.width() + 2);
        let right = panel.get(row).map(Line::to_string).unwrap_or_default();
        format!("{}\n", format!("{left}{gap}{right}").trim_end())
    });
    rows.collect()
}

/// A heading inside a column.
pub fn heading_line(text: &str) -> Line<'static> {
    Line::styled(text.to_owned(), Modifier::BOLD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_those_the_terminal_has_and_the_user_wants() {
        let check = |no_color: &str, term: &str, color_term: &str, expected: Palette| {
            assert_eq!(
                Palette::detect_palette(no_color, term, color_term),
                expected,
                "{no_color} {term} {color_term}"
            );
        };
        check("", "xterm-256color", "", Palette::Many);
        check("", "xterm", "truecolor", Palette::Many);
        check("", "linux", "", Palette::Sixteen);
        check("", "dumb", "", Palette::Plain);
        check("1", "xterm-256color", "truecolor", Palette::Plain);
    }

    #[test]
    fn no_two_inks_share_a_colour() {
        let inks = [
            PaletteColor::Yellow,
            PaletteColor::Blue,
            PaletteColor::Red,
            PaletteColor::Green,
            PaletteColor::Magenta,
            PaletteColor::Grey,
            PaletteColor::Black,
            PaletteColor::White,
        ];
        for palette in [Palette::Sixteen, Palette::Many] {
            for (index, ink) in inks.iter().enumerate() {
                assert!(
                    inks[..index].iter().all(|other| palette.terminal_color(*other) != palette.terminal_color(*ink)),
                    "{ink:?}"
                );
            }
        }
        assert!(
            inks.iter()
                .all(|ink| Palette::Plain.terminal_color(*ink).is_none())
        );
    }

    #[test]
    fn rows_and_columns_are_numbered_as_the_game_says() {
        let rendering = Rendering {
            board: vec![vec![RenderedCell::uncoloured(['.', ' ']); 3]; 2],
            panel: Vec::new(),
        };
        let check = |axes: AxisLabels, expected: &str| {
            assert_eq!(
                plain_text(crate::lang::english(), &rendering, axes),
                expected
            )
        };
        check(AxisLabels::default(), " 0 . . .\n 1 . . .\n   0 1 2\n");
        check(
            AxisLabels {
                first: 0,
                rows_up: true,
            },
            " 1 . . .\n 0 . . .\n   0 1 2\n",
        );
        check(
            AxisLabels {
                first: 1,
                rows_up: false,
            },
            " 1 . . .\n 2 . . .\n   1 2 3\n",
        );
        check(
            AxisLabels {
                first: 9,
                rows_up: false,
            },
            " 9 . . .\n10 . . .\n   9 10\n",
        );
    }
}
