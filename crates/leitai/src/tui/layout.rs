//! Screen layout. The board has priority: the other blocks share the rest and shrink on a small
//! terminal.

use std::borrow::Cow;

use leitai_game::clean_text::clean_line;
use leitai_game::render::{RenderedCell, Rendering};
use leitai_series::columns;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Clear, Paragraph, Wrap};

use super::paint::MARGIN;
use crate::lang::Localizer;

/// The narrowest column of text beside a board.
const NARROWEST: u16 = 24;

/// The areas of a screen; an area without space has zero height or width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScreenLayout {
    /// Players and scores.
    pub head: Rect,
    /// The board, with row and column numbers if they fit.
    pub board: Rect,
    /// Text beside or below the board.
    pub side: Rect,
    /// A second column of text on wide terminals.
    pub far: Rect,
    /// Lines at the bottom.
    pub foot: Rect,
}

/// Computes the layout for a board; the bottom area gets this number of lines if they fit.
pub fn lay_out(area: Rect, rendering: &Rendering, foot: u16) -> ScreenLayout {
    let rows = to_length(rendering.board.len());
    let columns = rendering.board.iter().map(Vec::len).max().unwrap_or(0);
    let wide = to_length(MARGIN + columns * RenderedCell::WIDTH).min(area.width);
    let spare = area.height.saturating_sub(rows);
    // The rest of the height goes to the bottom lines, then to the head, then to the numbers below
    // the board.
    let foot = foot.min(spare.saturating_sub(1));
    let head = (spare - foot).min(if spare > foot + 2 { 2 } else { 1 });
    let body = area.height.saturating_sub(head + foot);
    let tall = body.min(rows + 1);
    let top = area.y + head;
    let board = Rect {
        y: top,
        height: tall,
        width: wide,
        ..area
    };
    let (side, far) = columns_beside(area, board, body);
    ScreenLayout {
        head: Rect {
            height: head,
            ..area
        },
        board,
        side,
        far,
        foot: Rect {
            y: top + body,
            height: foot,
            ..area
        },
    }
}

/// The message in place of a board that does not fit.
pub fn too_small(lang: Localizer, area: Rect, rendering: &Rendering) -> Option<Vec<Line<'static>>> {
    let columns = rendering.board.iter().map(Vec::len).max().unwrap_or(0);
    let (wide, tall) = (
        to_length(MARGIN + columns * RenderedCell::WIDTH),
        to_length(rendering.board.len() + 1),
    );
    if area.width >= wide && area.height >= tall {
        return None;
    }
    let (width, height) = (area.width, area.height);
    let said = lang.fill(
        "The terminal is too small: {} x {} are needed, it has {} x {}. Make it larger",
        &[&wide, &tall, &width, &height],
    );
    Some(fold_text(&said, width).into_iter().map(Line::raw).collect())
}

/// One or two columns to the right of the board, otherwise the free area below it.
fn columns_beside(area: Rect, board: Rect, body: u16) -> (Rect, Rect) {
    let left = board.x + board.width + 2;
    let free = (area.x + area.width).saturating_sub(left);
    let column = Rect {
        x: left,
        y: board.y,
        width: free,
        height: body,
    };
    if free < NARROWEST {
        let below = Rect {
            y: board.y + board.height,
            height: body - board.height,
            width: area.width,
            ..board
        };
        return (below, Rect::default());
    }
    if free < 3 * NARROWEST {
        return (column, Rect::default());
    }
    let half = free / 2;
    (
        Rect {
            width: half - 2,
            ..column
        },
        Rect {
            x: left + half,
            width: free - half,
            ..column
        },
    )
}

/// One block of lines in a column.
pub struct TextBlock<'a> {
    /// The lines, a heading first.
    pub lines: Vec<Line<'a>>,
    /// The lines that it gets even if others need space; the rest is given out in the order of the
    /// blocks.
    pub least: usize,
}

/// Stacks blocks in a column and cuts them where space runs out; `…` marks a cut.
pub fn stack_blocks<'a>(blocks: Vec<TextBlock<'a>>, height: u16) -> Vec<Line<'a>> {
    let blocks: Vec<TextBlock<'a>> = blocks
        .into_iter()
        .filter(|block| !block.lines.is_empty())
        .collect();
    let height = usize::from(height);
    let least = |block: &TextBlock<'_>| block.least.min(block.lines.len());
    let mut spare = height.saturating_sub(blocks.iter().map(least).sum());
    let mut lines = Vec::new();
    for mut block in blocks {
        let own = least(&block);
        let more = spare.min(block.lines.len() - own);
        spare -= more;
        if own + more < block.lines.len() {
            block.lines.truncate((own + more).saturating_sub(1));
            block.lines.push(Line::raw("…"));
        }
        lines.append(&mut block.lines);
    }
    lines.truncate(height);
    lines
}

/// Breaks a text into lines of at most this width, between words where possible.
pub fn fold_text(text: &str, width: u16) -> Vec<String> {
    let text = clean_line(text);
    let width = usize::from(width).max(1);
    let mut lines = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let line = lines.last_mut().expect("there is always a line");
        if columns::width(line) + columns::width(word.trim_end()) <= width {
            line.push_str(word);
        } else if columns::width(word.trim_end()) <= width {
            lines.push(word.to_owned());
        } else {
            word.chars().for_each(|c| fold_in(&mut lines, c, width));
        }
    }
    lines
}

