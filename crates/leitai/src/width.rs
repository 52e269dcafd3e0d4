//! How wide a text for people may be.

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};
use ratatui::text::Span;

/// Where nothing says how wide the output is: what every terminal has.
const USUAL: u16 = 80;
/// A table cannot be narrower.
const LEAST: u16 = 40;

/// Columns of the terminal, else what `COLUMNS` says, else 80.
pub fn columns() -> u16 {
    let terminal = rustix::termios::tcgetwinsize(std::io::stdout())
        .ok()
        .map(|size| size.ws_col);
    let asked = || {
        std::env::var("COLUMNS")
            .ok()
            .and_then(|columns| columns.parse().ok())
    };
    terminal
        .filter(|columns| *columns > 0)
        .or_else(asked)
        .unwrap_or(USUAL)
        .max(LEAST)
}

/// An empty table without lines that is as wide as the output at most: long cells are broken
/// between words.
pub fn table() -> Table {
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(columns());
    table
}

/// Whether each line fits the output; Chinese characters are two columns wide.
pub fn fits(text: &str) -> bool {
    text.lines()
        .all(|line| Span::raw(line).width() <= usize::from(columns()))
}
