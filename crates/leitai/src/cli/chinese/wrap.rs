//! Wraps Chinese text: lines may break between any two characters, but not before a closing sign.

use std::io::IsTerminal;

use leitai_series::columns;

/// The columns of the terminal; at most 100, and 100 without a terminal, as in English.
pub fn terminal_columns() -> usize {
    const MOST: u16 = 100;
    let is_terminal = std::io::stdout().is_terminal();
    let size = is_terminal
        .then(ratatui::crossterm::terminal::size)
        .and_then(Result::ok);
    size.map_or(MOST, |(columns, _)| columns.clamp(60, MOST))
        .into()
}

/// The text in lines of at most this many columns. Indented lines stay unchanged.
pub fn wrap_text(text: &str, columns: usize) -> String {
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| wrapped_line(line, columns))
        .collect();
    lines.join("\n")
}

fn wrapped_line(line: &str, columns: usize) -> String {
    if line.starts_with(' ') {
        return line.to_owned();
    }
    let (mut out, mut used) = (String::new(), 0);
    for piece in split_pieces(line) {
        let wide = columns::width(piece.trim_end());
        if used > 0 && used + wide > columns {
            out.truncate(out.trim_end().len());
            out.push('\n');
            used = 0;
        }
        out.push_str(piece);
        used += columns::width(piece);
    }
    out
}

/// The units that no line break divides: a word with the following space, a character with the
/// following closing signs.
fn split_pieces(line: &str) -> Vec<&str> {
    let (mut pieces, mut from) = (Vec::new(), 0);
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let Some((_, next)) = chars.peek().copied() else {
            break;
        };
        let closes = "，。；：、）！？”]".contains(next) || next == ' ';
        let opens = "（“[".contains(c);
        let is_word = c.is_ascii() && c != ' ' && next.is_ascii();
        if !closes && !opens && !is_word {
            pieces.push(&line[from..end]);
            from = end;
        }
    }
    pieces.push(&line[from..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_characters() {
        let check = |text: &str, columns: usize, expected: &str| {
            assert_eq!(wrap_text(text, columns), expected)
        };
        check("一二三四五", 4, "一二\n三四\n五");
        check("一二三，四", 6, "一二\n三，四");
        check("用 leitai 打开", 8, "用\nleitai\n打开");
        check("短", 80, "短");
        check("  不动的一行", 4, "  不动的一行");
        check("", 4, "");
    }
}
