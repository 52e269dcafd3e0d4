//! Describes events of a step as text and as marks on the timeline. Events are JSON objects that
//! each game defines; only the name under `event` is known here.

use leitai_game::render::{AxisLabels, PaletteColor, Rendering};
use leitai_game::{AnyGame, AnySink, Perspective, Seat};
use serde_json::Value;

use crate::lang::Localizer;

/// The mark of a fault.
pub const FAULT: char = '!';

/// Collects the events of a step.
#[derive(Debug, Default)]
pub struct StepEvents(pub Vec<Value>);

impl AnySink for StepEvents {
    fn wants_events(&self) -> bool {
        true
    }

    fn on_event(&mut self, event: Value) {
        self.0.push(event);
    }
}

/// The label of an action; its notation if no key has it.
pub fn action_label<'a>(
    lang: Localizer,
    game: &dyn AnyGame,
    seat: Seat,
    action: &'a str,
) -> &'a str {
    let binding = game
        .key_bindings(seat)
        .iter()
        .find(|binding| binding.action == action);
    binding.map_or(action, |binding| lang.pick(binding.label))
}

/// The event's name; empty if absent.
pub fn event_name(event: &Value) -> &str {
    event
        .get("event")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The mark of an event; `None` for routine events.
pub fn event_mark(name: &str) -> Option<char> {
    match name {
        "moved" | "move" | "round" | "turn" | "appeared" | "vanished" => None,
        "died" | "death" | "dead" | "killed" | "destroyed" => Some('✕'),
        "fired" => Some('*'),
        "solidified" => Some('S'),
        "captured" | "mine" => Some('⚑'),
        "ate" | "eaten" => Some('e'),
        other => other.chars().next(),
    }
}

/// The weight of a mark; where several marks share a place, the heaviest is shown.
pub fn mark_weight(mark: char) -> u8 {
    match mark {
        FAULT => 4,
        '✕' => 3,
        'S' | '⚑' => 2,
        'e' => 0,
        _ => 1,
    }
}

/// Marks the cells of notable events on the board: an empty cell shows the mark, another one is
/// highlighted. From a seat's perspective an empty cell without any sign may be out of sight, so it
/// stays empty.
pub fn mark_cells(
    rendering: &mut Rendering,
    axes: AxisLabels,
    perspective: Perspective,
    events: &[Value],
) {
    let rows = rendering.board.len();
    let mut places: Vec<(u8, char, (usize, usize))> = events
        .iter()
        .filter_map(|event| {
            let (mark, (row, column)) = (event_mark(event_name(event))?, event_cell(event)?);
            Some((mark_weight(mark), mark, axes.find_cell(row, column, rows)?))
        })
        .collect();
    // The heaviest mark of a cell is drawn first, while the cell is still empty.
    places.sort_by_key(|(weight, ..)| std::cmp::Reverse(*weight));
    for (_, mark, (row, column)) in places {
        let Some(cell) = rendering.cell_mut(row, column) else {
            continue;
        };
        match cell.text {
            [' ', ' '] if perspective != Perspective::All => continue,
            [' ' | '·', ' '] => (cell.text, cell.ink) = ([mark, ' '], PaletteColor::Magenta),
            _ => {}
        }
        cell.strong = true;
    }
}

/// Whether this perspective may know of an event: not of one on an empty cell without any sign, see
/// [`mark_cells`].
pub fn is_visible(
    rendering: &Rendering,
    axes: AxisLabels,
    perspective: Perspective,
    event: &Value,
) -> bool {
    let Some((row, column)) = event_cell(event).filter(|_| perspective != Perspective::All) else {
        return true;
    };
    let place = axes.find_cell(row, column, rendering.board.len());
    let cell = place.and_then(|(row, column)| rendering.board.get(row)?.get(column));
    cell.is_none_or(|cell| cell.text != [' ', ' '])
}

/// `[row, column]` of an event, as `at`, `cell`, or `row` and `col`.
fn event_cell(event: &Value) -> Option<(i64, i64)> {
    let pair = event
        .get("at")
        .or(event.get("cell"))
        .and_then(Value::as_array);
    let (row, column) = match pair.map(Vec::as_slice) {
        Some([row, column]) => (row, column),
        _ => (event.get("row")?, event.get("col")?),
    };
    Some((row.as_i64()?, column.as_i64()?))
}

/// Describes events in short lines, notable ones first.
pub fn describe_events(events: &[Value]) -> Vec<String> {
    let mut texts: Vec<&Value> = events
        .iter()
        .filter(|event| !matches!(event_name(event), "round" | "turn"))
        .collect();
    texts.sort_by_key(|event| event_mark(event_name(event)).is_none());
    texts.into_iter().map(event_sentence).collect()
}

/// `ate: snake 4, item 12, bank 3`.
fn event_sentence(event: &Value) -> String {
    let fields = event
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(key, _)| *key != "event");
    let fields: Vec<String> = fields
        .map(|(key, value)| format!("{key} {}", short_value(value)))
        .collect();
    match fields.is_empty() {
        true => event_name(event).to_owned(),
        false => format!("{}: {}", event_name(event), fields.join(", ")),
    }
}

