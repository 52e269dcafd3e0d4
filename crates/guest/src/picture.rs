//! The picture of a game that brings none, for terminals and GIFs: the board that its view declares
//! (docs/game-files.md, "What the page draws"), else the view as text. The view comes from a
//! stranger's rules, so what has another shape is left out.

use leitai_game::Seat;
use leitai_game::clean_text::clean_line;
use leitai_game::render::{PaletteColor, PanelLine, RenderedCell, Rendering};
use serde_json::{Map, Value};

/// The most columns and rows that are drawn, and lines beside them.
const MOST_CELLS: usize = 64;
const MOST_LINES: usize = 200;
/// The longest list that stands on one line, in characters.
const ONE_LINE: usize = 60;

/// Draws what a view declares.
pub fn draw(view: &Value) -> Rendering {
    let board = draw_board(view);
    let mut lines = Vec::new();
    if board.is_empty() && list(view, "text").is_none() && text_of(&view["text"]).is_none() {
        write_value(view, 0, "", &mut lines);
    } else {
        lines = tell(view);
    }
    lines.truncate(MOST_LINES);
    Rendering {
        board,
        panel: lines.into_iter().map(PanelLine::uncoloured).collect(),
    }
}

/// Both languages' text in English, a text or a number.
fn text_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::Number(number) => return Some(number.to_string()),
        Value::Object(texts) => texts.get("en").or_else(|| texts.get("zh"))?.as_str()?,
        other => other.as_str()?,
    };
    Some(clean_line(text).into_owned())
}

fn list<'a>(view: &'a Value, name: &str) -> Option<&'a Vec<Value>> {
    view.get(name)?.as_array()
}

/// The signs of a row.
fn signs_of(row: &Value) -> Vec<String> {
    let signs: Vec<String> = match row {
        Value::String(row) => row.chars().map(String::from).collect(),
        Value::Array(row) => row
            .iter()
            .map(|cell| text_of(cell).unwrap_or_default())
            .collect(),
        _ => Vec::new(),
    };
    signs.into_iter().take(MOST_CELLS).collect()
}

fn draw_board(view: &Value) -> Vec<Vec<RenderedCell>> {
    let rows = list(view, "board").map_or(&[][..], Vec::as_slice);
    let rows: Vec<Vec<String>> = rows.iter().take(MOST_CELLS).map(signs_of).collect();
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    if width == 0 {
        return Vec::new();
    }
    let draw_row = |row: &Vec<String>| {
        let sign = |column| row.get(column).map_or("", String::as_str);
        (0..width)
            .map(|column| draw_sign(view, sign(column)))
            .collect()
    };
    let mut board: Vec<Vec<RenderedCell>> = rows.iter().map(draw_row).collect();
    for mark in list(view, "marks")
        .into_iter()
        .flatten()
        .take(MOST_CELLS * MOST_CELLS)
    {
        let place = |index: usize| usize::try_from(mark.get(index)?.as_u64()?).ok();
        let cell = place(1)
            .zip(place(0))
            .and_then(|(row, column)| board.get_mut(row)?.get_mut(column));
        if let Some(cell) = cell {
            cell.strong = true;
        }
    }
    board
}

/// A sign as the view's list of pieces shows it.
fn draw_sign(view: &Value, sign: &str) -> RenderedCell {
    if matches!(sign.trim(), "" | ".") {
        return RenderedCell {
            ink: PaletteColor::Grey,
            ..RenderedCell::uncoloured(['·', ' '])
        };
    }
    let pieces = view.get("pieces").and_then(Value::as_object);
    let piece = pieces.and_then(|pieces| pieces.get(sign));
    let shown = piece.and_then(|piece| text_of(piece.get("sign")?));
    let seat = match (pieces, sign) {
        (None, "X") => Some(Seat::First),
        (None, "O") => Some(Seat::Second),
        _ => piece.and_then(|piece| seat_of(piece.get("seat")?)),
    };
    let narrow = |text: &str| text.chars().all(is_narrow) && !text.trim().is_empty();
    let shown = shown.filter(|text| narrow(text));
    RenderedCell {
        ink: match seat {
            Some(Seat::First) => PaletteColor::Blue,
            Some(Seat::Second) => PaletteColor::Red,
            None => PaletteColor::Default,
        },
        ..RenderedCell::uncoloured(two_columns(shown.as_deref().unwrap_or(sign)))
    }
}

fn seat_of(value: &Value) -> Option<Seat> {
    Seat::BOTH
        .into_iter()
        .find(|seat| value.as_str() == Some(&*seat.to_string()))
}

/// A character that is one column wide in every terminal: Latin and its like, signs and figures.
fn is_narrow(character: char) -> bool {
    matches!(character, ' '..='~' | '\u{a1}'..='\u{2ff}' | '\u{370}'..='\u{52f}' | '\u{2190}'..='\u{22ff}' | '\u{2500}'..='\u{25fc}' | '\u{2654}'..='\u{265e}')
}

fn two_columns(text: &str) -> [char; 2] {
    let mut signs = text
        .chars()
        .map(|sign| if is_narrow(sign) { sign } else { '?' });
    match (signs.next(), signs.next(), signs.next()) {
        (Some(first), Some(second), None) => [first, second],
        (Some(first), Some(_), Some(_)) => [first, '…'],
        (first, ..) => [first.unwrap_or(' '), ' '],
    }
}

/// What stands beside a board: facts, what happened, what is asked, lines of text.
fn tell(view: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    for axis in ["columns", "rows"] {
        let names = list(view, axis)
            .into_iter()
            .flatten()
            .take(MOST_CELLS)
            .filter_map(text_of);
        let names = names.collect::<Vec<_>>().join(" ");
        if !names.is_empty() {
            lines.push(format!("{axis}: {names}"));
        }
    }
    for fact in list(view, "facts").into_iter().flatten().take(MOST_LINES) {
        let (name, value) = (text_of(&fact["name"]), text_of(&fact["value"]));
        let seat = seat_of(&fact["seat"]).map_or(String::new(), |seat| format!("{seat}: "));
        if let Some((name, value)) = name.zip(value) {
            lines.push(format!("{seat}{name} {value}"));
        }
    }
    match &view["text"] {
        Value::Array(text) => lines.extend(text.iter().take(MOST_LINES).filter_map(text_of)),
        text => lines.extend(text_of(text)),
    }
    lines.extend(
        ["told", "question"]
            .into_iter()
            .filter_map(|name| text_of(&view[name])),
    );
    lines
}

/// JSON as lines, in which short lists stand on one.
fn write_value(value: &Value, depth: usize, name: &str, lines: &mut Vec<String>) {
    if lines.len() > MOST_LINES {
        return;
    }
    let start = format!("{}{name}", "  ".repeat(depth));
    match value {
        Value::Object(members) if !members.is_empty() => {
            write_members(members, depth, &start, lines)
        }
        Value::Array(items)
            if items.iter().any(|item| item.is_array() || item.is_object())
                || value.to_string().len() > ONE_LINE =>
        {
            lines.push(format!("{start}["));
            items
                .iter()
                .for_each(|item| write_value(item, depth + 1, "", lines));
            lines.push(format!("{}]", "  ".repeat(depth)));
        }
        other => lines.push(clean_line(&format!("{start}{other}")).into_owned()),
    }
}

fn write_members(members: &Map<String, Value>, depth: usize, start: &str, lines: &mut Vec<String>) {
    let named = !start.trim().is_empty();
    if named {
        lines.push(clean_line(start).into_owned());
    }
    let inner = depth + usize::from(named);
    for (name, member) in members {
        write_value(member, inner, &format!("{name}: "), lines);
    }
}