/// Appends a character of a word that is longer than a line, or of a text without blanks.
fn fold_in(lines: &mut Vec<String>, c: char, width: usize) {
    let line = lines.last_mut().expect("there is always a line");
    if columns::width(&format!("{line}{c}")) <= width {
        line.push(c);
    } else {
        lines.push(c.to_string());
    }
}

/// Draws lines from the top of an area, clipped at its edges.
pub fn draw_lines(frame: &mut Frame<'_>, place: Rect, lines: Vec<Line<'_>>) {
    frame.render_widget(
        Paragraph::new(clean_lines(lines)),
        place.intersection(frame.area()),
    );
}

/// Removes control characters from lines: names and texts in them come from others.
fn clean_lines(mut lines: Vec<Line<'_>>) -> Vec<Line<'_>> {
    let spans = lines.iter_mut().flat_map(|line| &mut line.spans);
    spans.for_each(|span| {
        if let Cow::Owned(text) = clean_line(&span.content) {
            span.content = text.into();
        }
    });
    lines
}

/// Draws lines in the middle of the screen, above its contents.
pub fn draw_over(frame: &mut Frame<'_>, lines: Vec<Line<'_>>) {
    let (area, lines) = (frame.area(), clean_lines(lines));
    let wide = lines.iter().map(Line::width).max().unwrap_or(0) + 4;
    let width = to_length(wide).min(area.width);
    let inner = usize::from(width.saturating_sub(4)).max(1);
    let tall: usize = lines
        .iter()
        .map(|line| line.width().div_ceil(inner).max(1))
        .sum();
    let height = to_length(tall + 2).min(area.height);
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    let block =
        ratatui::widgets::Block::bordered().padding(ratatui::widgets::Padding::horizontal(1));
    frame.render_widget(Clear, place);
    frame.render_widget(
        Paragraph::new(lines)
            .wrap(Wrap { trim: false })
            .block(block),
        place,
    );
}

fn to_length(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(columns: usize, rows: usize) -> Rendering {
        Rendering {
            board: vec![vec![RenderedCell::uncoloured(['.', ' ']); columns]; rows],
            panel: Vec::new(),
        }
    }

    #[test]
    fn the_board_fits_and_the_other_blocks_share_the_rest() {
        // Terminal, board; then lines of head, board and foot, width beside, height below.
        let check = |terminal: (u16, u16), cells: (usize, usize), expected: [u16; 5]| {
            let area = Rect::new(0, 0, terminal.0, terminal.1);
            let panes = lay_out(area, &board(cells.0, cells.1), 3);
            let beside = if panes.side.x > 0 {
                panes.side.width
            } else {
                0
            };
            let below = if panes.side.x > 0 {
                0
            } else {
                panes.side.height
            };
            let got = [
                panes.head.height,
                panes.board.height,
                panes.foot.height,
                beside,
                below,
            ];
            assert_eq!(got, expected, "{terminal:?} {cells:?}");
        };
        check((80, 24), (16, 16), [2, 17, 3, 43, 0]);
        check((80, 24), (14, 13), [2, 14, 3, 47, 0]);
        check((80, 24), (21, 21), [1, 21, 2, 33, 0]);
        check((200, 60), (16, 16), [2, 17, 3, 79, 0]);
        check((40, 40), (16, 16), [2, 17, 3, 0, 18]);
        check((40, 18), (16, 16), [1, 16, 1, 0, 0]);
        check((20, 5), (16, 16), [0, 5, 0, 0, 0]);
        check((0, 0), (16, 16), [0, 0, 0, 0, 0]);
        check((80, 24), (0, 0), [2, 1, 3, 35, 0]);
    }

    #[test]
    fn long_texts_are_broken_between_words() {
        let check = |text: &str, width: u16, expected: &[&str]| {
            let lines = fold_text(text, width);
            let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
            assert_eq!(lines, expected);
        };
        check("", 9, &[""]);
        check("ten chars ", 9, &["ten chars"]);
        check("ten chars each", 9, &["ten chars", "each"]);
        check("longerthanten chars", 9, &["longertha", "nten", "chars"]);
        check("回合开始", 5, &["回合", "开始"]);
        check("ab", 0, &["a", "b"]);
        check("a\u{1b}[2J b", 10, &[r"a\u001b[2J", "b"]);
    }

    #[test]
    fn blocks_are_hidden_in_order_with_a_note() {
        let block = |name: &str, lines: usize, least: usize| TextBlock {
            lines: (0..lines)
                .map(|line| Line::raw(format!("{name}{line}")))
                .collect(),
            least,
        };
        let check = |blocks: Vec<TextBlock<'_>>, height: u16, expected: &str| {
            let lines: Vec<String> = stack_blocks(blocks, height)
                .iter()
                .map(Line::to_string)
                .collect();
            assert_eq!(lines.join(" "), expected);
        };
        check(vec![block("a", 2, 1), block("b", 2, 1)], 9, "a0 a1 b0 b1");
        check(
            vec![block("a", 5, 2), block("b", 3, 3)],
            6,
            "a0 a1 … b0 b1 b2",
        );
        check(vec![block("a", 5, 2), block("b", 3, 2)], 4, "a0 … b0 …");
        check(vec![block("a", 0, 2), block("b", 1, 1)], 4, "b0");
        check(vec![block("a", 3, 3)], 0, "");
    }
}
