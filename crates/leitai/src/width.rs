//! The output width, and wrapping.

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};
use leitai_series::columns;

use crate::cli::wrap_text;
use crate::lang::Localizer;

/// The default width.
const USUAL: u16 = 80;
/// The narrowest table.
const LEAST: u16 = 40;

/// The width of the terminal, otherwise `COLUMNS`, otherwise 80.
pub fn output_columns() -> u16 {
    known_columns().unwrap_or(USUAL).max(LEAST)
}

/// The width of the terminal, otherwise `COLUMNS`.
fn known_columns() -> Option<u16> {
    let terminal = rustix::termios::tcgetwinsize(std::io::stdout())
        .ok()
        .map(|size| size.ws_col);
    let asked = || {
        std::env::var("COLUMNS")
            .ok()
            .and_then(|columns| columns.parse().ok())
    };
    terminal.filter(|columns| *columns > 0).or_else(asked)
}

/// The columns left for a text that begins at this column.
fn columns_after(indent: usize) -> Option<usize> {
    let columns = usize::from(known_columns()?.max(LEAST));
    Some(columns.saturating_sub(indent).max(usize::from(LEAST) / 2))
}

/// Wraps a sentence that begins at this column to the terminal (or `COLUMNS`), with the same
/// indentation on further lines. Without a known width the sentence is one line, for programs that
/// read it.
pub fn wrap_sentence(text: &str, indent: usize) -> String {
    match columns_after(indent) {
        Some(room) => wrap_within(text, indent, room),
        None => text.to_owned(),
    }
}

/// Wraps the sentences of a message to the terminal of stderr; indented lines, such as those of a
/// compiler, stay as they are. Elsewhere a message is what it is, for programs that read it.
pub fn wrap_message(text: &str) -> String {
    let size = rustix::termios::tcgetwinsize(std::io::stderr());
    let columns = size.map_or(0, |size| size.ws_col);
    if columns == 0 {
        return text.to_owned();
    }
    let wrap = |line: &str| match line.starts_with(char::is_whitespace) {
        true => line.to_owned(),
        false => wrap_text(line, usize::from(columns.max(LEAST))),
    };
    text.lines().map(wrap).collect::<Vec<_>>().join("\n")
}

/// [`wrap_sentence`] for a list of names, which has at most 80 columns without a known width, as a table has.
pub fn wrap_list(text: &str, indent: usize) -> String {
    let room = columns_after(indent).unwrap_or(usize::from(USUAL) - indent);
    wrap_within(text, indent, room)
}

fn wrap_within(text: &str, indent: usize, room: usize) -> String {
    wrap_text(text, room).replace('\n', &format!("\n{}", " ".repeat(indent)))
}

/// Wraps a command like [`wrap_sentence`]; every line but the last ends with a backslash, so that
/// it can be copied.
pub fn wrap_command(command: &str, indent: usize) -> String {
    let Some(room) = columns_after(indent).filter(|room| columns::width(command) > *room) else {
        return command.to_owned();
    };
    let (mut lines, mut line) = (Vec::new(), String::new());
    for word in shell_words(command) {
        // Two columns for the backslash.
        if !line.is_empty() && columns::width(&line) + 1 + columns::width(word) + 2 > room {
            lines.push(std::mem::take(&mut line));
        }
        let gap = if line.is_empty() { "" } else { " " };
        line = format!("{line}{gap}{word}");
    }
    lines.push(line);
    lines.join(&format!(" \\\n{}", " ".repeat(indent)))
}

/// Splits a command into words; a quoted text is one word.
fn shell_words(command: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let splits = move |c: char| {
        is_quoted ^= c == '\'';
        c == ' ' && !is_quoted
    };
    command.split(splits).filter(|word| !word.is_empty())
}

/// An empty table without lines, at most as wide as the output: long cells are wrapped between
/// words.
pub fn new_table() -> Table {
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(output_columns());
    table
}

/// A table as [`new_table`], with these labels as heads of its columns.
pub fn table_with_heads<const N: usize>(lang: Localizer, heads: [&'static str; N]) -> Table {
    let mut table = new_table();
    table.set_header(heads.map(|head| lang.label(head)));
    table
}

/// Whether each line fits the output; Chinese characters are two columns wide.
pub fn fits_output(text: &str) -> bool {
    text.lines()
        .all(|line| columns::width(line) <= usize::from(output_columns()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_words_stay_whole() {
        let words: Vec<&str> = shell_words("leitai match kob './my bot.py' safe").collect();
        assert_eq!(words, ["leitai", "match", "kob", "'./my bot.py'", "safe"]);
    }
}