/// A short text of a value.
fn short_value(value: &Value) -> String {
    const MOST: usize = 24;
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    };
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn events_are_short_lines_the_notable_first() {
        let check =
            |events: Vec<Value>, expected: &[&str]| assert_eq!(describe_events(&events), expected);
        let moved = json!({"event": "moved", "snake": 4, "x": 8, "y": 5});
        let ate = json!({"event": "ate", "snake": 4, "item": 12});
        check(vec![moved.clone()], &["moved: snake 4, x 8, y 5"]);
        check(
            vec![moved, ate],
            &["ate: item 12, snake 4", "moved: snake 4, x 8, y 5"],
        );
        check(vec![json!({"event": "round", "round": 3})], &[]);
        check(vec![json!({"event": "draw"})], &["draw"]);
        check(
            vec![json!({"event": "died", "cause": null})],
            &["died: cause -"],
        );
        check(
            vec![json!({"event": "a", "b": "x".repeat(40)})],
            &[&format!("a: b {}…", "x".repeat(24))],
        );
        check(vec![json!(7)], &[""]);
    }

    #[test]
    fn events_with_a_place_mark_their_cell() {
        let check = |perspective: Perspective,
                     events: &[Value],
                     expected: &str,
                     strong: &[(usize, usize)]| {
            let cells = |texts: [[char; 2]; 3]| {
                texts
                    .map(leitai_game::render::RenderedCell::uncoloured)
                    .to_vec()
            };
            let board = vec![
                cells([[' ', ' '], ['·', ' '], ['S', '0']]),
                cells([[' ', ' ']; 3]),
            ];
            let mut rendering = Rendering {
                board,
                panel: Vec::new(),
            };
            mark_cells(
                &mut rendering,
                AxisLabels {
                    first: 1,
                    rows_up: false,
                },
                perspective,
                events,
            );
            assert_eq!(rendering.plain_board(), expected, "{events:?}");
            let all = (0..2).flat_map(|row| (0..3).map(move |column| (row, column)));
            let found: Vec<_> = all
                .filter(|(row, column)| rendering.board[*row][*column].strong)
                .collect();
            assert_eq!(found, strong, "{events:?}");
        };
        let fired = |row: i64, col: i64| json!({"event": "fired", "row": row, "col": col});
        let died = |at: [i64; 2]| json!({"event": "died", "at": at});
        check(Perspective::All, &[fired(2, 1)], "  · S0\n*\n", &[(1, 0)]);
        check(Perspective::All, &[fired(1, 3)], "  · S0\n\n", &[(0, 2)]);
        check(
            Perspective::All,
            &[fired(2, 2), died([2, 2])],
            "  · S0\n  ✕\n",
            &[(1, 1)],
        );
        check(
            Perspective::Seat(Seat::First),
            &[died([1, 1]), died([1, 2])],
            "  ✕ S0\n\n",
            &[(0, 1)],
        );
        check(
            Perspective::All,
            &[json!({"event": "brick", "cell": [1, 1]})],
            "b · S0\n\n",
            &[(0, 0)],
        );
        check(
            Perspective::All,
            &[json!({"event": "moved", "cell": [1, 1]})],
            "  · S0\n\n",
            &[],
        );
        check(
            Perspective::All,
            &[fired(0, 1), fired(9, 9), fired(-5, i64::MIN), died([1, 4])],
            "  · S0\n\n",
            &[],
        );
        check(
            Perspective::All,
            &[json!({"event": "died", "at": ["a"]}), json!(3)],
            "  · S0\n\n",
            &[],
        );
    }

    #[test]
    fn notable_events_have_marks() {
        let check =
            |name: &str, expected: Option<char>| assert_eq!(event_mark(name), expected, "{name}");
        check("split", Some('s'));
        check("solidified", Some('S'));
        check("died", Some('✕'));
        check("moved", None);
        check("exploded", Some('e'));
        check("", None);
        assert!(
            mark_weight(FAULT) > mark_weight('✕')
                && mark_weight('✕') > mark_weight('S')
                && mark_weight('S') > mark_weight('s')
        );
    }
}
