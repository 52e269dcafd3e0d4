//! What a view of a guest game holds that can be a number: the signs of its declared board, marked cells, numbers and words.
//! It comes from a stranger's rules, so what has another shape is left out.

use leitai_game::Seat;
use serde_json::Value;

/// The most rows and columns of a board.
const MOST_CELLS: usize = 64;
/// The most items of a list, and lists inside one another.
const MOST_ITEMS: usize = 256;
const MOST_DEPTH: usize = 8;
/// The most letters of a sign, and bytes of a word.
const SIGN: usize = 8;
const WORD: usize = 24;

/// Members that tell how a board is drawn; `board` and `marks` become planes, `facts` numbers by their names.
const DRAWN: [&str; 10] = [
    "board", "columns", "rows", "pieces", "targets", "marks", "facts", "question", "told", "text",
];

/// A sign of the board.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeenSign {
    pub owner: Option<Seat>,
    pub sign: String,
}

/// A view as its seat reads it: `first` and `second` are told as `own` and `other`.
#[derive(Default)]
pub struct SeenView {
    pub rows: usize,
    pub cols: usize,
    /// Row, column, sign; empty cells are left out.
    pub cells: Vec<(usize, usize, SeenSign)>,
    pub marks: Vec<(usize, usize)>,
    pub numbers: Vec<(String, i64)>,
    pub words: Vec<(String, String)>,
}

impl SeenView {
    /// Reads a view of this seat.
    pub fn read(view: &Value, seat: Seat) -> SeenView {
        let mut seen = SeenView::default();
        seen.read_board(view);
        let members = view.as_object().into_iter().flatten();
        for (name, value) in members.filter(|(name, _)| !DRAWN.contains(&name.as_str())) {
            seen.read_value(relative(name, seat).to_owned(), value, seat, 0);
        }
        for fact in list(view, "facts") {
            seen.read_fact(fact, seat);
        }
        seen
    }

    fn read_board(&mut self, view: &Value) {
        let pieces = view.get("pieces").and_then(Value::as_object);
        for (row, value) in list(view, "board").take(MOST_CELLS).enumerate() {
            self.rows = row + 1;
            let signs = signs_of(value);
            self.cols = self.cols.max(signs.len());
            for (col, sign) in signs.into_iter().enumerate() {
                if matches!(sign.trim(), "" | ".") {
                    continue;
                }
                let owner = match (pieces, &*sign) {
                    (None, "X") => Some(Seat::First),
                    (None, "O") => Some(Seat::Second),
                    (None, _) => None,
                    (Some(pieces), sign) => pieces
                        .get(sign)
                        .and_then(|piece| seat_of(piece.get("seat")?)),
                };
                self.cells.push((row, col, SeenSign { owner, sign }));
            }
        }
        let place = |mark: &Value, at: usize| usize::try_from(mark.get(at)?.as_u64()?).ok();
        let marks = list(view, "marks").take(MOST_CELLS * MOST_CELLS);
        self.marks = marks
            .filter_map(|mark| place(mark, 1).zip(place(mark, 0)))
            .collect();
    }

    fn read_value(&mut self, name: String, value: &Value, seat: Seat, depth: usize) {
        match value {
            Value::Bool(is_so) => self.numbers.push((name, i64::from(*is_so))),
            Value::Number(number) => {
                let whole = number
                    .as_i64()
                    .or_else(|| number.as_f64().map(|number| number.round() as i64));
                self.numbers.push((name, whole.unwrap_or(i64::MAX)));
            }
            Value::String(word) if word.len() <= WORD => {
                self.words.push((name, relative(word, seat).to_owned()))
            }
            Value::Array(items) if depth < MOST_DEPTH => {
                for (at, item) in items.iter().take(MOST_ITEMS).enumerate() {
                    self.read_value(format!("{name}.{at}"), item, seat, depth + 1);
                }
            }
            Value::Object(members) if depth < MOST_DEPTH => {
                for (member, value) in members.iter().take(MOST_ITEMS) {
                    self.read_value(
                        format!("{name}.{}", relative(member, seat)),
                        value,
                        seat,
                        depth + 1,
                    );
                }
            }
            _ => {}
        }
    }

    /// A number beside a seat, by its English name.
    fn read_fact(&mut self, fact: &Value, seat: Seat) {
        let name = match fact.get("name") {
            Some(Value::String(name)) => name.as_str(),
            Some(Value::Object(names)) => match names.get("en").and_then(Value::as_str) {
                Some(name) => name,
                None => return,
            },
            _ => return,
        };
        let owner = fact
            .get("seat")
            .and_then(Value::as_str)
            .map(|owner| relative(owner, seat));
        let name = owner.map_or_else(|| name.to_owned(), |owner| format!("{owner}.{name}"));
        if let Some(value) = fact.get("value") {
            self.read_value(format!("fact.{name}"), value, seat, 0);
        }
    }
}

/// The name of a seat as this one says it.
fn relative(word: &str, seat: Seat) -> &str {
    match (word, seat) {
        ("first", Seat::First) | ("second", Seat::Second) => "own",
        ("first" | "second", _) => "other",
        (word, _) => word,
    }
}

fn list<'a>(view: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    view.get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn seat_of(value: &Value) -> Option<Seat> {
    match value.as_str()? {
        "first" => Some(Seat::First),
        "second" => Some(Seat::Second),
        _ => None,
    }
}

fn signs_of(row: &Value) -> Vec<String> {
    let sign = |cell: &Value| match cell {
        Value::String(sign) => sign.chars().take(SIGN).collect(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    match row {
        Value::String(row) => row.chars().take(MOST_CELLS).map(String::from).collect(),
        Value::Array(row) => row.iter().take(MOST_CELLS).map(sign).collect(),
        _ => Vec::new(),
    }
}
